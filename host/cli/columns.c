/* columns.c - measures, cuts and pads text for the columns of a terminal; formats durations. */
#include "cli/columns.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"

#define MAX_CELL (64u << 10)
#define MAX_WORD (64u << 20)
#define USUAL 80u

size_t cr_columns_available(int fd)
{
    const char *said = fd == STDOUT_FILENO ? getenv("COLUMNS") : NULL;
    struct winsize size = {0};
    bool is_terminal = isatty(fd);
    size_t columns = USUAL;

    if (is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
        columns = size.ws_col;
    else if (said && *said >= '1' && *said <= '9')
        columns = strtoul(said, NULL, 10);
    else if (!is_terminal)
        return CR_COLUMNS_ALL;
    if (columns > CR_COLUMNS_MOST)
        return CR_COLUMNS_MOST;
    return columns < CR_COLUMNS_LEAST ? CR_COLUMNS_LEAST : columns;
}

static bool begins_character(uint8_t byte)
{
    return (byte & 0xc0) != 0x80;
}

static size_t count_characters(const struct cr_buf *text)
{
    size_t n = 0;

    for (size_t i = 0; i < text->len; i++)
        n += begins_character(text->data[i]);
    return n;
}

/* Keeps |width| characters, the last one "…" as a sign that text is missing. */
static void cut_text(struct cr_buf *text, size_t width)
{
    size_t n = 0, at = 0;

    while (at < text->len) {
        if (begins_character(text->data[at]) && ++n == width)
            break;
        at++;
    }
    text->len = at;
    cr_buf_str(text, "…");
}

/* Escapes only the beginning of a long text, since only a few characters are shown. */
static void escape_cell(struct cr_buf *out, const char *text)
{
    cr_buf_init(out, MAX_CELL);
    cr_escape_terminal(out, text, strnlen(text, MAX_CELL / 16));
}

size_t cr_columns_of(const char *text)
{
    struct cr_buf escaped;
    size_t n;

    escape_cell(&escaped, text);
    n = count_characters(&escaped);
    cr_buf_clear(&escaped);
    return n;
}

void cr_columns_fill(struct cr_buf *out, size_t spaces)
{
    while (spaces--)
        cr_buf_str(out, " ");
}

static void add_padded(struct cr_buf *out, const char *text, size_t width, bool to_the_right)
{
    struct cr_buf escaped;
    size_t n;

    escape_cell(&escaped, text);
    n = count_characters(&escaped);
    if (n > width) {
        cut_text(&escaped, width);
        n = width;
    }
    if (to_the_right)
        cr_columns_fill(out, width - n);
    cr_buf_add(out, escaped.data, escaped.len);
    if (!to_the_right)
        cr_columns_fill(out, width - n);
    if (cr_buf_err(&escaped) && !out->err)
        out->err = cr_buf_err(&escaped);
    cr_buf_clear(&escaped);
}

void cr_columns_left(struct cr_buf *out, const char *text, size_t width)
{
    add_padded(out, text, width, false);
}

void cr_columns_right(struct cr_buf *out, const char *text, size_t width)
{
    add_padded(out, text, width, true);
}

void cr_columns_cut(struct cr_buf *out, const char *text, size_t width)
{
    struct cr_buf escaped;

    if (width > CR_COLUMNS_MOST) { /* what is left of CR_COLUMNS_ALL */
        cr_escape_terminal(out, text, strlen(text));
        return;
    }
    escape_cell(&escaped, text);
    if (count_characters(&escaped) > width)
        cut_text(&escaped, width);
    cr_buf_add(out, escaped.data, escaped.len);
    if (cr_buf_err(&escaped) && !out->err)
        out->err = cr_buf_err(&escaped);
    cr_buf_clear(&escaped);
}

/* Appends |spaces| and |word|, or a line break and |word|. Returns the columns used after it. */
static size_t add_word(struct cr_buf *out, const struct cr_buf *word, size_t spaces, size_t used,
                       size_t indent, size_t columns)
{
    size_t n = count_characters(word);

    if (used > indent && used + spaces + n > columns) {
        cr_buf_str(out, "\n");
        used = 0;
        spaces = indent;
    }
    cr_columns_fill(out, spaces);
    cr_buf_add(out, word->data, word->len);
    return used + spaces + n;
}

void cr_columns_wrap(struct cr_buf *out, const char *text, size_t len, size_t used, size_t indent,
                     size_t columns)
{
    cr_autobuf struct cr_buf word = CR_BUF(MAX_WORD);
    const char *end = text + len;

    while (text < end) {
        const char *start = text;

        while (start < end && *start == ' ')
            start++;
        word.len = 0;
        len = 0;
        while (start + len < end && start[len] != ' ')
            len++;
        cr_escape_terminal(&word, start, len);
        if (len)
            used = add_word(out, &word, (size_t)(start - text), used, indent, columns);
        text = start + len;
    }
    if (cr_buf_err(&word) && !out->err)
        out->err = cr_buf_err(&word);
}

/* Writes three digits, without trailing zeros in the fraction. */
static void show_fraction(int64_t thousandths, const char *unit, char ret[32])
{
    int digits = thousandths < 10000 ? 2 : thousandths < 100000 ? 1 : 0;
    char number[32];
    size_t len;

    /* rounded down: 999.9 ms is not a second yet */
    (void)snprintf(number, sizeof(number), "%lld.%03lld", (long long)(thousandths / 1000),
                   (long long)(thousandths % 1000));
    len = strlen(number) - 3 + (size_t)digits;
    while (number[len - 1] == '0' && strchr(number, '.') < number + len)
        len--;
    len -= number[len - 1] == '.';
    (void)snprintf(ret, 32, "%.*s %s", (int)len, number, unit);
}

static void show_two(int64_t big, const char *big_unit, int64_t small, const char *small_unit,
                     char ret[32])
{
    if (small)
        (void)snprintf(ret, 32, "%lld %s %lld %s", (long long)big, big_unit, (long long)small,
                       small_unit);
    else
        (void)snprintf(ret, 32, "%lld %s", (long long)big, big_unit);
}

void cr_columns_duration(int64_t us, char ret[32])
{
    int64_t s = us / 1000000;

    if (us < 1000)
        (void)snprintf(ret, 32, "%lld µs", (long long)us);
    else if (us < 1000000)
        show_fraction(us, "ms", ret);
    else if (s < 60)
        show_fraction(us / 1000, "s", ret);
    else if (s < 3600)
        show_two(s / 60, "min", s % 60, "s", ret);
    else if (s < 86400)
        show_two(s / 3600, "h", s / 60 % 60, "min", ret);
    else
        show_two(s / 86400, "d", s / 3600 % 24, "h", ret);
}
