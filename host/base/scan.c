/*
 * scan.c - the strict JSON scanner.
 *
 * There is no recursion: a bit for each open level says whether it is an object. The scanner
 * alternates between two steps. begin_value() reads a scalar, or an opening bracket; end_value()
 * reads the comma or the closing bracket after a value. |want_value| says which one is next.
 *
 * For CR_SCAN_STRICT the keys of all open objects lie on one stack, those of the innermost on top.
 * When an object ends, its keys are compared: each with each if they are few, sorted if they are
 * many. The order is that of length, then of bytes, so it needs no hash that could be flooded; and
 * since a merge sort looks at a key at most once a level, long keys with equal beginnings cost no
 * more than their bytes times log n. A key with escapes is unescaped once, when it is put on the
 * stack, so that all comparisons are of bytes.
 */
#include "base/scan.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "base/wide.h"

#define FEW_KEYS 16
#define SHOWN_KEY_BYTES 40

/* A key as it is written between its quotes, and how long it is when it is unescaped. */
struct key {
    uint32_t at;
    uint32_t raw_len;
    uint32_t len;          /* in UTF-8; equals raw_len only if nothing is escaped */
    uint32_t unescaped_at; /* where it is in |unescaped|, or would be */
};

struct scan {
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
    enum cr_scan_rules rules;
    bool want_value;
    size_t depth;
    uint8_t is_object[CR_SCAN_MAX_DEPTH / 8 + 1];
    uint32_t first_key[CR_SCAN_MAX_DEPTH]; /* where the level's keys begin on the stack */
    struct key *keys;
    size_t keys_len;
    size_t keys_cap;
    size_t keys_seen;
    struct cr_buf unescaped; /* those keys on the stack that have escapes, one after the other */
    struct cr_err *err;
};

