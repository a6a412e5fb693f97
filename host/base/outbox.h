/*
 * outbox.h - bytes that wait until a peer's socket accepts them: a list of pieces of memory.
 *
 * Large memory is not copied if the outbox can take or share it: it becomes a piece where it is.
 * Small parts are copied, many into one piece. If much waits, these pieces have a megabyte each, so
 * that the helper frees them like other large memory; except after memory that was kept in place.
 * Waiting bytes are never moved.
 */
#ifndef CR_OUTBOX_H
#define CR_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/helper.h"
#include "base/shared.h"

#define CR_OUTBOX_PARTS 8

struct cr_outbox_piece;

struct cr_outbox {
    struct cr_outbox_piece *first, *last;
    size_t waiting;           /* bytes */
    size_t max;               /* the most bytes of a message, and of all that waits */
    bool is_broken;           /* the peer has closed the socket, or the rest of a message is lost */
    struct cr_helper *helper; /* frees large memory */
};

/* A part of a message. */
struct cr_outbox_part {
    const void *bytes;
    size_t len;
    uint8_t **block; /* memory from malloc() that contains |bytes| and may be taken, or NULL */
    struct cr_shared *shared; /* or shared memory that contains |bytes|, or NULL */
    bool stays; /* or |bytes| stay valid until they are sent, or the outbox is cleared */
};

void cr_outbox_init(struct cr_outbox *o, size_t max, struct cr_helper *helper);

/* Frees all that waits. */
void cr_outbox_clear(struct cr_outbox *o);

/* Bytes that wait. */
size_t cr_outbox_waiting(const struct cr_outbox *o);

/* Writes waiting bytes to the socket |fd|: as many as it accepts and a turn allows. */
void cr_outbox_write(struct cr_outbox *o, int fd);

/*
 * Sends a message of |count| parts, at most CR_OUTBOX_PARTS, as soon as |fd| accepts it; -1: the
 * socket is closed. If the outbox took a part's *|block|, that is NULL afterwards; the caller keeps
 * its reference to |shared|. The parts can be read until the next call. Returns 0; CAPRUN_E_TOOBIG
 * or CAPRUN_E_NOMEM: nothing of the message will be sent, unless |is_broken| is set.
 */
int cr_outbox_add(struct cr_outbox *o, int fd, const struct cr_outbox_part *parts, size_t count);

#endif
