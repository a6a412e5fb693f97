/*
 * stock.h - workers ahead of demand, and the zygotes that fork them.
 *
 *     zygote --fork--> workers to come --> workers that are ready --taken--> somebody else's
 *
 * All workers of a zygote share its addresses, so a new one takes its place after 256 workers,
 * after a minute, and at once after a crash. The old one lives as long as somebody has a worker of
 * it.
 *
 * Failures are counted until a worker works: after the second in a row there is a pause before each
 * try, twice as long each time, and in the end the stock gives up until it is told to hope again.
 *
 * Callbacks of workers and zygotes only note what has happened, and ask for the owner's |task|. It
 * calls cr_stock_maintain(), and what else it wants, so that nothing here is ever entered twice.
 */
#ifndef CR_STOCK_H
#define CR_STOCK_H

#include "base/loop.h"
#include "pool/sizes.h"
#include "pool/worker.h"

struct cr_stock_list {
    struct cr_worker *first, **last;
    size_t count;
};

struct cr_stock {
    struct cr_loop *loop;
    struct cr_task *task;              /* the owner's, as the sizes are */
    const struct cr_pool_sizes *sizes; /* they stay as they are after the first zygote */
    char *program;

    struct cr_zygote *zygotes; /* all that are not gone */
    struct cr_zygote *current; /* of these, the one that is asked for workers; may be NULL */
    struct cr_zygote *next;    /* it gets warm, to be the current one */
    bool knows_layers;
    uint8_t layers[WIRE_LAYERS]; /* of the zygotes that serve, or did last */
    struct cr_stock_list ready, coming;
    size_t workers; /* ready, coming, and taken */

    unsigned failures; /* in a row, of getting a worker that works */
    int64_t failed_us; /* the last of them */
    int64_t retry_us;  /* no try before then */
    bool busy;         /* the zygote cannot take more requests now */
    bool gave_up;
    bool no_program;     /* which is why it gave up */
    bool lacks_layers;   /* or this */
    struct cr_err error; /* the last failure's */
    uint64_t workers_asked, zygotes_started;
};

/* Nothing is started yet. |sizes| and |task| have to live as long as the stock. */
void cr_stock_init(struct cr_stock *stock, struct cr_loop *loop, const struct cr_pool_sizes *sizes,
                   struct cr_task *task);

/* Ends every zygote and worker, and waits until they are gone. None may be taken. */
void cr_stock_clear(struct cr_stock *stock);

/* Starts a zygote, if there is none. Returns 0, or CAPRUN_E_SYS or CAPRUN_E_NOMEM. */
int cr_stock_start(struct cr_stock *stock, struct cr_err *err);

/* Hears what zygotes have to say, frees those that are gone, and replaces those that are old. */
void cr_stock_maintain(struct cr_stock *stock);

/* Returns when that is to be done again, at the latest; INT64_MAX if nothing needs it. */
int64_t cr_stock_next(const struct cr_stock *stock, int64_t now);

/* Whether to hear of the workers to come at once. */
void cr_stock_set_eager(struct cr_stock *stock, bool eager);

/*
 * Takes a worker with |memory| bytes and at least |cpu_s| seconds, which may still be to come, or
 * asks for one, in the place of another if there are as many as may be. The caller becomes its
 * owner, and tells when it is gone, by cr_stock_worker_is_gone(). Returns NULL if there is none
 * now.
 */
struct cr_worker *cr_stock_take(struct cr_stock *stock, uint64_t memory, uint32_t cpu_s);
void cr_stock_worker_is_gone(struct cr_stock *stock);

/* May and should more be asked for? */
bool cr_stock_wants_more(const struct cr_stock *stock);

/* Is half of it gone, or more? */
bool cr_stock_is_low(const struct cr_stock *stock);

/* Asks for as many as are wanted, or as a turn has time for. */
void cr_stock_refill(struct cr_stock *stock);

/* Nobody is to get a worker of |z| any more. */
void cr_stock_retire_zygote(struct cr_stock *stock, struct cr_zygote *z);

/* A worker that was asked for at |asked_us| did not work. */
void cr_stock_note_failure(struct cr_stock *stock, int64_t asked_us, const struct cr_err *why);

/* A worker works: what was wrong is not any more. */
void cr_stock_note_success(struct cr_stock *stock);

/* There is room that was not there before: the next try need not wait. */
void cr_stock_retry_now(struct cr_stock *stock);

/* Is there no reason to wait with the next try? */
bool cr_stock_may_try(const struct cr_stock *stock);

/*
 * Gives up after too many failures; if not |alone|, others have workers, and room may come. Returns
 * true if it has, now or before.
 */
bool cr_stock_gives_up(struct cr_stock *stock, bool alone);

/* Ends that. */
void cr_stock_try_again(struct cr_stock *stock);

#endif
