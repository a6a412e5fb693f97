/*
 * json.c - three passes over a text: the values are counted, the scanner checks, the tree is built.
 *
 * Counting is first because it is cheap and stops at the ceiling: a text with too many values costs
 * no scan and no memory. Nothing here checks grammar: the scanner does. What is read past the end
 * of a token is still inside the text, because the text ends with a whole value.
 */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/scan.h"
#include "base/unescape.h"
#include "base/utf8.h"

struct build {
    const char *text;
    size_t at, len;
    struct cr_json *values;
    size_t count;
    char *strings; /* where the next unescaped string goes */
};

/* |at| is at the first quote. Returns what is behind the last, or |end|. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : end;
}

/*
 * Returns the number of values in |text|, or a number over |max| as soon as there are so many. Each
 * value except the first follows a comma or an opening bracket. A text that is not JSON has some
 * number, too.
 */
static size_t count_values(const char *text, size_t len, size_t max)
{
    size_t count = 1, at = 0;
    char last = '\0'; /* the last byte that is not a space */

    while (at < len && count <= max) {
        char c = text[at];

        at = c == '"' ? (size_t)(skip_string(text + at, text + len) - text) : at + 1;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            continue;
        if (c == ',' || ((last == '[' || last == '{') && c != ']' && c != '}'))
            count++;
        last = c;
    }
    return count;
}

static void skip_space(struct build *b)
{
    while (b->at < b->len && strchr(" \t\r\n", b->text[b->at]))
        b->at++;
}

/* Takes an escape. The scanner has made sure that it is one, and no half of a surrogate pair. */
static void take_escape(struct build *b)
{
    const uint8_t *text = (const uint8_t *)b->text;
    uint32_t c = 0;

    b->at += cr_unescape_one(text + b->at, text + b->len, &c);
    b->strings += cr_utf8_encode(c, (uint8_t *)b->strings);
}

/* Takes a string, quotes included, and returns it unescaped. */
static const char *take_string(struct build *b)
{
    const char *made = b->strings;

    b->at++;
    while (b->text[b->at] != '"') {
        if (b->text[b->at] == '\\')
            take_escape(b);
        else
            *b->strings++ = b->text[b->at++];
    }
    b->at++;
    *b->strings++ = '\0';
    return made;
}

/* Takes a number or a word. */
static const char *take_word(struct build *b)
{
    const char *made = b->strings;

    while (b->at < b->len && !strchr(" \t\r\n,]}", b->text[b->at]))
        *b->strings++ = b->text[b->at++];
    *b->strings++ = '\0';
    return made;
}

static void take_scalar(struct build *b, struct cr_json *value)
{
    switch (b->text[b->at]) {
    case '"':
        value->type = CR_JSON_STRING;
        value->text = take_string(b);
        break;
    case 't':
        value->type = CR_JSON_TRUE;
        (void)take_word(b);
        break;
    case 'f':
        value->type = CR_JSON_FALSE;
        (void)take_word(b);
        break;
    case 'n':
        value->type = CR_JSON_NULL;
        (void)take_word(b);
        break;
    default:
        value->type = CR_JSON_NUMBER;
        value->text = take_word(b);
        break;
    }
    value->len = b->at - value->at;
}

static void take_key(struct build *b, struct cr_json *value)
{
    skip_space(b);
    value->key_at = b->at;
    value->key = take_string(b);
    skip_space(b);
    b->at++; /* the colon */
}

/* Begins the next value. Returns it; one that has children is open until close_value(). */
static struct cr_json *begin_value(struct build *b, const struct cr_json *parent)
{
    struct cr_json *value = &b->values[b->count++];

    *value = (struct cr_json){.parent = parent};
    if (parent && parent->type == CR_JSON_OBJECT)
        take_key(b, value);
    skip_space(b);
    value->at = b->at;
    if (!value->key)
        value->key_at = b->at;
    if (b->text[b->at] == '{' || b->text[b->at] == '[') {
        value->type = b->text[b->at] == '{' ? CR_JSON_OBJECT : CR_JSON_ARRAY;
        b->at++;
    } else {
        take_scalar(b, value);
    }
    return value;
}

