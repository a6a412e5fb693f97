/*
 * worker.h - the host's end of one worker: its socket, its pidfd, its frames.
 *
 *     asked for -> ready (locked down, checked from outside, and can be killed) -> gone
 *
 * The owner gets |ready| once, then |frame| for each frame, then |gone| once, however it ends; a
 * worker that never gets ready is just gone. After |gone|, or cr_worker_clear(), no more comes.
 * What a worker says is never believed to be more than a request: a header that is not in the
 * table of wire.h ends it.
 */
#ifndef CR_WORKER_H
#define CR_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/loop.h"
#include "pool/zygote.h"
#include "wire.h"

struct cr_worker_owner {
    void (*ready)(struct cr_worker *w);
    void (*frame)(struct cr_worker *w, const struct wire_header *header, const uint8_t *payload);
    /* |why| is words for a person, of the worker's end */
    void (*gone)(struct cr_worker *w, const struct cr_err *why);
};

struct cr_worker {
    const struct cr_worker_owner *owner;
    struct cr_zygote *zygote;
    struct cr_watch socket;
    struct cr_timer patience; /* how long to wait for the zygote's word on a closed socket */
    int pidfd;                /* -1 until the zygote has sent it */
    pid_t pid;                /* from the credentials of the ready frame; 0 until then */
    uint32_t slot;
    struct cr_worker *next; /* in the zygote's list, while |listed| */
    bool listed;
    bool closed; /* it has closed its socket */
    bool writing;
    bool handling; /* a frame in |in| is with the owner */
    struct cr_buf in, out;
    size_t sent; /* bytes at the beginning of |out| that are on their way */
};

/* Asks |z| for a worker with |memory| bytes. Returns 0 or an error, and then nothing is left. */
int cr_worker_start(struct cr_worker *w, struct cr_zygote *z, const struct cr_worker_owner *owner,
                    uint64_t memory, uint32_t cpu_s, struct cr_err *err);

/* Kills the worker, closes everything. |w| may be all zero. */
void cr_worker_clear(struct cr_worker *w);

/*
 * Sends a frame as soon as the socket takes it; |header|'s length is set here. Never blocks.
 * Returns 0, or CAPRUN_E_NOMEM or CAPRUN_E_TOOBIG when too much is waiting already.
 */
int cr_worker_send(struct cr_worker *w, struct wire_header *header, const struct wire_part *parts,
                   size_t count);

/* Does something wait that the socket did not take? */
bool cr_worker_is_writing(const struct cr_worker *w);

/* Would a frame of |len| bytes, header included, find room among what waits to be sent? */
bool cr_worker_has_room(const struct cr_worker *w, size_t len);

/* Returns the CPU time that the worker has used, in microseconds, or -1 if the kernel won't say. */
int64_t cr_worker_cpu_us(const struct cr_worker *w);

/* Returns the worker's resident memory in bytes, or 0. It only grows: a worker returns none. */
uint64_t cr_worker_memory(const struct cr_worker *w);

/* Ends a worker that has said what no honest one says; the owner is told, with |what| in words. */
void cr_worker_fault(struct cr_worker *w, const char *what);

/* Ends the process behind |pidfd|. */
void cr_worker_kill(int pidfd);

/* For zygote.c. */
void cr_worker_forked(struct cr_worker *w, int pidfd, int error);
void cr_worker_exited(struct cr_worker *w, int status);
void cr_worker_lost(struct cr_worker *w, const struct cr_err *why);

#endif
