/* head.c - writes and reads the first line of a journal. */
#include "journal/head.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/date.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/locate.h"
#include "journal/fields.h"
#include "journal/line.h"
#include "journal/record.h"
#include "run/run.h"
#include "versions.h"

_Static_assert(CR_HEAD_SEED == WIRE_SEED_MATH + WIRE_SEED_CRYPTO, "the seed of a job");

const char cr_record_engine[] = CR_VERSIONS_ENGINE, cr_record_prelude[] = CR_VERSIONS_PRELUDE;

/* The critical fields of version 2. */
static const char head_fields[] =
    "journal run time caprun engine prelude boot origin originBlob originBytes limits onDenied "
    "tools env envKey seed codeName wording language code codeBlob codeBytes schema schemaBlob "
    "schemaBytes "
    "args "
    "argsBlob argsBytes";
static const char limit_fields[] = "timeoutMs cpuMs rpcTimeoutMs memoryBytes resultBytes logBytes "
                                   "maxCalls maxConcurrentCalls";

/* --- writing -------------------------------------------------------------------------------- */

static void add_time(struct cr_line *line)
{
    struct timespec now;
    struct cr_date date;
    int second; /* of the day */
    char text[80];

    (void)clock_gettime(CLOCK_REALTIME, &now);
    date = cr_date_from_days(now.tv_sec / 86400);
    second = (int)(now.tv_sec % 86400);
    (void)snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", date.year,
                   date.month, date.day, second / 3600, second / 60 % 60, second % 60,
                   now.tv_nsec / 1000000);
    cr_line_text(line, "time", text, strlen(text));
}

static void add_hex(struct cr_buf *out, const char *name, const uint8_t *bytes, size_t len)
{
    cr_buf_fmt(out, ",\"%s\":\"", name);
    for (size_t i = 0; i < len; i++)
        cr_buf_fmt(out, "%02x", bytes[i]);
    cr_buf_str(out, "\"");
}

void cr_head_add_limits(struct cr_buf *out, const struct cr_run_limits *l)
{
    cr_buf_fmt(out,
               ",\"limits\":{\"timeoutMs\":%u,\"cpuMs\":%u,\"rpcTimeoutMs\":%u,"
               "\"memoryBytes\":%llu,\"resultBytes\":%u,\"logBytes\":%u,\"maxCalls\":%u,"
               "\"maxConcurrentCalls\":%u}",
               l->wall_ms, l->cpu_ms, l->call_ms, (unsigned long long)l->memory,
               l->most.result_bytes, l->most.log_bytes, l->most.calls, l->most.calls_at_once);
}

static void add_tools(struct cr_buf *out, const struct cr_tool_list *tools)
{
    const char *first = cr_tool_list_next(tools, NULL);

    if (!tools->is_set)
        return;
    cr_buf_str(out, ",\"tools\":[");
    for (const char *name = first; name; name = cr_tool_list_next(tools, name)) {
        cr_buf_str(out, name == first ? "" : ",");
        cr_escape_json_str(out, name);
    }
    cr_buf_str(out, "]");
}

void cr_record_env_hash(const uint8_t key[CR_HASH_BYTES], const char *name, const char *value,
                        char ret[CR_HASH_DIGITS + 1])
{
    uint8_t of_value[CR_HASH_BYTES], both[2 * CR_HASH_BYTES], hash[CR_HASH_BYTES];

    cr_hash_take(name, strlen(name), both);
    cr_hash_take(value, strlen(value), of_value);
    memcpy(both + CR_HASH_BYTES, of_value, CR_HASH_BYTES);
    cr_hash_keyed(key, both, sizeof(both), hash);
    cr_hash_show(hash, ret);
}

void cr_record_key_name(const uint8_t key[CR_HASH_BYTES], char ret[CR_HASH_DIGITS + 1])
{
    uint8_t hash[CR_HASH_BYTES];

    cr_hash_keyed(key, "name", 4, hash);
    cr_hash_show(hash, ret);
    ret[16] = '\0';
}

