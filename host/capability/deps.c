/* deps.c - finds servers that are not configured, and shows in full what they would run. */
#include "capability/deps.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define MAX_SHOWN 4096u

static bool is_configured(const struct cr_config *config, const char *name)
{
    for (size_t i = 0; i < config->server_count; i++)
        if (strcmp(config->servers[i].name, name) == 0)
            return true;
    return false;
}

static const char *text_of(const struct cJSON *object, const char *key)
{
    const struct cJSON *value = cr_json_get(object, key);

    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : NULL;
}

/* Writes each word as a JSON string, so that a reader sees where each word ends. */
static void show_command(const struct cJSON *server, struct cr_buf *out)
{
    const struct cJSON *args = cr_json_get(server, "args");

    cr_escape_json_str(out, text_of(server, "command"));
    for (const struct cJSON *v = cr_json_first(args); v; v = cr_json_next(v)) {
        cr_buf_str(out, " ");
        cr_escape_json_str(out, cr_json_text(v));
    }
}

static void show_variables(const struct cJSON *server, struct cr_buf *out)
{
    const struct cJSON *env = cr_json_get(server, "env");
    const struct cJSON *required = cr_json_get(server, "envRequired");
    const char *before = ", with the variables ";

    for (const struct cJSON *v = cr_json_first(env); v; v = cr_json_next(v), before = ", ")
        cr_buf_fmt(out, "%s%s", before, cr_json_key(v));
    for (const struct cJSON *v = cr_json_first(required); v; v = cr_json_next(v), before = ", ")
        cr_buf_fmt(out, "%s%s", before, cr_json_text(v));
}

static void add_variable(struct cr_buf *out, const char **before, const char *name)
{
    cr_buf_str(out, *before);
    cr_escape_json_str(out, name);
    cr_buf_fmt(out, ": \"${%s}\"", name);
    *before = ", ";
}

/* {"command": …, "args": […], "env": {…}}, or {"url": …}. */
static void write_config(const struct cJSON *server, struct cr_buf *out)
{
    const struct cJSON *args = cr_json_get(server, "args"), *env = cr_json_get(server, "env");
    const struct cJSON *required = cr_json_get(server, "envRequired");
    const char *before = ", \"env\": {";

    if (!text_of(server, "command")) {
        cr_buf_str(out, "{\"url\": ");
        cr_escape_json_str(out, text_of(server, "httpUrl"));
        cr_buf_str(out, "}");
        return;
    }
    cr_buf_str(out, "{\"command\": ");
    cr_escape_json_str(out, text_of(server, "command"));
    if (args) {
        cr_buf_str(out, ", \"args\": ");
        cr_json_print(out, args);
    }
    for (const struct cJSON *v = cr_json_first(required); v; v = cr_json_next(v))
        add_variable(out, &before, cr_json_text(v));
    for (const struct cJSON *v = cr_json_first(env); v; v = cr_json_next(v))
        add_variable(out, &before, cr_json_key(v));
    cr_buf_str(out, before[0] == ',' && before[2] == '\0' ? "}}" : "}");
}

static int refuse(const struct cr_metadata *meta, const char *name, const struct cJSON *server,
                  struct cr_err *why)
{
    struct cr_buf what, paste;

    cr_buf_init(&what, MAX_SHOWN);
    cr_buf_init(&paste, MAX_SHOWN);
    if (text_of(server, "command"))
        show_command(server, &what);
    else if (text_of(server, "httpUrl"))
        cr_escape_json_str(&what, text_of(server, "httpUrl"));
    /* "${" is literal in metadata, but a configuration expands it: then show no text to paste */
    if (what.len && !memmem(what.data, what.len, "${", 2))
        write_config(server, &paste);
    show_variables(server, &what);
    (void)cr_err_end(why, CAPRUN_OUTCOME_PERMISSION_DENIED, NULL,
                     "'%s' needs the MCP server '%s', which is not in mcpServers; caprun starts "
                     "no server from metadata%s%s",
                     meta->fqdn.full, name, what.len ? ": " : "",
                     cr_buf_text(&what) ? cr_buf_text(&what) : "");
    if (cr_buf_text(&paste) && paste.len && paste.len < sizeof(why->hint) - 100)
        (void)cr_err_hint(
            why, "if you trust it, add to \"mcpServers\" in " CR_CONFIG_NAME ": \"%s\": %s", name,
            cr_buf_text(&paste));
    else
        (void)cr_err_hint(
            why, "if you trust it, configure \"%s\" in \"mcpServers\" of " CR_CONFIG_NAME, name);
    cr_buf_clear(&what);
    cr_buf_clear(&paste);
    return CAPRUN_E_INVAL;
}

static int check_itself(const struct cr_config *config, const struct cr_metadata *meta,
                        struct cr_err *why)
{
    char name[CR_FQDN_PART + 1];

    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(meta->fqdn.tool, ":"), meta->fqdn.tool);
    if (is_configured(config, name))
        return 0;
    return refuse(meta, name, cr_json_get(meta->doc.root, "install"), why);
}

int cr_deps_check(const struct cr_config *config, const struct cr_metadata *meta,
                  struct cr_err *why)
{
    const struct cJSON *deps = cr_json_get(meta->doc.root, "mcpDeps");

    if (meta->type != CR_METADATA_CODE && check_itself(config, meta, why) < 0)
        return CAPRUN_E_INVAL;
    for (const struct cJSON *v = cr_json_first(deps); v; v = cr_json_next(v)) {
        const char *name = text_of(v, "name"); /* cr_metadata_parse() requires it */

        if (name && !is_configured(config, name))
            return refuse(meta, name, v, why);
    }
    return 0;
}
