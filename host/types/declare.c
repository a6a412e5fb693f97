/* declare.c - the text around the types, and the names of servers and tools. */
#include "types/declare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "caprun.h"
#include "types/schema.h"
#include "types/text.h"

#define MAX_ABOUT_TOOL 2000u /* bytes of a description */
#define MAX_NAME 128u        /* of a tool that can be called */

static const char head[] =
    "// The tools of the configured MCP servers, for code that caprun runs.\n"
    "// Names and comments are the servers' own words.\n"
    "\n"
    "/** Returns what the server answers; `raw` also what is around it. */\n"
    "interface McpTool<Args, Answer> {\n"
    "  (args: Args): Promise<Answer>;\n"
    "  raw(args: Args): Promise<unknown>;\n"
    "}\n"
    "\n"
    "/** The same, for a tool that needs no args. */\n"
    "interface McpToolWithoutArgs<Args, Answer> {\n"
    "  (args?: Args): Promise<Answer>;\n"
    "  raw(args?: Args): Promise<unknown>;\n"
    "}\n"
    "\n"
    "declare const mcp: Mcp;\n"
    "\n"
    "interface Mcp {\n";

void cr_types_begin(struct cr_types *types, size_t max)
{
    *types = (struct cr_types){.out = CR_BUF(max), .declarations = CR_BUF(max)};
    cr_buf_str(&types->out, head);
}

static const char *name_of(const struct cJSON *tool)
{
    const struct cJSON *name = cr_json_get(tool, "name");

    return name && cr_json_type(name) == CR_JSON_STRING ? cr_json_text(name) : "";
}

/* Can code call it? js/prelude.js does not send names that the language looks up. */
static bool is_callable(const char *name)
{
    static const char *const unsent[] = {"then", "toJSON", "constructor", "prototype", "__proto__"};

    for (size_t i = 0; i < sizeof(unsent) / sizeof(unsent[0]); i++)
        if (strcmp(name, unsent[i]) == 0)
            return false;
    return name[0] && strlen(name) <= MAX_NAME;
}

typedef char alias_text[MAX_NAME + 1];

/* Writes the name that code may use for |name|, which is_callable(). */
static void write_alias(const char *name, alias_text ret)
{
    size_t at = 0;

    do
        ret[at] = cr_pattern_alias(name[at]);
    while (name[at++]);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The aliases of all tools, sorted: one that is there twice means none of them. */
struct aliases {
    alias_text *list;
    size_t count;
};

/* Without memory there are no aliases, and |types| has the error. */
static struct aliases sort_aliases(struct cr_types *types, const struct cJSON *tools)
{
    struct aliases all = {.list = calloc(cr_json_count(tools) + 1, sizeof(*all.list))};

    if (!all.list) {
        types->out.err = CAPRUN_E_NOMEM;
        return all;
    }
    for (const struct cJSON *t = cr_json_first(tools); t; t = cr_json_next(t))
        if (is_callable(name_of(t)))
            write_alias(name_of(t), all.list[all.count++]);
    qsort(all.list, all.count, sizeof(*all.list), by_text);
    return all;
}

/* Writes the alias of |name|, if that is another name, an identifier, and only this tool's. */
static bool find_alias(const struct aliases *all, const char *name, alias_text ret)
{
    alias_text *found;
    size_t at;

    write_alias(name, ret);
    if (strcmp(name, ret) == 0 || !cr_types_is_identifier(ret) || !is_callable(ret) || !all->count)
        return false;
    found = bsearch(ret, all->list, all->count, sizeof(*all->list), by_text);
    if (!found)
        return false;
    at = (size_t)(found - all->list);
    return !(at > 0 && strcmp(all->list[at - 1], ret) == 0) &&
           !(at + 1 < all->count && strcmp(all->list[at + 1], ret) == 0);
}

static const char *about(const struct cJSON *tool)
{
    const struct cJSON *text = cr_json_get(tool, "description");

    return text && cr_json_type(text) == CR_JSON_STRING ? cr_json_text(text) : "";
}

static void add_tool(struct cr_types *types, const struct aliases *aliases,
                     const struct cJSON *tool, const char *server)
{
    const struct cJSON *args = cr_json_get(tool, "inputSchema");
    const struct cJSON *answer = cr_json_get(tool, "outputSchema");
    struct cr_buf *out = &types->out;
    alias_text alias;
    char name[40];

    types->tools++;
    cr_buf_str(out, "    ");
    cr_types_comment(out, about(tool), MAX_ABOUT_TOOL, 4);
    cr_types_name(out, name_of(tool));
    cr_buf_str(out, cr_types_is_required(args) ? ": McpTool<" : ": McpToolWithoutArgs<");
    (void)snprintf(name, sizeof(name), "Args%zu", types->tools);
    cr_types_schema(out, &types->declarations, name, args, 4);
    cr_buf_str(out, ", ");
    (void)snprintf(name, sizeof(name), "Answer%zu", types->tools);
    if (answer)
        cr_types_schema(out, &types->declarations, name, answer, 4);
    else
        cr_buf_str(out, "any");
    cr_buf_str(out, ">;\n");
    if (!find_alias(aliases, name_of(tool), alias))
        return;
    cr_buf_fmt(out, "    %s: Mcp[", alias);
    cr_types_literal(out, server);
    cr_buf_str(out, "][");
    cr_types_literal(out, name_of(tool));
    cr_buf_str(out, "];\n");
}

void cr_types_server(struct cr_types *types, const char *name, const char *alias,
                     const char *about_server, const struct cJSON *tools)
{
    struct aliases aliases = sort_aliases(types, tools);
    struct cr_buf *out = &types->out;

    cr_buf_str(out, "  ");
    cr_types_comment(out, about_server, MAX_NAME, 2);
    cr_types_name(out, name);
    cr_buf_str(out, ": {\n");
    for (const struct cJSON *t = cr_json_first(tools); t; t = cr_json_next(t))
        if (is_callable(name_of(t)))
            add_tool(types, &aliases, t, name);
    cr_buf_str(out, "  };\n");
    if (alias) {
        cr_buf_fmt(out, "  %s: Mcp[", alias);
        cr_types_literal(out, name);
        cr_buf_str(out, "];\n");
    }
    free(aliases.list);
}

const char *cr_types_end(struct cr_types *types)
{
    cr_buf_str(&types->out, "}\n");
    if (types->declarations.len)
        cr_buf_str(&types->out, "\n");
    cr_buf_add(&types->out, types->declarations.data, types->declarations.len);
    if (cr_buf_err(&types->declarations) && !types->out.err)
        types->out.err = cr_buf_err(&types->declarations);
    return cr_buf_text(&types->out);
}

void cr_types_clear(struct cr_types *types)
{
    cr_buf_clear(&types->out);
    cr_buf_clear(&types->declarations);
}
