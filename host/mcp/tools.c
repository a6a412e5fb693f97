/*
 * tools.c - checks and stores the pages of tools/list, and finds tools by name.
 *
 * Tools are found by binary search, by name in |by_name| and by alias in |by_alias|. The keys of a
 * page are sorted, then merged with the keys of earlier pages; each earlier key moves at most once.
 */
#include "mcp/tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/locate.h"
#include "base/nearest.h"

#define SHOWN_MAX 64 /* bytes of untrusted text in an error */

/* On the heap and never moved, because tools point into it. */
struct cr_tools_page {
    struct cr_tools_page *before;
    struct cr_buf cursor;   /* of the next page, NUL-terminated; empty for the last page */
    struct cr_buf essences; /* of its tools, concatenated */
    char *names;            /* of its tools, and their aliases */
    char bytes[];           /* as received */
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
        cr_buf_clear(&page->essences);
        free(page->names);
        cr_buf_clear(&page->cursor);
        free(page);
    }
    free(t->list);
    free(t->by_name);
    free(t->by_alias);
    cr_buf_clear(&t->cursor);
    cr_tools_init(t);
}

/* --- what is wrong -------------------------------------------------------------------------- */

static int no_memory(struct cr_err *err)
{
    (void)cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a server's list of tools");
    return CAPRUN_E_NOMEM;
}

/* Fails with |before|, the untrusted |word|, truncated and escaped, and |after|. */
static int refuse_word(const char *before, const char *word, const char *after, struct cr_err *err)
{
    size_t len = strlen(word), cut = len < SHOWN_MAX ? len : SHOWN_MAX;
    struct cr_buf shown;
    const char *text;
    int r;

    while (cut < len && cut > 0 && ((uint8_t)word[cut] & 0xc0) == 0x80)
        cut--;
    cr_buf_init(&shown, 8 * SHOWN_MAX); /* escaping makes text at most six times as long */
    cr_escape_terminal(&shown, word, cut);
    text = cr_buf_text(&shown);
    r = text ? cr_err_set(err, CAPRUN_E_PEER, "%s '%s'%s %s", before, text, cut < len ? "..." : "",
                          after)
             : no_memory(err);
    cr_buf_clear(&shown);
    return r;
}

/* --- keys ----------------------------------------------------------------------------------- */

static bool is_identifier_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

/* Is |c| a later byte of a UTF-8 character? It adds no "_" to an alias. */
static bool is_continuation(char c)
{
    return ((uint8_t)c & 0xc0) == 0x80;
}

bool cr_tools_is_alias(const char *alias, const char *name)
{
    for (; *name; name++)
        if (!is_continuation(*name) && *alias++ != (is_identifier_char(*name) ? *name : '_'))
            return false;
    return !*alias;
}

/* Writes the alias of |name| to |ret|; it is not longer than |name|. Returns where it ends. */
static char *make_alias(const char *name, char *ret)
{
    for (; *name; name++)
        if (!is_continuation(*name))
            *ret++ = is_identifier_char(*name) ? *name : '_';
    *ret++ = '\0';
    return ret;
}

