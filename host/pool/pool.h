/*
 * pool.h - the guests that wait for a worker, and the ceilings for those that have one.
 *
 *     guests that wait --(there is room)--> a guest with a worker --(it leaves)--> room for the
 * next
 *                                              ^
 *                       the stock (stock.h) ---+
 *
 * A guest is whoever needs a worker: a run, of which the pool knows nothing but what stands in
 * struct cr_guest. Guests get a worker in the order in which they came, each one that was never
 * used before: a ready one if it has the guest's limits, else one forked for it. What is taken from
 * the stock is replaced. A worker that is lost before it has read its job is replaced; if the stock
 * gives up, those that wait are told why.
 *
 * The work is done in one place, at the end of the loop's step; everything else only asks for it.
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
    /* |w| is the guest's now. */
    void (*take)(struct cr_guest *guest, struct cr_worker *w);
    /* Its code has crashed too often: it still waits, and has to leave. */
    void (*refuse)(struct cr_guest *guest);
    /* It waits no more: there is no worker to be had, and |why|; |hint| may be "". */
    void (*fail)(struct cr_guest *guest, const struct cr_err *why, const char *hint);
};

struct cr_guest {
    const struct cr_guest_ops *ops;
    uint64_t memory;             /* its limit, in bytes */
    uint32_t cpu_s;              /* seconds after which the kernel ends its worker */
    const uint8_t *digest;       /* SHA-256 of its code */
    bool caller_waits;           /* it gets its worker at once, if there is one */
    struct cr_guest *next, **at; /* the next one that waits, and what points to this one */
};

struct cr_pool {
    struct cr_loop *loop;
    struct cr_pool_sizes sizes;
    struct cr_stock stock;

    struct cr_guest *waiting, **last_waiting;
    size_t waiting_count, running;
    uint64_t memory;   /* limits of those that have a worker */
    int64_t active_us; /* when a guest last came or left */
    struct cr_scheduling scheduling;

    struct cr_task task;
    struct cr_task more;   /* what did not fit into its turn */
    struct cr_timer timer; /* when the task has to be done in any case */
    struct cr_crashes crashes;
    uint64_t crash_count;
};

void cr_pool_init(struct cr_pool *pool, struct cr_loop *loop);

/* Ends every zygote and worker, and waits until they are gone. No guest may be left. */
void cr_pool_clear(struct cr_pool *pool);

/* Starts a zygote, if there is none, and workers. Returns 0, or CAPRUN_E_SYS or CAPRUN_E_NOMEM. */
int cr_pool_warm(struct cr_pool *pool, struct cr_err *err);

/*
 * May |guest| wait for a worker? Returns 0, CAPRUN_E_BUSY if as many wait as may, or
 * CAPRUN_E_TOOBIG if its memory limit is over what all together may have.
 */
int cr_pool_admit(const struct cr_pool *pool, const struct cr_guest *guest, struct cr_err *err);

/*
 * Puts |guest|, which was admitted, behind those that wait. It gets its worker in a step, or at
 * once if its caller waits.
 */
void cr_pool_enqueue(struct cr_pool *pool, struct cr_guest *guest);

/* One that waits does not want to any more. */
void cr_pool_dequeue(struct cr_pool *pool, struct cr_guest *guest);

/*
 * |w|, which the guest had, was lost before it had read its job, or is not to be used, and then
 * |why| is NULL: the guest is the first to get another.
 */
void cr_pool_requeue(struct cr_pool *pool, struct cr_guest *guest, const struct cr_worker *w,
                     const struct cr_err *why);

/* A worker is there: the zygote may take requests again. */
void cr_pool_worker_is_ready(struct cr_pool *pool);

/* A worker that has its job was heard of: what was wrong is not any more. */
void cr_pool_worker_works(struct cr_pool *pool);

/* The guest, which had a worker, leaves. */
void cr_pool_release(struct cr_pool *pool, const struct cr_guest *guest);

/* The guest's worker |w| crashed, or broke the protocol, with its code. */
void cr_pool_crashed(struct cr_pool *pool, const struct cr_guest *guest, const struct cr_worker *w);

/* No guest is to get a worker of |z| any more. */
void cr_pool_retire_zygote(struct cr_pool *pool, struct cr_zygote *z);

/* Has the guest's code crashed so often that it is refused? */
bool cr_pool_refuses(const struct cr_pool *pool, const struct cr_guest *guest);

#endif
