/*
 * stock.c - starts and retires zygotes, keeps workers ahead of demand, and gives up after failures.
 */
#include "pool/stock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORKS_EACH 256u   /* workers of one zygote */
#define FORKS_SOON 224u   /* after so many forks the next zygote is started */
#define ASKED_AT_ONCE 64u /* forks between two checks of the turn: about a millisecond */
#define AGE_US 60000000
#define AGE_RETRY_US 1000000
#define WARM_BY_US 10000000 /* a zygote that is not warm by then is replaced */
#define TRIES_ALONE 6u      /* failures in a row before the stock gives up */
#define TRIES 12u
#define SPARE_CPU_S (LIMIT_DEFAULT_WALL_MS / 1000 + 2)

static void schedule_work(struct cr_stock *stock)
{
    cr_loop_defer(stock->loop, stock->task);
}

/* --- lists of workers ----------------------------------------------------------------------- */

static void list_init(struct cr_stock_list *list)
{
    *list = (struct cr_stock_list){.last = &list->first};
}

static void list_add(struct cr_stock_list *list, struct cr_worker *w)
{
    w->next_in_pool = NULL;
    *list->last = w;
    list->last = &w->next_in_pool;
    list->count++;
}

/* Removes the worker that |at|, a pointer inside the list, points to. */
static struct cr_worker *list_take(struct cr_stock_list *list, struct cr_worker **at)
{
    struct cr_worker *w = *at;

    *at = w->next_in_pool;
    if (!*at)
        list->last = at;
    list->count--;
    return w;
}

/* Returns false if |w| is not in |list|. */
static bool list_remove(struct cr_stock_list *list, const struct cr_worker *w)
{
    struct cr_worker **at = &list->first;

    while (*at && *at != w)
        at = &(*at)->next_in_pool;
    return *at && list_take(list, at);
}

/* --- failures ------------------------------------------------------------------------------- */

/* Requests made before the last failure fail with it, and do not count again. */
void cr_stock_note_failure(struct cr_stock *stock, int64_t asked_us, const struct cr_err *why)
{
    unsigned shift = stock->failures < 10 ? stock->failures : 10;
    int64_t now = cr_loop_now();

    stock->error = *why;
    if (why->code == CAPRUN_E_SANDBOX)
        stock->gave_up = true; /* a sandbox that cannot be built now cannot be built in a second */
    if (asked_us < stock->failed_us)
        return;
    stock->failed_us = now;
    stock->retry_us = stock->failures ? now + (1000ll << shift) : 0;
    stock->failures++;
    schedule_work(stock); /* the task tries again, or sets a timer */
}

void cr_stock_note_success(struct cr_stock *stock)
{
    stock->failures = 0;
    stock->retry_us = 0;
}

void cr_stock_retry_now(struct cr_stock *stock)
{
    stock->retry_us = 0;
}

bool cr_stock_may_try(const struct cr_stock *stock)
{
    return !stock->gave_up && (!stock->retry_us || cr_loop_now() >= stock->retry_us);
}

bool cr_stock_gives_up(struct cr_stock *stock, bool alone)
{
    /* a resource that the system refuses now may be free when another run has ended */
    if (alone || stock->error.code != CAPRUN_E_SYS)
        stock->gave_up |= stock->failures >= (alone ? TRIES_ALONE : TRIES);
    return stock->gave_up;
}

void cr_stock_try_again(struct cr_stock *stock)
{
    if (!stock->gave_up)
        return;
    stock->gave_up = stock->no_program = stock->lacks_layers = false;
    cr_stock_note_success(stock);
}

/* --- zygotes -------------------------------------------------------------------------------- */

static void zygote_changed(struct cr_zygote *z)
{
    schedule_work(z->data);
}

static struct cr_zygote *start_zygote(struct cr_stock *stock, struct cr_err *err)
{
    struct cr_zygote *z;

    if (cr_zygote_new(stock->loop, stock->program, &stock->sizes->sandbox, zygote_changed, stock,
                      &z, err) < 0)
        return NULL;
    stock->zygotes_started++;
    z->next = stock->zygotes;
    stock->zygotes = z;
    return z;
}

static void retire(struct cr_stock *stock, struct cr_zygote *z)
{
    if (stock->current == z)
        stock->current = NULL;
    if (stock->next == z)
        stock->next = NULL;
    if (!z->dead && !z->users)
        cr_zygote_end(z);
    z->retired = true;
}

/*
 * A layer counts as missing if any serving zygote lacks it. Without such zygotes nothing changes.
 */
static void update_layers(struct cr_stock *stock)
{
    uint8_t missing[WIRE_LAYERS] = {0};
    bool known = false;

    for (const struct cr_zygote *z = stock->zygotes; z; z = z->next) {
        stock->lacks_layers |= z->lacks_layers;
        if (!z->greeted || (z->dead && !z->lacks_layers))
            continue;
        known = true;
        for (int i = 0; i < WIRE_LAYERS; i++)
            if (z->layers[i])
                missing[i] = z->layers[i];
    }
    if (known)
        memcpy(stock->layers, missing, sizeof(stock->layers));
    stock->knows_layers |= known;
}

