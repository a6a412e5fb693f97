/*
 * test_losses.c - the pool when workers or zygotes die (fake_worker.h): which losses a run does not
 * notice, which count as crashes, and when the pool gives up.
 */
#include <sched.h>
#include <sys/resource.h>

#include "fake_runs.h"

#define INTERNAL CAPRUN_OUTCOME_INTERNAL
#define SUCCESS CAPRUN_OUTCOME_SUCCESS

/* The next |forks| workers fail as |early| says. */
static void plan_workers(enum fake_early early, int forks)
{
    fake_plan->early = early;
    fake_plan->forks = forks;
}

static void plan_zygotes(enum fake_birth birth, int births)
{
    fake_plan->birth = birth;
    fake_plan->births = births;
}

/* --- workers that are lost before their job ----------------------------------------------- */

TEST(a_worker_that_is_lost_before_its_job_is_replaced_and_the_run_does_not_notice)
{
    static const enum fake_early losses[] = {
        FAKE_EXITS,          FAKE_CLOSES,
        FAKE_LOGS_FIRST,     FAKE_READY_WITH_PAYLOAD,
        FAKE_LEAVES_AT_ONCE, FAKE_LEAVES_UNREAD,
        FAKE_LEAVES_HALF,    FAKE_FORK_FAILS,
        FAKE_ZYGOTE_DIES,    FAKE_EXITED_BEFORE_FORKED,
    };

    CHECK(begin());
    for (size_t i = 0; i < COUNT(losses); i++) {
        uint64_t before = caprun_count(rt, CAPRUN_COUNT_WORKERS);
        int descriptors = count_descriptors();

        plan_workers(losses[i], 2);
        CHECK(succeeds());
        CHECK(caprun_count(rt, CAPRUN_COUNT_WORKERS) == before + 3);
        CHECK(caprun_count(rt, CAPRUN_COUNT_CRASHES) == 0 && is_quiet());
        if (settled_descriptors(descriptors) > descriptors)
            printf("# loss %d leaves descriptors\n", (int)losses[i]);
        CHECK(count_descriptors() <= descriptors);
    }
    CHECK(end());
}

/* The CPU limit of a process, in seconds. */
static rlim_t cpu_limit(pid_t pid)
{
    struct rlimit limit = {0};

    (void)prlimit(pid, RLIMIT_CPU, NULL, &limit);
    return limit.rlim_cur;
}

/* Does the host change the scheduling of |r|'s worker, as it does for a small run that is alone? */
static bool asks_scheduler(struct caprun_run *r)
{
    int64_t kept_off;

    r->worker->keep = NULL;
    pool->scheduling.in_series = true;
    pool->sizes.warm = 1;
    kept_off = cr_scheduling_avoid_own_cpu(pool, &r->guest, r->worker, cr_loop_now());
    cr_scheduling_allow_all_cpus(r->worker);
    cr_scheduling_lower_priority(pool, r->worker, 4096);
    pool->sizes.warm = 0;
    return kept_off || r->worker->keep;
}

TEST(the_pid_of_a_dead_worker_is_not_used)
{
    rlim_t own = cpu_limit(0);
    cpu_set_t before, after;

    CHECK(begin() && sched_getaffinity(0, sizeof(before), &before) == 0);
    run = start("says_a_word");
    CHECK_SOON(run->has_sent_frame);
    cr_worker_limit_cpu(run->worker, 200);
    CHECK(cpu_limit(run->worker->pid) == 200 && asks_scheduler(run));
    CHECK(kill(run->worker->pid, SIGKILL) == 0);
    CHECK(poll(&(struct pollfd){.fd = run->worker->pidfd, .events = POLLIN}, 1, 10000) == 1);
    run->worker->pid = getpid(); /* pretend that the kernel reused the pid for this process */
    cr_worker_limit_cpu(run->worker, 100);
    CHECK(!asks_scheduler(run));
    CHECK(cpu_limit(0) == own && sched_getscheduler(0) == SCHED_OTHER);
    CHECK(sched_getaffinity(0, sizeof(after), &after) == 0 && CPU_EQUAL(&before, &after));
    caprun_run_free(run);
    CHECK(end());
}

TEST(a_worker_that_is_forked_twice_leaves_nothing_behind)
{
    int descriptors;

    CHECK(begin());
    descriptors = count_descriptors();
    plan_workers(FAKE_FORKED_TWICE, 1);
    run = start("honest");
    CHECK(finish(run));
    caprun_run_free(run);
    CHECK(succeeds());
    CHECK(settled_descriptors(descriptors) <= descriptors && is_quiet() && end());
}

