/*
 * scan.c - the JSON scanner.
 *
 * There is no recursion: one bit for each open level says whether it is an object. Each step reads
 * one token and sets what may come next. An incomplete text may end inside of a token: then the
 * step returns MORE, and is repeated when more bytes have arrived. Words, escapes and characters
 * are short, and are scanned again; strings and numbers continue where the text ended.
 */
#include "base/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/unescape.h"
#include "base/utf8.h"
#include "base/wide.h"

#define SHOWN_KEY_BYTES 40
#define LONGEST_ESCAPE 12   /* a surrogate pair */
#define LONGEST_CHARACTER 4 /* in UTF-8 */

#define MORE 1 /* the text is valid so far, but ends before the token does */

/* What comes next. */
enum state {
    START,
    VALUE,
    FIRST_ELEMENT, /* or the end of the array */
    FIRST_KEY,     /* or the end of the object */
    KEY,
    COLON,
    IN_STRING,
    IN_NUMBER,
    AFTER_VALUE, /* in an array or an object */
    END,
};

static int fail_at(const struct cr_scan *s, const uint8_t *at, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* No token has a line feed in it, so |at| is in the last line. */
static int fail_at(const struct cr_scan *s, const uint8_t *at, int code, const char *fmt, ...)
{
    char words[256];
    va_list ap;

    if (!s->err)
        return code;
    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    return cr_err_set(s->err, code, "line %zu, column %zu: %s", s->lines + 1,
                      (size_t)(at - s->start) - s->line + 1, words);
}

static int unexpected(const struct cr_scan *s, const char *wanted)
{
    if (s->at == s->end && !s->is_last)
        return MORE;
    if (s->at == s->end)
        return fail_at(s, s->at, CAPRUN_E_INVAL, "the text ends where %s should be", wanted);
    if (*s->at > 0x20 && *s->at < 0x7f)
        return fail_at(s, s->at, CAPRUN_E_INVAL, "expected %s, not '%c'", wanted, *s->at);
    return fail_at(s, s->at, CAPRUN_E_INVAL, "expected %s, not the byte 0x%02x", wanted, *s->at);
}

/* Could a token of |len| bytes be cut by the end of the bytes so far? */
static bool may_be_cut(const struct cr_scan *s, size_t len)
{
    return !s->is_last && (size_t)(s->end - s->at) < len;
}

/* Skips white space. Returns the next byte, without taking it, or -1 at the end. */
static int skip_space(struct cr_scan *s)
{
    for (; s->at < s->end; s->at++) {
        if (*s->at == '\n') {
            s->lines++;
            s->line = (size_t)(s->at - s->start) + 1;
        } else if (*s->at != ' ' && *s->at != '\r' && *s->at != '\t') {
            return *s->at;
        }
    }
    return -1;
}

static inline int peek(struct cr_scan *s)
{
    return s->at<s->end && * s->at> ' ' ? *s->at : skip_space(s);
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

/* Scans an escape of the open string. */
static int scan_escape(struct cr_scan *s)
{
    uint32_t c;
    size_t len = cr_unescape_one(s->at, s->end, &c);
    size_t unescaped;

    if (may_be_cut(s, LONGEST_ESCAPE))
        return MORE;
    if (len == 0)
        return fail_at(s, s->at, CAPRUN_E_INVAL, "not an escape that JSON has");
    if (s->rules == CR_SCAN_STRICT && c == 0)
        return fail_at(s, s->at, CAPRUN_E_INVAL, "the character NUL in a string");
    if (s->rules == CR_SCAN_STRICT && is_surrogate(c))
        return fail_at(s, s->at, CAPRUN_E_INVAL, "a surrogate without its other half");
    unescaped = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    s->saved += (uint32_t)(len - unescaped);
    s->at += len;
    return 0;
}

static int scan_utf8(struct cr_scan *s)
{
    uint32_t c;
    size_t len;

    while (s->at < s->end && *s->at >= 0x80) {
        if (may_be_cut(s, LONGEST_CHARACTER))
            return MORE;
        len = cr_utf8_decode(s->at, (size_t)(s->end - s->at), &c);
        if (len == 0)
            return fail_at(s, s->at, CAPRUN_E_INVAL, "not valid UTF-8");
        s->at += len;
    }
    return 0;
}

static int fail_duplicate(const struct cr_scan *s, const struct cr_scan_key *key)
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
    return fail_at(s, text - 1, CAPRUN_E_INVAL, "duplicate key \"%s\"%s", shown,
                   cut < key->raw_len ? "..." : "");
}

static int check_key(struct cr_scan *s, uint32_t raw_len)
{
    struct cr_scan_key key = {
        .at = (uint32_t)s->quote + 1, .raw_len = raw_len, .len = raw_len - s->saved};
    int r;

    if (raw_len > CR_SCAN_MAX_KEY)
        return fail_at(s, s->start + s->quote, CAPRUN_E_TOOBIG, "a key of more than %d bytes",
                       CR_SCAN_MAX_KEY);
    r = cr_scan_keys_add(&s->keys, s->depth - 1, s->start, key);
    if (r == 0)
        return 0;
    if (r > 0)
        return fail_duplicate(s, &key);
    if (r == CAPRUN_E_TOOBIG)
        return fail_at(s, s->start + s->quote, r, "more than %d keys", CR_SCAN_MAX_KEYS);
    return fail_at(s, s->start + s->quote, r, "no memory for %zu keys", s->keys.seen);
}

static void end_value(struct cr_scan *s)
{
    s->state = s->depth ? AFTER_VALUE : END;
}

static int end_key(struct cr_scan *s, uint32_t raw_len)
{
    int r = s->rules == CR_SCAN_STRICT ? check_key(s, raw_len) : 0;

    s->state = COLON;
    if (s->at < s->end && *s->at == ':') {
        s->at++;
        s->state = VALUE;
    }
    return r;
}

/* Continues a string, up to its last quote. */
static int scan_string(struct cr_scan *s)
{
    int r;

    for (;;) {
        s->at = skip_plain(s->at, s->end);
        if (s->at == s->end && !s->is_last)
            return MORE;
        if (s->at == s->end)
            return fail_at(s, s->start + s->quote, CAPRUN_E_INVAL, "a string without an end");
        if (*s->at == '"')
            break;
        if (*s->at < 0x20)
            return fail_at(s, s->at, CAPRUN_E_INVAL, "the control character 0x%02x in a string",
                           *s->at);
        r = *s->at == '\\' ? scan_escape(s) : scan_utf8(s);
        if (r != 0)
            return r;
    }
    s->at++;
    if (s->in_key)
        return end_key(s, (uint32_t)((size_t)(s->at - s->start) - s->quote - 2));
    end_value(s);
    return 0;
}

/* |s->at| is at the first quote. */
static int begin_string(struct cr_scan *s, bool is_key)
{
    s->quote = (size_t)(s->at - s->start);
    s->saved = 0;
    s->in_key = is_key;
    s->state = IN_STRING;
    s->at++;
    return scan_string(s);
}

static bool take_digits(struct cr_scan *s)
{
    const uint8_t *first = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > first;
}

static bool take_one_of(struct cr_scan *s, uint8_t a, uint8_t b)
{
    if (s->at == s->end || (*s->at != a && *s->at != b))
        return false;
    s->at++;
    return true;
}

static int take_number(struct cr_scan *s)
{
    (void)take_one_of(s, '-', '-');
    /* a leading 0 ends the whole part: a second digit is then an unexpected byte */
    if (!take_one_of(s, '0', '0') && !take_digits(s))
        return unexpected(s, "a digit");
    if (take_one_of(s, '.', '.') && !take_digits(s))
        return unexpected(s, "a digit");
    if (take_one_of(s, 'e', 'E')) {
        (void)take_one_of(s, '+', '-');
        if (!take_digits(s))
            return unexpected(s, "a digit");
    }
    return s->at == s->end && !s->is_last ? MORE : 0;
}

/* Where the text was cut in a number: before a part, or in its digits (IN_). */
enum part {
    SIGN,
    WHOLE,
    IN_WHOLE,
    POINT,
    FRACTION,
    IN_FRACTION,
    LETTER,
    POWER_SIGN,
    POWER,
    IN_POWER
};

/* Takes what is there of |part|. Returns the part that the scan is in afterwards. */
static enum part next_part(struct cr_scan *s, enum part part)
{
    switch (part) {
    case SIGN:
        (void)take_one_of(s, '-', '-');
        return WHOLE;
    case WHOLE:
        return take_one_of(s, '0', '0') ? POINT : take_digits(s) ? IN_WHOLE : WHOLE;
    case IN_WHOLE:
        return take_digits(s) ? IN_WHOLE : POINT;
    case POINT:
        return take_one_of(s, '.', '.') ? FRACTION : LETTER;
    case FRACTION:
        return take_digits(s) ? IN_FRACTION : FRACTION;
    case IN_FRACTION:
        return take_digits(s) ? IN_FRACTION : LETTER;
    case LETTER:
        return take_one_of(s, 'e', 'E') ? POWER_SIGN : LETTER;
    case POWER_SIGN:
        (void)take_one_of(s, '+', '-');
        return POWER;
    case POWER:
    case IN_POWER:
        return take_digits(s) ? IN_POWER : part;
    }
    return part;
}

/* Continues a number that was cut. Looks at each byte once, however long the number is. */
static int scan_cut_number(struct cr_scan *s)
{
    while (s->at < s->end) {
        const uint8_t *at = s->at;
        enum part before = s->number;

        s->number = (uint8_t)next_part(s, before);
        if (s->number != before || s->at > at)
            continue;
        if (before == WHOLE || before == FRACTION || before == POWER)
            return unexpected(s, "a digit");
        end_value(s);
        return 0;
    }
    if (!s->is_last)
        return MORE;
    if (s->number <= WHOLE || s->number == FRACTION || s->number == POWER_SIGN ||
        s->number == POWER)
        return unexpected(s, "a digit");
    end_value(s);
    return 0;
}

static int scan_number(struct cr_scan *s)
{
    const uint8_t *first = s->at;
    int r = take_number(s);

    if (r == 0)
        end_value(s);
    if (r != MORE)
        return r;
    s->at = first;
    s->number = SIGN;
    s->state = IN_NUMBER;
    return scan_cut_number(s);
}

static int scan_word(struct cr_scan *s, const char *word)
{
    size_t len = strlen(word);

    if (may_be_cut(s, len))
        return MORE;
    if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
        return fail_at(s, s->at, CAPRUN_E_INVAL, "a word that is not true, false or null");
    s->at += len;
    end_value(s);
    return 0;
}

static bool in_object(const struct cr_scan *s)
{
    size_t level = s->depth - 1;

    return s->is_object[level / 8] >> (level % 8) & 1;
}

static int open_level(struct cr_scan *s, bool object)
{
    size_t level = s->depth;
    uint8_t bit = (uint8_t)(1u << (level % 8));

    if (level == CR_SCAN_MAX_DEPTH)
        return fail_at(s, s->at, CAPRUN_E_TOOBIG, "more than %d levels deep", CR_SCAN_MAX_DEPTH);
    s->at++;
    s->depth++;
    if (object)
        s->is_object[level / 8] |= bit;
    else
        s->is_object[level / 8] &= (uint8_t)~bit;
    if (object && s->rules == CR_SCAN_STRICT)
        cr_scan_keys_open(&s->keys, level);
    s->state = object ? FIRST_KEY : FIRST_ELEMENT;
    return 0;
}

static int close_level(struct cr_scan *s)
{
    s->at++;
    s->depth--;
    if (s->rules == CR_SCAN_STRICT && (s->is_object[s->depth / 8] >> (s->depth % 8) & 1))
        cr_scan_keys_close(&s->keys, s->depth);
    end_value(s);
    return 0;
}

static int scan_value(struct cr_scan *s)
{
    int c = peek(s);

    switch (c) {
    case '{':
        return open_level(s, true);
    case '[':
        return open_level(s, false);
    case '"':
        return begin_string(s, false);
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

static int scan_key(struct cr_scan *s)
{
    return peek(s) == '"' ? begin_string(s, true) : unexpected(s, "a key in quotes");
}

static int scan_colon(struct cr_scan *s)
{
    if (peek(s) != ':')
        return unexpected(s, "':'");
    s->at++;
    s->state = VALUE;
    return 0;
}

static int scan_after_value(struct cr_scan *s)
{
    bool object = in_object(s);
    int c = peek(s);

    if (c == ',') {
        s->at++;
        s->state = object ? KEY : VALUE;
        return object ? scan_key(s) : scan_value(s);
    }
    if (c == (object ? '}' : ']'))
        return close_level(s);
    return unexpected(s, object ? "',' or '}'" : "',' or ']'");
}

static int scan_start(struct cr_scan *s)
{
    static const uint8_t mark[3] = {0xef, 0xbb, 0xbf};

    if (may_be_cut(s, sizeof(mark)) && (s->at == s->end || *s->at == mark[0]))
        return MORE;
    if ((size_t)(s->end - s->at) >= sizeof(mark) && memcmp(s->at, mark, sizeof(mark)) == 0)
        return fail_at(s, s->at, CAPRUN_E_INVAL, "a byte-order mark");
    s->state = VALUE;
    return 0;
}

/* Returns MORE when there is nothing left to scan, or an error. */
static int scan_on(struct cr_scan *s)
{
    int r = 0;

    while (r == 0) {
        switch ((enum state)s->state) {
        case START:
            r = scan_start(s);
            break;
        case FIRST_ELEMENT:
            r = peek(s) == ']' ? close_level(s) : scan_value(s);
            break;
        case VALUE:
            r = scan_value(s);
            break;
        case FIRST_KEY:
            r = peek(s) == '}' ? close_level(s) : scan_key(s);
            break;
        case KEY:
            r = scan_key(s);
            break;
        case COLON:
            r = scan_colon(s);
            break;
        case IN_STRING:
            r = scan_string(s);
            break;
        case IN_NUMBER:
            r = scan_cut_number(s);
            break;
        case AFTER_VALUE:
            r = scan_after_value(s);
            break;
        case END:
            r = peek(s) == -1 ? MORE : unexpected(s, "the end of the text");
            break;
        }
    }
    return r;
}

void cr_scan_begin(struct cr_scan *s, enum cr_scan_rules rules)
{
    s->rules = rules;
    s->state = START;
    s->in_key = s->is_last = false;
    s->code = 0;
    s->done = s->quote = s->lines = s->line = s->depth = 0;
    s->saved = 0;
    cr_scan_keys_init(&s->keys);
}

void cr_scan_clear(struct cr_scan *s)
{
    cr_scan_keys_clear(&s->keys);
}

int cr_scan_feed(struct cr_scan *s, const uint8_t *bytes, size_t len, struct cr_err *err)
{
    int r;

    if (s->code < 0)
        return s->code;
    s->err = err;
    if (len < s->done)
        return s->code = cr_err_set(err, CAPRUN_E_INVAL, "the text has become shorter");
    if (len > CR_SCAN_MAX_LEN)
        return s->code =
                   cr_err_set(err, CAPRUN_E_TOOBIG, "the JSON is over %u bytes", CR_SCAN_MAX_LEN);
    s->start = s->at = s->end = bytes;
    if (len > 0) {
        s->at += s->done;
        s->end += len;
    }
    r = scan_on(s);
    s->done = (size_t)(s->at - s->start);
    s->code = r < 0 ? r : 0;
    return s->code;
}

int cr_scan_finish(struct cr_scan *s, const uint8_t *bytes, size_t len, struct cr_err *err)
{
    int r;

    s->is_last = true;
    r = cr_scan_feed(s, bytes, len, err);
    cr_scan_clear(s);
    return r;
}

int cr_scan_json(const uint8_t *bytes, size_t len, enum cr_scan_rules rules, struct cr_err *err)
{
    struct cr_scan s;

    cr_scan_begin(&s, rules);
    return cr_scan_finish(&s, bytes, len, err);
}

const char *cr_scan_place(const struct cr_err *err, size_t *ret_line, size_t *ret_column)
{
    int words = 0;

    *ret_line = *ret_column = 1;
    (void)sscanf(err->text, "line %zu, column %zu: %n", ret_line, ret_column, &words);
    return err->text + words;
}
