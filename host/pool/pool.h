/*
 * pool.h - the runs that wait for a worker, and the ceilings for those that have one.
 *
 *     runs that wait --(there is room)--> a run with a worker --(it ends)--> room for the next
 *                                              ^
 *                       the stock (stock.h) ---+
 *
 * Runs get a worker in the order in which they came, each one that nobody had before: a ready one
 * if it has the run's limits, else one forked for it. What is taken from the stock is replaced. A
 * worker that is lost before it has read its job is replaced, and the run does not notice; if the
 * stock gives up, the runs that wait are told why.
 *
 * The work is done in one place, at the end of the loop's step; everything else only asks for it.
 */
#ifndef CR_POOL_H
#define CR_POOL_H

#include "base/loop.h"
#include "pool/crashes.h"
#include "pool/sizes.h"
#include "pool/stock.h"

struct caprun_run;

struct cr_pool {
    struct cr_loop *loop;
    struct cr_pool_sizes sizes;
    struct cr_stock stock;

    struct caprun_run *waiting, **last_waiting;
    size_t waiting_count, running;
    uint64_t memory;   /* limits of those that run */
    int64_t active_us; /* when a run last started or ended */
    int64_t started_us;
    bool in_series; /* the last one started soon after another */
    int slow_end;   /* the pidfd of a process that may take its time to end, or -1 */

    struct cr_task task;
    struct cr_timer timer; /* when the task has to be done in any case */
    struct cr_crashes crashes;
    uint64_t crash_count;
};

void cr_pool_init(struct cr_pool *pool, struct cr_loop *loop);

/* Ends every zygote and worker, and waits until they are gone. No run may be left. */
void cr_pool_clear(struct cr_pool *pool);

/* Starts a zygote, if there is none, and workers. Returns 0, or CAPRUN_E_SYS or CAPRUN_E_NOMEM. */
int cr_pool_warm(struct cr_pool *pool, struct cr_err *err);

/*
 * May |run| wait for a worker? Returns 0, CAPRUN_E_BUSY if as many wait as may, or CAPRUN_E_TOOBIG
 * if the run's memory limit is over what all together may have.
 */
int cr_pool_admit(const struct cr_pool *pool, const struct caprun_run *run, struct cr_err *err);

/*
 * Puts |run|, which was admitted, behind those that wait. It gets its worker in a step, or at once
 * if its caller waits.
 */
void cr_pool_enqueue(struct cr_pool *pool, struct caprun_run *run);

/* A run that waits does not want to any more. */
void cr_pool_dequeue(struct cr_pool *pool, struct caprun_run *run);

/*
 * The run's worker was lost before it had read its job, or is not to be used, and then |why| is
 * NULL: it is the first to get another.
 */
void cr_pool_requeue(struct cr_pool *pool, struct caprun_run *run, const struct cr_err *why);

/* A worker is there: the zygote may take requests again. */
void cr_pool_worker_is_ready(struct cr_pool *pool);

/* A worker that has its job was heard of: what was wrong is not any more. */
void cr_pool_worker_works(struct cr_pool *pool);

/* The run, which had a worker or was to have one, has ended. */
void cr_pool_release(struct cr_pool *pool, struct caprun_run *run);

/*
 * Returns where the pidfd of a process that ends slowly is kept, or NULL if there is one that does:
 * what it holds is beside what all runs together may have.
 */
int *cr_pool_slow_end(struct cr_pool *pool);

/* The run's worker crashed, or broke the protocol, with its code. */
void cr_pool_crashed(struct cr_pool *pool, struct caprun_run *run);

/* No run is to get a worker of |z| any more. */
void cr_pool_distrust(struct cr_pool *pool, struct cr_zygote *z);

/* Has the run's code crashed so often that it is refused? */
bool cr_pool_refuses(const struct cr_pool *pool, const struct caprun_run *run);

#endif