TEST(when_every_worker_is_lost_the_run_is_told_why_after_a_few_tries)
{
    static const struct {
        enum fake_early early;
        const char *words;
    } losses[] = {
        {FAKE_EXITS, "could not lock itself down"},
        {FAKE_LEAVES_AT_ONCE,
         "the worker "}, /* the report of the zygote may come before or after */
        {FAKE_LEAVES_UNREAD, "the worker "},
        {FAKE_LEAVES_HALF, "the worker "},
        {FAKE_FORK_FAILS, "fork a worker: Resource temporarily"},
        {FAKE_ZYGOTE_DIES, "the zygote"},
    };

    CHECK(begin());
    for (size_t i = 0; i < COUNT(losses); i++) {
        uint64_t before = caprun_count(rt, CAPRUN_COUNT_WORKERS);

        plan_workers(losses[i].early, 1000000);
        CHECK(ends("honest", 0, FAKE_HONEST, INTERNAL, losses[i].words));
        CHECK(caprun_count(rt, CAPRUN_COUNT_WORKERS) - before <= 7);
        plan_workers(FAKE_HONEST, 0);
        CHECK(succeeds() && is_quiet());
    }
    CHECK(end());
}

TEST(when_every_worker_of_a_warm_pool_is_lost_the_run_is_told_too)
{
    static const enum fake_early losses[] = {FAKE_EXITS, FAKE_LEAVES_AT_ONCE, FAKE_LEAVES_UNREAD};

    for (size_t i = 0; i < COUNT(losses); i++) {
        CHECK(new_runtime() && caprun_set_warm(rt, 2) == 0);
        plan_workers(losses[i], 1000000);
        CHECK(ends("honest", 0, FAKE_HONEST, INTERNAL, "the worker "));
        CHECK(caprun_count(rt, CAPRUN_COUNT_WORKERS) <= 30);
        plan_workers(FAKE_HONEST, 0);
        CHECK(succeeds() && is_quiet());
        CHECK(end());
    }
}

TEST(a_pool_whose_workers_all_die_at_once_does_not_fork_for_ever)
{
    int64_t until;

    CHECK(new_runtime() && caprun_set_warm(rt, 4) == 0);
    plan_workers(FAKE_EXITS, 1000000);
    CHECK(caprun_warm(rt) == 0);
    for (until = cr_loop_now() + 300000; cr_loop_now() < until;) {
        caprun_wait(rt, 10);
        caprun_step(rt);
    }
    CHECK(caprun_count(rt, CAPRUN_COUNT_WORKERS) <= 30);
    CHECK(end());
}

TEST(a_worker_that_is_never_ready_is_given_up_in_the_end)
{
    CHECK(begin());
    run = new_run("honest", 0, FAKE_NEVER_READY);
    CHECK(caprun_start(run) == 0 && reach(run, CR_RUN_STARTING));
    cr_loop_set(run->loop, &run->timer, cr_loop_now());
    CHECK(ended(run, INTERNAL, "was not ready after 10 s"));
    caprun_run_free(run);
    CHECK(succeeds() && is_quiet());
    CHECK(end());
}

/* --- workers in stock --------------------------------------------------------------------- */

static void kill_stock(void)
{
    for (unsigned i = 0; i < fake_plan->forked; i++)
        (void)kill(fake_plan->pids[i], SIGKILL);
}

TEST(workers_that_were_killed_in_stock_are_replaced)
{
    CHECK(begin_warm(8));
    kill_stock();
    CHECK(succeeds());
    CHECK(caprun_count(rt, CAPRUN_COUNT_CRASHES) == 0);
    CHECK_SOON(caprun_count(rt, CAPRUN_COUNT_READY) == 8);
    CHECK(is_quiet() && end());
}

TEST(workers_that_leave_in_stock_are_replaced)
{
    CHECK(new_runtime() && caprun_set_warm(rt, 8) == 0);
    plan_workers(FAKE_EXITS, 8);
    CHECK(caprun_warm(rt) == 0);
    CHECK(succeeds());
    CHECK_SOON(caprun_count(rt, CAPRUN_COUNT_READY) == 8);
    CHECK(is_quiet() && end());
}

