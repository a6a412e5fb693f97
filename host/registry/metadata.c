/*
 * metadata.c - checks the fields of metadata, by tables of fields and check functions.
 *
 * The messages are for people who publish capabilities: each names the place as a JSON Pointer, and
 * says what is expected there.
 */
#include "registry/metadata.h"

#include <stdio.h>
#include <string.h>

#include <nettle/base16.h>
#include <nettle/base64.h>

#include "base/escape.h"
#include "registry/when.h"
#include "wire.h"

#define SHOWN_POINTER 300u

struct reader {
    const char *where;
    struct cr_metadata *meta;
    struct cr_err *why;
};

typedef int check_fn(struct reader *r, const struct cJSON *value);

struct field {
    const char *name;
    check_fn *check;
    bool required;
};

/* Escapes untrusted text to one line: a second line could imitate a message of caprun. */
static int refuse_as(const struct reader *r, const struct cJSON *value, const char *words)
{
    struct cr_buf line, shown;

    cr_buf_init(&line, CR_METADATA_MAX);
    cr_buf_init(&shown, sizeof(r->why->text));
    cr_json_pointer(&line, &r->meta->doc, value);
    if (!line.len)
        cr_buf_str(&line, "/");
    cr_escape_terminal(&shown, (const char *)line.data,
                       line.len < SHOWN_POINTER ? line.len : SHOWN_POINTER);
    cr_buf_str(&shown, line.len < SHOWN_POINTER ? ": " : "...: ");
    cr_escape_terminal(&shown, words, strlen(words));
    (void)cr_err_end(r->why, CAPRUN_OUTCOME_METADATA_INVALID,
                     "the metadata has to be corrected where it is published",
                     "the metadata '%s' is not valid: %s", r->where,
                     cr_buf_text(&shown) ? cr_buf_text(&shown) : "a field is wrong");
    cr_buf_clear(&line);
    cr_buf_clear(&shown);
    return CAPRUN_E_INVAL;
}

static int refuse(const struct reader *r, const struct cJSON *value, const char *expected)
{
    char words[1024];

    (void)snprintf(words, sizeof(words), "expected %s, found %s", expected,
                   cr_json_type_name(cr_json_type(value)));
    return refuse_as(r, value, words);
}

static int refuse_text(const struct reader *r, const struct cJSON *value, const char *expected)
{
    char words[1024];

    (void)snprintf(words, sizeof(words), "expected %s, found \"%.200s\"", expected,
                   cr_json_text(value));
    return refuse_as(r, value, words);
}

/* Checks that |value| is an object, and checks its known members. */
static int check_fields(struct reader *r, const struct cJSON *value, const struct field *fields,
                        size_t count)
{
    if (cr_json_type(value) != CR_JSON_OBJECT)
        return refuse(r, value, "an object");
    for (size_t i = 0; i < count; i++) {
        const struct cJSON *member = cr_json_get(value, fields[i].name);
        char words[80];

        if (!member && fields[i].required) {
            (void)snprintf(words, sizeof(words), "\"%s\" is missing", fields[i].name);
            return refuse_as(r, value, words);
        }
        if (member && fields[i].check(r, member) < 0)
            return CAPRUN_E_INVAL;
    }
    return 0;
}

/* Limits args and variables of a server: the loop's thread builds messages that show them all. */
static int check_few(struct reader *r, const struct cJSON *value)
{
    if (cr_json_count(value) > CR_METADATA_MAX_ENV)
        return refuse_as(r, value, "expected 256 of them at most");
    return 0;
}

static int check_each(struct reader *r, const struct cJSON *value, enum cr_json_type type,
                      const char *expected, check_fn *check)
{
    if (cr_json_type(value) != type)
        return refuse(r, value, expected);
    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v))
        if (check(r, v) < 0)
            return CAPRUN_E_INVAL;
    return 0;
}

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words && strcmp(*words, text) != 0)
        words++;
    return *words != NULL;
}

static bool is_variable(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    return strspn(name, letters) > 0 && name[strspn(name, all)] == '\0';
}

/* --- single values ------------------------------------------------------------------------ */

static int check_string(struct reader *r, const struct cJSON *value)
{
    return cr_json_type(value) == CR_JSON_STRING ? 0 : refuse(r, value, "a string");
}

static int check_words(struct reader *r, const struct cJSON *value)
{
    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    return cr_json_text(value)[0] ? 0 : refuse_text(r, value, "a string that is not empty");
}

static int check_variable(struct reader *r, const struct cJSON *value)
{
    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    return is_variable(cr_json_text(value)) ? 0 : refuse_text(r, value, "the name of a variable");
}

static int check_tool(struct reader *r, const struct cJSON *value)
{
    const char *colon;

    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    colon = strchr(cr_json_text(value), ':');
    if (!colon || !wire_is_namespace(cr_json_text(value), (size_t)(colon - cr_json_text(value))) ||
        !wire_is_action(colon + 1, strlen(colon + 1)))
        return refuse_text(r, value, "a tool as \"namespace:action\"");
    return 0;
}

