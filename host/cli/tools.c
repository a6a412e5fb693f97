/* tools.c - `caprun tools`: lists the tools of servers as text or JSON, ranked by given words. */
#include "cli/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/servers.h"
#include "cli/settings.h"
#include "mcp/tools.h"

#define MAX_TEXT (256u << 20)
#define MOST_SERVERS 1000u /* that are compared with a wrong name */
#define LEAST_WORDS 10u    /* columns */
#define WIDEST_NAME 30u

/* A tool of a server, and its score for the given words. */
struct match {
    const struct cr_cli_server *server;
    const struct cJSON *tool;
    unsigned score;
    size_t at; /* position in the lists, to keep the order of equal scores */
};

struct listing {
    const struct cr_options *options;
    const struct cr_config_server *server; /* of the one tool that is asked for, NS:ACTION */
    struct cr_cli_servers servers;
    struct match *matches;
    size_t count;
    struct cr_buf out;
};

static bool has_failed(const struct cr_cli_server *s)
{
    return strcmp(cr_cli_servers_text(s->doc.root, "state"), "ok") != 0;
}

static const char *name_of(const struct cr_cli_server *s)
{
    return cr_cli_servers_text(s->doc.root, "name");
}

/* --- words ------------------------------------------------------------------------------------ */

/* A whole part of the name, between separators, scores higher than a match inside of a part. */
static unsigned score_name(const char *name, const char *word)
{
    const char *found = strcasestr(name, word);
    size_t len = strlen(word);
    unsigned score = found ? 5 : 0;

    for (; found; found = strcasestr(found + 1, word)) {
        bool begins = found == name || strchr("_-./", found[-1]);
        bool ends = !found[len] || strchr("_-./", found[len]);

        if (begins && ends)
            score = 10;
    }
    return score;
}

/* Returns 0 unless every word matches somewhere. */
static unsigned score_tool(const struct listing *l, const struct cr_cli_server *s,
                           const struct cJSON *tool)
{
    unsigned sum = 0;

    for (int i = 1; i < l->options->word_count; i++) {
        const char *word = l->options->words[i];
        unsigned score = score_name(cr_cli_servers_text(tool, "name"), word);

        if (strcasestr(cr_cli_servers_text(tool, "description"), word) ||
            strcasestr(cr_cli_servers_text(tool, "title"), word))
            score += 3;
        if (strcasestr(cr_cli_servers_text(s->doc.root, "name"), word))
            score += 2;
        if (!score)
            return 0;
        sum += score;
    }
    return sum;
}