static bool is_open(const struct cr_json *value)
{
    return value->type >= CR_JSON_ARRAY && value->len == 0;
}

/* Without recursion: the text may be as deep as the scanner allows, and the caller's stack small.
 */
static void build_tree(struct build *b)
{
    struct cr_json *open = begin_value(b, NULL), *last = open, *value;

    while (open && is_open(open)) {
        skip_space(b);
        if (b->text[b->at] == ',') {
            b->at++;
        } else if (strchr("]}", b->text[b->at])) {
            open->len = ++b->at - open->at;
            last = open;
            open = &b->values[open->parent ? open->parent - b->values : 0];
            continue;
        }
        value = begin_value(b, open);
        if (open->count++)
            last->next = value;
        else
            open->first = value;
        last = value;
        if (is_open(value))
            open = value;
    }
}

int cr_json_parse_within(const void *bytes, size_t len, size_t max_values, struct cr_json_doc *ret,
                         struct cr_err *err)
{
    struct build b = {.text = bytes, .len = len};
    size_t count = count_values(b.text, len, max_values);
    int r;

    if (count > max_values)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the JSON has more than %zu values", max_values);
    r = cr_scan_json(bytes, len, CR_SCAN_STRICT, err);
    if (r < 0)
        return r;
    b.values = calloc(count, sizeof(*b.values));
    /* a string loses two quotes and gets a NUL, a number gets one and a byte follows it */
    b.strings = malloc(len + 1);
    if (!b.values || !b.strings) {
        free(b.values);
        free(b.strings);
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for %zu bytes of JSON", len);
    }
    *ret = (struct cr_json_doc){.bytes = bytes,
                                .len = len,
                                .root = b.values,
                                .values = b.values,
                                .value_count = count,
                                .strings = b.strings};
    build_tree(&b);
    return 0;
}

int cr_json_parse(const void *bytes, size_t len, struct cr_json_doc *ret, struct cr_err *err)
{
    return cr_json_parse_within(bytes, len, CR_JSON_MAX_VALUES, ret, err);
}

void cr_json_clear(struct cr_json_doc *doc)
{
    free(doc->values);
    free(doc->strings);
    *doc = (struct cr_json_doc){0};
}

const struct cr_json *cr_json_get(const struct cr_json *object, const char *key)
{
    if (!object || object->type != CR_JSON_OBJECT)
        return NULL;
    for (const struct cr_json *value = object->first; value; value = value->next)
        if (strcmp(value->key, key) == 0)
            return value;
    return NULL;
}

bool cr_json_is_bool(const struct cr_json *value)
{
    return value->type == CR_JSON_TRUE || value->type == CR_JSON_FALSE;
}

