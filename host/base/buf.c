/* buf.c - a byte buffer that doubles its size when full, and never grows past its ceiling. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caprun.h"

void cr_buf_init(struct cr_buf *b, size_t max)
{
    *b = (struct cr_buf){.max = max};
}

void cr_buf_clear(struct cr_buf *b)
{
    free(b->data);
    cr_buf_init(b, b->max);
}

static size_t grown_cap(const struct cr_buf *b, size_t need)
{
    size_t cap = b->cap < 64 ? 64 : b->cap;

    while (cap < need && cap <= b->max / 2)
        cap *= 2;
    if (cap < need || cap > b->max)
        cap = b->max;
    return cap;
}

/* Without memory, sets the buffer's error and returns false. */
static bool resize(struct cr_buf *b, size_t cap)
{
    uint8_t *data = realloc(b->data, cap ? cap : 1);

    if (!data) {
        b->err = CAPRUN_E_NOMEM;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

void cr_buf_grow_to(struct cr_buf *b, size_t cap)
{
    if (!b->err && cap > b->cap && cap <= b->max)
        (void)resize(b, cap);
}

uint8_t *cr_buf_room(struct cr_buf *b, size_t len)
{
    if (b->err)
        return NULL;
    if (len > b->max - b->len) {
        b->err = CAPRUN_E_TOOBIG;
        return NULL;
    }
    if ((len > b->cap - b->len || !b->data) && !resize(b, grown_cap(b, b->len + len)))
        return NULL;
    return b->data + b->len;
}

void cr_buf_add(struct cr_buf *b, const void *bytes, size_t len)
{
    uint8_t *room = cr_buf_room(b, len);

    if (room && len) {
        memcpy(room, bytes, len);
        b->len += len;
    }
}

void cr_buf_str(struct cr_buf *b, const char *text)
{
    cr_buf_add(b, text, strlen(text));
}

void cr_buf_number(struct cr_buf *b, uint64_t number)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    cr_buf_add(b, digits + at, sizeof(digits) - at);
}

void cr_buf_fmt(struct cr_buf *b, const char *fmt, ...)
{
    va_list ap;
    uint8_t *room;
    int len;

    if (b->err)
        return;
    va_start(ap, fmt);
    len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (len < 0) {
        b->err = CAPRUN_E_NOMEM;
        return;
    }
    /* one more, for the NUL that vsnprintf writes and len does not count */
    room = cr_buf_room(b, (size_t)len + 1);
    if (!room)
        return;
    va_start(ap, fmt);
    (void)vsnprintf((char *)room, (size_t)len + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)len;
}

void cr_buf_drop(struct cr_buf *b, size_t len)
{
    if (!len)
        return;
    b->len -= len;
    if (b->len)
        memmove(b->data, b->data + len, b->len);
}

const char *cr_buf_text(struct cr_buf *b)
{
    uint8_t *room = cr_buf_room(b, 1);

    if (!room)
        return NULL;
    *room = '\0';
    return (const char *)b->data;
}

int cr_buf_err(const struct cr_buf *b)
{
    return b->err;
}