static int fail(const struct scan *s, const uint8_t *at, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static int fail(const struct scan *s, const uint8_t *at, int code, const char *fmt, ...)
{
    const uint8_t *line_start = s->start;
    size_t line = 1;
    char words[256];
    va_list ap;

    if (!s->err)
        return code;
    for (const uint8_t *p = s->start; p < at; p++) {
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    }
    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    return cr_err_set(s->err, code, "line %zu, column %zu: %s", line, (size_t)(at - line_start) + 1,
                      words);
}

static int unexpected(const struct scan *s, const char *wanted)
{
    if (s->at == s->end)
        return fail(s, s->at, CAPRUN_E_INVAL, "the text ends where %s should be", wanted);
    if (*s->at > 0x20 && *s->at < 0x7f)
        return fail(s, s->at, CAPRUN_E_INVAL, "expected %s, not '%c'", wanted, *s->at);
    return fail(s, s->at, CAPRUN_E_INVAL, "expected %s, not the byte 0x%02x", wanted, *s->at);
}

/* Returns the next byte that is not white space, without taking it, or -1 at the end. */
static int peek(struct scan *s)
{
    for (; s->at < s->end; s->at++) {
        if (*s->at != ' ' && *s->at != '\n' && *s->at != '\r' && *s->at != '\t')
            return *s->at;
    }
    return -1;
}

/* Returns the first of the bytes that is a quote, a backslash, a control or not ASCII, or |end|. */
static const uint8_t *skip_plain(const uint8_t *at, const uint8_t *end)
{
    for (; end - at >= CR_WIDE_STEP; at += CR_WIDE_STEP) {
        uint32_t specials = cr_wide_specials(at);

        if (specials)
            return at + __builtin_ctz(specials);
    }
    while (at < end && *at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\')
        at++;
    return at;
}

static bool is_surrogate(uint32_t c)
{
    return c >= 0xd800 && c <= 0xdfff;
}

/* Reads \uXXXX. Returns its length, 6, or 0. */
static size_t read_unicode_escape(const uint8_t *at, const uint8_t *end, uint32_t *ret_char)
{
    uint32_t c = 0;

    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return 0;
    for (int i = 2; i < 6; i++) {
        uint8_t lower = at[i] | 0x20;

        if (at[i] >= '0' && at[i] <= '9')
            c = c << 4 | (uint32_t)(at[i] - '0');
        else if (lower >= 'a' && lower <= 'f')
            c = c << 4 | (uint32_t)(lower - 'a' + 10);
        else
            return 0;
    }
    *ret_char = c;
    return 6;
}

/*
 * Reads the escape at |at|, where a backslash is; a surrogate pair is one escape. Returns its
 * length, or 0 if it is none. |ret_char| may become a surrogate that has lost its other half.
 */
static size_t read_escape(const uint8_t *at, const uint8_t *end, uint32_t *ret_char)
{
    static const uint8_t short_ones[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };
    uint32_t c, low;

    if (end - at < 2)
        return 0;
    if (at[1] != 'u') {
        *ret_char = short_ones[at[1]];
        return *ret_char ? 2 : 0;
    }
    if (!read_unicode_escape(at, end, &c))
        return 0;
    *ret_char = c;
    if (c < 0xd800 || c > 0xdbff || !read_unicode_escape(at + 6, end, &low) || low < 0xdc00 ||
        low > 0xdfff)
        return 6;
    *ret_char = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

/* Takes an escape; |saved| grows by the bytes that unescaping it would save. */
static int scan_escape(struct scan *s, uint32_t *saved)
{
    uint32_t c;
    size_t len = read_escape(s->at, s->end, &c);
    size_t unescaped;

    if (len == 0)
        return fail(s, s->at, CAPRUN_E_INVAL, "not an escape that JSON has");
    if (s->rules == CR_SCAN_STRICT && c == 0)
        return fail(s, s->at, CAPRUN_E_INVAL, "the character NUL in a string");
    if (s->rules == CR_SCAN_STRICT && is_surrogate(c))
        return fail(s, s->at, CAPRUN_E_INVAL, "a surrogate without its other half");
    unescaped = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    *saved += (uint32_t)(len - unescaped);
    s->at += len;
    return 0;
}

static int scan_utf8(struct scan *s)
{
    uint32_t c;
    size_t len;

    while (s->at < s->end && *s->at >= 0x80) {
        len = cr_utf8_decode(s->at, (size_t)(s->end - s->at), &c);
        if (len == 0)
            return fail(s, s->at, CAPRUN_E_INVAL, "not valid UTF-8");
        s->at += len;
    }
    return 0;
}

/* Takes a string, from quote to quote. */
static int scan_string(struct scan *s, struct key *ret)
{
    const uint8_t *quote = s->at++;
    uint32_t saved = 0, raw_len;
    int r = 0;

    for (;;) {
        s->at = skip_plain(s->at, s->end);
        if (s->at == s->end)
            return fail(s, quote, CAPRUN_E_INVAL, "a string without an end");
        if (*s->at == '"')
            break;
        if (*s->at < 0x20)
            return fail(s, s->at, CAPRUN_E_INVAL, "the control character 0x%02x in a string",
                        *s->at);
        r = *s->at == '\\' ? scan_escape(s, &saved) : scan_utf8(s);
        if (r < 0)
            return r;
    }
    raw_len = (uint32_t)(s->at - quote - 1);
    *ret = (struct key){
        .at = (uint32_t)(quote + 1 - s->start), .raw_len = raw_len, .len = raw_len - saved};
    s->at++;
    return 0;
}

static bool take_digits(struct scan *s)
{
    const uint8_t *first = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > first;
}

static bool take_one_of(struct scan *s, uint8_t a, uint8_t b)
{
    if (s->at == s->end || (*s->at != a && *s->at != b))
        return false;
    s->at++;
    return true;
}

static int scan_number(struct scan *s)
{
    (void)take_one_of(s, '-', '-');
    /* after a leading 0 the number is over, and a second digit is not what may follow it */
    if (!take_one_of(s, '0', '0') && !take_digits(s))
        return unexpected(s, "a digit");
    if (take_one_of(s, '.', '.') && !take_digits(s))
        return unexpected(s, "a digit");
    if (take_one_of(s, 'e', 'E')) {
        (void)take_one_of(s, '+', '-');
        if (!take_digits(s))
            return unexpected(s, "a digit");
    }
    return 0;
}

static int scan_word(struct scan *s, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
        return fail(s, s->at, CAPRUN_E_INVAL, "a word that is not true, false or null");
    s->at += len;
    return 0;
}

/* Makes room for |more| keys above those on the stack. */
static int grow_keys(struct scan *s, size_t more)
{
    size_t cap = s->keys_cap ? s->keys_cap : 64;
    struct key *keys;

    if (more <= s->keys_cap - s->keys_len)
        return 0;
    while (cap - s->keys_len < more)
        cap *= 2;
    keys = realloc(s->keys, cap * sizeof(*keys));
    if (!keys)
        return fail(s, s->at, CAPRUN_E_NOMEM, "no memory for %zu keys", cap);
    s->keys = keys;
    s->keys_cap = cap;
    return 0;
}

/* Appends the key to |unescaped|, where there is room for as long as the document is. */
static int unescape_key(struct scan *s, const struct key *key)
{
    const uint8_t *at = s->start + key->at, *end = at + key->raw_len;
    uint8_t *to = cr_buf_room(&s->unescaped, key->len);
    uint32_t c = 0;

    if (!to)
        return fail(s, s->at, CAPRUN_E_NOMEM, "no memory for a key of %u bytes", key->len);
    while (at < end) {
        if (*at == '\\') {
            at += read_escape(at, end, &c);
            to += cr_utf8_encode(c, to);
        } else {
            *to++ = *at++;
        }
    }
    s->unescaped.len += key->len;
    return 0;
}

static int remember_key(struct scan *s, struct key key)
{
    if (++s->keys_seen > CR_SCAN_MAX_KEYS)
        return fail(s, s->start + key.at - 1, CAPRUN_E_TOOBIG, "more than %d keys",
                    CR_SCAN_MAX_KEYS);
    key.unescaped_at = (uint32_t)s->unescaped.len;
    if (grow_keys(s, 1) < 0 || (key.len != key.raw_len && unescape_key(s, &key) < 0))
        return CAPRUN_E_NOMEM;
    s->keys[s->keys_len++] = key;
    return 0;
}

/* Takes a key and its colon. */
static int scan_key(struct scan *s)
{
    struct key key;
    int r;

    if (peek(s) != '"')
        return unexpected(s, "a key in quotes");
    r = scan_string(s, &key);
    if (r < 0)
        return r;
    if (s->rules == CR_SCAN_STRICT) {
        r = remember_key(s, key);
        if (r < 0)
            return r;
    }
    if (peek(s) != ':')
        return unexpected(s, "':'");
    s->at++;
    return 0;
}

/* Returns the |len| bytes that the key is when it is unescaped. */
static const uint8_t *bytes_of(const struct scan *s, const struct key *key)
{
    return key->len == key->raw_len ? s->start + key->at : s->unescaped.data + key->unescaped_at;
}

/* Orders keys by length, then by bytes. */
static int compare_keys(const struct scan *s, const struct key *a, const struct key *b)
{
    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    return memcmp(bytes_of(s, a), bytes_of(s, b), a->len);
}

/* Merges the sorted runs |from|[0, mid) and |from|[mid, len) into |to|. */
static void merge(const struct scan *s, const struct key *from, size_t mid, size_t len,
                  struct key *to)
{
    size_t a = 0, b = mid;

    for (size_t i = 0; i < len; i++) {
        bool take_a = a < mid && (b == len || compare_keys(s, &from[a], &from[b]) <= 0);

        to[i] = take_a ? from[a++] : from[b++];
    }
}

/* Sorts |from| with the help of |spare|, of the same size. Returns the one that is sorted. */
static const struct key *sort_keys(const struct scan *s, struct key *from, struct key *spare,
                                   size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        struct key *to = spare;

        for (size_t i = 0; i < n; i += 2 * width) {
            size_t len = n - i < 2 * width ? n - i : 2 * width;

            merge(s, from + i, len < width ? len : width, len, to + i);
        }
        spare = from;
        from = to;
    }
    return from;
}

static int fail_duplicate(const struct scan *s, const struct key *key)
{
    const uint8_t *text = s->start + key->at;
    char shown[4 * SHOWN_KEY_BYTES + 1];
    size_t cut = key->raw_len < SHOWN_KEY_BYTES ? key->raw_len : SHOWN_KEY_BYTES, len = 0;

    for (size_t i = 0; i < cut; i++) {
        if (text[i] < 0x7f)
            shown[len++] = (char)text[i];
        else
            len += (size_t)snprintf(shown + len, sizeof(shown) - len, "\\x%02x", text[i]);
    }
    shown[len] = '\0';
    return fail(s, text - 1, CAPRUN_E_INVAL, "duplicate key \"%s\"%s", shown,
                cut < key->raw_len ? "..." : "");
}

static int check_few_keys(const struct scan *s, const struct key *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (compare_keys(s, &keys[i], &keys[j]) == 0)
                return fail_duplicate(s, &keys[i]);
        }
    }
    return 0;
}