int cr_json_number(const struct cr_json *value, uint64_t max, uint64_t *ret)
{
    uint64_t number = 0;

    if (value->type != CR_JSON_NUMBER || strspn(value->text, "0123456789") != value->len)
        return CAPRUN_E_INVAL;
    for (const char *c = value->text; *c; c++) {
        uint64_t digit = (uint64_t)(*c - '0');

        if (number > (max - digit) / 10 || digit > max)
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

void cr_json_place(const struct cr_json_doc *doc, size_t at, size_t *ret_line, size_t *ret_column)
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

static void add_token(struct cr_buf *out, const char *key)
{
    for (; *key; key++) {
        if (*key == '~')
            cr_buf_str(out, "~0");
        else if (*key == '/')
            cr_buf_str(out, "~1");
        else
            cr_buf_add(out, key, 1);
    }
}

static size_t index_of(const struct cr_json *value)
{
    size_t index = 0;

    for (const struct cr_json *v = value->parent->first; v != value; v = v->next)
        index++;
    return index;
}

/* As deep as the scanner lets a text be. */
void cr_json_pointer(struct cr_buf *out, const struct cr_json *value)
{
    if (!value->parent)
        return;
    cr_json_pointer(out, value->parent);
    cr_buf_str(out, "/");
    if (value->key)
        add_token(out, value->key);
    else
        cr_buf_fmt(out, "%zu", index_of(value));
}

struct member {
    const struct cr_json *value;
};

static int compare_keys(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    return strcmp(x->value->key, y->value->key);
}

static void add_array(struct cr_buf *out, const struct cr_json *array)
{
    cr_buf_str(out, "[");
    for (const struct cr_json *v = array->first; v; v = v->next) {
        if (v != array->first)
            cr_buf_str(out, ",");
        cr_json_canonical(out, v);
    }
    cr_buf_str(out, "]");
}

static void add_object(struct cr_buf *out, const struct cr_json *object)
{
    struct member *members = calloc(object->count + 1, sizeof(*members));
    size_t n = 0;

    if (!members) {
        out->err = CAPRUN_E_NOMEM;
        return;
    }
    for (const struct cr_json *v = object->first; v; v = v->next)
        members[n++].value = v;
    qsort(members, n, sizeof(*members), compare_keys);
    cr_buf_str(out, "{");
    for (size_t i = 0; i < n; i++) {
        if (i)
            cr_buf_str(out, ",");
        cr_escape_json_str(out, members[i].value->key);
        cr_buf_str(out, ":");
        cr_json_canonical(out, members[i].value);
    }
    cr_buf_str(out, "}");
    free(members);
}

void cr_json_canonical(struct cr_buf *out, const struct cr_json *value)
{
    static const char *const words[] = {
        [CR_JSON_NULL] = "null", [CR_JSON_FALSE] = "false", [CR_JSON_TRUE] = "true"};

    if (value->type == CR_JSON_OBJECT)
        add_object(out, value);
    else if (value->type == CR_JSON_ARRAY)
        add_array(out, value);
    else if (value->type == CR_JSON_STRING)
        cr_escape_json_str(out, value->text);
    else
        cr_buf_str(out, value->text ? value->text : words[value->type]);
}

/* --- without a tree -----------------------------------------------------------------------------
 */

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static const char *skip_value(const char *at, const char *end)
{
    size_t depth = 0;

    while (at < end) {
        if (*at == '"') {
            at = skip_string(at, end);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            if (!depth)
                break;
            depth--;
            at++;
        } else if (!depth &&
                   (*at == ',' || *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
            break;
        } else {
            at++; /* of a number or a word, or between values */
            continue;
        }
        if (!depth)
            break;
    }
    return at;
}

const char *cr_json_peek(const char *bytes, size_t len, const char *key, size_t *ret_len)
{
    const char *end = bytes + len, *at = skip_spaces(bytes, end);
    size_t key_len = strlen(key);

    if (at == end || *at != '{')
        return NULL;
    for (at = skip_spaces(at + 1, end); at < end && *at == '"';) {
        const char *name = at + 1, *value;

        at = skip_string(at, end);
        value = skip_spaces(at, end);
        value = skip_spaces(value < end ? value + 1 : end, end); /* the colon */
        at = skip_value(value, end);
        if ((size_t)(value - name) > key_len && memcmp(name, key, key_len) == 0 &&
            name[key_len] == '"') {
            *ret_len = (size_t)(at - value);
            return value;
        }
        at = skip_spaces(at, end);
        at = skip_spaces(at < end && *at == ',' ? at + 1 : at, end);
    }
    return NULL;
}

/* --- strings alone ---------------------------------------------------------------------------- */

#define REPLACEMENT 0xfffdu

void cr_json_unescape(struct cr_buf *out, const char *text, size_t len)
{
    const uint8_t *at = (const uint8_t *)text, *end = at + len;

    while (at < end) {
        const uint8_t *plain = at;
        uint8_t made[4];
        uint32_t c;
        size_t escape;

        while (at < end && *at != '\\')
            at++;
        cr_buf_add(out, plain, (size_t)(at - plain));
        escape = cr_unescape_one(at, end, &c);
        if (escape == 0)
            return;
        if (c >= 0xd800 && c <= 0xdfff)
            c = REPLACEMENT;
        cr_buf_add(out, made, cr_utf8_encode(c, made));
        at += escape;
    }
}
