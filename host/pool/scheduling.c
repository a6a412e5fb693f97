/*
 * scheduling.c - uses the kernel's scheduler to make small runs faster, in three ways.
 *
 * The numbers are medians on two cores: "quiet" ones from docs/benchmarks.md, "busy" ones with the
 * switch on and off in turns while other programs kept both cores busy.
 */
#include "pool/scheduling.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "pool/pool.h"

/* A run that starts sooner than this after another is in a series. A small run takes less time. */
#define SERIES_US 1000
/* A worker is kept off the host's processor for so long: as long as a small run takes. */
#define KEEP_OFF_US 1000
/* Only runs that took at most this much memory may free their memory late. */
#define SMALL_BYTES (4u * LIMIT_MIB)
#define IN_PLACE_US 30

static void close_slow_end(struct cr_scheduling *s)
{
    if (s->slow_end >= 0)
        (void)close(s->slow_end);
    s->slow_end = -1;
}

void cr_scheduling_init(struct cr_scheduling *s)
{
    *s = (struct cr_scheduling){.slow_end = -1};
}

void cr_scheduling_clear(struct cr_scheduling *s)
{
    close_slow_end(s);
}

/* Where several runs go on at once, all processors are busy, and nothing here helps. */
static bool is_alone(const struct cr_pool *pool)
{
    return pool->running == 1 && !pool->waiting;
}

/* --- a worker does not wait for the host's processor ----------------------------------------- */

/*
 * The kernel likes to wake a worker on the processor of the thread that writes to it. The
 * application goes on there, and the worker would have to wait for it. A caller that waits for the
 * run leaves its processor, whose caches are warm, to the worker.
 *
 * Gains together with cr_scheduling_lower_priority(). Quiet: fresh sandboxes from JavaScript, one
 * after the other, take a quarter to a third less time, 211 us. Busy, from C: 0 to 40 % less where
 * a run starts each millisecond (192 to 294 us instead of 198 to 498), nothing where the next run
 * starts at once.
 */
int64_t cr_scheduling_avoid_own_cpu(const struct cr_pool *pool, const struct cr_guest *guest,
                                    struct cr_worker *w, int64_t now_us)
{
    const struct cr_scheduling *s = &pool->scheduling;
    cpu_set_t others;

    if (s->is_off || !s->in_series || guest->caller_waits || !is_alone(pool))
        return 0;
    if (!cr_worker_owns_pid(w) || sched_getaffinity(w->pid, sizeof(others), &others) < 0)
        return 0;
    CPU_CLR((size_t)sched_getcpu(), &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(w->pid, sizeof(others), &others) < 0)
        return 0;
    return now_us + KEEP_OFF_US;
}

/* The zygote may use all processors that the worker could use when it was forked. */
void cr_scheduling_allow_all_cpus(struct cr_worker *w)
{
    cpu_set_t all;

    if (cr_worker_owns_pid(w) && w->zygote->pid > 0 &&
        sched_getaffinity(w->zygote->pid, sizeof(all), &all) == 0)
        (void)sched_setaffinity(w->pid, sizeof(all), &all);
}

void cr_scheduling_note_start(struct cr_scheduling *s, int64_t now_us)
{
    s->in_series = now_us - s->started_us < SERIES_US;
    s->started_us = now_us;
}

/* --- the next run does not wait for the end of a process ------------------------------------- */

bool cr_scheduling_slow_end_is_free(struct cr_scheduling *s)
{
    struct pollfd ended = {.fd = s->slow_end, .events = POLLIN};

    if (s->slow_end >= 0 && poll(&ended, 1, 0) > 0)
        close_slow_end(s);
    return s->slow_end < 0;
}

/*
 * Ending a process takes the kernel as long as a small run, and the caller that waits for the
 * result, or for the next run, would wait for that too. With SCHED_IDLE the kernel does it when a
 * processor has nothing else to do, and treats a processor that does only this as free. A pool
 * without workers ahead of demand has no ready worker for a next run, and needs this process to
 * end.
 */
void cr_scheduling_lower_priority(struct cr_pool *pool, struct cr_worker *w, uint64_t taken)
{
    const struct sched_param none = {0};
    struct cr_scheduling *s = &pool->scheduling;

    if (s->is_off || !is_alone(pool) || !pool->sizes.warm || !taken || taken > SMALL_BYTES)
        return;
    if (cr_scheduling_slow_end_is_free(s) && cr_worker_owns_pid(w) &&
        sched_setscheduler(w->pid, SCHED_IDLE, &none) == 0)
        w->keep = &s->slow_end;
}

/* --- the host does not fall asleep before an answer that is near ----------------------------- */

/*
 * The worker mostly sends its next message soon after an answer. Waiting for it awake costs less
 * than sleeping: an idle processor goes to sleep, and takes time to wake up. If the worker is on
 * this processor, sched_yield() lets it run.
 *
 * Gains, quiet: a call and its answer take 19.7 us; the same bytes on a plain socket pair, whose
 * ends sleep, take 34.0 us. Loses, busy: 20 to 47 us instead of 16 to 20, since sched_yield() lets
 * other programs run as well.
 */
bool cr_scheduling_wait_in_place(const struct cr_scheduling *s, int fd)
{
    struct pollfd news = {.fd = fd, .events = POLLIN};
    int64_t until = cr_loop_now() + IN_PLACE_US;

    if (s->is_off)
        return false;
    do {
        if (poll(&news, 1, 0) > 0)
            return true;
        (void)sched_yield();
    } while (cr_loop_now() < until);
    return false;
}