static int check_many_keys(struct scan *s, size_t first, size_t n)
{
    const struct key *sorted;

    if (grow_keys(s, n) < 0)
        return CAPRUN_E_NOMEM;
    sorted = sort_keys(s, s->keys + first, s->keys + s->keys_len, n);
    for (size_t i = 1; i < n; i++) {
        if (compare_keys(s, &sorted[i - 1], &sorted[i]) == 0)
            return fail_duplicate(s, &sorted[i]);
    }
    return 0;
}

/* Checks the keys of the innermost object and takes them off the stack. */
static int forget_keys(struct scan *s)
{
    size_t first = s->first_key[s->depth - 1];
    size_t n = s->keys_len - first;
    int r = 0;

    if (n > FEW_KEYS)
        r = check_many_keys(s, first, n);
    else if (n > 1)
        r = check_few_keys(s, s->keys + first, n);
    if (n > 0)
        s->unescaped.len = s->keys[first].unescaped_at;
    s->keys_len = first;
    return r;
}

static bool in_object(const struct scan *s)
{
    size_t level = s->depth - 1;

    return s->is_object[level / 8] >> (level % 8) & 1;
}

static int open_level(struct scan *s, bool object)
{
    size_t level = s->depth;
    uint8_t bit = (uint8_t)(1u << (level % 8));

    if (level == CR_SCAN_MAX_DEPTH)
        return fail(s, s->at, CAPRUN_E_TOOBIG, "more than %d levels deep", CR_SCAN_MAX_DEPTH);
    s->at++;
    s->depth++;
    s->first_key[level] = (uint32_t)s->keys_len;
    if (object)
        s->is_object[level / 8] |= bit;
    else
        s->is_object[level / 8] &= (uint8_t)~bit;
    return 0;
}

