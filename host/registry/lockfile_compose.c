/*
 * lockfile_compose.c - creates the text of caprun.lock: merges old and new pins, sorted by name,
 * and indents them.
 *
 * Indentation can make a definition many times longer. If the definitions of a server would become
 * too long, each of them is written on one line instead.
 */
#include "registry/lockfile_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define INDENTED_MAX (1u << 20) /* bytes that the definitions of a server may take indented */
#define DEFINITION_DEPTH 4

/* Text is collected in |dense|, without spaces, and then indented into |out|. */
struct writer {
    struct cr_buf *out, dense;
    size_t depth;
};

static void indent(struct writer *w)
{
    if (cr_buf_err(&w->dense))
        w->out->err = cr_buf_err(&w->dense);
    else
        cr_escape_pretty_part(w->out, w->dense.data, w->dense.len, &w->depth);
    w->dense.len = 0;
}

/* --- capabilities --------------------------------------------------------------------------- */

struct entry {
    const char *name;
    struct cr_pin pin;
};

struct entries {
    struct entry *list;
    size_t count;
    const char *except;
};

static int compare_names(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static void add_entry(void *data, const char *name, const struct cr_pin *pin)
{
    struct entries *entries = data;

    if (!entries->except || strcmp(name, entries->except) != 0)
        entries->list[entries->count++] = (struct entry){name, *pin};
}

/* Collects all pins of |lock| and the new one, sorted. */
static int gather(const struct cr_lockfile *lock, const struct cr_lockfile_news *news,
                  struct entries *ret)
{
    const struct cJSON *pins = cr_json_get(lock->doc.root, "capabilities");

    *ret = (struct entries){.except = news->name};
    ret->list = calloc(cr_json_count(pins) + 1, sizeof(*ret->list));
    if (!ret->list)
        return CAPRUN_E_NOMEM;
    cr_lockfile_each(lock, add_entry, ret);
    if (news->name)
        ret->list[ret->count++] = (struct entry){news->name, *news->pin};
    qsort(ret->list, ret->count, sizeof(*ret->list), compare_names);
    return 0;
}

/* Names and hashes need no JSON escapes. */
static void add_capabilities(struct cr_buf *out, const struct cr_lockfile *lock,
                             const struct cr_lockfile_news *news)
{
    struct entries entries;

    if (gather(lock, news, &entries) < 0) {
        out->err = CAPRUN_E_NOMEM;
        return;
    }
    for (size_t i = 0; i < entries.count; i++) {
        const struct entry *e = &entries.list[i];

        cr_buf_fmt(out, "%s\"%s\":{\"fqdn\":\"%s\",\"code\":\"%s\",\"metadata\":\"%s\"}",
                   i ? "," : "", e->name, e->pin.fqdn, e->pin.code, e->pin.metadata);
    }
    free(entries.list);
}

/* --- tools ---------------------------------------------------------------------------------- */

struct tool {
    const char *server, *name;
    const struct cJSON *pinned;    /* its definition in the file, or NULL */
    const struct cr_tool_now *now; /* its definition now, or NULL; exactly one of both is set */
    char hash[CR_LOCKFILE_HASH + 1];
};

static int compare_tools(const struct tool *x, const struct tool *y)
{
    int order = strcmp(x->server, y->server);

    return order ? order : strcmp(x->name, y->name);
}

/* For the same tool, the pinned definition comes before the new one. */
static int order_tools(const void *a, const void *b)
{
    const struct tool *x = a, *y = b;
    int order = compare_tools(x, y);

    return order ? order : (x->now != NULL) - (y->now != NULL);
}

static void note_tool(struct tool *tool, const char *server, const struct cJSON *pin)
{
    *tool = (struct tool){.server = server, .name = cr_json_key(pin)};
    tool->pinned = cr_json_get(pin, "definition");
    memcpy(tool->hash, cr_json_text(cr_json_get(pin, "sha256")), CR_LOCKFILE_HASH);
}

static void note_now(struct tool *tool, const char *server, const struct cr_tool_now *now)
{
    *tool = (struct tool){.server = server, .name = now->name, .now = now};
    cr_lockfile_hash(now->definition, now->len, tool->hash);
}

/* Returns all pinned and all new tools, sorted; the caller frees the list. NULL: no memory. */
static struct tool *gather_tools(const struct cr_lockfile *lock,
                                 const struct cr_lockfile_news *news, size_t *ret_count)
{
    const struct cJSON *servers = cr_json_get(lock->doc.root, "servers");
    const struct cJSON *first = cr_json_first(servers);
    size_t n = news->count;
    struct tool *tools;

    for (const struct cJSON *server = first; server; server = cr_json_next(server))
        n += cr_json_count(server);
    tools = calloc(n + 1, sizeof(*tools));
    if (!tools)
        return NULL;
    *ret_count = n;
    for (size_t i = 0; i < news->count; i++)
        note_now(&tools[--n], news->server, &news->tools[i]);
    for (const struct cJSON *server = first; server; server = cr_json_next(server))
        for (const struct cJSON *pin = cr_json_first(server); pin; pin = cr_json_next(pin))
            note_tool(&tools[--n], cr_json_key(server), pin);
    qsort(tools, *ret_count, sizeof(*tools), order_tools);
    return tools;
}

/* Leaves one definition of each tool in |tools|. Returns how many of them are new. */
static size_t remove_duplicates(struct tool *tools, size_t *count, bool accept)
{
    size_t kept = 0, fresh = 0;

    for (size_t i = 0; i < *count; i++) {
        if (kept && compare_tools(&tools[kept - 1], &tools[i]) == 0) {
            if (!accept || strcmp(tools[kept - 1].hash, tools[i].hash) == 0)
                continue;
            kept--;
        }
        fresh += tools[i].now != NULL;
        tools[kept++] = tools[i];
    }
    *count = kept;
    return fresh;
}

static void add_definition(struct cr_buf *out, const struct tool *tool)
{
    if (tool->now)
        cr_buf_add(out, tool->now->definition, tool->now->len);
    else
        cr_json_canonical(out, tool->pinned);
}

/* Would the definitions be too long if they were indented? */
static bool is_too_long(struct writer *w, const struct tool *tools, size_t count)
{
    struct cr_buf shown;
    bool is_too_long;

    cr_buf_init(&shown, INDENTED_MAX);
    for (size_t i = 0; i < count && !cr_buf_err(&shown); i++) {
        struct writer one = {.out = &shown, .depth = DEFINITION_DEPTH};

        cr_buf_init(&one.dense, w->dense.max);
        add_definition(&one.dense, &tools[i]);
        indent(&one);
        cr_buf_clear(&one.dense);
    }
    is_too_long = cr_buf_err(&shown) == CAPRUN_E_TOOBIG;
    if (cr_buf_err(&shown) == CAPRUN_E_NOMEM)
        w->out->err = CAPRUN_E_NOMEM;
    cr_buf_clear(&shown);
    return is_too_long;
}

/* Adds the definition on one line. Hidden characters occur only in its strings. */
static void add_line(struct writer *w, const struct tool *tool)
{
    indent(w);
    add_definition(&w->dense, tool);
    if (!cr_buf_err(&w->dense))
        cr_escape_terminal(w->out, (const char *)w->dense.data, w->dense.len);
    w->dense.len = 0;
}

static void add_server(struct writer *w, const struct tool *tools, size_t count)
{
    bool in_lines = is_too_long(w, tools, count);

    cr_escape_json_str(&w->dense, tools->server);
    cr_buf_str(&w->dense, ":{");
    for (size_t i = 0; i < count; i++) {
        cr_buf_str(&w->dense, i ? "," : "");
        cr_escape_json_str(&w->dense, tools[i].name);
        cr_buf_fmt(&w->dense, ":{\"sha256\":\"%s\",\"definition\":", tools[i].hash);
        if (in_lines)
            add_line(w, &tools[i]);
        else
            add_definition(&w->dense, &tools[i]);
        cr_buf_str(&w->dense, "}");
    }
    cr_buf_str(&w->dense, "}");
}

/* Returns how many tools are new or changed. */
static size_t add_servers(struct writer *w, const struct cr_lockfile *lock,
                          const struct cr_lockfile_news *news)
{
    size_t count = 0, fresh, n;
    struct tool *tools = gather_tools(lock, news, &count);

    if (!tools) {
        w->out->err = CAPRUN_E_NOMEM;
        return 0;
    }
    fresh = remove_duplicates(tools, &count, news->accept);
    for (size_t i = 0; i < count && (fresh || news->name); i += n) {
        for (n = 1; i + n < count && strcmp(tools[i + n].server, tools[i].server) == 0;)
            n++;
        cr_buf_str(&w->dense, i ? "," : "");
        add_server(w, &tools[i], n);
    }
    free(tools);
    return fresh;
}

/* --- the whole file ------------------------------------------------------------------------- */

size_t cr_lockfile_compose(struct cr_buf *out, const struct cr_lockfile *lock,
                           const struct cr_lockfile_news *news)
{
    struct writer w = {.out = out};
    size_t fresh;

    cr_buf_init(&w.dense, out->max);
    cr_buf_fmt(&w.dense, "{\"version\":%d,\"capabilities\":{", CR_LOCKFILE_VERSION);
    add_capabilities(&w.dense, lock, news);
    cr_buf_str(&w.dense, "},\"servers\":{");
    fresh = add_servers(&w, lock, news) + (news->name != NULL);
    cr_buf_str(&w.dense, "}}");
    indent(&w);
    cr_buf_str(out, "\n");
    cr_buf_clear(&w.dense);
    return fresh;
}
