/*
 * test_pool.c - who gets a worker, and who has to wait, with workers that are fakes
 * (fake_worker.h). test_stock.c has where workers come from.
 */
#include <sched.h>
#include <sys/syscall.h>

#include "fake_runs.h"

#define SUCCESS CAPRUN_OUTCOME_SUCCESS

/* --- what the pool asks of the scheduler: these stand before the C library's ---------------- */

static unsigned stepped_back, sent_elsewhere;

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
    int r = (int)syscall(SYS_sched_setscheduler, pid, policy, param);

    stepped_back += r == 0 && sched_getscheduler(pid) == SCHED_IDLE;
    return r;
}

/* Only what takes a processor away counts. */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    int r = (int)syscall(SYS_sched_setaffinity, pid, size, set);
    cpu_set_t own;

    if (r == 0 && sched_getaffinity(0, sizeof(own), &own) == 0 &&
        CPU_COUNT(set) == CPU_COUNT(&own) - 1)
        sent_elsewhere++;
    return r;
}

/* --- tests ---------------------------------------------------------------------------------- */

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

/* All of them succeed, have started in the order of |runs|, and leave nothing behind. */
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

TEST(all_runs_together_have_no_more_memory_than_they_may)
{
    struct caprun_run *other;

    CHECK(new_runtime() && caprun_set_memory(rt, 3 << 20) == 0 &&
          caprun_set_max_memory(rt, 5 << 20) == 0);
    run = start("says_a_word");
    other = start("honest");
    CHECK_SOON(run->heard);
    CHECK(other->state == CR_RUN_WAITING && pool->memory == 3 << 20);
    CHECK(ends("honest", 0, FAKE_READY_IN_PIECES, CAPRUN_OUTCOME_VALIDATION_ERROR,
               "all runs together only 5 MiB"));
    caprun_cancel(run);
    CHECK(ended(other, SUCCESS, "42"));
    caprun_run_free(run);
    caprun_run_free(other);
    CHECK(is_quiet() && end());
}

/* While runs go on the stock is left until it is low. */
TEST(what_is_missing_is_asked_for_at_once_by_warm)
{
    CHECK(new_runtime() && caprun_set_warm(rt, 8) == 0 && caprun_warm(rt) == 0);
    CHECK_SOON(count(CAPRUN_COUNT_READY) == 8);
    CHECK(succeeds());
    CHECK(count(CAPRUN_COUNT_WORKERS) == 8);
    CHECK(caprun_warm(rt) == 0);
    CHECK(count(CAPRUN_COUNT_WORKERS) == 9);
    CHECK(caprun_warm(rt) == 0);
    CHECK(count(CAPRUN_COUNT_WORKERS) == 9);
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

/* Plays |code|. Returns whether its process may end slowly. */
static bool ends_slowly(const char *code, enum caprun_outcome outcome)
{
    unsigned before = stepped_back;

    return ends(code, 500, FAKE_HONEST, outcome, "") && stepped_back > before;
}

TEST(a_small_run_that_was_alone_ends_when_nobody_else_has_work)
{
    struct caprun_run *other;

    CHECK(begin_warm(8));
    CHECK(ends_slowly("done_taking 16", SUCCESS));
    CHECK_SOON(cr_pool_slow_end(pool)); /* it has ended */
    CHECK(ends_slowly("threw_taking 4096", CAPRUN_OUTCOME_CODE_ERROR));
    CHECK_SOON(cr_pool_slow_end(pool));
    CHECK(!ends_slowly("done_taking 4097", SUCCESS));
    CHECK(!ends_slowly("honest", SUCCESS)); /* it has not said how small */
    CHECK(!ends_slowly("type 99", BAD));
    CHECK(!ends_slowly("done_after_the_limit 16", CAPRUN_OUTCOME_EXECUTION_TIMEOUT));
    other = start("says_a_word");
    CHECK_SOON(other->heard);
    CHECK(!ends_slowly("done_taking 16", SUCCESS));
    caprun_cancel(other);
    caprun_run_free(other);
    CHECK(ends_slowly("done_taking 16", SUCCESS));
    CHECK(end());
}

TEST(who_keeps_no_workers_ready_does_not_wait_for_a_slow_end)
{
    CHECK(new_runtime());
    CHECK(!ends_slowly("done_taking 16", SUCCESS));
    CHECK(end());
}

TEST(only_one_process_ends_slowly_at_a_time)
{
    CHECK(begin_warm(8));
    pool->slow_end = (int)syscall(SYS_pidfd_open, getpid(), 0);
    CHECK(pool->slow_end >= 0 && !cr_pool_slow_end(pool));
    CHECK(!ends_slowly("done_taking 16", SUCCESS));
    CHECK(close(pool->slow_end) == 0);
    pool->slow_end = -1;
    CHECK(ends_slowly("done_taking 16", SUCCESS));
    CHECK(pool->slow_end >= 0 && end());
}

#define SOON (-10000000) /* microseconds after another start: as fast as no machine is */

/* How many runs that start |ago_us| after another are sent elsewhere: 0 or 1. */
static unsigned sent_after(int64_t ago_us)
{
    bool ok;

    sent_elsewhere = 0;
    pool->started_us = cr_loop_now() - ago_us;
    run = start("honest");
    ok = ended(run, SUCCESS, "42");
    caprun_run_free(run);
    return ok ? sent_elsewhere : 2;
}

TEST(a_run_soon_after_another_is_not_left_to_wait_for_this_processor)
{
    struct caprun_run *other;
    unsigned expected;
    cpu_set_t all;

    CHECK(begin_warm(8) && sched_getaffinity(0, sizeof(all), &all) == 0);
    expected = CPU_COUNT(&all) > 1;
    CHECK(sent_after(SOON) == expected);
    CHECK(sent_after(1000) == 0);
    pool->started_us = 0;
    other = start("says_a_word");
    CHECK_SOON(other->heard);
    CHECK(sent_after(SOON) == 0);
    caprun_run_free(other);
    CHECK(end());
}

TEST(a_run_that_takes_longer_may_be_on_every_processor)
{
    cpu_set_t all, its;

    CHECK(begin_warm(8) && sched_getaffinity(0, sizeof(all), &all) == 0);
    pool->started_us = cr_loop_now() - SOON;
    run = start("says_a_word");
    CHECK_SOON(run->heard && !run->elsewhere_us);
    CHECK(sched_getaffinity(run->worker->pid, sizeof(its), &its) == 0 && CPU_EQUAL(&its, &all));
    caprun_run_free(run);
    CHECK(end());
}

TEST(who_waits_for_a_run_leaves_it_this_processor)
{
    CHECK(begin_warm(8));
    sent_elsewhere = 0;
    pool->started_us = cr_loop_now() - SOON;
    run = new_run("honest", 0, FAKE_HONEST);
    CHECK(caprun_run(run) == 0 && says(run, "42"));
    CHECK(pool->in_series && sent_elsewhere == 0);
    caprun_run_free(run);
    CHECK(end());
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
