/* excerpt.c - shows the line of the code where an error arose, with a caret below the place. */
#include "cli/excerpt.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

#define LEAD 10u           /* columns before the line: its number and a bar */
#define LARGEST 100000000u /* of a line or column */

/* One character of the line: its bytes, and how it is shown. */
struct cell {
    size_t len;
    size_t units; /* as the engine counts columns */
    size_t width; /* on a terminal */
};

/* --- the place ------------------------------------------------------------------------------ */

/* Reads the number that ends at |*end|, which moves to the colon before it. Returns it, or 0. */
static size_t number_before(const char *text, size_t *end)
{
    size_t number = 0, place = 1, at = *end;

    for (; at && text[at - 1] >= '0' && text[at - 1] <= '9' && place < LARGEST; place *= 10)
        number += (size_t)(text[--at] - '0') * place;
    if (!at || text[at - 1] != ':')
        return 0;
    *end = at - 1;
    return number;
}

static bool find_place(const char *frame, size_t len, size_t *ret_line, size_t *ret_column)
{
    size_t end = len && frame[len - 1] == ')' ? len - 1 : len;

    *ret_column = number_before(frame, &end);
    *ret_line = number_before(frame, &end);
    /* "<input>" is a text that JSON.parse() was given, and not the code */
    return *ret_column && *ret_line && end && frame[end - 1] != '>';
}

/* Returns the length of the line end at |at|, as the engine sees it, or 0. */
static size_t line_end(const char *code, size_t len, size_t at)
{
    if (code[at] == '\r')
        return at + 1 < len && code[at + 1] == '\n' ? 2 : 1;
    if (code[at] == '\n')
        return 1;
    /* U+2028 and U+2029 */
    return len - at >= 3 && (memcmp(code + at, "\xe2\x80\xa8", 3) == 0 ||
                             memcmp(code + at, "\xe2\x80\xa9", 3) == 0)
               ? 3
               : 0;
}

/* Returns line |number| of the code, counted from 1, or NULL. */
static const char *find_line(const char *code, size_t len, size_t number, size_t *ret_len)
{
    size_t at = 0, begin = 0;

    while (at < len && number > 1) {
        size_t end = line_end(code, len, at);

        at += end ? end : 1;
        if (end) {
            begin = at;
            number--;
        }
    }
    for (at = begin; at < len && !line_end(code, len, at); at++)
        ;
    *ret_len = at - begin;
    return number == 1 ? code + begin : NULL;
}

/* --- characters ----------------------------------------------------------------------------- */

/* Returns how many columns a terminal uses for |c|: the usual blocks of wide characters and marks.
 */
static size_t width_of(uint32_t c)
{
    static const struct {
        uint32_t first, last;
        size_t width;
    } blocks[] = {
        {0x300, 0x36f, 0},     {0x1100, 0x115f, 2},   {0x20d0, 0x20ff, 0},   {0x2e80, 0xa4cf, 2},
        {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},
        {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},   {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2},
        {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
    };

    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        if (c >= blocks[i].first && c <= blocks[i].last)
            return blocks[i].width;
    return 1;
}

/* Appends a character as it is shown: a tab as a space, hidden characters escaped. */
static void add_cell(struct cr_buf *out, const char *text, const struct cell *cell)
{
    if (*text == '\t')
        cr_buf_str(out, " ");
    else
        cr_escape_terminal(out, text, cell->len);
}

static struct cell cell_at(const char *text, size_t len)
{
    uint32_t c = 0;
    size_t bytes = cr_utf8_decode((const uint8_t *)text, len, &c);
    struct cell cell = {.len = bytes ? bytes : 1, .units = bytes == 4 ? 2 : 1};
    struct cr_buf shown;

    cr_buf_init(&shown, 64);
    add_cell(&shown, text, &cell);
    /* an escaped character is shown as ASCII, so that each byte is one column */
    cell.width = shown.len == cell.len && bytes && memcmp(shown.data, text, bytes) == 0
                     ? width_of(c)
                     : shown.len;
    cr_buf_clear(&shown);
    return cell;
}

/* --- the two lines -------------------------------------------------------------------------- */

/* Returns the byte of |line| at |column|, counted from 1 in UTF-16 units. */
static size_t byte_at(const char *line, size_t len, size_t column)
{
    size_t at = 0, units = 1;

    while (at < len && units < column) {
        uint32_t c;
        size_t bytes = cr_utf8_decode((const uint8_t *)line + at, len - at, &c);

        units += bytes == 4 ? 2 : 1;
        at += bytes ? bytes : 1;
    }
    return at;
}

/* Returns where to begin, at most |columns| before |place|. */
static size_t begin_before(const char *line, size_t len, size_t place, size_t columns)
{
    size_t at = place, used = 0;

    while (at) {
        size_t before = at - 1;

        while (before && ((uint8_t)line[before] & 0xc0) == 0x80)
            before--;
        used += cell_at(line + before, len - before).width;
        if (used > columns)
            break;
        at = before;
    }
    return at;
}

void cr_excerpt_add(struct cr_buf *out, const char *code, size_t code_len, const char *frame,
                    size_t frame_len, size_t columns)
{
    size_t number, column, len = 0, place, used = 0, caret = 0;
    size_t room = columns > 2 * LEAD ? columns - LEAD - 1 : LEAD;
    const char *line = NULL;

    if (find_place(frame, frame_len, &number, &column))
        line = find_line(code, code_len, number, &len);
    if (!line)
        return;
    place = byte_at(line, len, column);
    cr_buf_fmt(out, "%7zu | ", number);
    for (size_t at = begin_before(line, len, place, room * 2 / 3); at < len;) {
        struct cell cell = cell_at(line + at, len - at);

        if (used + cell.width > room)
            break;
        add_cell(out, line + at, &cell);
        used += cell.width;
        at += cell.len;
        if (at <= place)
            caret = used;
    }
    cr_buf_fmt(out, "\n        | %*s^\n", (int)caret, "");
}
