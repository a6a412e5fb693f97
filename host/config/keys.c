/*
 * keys.c - the tables, innermost objects first, the whole file last. docs/config.md explains them.
 */
#include "config/keys.h"

#include <string.h>
#include <strings.h>

#include "base/pattern.h"
#include "base/units.h"
#include "config/config.h"

#define SHAPE(...) (&(const struct cr_shape){__VA_ARGS__})
#define TEXT(kind) SHAPE(.form = CR_FORM_TEXT, .text = &cr_text_##kind)
#define NUMBER(low, high) SHAPE(.form = CR_FORM_NUMBER, .min = (low), .max = (high))
#define LIST(shape) SHAPE(.form = CR_FORM_LIST, .each = (shape))
#define MAP(names, shape) SHAPE(.form = CR_FORM_MAP, .text = &cr_text_##names, .each = (shape))
#define OBJECT(table) SHAPE(.form = CR_FORM_OBJECT, .keys = (table))

#define KEY(key, ...)                       \
    {                                       \
        .name = (key), .shape = __VA_ARGS__ \
    }
#define TO(field) .to = offsetof(struct cr_config, field)
#define REQUIRED .required = true
#define LATER .later = "has no effect in this version of caprun"
#define ONLY_WITH(key) .only_with = (key)

#define MAX_MEMORY_MB (16u * 1024)
#define MAX_POOL_MB (64u * 1024 * 1024)
#define MAX_RESULT_BYTES (64u << 20)
#define MAX_LOG_BYTES (16u << 20)
#define MAX_CALLS 100000
#define MAX_AT_ONCE 1024
#define MAX_WORKERS 4096
#define MAX_DEPTH 8
#define MAX_RECORD_MB 1024 /* the longest journal that can be read */
#define MAX_DAYS 36500
#define MAX_RULES 1000
#define MAX_VARIABLES 256 /* of one capability: all are compared with all that it asks for */
#define MIN_UID 65536u
#define MAX_UID 4294901758u /* leaves room for 65,536 uids */

static const struct cr_shape any = {.form = CR_FORM_ANY};
static const struct cr_shape any_text = {.form = CR_FORM_TEXT};
static const struct cr_shape flag = {.form = CR_FORM_FLAG};
static const struct cr_shape real = {.form = CR_FORM_REAL};
static const struct cr_shape patterns = {
    .form = CR_FORM_LIST, .each = TEXT(pattern), .max = CR_PATTERNS_MAX};
static const struct cr_shape action_globs = {
    .form = CR_FORM_LIST, .each = TEXT(action_glob), .max = CR_PATTERNS_MAX};
static const struct cr_shape variables = {
    .form = CR_FORM_LIST, .each = TEXT(variable), .max = MAX_VARIABLES};
static const struct cr_shape headers = {
    .form = CR_FORM_MAP, .text = &cr_text_header, .each = TEXT(header_value)};

static const struct cr_shape own_headers = {
    .form = CR_FORM_MAP, .text = &cr_text_own_header, .each = TEXT(header_value)};

static const struct cr_key registry_keys[] = {
    KEY("path", TEXT(directory), REQUIRED),
    KEY("dev", &flag),
    {0},
};

static const struct cr_shape registry = {
    .form = CR_FORM_TEXT, .text = &cr_text_registry, .keys = registry_keys};

static const struct cr_key tls[] = {
    KEY("caFile", TEXT(filled), REQUIRED),
    {0},
};

/* Is the host of |url| this machine? */
static bool is_loopback(const char *url)
{
    const char *host = strstr(url, "://") + 3;
    size_t len = strcspn(host, ":/?");

    return strncmp(host, "127.", 4) == 0 || strncmp(host, "[::1]", 5) == 0 ||
           (len >= 9 && strncasecmp(host + len - 9, "localhost", 9) == 0 &&
            (len == 9 || host[len - 10] == '.'));
}

static const char *doubt_url(const char *url)
{
    return strncmp(url, "http://", 7) != 0 || is_loopback(url)
               ? NULL
               : "is not https: others may read and change what is sent, headers included";
}

static const struct cr_key server_keys[] = {
    KEY("command", TEXT(filled)),
    KEY("args", LIST(&any_text), ONLY_WITH("command")),
    KEY("env", MAP(environment, &any_text), ONLY_WITH("command")),
    KEY("cwd", TEXT(filled), ONLY_WITH("command")),
    KEY("url", TEXT(server_url), .doubt = doubt_url),
    KEY("headers", &own_headers, ONLY_WITH("url")),
    KEY("tls", OBJECT(tls), ONLY_WITH("url")),
    KEY("proxy", TEXT(server_url), ONLY_WITH("url")),
    KEY("era", TEXT(era)),
    KEY("maxConcurrent", NUMBER(1, MAX_AT_ONCE)),
    KEY("idempotent", &action_globs),
    {0},
};

static const struct cr_shape server = {
    .form = CR_FORM_OBJECT, .keys = server_keys, .lenient = true, .one_of = {"command", "url"}};
static const struct cr_shape servers = {.form = CR_FORM_MAP,
                                        .text = &cr_text_namespace,
                                        .each = &server,
                                        .max = CR_KEYS_MAX_SERVERS,
                                        .unlike = true};

static const struct cr_key cloud[] = {
    KEY("url", TEXT(url), REQUIRED),
    KEY("headers", &headers),
    {0},
};

static const struct cr_key routing[] = {
    KEY("server", &patterns),
    KEY("cloud", OBJECT(cloud)),
    {0},
};

static const struct cr_shape choices = {.form = CR_FORM_LIST, .each = &any, .filled = true};