TEST(a_zygote_that_is_killed_takes_its_stock_along_and_runs_go_on)
{
    pid_t first;

    CHECK(begin_warm(8));
    first = stock->current->pid;
    CHECK(kill(first, SIGKILL) == 0);
    CHECK_SOON(stock->current && stock->current->pid && stock->current->pid != first);
    CHECK_SOON(caprun_count(rt, CAPRUN_COUNT_READY) == 8);
    CHECK(succeeds() && is_quiet() && end());
}

TEST(a_zygote_that_is_killed_while_many_runs_wait_for_a_worker_is_replaced)
{
    struct caprun_run *runs[30];

    CHECK(begin_warm(4));
    CHECK(kill(stock->current->pid, SIGKILL) == 0);
    for (size_t i = 0; i < COUNT(runs); i++)
        runs[i] = start("honest");
    for (size_t i = 0; i < COUNT(runs); i++) {
        /* a few runs may have got a worker before the zygote died */
        CHECK(finish(runs[i]) && caprun_get_outcome(runs[i]) != INTERNAL);
        CHECK(i < 4 || ended(runs[i], SUCCESS, "42"));
        caprun_run_free(runs[i]);
    }
    CHECK(is_quiet() && end());
}

/* --- zygotes ------------------------------------------------------------------------------ */

TEST(a_zygote_that_is_lost_at_its_birth_is_replaced)
{
    static const enum fake_birth losses[] = {FAKE_DIES_UNBORN, FAKE_DIES_AT_BIRTH};

    for (size_t i = 0; i < COUNT(losses); i++) {
        CHECK(new_runtime());
        plan_zygotes(losses[i], 2);
        CHECK(succeeds() && caprun_count(rt, CAPRUN_COUNT_ZYGOTES) == 3);
        plan_zygotes(losses[i], 1000);
        cr_stock_retire_zygote(stock, stock->current);
        CHECK(ends("honest", 0, FAKE_HONEST, INTERNAL, "the zygote"));
        CHECK(is_quiet() && end());
    }
}

TEST(a_sandbox_that_cannot_be_built_is_not_tried_twice)
{
    CHECK(new_runtime());
    plan_zygotes(FAKE_REFUSES_AT_BIRTH, 1);
    CHECK(ends("honest", 0, FAKE_HONEST, INTERNAL, "the sandbox cannot be built here"));
    CHECK(caprun_count(rt, CAPRUN_COUNT_ZYGOTES) == 1);
    CHECK(succeeds()); /* a new run is a new chance */
    CHECK(end());
}

TEST(a_zygote_that_hangs_can_be_got_rid_of)
{
    static const enum fake_birth hangs[] = {FAKE_HANGS_AT_BIRTH, FAKE_HANGS_UNBORN};

    for (size_t i = 0; i < COUNT(hangs); i++) {
        CHECK(new_runtime());
        plan_zygotes(hangs[i], 1);
        run = start("honest");
        CHECK_SOON(fake_plan->births == 0 && run->state == CR_RUN_STARTING);
        cr_loop_set(run->loop, &run->timer, cr_loop_now());
        CHECK(ended(run, INTERNAL, "was not ready after 10 s"));
        caprun_run_free(run);
        CHECK(succeeds() && is_quiet());
        CHECK(end());
    }
}

/* --- crashes ------------------------------------------------------------------------------ */

TEST(a_worker_that_is_lost_with_its_job_ends_the_run_and_its_zygote)
{
    static const char *const crashes[] = {"dies 11", "exits 1", "type 99", "closes"};

    CHECK(begin_warm(3));
    for (size_t i = 0; i < COUNT(crashes); i++) {
        pid_t before = stock->current->pid;

        CHECK(ends(crashes[i], 0, FAKE_HONEST, BAD, "this is a bug of caprun"));
        CHECK(caprun_count(rt, CAPRUN_COUNT_CRASHES) == i + 1);
        for (const struct cr_worker *w = stock->ready.first; w; w = w->next_in_pool)
            CHECK(w->zygote->pid != before);
        CHECK_SOON(caprun_count(rt, CAPRUN_COUNT_READY) == 3);
        CHECK_SOON(stock->current->pid > 0);
        CHECK(stock->current->pid != before);
        CHECK_SOON(!stock->zygotes->next); /* the old zygote is gone */
    }
    CHECK(is_quiet() && end());
}

