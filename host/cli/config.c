/*
 * config.c - `caprun config`: prints each setting with its value and its source.
 *
 * No secret is printed. ${NAME} is shown as written. Any other value in "env" or "headers" is shown
 * as "(set)", and so are the user and the query of a URL.
 */
#include "cli/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/settings.h"
#include "registry/lockfile.h"

#define MIB (1024u * 1024)
#define HIDDEN "(set)"

/* A place in a file that was looked up last: the next one is mostly near. */
struct near {
    size_t at, line;
};

struct listing {
    const struct cr_config *config;
    const struct cr_options *options;
    struct cr_report report;
    struct near project, user;
};

static size_t line_of(struct near *near, const char *bytes, size_t at)
{
    while (near->at < at)
        near->line += bytes[near->at++] == '\n';
    while (near->at > at)
        near->line -= bytes[--near->at] == '\n';
    return near->line;
}

/* Appends "FILE:LINE" of |where|, which is in |file|. */
static void add_source(struct listing *l, struct cr_buf *out, const struct cr_config *file,
                       const struct cJSON *where)
{
    cr_buf_fmt(out, "%s:%zu", file->path,
               line_of(file->is_users ? &l->user : &l->project, file->doc.bytes,
                       cr_json_place_of(&file->doc, where).key_at));
}

/* Reports a setting of |file|, at |where|. Frees |value|. */
static void list_written(struct listing *l, const char *name, struct cr_buf *value,
                         const struct cr_config *file, const struct cJSON *where)
{
    cr_autobuf struct cr_buf source = CR_BUF(CR_REPORT_MAX);
    const char *text;

    add_source(l, &source, file, where);
    text = cr_buf_text(&source);
    cr_report_add(&l->report, name, value, text ? text : "", NULL);
}

/* --- values without secrets --------------------------------------------------------------- */

/* Is |text| ${NAME} and nothing else? */
static bool is_reference(const char *text)
{
    return strncmp(text, "${", 2) == 0 && text[strcspn(text, "}")] && !text[strcspn(text, "}") + 1];
}

/* Appends a URL without the parts that may be secret. */
static void add_url(struct cr_buf *out, const char *url)
{
    const char *host = strstr(url, "://") + 3, *at = memrchr(host, '@', strcspn(host, "/?#"));
    struct cr_buf shown;
    size_t len;

    cr_buf_init(&shown, CR_REPORT_MAX);
    if (at) {
        cr_buf_add(&shown, url, (size_t)(host - url));
        cr_buf_str(&shown, HIDDEN);
        url = at;
    }
    len = strcspn(url, "?");
    cr_buf_add(&shown, url, len);
    cr_buf_str(&shown, url[len] ? "?" HIDDEN : "");
    cr_escape_json(out, shown.data ? (const char *)shown.data : "", shown.len);
    cr_buf_clear(&shown);
}

static void add_place(struct cr_buf *out, const char *dir, const char *place)
{
    char *path;

    if (strstr(place, "://")) {
        add_url(out, place);
    } else if (strstr(place, "${")) {
        cr_escape_json_str(out, place);
    } else {
        path = cr_config_locate(dir, place);
        cr_escape_json_str(out, path ? path : place);
        free(path);
    }
}

static void add_secrets(struct cr_buf *out, const struct cJSON *map)
{
    cr_buf_str(out, "{");
    for (const struct cJSON *v = cr_json_first(map); v; v = cr_json_next(v)) {
        cr_escape_json_str(out, cr_json_key(v));
        cr_buf_str(out, ":");
        cr_escape_json_str(out, is_reference(cr_json_text(v)) ? cr_json_text(v) : HIDDEN);
        cr_buf_str(out, cr_json_next(v) ? "," : "");
    }
    cr_buf_str(out, "}");
}

static bool is_secret(const struct cJSON *value)
{
    return cr_json_type(value) == CR_JSON_OBJECT &&
           (strcmp(cr_json_key(value), "env") == 0 || strcmp(cr_json_key(value), "headers") == 0);
}

static bool is_place(const struct cJSON *value)
{
    return strcmp(cr_json_key(value), "url") == 0 || strcmp(cr_json_key(value), "proxy") == 0 ||
           strcmp(cr_json_key(value), "cwd") == 0 || strcmp(cr_json_key(value), "audit") == 0;
}

static void list_value(struct listing *l, const char *name, const struct cr_config *file,
                       const struct cJSON *value)
{
    struct cr_buf out;

    cr_buf_init(&out, CR_REPORT_MAX);
    if (is_secret(value))
        add_secrets(&out, value);
    else if (is_place(value) && cr_json_type(value) == CR_JSON_STRING)
        add_place(&out, file->dir, cr_json_text(value));
    else
        cr_json_canonical(&out, value);
    list_written(l, name, &out, file, value);
}

