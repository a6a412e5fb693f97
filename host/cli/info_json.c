/* info_json.c - the facts of `caprun info` as one line of JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "capability/give.h"
#include "cli/info_parts.h"
#include "cli/servers.h"

static void add_hash(const struct cr_info *i, struct cr_buf *out, const char *name,
                     const char *pinned, const char *now)
{
    cr_buf_fmt(out, ",\"%s\":{\"sha256\":\"%s\"", name, now);
    cr_escape_member(out, "state", cr_info_hash_state(i, pinned, now));
    if (i->is_pinned)
        cr_escape_member(out, "pinned", pinned);
    cr_buf_str(out, "}");
}

static void add_value(struct cr_buf *out, const char *name, const struct cJSON *value)
{
    if (!value)
        return;
    cr_buf_fmt(out, ",\"%s\":", name);
    cr_json_print(out, value);
}

static void add_args(const struct cr_info *i, struct cr_buf *out)
{
    add_value(out, "parametersSchema", cr_json_get(i->c.meta.doc.root, "parametersSchema"));
    cr_buf_str(out, ",\"args\":[");
    for (size_t n = 0; n < i->args.count; n++) {
        const struct cr_schema_row *row = &i->args.list[n];

        cr_buf_str(out, n ? ",{\"name\":" : "{\"name\":");
        cr_escape_json_str(out, row->path);
        cr_escape_member(out, "type", row->type);
        cr_buf_fmt(out, ",\"required\":%s", row->required ? "true" : "false");
        add_value(out, "default", row->value);
        add_value(out, "enum", row->choices);
        add_value(out, "description", row->description);
        cr_buf_str(out, "}");
    }
    cr_buf_fmt(out, "],\"argsCut\":%s", i->args.is_cut ? "true" : "false");
}

static void add_tools(const struct cr_info *i, struct cr_buf *out)
{
    char where[400];

    cr_buf_str(out, ",\"tools\":[");
    for (size_t n = 0; n < i->tool_count; n++) {
        const struct cr_info_tool *tool = &i->tools[n];

        cr_policy_say_where(&tool->verdict, where, sizeof(where));
        cr_buf_str(out, n ? ",{\"name\":" : "{\"name\":");
        cr_escape_json_str(out, tool->name);
        cr_escape_member(out, "permission", cr_info_permission(tool));
        if (tool->verdict.pattern)
            cr_escape_member(out, "pattern", tool->verdict.pattern);
        cr_escape_member(out, "by", where);
        if (tool->server)
            cr_escape_member(out, "server", tool->server->name);
        cr_buf_fmt(out, ",\"configured\":%s,\"looksAtArgs\":%s}", tool->server ? "true" : "false",
                   tool->looks_at_args ? "true" : "false");
    }
    cr_buf_str(out, "]");
}

static void add_variables(const struct cr_info *i, struct cr_buf *out)
{
    const struct cJSON *env = i->c.meta.env;
    bool first = true;

    cr_buf_str(out, ",\"variables\":[");
    for (const struct cJSON *v = cr_json_first(env); v; v = cr_json_next(v)) {
        if (cr_give_is_repeated(env, v))
            continue;
        cr_buf_fmt(out, "%s{\"name\":\"%s\",\"granted\":%s,\"set\":%s}", first ? "" : ",",
                   cr_json_text(v),
                   cr_give_grants(i->config, &i->c.meta, cr_json_text(v)) ? "true" : "false",
                   getenv(cr_json_text(v)) ? "true" : "false");
        first = false;
    }
    cr_buf_str(out, "]");
}

static void add_servers(const struct cr_info *i, struct cr_buf *out)
{
    const struct cJSON *deps = cr_json_get(i->c.meta.doc.root, "mcpDeps");

    cr_buf_str(out, ",\"servers\":[");
    for (const struct cJSON *v = cr_json_first(deps); v; v = cr_json_next(v)) {
        const char *name = cr_json_text(cr_json_get(v, "name"));
        const struct cr_config_server *server = cr_cli_servers_find(i->config, name, strlen(name));

        cr_buf_str(out, v == cr_json_first(deps) ? "{\"name\":" : ",{\"name\":");
        cr_escape_json_str(out, name);
        cr_buf_fmt(out, ",\"configured\":%s}",
                   server && strcmp(server->name, name) == 0 ? "true" : "false");
    }
    cr_buf_str(out, "]");
}

static void add_reasons(const struct cr_info *i, struct cr_buf *out)
{
    const char *line = (const char *)i->reasons.data, *end = line + i->reasons.len;

    cr_buf_fmt(out, ",\"canStart\":%s,\"ready\":%s,\"missing\":[", i->can_start ? "true" : "false",
               i->reasons.len ? "false" : "true");
    while (i->reasons.len && line < end) {
        size_t len = (size_t)((const char *)memchr(line, '\n', (size_t)(end - line)) - line);

        cr_buf_str(out, line == (const char *)i->reasons.data ? "" : ",");
        cr_escape_json(out, line, len);
        line += len + 1;
    }
    cr_buf_str(out, "]}\n");
}

void cr_info_write_json(const struct cr_info *i, struct cr_buf *out)
{
    cr_buf_fmt(out, "{\"fqdn\":\"%s\",\"name\":\"%s\"", i->c.meta.fqdn.full, i->c.meta.fqdn.name);
    add_value(out, "type", cr_json_get(i->c.meta.doc.root, "type"));
    add_value(out, "description", cr_json_get(i->c.meta.doc.root, "description"));
    add_value(out, "publishedAt", cr_json_get(i->c.meta.doc.root, "publishedAt"));
    cr_escape_member(out, "registry", i->c.source);
    cr_buf_fmt(out, ",\"offline\":%s", i->c.offline_reason[0] ? "true" : "false");
    cr_escape_member(out, "pin", cr_info_pin_state(i));
    add_hash(i, out, "code", i->pinned.code, i->c.pin.code);
    add_hash(i, out, "metadata", i->pinned.metadata, i->c.pin.metadata);
    add_args(i, out);
    add_tools(i, out);
    add_variables(i, out);
    add_servers(i, out);
    add_reasons(i, out);
}
