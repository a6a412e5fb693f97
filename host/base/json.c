/*
 * json.c - builds cJSON trees of texts that the scanner has accepted, and reads them.
 *
 * The values are counted first, because counting is cheap and stops at the limit: a text with too
 * many values costs no scan and no memory. Then the scanner checks the text. Then cJSON parses a
 * copy in which every number is replaced by 0: cJSON would convert numbers to doubles, with the
 * decimal point of the process's locale, and cannot read more than 63 digits. The texts of the
 * numbers are added to the tree afterwards.
 *
 * Functions here recurse as deep as the text, which the scanner limits to CR_SCAN_MAX_DEPTH.
 */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include <cJSON.c> /* a system header to the compiler, and its functions are static: third_party */

#include "base/escape.h"
#include "base/locate.h"
#include "base/scan.h"

#define MAX_EXACT (UINT64_C(1) << 53) /* a double holds all whole numbers up to here exactly */

_Static_assert(CJSON_NESTING_LIMIT >= CR_SCAN_MAX_DEPTH, "cJSON reads what the scanner accepts");

/*
 * Returns the number of values in |text|; stops with a number over |max| if there are more. Each
 * value except the first follows a comma or an opening bracket. For a text that is not JSON, the
 * number has no meaning.
 */
static size_t count_values(const char *text, size_t len, size_t max)
{
    const char *end = text + len;
    size_t count = 1;
    char last = '\0'; /* the last byte that is not a space */

    while (text < end && count <= max) {
        char c = *text;

        text = c == '"' ? cr_locate_string_end(text, end) : text + 1;
        if (cr_locate_is_space(c))
            continue;
        if (c == ',' || ((last == '[' || last == '{') && c != ']' && c != '}'))
            count++;
        last = c;
    }
    return count;
}

/* Returns the next number at or after |at|, or NULL. The scanner has accepted the text. */
static const char *next_number(const char *at, const char *end, size_t *ret_len)
{
    while (at < end && *at != '-' && (*at < '0' || *at > '9'))
        at = *at == '"' ? cr_locate_string_end(at, end) : at + 1;
    if (at == end)
        return NULL;
    *ret_len = 1;
    while (at + *ret_len < end && strchr("0123456789+-.eE", at[*ret_len]))
        (*ret_len)++;
    return at;
}

/* Copies |text| with 0 and spaces in place of each number. Returns NULL without memory. */
static char *without_numbers(const char *text, size_t len)
{
    char *copy = malloc(len + 1);
    const char *number, *end = text + len;
    size_t digits = 0;

    if (!copy)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    for (const char *at = text; (number = next_number(at, end, &digits)); at = number + digits) {
        memset(copy + (number - text), ' ', digits);
        copy[number - text] = '0';
    }
    return copy;
}

/* Gives each number of |tree| its text. Tree and text have the numbers in the same order. */
static bool add_numbers(cJSON *tree, const char **at, const char *end)
{
    size_t len = 0;

    for (cJSON *value = tree; value; value = value->next) {
        if (cJSON_IsNumber(value)) {
            const char *number = next_number(*at, end, &len);

            value->valuestring = number ? strndup(number, len) : NULL;
            if (!value->valuestring)
                return false;
            *at = number + len;
        } else if (value->child && !add_numbers(value->child, at, end)) {
            return false;
        }
    }
    return true;
}

static cJSON *build_tree(const char *text, size_t len)
{
    char *copy = without_numbers(text, len);
    cJSON *tree = copy ? cJSON_ParseWithLengthOpts(copy, len + 1, NULL, true) : NULL;

    free(copy);
    if (tree && !add_numbers(tree, &text, text + len)) {
        cJSON_Delete(tree);
        tree = NULL;
    }
    return tree;
}

int cr_json_parse_within(const void *bytes, size_t len, size_t max_values, struct cr_json_doc *ret,
                         struct cr_err *err)
{
    size_t count = count_values(bytes, len, max_values);
    cJSON *tree;
    int r;

    if (count > max_values)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the JSON has more than %zu values", max_values);
    r = cr_scan_json(bytes, len, CR_SCAN_STRICT, err);
    if (r < 0)
        return r;
    tree = build_tree(bytes, len);
    if (!tree)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for %zu bytes of JSON", len);
    *ret = (struct cr_json_doc){.bytes = bytes, .len = len, .root = tree, .value_count = count};
    return 0;
}

