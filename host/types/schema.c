/* schema.c - one function for each kind of type, and the references between schemas. */
#include "types/schema.h"

#include <stdio.h>
#include <string.h>

#include "types/text.h"

#define MAX_DEPTH 40u
#define MAX_ALIASES 200u
#define MAX_LITERAL 1000u /* bytes; a longer one becomes `string` */
#define MAX_COMMENT 500u
#define MAX_REQUIRED 1000u   /* names of one schema; with more, none counts as required */
#define MAX_REFERENCES 1000u /* of one tool; further ones become `unknown` */

/* How a type is going to be used: where it needs parentheses. */
enum place { ALONE, IN_UNION, IN_INTERSECTION, IN_ARRAY };

struct writer {
    struct cr_buf *out;
    const struct cJSON *root;
    const char *name;
    /* schemas that have a declaration; those from |declared| on are still to be written */
    const struct cJSON *aliases[MAX_ALIASES];
    size_t alias_count;
    const struct cJSON *open[MAX_DEPTH]; /* that are being written here, not as declarations */
    unsigned depth;
    unsigned steps, references;
    size_t begin;  /* of this tool's text in |out| */
    bool may_name; /* inside of an object or array: a name may refer to itself */
    bool in_tuple; /* not inside of a tuple, whose optional members may not */
};

static void add_type(struct writer *w, const struct cJSON *schema, enum place place,
                     unsigned indent);

static void add(struct writer *w, const char *text)
{
    cr_buf_str(w->out, text);
}

static const struct cJSON *get(const struct cJSON *schema, const char *key)
{
    return cr_json_get(schema, key);
}

static const char *text_of(const struct cJSON *value)
{
    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : NULL;
}

static bool is(const struct cJSON *value, enum cr_json_type type)
{
    return value && cr_json_type(value) == type;
}

/* Appends a constant of "const" or "enum". */
static void add_constant(struct writer *w, const struct cJSON *value)
{
    const char *text = text_of(value);

    switch (cr_json_type(value)) {
    case CR_JSON_STRING:
        if (strlen(text) <= MAX_LITERAL)
            cr_types_literal(w->out, text);
        else
            add(w, "string");
        return;
    case CR_JSON_NUMBER:
        add(w, strlen(cr_json_text(value)) <= 20 ? cr_json_text(value) : "number");
        return;
    case CR_JSON_NULL:
    case CR_JSON_FALSE:
    case CR_JSON_TRUE:
        cr_json_print(w->out, value);
        return;
    case CR_JSON_ARRAY:
    case CR_JSON_OBJECT:
        add(w, "unknown");
        return;
    }
}

/* --- objects and arrays ------------------------------------------------------------------------
 */

/* Returns the names that are required; NULL if they are too many to compare with. */
static const struct cJSON *required_of(const struct cJSON *schema)
{
    const struct cJSON *list = get(schema, "required");

    return is(list, CR_JSON_ARRAY) && cr_json_count(list) <= MAX_REQUIRED ? list : NULL;
}

static bool is_in(const struct cJSON *list, const char *word)
{
    const struct cJSON *v = cr_json_first(list);

    while (v && !(text_of(v) && strcmp(text_of(v), word) == 0))
        v = cr_json_next(v);
    return v != NULL;
}

static void add_member(struct writer *w, const struct cJSON *required, const struct cJSON *property,
                       unsigned indent)
{
    const char *about = text_of(get(property, "description"));

    cr_types_spaces(w->out, indent);
    if (about)
        cr_types_comment(w->out, about, MAX_COMMENT, indent);
    cr_types_name(w->out, cr_json_key(property));
    add(w, is_in(required, cr_json_key(property)) ? ": " : "?: ");
    add_type(w, property, ALONE, indent);
    add(w, ";\n");
}

/* Is the same text in |list| before |value|? */
static bool is_before(const struct cJSON *list, const struct cJSON *value)
{
    const struct cJSON *v = cr_json_first(list);

    while (v != value && !(text_of(v) && strcmp(text_of(v), text_of(value)) == 0))
        v = cr_json_next(v);
    return v != value;
}

