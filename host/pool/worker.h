/*
 * worker.h - the host's side of one worker: its socket, its pidfd, its frames.
 *
 *     asked for --> forked (it can be killed) --> ready (seen to be locked down) --> gone
 *
 * A worker that is made ahead of demand stays forked, and its first frame stays unread. After
 * cr_worker_prepare() the owner gets |ready| once, then |frame| for each frame, then |gone| once,
 * however the worker ends. A worker may be gone at any time, also earlier. The owner frees it, in
 * |gone| or at any other time.
 *
 * Frames from a worker are untrusted: a header that the table of wire.h does not allow ends the
 * worker.
 */
#ifndef CR_WORKER_H
#define CR_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/loop.h"
#include "base/outbox.h"
#include "pool/zygote.h"
#include "wire.h"

#define CR_WORKER_PARTS (CR_OUTBOX_PARTS - 1) /* one part is the header */

struct cr_worker_owner {
    void (*forked)(struct cr_worker *w); /* only before cr_worker_prepare() */
    void (*ready)(struct cr_worker *w);
    void (*frame)(struct cr_worker *w, const struct wire_header *header, const uint8_t *payload);
    /*
     * |have| bytes of a long frame's payload have come; |frame| follows when the payload is
     * complete. May be called any number of times, with the bytes at a different address each time.
     * May be NULL.
     */
    void (*part)(struct cr_worker *w, const struct wire_header *header, const uint8_t *payload,
                 size_t have);
    /* The worker has ended; |why| is the reason, for the user. */
    void (*gone)(struct cr_worker *w, const struct cr_err *why);
};

struct cr_worker {
    const struct cr_worker_owner *owner;
    void *data; /* belongs to the owner */
    struct cr_zygote *zygote;
    struct cr_helper *helper; /* belongs to the loop */
    uint64_t memory;          /* its memory limit, set when it is forked */
    int64_t asked_us;
    struct cr_watch socket;
    struct cr_timer patience; /* how long to wait for the zygote's report on a closed socket */
    int *keep;                /* where to leave |pidfd|, open, at the end, or NULL */
    int pidfd;                /* -1 until the zygote has sent it */
    pid_t pid;                /* from the credentials of the ready frame; 0 until then */
    uint32_t cpu_s;
    uint32_t slot;
    struct cr_worker *next; /* in the zygote's list, while |listed| */
    struct cr_worker *next_in_pool;
    struct cr_task rest;  /* reads the frames that were put off */
    uint32_t events;      /* that the loop watches for; 0: the socket is not watched */
    uint32_t frames_sent; /* to the worker */
    unsigned busy;        /* functions that still use this struct */
    bool listed, wanted, awaited, writing, paused;
    bool has_taken; /* the owner took the current frame with its memory: |in| starts after it */
    bool put_off;   /* the turn ended before all was read: |rest| goes on */
    bool draining; /* the process has ended; its frames are read to the end, then |last| is reported
                    */
    bool closed;   /* the worker has closed its socket */
    bool unread;   /* it closed the socket without reading all that was sent */
    bool has_sent_frame; /* after its first frame, READY */
    bool gone;           /* the owner knows that it has ended */
    bool freed;          /* by the owner, while |busy| */
    struct {
        int code;
        char text[256];
    } last;                    /* why it ended, while |draining|; small, since each worker has it */
    struct wire_limits limits; /* of its run */
    struct cr_buf in;
    size_t in_at;           /* bytes at the beginning of |in| that were handled */
    struct cr_shared *lent; /* the memory of |in| while other threads may read it, or NULL */
    struct cr_outbox out;
};

/*
 * Asks |z| for a worker with |memory| bytes. On success the caller owns *|ret|. Returns 0 or an
 * error, CAPRUN_E_BUSY if the zygote cannot take more requests now.
 */
int cr_worker_new(struct cr_zygote *z, uint64_t memory, uint32_t cpu_s,
                  const struct cr_worker_owner *owner, void *data, struct cr_worker **ret,
                  struct cr_err *err);

