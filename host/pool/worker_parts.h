/*
 * worker_parts.h - functions that worker.c (life of a worker) and worker_read.c (frames from it)
 * share.
 */
#ifndef CR_WORKER_PARTS_H
#define CR_WORKER_PARTS_H

#include "pool/worker.h"

#define CR_WORKER_CHUNK (64u * LIMIT_KIB) /* bytes read at a time, if a frame needs no more */

/* --- worker.c --------------------------------------------------------------------------------- */

/*
 * Between hold and release, a worker that its owner frees stays in memory. After the last
 * cr_worker_release() it may be freed, and must not be used.
 */
void cr_worker_hold(struct cr_worker *w);
void cr_worker_release(struct cr_worker *w);

/*
 * Ends the process, and informs the owner once. Every end of a worker goes through this function.
 */
void cr_worker_end(struct cr_worker *w, const struct cr_err *why);

/* The worker has closed its end of the socket. */
void cr_worker_socket_closed(struct cr_worker *w);

/* Makes the loop watch the socket for the events that are needed now. May end the worker. */
void cr_worker_watch(struct cr_worker *w);

/* --- worker_read.c ---------------------------------------------------------------------------- */

/*
 * Handles frames that have come from the worker until the turn is over; the rest is handled in
 * later turns. Then the socket is watched again.
 */
void cr_worker_read(struct cr_worker *w);

/*
 * The same for a worker whose process has ended: when all frames are handled, ends it with |why|.
 */
void cr_worker_read_rest(struct cr_worker *w, const struct cr_err *why);

/* Runs the task |rest| of a worker. */
void cr_worker_read_on(struct cr_task *task);

#endif
