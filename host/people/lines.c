/* lines.c - lays out JSON in lines, character by character. */
#include "people/lines.h"

#include "base/escape.h"
#include "base/locate.h"
#include "base/utf8.h"

#define MOST_INDENT 16u
#define KEPT_FREE 5u /* at the end of a line, for ": ", brackets and a comma */

void cr_lines_resize(struct cr_lines *l, size_t columns)
{
    l->columns = columns < CR_LINES_LEAST ? CR_LINES_LEAST : columns;
}

void cr_lines_begin(struct cr_lines *l, const char *json, size_t len, size_t columns)
{
    *l = (struct cr_lines){.at = (const uint8_t *)json, .end = (const uint8_t *)json + len};
    cr_lines_resize(l, columns);
}

static const uint8_t *skip_spaces(const uint8_t *at, const uint8_t *end)
{
    while (at < end && cr_locate_is_space((char)*at))
        at++;
    return at;
}

static bool is_closing(uint8_t c)
{
    return c == '}' || c == ']';
}

/* Appends the indentation of the next line. Returns its width. */
static size_t add_indent(struct cr_lines *l, struct cr_buf *out)
{
    size_t depth = l->depth, width;

    if (!l->in_string && l->at < l->end && is_closing(*l->at) && depth)
        depth--;
    width = 2 * depth;
    if (width > MOST_INDENT)
        width = MOST_INDENT;
    if (width > l->columns / 4)
        width = l->columns / 4;
    for (size_t i = 0; i < width; i++)
        cr_buf_str(out, " ");
    return width;
}

/* Returns the length of the character, or of the escape of JSON, at |l->at|. */
static size_t unit_len(const struct cr_lines *l)
{
    size_t left = (size_t)(l->end - l->at), n;
    uint32_t c;

    if (*l->at == '\\' && l->in_string) {
        n = left > 1 && l->at[1] == 'u' ? 6 : 2;
        return n < left ? n : left;
    }
    n = cr_utf8_decode(l->at, left, &c);
    return n ? n : 1;
}

/* Appends one character, if it fits. Returns its width, or 0. */
static size_t add_unit(struct cr_lines *l, struct cr_buf *out, size_t used)
{
    size_t n = unit_len(l), before = out->len, width;

    if (*l->at < 0x80 && *l->at != 0x7f) {
        cr_buf_add(out, l->at, n);
        width = n;
    } else {
        cr_escape_question(out, (const char *)l->at, n);
        width = out->len > before && out->data[before] == '\\' ? out->len - before : 2;
    }
    if (used + width + KEPT_FREE > l->columns) {
        out->len = before;
        return 0;
    }
    if (*l->at == '"')
        l->in_string = !l->in_string;
    l->at += n;
    return width;
}

/* Appends an opening bracket, and the closing one if it follows. Returns true if it does. */
static bool add_opening(struct cr_lines *l, struct cr_buf *out)
{
    const uint8_t *next = skip_spaces(l->at + 1, l->end);

    cr_buf_add(out, l->at, 1);
    if (next < l->end && is_closing(*next)) {
        cr_buf_add(out, next, 1);
        l->at = next + 1;
        return true;
    }
    l->at++;
    l->depth++;
    return false;
}

bool cr_lines_next(struct cr_lines *l, struct cr_buf *out)
{
    size_t used = 0, n;
    bool has_begun = false;

    if (!l->in_string)
        l->at = skip_spaces(l->at, l->end);
    if (l->at == l->end || out->err)
        return false;
    for (used = add_indent(l, out); l->at < l->end && !out->err; has_begun = true) {
        uint8_t c = *l->at;

        if (l->in_string || !(c == '{' || c == '[' || is_closing(c) || c == ',' || c == ':' ||
                              cr_locate_is_space((char)c))) {
            n = add_unit(l, out, used);
            if (!n)
                break;
            used += n;
        } else if (c == '{' || c == '[') {
            if (!add_opening(l, out))
                break;
            used += 2;
        } else if (is_closing(c)) {
            if (has_begun)
                break;
            l->depth -= l->depth > 0;
            cr_buf_add(out, l->at++, 1);
        } else if (c == ',') {
            cr_buf_add(out, l->at++, 1);
            break;
        } else {
            cr_buf_str(out, c == ':' ? ": " : "");
            used += c == ':' ? 2 : 0;
            l->at++;
        }
    }
    return true;
}
