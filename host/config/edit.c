/* edit.c - inserts items into the lists of a configuration, and replaces values, in its own form.
 */
#include "config/edit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define MAX_INDENT 64

/* The form of a file. */
struct form {
    const char *line_end;
    const char *colon, *comma; /* with the blanks after them */
    bool has_lines;            /* its members are on lines of their own */
    char unit[MAX_INDENT];     /* by which each level is indented */
};

struct edit {
    struct cr_json_doc doc;
    struct form form;
    struct cr_buf *out;
};

/* --- the form of a file ----------------------------------------------------------------------- */

static size_t line_start(const struct cr_json_doc *doc, size_t at)
{
    while (at > 0 && doc->bytes[at - 1] != '\n')
        at--;
    return at;
}

/* Is there nothing but blanks before |at| on its line? */
static bool is_first(const struct cr_json_doc *doc, size_t at)
{
    size_t start = line_start(doc, at);

    while (start < at && (doc->bytes[start] == ' ' || doc->bytes[start] == '\t'))
        start++;
    return start == at;
}

/* Writes the blanks at the beginning of the line that |at| is on. */
static void indent_of(const struct cr_json_doc *doc, size_t at, char ret[MAX_INDENT])
{
    size_t start = line_start(doc, at), len = 0;

    while (start + len < at && len < MAX_INDENT - 1 &&
           (doc->bytes[start + len] == ' ' || doc->bytes[start + len] == '\t'))
        len++;
    memcpy(ret, doc->bytes + start, len);
    ret[len] = '\0';
}

/* Is there a blank after the colons? */
static bool has_blanks(const struct cr_json_doc *doc, const struct cJSON *member)
{
    size_t at = cr_json_place_of(doc, member).at;

    return at > 0 && doc->bytes[at - 1] != ':';
}

static void find_form(const struct cr_json_doc *doc, struct form *ret)
{
    const struct cJSON *first = cr_json_first(doc->root);
    size_t root = cr_json_place_of(doc, doc->root).at, at;
    char indent[MAX_INDENT], outer[MAX_INDENT];

    *ret = (struct form){.line_end = "\n", .colon = ": ", .comma = ", ", .unit = "  "};
    if (memmem(doc->bytes, doc->len, "\r\n", 2))
        ret->line_end = "\r\n";
    ret->has_lines = !first;
    if (!first)
        return;
    if (!has_blanks(doc, first)) {
        ret->colon = ":";
        ret->comma = ",";
    }
    at = cr_json_place_of(doc, first).key_at;
    ret->has_lines = line_start(doc, at) > root;
    indent_of(doc, at, indent);
    indent_of(doc, root, outer);
    if (ret->has_lines && is_first(doc, at) && strlen(indent) > strlen(outer))
        (void)snprintf(ret->unit, sizeof(ret->unit), "%s", indent + strlen(outer));
}

/* --- new values ------------------------------------------------------------------------------- */

static void add_line(struct edit *e, const char *indent, int levels)
{
    cr_buf_fmt(e->out, "%s%s", e->form.line_end, indent);
    while (levels-- > 0)
        cr_buf_str(e->out, e->form.unit);
}

/* Items for a list. */
struct items {
    const char *list;
    const char *const *json;
    size_t count;
};

/* Rules are long: each gets a line, if the file has lines. */
static bool want_lines(const struct edit *e, const struct items *items)
{
    return e->form.has_lines && strcmp(items->list, "rules") == 0;
}

static void add_list(struct edit *e, const struct items *items, const char *indent, int levels)
{
    bool lines = want_lines(e, items);

    cr_buf_str(e->out, "[");
    for (size_t i = 0; i < items->count; i++) {
        cr_buf_str(e->out, i == 0 ? "" : lines ? "," : e->form.comma);
        if (lines)
            add_line(e, indent, levels + 1);
        cr_buf_str(e->out, items->json[i]);
    }
    if (lines)
        add_line(e, indent, levels);
    cr_buf_str(e->out, "]");
}

/* Appends "allow": ["x"], on a line that is indented by |levels| more than |indent|. */
static void add_list_member(struct edit *e, const struct items *items, const char *indent,
                            int levels)
{
    cr_buf_fmt(e->out, "\"%s\"%s", items->list, e->form.colon);
    add_list(e, items, indent, levels);
}

