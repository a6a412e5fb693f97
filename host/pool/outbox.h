/*
 * outbox.h - what is on its way to a worker, and its socket did not take yet.
 *
 * A large answer is not copied if it comes in memory that can be taken: while nothing else waits,
 * what the socket leaves of it stays where it is, and goes first. All else that waits is copied.
 */
#ifndef CR_OUTBOX_H
#define CR_OUTBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire.h"

struct cr_outbox {
    uint8_t *block; /* the memory that was taken, or NULL */
    const uint8_t *taken;
    size_t taken_len; /* bytes of it that wait */
    struct cr_buf copied;
    size_t sent; /* bytes at the beginning of |copied| that are on their way */
};

/* Each frame, and all that may wait, has at most |max| bytes. */
void cr_outbox_init(struct cr_outbox *o, size_t max);
void cr_outbox_clear(struct cr_outbox *o);

/* Bytes that wait. */
size_t cr_outbox_waiting(const struct cr_outbox *o);

/* Writes to the socket |fd| what waits, as much as it takes. If it is gone, reading will tell. */
void cr_outbox_write(struct cr_outbox *o, int fd);

/*
 * Sends a frame, of |count| parts, as soon as |fd| takes it; -1: it is closed, and takes nothing.
 * |block| is NULL, or *|block| is the memory from malloc() that the last part is in; it is NULL
 * afterwards if it was taken. The parts can be read until the next call. Returns 0, CAPRUN_E_NOMEM
 * or CAPRUN_E_TOOBIG.
 */
int cr_outbox_add(struct cr_outbox *o, int fd, const struct wire_part *parts, size_t count,
                  uint8_t **block);

#endif