static int check_fqdn(struct reader *r, const struct cJSON *value)
{
    struct cr_err err;
    char expected[640];

    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    if (cr_fqdn_parse(cr_json_text(value), &r->meta->fqdn, &err) == 0)
        return 0;
    (void)snprintf(expected, sizeof(expected),
                   "a name like \"org.project.namespace.action.hash\" (%.500s)", err.text);
    return refuse_text(r, value, expected);
}

static int check_type(struct reader *r, const struct cJSON *value)
{
    static const struct {
        const char *word;
        enum cr_metadata_type type;
    } types[] = {{"js", CR_METADATA_CODE},
                 {"deno", CR_METADATA_CODE},
                 {"stdio", CR_METADATA_STDIO},
                 {"http", CR_METADATA_HTTP}};

    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(types[i].word, cr_json_text(value)) == 0) {
            r->meta->type = types[i].type;
            return 0;
        }
    }
    return refuse_text(r, value, "one of \"js\", \"deno\", \"stdio\", \"http\"");
}

static int check_code_url(struct reader *r, const struct cJSON *value)
{
    const char *url = cr_json_text(value);
    size_t len = url ? strcspn(url, "?#") : 0;

    r->meta->code_url = url;
    r->meta->is_typescript = len > 3 && memcmp(url + len - 3, ".ts", 3) == 0;
    return check_words(r, value);
}

static int check_published_at(struct reader *r, const struct cJSON *value)
{
    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    if (cr_when_parse(cr_json_text(value), &r->meta->published_ms) == 0)
        return 0;
    return refuse_text(r, value, "a time like \"2026-11-16T09:30:00Z\"");
}

static int check_routing(struct reader *r, const struct cJSON *value)
{
    static const char *const words[] = {"client", "server", "local", NULL};

    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    return is_one_of(cr_json_text(value), words)
               ? 0
               : refuse_text(r, value, "one of \"client\", \"server\", \"local\"");
}

static bool decode_hex(const char *text, uint8_t *ret)
{
    struct base16_decode_ctx ctx;
    size_t len = CR_METADATA_DIGEST;

    base16_decode_init(&ctx);
    return base16_decode_update(&ctx, &len, ret, strlen(text), text) && base16_decode_final(&ctx) &&
           len == CR_METADATA_DIGEST;
}

static bool decode_base64(const char *text, uint8_t *ret)
{
    struct base64_decode_ctx ctx;
    size_t len = CR_METADATA_DIGEST + 1;

    base64_decode_init(&ctx);
    return base64_decode_update(&ctx, &len, ret, strlen(text), text) && base64_decode_final(&ctx) &&
           len == CR_METADATA_DIGEST;
}

static bool decode_integrity(const char *text, uint8_t *ret)
{
    static const char prefix[] = "sha256-";
    const char *digest = text + sizeof(prefix) - 1;

    if (strncmp(text, prefix, sizeof(prefix) - 1) != 0)
        return false;
    if (strlen(digest) == 2u * CR_METADATA_DIGEST)
        return decode_hex(digest, ret);
    return strlen(digest) == BASE64_ENCODE_RAW_LENGTH(CR_METADATA_DIGEST) &&
           decode_base64(digest, ret);
}

static int check_integrity(struct reader *r, const struct cJSON *value)
{
    uint8_t digest[CR_METADATA_DIGEST + 4];

    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    if (!decode_integrity(cr_json_text(value), digest))
        return refuse_text(r, value, "\"sha256-\" and a digest in base64 or hexadecimal digits");
    return 0;
}

static int keep_integrity(struct reader *r, const struct cJSON *value)
{
    uint8_t digest[CR_METADATA_DIGEST + 4];

    if (check_integrity(r, value) < 0)
        return CAPRUN_E_INVAL;
    (void)decode_integrity(cr_json_text(value), digest);
    memcpy(r->meta->integrity, digest, CR_METADATA_DIGEST);
    r->meta->has_integrity = true;
    return 0;
}

/* --- lists and objects --------------------------------------------------------------------- */

static int check_strings(struct reader *r, const struct cJSON *value)
{
    int code = check_each(r, value, CR_JSON_ARRAY, "an array of strings", check_string);

    return code < 0 ? code : check_few(r, value);
}

static int check_string_map(struct reader *r, const struct cJSON *value)
{
    int code = check_each(r, value, CR_JSON_OBJECT, "an object with strings", check_string);

    return code < 0 ? code : check_few(r, value);
}

static int check_variables(struct reader *r, const struct cJSON *value)
{
    int code =
        check_each(r, value, CR_JSON_ARRAY, "an array of names of variables", check_variable);

    return code < 0 ? code : check_few(r, value);
}

/* Limits number and length of names: the loop's thread looks up each name for each run. */
static int check_env(struct reader *r, const struct cJSON *value)
{
    r->meta->env = value;
    if (check_variables(r, value) < 0)
        return CAPRUN_E_INVAL;
    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v))
        if (strlen(cr_json_text(v)) > CR_METADATA_MAX_VARIABLE)
            return refuse_as(r, v, "expected a name of 256 characters at most");
    return 0;
}

