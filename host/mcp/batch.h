/*
 * batch.h - the messages of a batch, an array of them, found while its bytes arrive.
 *
 * When the last byte has come, each message has been walked over already, so that handing one out
 * costs little, however long the batch is.
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
    struct cr_walk walk; /* over it */
    size_t type_at;      /* where in its result the value of "resultType" is */
    size_t type_len;     /* 0: it has none */
};

/* All zero is an empty one. */
struct cr_batch {
    struct cr_batch_message *messages; /* those that are whole */
    size_t count, cap, next;
    bool has_begun;
    int code;                            /* 0, CAPRUN_E_TOOBIG or CAPRUN_E_NOMEM; sticky */
    struct cr_walk array, message, type; /* over the batch, the message that arrives, its result */
};

/* |start| is where in the text the first message may begin: behind the bracket. */
void cr_batch_begin(struct cr_batch *b, size_t start);

/*
 * Walks over what is new of |text|, which is the text from its beginning and may have moved.
 * Returns 0, CAPRUN_E_TOOBIG for more than CR_BATCH_MAX messages, or CAPRUN_E_NOMEM.
 */
int cr_batch_feed(struct cr_batch *b, const void *text, size_t len);

/* Returns the next message, which is valid until the next call of another function; or NULL. */
const struct cr_batch_message *cr_batch_next(struct cr_batch *b);

void cr_batch_clear(struct cr_batch *b);

#endif
