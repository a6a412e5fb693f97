/*
 * batch.h - finds the messages of a JSON-RPC batch (an array of messages) while its bytes arrive.
 *
 * Each message is parsed as its bytes arrive. So after the last byte, returning a message is cheap,
 * however long the batch is.
 *
 *     cr_batch_begin -> cr_batch_feed, whenever there is more -> cr_batch_next -> cr_batch_clear
 */
#ifndef CR_BATCH_H
#define CR_BATCH_H

#include <stddef.h>

#include "mcp/walk.h"

#define CR_BATCH_MAX 1000u /* messages */

struct cr_batch_message {
    size_t at, len;      /* its bytes in the text */
    struct cr_walk walk; /* over these bytes */
    size_t type_at;      /* where in its result the value of "resultType" is */
    size_t type_len;     /* 0: the result has no "resultType" */
};

/* All zeros is an empty batch. */
struct cr_batch {
    struct cr_batch_message *messages; /* the complete ones */
    size_t count, cap, next;
    bool has_begun;
    int code;                            /* 0, CAPRUN_E_TOOBIG or CAPRUN_E_NOMEM; sticky */
    struct cr_walk array, message, type; /* over the batch, the current message, its result */
};

/* |start| is where in the text the first message may begin: after the bracket. */
void cr_batch_begin(struct cr_batch *b, size_t start);

/*
 * Walks over the new bytes of |text|, which is the whole text so far, and may have moved.
 * Returns 0, CAPRUN_E_TOOBIG for more than CR_BATCH_MAX messages, or CAPRUN_E_NOMEM.
 */
int cr_batch_feed(struct cr_batch *b, const void *text, size_t len);

/* Returns the next message, which is valid until the next call of another function; or NULL. */
const struct cr_batch_message *cr_batch_next(struct cr_batch *b);

void cr_batch_clear(struct cr_batch *b);

#endif
