/* hash.h - SHA-256 and HMAC, as bytes and as digits. */
#ifndef CR_HASH_H
#define CR_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CR_HASH_BYTES 32u
#define CR_HASH_DIGITS 64u

/* The hash of |bytes|. */
void cr_hash_take(const void *bytes, size_t len, uint8_t ret[CR_HASH_BYTES]);

/* The same for bytes that come in pieces: begin, add any number of times, end. */
struct cr_hash_sum {
    uint64_t state[20];
};

void cr_hash_begin(struct cr_hash_sum *sum);
void cr_hash_add(struct cr_hash_sum *sum, const void *bytes, size_t len);
void cr_hash_end(struct cr_hash_sum *sum, uint8_t ret[CR_HASH_BYTES]);

/* Replaces |chain| by the hash of |chain| and |bytes|: the next hash of a chain. */
void cr_hash_chain(uint8_t chain[CR_HASH_BYTES], const void *bytes, size_t len);

/* HMAC of |bytes|: only a process that has |key| can compute it. */
void cr_hash_keyed(const uint8_t key[CR_HASH_BYTES], const void *bytes, size_t len,
                   uint8_t ret[CR_HASH_BYTES]);

/* |hash| in lower-case hexadecimal digits, and a NUL. */
void cr_hash_show(const uint8_t hash[CR_HASH_BYTES], char ret[CR_HASH_DIGITS + 1]);

#endif
