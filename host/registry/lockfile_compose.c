/*
 * lockfile_compose.c - creates the text of caprun.lock: merges old and new pins, sorted by name,
 * first without spaces, then indented.
 */
#include "registry/lockfile_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

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

static void add_tool(struct cr_buf *out, const struct tool *tool)
{
    cr_escape_json_str(out, tool->name);
    cr_buf_fmt(out, ":{\"sha256\":\"%s\",\"definition\":", tool->hash);
    if (tool->now)
        cr_buf_add(out, tool->now->definition, tool->now->len);
    else
        cr_json_canonical(out, tool->pinned);
    cr_buf_str(out, "}");
}

/* Returns how many tools are new or changed. */
static size_t add_servers(struct cr_buf *out, const struct cr_lockfile *lock,
                          const struct cr_lockfile_news *news)
{
    size_t count = 0, fresh;
    struct tool *tools = gather_tools(lock, news, &count);

    if (!tools) {
        out->err = CAPRUN_E_NOMEM;
        return 0;
    }
    fresh = remove_duplicates(tools, &count, news->accept);
    for (size_t i = 0; i < count && (fresh || news->name); i++) {
        if (i && strcmp(tools[i].server, tools[i - 1].server) == 0) {
            cr_buf_str(out, ",");
        } else {
            cr_buf_str(out, i ? "}," : "");
            cr_escape_json_str(out, tools[i].server);
            cr_buf_str(out, ":{");
        }
        add_tool(out, &tools[i]);
    }
    cr_buf_str(out, count ? "}" : "");
    free(tools);
    return fresh;
}

/* --- the whole file ------------------------------------------------------------------------- */

size_t cr_lockfile_compose(struct cr_buf *out, const struct cr_lockfile *lock,
                           const struct cr_lockfile_news *news)
{
    struct cr_buf dense;
    size_t fresh;

    cr_buf_init(&dense, out->max);
    cr_buf_fmt(&dense, "{\"version\":%d,\"capabilities\":{", CR_LOCKFILE_VERSION);
    add_capabilities(&dense, lock, news);
    cr_buf_str(&dense, "},\"servers\":{");
    fresh = add_servers(&dense, lock, news) + (news->name != NULL);
    cr_buf_str(&dense, "}}");
    if (cr_buf_err(&dense))
        out->err = cr_buf_err(&dense);
    else if (fresh)
        cr_escape_pretty(out, dense.data, dense.len);
    cr_buf_str(out, "\n");
    cr_buf_clear(&dense);
    return fresh;
}