static void list_default(struct listing *l, const char *name, const char *value, const char *note)
{
    struct cr_buf out;

    cr_buf_init(&out, CR_REPORT_MAX);
    cr_buf_str(&out, value);
    cr_report_add(&l->report, name, &out, "default", note);
}

/* --- the table of settings ---------------------------------------------------------------- */

static const struct setting {
    const char *object, *key; /* in the file; the object may be NULL */
    const char *option;       /* that overrides the file, or NULL */
    size_t given;             /* where the option's value is in struct cr_options */
    const char *value;        /* the default, as JSON */
    const char *note;         /* about the default */
} settings[] = {
    {NULL, "onDenied", NULL, 0, "\"continue\"", NULL},
    {"permissions", "allow", NULL, 0, "[]", NULL},
    {"permissions", "ask", NULL, 0, "[]", " (and all calls that match nothing)"},
    {"permissions", "deny", NULL, 0, "[]", NULL},
    {"permissions", "rules", NULL, 0, "[]", NULL},
    {"routing", "server", NULL, 0, "[]", NULL},
    {"limits", "timeoutMs", "--timeout", offsetof(struct cr_options, timeout_ms), "300000",
     " (exec, call: 30000)"},
    {"limits", "cpuMs", "--cpu", offsetof(struct cr_options, cpu_ms), "null", " (as timeoutMs)"},
    {"limits", "rpcTimeoutMs", "--rpc-timeout", offsetof(struct cr_options, rpc_timeout_ms),
     "30000", NULL},
    {"limits", "memoryMB", "--memory", offsetof(struct cr_options, memory), "512", NULL},
    {"limits", "resultBytes", NULL, 0, "16777216", NULL},
    {"limits", "logBytes", NULL, 0, "1048576", NULL},
    {"limits", "maxCalls", NULL, 0, "10000", NULL},
    {"limits", "maxConcurrentCalls", NULL, 0, "256", NULL},
    {"limits", "maxDepth", NULL, 0, "8", NULL},
    {"pool", "warm", NULL, 0, "null", " (8 a processor, 64 at most)"},
    {"pool", "maxWorkers", NULL, 0, "256", NULL},
    {"pool", "maxMemoryMB", NULL, 0, "null", " (memoryMB for each of maxWorkers)"},
    {"sandbox", "requireAllLayers", NULL, 0, "false", NULL},
    {"sandbox", "freshProgram", NULL, 0, "false", NULL},
    {"sandbox", "uidBase", NULL, 0, "null", NULL},
    {NULL, "record", NULL, 0, "\"all\"", NULL},
    {"recordLimits", "runMB", NULL, 0, "64", NULL},
    {"recordLimits", "totalMB", NULL, 0, "1024", NULL},
    {"recordLimits", "days", NULL, 0, "30", NULL},
    {"approvals", "timeoutMs", NULL, 0, "null", " (no limit)"},
    {"approvals", "scripts", NULL, 0, "false", NULL},
    {NULL, "audit", NULL, 0, "null", " (audit.jsonl in the state directory)"},
};

/* Appends bytes as MiB, exactly: sizes are written in KiB or more, and 1/1024 has ten decimals. */
static void add_mib(struct cr_buf *out, uint64_t bytes)
{
    uint64_t parts = bytes % MIB * 10000000000u / MIB;
    char digits[16];
    int len = snprintf(digits, sizeof(digits), ".%010" PRIu64, parts);

    while (len > 1 && digits[len - 1] == '0')
        len--;
    cr_buf_fmt(out, "%" PRIu64 "%.*s", bytes / MIB, len > 1 ? len : 0, digits);
}

static void list_option(struct listing *l, const struct setting *s, const char *name,
                        uint64_t given)
{
    struct cr_buf out;

    cr_buf_init(&out, CR_REPORT_MAX);
    if (strcmp(s->option, "--memory") == 0)
        add_mib(&out, given);
    else
        cr_buf_fmt(&out, "%" PRIu64, given);
    cr_report_add(&l->report, name, &out, s->option, NULL);
}

/*
 * The patterns of both files hold. Returns false if at most one file has the list |key|: then it is
 * reported like any setting.
 */
