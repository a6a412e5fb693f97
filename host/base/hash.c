/* hash.c - nettle's functions, in the order that they want. */
#include "base/hash.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>

void cr_hash_take(const void *bytes, size_t len, uint8_t ret[CR_HASH_BYTES])
{
    struct sha256_ctx ctx;

    sha256_init(&ctx);
    sha256_update(&ctx, len, bytes);
    sha256_digest(&ctx, CR_HASH_BYTES, ret);
}

void cr_hash_show(const uint8_t hash[CR_HASH_BYTES], char ret[CR_HASH_DIGITS + 1])
{
    base16_encode_update(ret, CR_HASH_BYTES, hash);
    ret[CR_HASH_DIGITS] = '\0';
}
