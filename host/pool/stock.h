/*
 * stock.h - keeps workers ahead of demand, and the zygotes that fork them.
 *
 *     zygote --fork--> workers to come --> ready workers --taken--> workers of the pool's guests
 *
 * All workers of a zygote share its address layout, so a new zygote replaces it after 256 workers,
 * after a minute, and at once after a crash. The old zygote lives as long as it has a worker in
 * use.
 *
 * Failures are counted until a worker works. After the second failure in a row there is a pause
 * before each try, twice as long each time. In the end the stock gives up, until
 * cr_stock_try_again().
 *
 * Callbacks of workers and zygotes only note what has happened, and schedule the owner's |task|.
 * The task calls cr_stock_maintain() and the other functions, so that nothing here is called
 * recursively.
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
    struct cr_task *task;              /* belongs to the owner, like the sizes */
    const struct cr_pool_sizes *sizes; /* they do not change after the first zygote */
    char *program;

    struct cr_zygote *zygotes; /* all zygotes whose process has not ended */
    struct cr_zygote *current; /* the zygote that is asked for workers; may be NULL */
    struct cr_zygote *next;    /* a zygote that is getting warm, to be the current one */
    bool knows_layers;
    uint8_t layers[WIRE_LAYERS]; /* of the zygotes that serve, or served last */
    struct cr_stock_list ready, coming;
    size_t workers; /* ready, to come, and taken */

    unsigned failures; /* in a row, of getting a worker that works */
    int64_t failed_us; /* when the last of them happened */
    int64_t retry_us;  /* no try before then */
    bool busy;         /* the zygote cannot take more requests now */
    bool gave_up;
    bool no_program;     /* it gave up because the worker program is missing */
    bool lacks_layers;   /* it gave up because layers are missing */
    struct cr_err error; /* the last failure */
    uint64_t workers_asked, zygotes_started;
};

/* Starts nothing yet. |sizes| and |task| have to live as long as the stock. */
void cr_stock_init(struct cr_stock *stock, struct cr_loop *loop, const struct cr_pool_sizes *sizes,
                   struct cr_task *task);

/* Ends every zygote and worker, and waits until they have ended. No worker may be in use. */
void cr_stock_clear(struct cr_stock *stock);

/* Starts a zygote, if none runs. Returns 0, or CAPRUN_E_SYS or CAPRUN_E_NOMEM. */
int cr_stock_start(struct cr_stock *stock, struct cr_err *err);

/* Reads what zygotes have sent, frees those that are gone, and replaces those that are old. */
void cr_stock_maintain(struct cr_stock *stock);

/* Returns when to call cr_stock_maintain() again, at the latest; INT64_MAX if never. */
int64_t cr_stock_next(const struct cr_stock *stock, int64_t now);

/* Sets whether to read at once what zygotes say about new workers. */
void cr_stock_set_eager(struct cr_stock *stock, bool eager);

/*
 * Takes a worker with |memory| bytes and at least |cpu_s| seconds, which may still be to come; or
 * asks for a new one, and drops a spare worker if there are as many as allowed. The caller becomes
 * its owner, and calls cr_stock_worker_is_gone() when it has ended. Returns NULL if no worker can
 * be had now.
 */
struct cr_worker *cr_stock_take(struct cr_stock *stock, uint64_t memory, uint32_t cpu_s);
void cr_stock_worker_is_gone(struct cr_stock *stock);

/* May and should more be asked for? */
bool cr_stock_wants_more(const struct cr_stock *stock);

/* Is half of the stock used up, or more? */
bool cr_stock_is_low(const struct cr_stock *stock);

/* Asks for as many workers as are wanted, or as fit into one turn. */
void cr_stock_refill(struct cr_stock *stock);

/* No guest gets a worker of |z| any more. */
void cr_stock_retire_zygote(struct cr_stock *stock, struct cr_zygote *z);

/* A worker that was asked for at |asked_us| did not work. */
void cr_stock_note_failure(struct cr_stock *stock, int64_t asked_us, const struct cr_err *why);

/* A worker works: earlier failures are over. */
void cr_stock_note_success(struct cr_stock *stock);

/* There is new room: the next try need not wait. */
void cr_stock_retry_now(struct cr_stock *stock);

/* May a worker be asked for now? */
bool cr_stock_may_try(const struct cr_stock *stock);

/*
 * Gives up after too many failures. |alone| is false while other guests have workers: then room may
 * come when they leave. Returns true if the stock has given up, now or before.
 */
bool cr_stock_gives_up(struct cr_stock *stock, bool alone);

/* Tries again after giving up. */
void cr_stock_try_again(struct cr_stock *stock);

#endif