static bool list_both(struct listing *l, const char *name, const char *key)
{
    const struct cr_config *c = l->config, *user = c->user;
    const struct cJSON *mine = cr_json_get(cr_json_get(c->doc.root, "permissions"), key);
    const struct cJSON *users =
        user ? cr_json_get(cr_json_get(user->doc.root, "permissions"), key) : NULL;
    cr_autobuf struct cr_buf source = CR_BUF(CR_REPORT_MAX), more = CR_BUF(CR_REPORT_MAX);
    struct cr_buf value;

    if (!mine || !users)
        return false;
    cr_buf_init(&value, CR_REPORT_MAX);
    cr_json_canonical(&value, mine);
    cr_json_canonical(&more, users);
    if (cr_json_count(mine) && cr_json_count(users)) {
        value.len -= value.len > 0; /* the "]" */
        cr_buf_str(&value, ",");
        cr_buf_add(&value, more.data + 1, more.len ? more.len - 1 : 0);
    } else if (cr_json_count(users)) {
        value.len = 0;
        cr_buf_add(&value, more.data, more.len);
    }
    add_source(l, &source, c, mine);
    cr_buf_str(&source, ", ");
    add_source(l, &source, user, users);
    cr_report_add(&l->report, name, &value, cr_buf_text(&source) ? cr_buf_text(&source) : "", NULL);
    return true;
}

static void list_setting(struct listing *l, const struct setting *s)
{
    const struct cJSON *value = NULL;
    const struct cr_config *file = cr_config_find(l->config, s->object, s->key, &value);
    uint64_t given = 0;
    char name[64];

    if (s->option)
        memcpy(&given, (const char *)l->options + s->given, sizeof(given));
    (void)snprintf(name, sizeof(name), "%s%s%s", s->object ? s->object : "", s->object ? "." : "",
                   s->key);
    if (given)
        list_option(l, s, name, given);
    else if (s->object && strcmp(s->object, "permissions") == 0 && list_both(l, name, s->key))
        return;
    else if (file &&
             !(cr_json_type(value) == CR_JSON_NUMBER && strcmp(cr_json_text(value), "0") == 0))
        list_value(l, name, file, value);
    else
        list_default(l, name, s->value, s->note);
}

/* Appends a registry: as written, if |v| is set; a registry that is developed is an object. */
static void add_registry(struct listing *l, struct cr_buf *out, const char *dir,
                         const struct cJSON *v, size_t i)
{
    const struct cJSON *path = v && cr_json_type(v) == CR_JSON_OBJECT ? cr_json_get(v, "path") : v;

    cr_buf_str(out, l->config->registry_dev[i] ? "{\"path\":" : "");
    add_place(out, dir, path ? cr_json_text(path) : l->config->registries[i]);
    cr_buf_str(out, l->config->registry_dev[i] ? ",\"dev\":true}" : "");
}

/* Registries of the command line have replaced those of the file. */
static void list_registries(struct listing *l)
{
    const struct cJSON *list = NULL;
    const struct cr_config *file = cr_config_find(l->config, NULL, "registries", &list);
    const struct cJSON *v = list && !l->options->registry_count ? cr_json_first(list) : NULL;
    struct cr_buf out;

    cr_buf_init(&out, CR_REPORT_MAX);
    cr_buf_str(&out, "[");
    for (size_t i = 0; i < l->config->registry_count; i++) {
        cr_buf_str(&out, i ? "," : "");
        add_registry(l, &out, file ? file->dir : "", v, i);
        v = v ? cr_json_next(v) : NULL;
    }
    cr_buf_str(&out, "]");
    if (l->options->registry_count)
        cr_report_add(&l->report, "registries", &out, "--registry", NULL);
    else if (file)
        list_written(l, "registries", &out, file, list);
    else
        cr_report_add(&l->report, "registries", &out, "default", NULL);
}

/* Returns "mcpServers.files.era", to be freed; NULL without memory, and the report notes it. */
static char *join_name(struct listing *l, const char *object, const char *name, const char *key)
{
    char *made;

    if (asprintf(&made, "%s.%s%s%s", object, name, *key ? "." : "", key) >= 0)
        return made;
    l->report.text.err = CAPRUN_E_NOMEM;
    return NULL;
}

static void list_server(struct listing *l, const struct cr_config *file, const struct cJSON *server)
{
    static const struct {
        const char *key, *value; /* the default, as JSON, or NULL */
    } keys[] = {{"command", NULL},   {"args", NULL},          {"env", NULL},       {"cwd", NULL},
                {"url", NULL},       {"headers", NULL},       {"tls", NULL},       {"proxy", NULL},
                {"era", "\"auto\""}, {"maxConcurrent", "64"}, {"idempotent", NULL}};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct cJSON *value = cr_json_get(server, keys[i].key);
        cr_autofree char *name = join_name(l, "mcpServers", cr_json_key(server), keys[i].key);

        if (name && value)
            list_value(l, name, file, value);
        else if (name && keys[i].value)
            list_default(l, name, keys[i].value, NULL);
    }
}