static int compare_keys(const void *a, const void *b)
{
    const struct cr_tools_key *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

/* Returns how many of the |count| sorted |keys| stand before |key|. */
static size_t place_of(const struct cr_tools_key *keys, size_t count, struct cr_tools_key key)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (compare_keys(&keys[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_key(const struct cr_tools_key *keys, size_t count, const char *text)
{
    size_t place = place_of(keys, count, (struct cr_tools_key){text, 0});

    return place < count && strcmp(keys[place].text, text) == 0;
}

/* Puts the |more| keys of |fresh| among the first |count| of |keys|; both are sorted. */
static void merge_keys(struct cr_tools_key *keys, size_t count, const struct cr_tools_key *fresh,
                       size_t more)
{
    while (more > 0) {
        size_t place = place_of(keys, count, fresh[more - 1]);

        memmove(keys + place + more, keys + place, (count - place) * sizeof(*keys));
        keys[place + more - 1] = fresh[more - 1];
        count = place;
        more--;
    }
}

/* --- pages ---------------------------------------------------------------------------------- */

static int grow(struct cr_tools *t, size_t more, struct cr_err *err)
{
    size_t cap = t->cap ? t->cap : 16;
    struct cr_tools_key **keys[] = {&t->by_name, &t->by_alias};
    struct cr_tool *list;

    if (more > CR_TOOLS_MAX - t->count)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the server lists more than %u tools",
                          CR_TOOLS_MAX);
    while (cap < t->count + more)
        cap *= 2;
    list = realloc(t->list, cap * sizeof(*list));
    if (!list)
        return no_memory(err);
    t->list = list;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct cr_tools_key *moved = realloc(*keys[i], cap * sizeof(*moved));

        if (!moved)
            return no_memory(err);
        *keys[i] = moved;
    }
    t->cap = cap;
    return 0;
}

/* Appends a tool to |t->list|, whose name points into the tree; adds the name's size to |bytes|. */
static int add_tool(struct cr_tools *t, const struct cJSON *json, size_t *bytes, struct cr_err *err)
{
    const struct cJSON *name = cr_json_get(json, "name");

    if (cr_json_type(json) != CR_JSON_OBJECT)
        return cr_err_set(err, CAPRUN_E_PEER, "tool %zu of the server's list is %s, not an object",
                          t->count + 1, cr_json_type_name(cr_json_type(json)));
    if (!name || cr_json_type(name) != CR_JSON_STRING || !cr_json_text(name)[0])
        return cr_err_set(err, CAPRUN_E_PEER, "tool %zu of the server's list has no 'name'",
                          t->count + 1);
    t->list[t->count++] = (struct cr_tool){.name = cr_json_text(name)};
    *bytes += strlen(cr_json_text(name)) + 1;
    return 0;
}

/* |fresh| has room for the keys of the tools from number |before| on. */
static int add_names(struct cr_tools *t, size_t before, struct cr_tools_key *fresh,
                     struct cr_err *err)
{
    size_t more = t->count - before;

    for (size_t i = 0; i < more; i++)
        fresh[i] = (struct cr_tools_key){t->list[before + i].name, before + i};
    qsort(fresh, more, sizeof(*fresh), compare_keys);
    for (size_t i = 0; i < more; i++)
        if ((i > 0 && strcmp(fresh[i - 1].text, fresh[i].text) == 0) ||
            has_key(t->by_name, before, fresh[i].text))
            return refuse_word("the server lists the tool", fresh[i].text, "twice", err);
    merge_keys(t->by_name, before, fresh, more);
    return 0;
}

static void add_aliases(struct cr_tools *t, size_t before, struct cr_tools_key *fresh, char *alias)
{
    size_t more = t->count - before;

    for (size_t i = 0; i < more; i++) {
        fresh[i] = (struct cr_tools_key){alias, before + i};
        alias = make_alias(t->list[before + i].name, alias);
    }
    qsort(fresh, more, sizeof(*fresh), compare_keys);
    merge_keys(t->by_alias, before, fresh, more);
}

/* Appends the pinned part of a definition, in canonical form. */
static void add_essence(const struct cJSON *tool, struct cr_buf *out)
{
    /* in the order of the canonical form */
    static const char *const keys[] = {"annotations", "description",  "inputSchema",
                                       "name",        "outputSchema", "title"};
    const char *between = "{";

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct cJSON *value = cr_json_get(tool, keys[i]);

        if (!value)
            continue;
        cr_buf_fmt(out, "%s\"%s\":", between, keys[i]);
        cr_json_canonical(out, value);
        between = ",";
    }
    cr_buf_str(out, "}");
}

/* Sets the pointers last: adding bytes may move the buffer. */
static int add_essences(struct cr_tools *t, size_t before, const struct cJSON *tools,
                        struct cr_err *err)
{
    struct cr_buf *out = &t->pages->essences;
    const struct cJSON *json = cr_json_first(tools);
    const char *at;

    for (size_t i = before; i < t->count; i++, json = cr_json_next(json)) {
        size_t start = out->len;

        add_essence(json, out);
        t->list[i].essence_len = out->len - start;
    }
    if (cr_buf_err(out))
        return no_memory(err);
    at = (const char *)out->data;
    for (size_t i = before; i < t->count; i++) {
        t->list[i].essence = at;
        at += t->list[i].essence_len;
    }
    return 0;
}

/* Finds the bytes of each definition in the page. */
static void add_bytes(struct cr_tools *t, size_t before, const struct cr_json_doc *doc,
                      const struct cJSON *tools)
{
    const char *at = doc->bytes + cr_json_place_of(doc, tools).at + 1;
    const char *end = doc->bytes + doc->len;
    struct cr_locate_child child;

    for (size_t i = before; cr_locate_next(&at, end, false, &child); i++) {
        at = cr_locate_end(at, end);
        t->list[i].bytes = child.value;
        t->list[i].len = (size_t)(at - child.value);
    }
}

/* Copies the names out of the tree, which is freed later. */
static void keep_names(struct cr_tools *t, size_t before, char *names)
{
    for (size_t i = before; i < t->count; i++) {
        size_t size = strlen(t->list[i].name) + 1;

        t->list[i].name = memcpy(names, t->list[i].name, size);
        names += size;
    }
}

static int add_tools(struct cr_tools *t, const struct cr_json_doc *doc, struct cr_err *err)
{
    const struct cJSON *tools = cr_json_get(doc->root, "tools");
    size_t before = t->count, count = cr_json_count(tools), bytes = 0;
    struct cr_tools_key *fresh;
    int r;

    if (!tools || cr_json_type(tools) != CR_JSON_ARRAY)
        return cr_err_set(err, CAPRUN_E_PEER,
                          "the server's answer to tools/list has no array 'tools'");
    r = grow(t, count, err);
    for (const struct cJSON *json = cr_json_first(tools); json && r == 0; json = cr_json_next(json))
        r = add_tool(t, json, &bytes, err);
    if (r < 0 || !bytes)
        return r;
    fresh = calloc(count, sizeof(*fresh));
    t->pages->names = malloc(2 * bytes); /* an alias is not longer than its name */
    if (!fresh || !t->pages->names) {
        free(fresh);
        return no_memory(err);
    }
    add_bytes(t, before, doc, tools);
    keep_names(t, before, t->pages->names);
    r = add_names(t, before, fresh, err);
    if (r == 0)
        add_aliases(t, before, fresh, t->pages->names + bytes);
    free(fresh);
    return r < 0 ? r : add_essences(t, before, tools, err);
}

static int set_cursor(struct cr_tools *t, const struct cJSON *cursor, struct cr_err *err)
{
    struct cr_buf *kept = &t->pages->cursor;

    t->cursor.len = 0;
    if (!cursor || cr_json_type(cursor) == CR_JSON_NULL)
        return 0;
    if (cr_json_type(cursor) != CR_JSON_STRING)
        return cr_err_set(err, CAPRUN_E_PEER, "'nextCursor' of the server's tools is %s, not %s",
                          cr_json_type_name(cr_json_type(cursor)),
                          cr_json_type_name(CR_JSON_STRING));
    for (const struct cr_tools_page *page = t->pages->before; page; page = page->before)
        if (page->cursor.data && strcmp((const char *)page->cursor.data, cr_json_text(cursor)) == 0)
            return refuse_word("the server's pages of tools form a loop: 'nextCursor'",
                               cr_json_text(cursor), "was used before", err);
    cr_escape_json_str(&t->cursor, cr_json_text(cursor));
    cr_buf_str(kept, cr_json_text(cursor));
    return cr_buf_err(&t->cursor) || !cr_buf_text(kept) ? no_memory(err) : 0;
}

static int check_limits(const struct cr_tools *t, size_t len, struct cr_err *err)
{
    if (t->page_count == CR_TOOLS_MAX_PAGES)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the server lists tools on more than %u pages",
                          CR_TOOLS_MAX_PAGES);
    if (len > CR_TOOLS_MAX_BYTES - t->bytes)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the server's tools take more than %u MiB",
                          CR_TOOLS_MAX_BYTES >> 20);
    return 0;
}

