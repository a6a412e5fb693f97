/* pool.c - gives workers to waiting guests in order, and limits how many are in use. */
#include "pool/pool.h"

#include "base/words.h"

/* Only after so long without a new or leaving guest the stock is refilled, unless it is low. */
#define QUIET_US 2000

static void schedule_work(struct cr_pool *pool)
{
    cr_loop_defer(pool->loop, &pool->task);
}

static bool has_room(const struct cr_pool *pool, const struct cr_guest *guest)
{
    return pool->running < pool->sizes.max_workers &&
           pool->memory + guest->memory <= pool->sizes.max_memory;
}

static void note_start(struct cr_pool *pool)
{
    pool->active_us = cr_loop_now();
    cr_scheduling_note_start(&pool->scheduling, pool->active_us);
}

/* Starting a worker may mean starting a program, and thousands of guests may have to be refused. */
static bool defer_if_turn_is_over(struct cr_pool *pool)
{
    if (!pool->waiting || !cr_loop_turn_is_over(pool->loop))
        return false;
    cr_loop_defer_busy(pool->loop, &pool->more);
    return true;
}

static void give_out_workers(struct cr_pool *pool)
{
    bool is_over = false;

    while (!is_over && pool->waiting && cr_stock_may_try(&pool->stock) &&
           has_room(pool, pool->waiting)) {
        struct cr_guest *guest = pool->waiting;
        struct cr_worker *w;

        if (cr_pool_refuses(pool, guest)) {
            guest->ops->refuse(guest); /* its code has crashed since it was queued */
            is_over = defer_if_turn_is_over(pool);
            continue;
        }
        w = cr_stock_take(&pool->stock, guest->memory, guest->cpu_s);
        if (!w)
            return;
        cr_pool_dequeue(pool, guest);
        note_start(pool);
        pool->running++;
        pool->memory += guest->memory;
        guest->ops->take(guest, w);
        is_over = defer_if_turn_is_over(pool);
    }
}

/* Has no guest come or left for a while? */
static bool is_quiet(const struct cr_pool *pool)
{
    return cr_loop_now() >= pool->active_us + QUIET_US;
}

/* Guests that wait get workers before the stock is refilled. */
static bool wants_refill(const struct cr_pool *pool)
{
    return !pool->waiting && cr_stock_wants_more(&pool->stock);
}

static void refill(struct cr_pool *pool)
{
    if (wants_refill(pool) && (cr_stock_is_low(&pool->stock) || is_quiet(pool)))
        cr_stock_refill(&pool->stock);
}

static const char *hint_for(const struct cr_stock *stock)
{
    if (stock->no_program)
        return "caprun-worker has to be beside caprun, or in ../libexec/caprun from there";
    if (stock->lacks_layers)
        return "caprun doctor says how to get them; or \"sandbox\": {\"requireAllLayers\": false}";
    if (stock->error.code == CAPRUN_E_SYS)
        return cr_words[CR_WORD_GET_PROCESSES];
    return "caprun doctor shows which part of the sandbox fails here";
}

static void fail_waiting_guests(struct cr_pool *pool)
{
    const struct cr_stock *stock = &pool->stock;

    if (!cr_stock_gives_up(&pool->stock, !pool->running))
        return;
    while (pool->waiting && !defer_if_turn_is_over(pool)) {
        struct cr_guest *guest = pool->waiting;

        cr_pool_dequeue(pool, guest);
        guest->ops->fail(guest, &stock->error, hint_for(stock));
    }
}

/* Read about new workers at once if a guest needs one, or if there is nothing else to do. */
static void set_listening_and_timer(struct cr_pool *pool)
{
    struct cr_stock *stock = &pool->stock;
    int64_t now = cr_loop_now(), when = cr_stock_next(stock, now);
    bool eager = stock->coming.count && (pool->waiting || !stock->ready.count || is_quiet(pool));
    /* a retry pause that ended since give_out_workers() has no timer */
    bool missed = pool->waiting && has_room(pool, pool->waiting) && cr_stock_may_try(stock);
    bool soon = stock->busy || missed || (stock->coming.count && !eager) || wants_refill(pool);

    cr_stock_set_eager(stock, eager);
    if (when <= now || (soon && when > now + QUIET_US))
        when = now + QUIET_US;
    if (when == INT64_MAX)
        cr_loop_unset(pool->loop, &pool->timer);
    else
        cr_loop_set(pool->loop, &pool->timer, when);
}

static void do_all_work(struct cr_pool *pool)
{
    cr_stock_maintain(&pool->stock);
    give_out_workers(pool);
    refill(pool);
    fail_waiting_guests(pool);
    set_listening_and_timer(pool);
}

static void do_work(struct cr_task *task)
{
    do_all_work(cr_container(task, struct cr_pool, task));
}

static void do_more(struct cr_task *task)
{
    do_all_work(cr_container(task, struct cr_pool, more));
}

static void timer_due(struct cr_timer *timer)
{
    schedule_work(cr_container(timer, struct cr_pool, timer));
}