static int by_score(const void *a, const void *b)
{
    const struct match *x = a, *y = b;

    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int rank_tools(struct listing *l, struct cr_err *why)
{
    size_t all = 0;

    for (size_t i = 0; i < l->servers.answered; i++) {
        const struct cJSON *tools = cr_json_get(l->servers.list[i].doc.root, "tools");

        all += cr_json_count(tools);
    }
    l->matches = calloc(all + 1, sizeof(*l->matches));
    if (!l->matches)
        return cr_err_memory(why);
    for (size_t i = 0; i < l->servers.answered; i++) {
        const struct cr_cli_server *s = &l->servers.list[i];
        const struct cJSON *tools = cr_json_get(s->doc.root, "tools");

        for (const struct cJSON *t = cr_json_first(tools); t; t = cr_json_next(t)) {
            unsigned score = score_tool(l, s, t);

            if (score) {
                l->matches[l->count] = (struct match){s, t, score, l->count};
                l->count++;
            }
        }
    }
    qsort(l->matches, l->count, sizeof(*l->matches), by_score);
    return 0;
}

/* --- as JSON --------------------------------------------------------------------------------- */

/* Appends everything about a server except its tools. */
static void add_head(struct listing *l, const struct cr_cli_server *s)
{
    bool first = true;

    cr_buf_str(&l->out, "{");
    for (const struct cJSON *v = cr_json_first(s->doc.root); v; v = cr_json_next(v)) {
        if (strcmp(cr_json_key(v), "tools") == 0)
            continue;
        cr_buf_str(&l->out, first ? "" : ",");
        cr_escape_json_str(&l->out, cr_json_key(v));
        cr_buf_str(&l->out, ":");
        cr_json_print(&l->out, v);
        first = false;
    }
    cr_buf_str(&l->out, "}");
}

static void write_json(struct listing *l)
{
    bool ranked = l->options->word_count > 1;

    cr_buf_str(&l->out, "{\"servers\":[");
    for (size_t i = 0; i < l->servers.answered; i++) {
        cr_buf_str(&l->out, i ? "," : "");
        if (ranked)
            add_head(l, &l->servers.list[i]);
        else
            cr_buf_add(&l->out, l->servers.list[i].text.data, l->servers.list[i].text.len);
    }
    cr_buf_str(&l->out, "]");
    if (ranked)
        cr_buf_str(&l->out, ",\"tools\":[");
    for (size_t i = 0; i < l->count; i++) {
        cr_buf_str(&l->out, i ? ",{\"server\":" : "{\"server\":");
        cr_escape_json_str(&l->out, cr_cli_servers_text(l->matches[i].server->doc.root, "name"));
        cr_buf_fmt(&l->out, ",\"score\":%u,\"tool\":", l->matches[i].score);
        cr_json_print(&l->out, l->matches[i].tool);
        cr_buf_str(&l->out, "}");
    }
    cr_buf_str(&l->out, ranked ? "]}\n" : "}\n");
}

/* --- as text --------------------------------------------------------------------------------- */

static void add_escaped(struct listing *l, const char *text)
{
    cr_escape_terminal(&l->out, text, strlen(text));
}

/* Appends the first line of the tool's description, cut if the terminal is too narrow for it. */
static void add_description(struct listing *l, const struct cJSON *tool, size_t used)
{
    const char *text = cr_cli_servers_text(tool, "description");
    size_t columns = cr_columns_available(STDOUT_FILENO);
    cr_autobuf struct cr_buf line = CR_BUF(MAX_TEXT);

    text += strspn(text, " \t\r\n");
    cr_buf_add(&line, text, strcspn(text, "\r\n"));
    if (line.len && cr_buf_text(&line)) {
        cr_buf_str(&l->out, "  ");
        cr_columns_cut(&l->out, cr_buf_text(&line),
                       columns > used + 2 + LEAST_WORDS ? columns - used - 2 : LEAST_WORDS);
    }
    cr_buf_str(&l->out, "\n");
}

static void add_failure(struct listing *l, const struct cr_cli_server *s)
{
    const char *hint = cr_cli_servers_text(s->doc.root, "hint");

    cr_buf_fmt(&l->out, "%s%s%s  failed: ", cr_colour_code(STDOUT_FILENO, CR_COLOUR_BAD),
               cr_cli_servers_text(s->doc.root, "name"),
               cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    add_escaped(l, cr_cli_servers_text(s->doc.root, "error"));
    cr_buf_str(&l->out, "\n");
    if (hint[0]) {
        cr_buf_str(&l->out, "  hint: ");
        add_escaped(l, hint);
        cr_buf_str(&l->out, "\n");
    }
}

static void add_server_line(struct listing *l, const struct cr_cli_server *s)
{
    const struct cJSON *root = s->doc.root, *info = cr_json_get(root, "serverInfo");
    const struct cJSON *tools = cr_json_get(root, "tools");
    size_t count = cr_json_count(tools);

    cr_buf_fmt(&l->out, "%s%s%s  %zu tool%s, ", cr_colour_code(STDOUT_FILENO, CR_COLOUR_GOOD),
               cr_cli_servers_text(root, "name"), cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE),
               count, count == 1 ? "" : "s");
    if (info) {
        add_escaped(l, cr_cli_servers_text(info, "name"));
        cr_buf_str(&l->out, " ");
        add_escaped(l, cr_cli_servers_text(info, "version"));
        cr_buf_str(&l->out, ", ");
    }
    cr_buf_fmt(&l->out, "%s, %s\n", cr_cli_servers_text(root, "protocolVersion"),
               cr_cli_servers_text(root, "era"));
}

static void add_lock_error(struct listing *l, const struct cr_cli_server *s)
{
    const char *words = cr_cli_servers_text(s->doc.root, "lockError");

    if (!words[0])
        return;
    cr_buf_str(&l->out, "  not compared with what is pinned: ");
    add_escaped(l, words);
    cr_buf_str(&l->out, "\n");
}

static bool is_changed(const struct cr_cli_server *s, const char *name)
{
    const struct cJSON *changed = cr_json_get(s->doc.root, "changed");
    const struct cJSON *v = cr_json_first(changed);

    while (v && strcmp(cr_cli_servers_text(v, "name"), name) != 0)
        v = cr_json_next(v);
    return v != NULL;
}

/* Makes |*width| as wide as a name, up to a limit: descriptions begin in the same column. */
static void widen(size_t *width, const char *lead, const struct cJSON *tool)
{
    size_t n = strlen(lead) + cr_columns_of(cr_cli_servers_text(tool, "name"));

    if (n > *width && n <= WIDEST_NAME)
        *width = n;
}

/* Appends the line of a tool, after |lead| and |mark|; the name is padded to |width|. */
static void add_tool(struct listing *l, const struct cr_cli_server *s, const struct cJSON *tool,
                     const char *lead, const char *mark, size_t width)
{
    const char *name = cr_cli_servers_text(tool, "name");
    const char *note = is_changed(s, name) ? " (changed since it was pinned: caprun lock)" : "";
    size_t used = strlen(lead) + strlen(mark) + cr_columns_of(name) + strlen(note);

    cr_buf_fmt(&l->out, "%s%s", lead, mark);
    add_escaped(l, name);
    cr_buf_str(&l->out, note);
    if (!cr_cli_servers_text(tool, "description")[0])
        width = 0;
    cr_columns_fill(&l->out, used < width ? width - used : 0);
    add_description(l, tool, used < width ? width : used);
}

/* Appends what the server says that the tool does; nobody has checked it. */
static void add_annotations(struct listing *l, const struct cJSON *tool)
{
    static const struct {
        const char *key, *yes, *no;
    } words[] = {
        {"readOnlyHint", "only reads", "changes something"},
        {"destructiveHint", "may destroy something", "destroys nothing"},
        {"idempotentHint", "may be repeated", "does more when it is repeated"},
        {"openWorldHint", "reaches the outside world", "does not reach the outside world"},
    };
    const struct cJSON *hints = cr_json_get(tool, "annotations");
    const char *before = "  in the server's own words, it ";

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const struct cJSON *v = cr_json_get(hints, words[i].key);

        if (!v || !cr_json_is_bool(v))
            continue;
        cr_buf_fmt(&l->out, "%s%s", before,
                   cr_json_type(v) == CR_JSON_TRUE ? words[i].yes : words[i].no);
        before = ", ";
    }
    cr_buf_str(&l->out, before[0] == ',' ? "\n" : "");
}

