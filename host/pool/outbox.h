/*
 * outbox.h - what is on its way to a worker, and its socket did not take yet: pieces of memory, one
 * after the other.
 *
 * A large answer is not copied if it comes in memory that can be taken or shared: it is a piece
 * where it lies. Small frames are copied, many into one piece. Nothing that waits is ever moved.
 */
#ifndef CR_OUTBOX_H
#define CR_OUTBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/helper.h"
#include "base/shared.h"
#include "wire.h"

struct cr_outbox_piece;

struct cr_outbox {
    struct cr_outbox_piece *first, *last;
    size_t waiting; /* bytes */
    size_t max;     /* each frame, and all that may wait, has at most so many */
};

void cr_outbox_init(struct cr_outbox *o, size_t max);

/* Frees what waits; |helper| gives large memory back. */
void cr_outbox_clear(struct cr_outbox *o, struct cr_helper *helper);

/* Bytes that wait. */
size_t cr_outbox_waiting(const struct cr_outbox *o);

/* Writes to the socket |fd| what waits, as much as it takes. If it is gone, reading will tell. */
void cr_outbox_write(struct cr_outbox *o, int fd);

/*
 * Sends a frame, of |count| parts, as soon as |fd| takes it; -1: it is closed, and takes nothing.
 * |block| is NULL, or *|block| is the memory from malloc() that the last part is in; it is NULL
 * afterwards if it was taken. Or |shared|, if it is not NULL, is the memory that the last part is
 * in; the caller keeps his reference. The parts can be read until the next call. Returns 0;
 * CAPRUN_E_TOOBIG, and nothing was sent; or CAPRUN_E_NOMEM, and a part of it may have been.
 */
int cr_outbox_add(struct cr_outbox *o, int fd, const struct wire_part *parts, size_t count,
                  uint8_t **block, struct cr_shared *shared);

#endif
