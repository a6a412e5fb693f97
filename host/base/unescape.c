/* unescape.c - decodes the escapes in JSON strings. */
#include "base/unescape.h"

#include "base/utf8.h"

#define REPLACEMENT 0xfffdu

/* Reads \uXXXX. Returns its length (6), or 0. */
static size_t read_unit(const uint8_t *at, const uint8_t *end, uint32_t *ret_char)
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

const uint8_t cr_unescape_short[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

size_t cr_unescape_unicode(const uint8_t *at, const uint8_t *end, uint32_t *ret_char)
{
    uint32_t c, low;

    if (!read_unit(at, end, &c))
        return 0;
    *ret_char = c;
    if (c < 0xd800 || c > 0xdbff || !read_unit(at + 6, end, &low) || low < 0xdc00 || low > 0xdfff)
        return 6;
    *ret_char = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

void cr_unescape(struct cr_buf *out, const char *text, size_t len)
{
    const uint8_t *at = (const uint8_t *)text, *end = at + len;

    while (at < end) {
        const uint8_t *plain = at;
        uint8_t made[4];
        uint32_t c;
        size_t escape;

        while (at < end && *at != '\\')
            at++;
        cr_buf_add(out, plain, (size_t)(at - plain));
        escape = cr_unescape_one(at, end, &c);
        if (escape == 0)
            return;
        if (c >= 0xd800 && c <= 0xdfff)
            c = REPLACEMENT;
        cr_buf_add(out, made, cr_utf8_encode(c, made));
        at += escape;
    }
}
