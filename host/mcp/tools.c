/*
 * tools.c - the pages of tools/list: checked, kept, and searched by name.
 *
 * Names are found by halving in |by_name|, and each new one is put where it belongs there. No
 * server can make that slow: ten thousand names take as many moves of forty kilobytes.
 */
#include "mcp/tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define SHOWN_MAX 64 /* bytes of a stranger's word in an error */

/* On the heap and never moved: tools point into it. */
struct cr_tools_page {
    struct cr_tools_page *before;
    const char *cursor; /* of the page after it; NULL: there is none */
    struct cr_json_doc doc;
    char bytes[]; /* of |doc| */
};

void cr_tools_init(struct cr_tools *t)
{
    *t = (struct cr_tools){0};
    cr_buf_init(&t->cursor, CR_TOOLS_MAX_BYTES);
}

void cr_tools_clear(struct cr_tools *t)
{
    struct cr_tools_page *page;

    while ((page = t->pages)) {
        t->pages = page->before;
        cr_json_clear(&page->doc);
        free(page);
    }
    free(t->list);
    free(t->by_name);
    cr_buf_clear(&t->cursor);
    cr_tools_init(t);
}

/* --- what is wrong -------------------------------------------------------------------------- */

static int no_memory(struct cr_err *err)
{
    return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a server's list of tools");
}

/* Fails with |before|, the server's |word|, cut and harmless, and |after|. */
static int refuse_word(const char *before, const char *word, const char *after, struct cr_err *err)
{
    size_t len = strlen(word), cut = len < SHOWN_MAX ? len : SHOWN_MAX;
    struct cr_buf shown;
    const char *text;
    int r;

    while (cut < len && cut > 0 && ((uint8_t)word[cut] & 0xc0) == 0x80)
        cut--;
    cr_buf_init(&shown, 8 * SHOWN_MAX); /* an escape is at most six times what it stands for */
    cr_escape_terminal(&shown, word, cut);
    text = cr_buf_text(&shown);
    r = text ? cr_err_set(err, CAPRUN_E_PEER, "%s '%s'%s %s", before, text, cut < len ? "..." : "",
                          after)
             : no_memory(err);
    cr_buf_clear(&shown);
    return r;
}

/* --- pages ---------------------------------------------------------------------------------- */

/* Returns the place in |by_name| of |name|, or where it would be. */
static size_t place_of(const struct cr_tools *t, const char *name)
{
    size_t low = 0, high = t->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(t->list[t->by_name[middle]].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The tool that is called |name|, if |place| is where it would be; else NULL. */
static const struct cr_tool *tool_at(const struct cr_tools *t, size_t place, const char *name)
{
    const struct cr_tool *tool = place < t->count ? &t->list[t->by_name[place]] : NULL;

    return tool && strcmp(tool->name, name) == 0 ? tool : NULL;
}

static int grow(struct cr_tools *t, size_t more, struct cr_err *err)
{
    size_t cap = t->cap ? t->cap : 16;
    struct cr_tool *list;
    uint32_t *by_name;

    if (more > CR_TOOLS_MAX - t->count)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the server lists more than %u tools",
                          CR_TOOLS_MAX);
    while (cap < t->count + more)
        cap *= 2;
    list = realloc(t->list, cap * sizeof(*list));
    if (!list)
        return no_memory(err);
    t->list = list;
    by_name = realloc(t->by_name, cap * sizeof(*by_name));
    if (!by_name)
        return no_memory(err);
    t->by_name = by_name;
    t->cap = cap;
    return 0;
}

static int add_tool(struct cr_tools *t, const struct cr_json *json, struct cr_err *err)
{
    const struct cr_json *name = cr_json_get(json, "name");
    size_t place;

    if (json->type != CR_JSON_OBJECT)
        return cr_err_set(err, CAPRUN_E_PEER, "tool %zu of the server's list is %s, not an object",
                          t->count + 1, cr_json_type_name(json->type));
    if (!name || name->type != CR_JSON_STRING || !name->text[0])
        return cr_err_set(err, CAPRUN_E_PEER, "tool %zu of the server's list has no 'name'",
                          t->count + 1);
    place = place_of(t, name->text);
    if (tool_at(t, place, name->text))
        return refuse_word("the server lists the tool", name->text, "twice", err);
    memmove(t->by_name + place + 1, t->by_name + place, (t->count - place) * sizeof(t->by_name[0]));
    t->by_name[place] = (uint32_t)t->count;
    t->list[t->count++] =
        (struct cr_tool){.name = name->text, .json = json, .page = &t->pages->doc};
    return 0;
}

static int add_tools(struct cr_tools *t, const struct cr_json *tools, struct cr_err *err)
{
    int r;

    if (!tools || tools->type != CR_JSON_ARRAY)
        return cr_err_set(err, CAPRUN_E_PEER,
                          "the server's answer to tools/list has no array 'tools'");
    r = grow(t, tools->count, err);
    for (const struct cr_json *json = tools->first; json && r == 0; json = json->next)
        r = add_tool(t, json, err);
    return r;
}

static int set_cursor(struct cr_tools *t, const struct cr_json *cursor, struct cr_err *err)
{
    t->cursor.len = 0;
    if (!cursor || cursor->type == CR_JSON_NULL)
        return 0;
    if (cursor->type != CR_JSON_STRING)
        return cr_err_set(err, CAPRUN_E_PEER, "'nextCursor' of the server's tools is %s, not %s",
                          cr_json_type_name(cursor->type), cr_json_type_name(CR_JSON_STRING));
    for (const struct cr_tools_page *page = t->pages->before; page; page = page->before)
        if (page->cursor && strcmp(page->cursor, cursor->text) == 0)
            return refuse_word("the server's pages of tools go round in a circle: 'nextCursor'",
                               cursor->text, "was there before", err);
    t->pages->cursor = cursor->text;
    cr_buf_add(&t->cursor, t->pages->bytes + cursor->at, cursor->len);
    return cr_buf_err(&t->cursor) ? no_memory(err) : 0;
}

static int check_limits(const struct cr_tools *t, const char *result, size_t len,
                        struct cr_err *err)
{
    size_t values = 1;

    if (t->page_count == CR_TOOLS_MAX_PAGES)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the server lists tools on more than %u pages",
                          CR_TOOLS_MAX_PAGES);
    if (len > CR_TOOLS_MAX_BYTES - t->bytes)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the server's tools take more than %u MiB",
                          CR_TOOLS_MAX_BYTES >> 20);
    for (size_t i = 0; i < len; i++)
        values += result[i] == ',' || result[i] == '[' || result[i] == '{';
    if (values > CR_TOOLS_MAX_VALUES)
        return cr_err_set(err, CAPRUN_E_TOOBIG,
                          "a page of the server's tools has more than %u values",
                          CR_TOOLS_MAX_VALUES);
    return 0;
}

