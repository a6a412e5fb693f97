/* hash.c - SHA-256 and HMAC with the nettle library. */
#include "base/hash.h"

#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>

void cr_hash_take(const void *bytes, size_t len, uint8_t ret[CR_HASH_BYTES])
{
    struct sha256_ctx ctx;

    sha256_init(&ctx);
    sha256_update(&ctx, len, bytes);
    sha256_digest(&ctx, CR_HASH_BYTES, ret);
}

_Static_assert(sizeof(struct sha256_ctx) <= sizeof(struct cr_hash_sum), "room for nettle's state");

static struct sha256_ctx *ctx_of(struct cr_hash_sum *sum)
{
    return (struct sha256_ctx *)(void *)sum->state;
}

void cr_hash_begin(struct cr_hash_sum *sum)
{
    sha256_init(ctx_of(sum));
}

void cr_hash_add(struct cr_hash_sum *sum, const void *bytes, size_t len)
{
    sha256_update(ctx_of(sum), len, bytes);
}

void cr_hash_end(struct cr_hash_sum *sum, uint8_t ret[CR_HASH_BYTES])
{
    sha256_digest(ctx_of(sum), CR_HASH_BYTES, ret);
}

void cr_hash_chain(uint8_t chain[CR_HASH_BYTES], const void *bytes, size_t len)
{
    struct sha256_ctx ctx;

    sha256_init(&ctx);
    sha256_update(&ctx, CR_HASH_BYTES, chain);
    sha256_update(&ctx, len, bytes);
    sha256_digest(&ctx, CR_HASH_BYTES, chain);
}

void cr_hash_keyed(const uint8_t key[CR_HASH_BYTES], const void *bytes, size_t len,
                   uint8_t ret[CR_HASH_BYTES])
{
    struct hmac_sha256_ctx ctx;

    hmac_sha256_set_key(&ctx, CR_HASH_BYTES, key);
    hmac_sha256_update(&ctx, len, bytes);
    hmac_sha256_digest(&ctx, CR_HASH_BYTES, ret);
}

void cr_hash_show(const uint8_t hash[CR_HASH_BYTES], char ret[CR_HASH_DIGITS + 1])
{
    base16_encode_update(ret, CR_HASH_BYTES, hash);
    ret[CR_HASH_DIGITS] = '\0';
}