/* Adds members that are required, but not described. */
static void add_other_required(struct writer *w, const struct cJSON *schema,
                               const struct cJSON *required, unsigned indent)
{
    const struct cJSON *properties = get(schema, "properties");

    for (const struct cJSON *v = cr_json_first(required); v; v = cr_json_next(v)) {
        if (!text_of(v) || get(properties, text_of(v)) || is_before(required, v))
            continue;
        cr_types_spaces(w->out, indent);
        cr_types_name(w->out, text_of(v));
        add(w, ": unknown;\n");
    }
}

/* The type of members that the schema does not name, or NULL if it says nothing of them. */
static const struct cJSON *others(const struct cJSON *schema)
{
    const struct cJSON *more = get(schema, "additionalProperties");
    const struct cJSON *patterns = get(schema, "patternProperties");

    if (is(patterns, CR_JSON_OBJECT) && cr_json_first(patterns))
        return cr_json_next(cr_json_first(patterns)) ? patterns : cr_json_first(patterns);
    return more && cr_json_type(more) != CR_JSON_FALSE ? more : NULL;
}

static bool is_full(const struct writer *w)
{
    return w->steps > CR_TYPES_MAX_STEPS || w->out->len - w->begin > CR_TYPES_MAX_BYTES;
}

static void add_members(struct writer *w, const struct cJSON *schema, const struct cJSON *first,
                        bool has_more, unsigned indent)
{
    const struct cJSON *required = required_of(schema), *v = first;

    for (; v && !is_full(w); v = cr_json_next(v))
        add_member(w, required, v, indent);
    if (!v)
        add_other_required(w, schema, required, indent);
    if (v || has_more) {
        cr_types_spaces(w->out, indent);
        add(w, "[name: string]: unknown;\n");
    }
}

static void add_object(struct writer *w, const struct cJSON *schema, unsigned indent)
{
    const struct cJSON *properties = get(schema, "properties"), *more = others(schema);
    const struct cJSON *first = is(properties, CR_JSON_OBJECT) ? cr_json_first(properties) : NULL;
    bool could_name = w->may_name, was_in_tuple = w->in_tuple;
    bool has_members = first || cr_types_is_required(schema);

    w->may_name = true;
    w->in_tuple = false;
    if (has_members) {
        add(w, "{\n");
        add_members(w, schema, first, more != NULL, indent + 2);
        cr_types_spaces(w->out, indent);
        add(w, "}");
    } else if (more && more != get(schema, "patternProperties")) {
        add(w, "{ [name: string]: "); /* a Record<> must not refer to itself */
        add_type(w, more, ALONE, indent);
        add(w, " }");
    } else if (!more && (properties || get(schema, "additionalProperties"))) {
        add(w, "Record<string, never>");
    } else {
        add(w, "Record<string, unknown>");
    }
    w->in_tuple = was_in_tuple;
    w->may_name = could_name;
}

static bool read_number(const struct cJSON *value, uint64_t *ret)
{
    return value && cr_json_number(value, UINT32_MAX, ret) == 0;
}

/* Appends [first, second?, ...rest[]]. */
static void add_tuple(struct writer *w, const struct cJSON *schema, const struct cJSON *items,
                      const struct cJSON *rest, unsigned indent)
{
    uint64_t least = 0, at = 0;

    (void)read_number(get(schema, "minItems"), &least);
    add(w, "[");
    for (const struct cJSON *v = cr_json_first(items); v; v = cr_json_next(v), at++) {
        add(w, at ? ", " : "");
        add_type(w, v, at < least ? ALONE : IN_ARRAY, indent);
        add(w, at < least ? "" : "?");
    }
    if (!is(rest, CR_JSON_FALSE)) {
        add(w, at ? ", ..." : "...");
        add_type(w, rest, IN_ARRAY, indent);
        add(w, "[]");
    }
    add(w, "]");
}