/* Writes names and keyed hashes: without the key, a hash says nothing about the value. */
static void add_env(struct cr_line *line, const struct cr_spec *spec, const uint8_t *key)
{
    struct cr_json_doc doc = {0};
    char digits[CR_HASH_DIGITS + 1] = "";

    if (!spec->env.len)
        return;
    if (cr_json_parse(spec->env.data, spec->env.len, &doc, NULL) < 0) {
        line->text->err = CAPRUN_E_NOMEM; /* the env was parsed before, so it is valid */
        return;
    }
    cr_buf_str(line->text, ",\"env\":{");
    for (const struct cJSON *v = cr_json_first(doc.root); v; v = cr_json_next(v)) {
        if (key)
            cr_record_env_hash(key, cr_json_key(v), cr_json_text(v), digits);
        cr_buf_str(line->text, v == cr_json_first(doc.root) ? "" : ",");
        cr_escape_json_str(line->text, cr_json_key(v));
        cr_buf_fmt(line->text, ":\"%s\"", digits);
    }
    cr_buf_str(line->text, "}");
    if (key) {
        cr_record_key_name(key, digits);
        cr_line_text(line, "envKey", digits, strlen(digits));
    }
    cr_json_clear(&doc);
}

void cr_head_write(struct cr_line *line, const struct cr_spec *spec, const uint8_t *key,
                   const char *file)
{
    struct cr_buf *out = line->text;
    char boot[CR_RECORD_MARK];

    cr_record_boot(boot);
    cr_buf_fmt(out, "{\"journal\":%d,\"run\":\"%s\"", CR_HEAD_VERSION, spec->id);
    add_time(line);
    cr_buf_fmt(out, ",\"caprun\":\"%s\",\"engine\":\"%s\",\"prelude\":\"%s\",\"boot\":\"%s\"",
               CAPRUN_VERSION, cr_record_engine, cr_record_prelude, boot);
    if (spec->origin.len)
        cr_line_json(line, "origin", spec->origin.data, spec->origin.len);
    cr_head_add_limits(out, &spec->limits);
    cr_buf_fmt(out, ",\"onDenied\":\"%s\"", spec->stop_when_denied ? "stop" : "continue");
    add_tools(out, &spec->tools);
    add_env(line, spec, key);
    add_hex(out, "seed", spec->seed, sizeof(spec->seed));
    cr_line_text(line, "codeName", spec->code_name, strlen(spec->code_name));
    if (spec->wording)
        cr_buf_fmt(out, ",\"wording\":%u", spec->wording);
    if (spec->language)
        cr_buf_fmt(out, ",\"language\":%u", spec->language);
    cr_line_long_text(line, "code", (const char *)spec->code.data, spec->code.len);
    if (spec->schema.len)
        cr_line_json(line, "schema", spec->schema.data, spec->schema.len);
    cr_line_json(line, "args", spec->args.data, spec->args.len);
    cr_line_text(line, CR_HEAD_FILE, file, strlen(file));
}

/* --- reading -------------------------------------------------------------------------------- */

static int reject_field(struct cr_err *err, const char *name)
{
    (void)cr_err_set(err, CAPRUN_E_INVAL, "\"%s\" is missing, or is not what it should be", name);
    return CAPRUN_E_INVAL;
}

static int take_text(const struct cJSON *root, const char *name, const char **ret,
                     struct cr_err *err)
{
    const struct cJSON *value = cr_json_get(root, name);

    if (!value || cr_json_type(value) != CR_JSON_STRING)
        return reject_field(err, name);
    *ret = cr_json_text(value);
    return 0;
}

static int take_number(const struct cJSON *object, const char *name, uint64_t least, uint64_t most,
                       uint64_t *ret, struct cr_err *err)
{
    const struct cJSON *value = cr_json_get(object, name);

    if (!value || cr_json_number(value, most, ret) < 0 || *ret < least)
        return reject_field(err, name);
    return 0;
}

static int check_fields(const char *json, size_t len, const char *known, struct cr_err *err)
{
    size_t critical;

    return cr_fields_check(json, len, known, &critical, err);
}

int cr_head_read_limits(const char *json, size_t len, const struct cJSON *l, struct cr_head *ret,
                        struct cr_err *err)
{
    if (cr_json_type(l) != CR_JSON_OBJECT)
        return reject_field(err, "limits");
    if (ret->version > 1 && check_fields(json, len, limit_fields, err) < 0)
        return CAPRUN_E_INVAL;
    if (take_number(l, "timeoutMs", 1, LIMIT_MAX_MS, &ret->timeout_ms, err) < 0 ||
        take_number(l, "cpuMs", 1, LIMIT_MAX_MS, &ret->cpu_ms, err) < 0 ||
        take_number(l, "rpcTimeoutMs", 1, LIMIT_MAX_MS, &ret->rpc_timeout_ms, err) < 0 ||
        take_number(l, "memoryBytes", 1, LIMIT_MAX_MEMORY_BYTES, &ret->memory, err) < 0 ||
        take_number(l, "resultBytes", 1, LIMIT_MAX_RESULT_BYTES, &ret->result_bytes, err) < 0 ||
        take_number(l, "logBytes", 1, LIMIT_MAX_LOG_BYTES, &ret->log_bytes, err) < 0 ||
        take_number(l, "maxCalls", 1, LIMIT_MAX_CALLS, &ret->max_calls, err) < 0)
        return CAPRUN_E_INVAL;
    return take_number(l, "maxConcurrentCalls", 1, LIMIT_MAX_CALLS_AT_ONCE, &ret->max_calls_at_once,
                       err);
}

