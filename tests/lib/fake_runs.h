/*
 * fake_runs.h - a runtime with fake workers (fake_worker.h), and functions that play runs to their
 * end, for tests of the host through the public functions.
 *
 * A test begins with begin() or new_runtime(), and ends with end(), which checks that no child is
 * left.
 */
#ifndef FAKE_RUNS_H
#define FAKE_RUNS_H

#include "fake_worker.h"
#include "process.h"
#include "run/run_parts.h"
#include "tap.h"

#define BAD CAPRUN_OUTCOME_WORKER_TERMINATED

static struct caprun_runtime *rt;
static struct cr_pool *pool;                           /* of |rt| */
static struct cr_stock *stock;                         /* of |pool| */
__attribute__((unused)) static struct caprun_run *run; /* for the test */

static inline int64_t deadline_us(void)
{
    const char *times = getenv("CAPRUN_TEST_TIMEOUT_MULTIPLIER");

    return cr_loop_now() + 10000000ll * (times ? strtol(times, NULL, 10) : 1);
}

/* Returns false if the time is over. */
static inline bool step_before(int64_t deadline)
{
    caprun_wait(rt, 100);
    caprun_step(rt);
    return cr_loop_now() < deadline;
}

/* Steps the runtime until |condition| holds, or until the deadline. */
#define STEP_UNTIL(condition)                                                                  \
    for (int64_t step_deadline = deadline_us(); !(condition) && step_before(step_deadline);) { \
    }

#define CHECK_SOON(condition) \
    do {                      \
        STEP_UNTIL(condition) \
        CHECK(condition);     \
    } while (0)

/* --- a runtime ---------------------------------------------------------------------------- */

/* Waits: a program that has started a zygote exits a moment later, and its pidfd is closed then. */
static inline int settled_descriptors(int before)
{
    STEP_UNTIL(count_descriptors() <= before)
    return count_descriptors();
}

/* Makes a runtime that keeps no warm workers, unless caprun_set_warm() is called afterwards. */
static inline bool new_runtime(void)
{
    char own_path[4096] = "";
    struct caprun_run *first;
    bool ok = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1) > 0;

    caprun_free(rt); /* may be left from a failed test */
    rt = NULL;
    ok = fake_make_plan() && ok && caprun_new(&rt) == 0 && caprun_set_worker(rt, own_path) == 0 &&
         caprun_set_warm(rt, CAPRUN_WARM_NONE) == 0 && caprun_run_new(rt, &first) == 0;
    if (ok) {
        pool = first->pool;
        stock = &pool->stock;
        caprun_run_free(first);
    }
    return ok;
}

static inline uint64_t count(enum caprun_count what)
{
    return caprun_count(rt, what);
}

/* Returns false if a child is left. */
static inline bool end(void)
{
    caprun_free(rt);
    rt = NULL;
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* --- runs --------------------------------------------------------------------------------- */

/* Answers the calls of new runs, if it is set. */
static void (*handler)(void *data, struct caprun_run *r, uint32_t call, const char *method,
                       const char *args, size_t args_len);

static inline struct caprun_run *new_run(const char *code, uint64_t timeout_ms,
                                         enum fake_early early)
{
    struct caprun_run *made = NULL;

    if (caprun_run_new(rt, &made) == 0)
        caprun_run_set_handler(made, handler, NULL);
    if (!made || caprun_run_set_code(made, code, strlen(code)) < 0 ||
        caprun_run_set_timeout(made, timeout_ms) < 0 ||
        (early && caprun_run_set_memory(made, FAKE_EARLY + early) < 0))
        printf("# no run: %s\n", caprun_error(rt));
    return made;
}

static inline bool start_run(struct caprun_run *r)
{
    if (!r || caprun_start(r) < 0) {
        printf("# not started: %s\n", caprun_error(rt));
        return false;
    }
    caprun_step(rt); /* gives the run a worker, if there is room */
    return true;
}

static inline struct caprun_run *start(const char *code)
{
    struct caprun_run *made = new_run(code, 0, FAKE_HONEST);

    (void)start_run(made);
    return made;
}

/* Waits until |r| has ended. If it does not end in time, cancels it and returns false. */
static inline bool finish(struct caprun_run *r)
{
    STEP_UNTIL(caprun_done(r))
    if (caprun_done(r))
        return true;
    printf("# the run did not end\n");
    caprun_cancel(r);
    return false;
}

static inline bool reach(struct caprun_run *r, enum cr_run_state state)
{
    STEP_UNTIL(r->state == state)
    return r->state == state;
}

static inline bool says(struct caprun_run *r, const char *words)
{
    size_t len;
    const char *envelope = caprun_result_json(r, &len);

    return envelope && strlen(envelope) == len && strstr(envelope, words);
}

static inline bool ended(struct caprun_run *r, enum caprun_outcome outcome, const char *words)
{
    size_t len;

    if (finish(r) && caprun_get_outcome(r) == outcome && says(r, words))
        return true;
    printf("# wanted %s, \"%s\": %.300s\n", caprun_outcome_name(outcome), words,
           caprun_result_json(r, &len));
    return false;
}

/* Plays |code| to its end, and checks the outcome. */
static inline bool ends(const char *code, uint64_t timeout_ms, enum fake_early early,
                        enum caprun_outcome outcome, const char *words)
{
    struct caprun_run *r = new_run(code, timeout_ms, early);
    bool ok = r && caprun_start(r) == 0 && ended(r, outcome, words);

    caprun_run_free(r);
    return ok;
}

static inline bool succeeds(void)
{
    return ends("honest", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "\"result\":42,");
}

/* Makes a runtime, and waits until it has |warm| warm workers. */
static inline bool begin_warm(uint32_t warm)
{
    if (!new_runtime() || caprun_set_warm(rt, warm) < 0 || caprun_warm(rt) < 0)
        return false;
    STEP_UNTIL(stock->ready.count == warm && stock->current && stock->current->pid > 0)
    return caprun_count(rt, CAPRUN_COUNT_READY) == warm && stock->current->pid > 0;
}

/* Is nothing left of earlier runs? */
static inline bool is_quiet(void)
{
    return !pool->running && !pool->memory && !pool->waiting && !pool->waiting_count &&
           pool->last_waiting == &pool->waiting &&
           stock->workers == stock->ready.count + stock->coming.count;
}

/* Makes a runtime with only its zygote running, so that descriptors can be counted. */
static inline bool begin(void)
{
    if (!new_runtime() || !succeeds())
        return false;
    STEP_UNTIL(!stock->current->program)
    return !stock->current->program;
}

#endif
