/* unescape.h - the one place that says what an escape in a JSON string stands for. */
#ifndef CR_UNESCAPE_H
#define CR_UNESCAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* For the function below: what stands behind a backslash, 0 if it is no escape; and \uXXXX. */
extern const uint8_t cr_unescape_short[256];
size_t cr_unescape_unicode(const uint8_t *at, const uint8_t *end, uint32_t *ret_char);

/*
 * Reads the escape at |at|, where a backslash is; a surrogate pair is one escape. Returns its
 * length, or 0 if it is not an escape. |ret_char| may become a surrogate without its other half.
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
 * Appends what the string |text|, without its quotes, means. The scanner has accepted it, under
 * either rules: half of a surrogate pair becomes U+FFFD.
 */
void cr_unescape(struct cr_buf *out, const char *text, size_t len);

#endif