static int take_limits(const char *text, size_t len, const struct cJSON *root, struct cr_head *ret,
                       struct cr_err *err)
{
    size_t limits_len = 0;
    const char *limits = cr_locate_member(text, len, "limits", &limits_len);

    if (!limits)
        return reject_field(err, "limits");
    return cr_head_read_limits(limits, limits_len, cr_json_get(root, "limits"), ret, err);
}

/* The name appears in stacks: it must be one line, and short enough for a worker. */
static int take_code_name(const struct cJSON *root, struct cr_head *ret, struct cr_err *err)
{
    size_t len;

    ret->code_name = NULL;
    if (ret->version == 1)
        return 0;
    if (take_text(root, "codeName", &ret->code_name, err) < 0)
        return CAPRUN_E_INVAL;
    len = strlen(ret->code_name);
    for (size_t i = 0; i < len; i++)
        if ((uint8_t)ret->code_name[i] < ' ' || ret->code_name[i] == 0x7f)
            return reject_field(err, "codeName");
    return len && len <= WIRE_NAME_MAX ? 0 : reject_field(err, "codeName");
}

/* A journal without the field has the engine's own words, as all had before there was a choice. */
static int take_wording(const struct cJSON *root, struct cr_head *ret, struct cr_err *err)
{
    ret->wording = WIRE_WORDING_ENGINE;
    if (ret->version == 1 || !cr_json_get(root, "wording"))
        return 0;
    return take_number(root, "wording", WIRE_WORDING_V8, WIRE_WORDING_V8, &ret->wording, err);
}

/* A journal without the field is of code that had to be JavaScript. */
static int take_language(const struct cJSON *root, struct cr_head *ret, struct cr_err *err)
{
    ret->language = WIRE_LANGUAGE_JAVASCRIPT;
    if (ret->version == 1 || !cr_json_get(root, "language"))
        return 0;
    return take_number(root, "language", WIRE_LANGUAGE_AUTO, WIRE_LANGUAGE_TYPESCRIPT,
                       &ret->language, err);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int take_seed(const struct cJSON *root, struct cr_head *ret, struct cr_err *err)
{
    const char *text = "";

    if (take_text(root, "seed", &text, err) < 0 || strlen(text) != 2 * sizeof(ret->seed))
        return reject_field(err, "seed");
    for (size_t i = 0; i < sizeof(ret->seed); i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return reject_field(err, "seed");
        ret->seed[i] = (uint8_t)(high << 4 | low);
    }
    return 0;
}

static bool is_hash(const char *text)
{
    return strlen(text) == CR_HASH_DIGITS && strspn(text, "0123456789abcdef") == CR_HASH_DIGITS;
}

/* Reads a value, which may be a blob, or missing. */
static int take_value(const struct cJSON *root, const char *name, uint64_t most,
                      const struct cJSON **ret, const char **ret_blob, uint64_t *ret_bytes,
                      struct cr_err *err)
{
    char blob[32], bytes[32];

    *ret = cr_json_get(root, name);
    *ret_blob = NULL;
    (void)snprintf(blob, sizeof(blob), "%sBlob", name);
    (void)snprintf(bytes, sizeof(bytes), "%sBytes", name);
    if (*ret || !cr_json_get(root, blob))
        return 0;
    if (take_text(root, blob, ret_blob, err) < 0 || !is_hash(*ret_blob))
        return reject_field(err, blob);
    return take_number(root, bytes, 1, most, ret_bytes, err);
}

/* Returns whether a value is in the header and in a blob. */
static bool has_both(const struct cJSON *root)
{
    return (cr_json_get(root, "code") && cr_json_get(root, "codeBlob")) ||
           (cr_json_get(root, "args") && cr_json_get(root, "argsBlob")) ||
           (cr_json_get(root, "schema") && cr_json_get(root, "schemaBlob"));
}

/* Returns whether |value| is of |type|, array or object, and has only strings. */
static bool holds_texts(const struct cJSON *value, enum cr_json_type type)
{
    if (cr_json_type(value) != type)
        return false;
    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v))
        if (cr_json_type(v) != CR_JSON_STRING)
            return false;
    return true;
}

