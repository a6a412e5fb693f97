/* info_text.c - the facts of `caprun info` as text: facts, args, tools, variables, a conclusion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "capability/give.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/info_parts.h"
#include "cli/output.h"

#define MAX_SHOWN 4096u /* bytes of a description */
#define MAX_TOOLS 200u
#define MAX_VARIABLES 50u
#define INDENT 2u
#define GAP 2u
#define WIDEST_NAME 40u
#define WIDEST_TYPE 20u
#define WIDEST_VALUE 14u
#define NARROW 24u /* a narrower column of descriptions begins on the next line */

/* --- pieces ---------------------------------------------------------------------------------- */

static void add_coloured(struct cr_buf *out, enum cr_colour colour, const char *text, size_t width)
{
    cr_buf_str(out, cr_colour_code(STDOUT_FILENO, colour));
    cr_columns_left(out, text, width);
    cr_buf_str(out, cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
}

static void add_head(struct cr_buf *out, const char *text)
{
    add_coloured(out, CR_COLOUR_HEAD, text, strlen(text));
    cr_buf_str(out, "\n");
}

/* Appends |text|, which may be longer than a line, from column |used| on, and a line feed. */
static void add_wrapped(struct cr_buf *out, const char *text, size_t used, size_t indent)
{
    cr_columns_wrap(out, text, strlen(text), used, indent, cr_columns_available(STDOUT_FILENO));
    cr_buf_str(out, "\n");
}

static void add_fact(struct cr_buf *out, const char *label, const char *text)
{
    cr_columns_left(out, label, 9);
    add_wrapped(out, text, 9, 9);
}

/* Returns a copy of the beginning of |text| on one line; the caller frees it. NULL: no memory. */
static char *flatten(const char *text)
{
    char *copy;
    size_t len;

    text += strspn(text, " \t\r\n");
    copy = strndup(text, MAX_SHOWN);
    for (char *at = copy; copy && *at; at++)
        if (*at == '\n' || *at == '\r' || *at == '\t')
            *at = ' ';
    for (len = copy ? strlen(copy) : 0; len && copy[len - 1] == ' ';)
        copy[--len] = '\0';
    return copy;
}

static void widen(size_t *width, const char *text, size_t most)
{
    size_t n = cr_columns_of(text);

    n = n < most ? n : most;
    *width = n > *width ? n : *width;
}

/* --- the capability -------------------------------------------------------------------------- */

static void add_pin(const struct cr_info *i, struct cr_buf *out)
{
    const char *state = cr_info_pin_state(i);

    if (!i->is_pinned) {
        add_fact(out, "pin", "not pinned in caprun.lock: the first run pins it");
    } else if (strcmp(state, "same") == 0) {
        add_fact(out, "pin", "the same as in caprun.lock");
    } else {
        cr_columns_left(out, "pin", 9);
        add_coloured(out, CR_COLOUR_BAD, state, strlen(state));
        cr_buf_fmt(out, "; caprun.lock pins %s\n", i->pinned.fqdn);
    }
    add_fact(out, "code", i->c.pin.code);
    if (i->is_pinned && strcmp(i->pinned.code, i->c.pin.code) != 0)
        add_fact(out, "  pinned", i->pinned.code);
    add_fact(out, "metadata", i->c.pin.metadata);
    if (i->is_pinned && strcmp(i->pinned.metadata, i->c.pin.metadata) != 0)
        add_fact(out, "  pinned", i->pinned.metadata);
}

static void add_facts(const struct cr_info *i, struct cr_buf *out)
{
    static const char *const kinds[] = {[CR_METADATA_CODE] = "code",
                                        [CR_METADATA_STDIO] = "the tool of an MCP server",
                                        [CR_METADATA_HTTP] = "a remote MCP server"};
    const char *published = cr_info_text_of(i, "publishedAt");
    /* a registry's text: any length */
    char *description = strndup(cr_info_text_of(i, "description"), MAX_SHOWN);
    char text[400];

    add_head(out, i->c.meta.fqdn.full);
    if (description)
        cr_output_add_lines(out, "  ", description);
    free(description);
    (void)snprintf(text, sizeof(text), "%s (%s)%s%.100s", cr_info_text_of(i, "type"),
                   kinds[i->c.meta.type], published[0] ? ", published " : "", published);
    cr_buf_str(out, "\n");
    add_fact(out, "type", text);
    add_fact(out, "from", i->c.source);
    add_pin(i, out);
}

/* --- args ------------------------------------------------------------------------------------ */

struct arg_columns {
    size_t name, type, value;
    size_t used; /* where the description begins */
};

/* Appends "one of "a", "b": ", then the description, from column |used| on. */
static void add_description(const struct cr_schema_row *row, size_t used, struct cr_buf *out)
{
    size_t columns = cr_columns_available(STDOUT_FILENO), indent = used;
    char *text = flatten(row->description ? cr_json_text(row->description) : "");
    cr_autobuf struct cr_buf all = CR_BUF(3 * MAX_SHOWN);

    if (row->choices) {
        cr_buf_str(&all, "one of ");
        for (const struct cJSON *v = cr_json_first(row->choices); v && all.len < MAX_SHOWN / 8;
             v = cr_json_next(v)) {
            cr_buf_str(&all, v == cr_json_first(row->choices) ? "" : ", ");
            cr_json_print(&all, v);
        }
        cr_buf_str(&all, text && text[0] ? ": " : "");
    }
    cr_buf_str(&all, text ? text : "");
    free(text);
    if (!cr_buf_text(&all) || !all.len) {
        while (out->len && out->data[out->len - 1] == ' ')
            out->len--;
        cr_buf_str(out, "\n");
        return;
    }
    if (columns < used + NARROW) {
        indent = INDENT + 4;
        cr_buf_str(out, "\n");
        cr_columns_fill(out, indent);
    }
    add_wrapped(out, cr_buf_text(&all), indent, indent);
}

static void show_value(const struct cr_schema_row *row, struct cr_buf *ret)
{
    if (row->value)
        cr_json_print(ret, row->value);
}

static struct arg_columns measure_args(const struct cr_info *i)
{
    struct arg_columns w = {.name = strlen("name"), .type = strlen("type")};

    for (size_t n = 0; n < i->args.count; n++) {
        const struct cr_schema_row *row = &i->args.list[n];
        cr_autobuf struct cr_buf value = CR_BUF(MAX_SHOWN);

        widen(&w.name, row->path, WIDEST_NAME);
        widen(&w.type, row->type, WIDEST_TYPE);
        show_value(row, &value);
        if (row->value)
            widen(&w.value, "default", WIDEST_VALUE);
        widen(&w.value, cr_buf_text(&value) ? cr_buf_text(&value) : "…", WIDEST_VALUE);
    }
    w.used = INDENT + w.name + GAP + w.type + GAP + strlen("required") + GAP;
    w.used += w.value ? w.value + GAP : 0;
    return w;
}

static void add_arg(const struct cr_schema_row *row, const struct arg_columns *w,
                    struct cr_buf *out)
{
    cr_autobuf struct cr_buf value = CR_BUF(MAX_SHOWN);

    cr_columns_fill(out, INDENT);
    cr_columns_left(out, row->path, w->name + GAP);
    cr_columns_left(out, row->type, w->type + GAP);
    cr_columns_left(out, row->required ? "yes" : "no", strlen("required") + GAP);
    show_value(row, &value);
    if (w->value) {
        cr_columns_left(out, cr_buf_text(&value) ? cr_buf_text(&value) : "…", w->value);
        cr_columns_fill(out, GAP);
    }
    add_description(row, w->used, out);
}

static void add_args(const struct cr_info *i, struct cr_buf *out)
{
    struct arg_columns w = measure_args(i);

    cr_buf_str(out, "\n");
    add_head(out, "args");
    if (!i->args.count) {
        add_wrapped(out,
                    i->c.meta.schema ? "  no properties; --json has the schema"
                                     : "  no schema: args are not checked",
                    0, INDENT);
        return;
    }
    cr_buf_fmt(out, "  %s", cr_colour_code(STDOUT_FILENO, CR_COLOUR_DIM));
    cr_columns_left(out, "name", w.name + GAP);
    cr_columns_left(out, "type", w.type + GAP);
    cr_buf_str(out, "required  ");
    if (w.value)
        cr_columns_left(out, "default", w.value + GAP);
    cr_buf_fmt(out, "%s%s\n",
               cr_columns_available(STDOUT_FILENO) < w.used + NARROW ? "" : "description",
               cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    for (size_t n = 0; n < i->args.count; n++)
        add_arg(&i->args.list[n], &w, out);
    if (i->args.is_cut)
        cr_buf_str(out, "  and more; --json has the whole schema\n");
}

/* --- tools and variables --------------------------------------------------------------------- */

static void add_tool(const struct cr_info_tool *tool, size_t width, struct cr_buf *out)
{
    size_t used = INDENT + width + GAP + strlen("would ask") + GAP;
    enum cr_colour colour =
        tool->verdict.answer == CR_POLICY_ALLOW ? CR_COLOUR_GOOD : CR_COLOUR_BAD;
    char where[400], text[600];

    cr_policy_say_where(&tool->verdict, where, sizeof(where));
    (void)snprintf(text, sizeof(text), "%s%s%s", where,
                   tool->looks_at_args ? "; a rule looks at the args" : "",
                   !tool->server ? "; its server is not in mcpServers" : "");
    cr_columns_fill(out, INDENT);
    cr_columns_left(out, tool->name, width + GAP);
    add_coloured(out, colour, cr_info_permission(tool), strlen("would ask"));
    cr_columns_fill(out, GAP);
    if (cr_columns_available(STDOUT_FILENO) < used + NARROW) {
        used = INDENT + 4;
        cr_buf_str(out, "\n");
        cr_columns_fill(out, used);
    }
    add_wrapped(out, text, used, used);
}

static void add_tools(const struct cr_info *i, struct cr_buf *out)
{
    size_t width = strlen("tool");

    cr_buf_str(out, "\n");
    add_head(out, "tools");
    if (!i->tool_count)
        cr_buf_str(out, "  none: every call is denied\n");
    for (size_t n = 0; n < i->tool_count && n < MAX_TOOLS; n++)
        widen(&width, i->tools[n].name, CR_COLUMNS_MOST);
    for (size_t n = 0; n < i->tool_count && n < MAX_TOOLS; n++)
        add_tool(&i->tools[n], width, out);
    if (i->tool_count > MAX_TOOLS)
        cr_buf_fmt(out, "  and %zu more; --json has them all\n", i->tool_count - MAX_TOOLS);
    if (!i->server_missing.text[0])
        return;
    cr_buf_str(out, "\n");
    cr_output_add_lines(out, "  ", i->server_missing.text);
    cr_output_add_lines(out, "  ", i->server_missing.hint);
}

static void add_variables(const struct cr_info *i, struct cr_buf *out)
{
    cr_autobuf struct cr_buf grant = CR_BUF(MAX_SHOWN);
    const struct cJSON *env = i->c.meta.env;
    size_t width = 0, shown = 0;

    if (!cr_json_first(env))
        return;
    cr_buf_str(out, "\n");
    add_head(out, "variables");
    for (const struct cJSON *v = cr_json_first(env); v; v = cr_json_next(v))
        widen(&width, cr_json_text(v), WIDEST_NAME);
    for (const struct cJSON *v = cr_json_first(env); v && shown < MAX_VARIABLES;
         v = cr_json_next(v)) {
        bool is_granted = cr_give_grants(i->config, &i->c.meta, cr_json_text(v));

        if (cr_give_is_repeated(env, v))
            continue;
        cr_columns_fill(out, INDENT);
        cr_columns_left(out, cr_json_text(v), width + GAP);
        add_coloured(out, is_granted ? CR_COLOUR_GOOD : CR_COLOUR_BAD,
                     is_granted ? "granted" : "not granted", strlen("not granted"));
        cr_buf_fmt(out, "  %s\n", getenv(cr_json_text(v)) ? "set" : "not set");
        shown++;
    }
    cr_give_grant(i->config, &i->c.meta, &grant);
    if (cr_buf_text(&grant) && grant.len)
        cr_buf_fmt(out, "  to grant them, put into \"env\" of " CR_CONFIG_NAME ":\n  %s\n",
                   cr_buf_text(&grant));
}

/* --- the conclusion -------------------------------------------------------------------------- */

/* One sentence: the reasons are lines. */
static void add_conclusion(const struct cr_info *i, struct cr_buf *out)
{
    cr_autobuf struct cr_buf text = CR_BUF(2 * CR_INFO_REASONS);
    enum cr_colour colour = !i->reasons.len ? CR_COLOUR_GOOD : CR_COLOUR_BAD;

    cr_buf_str(&text, !i->reasons.len ? "it could run now"
                      : i->can_start  ? "it could start now, but "
                                      : "it cannot run now: ");
    for (size_t n = 0; n + 1 < i->reasons.len; n++)
        if (i->reasons.data[n] == '\n')
            cr_buf_str(&text, "; ");
        else
            cr_buf_add(&text, &i->reasons.data[n], 1);
    cr_buf_str(out, "\n");
    cr_buf_str(out, cr_colour_code(STDOUT_FILENO, colour));
    if (cr_buf_text(&text))
        cr_columns_wrap(out, cr_buf_text(&text), text.len, 0, INDENT,
                        cr_columns_available(STDOUT_FILENO));
    cr_buf_fmt(out, "%s\n", cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
}

void cr_info_write_text(const struct cr_info *i, struct cr_buf *out)
{
    add_facts(i, out);
    add_args(i, out);
    add_tools(i, out);
    add_variables(i, out);
    add_conclusion(i, out);
}