/* Frees zygotes that are gone, and counts those that died as failures. */
static void remove_dead_zygotes(struct cr_stock *stock)
{
    struct cr_zygote **at = &stock->zygotes;

    while (*at) {
        struct cr_zygote *z = *at;

        if (z->dead && !z->retired) {
            cr_stock_note_failure(stock, z->born_us, &z->error);
            retire(stock, z);
        }
        if (cr_zygote_is_gone(z) && !z->users) {
            *at = z->next;
            cr_zygote_free(z);
        } else {
            at = &z->next;
        }
    }
}

static bool is_old(const struct cr_zygote *z)
{
    return cr_loop_now() - z->born_us >= AGE_US;
}

/* The next zygote takes over when it is warm. Even ready workers of an old zygote are dropped. */
static void rotate(struct cr_stock *stock)
{
    struct cr_zygote *z = stock->current;
    struct cr_err unused;

    if (!z || stock->sizes->fresh || (z->slots < FORKS_SOON && !is_old(z)))
        return;
    if (!stock->next && stock->sizes->warm)
        stock->next = start_zygote(stock, &unused);
    if (stock->next && !stock->next->greeted && cr_loop_now() >= stock->next->born_us + WARM_BY_US)
        retire(stock, stock->next); /* the next call starts another one */
    if (stock->next && !stock->next->greeted)
        return;
    if (is_old(z))
        cr_stock_retire_zygote(stock, z);
    else if (stock->next)
        retire(stock, z);
}

/* Returns the zygote to ask for a worker, or NULL with |err| if none can be started. */
static struct cr_zygote *asked_zygote(struct cr_stock *stock, struct cr_err *err)
{
    if (stock->current && (stock->current->is_rejected ||
                           stock->current->slots >= (stock->sizes->fresh ? 1 : FORKS_EACH)))
        retire(stock, stock->current);
    if (!stock->current) {
        stock->current = stock->next;
        stock->next = NULL;
    }
    if (!stock->current)
        stock->current = start_zygote(stock, err);
    return stock->current;
}

int cr_stock_start(struct cr_stock *stock, struct cr_err *err)
{
    return asked_zygote(stock, err) ? 0 : err->code;
}

/* Returns when to check whether the zygote is too old, or the next one does not get warm. */
static int64_t next_rotation(const struct cr_stock *stock, int64_t now)
{
    const struct cr_zygote *z = stock->current;

    if (!z || stock->sizes->fresh)
        return INT64_MAX;
    if (is_old(z) && stock->next)
        return stock->next->born_us + WARM_BY_US;
    return is_old(z) ? now + AGE_RETRY_US : z->born_us + AGE_US;
}

int64_t cr_stock_next(const struct cr_stock *stock, int64_t now)
{
    int64_t when = next_rotation(stock, now);

    if (stock->retry_us > now && !stock->gave_up && stock->retry_us < when)
        when = stock->retry_us;
    return when;
}

void cr_stock_set_eager(struct cr_stock *stock, bool eager)
{
    for (struct cr_zygote *z = stock->zygotes; z; z = z->next)
        cr_zygote_set_eager(z, eager);
}

/* --- workers -------------------------------------------------------------------------------- */

static void free_spare(struct cr_stock *stock, struct cr_worker *w)
{
    stock->workers--;
    cr_worker_free(w);
}

/* Returns false if |list| is empty. */
static bool drop_first(struct cr_stock *stock, struct cr_stock_list *list)
{
    if (!list->first)
        return false;
    free_spare(stock, list_take(list, &list->first));
    return true;
}

static void drop_those_of(struct cr_stock *stock, struct cr_stock_list *list,
                          const struct cr_zygote *z)
{
    struct cr_worker **at = &list->first;

    while (*at) {
        if ((*at)->zygote == z)
            free_spare(stock, list_take(list, at));
        else
            at = &(*at)->next_in_pool;
    }
}

static void drop_spares(struct cr_stock *stock, const struct cr_zygote *z)
{
    drop_those_of(stock, &stock->ready, z);
    drop_those_of(stock, &stock->coming, z);
}

/*
 * Drops spare workers of retired zygotes that are too old. The next turn drops the rest: the stock
 * wants more workers then, so the pool has work.
 */
static void drop_old_spares(struct cr_stock *stock)
{
    for (struct cr_zygote *z = stock->zygotes; z && !cr_loop_turn_is_over(stock->loop); z = z->next)
        if (z->retired && is_old(z))
            drop_spares(stock, z);
}

static void spare_forked(struct cr_worker *w)
{
    struct cr_stock *stock = w->data;

    (void)list_remove(&stock->coming, w);
    list_add(&stock->ready, w);
    if (stock->busy)
        schedule_work(stock);
}