/* Appends {"allow": ["x"]}. */
static void add_permissions(struct edit *e, const struct items *items, const char *indent,
                            int levels)
{
    cr_buf_str(e->out, "{");
    if (e->form.has_lines)
        add_line(e, indent, levels + 1);
    add_list_member(e, items, indent, levels + 1);
    if (e->form.has_lines)
        add_line(e, indent, levels);
    cr_buf_str(e->out, "}");
}

static void add_permissions_member(struct edit *e, const struct items *items, const char *indent,
                                   int levels)
{
    cr_buf_fmt(e->out, "\"permissions\"%s", e->form.colon);
    add_permissions(e, items, indent, levels);
}

/* --- where they go ---------------------------------------------------------------------------- */

static const struct cJSON *last_of(const struct cJSON *parent)
{
    const struct cJSON *last = cr_json_first(parent);

    while (last && cr_json_next(last))
        last = cr_json_next(last);
    return last;
}

/* Copies the text before |at|. */
static void copy_before(struct edit *e, size_t at)
{
    cr_buf_add(e->out, e->doc.bytes, at);
}

static void copy_after(struct edit *e, size_t at)
{
    cr_buf_add(e->out, e->doc.bytes + at, e->doc.len - at);
}

/*
 * Copies the text up to the end of the last child of |parent|, and appends what separates it from
 * another child. Writes the indentation of the line, and returns where the text goes on.
 */
static size_t begin_child(struct edit *e, const struct cJSON *parent, char ret_indent[MAX_INDENT])
{
    struct cr_json_place place = cr_json_place_of(&e->doc, last_of(parent));
    size_t end = place.at + place.len;

    copy_before(e, end);
    indent_of(&e->doc, place.key_at, ret_indent);
    if (is_first(&e->doc, place.key_at)) {
        cr_buf_str(e->out, ",");
        add_line(e, ret_indent, 0);
    } else {
        cr_buf_str(e->out, e->form.comma);
    }
    return end;
}

/* Adds a member to |object|: after the others, or with braces instead of the empty |object|. */
static void add_member(struct edit *e, const struct cJSON *object, const struct items *items,
                       void (*add)(struct edit *e, const struct items *items, const char *indent,
                                   int levels))
{
    struct cr_json_place place = cr_json_place_of(&e->doc, object);
    char indent[MAX_INDENT];

    if (cr_json_first(object)) {
        size_t end = begin_child(e, object, indent);

        add(e, items, indent, 0);
        copy_after(e, end);
        return;
    }
    copy_before(e, place.at);
    indent_of(&e->doc, place.key_at, indent);
    cr_buf_str(e->out, "{");
    if (e->form.has_lines)
        add_line(e, indent, 1);
    add(e, items, indent, 1);
    if (e->form.has_lines)
        add_line(e, indent, 0);
    cr_buf_str(e->out, "}");
    copy_after(e, place.at + place.len);
}

/* Adds items to the list |array|. */
static void add_items(struct edit *e, const struct cJSON *array, const struct items *items)
{
    struct cr_json_place place = cr_json_place_of(&e->doc, array);
    char indent[MAX_INDENT];
    bool lines;
    size_t end;

    if (!cr_json_first(array)) {
        copy_before(e, place.at);
        indent_of(&e->doc, place.key_at, indent);
        add_list(e, items, indent, 0);
        copy_after(e, place.at + place.len);
        return;
    }
    lines = is_first(&e->doc, cr_json_place_of(&e->doc, last_of(array)).key_at);
    end = begin_child(e, array, indent);
    for (size_t i = 0; i < items->count; i++) {
        cr_buf_str(e->out, i == 0 ? "" : lines ? "," : e->form.comma);
        if (i > 0 && lines)
            add_line(e, indent, 0);
        cr_buf_str(e->out, items->json[i]);
    }
    copy_after(e, end);
}

/* --- edits ------------------------------------------------------------------------------------ */

static int begin(struct edit *e, const char *text, size_t len, struct cr_buf *out,
                 struct cr_err *err)
{
    int r = cr_json_parse(text, len, &e->doc, err);

    e->out = out;
    if (r < 0)
        return r;
    if (cr_json_type(e->doc.root) == CR_JSON_OBJECT) {
        find_form(&e->doc, &e->form);
        return 0;
    }
    cr_json_clear(&e->doc);
    return cr_err_set(err, CAPRUN_E_INVAL, "the configuration is not an object");
}