void cr_pool_init(struct cr_pool *pool, struct cr_loop *loop)
{
    *pool = (struct cr_pool){.loop = loop,
                             .last_waiting = &pool->waiting,
                             .task = {.run = do_work, .name = "pool"},
                             .more = {.run = do_more, .name = "pool"},
                             .timer = {.when_us = -1, .due = timer_due, .name = "pool"}};
    cr_scheduling_init(&pool->scheduling);
    cr_stock_init(&pool->stock, loop, &pool->sizes, &pool->task);
}

void cr_pool_clear(struct cr_pool *pool)
{
    cr_loop_forget(pool->loop, &pool->task);
    cr_loop_forget_busy(pool->loop, &pool->more);
    cr_loop_unset(pool->loop, &pool->timer);
    cr_stock_clear(&pool->stock);
    cr_scheduling_clear(&pool->scheduling);
}

int cr_pool_warm(struct cr_pool *pool, struct cr_err *err)
{
    int r;

    cr_stock_try_again(&pool->stock);
    r = cr_stock_start(&pool->stock, err);
    if (r < 0)
        return r;
    if (wants_refill(pool))
        cr_stock_refill(&pool->stock);
    schedule_work(pool);
    return 0;
}

/* Inserts |guest| where |at| points: before another waiting guest, or at the end. */
static void insert_guest(struct cr_pool *pool, struct cr_guest *guest, struct cr_guest **at)
{
    guest->next = *at;
    guest->at = at;
    if (guest->next)
        guest->next->at = &guest->next;
    else
        pool->last_waiting = &guest->next;
    *at = guest;
    pool->waiting_count++;
}

int cr_pool_admit(const struct cr_pool *pool, const struct cr_guest *guest, struct cr_err *err)
{
    if (guest->memory > pool->sizes.max_memory)
        return cr_err_set(err, CAPRUN_E_TOOBIG,
                          "The run may use %llu MiB, and all runs together only %llu MiB",
                          (unsigned long long)(guest->memory / LIMIT_MIB),
                          (unsigned long long)(pool->sizes.max_memory / LIMIT_MIB));
    /* guests for which there is room do not count: they will not wait for long */
    if (pool->waiting_count >=
        pool->sizes.max_waiting + (size_t)pool->sizes.max_workers - pool->running)
        return cr_err_set(err, CAPRUN_E_BUSY, "%zu runs wait already", pool->waiting_count);
    return 0;
}

void cr_pool_enqueue(struct cr_pool *pool, struct cr_guest *guest)
{
    insert_guest(pool, guest, pool->last_waiting);
    cr_stock_try_again(&pool->stock); /* a new guest ends an earlier giving up */
    if (guest->caller_waits)
        cr_loop_do(pool->loop, &pool->task);
    else
        schedule_work(pool);
}

void cr_pool_dequeue(struct cr_pool *pool, struct cr_guest *guest)
{
    *guest->at = guest->next;
    if (guest->next)
        guest->next->at = guest->at;
    else
        pool->last_waiting = guest->at;
    pool->waiting_count--;
}

static void give_up_place(struct cr_pool *pool, const struct cr_guest *guest)
{
    cr_stock_worker_is_gone(&pool->stock);
    pool->running--;
    pool->memory -= guest->memory;
}

void cr_pool_requeue(struct cr_pool *pool, struct cr_guest *guest, const struct cr_worker *w,
                     const struct cr_err *why)
{
    give_up_place(pool, guest);
    if (why)
        cr_stock_note_failure(&pool->stock, w->asked_us, why);
    if (why && why->code == CAPRUN_E_SANDBOX)
        cr_stock_retire_zygote(&pool->stock, w->zygote);
    insert_guest(pool, guest, &pool->waiting);
    schedule_work(pool);
}

void cr_pool_worker_is_ready(struct cr_pool *pool)
{
    if (pool->waiting || pool->stock.busy)
        schedule_work(pool);
}

void cr_pool_worker_works(struct cr_pool *pool)
{
    cr_stock_note_success(&pool->stock);
    if (pool->waiting)
        schedule_work(pool);
}

void cr_pool_release(struct cr_pool *pool, const struct cr_guest *guest)
{
    give_up_place(pool, guest);
    cr_stock_retry_now(&pool->stock);
    pool->active_us = cr_loop_now();
    if (pool->waiting || (wants_refill(pool) && cr_stock_is_low(&pool->stock)))
        schedule_work(pool);
    else if (wants_refill(pool))
        cr_loop_set(pool->loop, &pool->timer, pool->active_us + QUIET_US);
}

void cr_pool_retire_zygote(struct cr_pool *pool, struct cr_zygote *z)
{
    cr_stock_retire_zygote(&pool->stock, z);
}

void cr_pool_crashed(struct cr_pool *pool, const struct cr_guest *guest, const struct cr_worker *w)
{
    cr_crashes_add(&pool->crashes, guest->digest);
    pool->crash_count++;
    cr_stock_retire_zygote(&pool->stock, w->zygote);
}

bool cr_pool_refuses(const struct cr_pool *pool, const struct cr_guest *guest)
{
    return cr_crashes_refuse(&pool->crashes, guest->digest);
}
