/* clock.c - sets the one timer of a run, and ends the run when a limit is reached. */
#include "run/calls.h"
#include "run/run_parts.h"

/* How long a worker that ran too long may take to report its stack. */
#define STACK_GRACE_US 30000
#define CPU_CHECK_LEAST_US 2000
/* More time for the recorder's first line, which may wait behind the writes of other runs. */
#define RECORDER_US (60 * (int64_t)1000000)
/* A run is woken at most this often: a timer of 0 ms is one of 1 ms, as on other platforms. */
#define WAKE_EVERY_US 1000

static int64_t wall_us(const struct caprun_run *run)
{
    return (int64_t)run->spec.limits.wall_ms * 1000;
}

uint32_t cr_run_left_ms(const struct caprun_run *run)
{
    int64_t left = wall_us(run) - cr_run_now(run);

    return left > 0 ? (uint32_t)((left + 999) / 1000) : 1;
}

/* Returns when to wake the idle worker; INT64_MAX: never. */
static int64_t wake_at(const struct caprun_run *run)
{
    int64_t at = run->job_us + run->wake_us;

    if (run->state != CR_RUN_RUNNING || !run->idle || run->paused_us || run->wake_us < 0 ||
        run->is_replaying)
        return INT64_MAX;
    return at > run->woken_us + WAKE_EVERY_US ? at : run->woken_us + WAKE_EVERY_US;
}

void cr_run_schedule(struct caprun_run *run)
{
    int64_t next = run->paused_us ? INT64_MAX : run->job_us + wall_us(run);

    if (run->state == CR_RUN_LATE)
        next = run->late_us;
    if (run->state == CR_RUN_STARTING)
        next = run->ready_by_us + (run->awaits_recorder ? RECORDER_US : 0);
    if (run->state == CR_RUN_RUNNING && run->check_cpu_us < next)
        next = run->check_cpu_us;
    if (run->state == CR_RUN_RUNNING && cr_calls_next(run) < next)
        next = cr_calls_next(run);
    if (run->kept_off_us && run->kept_off_us < next)
        next = run->kept_off_us;
    if (wake_at(run) < next)
        next = wake_at(run);
    cr_loop_set(run->loop, &run->timer, next);
}

void cr_run_wake(struct caprun_run *run)
{
    cr_run_send(run, (struct wire_header){.type = WIRE_WAKE}, NULL, 0, NULL);
}

static void reach_wall_limit(struct caprun_run *run)
{
    if (run->idle) {
        cr_run_end(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT);
        return;
    }
    run->state = CR_RUN_LATE;
    run->late_us = cr_loop_now() + STACK_GRACE_US;
    cr_run_schedule(run);
}

/* The worker cannot use more CPU time than passes, so check again when the rest may be used up. */
static void check_cpu(struct caprun_run *run)
{
    int64_t left = (int64_t)run->spec.limits.cpu_ms * 1000 - cr_worker_cpu_us(run->worker);

    if (left <= 0) {
        cr_run_end(run, CAPRUN_OUTCOME_CPU_TIMEOUT);
        return;
    }
    run->check_cpu_us = cr_loop_now() + (left > CPU_CHECK_LEAST_US ? left : CPU_CHECK_LEAST_US);
    cr_run_schedule(run);
}

static void end_not_ready(struct caprun_run *run)
{
    if (run->awaits_recorder) {
        cr_run_set_message(run, "The disk that the run is recorded on was not ready after %d s",
                           (int)((CR_RUN_START_US + RECORDER_US) / 1000000));
    } else {
        cr_run_set_message(run, "The worker was not ready after %d s", CR_RUN_START_US / 1000000);
        cr_pool_retire_zygote(run->pool, run->worker->zygote);
    }
    cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
}

void cr_run_timer_due(struct cr_timer *timer)
{
    struct caprun_run *run = cr_container(timer, struct caprun_run, timer);
    int64_t now = cr_loop_now();

    if (run->kept_off_us && now >= run->kept_off_us) {
        cr_scheduling_allow_all_cpus(run->worker);
        run->kept_off_us = 0;
    }
    if (run->state == CR_RUN_STARTING) {
        end_not_ready(run);
    } else if (run->state == CR_RUN_LATE) {
        cr_run_end(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT);
    } else if (!run->paused_us && now >= run->job_us + wall_us(run)) {
        reach_wall_limit(run);
    } else if (now >= run->check_cpu_us) {
        check_cpu(run);
    } else if (now >= cr_calls_next(run)) {
        cr_calls_expire(run);
        if (run->state == CR_RUN_RUNNING)
            cr_run_schedule(run);
    } else if (now >= wake_at(run)) {
        run->woken_us = now;
        cr_run_wake(run);
        if (run->state == CR_RUN_RUNNING)
            cr_run_schedule(run);
    } else {
        cr_run_schedule(run);
    }
}

/* Asks the kernel for CPU time only when enough time has passed to reach the limit. */
void cr_run_check_limits(struct caprun_run *run)
{
    int64_t now = cr_loop_now();

    if (now >= run->job_us + wall_us(run))
        reach_wall_limit(run);
    else if (now >= run->check_cpu_us)
        check_cpu(run);
}