static void add_array(struct writer *w, const struct cJSON *schema, unsigned indent)
{
    const struct cJSON *items = get(schema, "items"), *prefix = get(schema, "prefixItems");
    bool could_name = w->may_name, was_in_tuple = w->in_tuple;
    bool is_tuple = is(prefix, CR_JSON_ARRAY) && cr_json_first(prefix);

    w->in_tuple = was_in_tuple || is_tuple || is(items, CR_JSON_ARRAY);
    w->may_name = !w->in_tuple;
    if (is_tuple) {
        add_tuple(w, schema, prefix, items, indent);
    } else if (is(items, CR_JSON_ARRAY)) {
        add_tuple(w, schema, items, get(schema, "additionalItems"), indent);
    } else {
        add_type(w, items, IN_ARRAY, indent);
        add(w, "[]");
    }
    w->in_tuple = was_in_tuple;
    w->may_name = could_name;
}

/* --- references --------------------------------------------------------------------------------
 */

/* Decodes the next token of a JSON Pointer in a URI fragment; |pointer| is after the "/". */
static const char *next_token(const char *pointer, char *ret, size_t size)
{
    size_t n = 0;

    for (; *pointer && *pointer != '/'; pointer++) {
        unsigned byte = (uint8_t)*pointer;

        if (*pointer == '%' && sscanf(pointer + 1, "%2x", &byte) == 1)
            pointer += 2;
        else if (pointer[0] == '~' && (pointer[1] == '0' || pointer[1] == '1'))
            byte = *++pointer == '0' ? '~' : '/';
        if (!*pointer || n + 1 >= size)
            return NULL;
        ret[n++] = (char)byte;
    }
    ret[n] = '\0';
    return pointer;
}

/* Returns the child |token| of an object or array, or NULL. */
static const struct cJSON *child_of(const struct cJSON *value, const char *token)
{
    const struct cJSON *v;
    size_t at = 0;

    if (!is(value, CR_JSON_ARRAY))
        return get(value, token);
    if (!token[0] || token[strspn(token, "0123456789")] || strlen(token) > 6)
        return NULL;
    (void)sscanf(token, "%zu", &at);
    for (v = cr_json_first(value); v && at > 0; at--)
        v = cr_json_next(v);
    return v;
}

/* Returns what |ref|, "#" and a JSON Pointer, is in the schema; or NULL. */
static const struct cJSON *resolve(const struct writer *w, const char *ref)
{
    const struct cJSON *found = w->root;
    char token[256];

    if (*ref++ != '#')
        return NULL;
    while (found && *ref == '/') {
        ref = next_token(ref + 1, token, sizeof(token));
        if (!ref)
            return NULL;
        found = child_of(found, token);
    }
    return *ref ? NULL : found;
}

/* Returns the number of the declaration of |schema|, from 1, which is made if it is new; or 0. */
static size_t alias_of(struct writer *w, const struct cJSON *schema)
{
    for (size_t i = 0; i < w->alias_count; i++)
        if (w->aliases[i] == schema)
            return i + 1;
    if (w->alias_count == MAX_ALIASES)
        return 0;
    w->aliases[w->alias_count++] = schema;
    return w->alias_count;
}

static bool is_open(const struct writer *w, const struct cJSON *schema)
{
    for (unsigned i = 0; i < w->depth; i++)
        if (w->open[i] == schema)
            return true;
    return false;
}

/*
 * A declaration must not consist of itself. So a reference becomes a name only within an object or
 * array; elsewhere what it refers to is written here.
 */
static void add_reference(struct writer *w, const char *ref, enum place place, unsigned indent)
{
    const struct cJSON *schema = ++w->references > MAX_REFERENCES ? NULL : resolve(w, ref);
    size_t alias = schema && w->may_name ? alias_of(w, schema) : 0;

    if (alias)
        cr_buf_fmt(w->out, "%s_%zu", w->name, alias);
    else if (!schema || is_open(w, schema))
        add(w, "unknown");
    else
        add_type(w, schema, place, indent);
}

/* --- unions and intersections ------------------------------------------------------------------
 */