TEST(a_worker_that_was_killed_from_outside_is_not_a_crash)
{
    CHECK(begin());
    for (int i = 0; i < 4; i++) {
        run = start("says_a_word");
        CHECK_SOON(run->has_sent_frame);
        CHECK(kill(run->worker->pid, SIGKILL) == 0);
        CHECK(ended(run, BAD, "killed from outside"));
        caprun_run_free(run);
    }
    CHECK(caprun_count(rt, CAPRUN_COUNT_CRASHES) == 0);
    CHECK(caprun_count(rt, CAPRUN_COUNT_ZYGOTES) == 1);
    CHECK(end());
}

TEST(code_that_has_crashed_three_times_is_refused_and_other_code_is_not)
{
    uint64_t workers;

    CHECK(begin());
    for (int i = 0; i < 3; i++)
        CHECK(ends("dies 11", 0, FAKE_HONEST, BAD, "killed by signal 11"));
    workers = caprun_count(rt, CAPRUN_COUNT_WORKERS);
    CHECK(ends("dies 11", 0, FAKE_HONEST, BAD, "This code is refused: it has crashed"));
    CHECK(caprun_count(rt, CAPRUN_COUNT_WORKERS) == workers);
    CHECK(succeeds());
    CHECK(ends("dies 7", 0, FAKE_HONEST, BAD, "killed by signal 7"));
    CHECK(caprun_count(rt, CAPRUN_COUNT_CRASHES) == 4);
    CHECK(is_quiet() && end());
}

TEST(code_that_has_crashed_since_it_was_queued_is_refused_too)
{
    struct caprun_run *runs[5];

    CHECK(new_runtime() && caprun_set_max_workers(rt, 1) == 0);
    for (size_t i = 0; i < COUNT(runs); i++)
        runs[i] = start("dies 11");
    for (size_t i = 0; i < COUNT(runs); i++) {
        CHECK(ended(runs[i], BAD, i < 3 ? "killed by signal 11" : "This code is refused"));
        caprun_run_free(runs[i]);
    }
    CHECK(caprun_count(rt, CAPRUN_COUNT_CRASHES) == 3);
    CHECK(is_quiet() && end());
}

TEST(a_crash_after_the_limit_is_a_timeout_and_counts)
{
    CHECK(begin());
    for (int i = 0; i < 3; i++)
        CHECK(ends("gone_after_the_limit", 30, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT,
                   "Execution timeout"));
    CHECK(caprun_count(rt, CAPRUN_COUNT_CRASHES) == 3 &&
          caprun_count(rt, CAPRUN_COUNT_ZYGOTES) >= 3);
    CHECK(ends("gone_after_the_limit", 30, FAKE_HONEST, BAD, "This code is refused"));
    CHECK(succeeds() && end());
}

/* The worker may have crashed: the zygote has not reported its end yet. */
TEST(a_zygote_is_not_used_again_if_a_run_is_cancelled_whose_worker_has_closed_its_socket)
{
    CHECK(begin() && succeeds());
    run = start("closes");
    CHECK_SOON(run->worker && run->worker->closed);
    caprun_cancel(run);
    caprun_run_free(run);
    CHECK(succeeds() && caprun_count(rt, CAPRUN_COUNT_ZYGOTES) == 2);
    CHECK(is_quiet() && end());
}

TEST(a_run_that_waits_for_a_worker_of_a_zygote_that_is_distrusted_gets_another)
{
    uint64_t zygotes;

    CHECK(begin() && succeeds());
    zygotes = caprun_count(rt, CAPRUN_COUNT_ZYGOTES);
    run = start("honest");
    CHECK(run->state == CR_RUN_STARTING);
    cr_pool_retire_zygote(run->pool, run->worker->zygote);
    CHECK(ended(run, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(caprun_count(rt, CAPRUN_COUNT_ZYGOTES) == zygotes + 1);
    caprun_run_free(run);
    CHECK(is_quiet() && end());
}

TEST(a_crash_does_not_disturb_the_runs_that_go_on)
{
    struct caprun_run *other;

    CHECK(begin());
    other = start("says_a_word");
    CHECK_SOON(other->has_sent_frame);
    CHECK(ends("dies 11", 0, FAKE_HONEST, BAD, "killed by signal 11"));
    CHECK(succeeds());
    CHECK(other->state == CR_RUN_RUNNING && other->worker->zygote != stock->current);
    caprun_run_free(other);
    CHECK_SOON(!stock->zygotes->next);
    CHECK(is_quiet() && end());
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