/* Kills the worker and closes everything; does not call |gone|. Takes NULL. */
void cr_worker_free(struct cr_worker *w);

/* Sets the limits of its run. A longer frame than they allow is a protocol error. */
void cr_worker_set_limits(struct cr_worker *w, const struct wire_limits *limits);

/* Gets the worker ready; |ready| and |gone| may be called before this returns. */
void cr_worker_prepare(struct cr_worker *w);

/*
 * Sends a frame as soon as the socket takes it. Sets |header|'s length, the sum of |count| parts,
 * at most CR_WORKER_PARTS. |block| and |shared| belong to the last part (struct cr_outbox_part), or
 * are NULL; |stays| holds for all parts. Never blocks. Returns 0; CAPRUN_E_NOMEM; or
 * CAPRUN_E_TOOBIG if more is queued than an honest worker, which reads its answers, can leave
 * unread.
 */
int cr_worker_send(struct cr_worker *w, struct wire_header *header, const struct wire_part *parts,
                   size_t count, uint8_t **block, struct cr_shared *shared, bool stays);

/*
 * For the owner, in |frame|: the frame cannot be handled yet. It stays where it is, and nothing
 * more is read. After cr_worker_resume() the frame comes again, from a task of the loop. If the
 * worker ends while it is paused, |gone| is called after all its frames were handled.
 */
void cr_worker_pause(struct cr_worker *w);
void cr_worker_resume(struct cr_worker *w);

/*
 * Lends the frames that have come, for reading, to a caller that keeps a reference. They stay there
 * while the worker is paused; cr_worker_resume() gives them back. Returns NULL without memory.
 */
struct cr_shared *cr_worker_share_frames(struct cr_worker *w);

/*
 * For the owner, in |frame|: takes the memory of a long frame, since copying tens of megabytes
 * takes long. The payload stays where it is. Returns the memory, which the caller then owns; NULL
 * if the frame is not long, or if there is no memory for the bytes after it.
 */
uint8_t *cr_worker_take_frame(struct cr_worker *w);

/* The same for a payload, which goes into |ret|, an empty buffer. A short payload is copied. */
void cr_worker_take_payload(struct cr_worker *w, const uint8_t *payload, size_t len,
                            struct cr_buf *ret);

/* Are bytes queued that the socket did not take yet? */
bool cr_worker_is_writing(const struct cr_worker *w);

/* Has the worker ended without reading all of the one frame that it was sent? */
bool cr_worker_never_began(const struct cr_worker *w);

/*
 * Does an answer of |len| bytes, header included, fit into the queue to the worker? If not, there
 * is still room for a failure for every open call.
 */
bool cr_worker_has_room(const struct cr_worker *w, size_t len);

/* Has its process ended? */
bool cr_worker_is_dead(const struct cr_worker *w);

/* Is |w->pid| known and still this worker's? The pid of a dead process may be reused. */
bool cr_worker_owns_pid(const struct cr_worker *w);

/*
 * Makes the kernel end the worker after |cpu_s| seconds of CPU time, if its limit is higher, it is
 * alive and we are allowed to. This is only a backstop: the host enforces the CPU limit itself.
 */
void cr_worker_limit_cpu(struct cr_worker *w, uint32_t cpu_s);

/* Returns the CPU time that the worker has used, in microseconds, or -1 if it is unknown. */
int64_t cr_worker_cpu_us(const struct cr_worker *w);

/* Returns the worker's resident memory in bytes, or 0. It only grows: a worker frees none. */
uint64_t cr_worker_memory(const struct cr_worker *w);

/* Ends a worker that broke the protocol; |gone| is called, with |what| in its words. */
void cr_worker_fault(struct cr_worker *w, const char *what);

/* Writes words for |status|, as from wait(), to |why|. */
void cr_worker_describe_end(int status, struct cr_err *why);

/* For zygote.c. */
void cr_worker_forked(struct cr_worker *w, int pidfd, int error);
void cr_worker_exited(struct cr_worker *w, int status);
void cr_worker_lost(struct cr_worker *w, const struct cr_err *why);

#endif