/* Returns what |schema| describes without saying its type, or NULL. */
static const char *implied_type(const struct cJSON *schema)
{
    if (get(schema, "properties") || get(schema, "additionalProperties") ||
        get(schema, "patternProperties"))
        return "object";
    return get(schema, "items") || get(schema, "prefixItems") ? "array" : NULL;
}

/* Has the type of |schema| less than all values? */
static bool says_something(const struct cJSON *schema)
{
    static const char *const keys[] = {"$ref", "type", "enum", "const", "anyOf", "oneOf", "allOf"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (get(schema, keys[i]))
            return true;
    return implied_type(schema) || is(schema, CR_JSON_FALSE);
}

/* Returns how many of |list| say something. */
static size_t count_saying(const struct cJSON *list)
{
    size_t count = 0;

    for (const struct cJSON *v = cr_json_first(list); v; v = cr_json_next(v))
        count += says_something(v);
    return count;
}

static void add_list(struct writer *w, const struct cJSON *list, const char *between,
                     enum place place, unsigned indent)
{
    const char *before = "";

    for (const struct cJSON *v = cr_json_first(list); v; v = cr_json_next(v)) {
        if (!says_something(v))
            continue;
        add(w, before);
        add_type(w, v, place, indent);
        before = between;
    }
}

static void add_enum(struct writer *w, const struct cJSON *values)
{
    const struct cJSON *first = cr_json_first(values);

    for (const struct cJSON *v = first; v; v = cr_json_next(v)) {
        add(w, v == first ? "" : " | ");
        add_constant(w, v);
    }
}

static void add_plain(struct writer *w, const struct cJSON *schema, const char *type,
                      unsigned indent)
{
    static const struct {
        const char *type, *written;
    } types[] = {
        {"string", "string"},   {"number", "number"}, {"integer", "number"},
        {"boolean", "boolean"}, {"null", "null"},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(type, types[i].type) == 0) {
            add(w, types[i].written);
            return;
        }
    }
    if (strcmp(type, "object") == 0)
        add_object(w, schema, indent);
    else if (strcmp(type, "array") == 0)
        add_array(w, schema, indent);
    else
        add(w, "unknown");
}

/* The part of a type that is not "anyOf", "oneOf", "allOf". Returns false if there is none. */
static bool add_base(struct writer *w, const struct cJSON *schema, unsigned indent)
{
    const struct cJSON *type = get(schema, "type"), *values = get(schema, "enum");
    const char *only = text_of(type) ? text_of(type) : type ? NULL : implied_type(schema);

    if (get(schema, "const")) {
        add_constant(w, get(schema, "const"));
    } else if (is(values, CR_JSON_ARRAY) && cr_json_first(values)) {
        add_enum(w, values);
    } else if (only) {
        add_plain(w, schema, only, indent);
    } else if (is(type, CR_JSON_ARRAY) && cr_json_first(type)) {
        for (const struct cJSON *v = cr_json_first(type); v; v = cr_json_next(v)) {
            add(w, v == cr_json_first(type) ? "" : " | ");
            add_plain(w, schema, text_of(v) ? text_of(v) : "", indent);
        }
    } else {
        return false;
    }
    return true;
}

/* Does the base consist of several types? */
static bool is_base_union(const struct cJSON *schema)
{
    const struct cJSON *list = get(schema, "const")  ? NULL
                               : get(schema, "enum") ? get(schema, "enum")
                                                     : get(schema, "type");

    return is(list, CR_JSON_ARRAY) && cr_json_count(list) > 1;
}

/* Returns the choices "anyOf" or "oneOf"; NULL if one of them allows everything. */
static const struct cJSON *choices_of(const struct cJSON *schema, const char *key)
{
    const struct cJSON *list = get(schema, key);
    size_t count = is(list, CR_JSON_ARRAY) ? count_saying(list) : 0;

    return count && count == cr_json_count(list) ? list : NULL;
}

/*
 * A base that only repeats the type of its choices would add nothing: {"type": "object", "anyOf":
 * [...]} is its choices.
 */
