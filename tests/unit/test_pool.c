/*
 * test_pool.c - which run gets a worker and which must wait, with fake workers (fake_worker.h).
 * test_stock.c tests where workers come from, test_scheduling.c how small runs are made faster.
 */
#include "fake_runs.h"

#define SUCCESS CAPRUN_OUTCOME_SUCCESS

static struct caprun_run *order[16];
static size_t started;

static void note_start(void *data, struct caprun_run *r, enum caprun_event what, uint32_t call)
{
    (void)data;
    (void)call;
    if (what == CAPRUN_EVENT_STARTED && started < COUNT(order))
        order[started++] = r;
}

static struct caprun_run *start_noted(const char *code)
{
    struct caprun_run *made = new_run(code, 0, FAKE_HONEST);

    caprun_run_set_event(made, note_start, NULL);
    return start_run(made) ? made : NULL;
}

static bool start_all(struct caprun_run **runs, size_t n)
{
    bool ok = true;

    started = 0;
    for (size_t i = 0; i < n; i++) {
        runs[i] = start_noted("honest");
        ok = ok && runs[i];
    }
    return ok;
}

/* Do all |runs| succeed, start in the order of |runs|, and leave nothing behind? */
static bool end_in_order(struct caprun_run **runs, size_t n)
{
    bool ok = true;

    for (size_t i = 0; i < n; i++)
        ok = ok && ended(runs[i], SUCCESS, "42") && order[i] == runs[i];
    for (size_t i = 0; i < n; i++)
        caprun_run_free(runs[i]);
    return ok && started == n && is_quiet();
}

TEST(runs_get_workers_in_the_order_in_which_they_came)
{
    struct caprun_run *runs[8];

    CHECK(new_runtime() && caprun_set_max_workers(rt, 1) == 0);
    CHECK(start_all(runs, COUNT(runs)));
    CHECK(count(CAPRUN_COUNT_RUNNING) <= 1);
    CHECK(end_in_order(runs, COUNT(runs)) && end());
}

TEST(a_run_whose_worker_was_lost_is_the_first_to_get_another)
{
    struct caprun_run *runs[4];

    CHECK(new_runtime() && caprun_set_max_workers(rt, 1) == 0);
    fake_plan->early = FAKE_EXITS;
    fake_plan->forks = 3;
    CHECK(start_all(runs, COUNT(runs)));
    CHECK(end_in_order(runs, COUNT(runs)) && end());
}

TEST(no_more_runs_wait_than_may)
{
    struct caprun_run *first, *second;

    CHECK(new_runtime() && caprun_set_max_workers(rt, 1) == 0 &&
          caprun_set_max_waiting(rt, 1) == 0);
    first = start("says_a_word");
    second = start("honest");
    run = new_run("honest", 0, FAKE_HONEST);
    CHECK(caprun_start(run) == CAPRUN_E_BUSY && strstr(caprun_error(rt), "1 runs wait already"));
    CHECK(!caprun_done(run));
    caprun_cancel(first);
    CHECK(ended(second, SUCCESS, "42"));
    CHECK(caprun_start(run) == 0 && ended(run, SUCCESS, "42"));
    caprun_run_free(first);
    caprun_run_free(second);
    caprun_run_free(run);
    CHECK(is_quiet() && end());
}

/* A turn gives out at least one worker, however short it is; a step has two such turns. */
TEST(many_runs_get_their_workers_in_many_turns)
{
    struct caprun_run *runs[20];

    CHECK(new_runtime());
    pool->loop->turn_us = 0;
    for (size_t i = 0; i < COUNT(runs); i++) {
        runs[i] = new_run("honest", 0, FAKE_HONEST);
        CHECK(caprun_start(runs[i]) == 0);
    }
    caprun_step(rt);
    CHECK(pool->running <= 2 && pool->waiting_count >= COUNT(runs) - 2 && pool->more.waits);
    pool->loop->turn_us = CR_LOOP_TURN_US; /* a turn without time reads nothing */
    for (size_t i = 0; i < COUNT(runs); i++) {
        CHECK(ended(runs[i], SUCCESS, "42"));
        caprun_run_free(runs[i]);
    }
    CHECK(is_quiet() && end());
}

TEST(all_runs_together_have_no_more_memory_than_they_may)
{
    struct caprun_run *other;

    CHECK(new_runtime() && caprun_set_memory(rt, 3 << 20) == 0 &&
          caprun_set_max_memory(rt, 5 << 20) == 0);
    run = start("says_a_word");
    other = start("honest");
    CHECK_SOON(run->has_sent_frame);
    CHECK(other->state == CR_RUN_WAITING && pool->memory == 3 << 20);
    CHECK(ends("honest", 0, FAKE_READY_IN_PIECES, CAPRUN_OUTCOME_VALIDATION_ERROR,
               "all runs together only 5 MiB"));
    caprun_cancel(run);
    CHECK(ended(other, SUCCESS, "42"));
    caprun_run_free(run);
    caprun_run_free(other);
    CHECK(is_quiet() && end());
}

/* Makes the pool believe that a run has just come, however slow the machine is. */
static bool keep_pool_active(void)
{
    pool->active_us = cr_loop_now() + 1000000;
    return true;
}

/* While runs are active, the stock is refilled only when it is low. */
TEST(warm_requests_the_missing_workers_at_once)
{
    CHECK(new_runtime() && caprun_set_warm(rt, 8) == 0 && caprun_warm(rt) == 0);
    CHECK_SOON(count(CAPRUN_COUNT_READY) == 8);
    run = start("says_a_word"); /* and continues */
    CHECK_SOON(keep_pool_active() && run->has_sent_frame);
    CHECK(count(CAPRUN_COUNT_WORKERS) == 8);
    CHECK(caprun_warm(rt) == 0);
    CHECK(count(CAPRUN_COUNT_WORKERS) == 9);
    CHECK(caprun_warm(rt) == 0);
    CHECK(count(CAPRUN_COUNT_WORKERS) == 9);
    caprun_run_free(run);
    CHECK(is_quiet() && end());
}

TEST(a_hundred_runs_at_once_all_succeed)
{
    struct caprun_run *runs[100];

    CHECK(new_runtime() && caprun_set_warm(rt, 5) == 0 && caprun_set_max_workers(rt, 30) == 0);
    for (size_t i = 0; i < COUNT(runs); i++)
        runs[i] = start(i % 3 ? "honest" : "idle_a_while");
    for (size_t i = 0; i < COUNT(runs); i++) {
        CHECK(ended(runs[i], SUCCESS, "42"));
        caprun_run_free(runs[i]);
    }
    CHECK(is_quiet() && end());
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
