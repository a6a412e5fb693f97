/* unescape.h - decodes the escapes in JSON strings, for all of the host. */
#ifndef CR_UNESCAPE_H
#define CR_UNESCAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* For cr_unescape_one(): the character for each byte after a backslash, or 0; and \uXXXX. */
extern const uint8_t cr_unescape_short[256];
size_t cr_unescape_unicode(const uint8_t *at, const uint8_t *end, uint32_t *ret_char);

/*
 * Reads the escape at |at|, where a backslash is; a surrogate pair is one escape. Returns its
 * length, or 0 if it is not an escape. |ret_char| may become half of a surrogate pair.
 */
static inline size_t cr_unescape_one(const uint8_t *at, const uint8_t *end, uint32_t *ret_char)
{
    if (end - at < 2)
        return 0;
    if (at[1] == 'u')
        return cr_unescape_unicode(at, end, ret_char);
    *ret_char = cr_unescape_short[at[1]];
    return *ret_char ? 2 : 0;
}

/*
 * Appends the string |text|, which is given without its quotes, unescaped. The scanner has accepted
 * it, under either rules: half of a surrogate pair becomes U+FFFD.
 */
void cr_unescape(struct cr_buf *out, const char *text, size_t len);

#endif
