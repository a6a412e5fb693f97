/*
 * escape.c - escapes text for terminals and for JSON, and indents JSON.
 *
 * Runs of harmless text are copied at once. cr_escape_pretty() expects JSON that the scanner has
 * accepted: for other bytes its output is nonsense, but it never reads outside of them.
 */
#include "base/escape.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

#define LONGEST_ESCAPE 12 /* a pair: \udb40\udc01 */

static bool is_hidden(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0x0000, 0x0008}, {0x000a, 0x001f},   {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x034f, 0x034f},
        {0x061c, 0x061c}, {0x115f, 0x1160},   {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f},   {0x3164, 0x3164}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
        {0xfff0, 0xfffb}, {0xe0000, 0xe0fff},
    };

    if (c >= 0x20 && c < 0x7f)
        return false;
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
        if (c <= hidden[i].last)
            return c >= hidden[i].first;
    }
    return false;
}

/* Writes \u001b or \xff. Not with printf(), which is slow for a log full of escapes. */
static size_t write_hex(char *to, char kind, uint32_t value, size_t digits)
{
    to[0] = '\\';
    to[1] = kind;
    for (size_t i = digits; i > 0; i--) {
        to[1 + i] = "0123456789abcdef"[value & 0xf];
        value >>= 4;
    }
    return 2 + digits;
}

static size_t write_unicode_escape(char *to, uint32_t c)
{
    size_t n = 0;

    if (c > 0xffff) {
        n = write_hex(to, 'u', 0xd800 + ((c - 0x10000) >> 10), 4);
        c = 0xdc00 + ((c - 0x10000) & 0x3ff);
    }
    return n + write_hex(to + n, 'u', c, 4);
}

/*
 * One way to escape: which characters stay, and what replaces the others. The write functions
 * return how many bytes they wrote, at most LONGEST_ESCAPE.
 */
struct style {
    bool (*is_plain)(uint32_t c);
    size_t (*write_char)(char *to, uint32_t c);
    size_t (*write_bad_byte)(char *to, uint8_t byte);
};

/* Returns how many bytes of |text|, from its beginning, are valid UTF-8 and plain. */
static size_t plain_prefix(const uint8_t *text, size_t len, const struct style *style)
{
    size_t at = 0, n;
    uint32_t c;

    for (; at < len; at += n) {
        n = cr_utf8_decode(text + at, len - at, &c);
        if (n == 0 || !style->is_plain(c))
            break;
    }
    return at;
}

/* Escapes characters at the start of |text| that are not plain. Returns how many bytes they had. */
static size_t add_escapes(struct cr_buf *out, const uint8_t *text, size_t len,
                          const struct style *style)
{
    size_t at = 0, used = 0, n;
    char piece[512];
    uint32_t c;

    while (at < len && used <= sizeof(piece) - LONGEST_ESCAPE) {
        n = cr_utf8_decode(text + at, len - at, &c);
        if (n > 0 && style->is_plain(c))
            break;
        used +=
            n ? style->write_char(piece + used, c) : style->write_bad_byte(piece + used, text[at]);
        at += n ? n : 1;
    }
    cr_buf_add(out, piece, used);
    return at;
}

static void add_escaped(struct cr_buf *out, const uint8_t *text, size_t len,
                        const struct style *style)
{
    size_t at = 0, n;

    while (at < len) {
        n = plain_prefix(text + at, len - at, style);
        cr_buf_add(out, text + at, n);
        at += n;
        at += add_escapes(out, text + at, len - at, style);
    }
}

static bool is_plain_in_terminal(uint32_t c)
{
    return !is_hidden(c);
}

static size_t write_short_escape(char *to, char letter)
{
    to[0] = '\\';
    to[1] = letter;
    return 2;
}

static size_t write_terminal_escape(char *to, uint32_t c)
{
    if (c == '\n' || c == '\r')
        return write_short_escape(to, c == '\n' ? 'n' : 'r');
    return write_unicode_escape(to, c);
}

static size_t write_hex_byte(char *to, uint8_t byte)
{
    return write_hex(to, 'x', byte, 2);
}

void cr_escape_terminal(struct cr_buf *out, const char *text, size_t len)
{
    static const struct style style = {is_plain_in_terminal, write_terminal_escape, write_hex_byte};

    add_escaped(out, (const uint8_t *)text, len, &style);
}

/* --- questions and names ---------------------------------------------------------------------- */

/* Is |c| a letter that is written from right to left, or a mark that is put on another letter? */
static bool is_moving(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } moving[] = {
        {0x0300, 0x036f}, {0x0483, 0x0489},   {0x0590, 0x08ff},   {0x1ab0, 0x1aff},
        {0x1dc0, 0x1dff}, {0x20d0, 0x20ff},   {0xfb1d, 0xfdff},   {0xfe00, 0xfe2f},
        {0xfe70, 0xfeff}, {0x10800, 0x10fff}, {0x1e800, 0x1efff},
    };

    for (size_t i = 0; i < sizeof(moving) / sizeof(moving[0]); i++) {
        if (c <= moving[i].last)
            return c >= moving[i].first;
    }
    return false;
}

static bool is_plain_in_question(uint32_t c)
{
    return c < 0x7f ? c >= 0x20 : !is_hidden(c) && !is_moving(c);
}