static bool only_repeats(const struct cJSON *schema)
{
    return !get(schema, "properties") && !get(schema, "enum") && !get(schema, "const") &&
           !get(schema, "items") && !get(schema, "required");
}

static void add_parts(struct writer *w, const struct cJSON *schema, enum place place,
                      unsigned indent)
{
    const struct cJSON *any = choices_of(schema, "anyOf"), *one = choices_of(schema, "oneOf");
    const struct cJSON *parts_of = get(schema, "allOf");
    const struct cJSON *all = count_saying(parts_of) ? parts_of : NULL;
    const char *ref = text_of(get(schema, "$ref"));
    bool has_base = !ref && !((any || one || all) && only_repeats(schema)) &&
                    (is(get(schema, "const"), CR_JSON_NULL) || get(schema, "const") ||
                     get(schema, "enum") || get(schema, "type") || implied_type(schema));
    unsigned parts = (unsigned)(ref || has_base) + (any ? 1 : 0) + (one ? 1 : 0) +
                     (all ? (count_saying(all) > 1 ? 2 : 1) : 0);
    bool is_null = is(get(schema, "nullable"), CR_JSON_TRUE);
    bool is_union = is_null || (parts == 1 && ((any && cr_json_count(any) > 1) ||
                                               (one && cr_json_count(one) > 1) ||
                                               (has_base && is_base_union(schema))));
    bool wraps = (is_union && place > IN_UNION) || (parts > 1 && place > IN_INTERSECTION);
    enum place inner = parts > 1 ? IN_INTERSECTION : is_union ? IN_UNION : wraps ? ALONE : place;
    const char *between = "";

    add(w, wraps ? "(" : "");
    if (ref) {
        add_reference(w, ref, inner, indent);
        between = " & ";
    } else if (has_base) {
        bool inside = parts > 1 && is_base_union(schema);

        add(w, inside ? "(" : "");
        if (!add_base(w, schema, indent))
            add(w, "unknown");
        add(w, inside ? ")" : "");
        between = " & ";
    }
    for (int i = 0; i < 2; i++) {
        const struct cJSON *list = i ? one : any;
        bool is_one = cr_json_count(list) == 1, inside = parts > 1 && !is_one;

        if (!list)
            continue;
        add(w, between);
        add(w, inside ? "(" : "");
        add_list(w, list, " | ", is_one ? inner : IN_UNION, indent);
        add(w, inside ? ")" : "");
        between = " & ";
    }
    if (all) {
        add(w, between);
        add_list(w, all, " & ", count_saying(all) > 1 ? IN_INTERSECTION : inner, indent);
    } else if (!parts) {
        add(w, "unknown");
    }
    add(w, is_null ? " | null" : "");
    add(w, wraps ? ")" : "");
}

static void add_type(struct writer *w, const struct cJSON *schema, enum place place,
                     unsigned indent)
{
    w->steps++;
    if (is(schema, CR_JSON_FALSE)) {
        add(w, "never");
    } else if (w->depth >= MAX_DEPTH || is_full(w) || !is(schema, CR_JSON_OBJECT)) {
        add(w, "unknown");
    } else {
        w->open[w->depth++] = schema;
        add_parts(w, schema, place, indent);
        w->depth--;
    }
}

void cr_types_schema(struct cr_buf *out, struct cr_buf *declarations, const char *name,
                     const struct cJSON *schema, unsigned indent)
{
    struct writer w = {.out = out, .begin = out->len, .root = schema, .name = name};

    add_type(&w, schema, ALONE, indent);
    w.out = declarations;
    w.begin = declarations->len;
    for (size_t i = 0; i < w.alias_count; i++) { /* grows meanwhile */
        w.may_name = false;
        cr_buf_fmt(declarations, "type %s_%zu = ", name, i + 1);
        add_type(&w, w.aliases[i], ALONE, 0);
        cr_buf_str(declarations, ";\n");
    }
}

bool cr_types_is_required(const struct cJSON *schema)
{
    const struct cJSON *required = get(schema, "required");

    return is(required, CR_JSON_ARRAY) && cr_json_first(required);
}
