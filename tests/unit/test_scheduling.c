/*
 * test_scheduling.c - the scheduling tricks that make small runs faster, and the switch that turns
 * them off, with fake workers (fake_worker.h).
 */
#include <sched.h>
#include <sys/syscall.h>

#include "fake_runs.h"

#define SUCCESS CAPRUN_OUTCOME_SUCCESS

#define scheduling (&pool->scheduling)

/* --- the host's calls to the scheduler: these functions replace the C library's ------------- */

static unsigned stepped_back, sent_elsewhere, yielded;

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
    int r = (int)syscall(SYS_sched_setscheduler, pid, policy, param);

    stepped_back += r == 0 && sched_getscheduler(pid) == SCHED_IDLE;
    return r;
}

/* Counts only calls that take a processor away. */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    int r = (int)syscall(SYS_sched_setaffinity, pid, size, set);
    cpu_set_t own;

    if (r == 0 && sched_getaffinity(0, sizeof(own), &own) == 0 &&
        CPU_COUNT(set) == CPU_COUNT(&own) - 1)
        sent_elsewhere++;
    return r;
}

int sched_yield(void)
{
    yielded++;
    return (int)syscall(SYS_sched_yield);
}

/* --- tests ---------------------------------------------------------------------------------- */

/* Plays |code|. Returns true if its process may end slowly. */
static bool ends_slowly(const char *code, enum caprun_outcome outcome)
{
    unsigned before = stepped_back;

    return ends(code, 500, FAKE_HONEST, outcome, "") && stepped_back > before;
}

TEST(a_small_run_that_was_alone_ends_at_low_priority)
{
    struct caprun_run *other;

    CHECK(begin_warm(8));
    CHECK(ends_slowly("done_taking 16", SUCCESS));
    CHECK_SOON(cr_scheduling_slow_end_is_free(scheduling)); /* the process has ended */
    CHECK(ends_slowly("threw_taking 4096", CAPRUN_OUTCOME_CODE_ERROR));
    CHECK_SOON(cr_scheduling_slow_end_is_free(scheduling));
    CHECK(!ends_slowly("done_taking 4097", SUCCESS));
    CHECK(!ends_slowly("honest", SUCCESS)); /* the worker has not reported its memory */
    CHECK(!ends_slowly("type 99", BAD));
    CHECK(!ends_slowly("done_after_the_limit 16", CAPRUN_OUTCOME_EXECUTION_TIMEOUT));
    other = start("says_a_word");
    CHECK_SOON(other->has_sent_frame);
    CHECK(!ends_slowly("done_taking 16", SUCCESS));
    caprun_cancel(other);
    caprun_run_free(other);
    CHECK(ends_slowly("done_taking 16", SUCCESS));
    CHECK(end());
}

TEST(without_ready_workers_no_run_waits_for_a_slow_end)
{
    CHECK(new_runtime());
    CHECK(!ends_slowly("done_taking 16", SUCCESS));
    CHECK(end());
}

TEST(only_one_process_ends_slowly_at_a_time)
{
    CHECK(begin_warm(8));
    scheduling->slow_end = (int)syscall(SYS_pidfd_open, getpid(), 0);
    CHECK(scheduling->slow_end >= 0 && !cr_scheduling_slow_end_is_free(scheduling));
    CHECK(!ends_slowly("done_taking 16", SUCCESS));
    CHECK(close(scheduling->slow_end) == 0);
    scheduling->slow_end = -1;
    CHECK(ends_slowly("done_taking 16", SUCCESS));
    CHECK(scheduling->slow_end >= 0 && end());
}

#define SOON (-10000000) /* microseconds after another start: sooner than possible */

/* Starts a run |ago_us| after another. Returns 1 if it was moved to other processors, or 0. */
static unsigned sent_after(int64_t ago_us)
{
    bool ok;

    sent_elsewhere = 0;
    scheduling->started_us = cr_loop_now() - ago_us;
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
    scheduling->started_us = 0;
    other = start("says_a_word");
    CHECK_SOON(other->has_sent_frame);
    CHECK(sent_after(SOON) == 0);
    caprun_run_free(other);
    CHECK(end());
}

TEST(a_run_that_takes_longer_may_be_on_every_processor)
{
    cpu_set_t all, its;

    CHECK(begin_warm(8) && sched_getaffinity(0, sizeof(all), &all) == 0);
    scheduling->started_us = cr_loop_now() - SOON;
    run = start("says_a_word");
    CHECK_SOON(run->has_sent_frame && !run->kept_off_us);
    CHECK(sched_getaffinity(run->worker->pid, sizeof(its), &its) == 0 && CPU_EQUAL(&its, &all));
    caprun_run_free(run);
    CHECK(end());
}

TEST(a_caller_that_waits_for_a_run_leaves_it_this_processor)
{
    CHECK(begin_warm(8));
    sent_elsewhere = 0;
    scheduling->started_us = cr_loop_now() - SOON;
    run = new_run("honest", 0, FAKE_HONEST);
    CHECK(caprun_run(run) == 0 && says(run, "42"));
    CHECK(scheduling->in_series && sent_elsewhere == 0);
    caprun_run_free(run);
    CHECK(end());
}

TEST(a_caller_that_waits_polls_before_it_sleeps)
{
    CHECK(new_runtime());
    yielded = 0;
    caprun_wait(rt, 0);
    CHECK(yielded > 0);
    CHECK(end());
}

/* Plays a run that makes a call, and waits for it. */
static bool calls_while_we_wait(void)
{
    bool ok;

    run = new_run("call_and_throw", 0, FAKE_HONEST);
    ok = run && caprun_run(run) == 0 && caprun_get_outcome(run) == CAPRUN_OUTCOME_RPC_ERROR;
    caprun_run_free(run);
    return ok;
}

TEST(without_the_tricks_runs_end_alike)
{
    CHECK(begin_warm(8));
    CHECK(calls_while_we_wait());
    scheduling->is_off = true;
    yielded = 0;
    caprun_wait(rt, 0);
    CHECK(!ends_slowly("done_taking 16", SUCCESS));
    CHECK(ends("done_taking 16", 500, FAKE_HONEST, SUCCESS, ""));
    CHECK(ends("threw_taking 4096", 500, FAKE_HONEST, CAPRUN_OUTCOME_CODE_ERROR, ""));
    CHECK(ends("type 99", 500, FAKE_HONEST, BAD, ""));
    CHECK(ends("done_after_the_limit 16", 500, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT, ""));
    CHECK(sent_after(SOON) == 0 && scheduling->in_series);
    CHECK(calls_while_we_wait());
    CHECK(scheduling->slow_end < 0 && yielded == 0);
    CHECK(is_quiet() && end());
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
