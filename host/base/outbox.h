/*
 * outbox.h - what is on its way to a peer, and its socket did not take yet: pieces of memory, one
 * after the other.
 *
 * Large memory is not copied if it can be taken or shared: it is a piece where it lies. Small parts
 * are copied, many into one piece, and where much waits into pieces of a megabyte: what many small
 * messages leave behind is then freed by the helper, as large memory is. Nothing that waits is ever
 * moved.
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
    size_t max;               /* each message, and all that may wait, has at most so many */
    bool is_broken;           /* the peer has closed the socket, or the rest of a message is lost */
    struct cr_helper *helper; /* gives large memory back */
};

/* A part of a message. */
struct cr_outbox_part {
    const void *bytes;
    size_t len;
    uint8_t **block;          /* the memory from malloc() that it is in, or NULL */
    struct cr_shared *shared; /* or the memory with several owners that it is in, or NULL */
    bool stays; /* or it stays where it is until it is sent, or the outbox is cleared */
};

void cr_outbox_init(struct cr_outbox *o, size_t max, struct cr_helper *helper);

/* Frees what waits. */
void cr_outbox_clear(struct cr_outbox *o);

/* Bytes that wait. */
size_t cr_outbox_waiting(const struct cr_outbox *o);

/* Writes to the socket |fd| what waits, as much as it takes, and no more than a turn allows. */
void cr_outbox_write(struct cr_outbox *o, int fd);

/*
 * Sends a message of |count| parts, at most CR_OUTBOX_PARTS, as soon as |fd| takes it; -1: it is
 * closed, and takes nothing. *|block| of a part is NULL afterwards if it was taken; of |shared| the
 * caller keeps his reference. The parts can be read until the next call. Returns 0;
 * CAPRUN_E_TOOBIG or CAPRUN_E_NOMEM, and nothing of it will be sent, unless |is_broken| is set.
 */
int cr_outbox_add(struct cr_outbox *o, int fd, const struct cr_outbox_part *parts, size_t count);

#endif
