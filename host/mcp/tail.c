/* tail.c - keeps the last output of a server in a ring buffer: new bytes replace the oldest. */
#include "mcp/tail.h"

#include <string.h>

#include "base/escape.h"

#define SHOWN_MAX (1u << 20) /* more than all lines can be, escaped and joined */

void cr_tail_init(struct cr_tail *t)
{
    t->start = t->len = 0;
    t->cut = false;
}

/* Writes to the ring from |at| on, and continues at its start if needed. */
static void write_to_ring(struct cr_tail *t, size_t at, const char *bytes, size_t len)
{
    size_t before_end = CR_CHILD_TAIL - at < len ? CR_CHILD_TAIL - at : len;

    memcpy(t->bytes + at, bytes, before_end);
    memcpy(t->bytes, bytes + before_end, len - before_end);
}

void cr_tail_add(struct cr_tail *t, const void *bytes, size_t len)
{
    const char *from = bytes;
    size_t lost;

    if (!len)
        return;
    if (len > CR_CHILD_TAIL) {
        from += len - CR_CHILD_TAIL;
        len = CR_CHILD_TAIL;
        t->cut = true;
    }
    lost = t->len + len > CR_CHILD_TAIL ? t->len + len - CR_CHILD_TAIL : 0;
    t->cut = t->cut || lost;
    write_to_ring(t, (t->start + t->len) % CR_CHILD_TAIL, from, len);
    t->start = (t->start + lost) % CR_CHILD_TAIL;
    t->len += len - lost;
}

static char last_byte(const struct cr_tail *t)
{
    return t->bytes[(t->start + t->len - 1) % CR_CHILD_TAIL];
}

void cr_tail_add_line(struct cr_tail *t, const void *bytes, size_t len)
{
    if (t->len && last_byte(t) != '\n')
        cr_tail_add(t, "\n", 1);
    cr_tail_add(t, bytes, len);
    cr_tail_add(t, "\n", 1);
}

/* --- showing --------------------------------------------------------------------------------- */

/* Copies the text, in its order, to |ret|. */
static void copy_in_order(const struct cr_tail *t, char ret[CR_CHILD_TAIL])
{
    size_t before_end = CR_CHILD_TAIL - t->start < t->len ? CR_CHILD_TAIL - t->start : t->len;

    memcpy(ret, t->bytes + t->start, before_end);
    memcpy(ret + before_end, t->bytes, t->len - before_end);
}

static size_t trimmed(const char *line, size_t len)
{
    while (len && memchr(" \t\r", line[len - 1], 3))
        len--;
    return len;
}

/* Where to begin: after a cut first line, unless that is the only line. */
static size_t beginning(const struct cr_tail *t, const char *text)
{
    const char *end = t->cut ? memchr(text, '\n', t->len) : NULL;
    size_t at = end ? (size_t)(end - text) + 1 : 0;

    return at < t->len ? at : 0;
}

static void join_lines(const struct cr_tail *t, const char *between, struct cr_buf *out)
{
    char text[CR_CHILD_TAIL];
    size_t n;

    copy_in_order(t, text);
    for (size_t at = beginning(t, text); at < t->len; at += n + 1) {
        const char *line = text + at;
        const char *end = memchr(line, '\n', t->len - at);

        n = end ? (size_t)(end - line) : t->len - at;
        if (!trimmed(line, n))
            continue;
        if (out->len)
            cr_buf_str(out, between);
        cr_escape_terminal(out, line, trimmed(line, n));
    }
}

/* Where to begin so that |max| bytes are left: at a line, or else at a whole character. */
static size_t beginning_of_last(const struct cr_buf *text, const char *between, size_t max)
{
    size_t at = text->len - max, gap = strlen(between);
    size_t from = at > gap ? at - gap : 0;
    const uint8_t *line = memmem(text->data + from, text->len - from, between, gap);

    if (line)
        return (size_t)(line - text->data) + gap;
    while (at < text->len && (text->data[at] & 0xc0) == 0x80)
        at++;
    return at;
}

void cr_tail_show(const struct cr_tail *t, const char *between, size_t max, struct cr_buf *out)
{
    struct cr_buf text;
    size_t from;

    cr_buf_init(&text, SHOWN_MAX);
    join_lines(t, between, &text);
    from = text.len > max ? beginning_of_last(&text, between, max) : 0;
    if (!cr_buf_err(&text))
        cr_buf_add(out, text.data + from, text.len - from);
    cr_buf_clear(&text);
}
