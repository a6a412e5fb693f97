/*
 * utf8.h - UTF-8 to the letter of RFC 3629: no overlong forms, no surrogates, nothing over
 * U+10FFFF. The one decoder that everything in the host uses, and the one encoder.
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
 * Writes |c|, at most U+10FFFF, and returns how many bytes that took, 1 to 4. A surrogate is
 * written like its neighbours: who must not have one asks before.
 */
size_t cr_utf8_encode(uint32_t c, uint8_t *ret_bytes);

/* Returns the length in bytes of the longest valid beginning of |bytes|; |len| if all is valid. */
size_t cr_utf8_valid_prefix(const uint8_t *bytes, size_t len);

#endif
