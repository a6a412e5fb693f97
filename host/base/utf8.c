/* utf8.c - decodes and encodes UTF-8. The decoder joins the bits, then rejects invalid results. */
#include "base/utf8.h"

#include <string.h>

size_t cr_utf8_decode(const uint8_t *bytes, size_t len, uint32_t *ret_char)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c;
    size_t n;

    if (len == 0)
        return 0;
    if (bytes[0] < 0x80) {
        *ret_char = bytes[0];
        return 1;
    }
    if (bytes[0] < 0xc0 || bytes[0] > 0xf7)
        return 0;
    n = bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
    if (len < n)
        return 0;
    c = bytes[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (bytes[i] & 0x3fu);
    }
    if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *ret_char = c;
    return n;
}

size_t cr_utf8_encode(uint32_t c, uint8_t *ret_bytes)
{
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    if (c < 0x80) {
        ret_bytes[0] = (uint8_t)c;
        return 1;
    }
    for (size_t i = n - 1; i > 0; i--) {
        ret_bytes[i] = (uint8_t)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    ret_bytes[0] = (uint8_t)(0xf00u >> n | c);
    return n;
}

static size_t ascii_prefix(const uint8_t *bytes, size_t len)
{
    size_t at = 0;
    uint64_t word;

    for (; len - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, bytes + at, sizeof(word));
        if (word & 0x8080808080808080u)
            break;
    }
    while (at < len && bytes[at] < 0x80)
        at++;
    return at;
}

size_t cr_utf8_valid_prefix(const uint8_t *bytes, size_t len)
{
    size_t at = 0, n;
    uint32_t c;

    while (at < len) {
        n = bytes[at] < 0x80 ? ascii_prefix(bytes + at, len - at)
                             : cr_utf8_decode(bytes + at, len - at, &c);
        if (n == 0)
            break;
        at += n;
    }
    return at;
}
