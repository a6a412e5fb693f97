/*
 * shared.h - memory with several owners in two threads. Each owner holds a reference; the last one
 * to drop its reference frees the memory. While there are several owners, the memory is read-only.
 *
 *     cr_shared_take, cr_shared_copy -> cr_shared_ref... -> cr_shared_unref, once for each
 */
#ifndef CR_SHARED_H
#define CR_SHARED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/helper.h"

struct cr_shared {
    atomic_uint refs;
    uint8_t *block; /* from malloc() */
};

/*
 * Takes ownership of *|block|, which is memory from malloc(), and sets *|block| to NULL. Returns a
 * new struct with one reference; or NULL without memory, and nothing has changed.
 */
struct cr_shared *cr_shared_take(uint8_t **block);

/* The same with a copy of |len| bytes. */
struct cr_shared *cr_shared_copy(const void *bytes, size_t len);

/* Adds a reference. Returns |shared|. */
struct cr_shared *cr_shared_ref(struct cr_shared *shared);

/* Drops a reference. Takes NULL. */
void cr_shared_unref(struct cr_shared *shared);

/* The same for a block of at least |size| bytes; |helper| frees a large one. */
void cr_shared_unref_large(struct cr_shared *shared, size_t size, struct cr_helper *helper);

/* Frees |shared|, which has one reference. Returns its block; the caller owns it. */
uint8_t *cr_shared_give_back(struct cr_shared *shared);

#endif
