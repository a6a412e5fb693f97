/* out.c - a growing text buffer in the engine's arena. */
#include "out.h"

#include <stdio.h>
#include <string.h>

#include "arena.h"

static void make_room(struct crw_out *out, size_t more)
{
    size_t cap = out->cap ? out->cap : 1024;

    if (out->cap - out->len >= more)
        return;
    while (cap - out->len < more)
        cap *= 2;
    out->text = crw_arena_realloc(NULL, out->text, cap);
    out->cap = cap;
}

/* Returns how many of |len| bytes still fit, in whole characters. */
static size_t fitting(struct crw_out *out, const char *text, size_t len)
{
    size_t room = out->max - out->len;

    if (len <= room)
        return len;
    out->full = true;
    while (room > 0 && ((uint8_t)text[room] & 0xc0) == 0x80)
        room--;
    return room;
}

void crw_out_put(struct crw_out *out, const char *text, size_t len)
{
    len = fitting(out, text, len);
    if (len == 0)
        return;
    make_room(out, len);
    memcpy(out->text + out->len, text, len);
    out->len += len;
}

void crw_out_str(struct crw_out *out, const char *text)
{
    crw_out_put(out, text, strlen(text));
}

void crw_out_number(struct crw_out *out, uint64_t number)
{
    char digits[24];

    crw_out_put(out, digits,
                (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number));
}

void crw_out_spaces(struct crw_out *out, size_t count)
{
    static const char spaces[] = "                                ";

    for (size_t n; count > 0 && !out->full; count -= n) {
        n = count < sizeof(spaces) - 1 ? count : sizeof(spaces) - 1;
        crw_out_put(out, spaces, n);
    }
}

static char quote_for(const char *text, size_t len)
{
    if (!memchr(text, '\'', len))
        return '\'';
    if (!memchr(text, '"', len))
        return '"';
    return memchr(text, '`', len) || memmem(text, len, "${", 2) ? '\'' : '`';
}

/* Returns how many bytes at |at| must be escaped together: 0, 1, or 2 for a C1 control. */
static size_t escaped_bytes(const char *at, size_t left, char quote)
{
    uint8_t c = (uint8_t)*at;

    if (c < 0x20 || c == 0x7f || c == '\\' || *at == quote)
        return 1;
    return c == 0xc2 && left > 1 && (uint8_t)at[1] < 0xa0 ? 2 : 0;
}

static void put_escape(struct crw_out *out, uint8_t c)
{
    static const char letters[] = "\bb\tt\nn\ff\rr\\\\''\"\"``";
    char text[8];

    for (size_t i = 0; i + 1 < sizeof(letters); i += 2) {
        if ((uint8_t)letters[i] == c) {
            crw_out_put(out, (char[]){'\\', letters[i + 1]}, 2);
            return;
        }
    }
    crw_out_put(out, text, (size_t)snprintf(text, sizeof(text), "\\x%02X", c));
}

void crw_out_quoted(struct crw_out *out, const char *text, size_t len)
{
    char quote = quote_for(text, len);
    size_t from = 0;

    crw_out_put(out, &quote, 1);
    for (size_t i = 0; i < len && !out->full; i++) {
        size_t n = escaped_bytes(text + i, len - i, quote);

        if (n == 0)
            continue;
        crw_out_put(out, text + from, i - from);
        i += n - 1;
        put_escape(out, (uint8_t)text[i]);
        from = i + 1;
    }
    crw_out_put(out, text + from, len - from);
    crw_out_put(out, &quote, 1);
}

size_t crw_out_begin_value(struct crw_out *out)
{
    size_t max = out->max;

    if (max - out->len > CRW_OUT_VALUE_MAX)
        out->max = out->len + CRW_OUT_VALUE_MAX;
    return max;
}

void crw_out_end_value(struct crw_out *out, size_t begun)
{
    out->max = begun;
    if (out->full) {
        out->full = false;
        crw_out_str(out, " … cut");
    }
}

void crw_out_reset(struct crw_out *out, size_t max)
{
    if (out->cap > CRW_OUT_VALUE_MAX) {
        crw_arena_free(NULL, out->text);
        out->text = NULL;
        out->cap = 0;
    }
    out->len = 0;
    out->max = max;
    out->full = false;
}

size_t crw_out_width(const char *text, size_t len)
{
    size_t width = 0;

    for (size_t i = 0; i < len; i++) {
        uint8_t c = (uint8_t)text[i];

        width += (size_t)((c & 0xc0) != 0x80) + (c >= 0xf0);
    }
    return width;
}