static void spare_gone(struct cr_worker *w, const struct cr_err *why)
{
    struct cr_stock *stock = w->data;

    if (!list_remove(&stock->coming, w))
        (void)list_remove(&stock->ready, w);
    cr_stock_note_failure(stock, w->asked_us, why);
    free_spare(stock, w);
    schedule_work(stock);
}

/* Asks for a worker. Returns NULL if none can be asked for now. */
static struct cr_worker *ask_for_worker(struct cr_stock *stock, uint64_t memory, uint32_t cpu_s)
{
    static const struct cr_worker_owner owner = {.forked = spare_forked, .gone = spare_gone};
    struct cr_err err;
    struct cr_zygote *z = asked_zygote(stock, &err);
    struct cr_worker *w;

    if (!z) {
        cr_stock_note_failure(stock, cr_loop_now(), &err);
        if (access(stock->program, X_OK) < 0)
            stock->gave_up = stock->no_program = true; /* trying again cannot help */
        return NULL;
    }
    if (cr_worker_new(z, memory, cpu_s, &owner, stock, &w, &err) < 0) {
        stock->busy = err.code == CAPRUN_E_BUSY;
        if (!stock->busy)
            cr_stock_note_failure(stock, cr_loop_now(), &err);
        return NULL;
    }
    stock->workers++;
    stock->workers_asked++;
    return w;
}

/* Returns NULL if no worker in |list| has these limits. */
static struct cr_worker *take_from(struct cr_stock_list *list, uint64_t memory, uint32_t cpu_s)
{
    for (struct cr_worker **at = &list->first; *at; at = &(*at)->next_in_pool)
        if ((*at)->memory == memory && (*at)->cpu_s >= cpu_s)
            return list_take(list, at);
    return NULL;
}

struct cr_worker *cr_stock_take(struct cr_stock *stock, uint64_t memory, uint32_t cpu_s)
{
    struct cr_worker *w = take_from(&stock->ready, memory, cpu_s);

    if (!w)
        w = take_from(&stock->coming, memory, cpu_s);
    if (w)
        return w;
    if (stock->workers >= stock->sizes->max_workers && !drop_first(stock, &stock->ready) &&
        !drop_first(stock, &stock->coming))
        return NULL;
    w = ask_for_worker(stock, memory, cpu_s);
    if (!w && !stock->busy)
        (void)drop_first(stock, &stock->ready); /* it may free the resource that was missing */
    return w;
}

void cr_stock_worker_is_gone(struct cr_stock *stock)
{
    stock->workers--;
}

static size_t count_spares(const struct cr_stock *stock)
{
    return stock->ready.count + stock->coming.count;
}

bool cr_stock_wants_more(const struct cr_stock *stock)
{
    return cr_stock_may_try(stock) && stock->workers < stock->sizes->max_workers &&
           count_spares(stock) < stock->sizes->warm;
}

bool cr_stock_is_low(const struct cr_stock *stock)
{
    return 2 * count_spares(stock) <= stock->sizes->warm;
}

void cr_stock_refill(struct cr_stock *stock)
{
    bool is_over = false;
    unsigned asked = 0;

    while (!is_over && cr_stock_wants_more(stock)) {
        struct cr_worker *w = ask_for_worker(stock, stock->sizes->memory, SPARE_CPU_S);

        if (!w)
            return;
        list_add(&stock->coming, w);
        /* starting a program takes a millisecond, asking for a fork a hundredth of that */
        is_over = (stock->sizes->fresh || ++asked % ASKED_AT_ONCE == 0) &&
                  cr_loop_turn_is_over(stock->loop);
    }
}

void cr_stock_retire_zygote(struct cr_stock *stock, struct cr_zygote *z)
{
    z->is_rejected = true;
    drop_spares(stock, z);
    retire(stock, z);
    schedule_work(stock);
}

/* --- the whole stock ------------------------------------------------------------------------ */

void cr_stock_maintain(struct cr_stock *stock)
{
    stock->busy = false;
    for (struct cr_zygote *z = stock->zygotes; z && stock->coming.count; z = z->next)
        cr_zygote_read(z);
    update_layers(stock);
    remove_dead_zygotes(stock);
    drop_old_spares(stock);
    rotate(stock);
}

void cr_stock_init(struct cr_stock *stock, struct cr_loop *loop, const struct cr_pool_sizes *sizes,
                   struct cr_task *task)
{
    *stock = (struct cr_stock){.loop = loop, .task = task, .sizes = sizes};
    list_init(&stock->ready);
    list_init(&stock->coming);
}

void cr_stock_clear(struct cr_stock *stock)
{
    while (drop_first(stock, &stock->ready) || drop_first(stock, &stock->coming))
        ;
    while (stock->zygotes) {
        struct cr_zygote *z = stock->zygotes;

        stock->zygotes = z->next;
        cr_zygote_free(z);
    }
    free(stock->program);
}
