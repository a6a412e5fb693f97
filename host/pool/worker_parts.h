/*
 * worker_parts.h - what the files that make up a worker share: worker.c, its life; worker_read.c,
 * frames from it.
 */
#ifndef CR_WORKER_PARTS_H
#define CR_WORKER_PARTS_H

#include "pool/worker.h"

#define CR_WORKER_CHUNK (64u * LIMIT_KIB) /* bytes read at a time, if a frame needs no more */

/* --- worker.c --------------------------------------------------------------------------------- */

/*
 * While it is held, a worker that its owner frees stays in memory. After the last
 * cr_worker_release() nothing may look at it.
 */
void cr_worker_hold(struct cr_worker *w);
void cr_worker_release(struct cr_worker *w);

/* The one way out: ends the process, and tells the owner once. */
void cr_worker_end(struct cr_worker *w, const struct cr_err *why);

/* The worker has closed its end of the socket. */
void cr_worker_socket_closed(struct cr_worker *w);

/* Has the loop watch the socket for what is of interest now. May end the worker. */
void cr_worker_watch(struct cr_worker *w);

/* --- worker_read.c ---------------------------------------------------------------------------- */

/*
 * Handles what has come from the worker, as long as the turn lasts; the rest is handled in other
 * turns. Then the socket is watched again.
 */
void cr_worker_read(struct cr_worker *w);

/* The same for a worker whose process has ended: when all is handled, it ends with |why|. */
void cr_worker_read_rest(struct cr_worker *w, const struct cr_err *why);

/* The task |rest| of a worker. */
void cr_worker_read_on(struct cr_task *task);

#endif