/* Copies and parses the page, and puts it in front of the others. */
static int keep_page(struct cr_tools *t, const char *result, size_t len, struct cr_err *err)
{
    struct cr_tools_page *page = malloc(sizeof(*page) + len);
    struct cr_err why = {0};
    int r;

    if (!page)
        return no_memory(err);
    *page = (struct cr_tools_page){.before = t->pages};
    if (len)
        memcpy(page->bytes, result, len);
    r = cr_json_parse(page->bytes, len, &page->doc, &why);
    if (r < 0) {
        free(page);
        return cr_err_set(err, r == CAPRUN_E_INVAL ? CAPRUN_E_PEER : r,
                          "the server's answer to tools/list cannot be read: %s", why.text);
    }
    t->pages = page;
    t->page_count++;
    t->bytes += len;
    return 0;
}

int cr_tools_add_page(struct cr_tools *t, const char *result, size_t len, struct cr_err *err)
{
    int r = check_limits(t, result, len, err);

    if (r == 0)
        r = keep_page(t, result, len, err);
    if (r == 0)
        r = add_tools(t, cr_json_get(t->pages->doc.root, "tools"), err);
    return r < 0 ? r : set_cursor(t, cr_json_get(t->pages->doc.root, "nextCursor"), err);
}

/* --- asking --------------------------------------------------------------------------------- */

static bool in_identifiers(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

bool cr_tools_is_alias(const char *alias, const char *name)
{
    for (; *name; name++) {
        /* what follows the first byte of a character belongs to the same "_" */
        if (((uint8_t)*name & 0xc0) == 0x80)
            continue;
        if (*alias++ != (in_identifiers(*name) ? *name : '_'))
            return false;
    }
    return !*alias;
}

const struct cr_tool *cr_tools_find(const struct cr_tools *t, const char *action,
                                    const struct cr_tool **ret_first,
                                    const struct cr_tool **ret_second)
{
    const struct cr_tool *first = tool_at(t, place_of(t, action), action);

    *ret_first = *ret_second = NULL;
    for (size_t i = 0; i < t->count && !first; i++)
        if (cr_tools_is_alias(action, t->list[i].name))
            first = &t->list[i];
    if (!first || strcmp(first->name, action) == 0)
        return first;
    for (const struct cr_tool *second = first + 1; second < t->list + t->count; second++) {
        if (!cr_tools_is_alias(action, second->name))
            continue;
        *ret_first = first;
        *ret_second = second;
        return NULL;
    }
    return first;
}

void cr_tools_essence(const struct cr_tool *tool, struct cr_buf *out)
{
    /* in the order of the canonical form */
    static const char *const keys[] = {"annotations", "description",  "inputSchema",
                                       "name",        "outputSchema", "title"};
    const char *between = "{";

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct cr_json *value = cr_json_get(tool->json, keys[i]);

        if (!value)
            continue;
        cr_buf_fmt(out, "%s\"%s\":", between, keys[i]);
        cr_json_canonical(out, value);
        between = ",";
    }
    cr_buf_str(out, "}");
}
