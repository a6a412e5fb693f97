/*
 * encode_text.c - the output of encode.c: a buffer with a maximum length, strings, numbers, and
 * error messages with the path of a value; included by engine.c.
 *
 * Functions return 0, or -1 if an exception is pending or the text is too long.
 */
#include "engine/encode.h"

/* Room after the maximum length, more than any one number or character needs. */
#define SLACK 64

/* The steps shown at each end of a long path, and the characters shown of a long key. */
#define PATH_ENDS 8
#define PATH_KEY 40
#define ELLIPSIS "\xe2\x80\xa6"

struct level {
    JSObject *object; /* referenced by the function that writes it */
    JSAtom key;       /* or JS_ATOM_NULL in an array, which is at |index| */
    int64_t index;
};

struct encoder {
    JSContext *ctx;
    const struct crw_encode_rules *rules;
    uint8_t *bytes;
    size_t len, cap;
    struct level *levels;
    size_t depth, levels_cap;
    bool over;
};

/* --- bytes ----------------------------------------------------------------------------------- */

static no_inline bool grow(struct encoder *e, size_t more)
{
    size_t most = e->rules->max + SLACK, cap = e->cap ? e->cap * 2 : 512;

    if (more > most || e->len > most - more) {
        e->over = true;
        return false;
    }
    if (cap < e->len + more)
        cap = e->len + more;
    e->cap = cap < most ? cap : most;
    e->bytes = crw_arena_realloc(NULL, e->bytes, e->cap);
    return true;
}

/* Returns where |more| bytes can be written, or NULL if |e| is full. Does not change |len|. */
static inline uint8_t *room(struct encoder *e, size_t more)
{
    if (unlikely(e->cap - e->len <= more) && !grow(e, more))
        return NULL;
    return e->bytes + e->len;
}

static inline int put(struct encoder *e, const void *bytes, size_t len)
{
    uint8_t *to = room(e, len);

    if (!to)
        return -1;
    memcpy(to, bytes, len);
    e->len += len;
    return 0;
}

static int put_text(struct encoder *e, const char *text)
{
    return put(e, text, strlen(text));
}

static inline int put_char(struct encoder *e, char c)
{
    return put(e, &c, 1);
}

static int put_index(struct encoder *e, int64_t index)
{
    uint8_t *to = room(e, SLACK);

    if (!to)
        return -1;
    e->len += i64toa((char *)to, index);
    return 0;
}

/* --- error messages with paths --------------------------------------------------------------- */

static int write_units(struct encoder *e, JSString *text, uint32_t len);

static bool is_identifier(JSString *text)
{
    for (int i = 0; i < (int)text->len; i++) {
        int c = string_get(text, i);

        if (!(c < 128 && (i ? lre_js_is_ident_next(c) : lre_js_is_ident_first(c))))
            return false;
    }
    return text->len > 0;
}

static void write_step(struct encoder *words, const struct level *at)
{
    bool is_index = at->key == JS_ATOM_NULL || __JS_AtomIsTaggedInt(at->key);
    JSString *key = is_index ? NULL : words->ctx->rt->atom_array[at->key];
    bool bare = key && is_identifier(key);

    put_text(words, bare ? "." : is_index ? "[" : "[\"");
    if (is_index)
        put_index(words, at->key ? (int64_t)__JS_AtomToUInt32(at->key) : at->index);
    else
        write_units(words, key, min_uint32(key->len, PATH_KEY));
    if (key && key->len > PATH_KEY)
        put_text(words, ELLIPSIS);
    put_text(words, bare ? "" : is_index ? "]" : "\"]");
}

/* Writes the path to the object at |depth|, or to the current value of the innermost object. */
static void write_path(struct encoder *words, const struct encoder *e, size_t depth)
{
    put_text(words, e->rules->root);
    for (size_t i = 0; i < depth; i++) {
        if (i == PATH_ENDS && depth > 2 * PATH_ENDS) {
            put_text(words, ELLIPSIS);
            i = depth - PATH_ENDS;
        }
        write_step(words, &e->levels[i]);
    }
}

/* Throws |what| and its path; |above|: the depth of the object that a cycle leads to. */
static no_inline int fail_encoding(struct encoder *e, const char *what, size_t above)
{
    static const struct crw_encode_rules lenient = {.max = LIMIT_ERROR_MESSAGE_BYTES};
    struct encoder words = {.ctx = e->ctx, .rules = &lenient};

    put_text(&words, what);
    put_text(&words, ", at ");
    write_path(&words, e, e->depth);
    if (above < e->depth) {
        put_text(&words, " (it is ");
        write_path(&words, e, above);
        put_text(&words, " again)");
    }
    put_char(&words, '\0');
    JS_Throw(e->ctx, JS_MakeError2(e->ctx, JS_TYPE_ERROR, true, (const char *)words.bytes));
    crw_arena_free(NULL, words.bytes);
    return -1;
}