static int take_lists(const struct cJSON *root, struct cr_head *ret, struct cr_err *err)
{
    ret->origin = cr_json_get(root, "origin");
    ret->tools = cr_json_get(root, "tools");
    ret->env = cr_json_get(root, "env");
    ret->env_key = "";
    if (ret->origin && cr_json_type(ret->origin) != CR_JSON_OBJECT)
        return reject_field(err, "origin");
    if (ret->tools && !holds_texts(ret->tools, CR_JSON_ARRAY))
        return reject_field(err, "tools");
    if (ret->env && !holds_texts(ret->env, CR_JSON_OBJECT))
        return reject_field(err, "env");
    if (cr_json_get(root, "envKey"))
        return take_text(root, "envKey", &ret->env_key, err);
    return 0;
}

int cr_head_read_version(const struct cJSON *root, struct cr_head *ret, struct cr_err *err)
{
    const struct cJSON *version = cr_json_get(root, "journal");
    uint64_t number;

    if (!version || cr_json_number(version, UINT32_MAX, &number) < 0)
        return cr_err_set(err, CAPRUN_E_INVAL, "it is not a journal of caprun");
    if (number < 1 || number > CR_HEAD_VERSION)
        return cr_err_set(err, CAPRUN_E_INVAL,
                          "it is a journal of version %llu, and this caprun (%s) reads versions 1 "
                          "to %d",
                          (unsigned long long)number, CAPRUN_VERSION, CR_HEAD_VERSION);
    ret->version = (unsigned)number;
    return 0;
}

int cr_head_read(const char *text, size_t len, const struct cJSON *root, struct cr_head *ret,
                 struct cr_err *err)
{
    const struct cJSON *code;
    const char *denied = "";

    ret->code = ret->file = NULL;
    if ((ret->version > 1 && check_fields(text, len, head_fields, err) < 0) ||
        take_text(root, "run", &ret->run, err) < 0 ||
        take_text(root, "time", &ret->time, err) < 0 ||
        take_text(root, "caprun", &ret->caprun, err) < 0 ||
        take_text(root, "engine", &ret->engine, err) < 0 ||
        take_text(root, "prelude", &ret->prelude, err) < 0 ||
        take_text(root, "boot", &ret->boot, err) < 0 ||
        take_value(root, "code", LIMIT_CODE_BYTES, &code, &ret->code_blob, &ret->code_bytes, err) <
            0 ||
        (!ret->code_blob && take_text(root, "code", &ret->code, err) < 0) ||
        take_text(root, "onDenied", &denied, err) < 0 || take_lists(root, ret, err) < 0 ||
        take_limits(text, len, root, ret, err) < 0 || take_code_name(root, ret, err) < 0 ||
        take_wording(root, ret, err) < 0 || take_language(root, ret, err) < 0 ||
        take_seed(root, ret, err) < 0 ||
        take_value(root, "args", LIMIT_ARGS_BYTES, &ret->args, &ret->args_blob, &ret->args_bytes,
                   err) < 0 ||
        take_value(root, "schema", LIMIT_SCHEMA_BYTES, &ret->schema, &ret->schema_blob,
                   &ret->schema_bytes, err) < 0)
        return CAPRUN_E_INVAL;
    if (cr_json_get(root, CR_HEAD_FILE) && take_text(root, CR_HEAD_FILE, &ret->file, err) < 0)
        return CAPRUN_E_INVAL;
    if (!ret->args && !ret->args_blob)
        return reject_field(err, "args");
    if (strlen(ret->run) != 36 || strspn(ret->run, "0123456789abcdef-") != 36)
        return reject_field(err, "run");
    ret->stop_when_denied = strcmp(denied, "stop") == 0;
    if (ret->version > 1 && !ret->stop_when_denied && strcmp(denied, "continue") != 0)
        return reject_field(err, "onDenied");
    if (ret->version > 1 && has_both(root))
        return cr_err_set(err, CAPRUN_E_INVAL, "a value is there twice");
    return 0;
}
