/*
 * asked.c - calls that wait for a person, and the run's clock meanwhile.
 *
 * An open call waits for a person, or was sent, or is on its way to one of these: its server is
 * being started, files are looked up. A question is asked when no call is on its way. The clock
 * stands still when all open calls wait for a person; a timer of the code does not prevent that.
 * Then nothing can happen in the run before a decision, and its worker must not send anything.
 */
#include <string.h>

#include "run/calls.h"
#include "run/run_parts.h"

static bool is_waiting(const struct caprun_run *run)
{
    return run->state == CR_RUN_RUNNING && run->idle && !run->is_replaying && run->calls_asked;
}

bool cr_asked_is_time(const struct caprun_run *run)
{
    return is_waiting(run) && run->calls_open == run->calls_asked + run->calls_sent;
}

bool cr_asked_is_paused(const struct caprun_run *run)
{
    return run->paused_us != 0;
}

void cr_run_consider_asking(struct caprun_run *run)
{
    if (!cr_asked_is_time(run))
        return;
    if (!run->calls_sent && !run->paused_us) {
        run->paused_us = cr_loop_now();
        cr_run_schedule(run);
    }
    run->prompter->ask(run->prompter, run);
}

/* Date jumps: it shows today's time again. All other times go on where they were. */
static void start_clock_again(struct caprun_run *run)
{
    int64_t waited = run->paused_us ? cr_loop_now() - run->paused_us : 0;

    if (!run->paused_us)
        return;
    run->paused_us = 0;
    run->waited_us += waited;
    run->asked_us += waited; /* the time until the start is counted from there */
    run->job_us += waited;
    run->date_us = cr_run_wall_clock_us() - cr_run_now(run);
    cr_run_schedule(run);
}

void cr_asked_begin(struct caprun_run *run, uint32_t number)
{
    struct cr_call *call = &run->calls[number - 1];

    if (call->is_asked)
        return;
    cr_calls_queued(run, number);
    call->is_asked = true;
    run->calls_asked++;
    cr_run_consider_asking(run);
}

void cr_asked_stop(struct caprun_run *run, uint32_t number)
{
    struct cr_call *call = &run->calls[number - 1];

    if (!call->is_asked || call->state != CR_CALL_OPEN)
        return;
    call->is_asked = false;
    run->calls_asked--;
    if (run->state == CR_RUN_RUNNING)
        start_clock_again(run);
}

/* --- the record ----------------------------------------------------------------------------- */

bool cr_asked_record_question(struct caprun_run *run, uint32_t question,
                              const struct cr_asked_call *calls, size_t count)
{
    struct cr_err err;

    if (run->recorder && run->recorder->ask(run->recorder, run, question, calls, count, &err) < 0)
        (void)cr_run_end_unrecorded(run, &err);
    return run->state != CR_RUN_ENDED;
}

bool cr_asked_record_decision(struct caprun_run *run, const struct cr_decision *decision)
{
    struct cr_err err;

    start_clock_again(run);
    if (run->recorder && run->recorder->decide(run->recorder, run, decision, &err) < 0)
        (void)cr_run_end_unrecorded(run, &err);
    return run->state != CR_RUN_ENDED;
}

/* --- suspension ----------------------------------------------------------------------------- */

bool cr_asked_can_suspend(const struct caprun_run *run)
{
    return run->recorder && run->recorder->can_suspend(run->recorder);
}

void cr_asked_suspend(struct caprun_run *run, uint32_t number, const char *grant)
{
    const struct cr_call *call = &run->calls[number - 1];

    run->error.tool = strdup(call->method);
    if (grant)
        cr_calls_grant(run, number, grant);
    run->error.grant = call->grant;
    cr_run_end(run, CAPRUN_OUTCOME_APPROVAL_REQUIRED);
}

/* --- small things --------------------------------------------------------------------------- */

void cr_asked_set_data(struct caprun_run *run, void *data)
{
    run->asked_data = data;
}

void *cr_asked_data(const struct caprun_run *run)
{
    return run->asked_data;
}

const uint8_t *cr_asked_code_hash(const struct caprun_run *run)
{
    return run->digest;
}

struct cr_prompter *cr_asked_prompter(const struct caprun_run *run)
{
    return run->prompter;
}

void cr_asked_show_waited(struct caprun_run *run, int64_t us)
{
    run->waited_us = us;
}
