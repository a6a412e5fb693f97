/*
 * random.h - random bytes for `crypto`: the ChaCha20 keystream (RFC 8439) of a key from the host.
 *
 * One stream per process, from counter 0 and with a nonce of zeros; a key is used for one run only.
 * The counter has 64 bits, as in the original cipher, so the stream does not end.
 */
#ifndef CRW_RANDOM_H
#define CRW_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Starts the stream of |key|. */
void crw_random_seed(const uint8_t key[32]);

/* Takes the next |len| bytes of the stream. */
void crw_random_fill(void *out, size_t len);

#endif
