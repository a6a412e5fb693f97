/*
 * worker.h - the host's end of one worker: its socket, its pidfd, its frames.
 *
 *     asked for --> forked (it can be killed) --> ready (locked down, and seen so) --> gone
 *
 * A worker that nobody wants yet stays forked, with its first frame unread. After
 * cr_worker_prepare() the owner gets |ready| once, then |frame| for each frame, then |gone| once,
 * however it ends; any worker may be gone at any time before. The owner frees it, in |gone| or
 * whenever else.
 *
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
#include "base/outbox.h"
#include "pool/zygote.h"
#include "wire.h"

#define CR_WORKER_PARTS (CR_OUTBOX_PARTS - 1) /* and the header */

struct cr_worker_owner {
    void (*forked)(struct cr_worker *w); /* only if nobody wants it yet */
    void (*ready)(struct cr_worker *w);
    void (*frame)(struct cr_worker *w, const struct wire_header *header, const uint8_t *payload);
    /*
     * |have| bytes of a long frame's payload have come, and |frame| follows when all have. May come
     * any number of times, the bytes at another place each time. May be NULL.
     */
    void (*part)(struct cr_worker *w, const struct wire_header *header, const uint8_t *payload,
                 size_t have);
    /* |why| is words for a person, of the worker's end */
    void (*gone)(struct cr_worker *w, const struct cr_err *why);
};

struct cr_worker {
    const struct cr_worker_owner *owner;
    void *data; /* the owner's */
    struct cr_zygote *zygote;
    struct cr_helper *helper; /* the loop's */
    uint64_t memory;          /* with which it was forked */
    int64_t asked_us;
    struct cr_watch socket;
    struct cr_timer patience; /* how long to wait for the zygote's word on a closed socket */
    int *keep;                /* where |pidfd| is left, open, in the end, or NULL */
    int pidfd;                /* -1 until the zygote has sent it */
    pid_t pid;                /* from the credentials of the ready frame; 0 until then */
    uint32_t cpu_s;
    uint32_t slot;
    struct cr_worker *next; /* in the zygote's list, while |listed| */
    struct cr_worker *next_in_pool;
    struct cr_task rest; /* goes on with what was put off */
    uint32_t events;     /* that the loop watches for; 0: it does not */
    uint32_t told;       /* frames that were sent to it */
    unsigned busy;       /* functions here that still look at it */
    bool listed, wanted, awaited, writing, paused;
    bool has_taken; /* the owner has the memory of the frame at hand: |in| is what is behind it */
    bool put_off;   /* its turn was over before all was read: |rest| goes on */
    bool draining;  /* its process has ended, and what it said is read to the end: then |last| */
    bool closed;    /* it has closed its socket */
    bool unread;    /* it did so without reading all that was sent */
    bool heard;     /* it has sent a frame after its first */
    bool gone;      /* the owner knows */
    bool freed;     /* by the owner, while |busy| */
    struct {
        int code;
        char text[256];
    } last; /* why it ends, while what it said before is read; small, since each worker has it */
    struct wire_limits limits; /* of its run */
    struct cr_buf in;
    size_t in_at;           /* bytes at the beginning of |in| that were handled */
    struct cr_shared *lent; /* the memory of |in| while others may read it, or NULL */
    struct cr_outbox out;
};

/*
 * Asks |z| for a worker with |memory| bytes. On success *|ret| is the caller's. Returns 0 or an
 * error, CAPRUN_E_BUSY if the zygote cannot take more requests now.
 */
int cr_worker_new(struct cr_zygote *z, uint64_t memory, uint32_t cpu_s,
                  const struct cr_worker_owner *owner, void *data, struct cr_worker **ret,
                  struct cr_err *err);

/* Kills the worker, closes everything; nobody is told. Takes NULL. */
void cr_worker_free(struct cr_worker *w);

/* What its run may have: longer frames than that are a fault, as other nonsense is. */
void cr_worker_set_limits(struct cr_worker *w, const struct wire_limits *limits);

/* Gets the worker ready; |ready| may come before this returns, and so may |gone|. */
void cr_worker_prepare(struct cr_worker *w);

/*
 * Sends a frame as soon as the socket takes it; |header|'s length is set here, of |count| parts, at
 * most CR_WORKER_PARTS; |block| and |shared| are those of the last part (struct cr_outbox_part), or
 * NULL; |stays| holds for all parts. Never blocks. Returns 0;
 * CAPRUN_E_NOMEM; or CAPRUN_E_TOOBIG if more waits than one that reads lets wait.
 */
int cr_worker_send(struct cr_worker *w, struct wire_header *header, const struct wire_part *parts,
                   size_t count, uint8_t **block, struct cr_shared *shared, bool stays);

/*
 * For the owner, in |frame|: the frame cannot be handled yet. It stays where it is, nothing more is
 * read, and after cr_worker_resume() it comes again, from a task of the loop. A worker that ends
 * while it is paused is gone when all that it has said was handled.
 */
void cr_worker_pause(struct cr_worker *w);
void cr_worker_resume(struct cr_worker *w);

/*
 * Lends the frames that are there, for reading, to who keeps a reference; they stay there while the
 * worker is paused, and are given back by cr_worker_resume(). Returns NULL without memory.
 */
struct cr_shared *cr_worker_share_frames(struct cr_worker *w);

/*
 * For the owner, in |frame|: takes the memory that a long frame is in, since a copy of tens of
 * megabytes is long work. The payload stays where it is. Returns the memory, which is the caller's
 * now; or NULL if the frame is not long, or without memory for what has come behind it.
 */
uint8_t *cr_worker_take_frame(struct cr_worker *w);

/* The same of a payload, which goes into |ret|, an empty buffer. One that is not long is copied. */
void cr_worker_take_payload(struct cr_worker *w, const uint8_t *payload, size_t len,
                            struct cr_buf *ret);

/* Does something wait that the socket did not take? */
bool cr_worker_is_writing(const struct cr_worker *w);

/* True if it is gone, and cannot have begun: it has not read all of the one frame it was sent. */
bool cr_worker_never_began(const struct cr_worker *w);

/*
 * Would an answer of |len| bytes, header included, find room among what waits to be sent? If not,
 * there still is room to say so to every call that is open.
 */
bool cr_worker_has_room(const struct cr_worker *w, size_t len);

/* Has its process ended? */
bool cr_worker_is_dead(const struct cr_worker *w);

/* Is |w->pid| known, and this worker's for sure? The number of a dead one may be another's. */
bool cr_worker_owns_pid(const struct cr_worker *w);

/*
 * Lets the kernel end the worker after |cpu_s| seconds of CPU time, if that is less than it has, it
 * is alive and we may: it is the backstop of a limit that the host holds by itself.
 */
void cr_worker_limit_cpu(struct cr_worker *w, uint32_t cpu_s);

/* Returns the CPU time that the worker has used, in microseconds, or -1 if the kernel won't say. */
int64_t cr_worker_cpu_us(const struct cr_worker *w);

/* Returns the worker's resident memory in bytes, or 0. It only grows: a worker returns none. */
uint64_t cr_worker_memory(const struct cr_worker *w);

/* Ends a worker that has said what no honest one says; the owner is told, with |what| in words. */
void cr_worker_fault(struct cr_worker *w, const char *what);

/* Words for |status|, as from wait(). */
void cr_worker_describe_end(int status, struct cr_err *why);

/* For zygote.c. */
void cr_worker_forked(struct cr_worker *w, int pidfd, int error);
void cr_worker_exited(struct cr_worker *w, int status);
void cr_worker_lost(struct cr_worker *w, const struct cr_err *why);

#endif