/* Copies and parses the page, and puts it in front of the others. */
static int keep_page(struct cr_tools *t, const char *result, size_t len, struct cr_json_doc *ret,
                     struct cr_err *err)
{
    struct cr_tools_page *page = malloc(sizeof(*page) + len);
    struct cr_err why = {0};
    int r;

    if (!page)
        return no_memory(err);
    *page = (struct cr_tools_page){.before = t->pages};
    cr_buf_init(&page->essences, CR_TOOLS_MAX_ESSENCES);
    cr_buf_init(&page->cursor, CR_TOOLS_MAX_BYTES);
    if (len)
        memcpy(page->bytes, result, len);
    r = cr_json_parse_within(page->bytes, len, CR_TOOLS_MAX_VALUES - t->values, ret, &why);
    if (r < 0) {
        free(page);
        return cr_err_set(err, r == CAPRUN_E_INVAL ? CAPRUN_E_PEER : r,
                          "the server's answer to tools/list cannot be read: %s", why.text);
    }
    t->pages = page;
    t->page_count++;
    t->bytes += len;
    t->values += ret->value_count;
    return 0;
}

int cr_tools_add_page(struct cr_tools *t, const char *result, size_t len, struct cr_err *err)
{
    struct cr_json_doc doc = {0};
    int r = check_limits(t, len, err);

    if (r == 0)
        r = keep_page(t, result, len, &doc, err);
    if (r == 0)
        r = add_tools(t, &doc, err);
    if (r == 0)
        r = set_cursor(t, cr_json_get(doc.root, "nextCursor"), err);
    cr_json_clear(&doc);
    return r;
}