static int check_tools(struct reader *r, const struct cJSON *value)
{
    r->meta->tools = value;
    return check_each(r, value, CR_JSON_ARRAY, "an array of tools", check_tool);
}

static int check_schema(struct reader *r, const struct cJSON *value)
{
    struct cr_json_place span = cr_json_place_of(&r->meta->doc, value);

    r->meta->schema = r->meta->doc.bytes + span.at;
    r->meta->schema_len = span.len;
    return cr_json_type(value) == CR_JSON_OBJECT || cr_json_is_bool(value)
               ? 0
               : refuse(r, value, "a JSON Schema: an object, or true or false");
}

static int check_server_name(struct reader *r, const struct cJSON *value)
{
    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    return wire_is_namespace(cr_json_text(value), strlen(cr_json_text(value)))
               ? 0
               : refuse_text(r, value, "the name of a server, of letters, digits, _ and -");
}

static int check_server_type(struct reader *r, const struct cJSON *value)
{
    static const char *const words[] = {"stdio", "http", NULL};

    if (check_string(r, value) < 0)
        return CAPRUN_E_INVAL;
    return is_one_of(cr_json_text(value), words)
               ? 0
               : refuse_text(r, value, "one of \"stdio\", \"http\"");
}

static int check_dep(struct reader *r, const struct cJSON *value)
{
    static const struct field fields[] = {
        {"name", check_server_name, true}, {"type", check_server_type, false},
        {"command", check_words, false},   {"args", check_strings, false},
        {"env", check_string_map, false},  {"envRequired", check_variables, false},
        {"version", check_string, false},  {"integrity", check_integrity, false},
        {"httpUrl", check_words, false},   {"httpHeaders", check_string_map, false},
    };

    return check_fields(r, value, fields, sizeof(fields) / sizeof(fields[0]));
}

static int check_deps(struct reader *r, const struct cJSON *value)
{
    if (cr_json_type(value) == CR_JSON_ARRAY && cr_json_count(value) > CR_METADATA_MAX_DEPS)
        return refuse_as(r, value, "expected 64 servers at most");
    return check_each(r, value, CR_JSON_ARRAY, "an array of servers", check_dep);
}

static int check_install(struct reader *r, const struct cJSON *value)
{
    static const struct field fields[] = {
        {"command", check_words, true},
        {"args", check_strings, false},
        {"envRequired", check_variables, false},
    };

    return check_fields(r, value, fields, sizeof(fields) / sizeof(fields[0]));
}

/* --- the whole document -------------------------------------------------------------------- */

static const struct field fields[] = {
    {"fqdn", check_fqdn, true},
    {"type", check_type, true},
    {"codeUrl", check_code_url, false},
    {"description", check_string, false},
    {"publishedAt", check_published_at, false},
    {"tools", check_tools, false},
    {"routing", check_routing, false},
    {"mcpDeps", check_deps, false},
    {"install", check_install, false},
    {"integrity", keep_integrity, false},
    {"parametersSchema", check_schema, false},
    {"env", check_env, false},
};

int cr_metadata_parse(struct cr_buf *text, const char *where, struct cr_metadata *ret,
                      struct cr_err *why)
{
    struct cr_metadata meta = {.text = *text, .published_ms = INT64_MIN};
    struct reader r = {.where = where, .meta = &meta, .why = why};
    struct cr_err err;
    int code;

    cr_buf_init(text, text->max);
    code = cr_json_parse_within(meta.text.data, meta.text.len, CR_METADATA_MAX_VALUES, &meta.doc,
                                &err);
    if (code == CAPRUN_E_NOMEM)
        (void)cr_err_memory(why);
    else if (code < 0)
        (void)cr_err_end(why, CAPRUN_OUTCOME_METADATA_INVALID,
                         "the metadata has to be corrected where it is published",
                         "the metadata '%s' is not JSON: %s", where, err.text);
    if (code == 0)
        code = check_fields(&r, meta.doc.root, fields, sizeof(fields) / sizeof(fields[0]));
    if (code < 0) {
        cr_metadata_clear(&meta);
        return code;
    }
    *ret = meta;
    return 0;
}

void cr_metadata_clear(struct cr_metadata *meta)
{
    cr_json_clear(&meta->doc);
    cr_buf_clear(&meta->text);
    *meta = (struct cr_metadata){0};
}

/* "codeUrl" and "integrity" are left out: the code is pinned by its hash, wherever it came from. */
void cr_metadata_essence(const struct cr_metadata *meta, struct cr_buf *out)
{
    static const char *const matters[] = {
        "type", "tools", "routing", "mcpDeps", "install", "parametersSchema", "env"};
    bool first = true;

    cr_buf_str(out, "{");
    for (size_t i = 0; i < sizeof(matters) / sizeof(matters[0]); i++) {
        const struct cJSON *value = cr_json_get(meta->doc.root, matters[i]);

        if (!value)
            continue;
        cr_buf_fmt(out, "%s\"%s\":", first ? "" : ",", matters[i]);
        cr_json_canonical(out, value);
        first = false;
    }
    cr_buf_str(out, "}");
}
