/*
 * utf8.h - the host's only UTF-8 decoder and encoder. Exactly RFC 3629: no overlong forms, no
 * surrogates, nothing over U+10FFFF.
 */
#ifndef CR_UTF8_H
#define CR_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads the first character of |bytes|.
 *
 * Returns how many bytes it takes, 1 to 4, or 0 if |len| is 0 or the bytes do not begin with a
 * whole valid character; |ret_char| is then untouched.
 */
size_t cr_utf8_decode(const uint8_t *bytes, size_t len, uint32_t *ret_char);

/*
 * Writes |c|, at most U+10FFFF, and returns how many bytes that took, 1 to 4. Surrogates are not
 * rejected: the caller checks for them if necessary.
 */
size_t cr_utf8_encode(uint32_t c, uint8_t *ret_bytes);

/* Returns the length in bytes of the longest valid beginning of |bytes|; |len| if all is valid. */
size_t cr_utf8_valid_prefix(const uint8_t *bytes, size_t len);

#endif