int cr_json_parse(const void *bytes, size_t len, struct cr_json_doc *ret, struct cr_err *err)
{
    return cr_json_parse_within(bytes, len, CR_JSON_MAX_VALUES, ret, err);
}

void cr_json_clear(struct cr_json_doc *doc)
{
    cJSON_Delete(doc->root);
    *doc = (struct cr_json_doc){0};
}

/* --- values --------------------------------------------------------------------------------- */

enum cr_json_type cr_json_type(const struct cJSON *value)
{
    switch (value->type & 0xff) {
    case cJSON_False:
        return CR_JSON_FALSE;
    case cJSON_True:
        return CR_JSON_TRUE;
    case cJSON_Number:
        return CR_JSON_NUMBER;
    case cJSON_String:
        return CR_JSON_STRING;
    case cJSON_Array:
        return CR_JSON_ARRAY;
    case cJSON_Object:
        return CR_JSON_OBJECT;
    default:
        return CR_JSON_NULL;
    }
}

const char *cr_json_key(const struct cJSON *value)
{
    return value->string;
}

const char *cr_json_text(const struct cJSON *value)
{
    return value->valuestring;
}

const struct cJSON *cr_json_first(const struct cJSON *value)
{
    return value ? value->child : NULL;
}

const struct cJSON *cr_json_next(const struct cJSON *child)
{
    return child->next;
}

size_t cr_json_count(const struct cJSON *value)
{
    size_t count = 0;

    for (const cJSON *child = cr_json_first(value); child; child = child->next)
        count++;
    return count;
}

