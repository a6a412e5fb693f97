/* shared.c - counts references; two threads may change a count. */
#include "base/shared.h"

#include <stdlib.h>
#include <string.h>

struct cr_shared *cr_shared_take(uint8_t **block)
{
    struct cr_shared *shared = malloc(sizeof(*shared));

    if (!shared)
        return NULL;
    atomic_init(&shared->refs, 1);
    shared->block = *block;
    *block = NULL;
    return shared;
}

struct cr_shared *cr_shared_copy(const void *bytes, size_t len)
{
    uint8_t *block = malloc(len ? len : 1);
    struct cr_shared *shared = NULL;

    if (block) {
        memcpy(block, bytes, len);
        shared = cr_shared_take(&block);
    }
    free(block);
    return shared;
}

struct cr_shared *cr_shared_ref(struct cr_shared *shared)
{
    (void)atomic_fetch_add(&shared->refs, 1);
    return shared;
}

void cr_shared_unref(struct cr_shared *shared)
{
    if (!shared || atomic_fetch_sub(&shared->refs, 1) > 1)
        return;
    free(shared->block);
    free(shared);
}

void cr_shared_unref_large(struct cr_shared *shared, size_t size, struct cr_helper *helper)
{
    if (!shared || atomic_fetch_sub(&shared->refs, 1) > 1)
        return;
    cr_helper_free(helper, shared->block, size);
    free(shared);
}

uint8_t *cr_shared_give_back(struct cr_shared *shared)
{
    uint8_t *block = shared->block;

    free(shared);
    return block;
}