static size_t write_question_escape(char *to, uint32_t c)
{
    if (c == '\\' || c == '\t')
        return write_short_escape(to, c == '\t' ? 't' : '\\');
    return write_terminal_escape(to, c);
}

void cr_escape_question(struct cr_buf *out, const char *text, size_t len)
{
    static const struct style style = {is_plain_in_question, write_question_escape, write_hex_byte};

    add_escaped(out, (const uint8_t *)text, len, &style);
}

static bool is_plain_in_name(uint32_t c)
{
    return c >= 0x20 && c < 0x7f && c != '\\';
}

void cr_escape_name(struct cr_buf *out, const char *text, size_t len)
{
    static const struct style style = {is_plain_in_name, write_question_escape, write_hex_byte};

    add_escaped(out, (const uint8_t *)text, len, &style);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static bool is_plain_in_json(uint32_t c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

/* |c| is a control, a quote or a backslash. */
static size_t write_json_escape(char *to, uint32_t c)
{
    static const char letters[] = {
        ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
        ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
    };

    return letters[c] ? write_short_escape(to, letters[c]) : write_unicode_escape(to, c);
}

static size_t write_replacement(char *to, uint8_t byte)
{
    (void)byte;
    memcpy(to, "\xef\xbf\xbd", 3);
    return 3;
}

void cr_escape_json(struct cr_buf *out, const char *text, size_t len)
{
    static const struct style style = {is_plain_in_json, write_json_escape, write_replacement};

    cr_buf_str(out, "\"");
    add_escaped(out, (const uint8_t *)text, len, &style);
    cr_buf_str(out, "\"");
}

void cr_escape_json_str(struct cr_buf *out, const char *text)
{
    cr_escape_json(out, text, strlen(text));
}

void cr_escape_shell_word(struct cr_buf *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-./:=@%+,";

    if (*word && !word[strspn(word, plain)]) {
        cr_buf_str(out, word);
        return;
    }
    cr_buf_str(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            cr_buf_str(out, "'\\''");
        else
            cr_buf_add(out, word, 1);
    cr_buf_str(out, "'");
}

void cr_escape_member(struct cr_buf *out, const char *name, const char *text)
{
    cr_buf_fmt(out, ",\"%s\":", name);
    cr_escape_json_str(out, text);
}

/* Returns the length of the string that begins at the quote |text|, quotes included. */
static size_t string_len(const uint8_t *text, size_t len)
{
    size_t at = 1;

    while (at < len && text[at] != '"')
        at += text[at] == '\\' && at + 1 < len ? 2 : 1;
    return at < len ? at + 1 : len;
}

/* Returns the length of the number or word at |text|; at least 1. */
static size_t scalar_len(const uint8_t *text, size_t len)
{
    size_t at = 1;

    while (at < len && !strchr(",:]} \t\r\n", text[at]))
        at++;
    return at;
}

static size_t space_len(const uint8_t *text, size_t len)
{
    size_t at = 0;

    while (at < len &&
           (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
        at++;
    return at;
}

static void add_line(struct cr_buf *out, size_t depth)
{
    size_t indent = 2 * depth;
    uint8_t *room = cr_buf_room(out, indent + 1);

    if (!room)
        return;
    room[0] = '\n';
    memset(room + 1, ' ', indent);
    out->len += indent + 1;
}

/* Appends an opening bracket, and the closing one if it follows. Returns how much it used. */
static size_t add_opening(struct cr_buf *out, const uint8_t *json, size_t len, size_t *depth)
{
    size_t space = 1 + space_len(json + 1, len - 1);

    cr_buf_add(out, json, 1);
    if (space < len && (json[space] == ']' || json[space] == '}')) {
        cr_buf_add(out, json + space, 1);
        return space + 1;
    }
    add_line(out, ++*depth);
    return space;
}

/* Appends the token at |json|, which is not white space. Returns its length. */
static size_t add_token(struct cr_buf *out, const uint8_t *json, size_t len, size_t *depth)
{
    size_t n = 1;

    switch (json[0]) {
    case '{':
    case '[':
        return add_opening(out, json, len, depth);
    case '}':
    case ']':
        *depth -= *depth > 0;
        add_line(out, *depth);
        cr_buf_add(out, json, 1);
        return 1;
    case ',':
        cr_buf_str(out, ",");
        add_line(out, *depth);
        return 1;
    case ':':
        cr_buf_str(out, ": ");
        return 1;
    case '"':
        n = string_len(json, len);
        break;
    default:
        n = scalar_len(json, len);
        break;
    }
    /* hidden characters occur only in strings, where the terminal's escapes are valid JSON, too */
    cr_escape_terminal(out, (const char *)json, n);
    return n;
}

void cr_escape_pretty_part(struct cr_buf *out, const uint8_t *json, size_t len, size_t *depth)
{
    size_t n;

    for (size_t at = len ? space_len(json, len) : 0; at < len;
         at += space_len(json + at, len - at)) {
        n = add_token(out, json + at, len - at, depth);
        at += n;
    }
}

void cr_escape_pretty(struct cr_buf *out, const uint8_t *json, size_t len)
{
    size_t depth = 0;

    cr_escape_pretty_part(out, json, len, &depth);
}