static int begin_array(struct scan *s)
{
    int r = open_level(s, false);

    s->want_value = r == 0 && peek(s) != ']';
    return r;
}

static int begin_object(struct scan *s)
{
    int r = open_level(s, true);

    s->want_value = r == 0 && peek(s) != '}';
    return s->want_value ? scan_key(s) : r;
}

static int begin_value(struct scan *s)
{
    struct key unused;
    int c = peek(s);

    s->want_value = false;
    switch (c) {
    case '{':
        return begin_object(s);
    case '[':
        return begin_array(s);
    case '"':
        return scan_string(s, &unused);
    case 't':
        return scan_word(s, "true");
    case 'f':
        return scan_word(s, "false");
    case 'n':
        return scan_word(s, "null");
    default:
        if (c == '-' || (c >= '0' && c <= '9'))
            return scan_number(s);
        return unexpected(s, "a value");
    }
}

static int end_value(struct scan *s)
{
    bool object = in_object(s);
    int c = peek(s);

    if (c == ',') {
        s->at++;
        s->want_value = true;
        return object ? scan_key(s) : 0;
    }
    if (c == (object ? '}' : ']')) {
        int r = object && s->rules == CR_SCAN_STRICT ? forget_keys(s) : 0;

        s->at++;
        s->depth--;
        return r;
    }
    return unexpected(s, object ? "',' or '}'" : "',' or ']'");
}

static int scan_document(struct scan *s)
{
    int r;

    if (s->end - s->at >= 3 && memcmp(s->at, "\xef\xbb\xbf", 3) == 0)
        return fail(s, s->at, CAPRUN_E_INVAL, "a byte-order mark");
    do {
        r = begin_value(s);
        while (r == 0 && !s->want_value && s->depth > 0)
            r = end_value(s);
    } while (r == 0 && s->want_value);
    if (r == 0 && peek(s) != -1)
        return unexpected(s, "the end of the text");
    return r;
}

int cr_scan_json(const uint8_t *bytes, size_t len, enum cr_scan_rules rules, struct cr_err *err)
{
    struct scan s = {.start = bytes, .at = bytes, .end = bytes, .rules = rules, .err = err};
    int r;

    if (len > CR_SCAN_MAX_LEN)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the JSON is over %u bytes", CR_SCAN_MAX_LEN);
    if (len > 0)
        s.end += len;
    cr_buf_init(&s.unescaped, len);
    r = scan_document(&s);
    cr_buf_clear(&s.unescaped);
    free(s.keys);
    return r;
}

const char *cr_scan_place(const struct cr_err *err, size_t *ret_line, size_t *ret_column)
{
    int words = 0;

    *ret_line = *ret_column = 1;
    (void)sscanf(err->text, "line %zu, column %zu: %n", ret_line, ret_column, &words);
    return err->text + words;
}
