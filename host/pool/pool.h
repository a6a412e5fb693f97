/*
 * pool.h - queues guests for a worker, and limits how many workers and how much memory they use.
 *
 *     waiting guests --(there is room)--> a guest with a worker --(it leaves)--> room for the next
 *                                           ^
 *                    the stock (stock.h) ---+
 *
 * A guest is a run that needs a worker; the pool knows only its struct cr_guest. Guests get workers
 * in the order in which they came. Each worker is fresh, never used before: a ready one with the
 * guest's limits, else one forked for it. A worker that is taken from the stock is replaced. A
 * worker that is lost before it has read its job is replaced too. If the stock gives up, waiting
 * guests fail with the reason.
 *
 * All work is done in one task, at the end of the loop's step; other functions only schedule it.
 */
#ifndef CR_POOL_H
#define CR_POOL_H

#include "base/loop.h"
#include "pool/crashes.h"
#include "pool/scheduling.h"
#include "pool/sizes.h"
#include "pool/stock.h"

struct cr_guest;

struct cr_guest_ops {
    /* The guest gets |w|, and owns it from now on. */
    void (*take)(struct cr_guest *guest, struct cr_worker *w);
    /* The guest's code has crashed too often. It is still in the queue, and has to leave it. */
    void (*refuse)(struct cr_guest *guest);
    /* No worker can be had, because of |why|. The guest has left the queue. |hint| may be "". */
    void (*fail)(struct cr_guest *guest, const struct cr_err *why, const char *hint);
};

struct cr_guest {
    const struct cr_guest_ops *ops;
    uint64_t memory;             /* the guest's limit, in bytes */
    uint32_t cpu_s;              /* seconds after which the kernel ends its worker */
    const uint8_t *digest;       /* SHA-256 of its code */
    bool caller_waits;           /* give the guest a worker at once, if there is one */
    struct cr_guest *next, **at; /* the next waiting guest; the pointer that points to this one */
};

struct cr_pool {
    struct cr_loop *loop;
    struct cr_pool_sizes sizes;
    struct cr_stock stock;

    struct cr_guest *waiting, **last_waiting;
    size_t waiting_count, running;
    uint64_t memory;   /* sum of the limits of guests that have a worker */
    int64_t active_us; /* when a guest last came or left */
    struct cr_scheduling scheduling;

    struct cr_task task;
    struct cr_task more;   /* the work that did not fit into the last turn */
    struct cr_timer timer; /* when the task has to run in any case */
    struct cr_crashes crashes;
    uint64_t crash_count;
};

void cr_pool_init(struct cr_pool *pool, struct cr_loop *loop);

/* Ends every zygote and worker, and waits until they have ended. No guest may be left. */
void cr_pool_clear(struct cr_pool *pool);

/* Starts a zygote, if none runs, and workers. Returns 0, or CAPRUN_E_SYS or CAPRUN_E_NOMEM. */
int cr_pool_warm(struct cr_pool *pool, struct cr_err *err);

/*
 * May |guest| wait for a worker? Returns 0; CAPRUN_E_BUSY if the queue is full; or CAPRUN_E_TOOBIG
 * if its memory limit is over the limit for all guests together. A full queue refuses new guests;
 * it has room for a guest that must not be refused (a run that was loaded).
 */
int cr_pool_admit(const struct cr_pool *pool, const struct cr_guest *guest, struct cr_err *err);

/*
 * Puts |guest|, which was admitted, at the end of the queue. It gets its worker in a step, or at
 * once if its caller waits.
 */
void cr_pool_enqueue(struct cr_pool *pool, struct cr_guest *guest);

/* Removes a waiting guest from the queue. */
void cr_pool_dequeue(struct cr_pool *pool, struct cr_guest *guest);

/*
 * The guest's worker |w| was lost before it had read its job, because of |why|; or |w| is not to be
 * used, and |why| is NULL. The guest becomes the first in the queue.
 */
void cr_pool_requeue(struct cr_pool *pool, struct cr_guest *guest, const struct cr_worker *w,
                     const struct cr_err *why);

/* A worker is ready: the zygote may take requests again. */
void cr_pool_worker_is_ready(struct cr_pool *pool);

/* A worker has sent a frame after it got its job: earlier failures are over. */
void cr_pool_worker_works(struct cr_pool *pool);

/* The guest gives up its worker. */
void cr_pool_release(struct cr_pool *pool, const struct cr_guest *guest);

/* The guest's worker |w| crashed, or broke the protocol, while it ran the guest's code. */
void cr_pool_crashed(struct cr_pool *pool, const struct cr_guest *guest, const struct cr_worker *w);

/* No guest gets a worker of |z| any more. */
void cr_pool_retire_zygote(struct cr_pool *pool, struct cr_zygote *z);

/* Has the guest's code crashed so often that it is refused? */
bool cr_pool_refuses(const struct cr_pool *pool, const struct cr_guest *guest);

#endif