/* Reports what holds of |object|, in which each name is a setting, in |file|. */
static void list_map(struct listing *l, const struct cr_config *file, const char *object,
                     void (*list)(struct listing *l, const struct cr_config *file,
                                  const struct cJSON *value))
{
    const struct cJSON *map = cr_json_get(file->doc.root, object), *found;

    for (const struct cJSON *v = cr_json_first(map); v; v = cr_json_next(v))
        if (cr_config_find(l->config, object, cr_json_key(v), &found) == file)
            list(l, file, v);
}

static void list_grant(struct listing *l, const struct cr_config *file, const struct cJSON *grant)
{
    cr_autofree char *name = join_name(l, "env", cr_json_key(grant), "");

    if (name)
        list_value(l, name, file, grant);
}

static void list_cloud(struct listing *l)
{
    const struct cJSON *cloud = NULL;
    const struct cr_config *file = cr_config_find(l->config, "routing", "cloud", &cloud);

    for (const struct cJSON *v = cr_json_first(cloud); v; v = cr_json_next(v)) {
        cr_autofree char *name = join_name(l, "routing", "cloud", cr_json_key(v));

        if (name)
            list_value(l, name, file, v);
    }
}

static void list_maps(struct listing *l)
{
    for (const struct cr_config *file = l->config; file; file = file->user)
        list_map(l, file, "mcpServers", list_server);
    list_cloud(l);
    for (const struct cr_config *file = l->config; file; file = file->user)
        list_map(l, file, "env", list_grant);
}

static void list_all(struct listing *l)
{
    list_registries(l);
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        list_setting(l, &settings[i]);
    list_maps(l);
}

/* --- the whole report --------------------------------------------------------------------- */

static const char *file_source(const struct listing *l)
{
    if (!l->config->path)
        return "no " CR_CONFIG_NAME " from the working directory upwards";
    if (l->options->config)
        return "--config";
    return cr_settings_file(l->options) ? "CAPRUN_CONFIG" : "found";
}

static const char *trust_of(const struct cr_config *c)
{
    return !c->path ? "" : c->is_plain ? "missing" : c->by_environment ? "environment" : "given";
}

static void list_files(struct listing *l)
{
    const char *path = l->config->path, *dir = l->config->dir, *source = file_source(l);
    char user[PATH_MAX];
    struct cr_buf lock, cache;

    cr_settings_user_file(user);
    cr_buf_init(&lock, CR_REPORT_MAX);
    cr_buf_init(&cache, CR_REPORT_MAX);
    cr_buf_fmt(&lock, "%s/" CR_LOCKFILE_NAME, strcmp(dir, "/") == 0 ? "" : dir);
    cr_settings_cache_dir(&cache);
    if (!cr_buf_text(&lock) || !cr_buf_text(&cache)) {
        l->report.text.err = CAPRUN_E_NOMEM;
    } else {
        cr_report_file(&l->report, "file", path ? path : "", source);
        if (l->report.json) {
            cr_report_file(&l->report, "fileSource", path ? source : "", "");
            cr_report_file(&l->report, "trust", trust_of(l->config), "");
        }
        cr_report_file(&l->report, l->report.json ? "userFile" : "user file",
                       l->config->user ? user : "", l->config->user ? "" : user);
        cr_report_file(&l->report, "lockfile", (const char *)lock.data, "");
        cr_report_file(&l->report, "cache", (const char *)cache.data, "");
    }
    cr_buf_clear(&lock);
    cr_buf_clear(&cache);
}

static int print_settings(const struct cr_config *config, const struct cr_options *o)
{
    struct listing l = {.config = config, .options = o, .project = {0, 1}, .user = {0, 1}};

    cr_report_init(&l.report, o->json);
    list_all(&l);
    l.report.measuring = false;
    list_files(&l);
    list_all(&l);
    return cr_report_end(&l.report);
}

int cr_cli_config(struct caprun_run *run, const struct cr_options *o)
{
    struct cr_config config;
    struct cr_err why;
    int status;

    if (cr_settings_load(o, CR_TRUST_NEED_SHOW, &config, &why) < 0) {
        caprun_reject(run, why.outcome, why.text, why.hint);
        return -1;
    }
    if (!o->quiet)
        cr_settings_warn(&config, o);
    if (!o->quiet && config.is_plain)
        cr_output_note("%s has not been accepted, so it has no effect: caprun trust shows what it "
                       "would do",
                       config.path);
    status = print_settings(&config, o);
    cr_config_clear(&config);
    return status;
}
