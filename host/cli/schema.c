/* schema.c - walks through a JSON Schema, to a bounded depth and number of rows. */
#include "cli/schema.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 8
#define MAX_STEPS 8 /* of a $ref */

struct walk {
    const struct cJSON *root;
    struct cr_schema_rows *rows;
    const struct cJSON *open[MAX_DEPTH]; /* the objects that contain this one */
};

static const char *text_of(const struct cJSON *schema, const char *key)
{
    const struct cJSON *value = cr_json_get(schema, key);

    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : NULL;
}

/* Returns what "#/$defs/name" refers to, or NULL. */
static const struct cJSON *find_place(const struct cJSON *root, const char *pointer)
{
    const struct cJSON *at = pointer[0] == '#' ? root : NULL;

    for (pointer++; at && *pointer == '/';) {
        char key[CR_SCHEMA_PATH];
        size_t len = strcspn(pointer + 1, "/");

        (void)snprintf(key, sizeof(key), "%.*s", (int)(len < sizeof(key) ? len : sizeof(key)),
                       pointer + 1);
        at = cr_json_get(at, key);
        pointer += 1 + len;
    }
    return at;
}

static const struct cJSON *resolve(const struct walk *w, const struct cJSON *schema)
{
    for (int i = 0; schema && i < MAX_STEPS; i++) {
        const char *reference = text_of(schema, "$ref");
        const struct cJSON *found = reference ? find_place(w->root, reference) : NULL;

        if (!found)
            break;
        schema = found;
    }
    return schema;
}

/* "string", or "string|null" for a list of types. */
static void show_types(const struct cJSON *type, char *ret, size_t size)
{
    size_t len = 0;

    ret[0] = '\0';
    if (cr_json_type(type) == CR_JSON_STRING)
        (void)snprintf(ret, size, "%s", cr_json_text(type));
    for (const struct cJSON *v = cr_json_first(type); v && len < size; v = cr_json_next(v))
        if (cr_json_type(v) == CR_JSON_STRING)
            len += (size_t)snprintf(ret + len, size - len, "%s%s", len ? "|" : "", cr_json_text(v));
}

static bool show_combination(const struct cJSON *schema, char *ret, size_t size)
{
    static const char *const keys[][2] = {
        {"anyOf", "any of"}, {"oneOf", "one of"}, {"allOf", "all of"}, {"enum", "one of"}};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct cJSON *list = cr_json_get(schema, keys[i][0]);

        if (!list)
            continue;
        (void)snprintf(ret, size, "%s %zu", keys[i][1], cr_json_count(list));
        return true;
    }
    return false;
}

static void show_type(const struct walk *w, const struct cJSON *schema, char *ret, size_t size)
{
    const struct cJSON *type = cr_json_get(schema, "type"), *items;
    char of[32];

    if (cr_json_is_bool(schema)) {
        (void)snprintf(ret, size, cr_json_type(schema) == CR_JSON_TRUE ? "any" : "none");
        return;
    }
    if (!type && show_combination(schema, ret, size))
        return;
    if (!type) {
        (void)snprintf(ret, size, "%s", cr_json_get(schema, "properties") ? "object" : "any");
        return;
    }
    show_types(type, ret, size);
    items = resolve(w, cr_json_get(schema, "items"));
    if (strcmp(ret, "array") != 0 || !items || !cr_json_get(items, "type"))
        return;
    show_types(cr_json_get(items, "type"), of, sizeof(of));
    (void)snprintf(ret, size, "array of %s", of);
}

static bool is_required(const struct cJSON *object, const char *name)
{
    const struct cJSON *v = cr_json_first(cr_json_get(object, "required"));

    while (v && (cr_json_type(v) != CR_JSON_STRING || strcmp(cr_json_text(v), name) != 0))
        v = cr_json_next(v);
    return v != NULL;
}

static void walk(struct walk *w, const struct cJSON *object, const char *path, int depth);

/* Adds the property |v| of |object|, then what is below it. */
static void add_row(struct walk *w, const struct cJSON *object, const struct cJSON *v,
                    const char *path, int depth)
{
    struct cr_schema_row *row = &w->rows->list[w->rows->count];
    const struct cJSON *schema = resolve(w, v);
    const struct cJSON *items = resolve(w, cr_json_get(schema, "items"));
    const char *key = cr_json_key(v);
    char below[CR_SCHEMA_PATH];

    if (w->rows->count == CR_SCHEMA_ROWS) {
        w->rows->is_cut = true;
        return;
    }
    w->rows->count++;
    *row = (struct cr_schema_row){.required = is_required(object, key),
                                  .value = cr_json_get(schema, "default"),
                                  .choices = cr_json_get(schema, "enum"),
                                  .description = cr_json_get(schema, "description")};
    if (cr_json_get(v, "description"))
        row->description = cr_json_get(v, "description");
    if (row->description && cr_json_type(row->description) != CR_JSON_STRING)
        row->description = NULL;
    (void)snprintf(row->path, sizeof(row->path), "%s%s%s", path, path[0] ? "." : "", key);
    show_type(w, schema, row->type, sizeof(row->type));
    walk(w, schema, row->path, depth + 1);
    if (!items)
        return;
    (void)snprintf(below, sizeof(below), "%s[]", row->path);
    walk(w, items, below, depth + 1);
}

static void walk(struct walk *w, const struct cJSON *object, const char *path, int depth)
{
    const struct cJSON *properties = cr_json_get(object, "properties");

    if (!properties || cr_json_type(properties) != CR_JSON_OBJECT)
        return;
    for (int i = 0; i < depth; i++)
        if (w->open[i] == object)
            return; /* a $ref to what it is in */
    if (depth == MAX_DEPTH) {
        w->rows->is_cut = true;
        return;
    }
    w->open[depth] = object;
    for (const struct cJSON *v = cr_json_first(properties); v; v = cr_json_next(v))
        add_row(w, object, v, path, depth);
}

void cr_schema_flatten(const struct cJSON *schema, struct cr_schema_rows *ret)
{
    struct walk w = {.root = schema, .rows = ret};

    ret->count = 0;
    ret->is_cut = false;
    walk(&w, resolve(&w, schema), "", 0);
}