/* --- searching ------------------------------------------------------------------------------ */

/* Returns the tool whose key is at |place|, if the key is |text|; else NULL. */
static const struct cr_tool *tool_at(const struct cr_tools *t, const struct cr_tools_key *keys,
                                     size_t place, const char *text)
{
    return place < t->count && strcmp(keys[place].text, text) == 0 ? &t->list[keys[place].at]
                                                                   : NULL;
}

const struct cr_tool *cr_tools_find(const struct cr_tools *t, const char *action,
                                    const struct cr_tool **ret_first,
                                    const struct cr_tool **ret_second)
{
    const struct cr_tools_key key = {action, 0};
    size_t by_name = place_of(t->by_name, t->count, key);
    size_t by_alias = place_of(t->by_alias, t->count, key);
    const struct cr_tool *exact = tool_at(t, t->by_name, by_name, action);
    const struct cr_tool *first = tool_at(t, t->by_alias, by_alias, action);
    const struct cr_tool *second = tool_at(t, t->by_alias, by_alias + 1, action);

    *ret_first = *ret_second = NULL;
    if (exact || !second)
        return exact ? exact : first;
    *ret_first = first;
    *ret_second = second;
    return NULL;
}

const char *cr_tools_nearest(const struct cr_tools *t, const char *action)
{
    const size_t beside = CR_TOOLS_COMPARED / 2;
    const char *names[CR_TOOLS_COMPARED];
    size_t place = place_of(t->by_name, t->count, (struct cr_tools_key){action, 0}), n = 0;

    if (t->count <= CR_TOOLS_COMPARED) {
        for (; n < t->count; n++)
            names[n] = t->list[n].name;
    } else {
        for (size_t i = place > beside ? place - beside : 0; i < place + beside && i < t->count;
             i++)
            names[n++] = t->by_name[i].text;
    }
    return cr_nearest(action, names, n);
}