const struct cJSON *cr_json_get(const struct cJSON *object, const char *key)
{
    return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

bool cr_json_is_bool(const struct cJSON *value)
{
    return cJSON_IsBool(value);
}

int cr_json_number(const struct cJSON *value, uint64_t max, uint64_t *ret)
{
    uint64_t number = 0;

    if (!cJSON_IsNumber(value) || value->valuestring[strspn(value->valuestring, "0123456789")])
        return CAPRUN_E_INVAL;
    if (max > MAX_EXACT)
        max = MAX_EXACT;
    for (const char *c = value->valuestring; *c; c++) {
        uint64_t digit = (uint64_t)(*c - '0');

        if (digit > max || number > (max - digit) / 10)
            return CAPRUN_E_TOOBIG;
        number = number * 10 + digit;
    }
    *ret = number;
    return 0;
}

const char *cr_json_type_name(enum cr_json_type type)
{
    static const char *const names[] = {
        [CR_JSON_NULL] = "null",       [CR_JSON_FALSE] = "false",     [CR_JSON_TRUE] = "true",
        [CR_JSON_NUMBER] = "a number", [CR_JSON_STRING] = "a string", [CR_JSON_ARRAY] = "an array",
        [CR_JSON_OBJECT] = "an object"};

    return names[type];
}

/* --- places --------------------------------------------------------------------------------- */

/* The nodes on the path to a value, without the root. */
struct path {
    const cJSON *nodes[CR_SCAN_MAX_DEPTH + 1];
    size_t len;
};

/* Returns whether |value| is in |tree|, and adds the path to it. */
static bool find_path(struct path *path, const cJSON *tree, const cJSON *value)
{
    if (tree == value)
        return true;
    for (const cJSON *child = tree->child; child; child = child->next) {
        path->nodes[path->len++] = child;
        if (find_path(path, child, value))
            return true;
        path->len--;
    }
    return false;
}

static void add_token(struct cr_buf *out, const char *key)
{
    cr_buf_str(out, "/");
    for (; *key; key++) {
        if (*key == '~')
            cr_buf_str(out, "~0");
        else if (*key == '/')
            cr_buf_str(out, "~1");
        else
            cr_buf_add(out, key, 1);
    }
}

void cr_json_pointer(struct cr_buf *out, const struct cr_json_doc *doc, const struct cJSON *value)
{
    const cJSON *parent = doc->root;
    struct path path = {.len = 0};

    (void)find_path(&path, doc->root, value);
    for (size_t i = 0; i < path.len; parent = path.nodes[i++]) {
        const cJSON *child = parent->child;
        size_t index = 0;

        for (; child != path.nodes[i]; child = child->next)
            index++;
        if (child->string)
            add_token(out, child->string);
        else
            cr_buf_fmt(out, "/%zu", index);
    }
}

const struct cJSON *cr_json_parent(const struct cr_json_doc *doc, const struct cJSON *value)
{
    struct path path = {.len = 0};

    (void)find_path(&path, doc->root, value);
    return !path.len ? NULL : path.len == 1 ? doc->root : path.nodes[path.len - 2];
}

struct search {
    const cJSON *value;
    const char *text, *end;
    struct cr_json_place found;
};

/*
 * Walks along |tree| and its text, which begins at |at|; moves |at| past it. Returns true if the
 * value was found.
 */
static bool find_place(struct search *s, const cJSON *tree, const char *key, const char **at)
{
    bool in_object = cJSON_IsObject(tree);
    struct cr_locate_child child;

    if (tree == s->value) {
        s->found = (struct cr_json_place){.at = (size_t)(*at - s->text),
                                          .len = (size_t)(cr_locate_end(*at, s->end) - *at),
                                          .key_at = (size_t)((key ? key : *at) - s->text)};
        return true;
    }
    if (!in_object && !cJSON_IsArray(tree)) {
        *at = cr_locate_end(*at, s->end);
        return false;
    }
    (*at)++;
    for (tree = tree->child; cr_locate_next(at, s->end, in_object, &child); tree = tree->next)
        if (find_place(s, tree, child.key, at))
            return true;
    return false;
}

struct cr_json_place cr_json_place_of(const struct cr_json_doc *doc, const struct cJSON *value)
{
    struct search s = {.value = value, .text = doc->bytes, .end = doc->bytes + doc->len};
    const char *at = doc->bytes;

    while (cr_locate_is_space(*at))
        at++;
    (void)find_place(&s, doc->root, NULL, &at);
    return s.found;
}

void cr_json_line_of(const struct cr_json_doc *doc, size_t at, size_t *ret_line, size_t *ret_column)
{
    size_t line = 1, start = 0;

    for (size_t i = 0; i < at; i++) {
        if (doc->bytes[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    *ret_line = line;
    *ret_column = at - start + 1;
}

/* --- text ----------------------------------------------------------------------------------- */

static void write_value(struct cr_buf *out, const cJSON *value, bool sorted);

static int compare_keys(const void *a, const void *b)
{
    const cJSON *const *x = a, *const *y = b;

    return strcmp((*x)->string, (*y)->string);
}

static void write_child(struct cr_buf *out, const cJSON *child, bool is_first, bool sorted)
{
    cr_buf_str(out, is_first ? "" : ",");
    if (child->string) {
        cr_escape_json_str(out, child->string);
        cr_buf_str(out, ":");
    }
    write_value(out, child, sorted);
}

static void write_sorted(struct cr_buf *out, const cJSON *object)
{
    const cJSON **members = calloc(cr_json_count(object) + 1, sizeof(const cJSON *));
    size_t n = 0;

    if (!members) {
        out->err = CAPRUN_E_NOMEM;
        return;
    }
    for (const cJSON *child = object->child; child; child = child->next)
        members[n++] = child;
    qsort(members, n, sizeof(const cJSON *), compare_keys);
    for (size_t i = 0; i < n; i++)
        write_child(out, members[i], i == 0, true);
    free(members);
}

static void write_value(struct cr_buf *out, const cJSON *value, bool sorted)
{
    static const char *const words[] = {
        [CR_JSON_NULL] = "null", [CR_JSON_FALSE] = "false", [CR_JSON_TRUE] = "true"};
    enum cr_json_type type = cr_json_type(value);

    if (type == CR_JSON_STRING) {
        cr_escape_json_str(out, value->valuestring);
    } else if (type < CR_JSON_ARRAY) {
        cr_buf_str(out, type == CR_JSON_NUMBER ? value->valuestring : words[type]);
    } else {
        cr_buf_str(out, type == CR_JSON_ARRAY ? "[" : "{");
        if (type == CR_JSON_OBJECT && sorted)
            write_sorted(out, value);
        else
            for (const cJSON *child = value->child; child; child = child->next)
                write_child(out, child, child == value->child, sorted);
        cr_buf_str(out, type == CR_JSON_ARRAY ? "]" : "}");
    }
}

void cr_json_print(struct cr_buf *out, const struct cJSON *value)
{
    write_value(out, value, false);
}

void cr_json_canonical(struct cr_buf *out, const struct cJSON *value)
{
    write_value(out, value, true);
}