/* --- strings and numbers --------------------------------------------------------------------- */

/* Writes a character that is not plain, or is beyond Latin-1. */
static int write_special(struct encoder *e, uint32_t c)
{
    static const char letters[] = "btn\0fr";
    uint8_t *to = room(e, SLACK);

    if (!to)
        return -1;
    if (c >= 0x80) {
        e->len += utf8_encode(to, c);
    } else if (c >= ' ' && c != '"' && c != '\\') {
        to[0] = (uint8_t)c;
        e->len++;
    } else if (c >= ' ' || (c >= '\b' && c <= '\r' && letters[c - '\b'])) {
        to[0] = '\\';
        to[1] = (uint8_t)(c >= ' ' ? c : (uint32_t)letters[c - '\b']);
        e->len += 2;
    } else {
        memcpy(to, "\\u00", 4);
        to[4] = (uint8_t)('0' + (c >> 4));
        to[5] = (uint8_t) "0123456789abcdef"[c & 15];
        e->len += 6;
    }
    return 0;
}

static int write_latin1(struct encoder *e, const uint8_t *text, size_t len)
{
    for (;;) {
        size_t run = plain_run(text, len);

        if (put(e, text, run) < 0)
            return -1;
        if (run == len)
            return 0;
        if (write_special(e, text[run]) < 0)
            return -1;
        text += run + 1;
        len -= run + 1;
    }
}

static int write_wide(struct encoder *e, const uint16_t *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        uint32_t c = text[i];

        if (is_hi_surrogate(c) && i + 1 < len && is_lo_surrogate(text[i + 1])) {
            c = from_surrogate(c, text[++i]);
        } else if (is_surrogate(c)) {
            if (e->rules->strict)
                return fail_encoding(e, "half of a surrogate pair has no UTF-8", SIZE_MAX);
            c = 0xfffd;
        }
        if (write_special(e, c) < 0)
            return -1;
    }
    return 0;
}

/* Writes the first |len| units of |text|, escaped. */
static int write_units(struct encoder *e, JSString *text, uint32_t len)
{
    return text->is_wide_char ? write_wide(e, str16(text), len) : write_latin1(e, str8(text), len);
}

static int write_quoted(struct encoder *e, JSString *text)
{
    if (put_char(e, '"') < 0 || write_units(e, text, text->len) < 0)
        return -1;
    return put_char(e, '"');
}

static int write_string(struct encoder *e, JSValueConst value)
{
    JSValue whole;
    int r;

    if (JS_VALUE_GET_TAG(value) == JS_TAG_STRING)
        return write_quoted(e, JS_VALUE_GET_STRING(value));
    /* do not join the pieces of a string that cannot fit */
    if (put_char(e, '"') < 0 || !room(e, JS_VALUE_GET_STRING_ROPE(value)->len))
        return -1;
    whole = js_linearize_string_rope(e->ctx, value);
    if (JS_IsException(whole))
        return -1;
    r = write_units(e, JS_VALUE_GET_STRING(whole), JS_VALUE_GET_STRING(whole)->len);
    JS_FreeValue(e->ctx, whole);
    return r < 0 ? -1 : put_char(e, '"');
}

/*
 * Writes numbers with few decimals, like prices and coordinates. If an integer of at most 15
 * digits, divided by a power of ten, is exactly |number|, no other decimal with as many digits is;
 * and with the smallest such power, no shorter one is. Returns the length, or 0.
 */
static size_t write_decimals(uint8_t *to, double number)
{
    static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    uint8_t *start = to, *end;
    int64_t whole;

    if (!(fabs(number) < 1e9))
        return 0;
    for (size_t decimals = 1; decimals < countof(tens); decimals++) {
        whole = (int64_t)(number * tens[decimals] + (number < 0 ? -0.5 : 0.5));
        if ((double)whole / tens[decimals] != number)
            continue;
        if (whole < 0)
            *to++ = '-';
        to += i64toa((char *)to, (whole < 0 ? -whole : whole) / (int64_t)tens[decimals]);
        *to++ = '.';
        end = to + decimals;
        whole = (whole < 0 ? -whole : whole) % (int64_t)tens[decimals];
        for (uint8_t *at = end; at > to; whole /= 10)
            *--at = (uint8_t)('0' + whole % 10);
        return (size_t)(end - start);
    }
    return 0;
}

static no_inline int write_double(struct encoder *e, double number)
{
    JSDTOATempMem scratch;
    uint8_t *to = room(e, SLACK);
    size_t len;

    if (!to)
        return -1;
    if (!isfinite(number))
        return put(e, "null", 4);
    len = number == trunc(number) ? 0 : write_decimals(to, number);
    if (!len)
        len = (size_t)js_dtoa((char *)to, number, 10, 0, JS_DTOA_FORMAT_FREE, &scratch);
    e->len += len;
    return 0;
}