static const struct cr_key predicates[] = {
    KEY("equals", &any),        KEY("in", &choices),     KEY("glob", &any_text),
    KEY("under", TEXT(filled)), KEY("host", TEXT(host)), KEY("min", &real),
    KEY("max", &real),          KEY("absent", &flag),    {0},
};

static const struct cr_shape predicate = {
    .form = CR_FORM_OBJECT, .keys = predicates, .filled = true};
static const struct cr_shape conditions = {
    .form = CR_FORM_MAP, .text = &cr_text_pointer, .each = &predicate, .filled = true};

static const struct cr_key rate[] = {
    KEY("calls", NUMBER(1, MAX_CALLS), REQUIRED),
    KEY("perMs", NUMBER(1, CR_UNITS_MAX_MS), REQUIRED),
    {0},
};

static const struct cr_key remembered[] = {
    KEY("at", TEXT(filled), REQUIRED),      KEY("by", TEXT(filled), REQUIRED),
    KEY("pin", TEXT(hash), REQUIRED),       KEY("toolPin", TEXT(hash), REQUIRED),
    KEY("serverPin", TEXT(hash), REQUIRED), {0},
};

static const struct cr_key rule[] = {
    KEY("id", TEXT(id)),
    KEY("for", TEXT(caller)),
    KEY("tool", TEXT(pattern), REQUIRED),
    KEY("when", &conditions),
    KEY("maxCalls", NUMBER(1, MAX_CALLS)),
    KEY("rate", OBJECT(rate)),
    KEY("then", TEXT(then), REQUIRED),
    KEY("remembered", OBJECT(remembered)),
    {0},
};

static const struct cr_shape rules = {
    .form = CR_FORM_LIST, .each = OBJECT(rule), .max = MAX_RULES, .unique = "id"};

static const struct cr_key permissions[] = {
    KEY("allow", &patterns),
    KEY("ask", &patterns),
    KEY("deny", &patterns),
    KEY("rules", &rules),
    {0},
};

static const struct cr_key limits[] = {
    KEY("timeoutMs", NUMBER(0, CR_UNITS_MAX_MS), TO(limits.timeout_ms)),
    KEY("cpuMs", NUMBER(0, CR_UNITS_MAX_MS), TO(limits.cpu_ms)),
    KEY("rpcTimeoutMs", NUMBER(0, CR_UNITS_MAX_MS), TO(limits.rpc_timeout_ms)),
    KEY("memoryMB", NUMBER(0, MAX_MEMORY_MB), TO(limits.memory_mb)),
    KEY("resultBytes", NUMBER(0, MAX_RESULT_BYTES), TO(limits.result_bytes)),
    KEY("logBytes", NUMBER(0, MAX_LOG_BYTES), TO(limits.log_bytes)),
    KEY("maxCalls", NUMBER(0, MAX_CALLS), TO(limits.max_calls)),
    KEY("maxConcurrentCalls", NUMBER(0, MAX_AT_ONCE), TO(limits.max_concurrent_calls)),
    KEY("maxDepth", NUMBER(0, MAX_DEPTH), TO(limits.max_depth)),
    {0},
};

static const struct cr_key pool[] = {
    KEY("warm", NUMBER(0, MAX_WORKERS), TO(warm)),
    KEY("maxWorkers", NUMBER(0, MAX_WORKERS), TO(max_workers)),
    KEY("maxMemoryMB", NUMBER(0, MAX_POOL_MB), TO(max_memory_mb)),
    {0},
};

static const struct cr_shape uids = {
    .form = CR_FORM_NUMBER, .min = MIN_UID, .max = MAX_UID, .or_zero = true};

static const struct cr_key sandbox[] = {
    KEY("requireAllLayers", &flag, TO(require_all_layers)),
    KEY("freshProgram", &flag, TO(fresh_program)),
    KEY("uidBase", &uids, TO(uid_base)),
    {0},
};

static const struct cr_key record_limits[] = {
    KEY("runMB", NUMBER(0, MAX_RECORD_MB), TO(record_run_mb)),
    KEY("totalMB", NUMBER(0, MAX_POOL_MB), TO(record_total_mb)),
    KEY("days", NUMBER(0, MAX_DAYS), TO(record_days)),
    {0},
};

static const struct cr_key approvals[] = {
    KEY("timeoutMs", NUMBER(0, CR_UNITS_MAX_MS), TO(approval_ms)),
    KEY("scripts", &flag, TO(scripts_approve), .users_only = true),
    {0},
};

static const struct cr_key audit_keys[] = {
    KEY("file", TEXT(filled)),
    KEY("args", &flag),
    KEY("off", &flag),
    {0},
};

static const struct cr_shape audit = {
    .form = CR_FORM_TEXT, .text = &cr_text_filled, .keys = audit_keys};

static const struct cr_key file[] = {
    KEY("$schema", &any_text),
    KEY("registries", LIST(&registry)),
    KEY("mcpServers", &servers),
    KEY("routing", OBJECT(routing), LATER),
    KEY("permissions", OBJECT(permissions)),
    KEY("onDenied", TEXT(on_denied)),
    KEY("env", MAP(four_parts, &variables)),
    KEY("limits", OBJECT(limits)),
    KEY("pool", OBJECT(pool)),
    KEY("sandbox", OBJECT(sandbox)),
    KEY("record", TEXT(record)),
    KEY("recordLimits", OBJECT(record_limits)),
    KEY("approvals", OBJECT(approvals)),
    KEY("audit", &audit),
    {0},
};

const struct cr_shape cr_keys_file = {.form = CR_FORM_OBJECT, .keys = file};
