/* give.c - passes the parts of checked metadata to the setters of a run. */
#include "capability/give.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "run/run.h"

#define MAX_CALL_CODE 1024u
#define MAX_SETTING 512u /* bytes of a setting in a sentence */
#define NAMED 5u         /* variables in a sentence */

static int refuse(const struct caprun_run *run, int code, const char *fqdn, struct cr_err *why)
{
    if (code == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    return cr_err_end(why, CAPRUN_OUTCOME_VALIDATION_ERROR, NULL, "'%s' cannot be run: %s", fqdn,
                      caprun_error(cr_run_look(run).runtime));
}

static int give_tools(struct caprun_run *run, const struct cJSON *tools)
{
    size_t count = cr_json_count(tools);
    const char **names = calloc(count + 1, sizeof(*names));
    size_t n = 0;
    int r;

    if (!names)
        return CAPRUN_E_NOMEM;
    for (const struct cJSON *v = cr_json_first(tools); v; v = cr_json_next(v))
        names[n++] = cr_json_text(v);
    r = caprun_run_set_tools(run, names, count);
    free(names);
    return r;
}

/* --- variables ------------------------------------------------------------------------------- */

bool cr_give_is_repeated(const struct cJSON *list, const struct cJSON *value)
{
    const struct cJSON *v = cr_json_first(list);

    while (v != value && strcmp(cr_json_text(v), cr_json_text(value)) != 0)
        v = cr_json_next(v);
    return v != value;
}

bool cr_give_grants(const struct cr_config *config, const struct cr_metadata *meta,
                    const char *name)
{
    char *const *granted = cr_config_granted(config, meta->fqdn.name);

    while (granted && *granted && strcmp(*granted, name) != 0)
        granted++;
    return granted && *granted;
}

static bool is_missing(const struct cr_config *config, const struct cr_metadata *meta,
                       const struct cJSON *v)
{
    return !cr_give_grants(config, meta, cr_json_text(v)) && !cr_give_is_repeated(meta->env, v);
}

static size_t count_missing(const struct cr_config *config, const struct cr_metadata *meta)
{
    size_t count = 0;

    for (const struct cJSON *v = cr_json_first(meta->env); v; v = cr_json_next(v))
        count += is_missing(config, meta, v);
    return count;
}

void cr_give_grant(const struct cr_config *config, const struct cr_metadata *meta,
                   struct cr_buf *out)
{
    char *const *granted = cr_config_granted(config, meta->fqdn.name);
    const char *before = "";

    if (!count_missing(config, meta))
        return;
    cr_buf_fmt(out, "\"%s\": [", meta->fqdn.name);
    for (; granted && *granted; granted++, before = ", ")
        cr_buf_fmt(out, "%s\"%s\"", before, *granted);
    for (const struct cJSON *v = cr_json_first(meta->env); v; v = cr_json_next(v)) {
        if (!is_missing(config, meta, v))
            continue;
        cr_buf_fmt(out, "%s\"%s\"", before, cr_json_text(v));
        before = ", ";
    }
    cr_buf_str(out, "]");
}

/* A long setting is left out: a person would paste what is cut. */
void cr_give_missing(const struct cr_config *config, const struct cr_metadata *meta,
                     struct cr_buf *out)
{
    cr_autobuf struct cr_buf setting = CR_BUF(MAX_SETTING);
    size_t count = count_missing(config, meta), shown = 0;

    if (!count)
        return;
    cr_buf_fmt(out, "%s wants variables that \"env\" in " CR_CONFIG_NAME " does not grant:",
               meta->fqdn.name);
    for (const struct cJSON *v = cr_json_first(meta->env); v && shown < NAMED; v = cr_json_next(v))
        if (is_missing(config, meta, v))
            cr_buf_fmt(out, "%s %.60s", shown++ ? "," : "", cr_json_text(v));
    if (count > shown)
        cr_buf_fmt(out, " and %zu more", count - shown);
    cr_give_grant(config, meta, &setting);
    if (cr_buf_text(&setting))
        cr_buf_fmt(out, "; to grant them, put there: %s", cr_buf_text(&setting));
}

/* Gives the requested variables that the configuration grants and that are set. */
static int give_env(struct caprun_run *run, const struct cr_config *config,
                    const struct cr_metadata *meta, bool *ret_has_env, struct cr_err *why)
{
    struct cr_buf json;
    int r = 0;

    cr_buf_init(&json, CAPRUN_MAX_ENV);
    for (const struct cJSON *v = cr_json_first(meta->env); v; v = cr_json_next(v)) {
        const char *value = getenv(cr_json_text(v));

        if (!value || cr_give_is_repeated(meta->env, v) ||
            !cr_give_grants(config, meta, cr_json_text(v)))
            continue;
        cr_buf_str(&json, json.len ? "," : "{");
        cr_escape_json_str(&json, cr_json_text(v));
        cr_buf_str(&json, ":");
        cr_escape_json_str(&json, value);
    }
    if (json.len)
        cr_buf_str(&json, "}");
    if (cr_buf_err(&json) == CAPRUN_E_TOOBIG)
        r = cr_err_end(why, CAPRUN_OUTCOME_VALIDATION_ERROR,
                       "grant it fewer in \"env\" of .caprun.json",
                       "the variables that '%s' is granted are over %u bytes", meta->fqdn.full,
                       CAPRUN_MAX_ENV);
    else if (cr_buf_err(&json))
        r = cr_err_memory(why);
    else if (json.len)
        r = caprun_run_set_env(run, (const char *)json.data, json.len);
    if (r < 0 && !cr_buf_err(&json))
        r = refuse(run, r, meta->fqdn.full, why);
    *ret_has_env = json.len > 0;
    cr_buf_clear(&json);
    return r;
}

/* --- the rest -------------------------------------------------------------------------------- */

static int give_schema(struct caprun_run *run, const struct cr_metadata *meta)
{
    if (!meta->schema)
        return 0;
    return caprun_run_set_schema(run, meta->schema, meta->schema_len);
}

/* The bytes that were hashed are the bytes that run. */
static int give_code(struct caprun_run *run, const struct cr_capability *c)
{
    int r = caprun_run_set_code(run, c->code.data ? (const char *)c->code.data : "", c->code.len);

    if (c->meta.is_typescript)
        cr_run_spec(run)->language = WIRE_LANGUAGE_TYPESCRIPT;
    return r < 0 ? r : give_tools(run, c->meta.tools);
}

int cr_give_call(struct caprun_run *run, const char *method)
{
    size_t len = strcspn(method, ":");
    cr_autobuf struct cr_buf code = CR_BUF(MAX_CALL_CODE);

    cr_buf_str(&code, "return mcp[");
    cr_escape_json(&code, method, len);
    cr_buf_str(&code, "][");
    cr_escape_json_str(&code, method[len] ? method + len + 1 : "");
    cr_buf_str(&code, "](args)");
    if (cr_buf_err(&code))
        return cr_buf_err(&code);
    return caprun_run_set_code(run, (const char *)code.data, code.len);
}

/* A capability that is a server's tool becomes one call of that tool; it may call no other. */
static int give_server_call(struct caprun_run *run, const struct cr_metadata *meta)
{
    const char *method = meta->fqdn.tool;
    int r = cr_give_call(run, method);

    return r < 0 ? r : caprun_run_set_tools(run, &method, 1);
}

int cr_give_capability(struct caprun_run *run, const struct cr_config *config,
                       const struct cr_capability *c, bool *ret_has_env, struct cr_err *why)
{
    int r = c->meta.type == CR_METADATA_CODE ? give_code(run, c) : give_server_call(run, &c->meta);
    struct cr_spec *spec = cr_run_spec(run);

    (void)snprintf(spec->caller, sizeof(spec->caller), "%s", c->meta.fqdn.name);
    if (r == 0)
        r = give_schema(run, &c->meta);
    if (r < 0)
        return refuse(run, r, c->pin.fqdn, why);
    return give_env(run, config, &c->meta, ret_has_env, why);
}
