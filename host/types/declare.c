/* declare.c - the text around the types, and the names of servers and tools. */
#include "types/declare.h"

#include <string.h>

#include "base/mem.h"
#include "base/pattern.h"
#include "types/schema.h"

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
    static const char *const unsent[] = {"then",      "toJSON",    "constructor",
                                         "prototype", "__proto__", "raw"};

    for (size_t i = 0; i < sizeof(unsent) / sizeof(unsent[0]); i++)
        if (strcmp(name, unsent[i]) == 0)
            return false;
    return name[0] && strlen(name) <= MAX_NAME;
}

/* Writes the name that |name| has as an identifier. Returns false if that is no other name. */
static bool make_alias(const char *name, char ret[MAX_NAME + 1])
{
    size_t len = strlen(name);

    for (size_t i = 0; i <= len; i++)
        ret[i] = cr_pattern_alias(name[i]);
    return strcmp(name, ret) != 0 && cr_types_is_identifier(ret) && is_callable(ret);
}

/* Is |alias| of another tool than |tool|, too, or another tool's name? */
static bool is_taken(const struct cJSON *tools, const struct cJSON *tool, const char *alias)
{
    char other[MAX_NAME + 1];

    for (const struct cJSON *t = cr_json_first(tools); t; t = cr_json_next(t)) {
        const char *name = name_of(t);

        if (t == tool || !is_callable(name))
            continue;
        if (strcmp(name, alias) == 0 || (make_alias(name, other) && strcmp(other, alias) == 0))
            return true;
    }
    return false;
}

static const char *about(const struct cJSON *tool)
{
    const struct cJSON *text = cr_json_get(tool, "description");

    return text && cr_json_type(text) == CR_JSON_STRING ? cr_json_text(text) : "";
}

static void add_tool(struct cr_types *types, const struct cJSON *tools, const struct cJSON *tool,
                     const char *server)
{
    const struct cJSON *args = cr_json_get(tool, "inputSchema");
    const struct cJSON *answer = cr_json_get(tool, "outputSchema");
    struct cr_buf *out = &types->out;
    char alias[MAX_NAME + 1], name[64];
    cr_autobuf struct cr_buf number = CR_BUF(sizeof(name));

    cr_buf_str(out, "    ");
    cr_types_comment(out, about(tool), MAX_ABOUT_TOOL, 4);
    cr_types_name(out, name_of(tool));
    cr_buf_str(out, cr_types_is_required(args) ? ": McpTool<" : ": McpToolWithoutArgs<");
    types->tools++;
    cr_buf_fmt(&number, "Args%zu", types->tools);
    cr_types_schema(out, &types->declarations, cr_buf_text(&number), args, 4);
    cr_buf_str(out, ", ");
    cr_buf_clear(&number);
    cr_buf_fmt(&number, "Answer%zu", types->tools);
    if (answer)
        cr_types_schema(out, &types->declarations, cr_buf_text(&number), answer, 4);
    else
        cr_buf_str(out, "any");
    cr_buf_str(out, ">;\n");
    if (!make_alias(name_of(tool), alias) || is_taken(tools, tool, alias))
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
    struct cr_buf *out = &types->out;

    cr_buf_str(out, "  ");
    cr_types_comment(out, about_server, MAX_NAME, 2);
    cr_types_name(out, name);
    cr_buf_str(out, ": {\n");
    for (const struct cJSON *t = cr_json_first(tools); t; t = cr_json_next(t))
        if (is_callable(name_of(t)))
            add_tool(types, tools, t, name);
    cr_buf_str(out, "  };\n");
    if (alias) {
        cr_buf_fmt(out, "  %s: Mcp[", alias);
        cr_types_literal(out, name);
        cr_buf_str(out, "];\n");
    }
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