static int end(struct edit *e, struct cr_err *err)
{
    cr_json_clear(&e->doc);
    if (cr_buf_err(e->out))
        return cr_err_set(err, cr_buf_err(e->out), "no room for the changed configuration");
    return 0;
}

/* The text of a file that does not exist yet. */
static int add_to_nothing(const struct items *items, struct cr_buf *out, struct cr_err *err)
{
    struct edit e = {0};
    int r = begin(&e, "{}", 2, out, err);

    if (r < 0)
        return r;
    add_member(&e, e.doc.root, items, add_permissions_member);
    cr_buf_str(out, "\n");
    return end(&e, err);
}

int cr_edit_add(const char *text, size_t len, const char *list, const char *const *items,
                size_t count, struct cr_buf *out, struct cr_err *err)
{
    const struct items new_items = {list, items, count};
    const struct cJSON *permissions, *array;
    struct edit e = {0};
    int r;

    if (!len)
        return add_to_nothing(&new_items, out, err);
    r = begin(&e, text, len, out, err);
    if (r < 0)
        return r;
    permissions = cr_json_get(e.doc.root, "permissions");
    array = cr_json_get(permissions, list);
    if (!permissions)
        add_member(&e, e.doc.root, &new_items, add_permissions_member);
    else if (!array)
        add_member(&e, permissions, &new_items, add_list_member);
    else
        add_items(&e, array, &new_items);
    return end(&e, err);
}

/* Returns the value that |pointer| names, or NULL. Keys of a configuration need no escapes. */
static const struct cJSON *find_value(const struct cJSON *value, const char *pointer)
{
    while (value && *pointer == '/') {
        size_t len = strcspn(pointer + 1, "/");
        const struct cJSON *child = cr_json_first(value);
        unsigned long index = strtoul(pointer + 1, NULL, 10);

        if (cr_json_type(value) == CR_JSON_ARRAY)
            while (child && index-- > 0)
                child = cr_json_next(child);
        else
            while (child &&
                   (strncmp(cr_json_key(child), pointer + 1, len) != 0 || cr_json_key(child)[len]))
                child = cr_json_next(child);
        value = child;
        pointer += len + 1;
    }
    return value;
}

int cr_edit_set(const char *text, size_t len, const char *pointer, const char *json,
                struct cr_buf *out, struct cr_err *err)
{
    const struct cJSON *value;
    struct edit e = {0};
    int r = begin(&e, text, len, out, err);

    if (r < 0)
        return r;
    value = find_value(e.doc.root, pointer);
    if (value) {
        struct cr_json_place place = cr_json_place_of(&e.doc, value);

        copy_before(&e, place.at);
        cr_buf_str(out, json);
        copy_after(&e, place.at + place.len);
        return end(&e, err);
    }
    cr_json_clear(&e.doc);
    return cr_err_set(err, CAPRUN_E_INVAL, "the configuration has no %s", pointer);
}

/* Copies all except |item| of |list|, and what separates it from the others. */
static void remove_item(struct edit *e, const struct cJSON *list, const struct cJSON *item)
{
    const struct cJSON *before = NULL, *after = cr_json_next(item);
    struct cr_json_place place = cr_json_place_of(&e->doc, item), other;
    size_t from = place.at, to = place.at + place.len;

    for (const struct cJSON *v = cr_json_first(list); v != item; v = cr_json_next(v))
        before = v;
    if (after) {
        to = cr_json_place_of(&e->doc, after).at;
    } else if (before) {
        other = cr_json_place_of(&e->doc, before);
        from = other.at + other.len;
    } else {
        other = cr_json_place_of(&e->doc, list);
        from = other.at + 1;
        to = other.at + other.len - 1;
    }
    copy_before(e, from);
    copy_after(e, to);
}

int cr_edit_remove(const char *text, size_t len, const char *pointer, struct cr_buf *out,
                   struct cr_err *err)
{
    const struct cJSON *item, *list;
    struct edit e = {0};
    int r = begin(&e, text, len, out, err);

    if (r < 0)
        return r;
    item = find_value(e.doc.root, pointer);
    list = item ? cr_json_parent(&e.doc, item) : NULL;
    if (list && cr_json_type(list) == CR_JSON_ARRAY) {
        remove_item(&e, list, item);
        return end(&e, err);
    }
    cr_json_clear(&e.doc);
    return cr_err_set(err, CAPRUN_E_INVAL, "the configuration has no list with %s", pointer);
}
