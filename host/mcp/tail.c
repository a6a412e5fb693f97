/* tail.c - bytes that move up when others come in. */
#include "mcp/tail.h"

#include <string.h>

#include "base/escape.h"

#define SHOWN_MAX (1u << 20) /* more than all lines can be, escaped and joined */

void cr_tail_add(struct cr_tail *t, const void *bytes, size_t len)
{
    size_t kept;

    if (!len)
        return;
    if (len > CR_CHILD_TAIL) {
        bytes = (const char *)bytes + (len - CR_CHILD_TAIL);
        len = CR_CHILD_TAIL;
        t->cut = true;
    }
    kept = t->len < CR_CHILD_TAIL - len ? t->len : CR_CHILD_TAIL - len;
    t->cut = t->cut || kept < t->len;
    memmove(t->bytes, t->bytes + (t->len - kept), kept);
    memcpy(t->bytes + kept, bytes, len);
    t->len = kept + len;
}

void cr_tail_add_line(struct cr_tail *t, const void *bytes, size_t len)
{
    if (t->len && t->bytes[t->len - 1] != '\n')
        cr_tail_add(t, "\n", 1);
    cr_tail_add(t, bytes, len);
    cr_tail_add(t, "\n", 1);
}

static size_t trimmed(const char *line, size_t len)
{
    while (len && memchr(" \t\r", line[len - 1], 3))
        len--;
    return len;
}

/* Half a line at the beginning is left out, unless it is all there is. */
static size_t beginning(const struct cr_tail *t)
{
    const char *end = t->cut ? memchr(t->bytes, '\n', t->len) : NULL;
    size_t at = end ? (size_t)(end - t->bytes) + 1 : 0;

    return at < t->len ? at : 0;
}

static void join(const struct cr_tail *t, const char *between, struct cr_buf *out)
{
    size_t n;

    for (size_t at = beginning(t); at < t->len; at += n + 1) {
        const char *line = t->bytes + at;
        const char *end = memchr(line, '\n', t->len - at);

        n = end ? (size_t)(end - line) : t->len - at;
        if (!trimmed(line, n))
            continue;
        if (out->len)
            cr_buf_str(out, between);
        cr_escape_terminal(out, line, trimmed(line, n));
    }
}

/* From the first line that fits, or else from the first whole character. */
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
    join(t, between, &text);
    from = text.len > max ? beginning_of_last(&text, between, max) : 0;
    if (!cr_buf_err(&text))
        cr_buf_add(out, text.data + from, text.len - from);
    cr_buf_clear(&text);
}