static void add_schema(struct listing *l, const struct match *m, const char *key, const char *head)
{
    const struct cJSON *schema = cr_json_get(m->tool, key);
    struct cr_json_place span;

    if (!schema)
        return;
    span = cr_json_place_of(&m->server->doc, schema);
    cr_buf_fmt(&l->out, "%s%s%s\n", cr_colour_code(STDOUT_FILENO, CR_COLOUR_HEAD), head,
               cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    cr_escape_pretty(&l->out, (const uint8_t *)m->server->doc.bytes + span.at, span.len);
    cr_buf_str(&l->out, "\n");
}

/* Appends everything about one tool. */
static void add_whole_tool(struct listing *l, const struct match *m)
{
    const char *name = cr_cli_servers_text(m->tool, "name");
    const char *title = cr_cli_servers_text(m->tool, "title");

    if (!title[0])
        title = cr_cli_servers_text(cr_json_get(m->tool, "annotations"), "title");
    cr_buf_fmt(&l->out, "%s:", cr_cli_servers_text(m->server->doc.root, "name"));
    add_escaped(l, name);
    if (is_changed(m->server, name))
        cr_buf_str(&l->out, " (changed since it was pinned: caprun lock)");
    cr_buf_str(&l->out, "\n");
    cr_output_add_lines(&l->out, "  ", cr_cli_servers_text(m->tool, "description"));
    cr_output_add_lines(&l->out, "  title: ", title);
    add_annotations(l, m->tool);
    add_schema(l, m, "inputSchema", "args");
    add_schema(l, m, "outputSchema", "answer");
}

static void write_text(struct listing *l)
{
    bool ranked = l->options->word_count > 1;
    size_t width;

    for (size_t i = 0; i < l->servers.answered; i++) {
        const struct cr_cli_server *s = &l->servers.list[i];
        const struct cJSON *tools = cr_json_get(s->doc.root, "tools");

        if (has_failed(s)) {
            add_failure(l, s);
            continue;
        }
        if (ranked)
            continue;
        add_server_line(l, s);
        add_lock_error(l, s);
        width = 0;
        for (const struct cJSON *t = cr_json_first(tools); t; t = cr_json_next(t))
            widen(&width, "  ", t);
        for (const struct cJSON *t = cr_json_first(tools); t; t = cr_json_next(t))
            add_tool(l, s, t, "  ", "", width);
    }
    width = 0;
    for (size_t i = 0; i < l->count; i++)
        widen(&width, name_of(l->matches[i].server), l->matches[i].tool);
    for (size_t i = 0; i < l->count; i++) {
        const struct match *m = &l->matches[i];

        if (l->server) {
            add_whole_tool(l, m);
            continue;
        }
        add_tool(l, m->server, m->tool, name_of(m->server), ":", width + 1);
    }
    if (ranked && !l->count && !l->server)
        cr_buf_str(&l->out, "no tool fits these words\n");
}

/* --- one tool ----------------------------------------------------------------------------------
 */

/* If the only word is NS:ACTION, finds its server, by name or alias. */
static int choose_server(struct listing *l, const struct cr_config *config, struct cr_err *why)
{
    const char *word = l->options->word_count == 2 ? l->options->words[1] : "";
    size_t len = strcspn(word, ":");
    const char *names[MOST_SERVERS], *near;
    char name[80];
    size_t count = 0;

    if (!len || len >= sizeof(name) || !word[len] || !word[len + 1])
        return 0;
    l->server = cr_cli_servers_find(config, word, len);
    if (l->server)
        return 0;
    for (; count < config->server_count && count < MOST_SERVERS; count++)
        names[count] = config->servers[count].name;
    (void)snprintf(name, sizeof(name), "%.*s", (int)len, word);
    near = cr_nearest(name, names, count);
    (void)cr_err_end(why, CAPRUN_OUTCOME_NOT_FOUND, "caprun tools lists all",
                     "there is no tool %s: \"%s\" is not in mcpServers", word, name);
    return near ? cr_err_hint(why, "did you mean %s%s?", near, word + len) : CAPRUN_E_INVAL;
}

static int refuse_tool(const struct listing *l, const char *action, const struct cJSON *tools,
                       struct cr_err *why)
{
    const char *names[CR_TOOLS_COMPARED], *near;
    size_t count = 0;

    for (const struct cJSON *t = cr_json_first(tools); t && count < CR_TOOLS_COMPARED;
         t = cr_json_next(t))
        names[count++] = cr_cli_servers_text(t, "name");
    near = cr_nearest(action, names, count);
    (void)cr_err_end(why, CAPRUN_OUTCOME_NOT_FOUND, "caprun tools lists them",
                     "the server \"%s\" has no tool \"%s\"", l->server->name, action);
    return near ? cr_err_hint(why, "did you mean %s:%s?", l->server->name, near) : CAPRUN_E_INVAL;
}

/* Finds the tool as a call does: by its exact name, else by an alias that only one tool has. */
static int find_tool(struct listing *l, struct cr_err *why)
{
    const struct cr_cli_server *s = &l->servers.list[0];
    const struct cJSON *tools = cr_json_get(s->doc.root, "tools"), *found = NULL, *other = NULL;
    const char *action = strchr(l->options->words[1], ':') + 1;

    for (const struct cJSON *t = cr_json_first(tools); t; t = cr_json_next(t)) {
        const char *name = cr_cli_servers_text(t, "name");

        if (strcmp(name, action) == 0) {
            found = t;
            other = NULL;
            break;
        }
        if (cr_tools_is_alias(action, name)) {
            other = found;
            found = t;
        }
    }
    if (!found)
        return refuse_tool(l, action, tools, why);
    if (other)
        return cr_err_end(why, CAPRUN_OUTCOME_NOT_FOUND, "write the exact name",
                          "%s:%s could be \"%s\" or \"%s\"", l->server->name, action,
                          cr_cli_servers_text(other, "name"), cr_cli_servers_text(found, "name"));
    l->matches = calloc(1, sizeof(*l->matches));
    if (!l->matches)
        return cr_err_memory(why);
    l->matches[0] = (struct match){.server = s, .tool = found, .score = 1};
    l->count = 1;
    return 0;
}

static int find_matches(struct listing *l, struct cr_err *why)
{
    if (l->options->word_count == 1)
        return 0;
    if (!l->server)
        return rank_tools(l, why);
    return l->servers.answered && !has_failed(&l->servers.list[0]) ? find_tool(l, why) : 0;
}

/* --- the command ------------------------------------------------------------------------------ */

static int status_of(const struct listing *l)
{
    for (size_t i = 0; i < l->servers.answered; i++)
        if (has_failed(&l->servers.list[i]))
            return caprun_outcome_status(CAPRUN_OUTCOME_RPC_ERROR);
    return 0;
}

static int print_tools(struct listing *l, struct cr_err *why)
{
    int status = find_matches(l, why);

    if (status < 0)
        return status;
    cr_buf_init(&l->out, MAX_TEXT);
    if (l->options->json)
        write_json(l);
    else
        write_text(l);
    status = (l->options->json ? cr_output_json(&l->out) : cr_output_text(&l->out)) < 0
                 ? caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL)
                 : status_of(l);
    cr_buf_clear(&l->out);
    free(l->matches);
    return status;
}

static int ask_and_show(struct caprun_runtime *rt, const struct cr_config *config,
                        const struct cr_options *o, struct cr_signals *signals, struct cr_err *why)
{
    struct listing l = {.options = o};
    int r = choose_server(&l, config, why);

    if (r == 0)
        r = cr_cli_servers_ask(rt, l.server ? l.server->name : NULL, config, signals,
                               o->quiet || o->json, &l.servers, why);
    if (r < 0)
        return r;
    r = print_tools(&l, why);
    cr_cli_servers_clear(&l.servers);
    return r;
}

int cr_cli_tools(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                 int *ret_signal)
{
    return cr_cli_servers_command(rt, run, o, ask_and_show, ret_signal);
}
