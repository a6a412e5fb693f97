/*
 * shared.h - memory with several owners, in two threads: each holds a reference, and the last one
 * that lets go frees it. It is read-only while there are several.
 *
 *     cr_shared_take, cr_shared_copy -> cr_shared_ref... -> cr_shared_unref, as often
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
 * *|block|, which is memory from malloc(), becomes that of a new struct with one reference, and is
 * NULL afterwards. Returns NULL if there is no memory for the struct; then nothing has changed.
 */
struct cr_shared *cr_shared_take(uint8_t **block);

/* The same with a copy of |len| bytes. */
struct cr_shared *cr_shared_copy(const void *bytes, size_t len);

/* One more reference. Returns |shared|. */
struct cr_shared *cr_shared_ref(struct cr_shared *shared);

/* Lets go of one reference. Takes NULL. */
void cr_shared_unref(struct cr_shared *shared);

/* The same of a block of at least |size| bytes; a large one is freed by |helper|. */
void cr_shared_unref_large(struct cr_shared *shared, size_t size, struct cr_helper *helper);

/* Ends |shared|, of which the caller has the only reference. Returns its block, the caller's now.
 */
uint8_t *cr_shared_give_back(struct cr_shared *shared);

#endif
