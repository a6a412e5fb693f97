/*
 * test_calls.c - timeouts of calls behind a gate (run/gate.h): when the time starts, stops and
 * ends, and the reports of it. The workers are fakes (fake_worker.h), and the gate is the test's
 * own.
 */
#include "fake_runs.h"

#include "run/calls.h"
#include "run/gate.h"

#define CALLS 3u

static int tokens[CALLS + 1], cancelled[CALLS + 1], progresses;
static const char *cancelled_why;

static void *send_on(struct cr_gate *gate, const struct cr_gate_call *call)
{
    (void)gate;
    return call->number <= CALLS ? &tokens[call->number] : NULL;
}

static void on_cancel(struct cr_gate *gate, void *handle, const char *why)
{
    (void)gate;
    cancelled[(int *)handle - tokens]++;
    cancelled_why = why;
}

static struct cr_gate the_gate = {.take = send_on, .cancel = on_cancel};

static void on_progress(void *data, struct caprun_run *r, uint32_t call, const char *json,
                        size_t len)
{
    progresses += data == &progresses && r == run && call && len == 2 && memcmp(json, "{}", 2) == 0;
}

/* A run with CALLS calls that are never answered. */
static bool begin_calls(uint64_t timeout_ms, uint64_t call_ms)
{
    memset(cancelled, 0, sizeof(cancelled));
    progresses = 0;
    cancelled_why = "";
    if (!begin())
        return false;
    run = new_run("many_calls 3", timeout_ms, FAKE_HONEST);
    if (!run || caprun_run_set_call_timeout(run, call_ms) < 0)
        return false;
    caprun_run_set_progress(run, on_progress, &progresses);
    if (caprun_start(run) < 0)
        return false;
    run->gate = &the_gate; /* before it has a worker */
    STEP_UNTIL(run->call_count == CALLS)
    return run->call_count == CALLS;
}

static bool end_calls(void)
{
    caprun_run_free(run);
    run = NULL;
    return end();
}

/* Pretends that call |number| showed its last progress long ago. */
static void make_old(uint32_t number)
{
    run->calls[number - 1].clock_us = 1;
}

TEST(the_time_of_a_call_begins_when_it_comes)
{
    CHECK(begin_calls(0, 60000) && run->clock_first == 1 && run->clock_last == 3);
    CHECK(cr_calls_next(run) == run->calls[0].clock_us + 60000000);
    CHECK(run->calls[0].sent_us == 0 && run->calls[0].handle == &tokens[1]);
    CHECK(end_calls());
}

TEST(the_time_of_a_call_that_is_queued_stops)
{
    CHECK(begin_calls(0, 60000));
    cr_calls_queued(run, 2);
    CHECK(run->clock_first == 1 && run->clock_last == 3 && run->calls[1].clock_us == 0);
    cr_calls_queued(run, 1);
    CHECK(run->clock_first == 3);
    cr_calls_queued(run, 3);
    cr_calls_queued(run, 3); /* repeating it changes nothing */
    CHECK(cr_calls_next(run) == INT64_MAX && run->clock_first == 0 && run->clock_last == 0);
    cr_calls_expire(run);
    CHECK(run->calls_open == CALLS && end_calls());
}

TEST(the_time_of_a_call_starts_again_when_it_is_sent)
{
    CHECK(begin_calls(0, 60000));
    cr_calls_queued(run, 1);
    make_old(2);
    CHECK(cr_calls_send(run, 2, NULL, "{}", 2) == 0);
    CHECK(run->calls[1].clock_us > 1 && run->calls[1].sent_us == run->calls[1].clock_us);
    CHECK(cr_calls_send(run, 1, NULL, "{}", 2) == 0);
    CHECK(run->clock_first == 3 && run->clock_last == 1 && run->calls[0].sent_us > 0);
    cr_calls_expire(run);
    CHECK(run->calls_open == CALLS && end_calls());
}

TEST(the_time_of_a_call_starts_again_with_each_progress)
{
    int64_t sent_us;

    CHECK(begin_calls(0, 60000));
    CHECK(cr_calls_send(run, 1, NULL, "{}", 2) == 0);
    sent_us = run->calls[0].sent_us;
    for (int i = 1; i <= 3; i++) {
        make_old(1);
        cr_calls_progress(run, 1, "{}", 2);
        CHECK(run->calls[0].clock_us > 1 && run->clock_last == 1 && progresses == i);
        cr_calls_expire(run);
        CHECK(run->calls_open == CALLS && run->calls[0].sent_us == sent_us);
    }
    CHECK(end_calls());
}

TEST(a_call_whose_time_is_over_fails_alone_and_the_gate_hears_of_it)
{
    CHECK(begin_calls(0, 60000));
    CHECK(cr_calls_send(run, 1, NULL, "{}", 2) == 0);
    CHECK(cr_calls_send(run, 3, NULL, "{}", 2) == 0);
    make_old(2); /* now first in the list */
    cr_calls_expire(run);
    CHECK(run->calls_open == 2 && run->calls[1].state == CR_CALL_FAILED);
    CHECK(run->calls[1].outcome == CAPRUN_OUTCOME_RPC_TIMEOUT && cancelled[2] == 1);
    CHECK(strstr(run->calls[1].message, "RPC timeout: files:read was not ready after "));
    CHECK(strcmp(cancelled_why, "timeout") == 0 && cancelled[1] + cancelled[3] == 0);
    CHECK(end_calls() && cancelled[1] == 1 && cancelled[2] == 1 && cancelled[3] == 1);
    CHECK(strcmp(cancelled_why, "the run has ended") == 0);
}

TEST(reports_about_a_call_that_has_ended_are_ignored)
{
    CHECK(begin_calls(0, 60000));
    make_old(1);
    cr_calls_expire(run);
    CHECK(run->calls_open == 2);
    for (uint32_t number = 0; number <= CALLS + 1; number += number == 1 ? CALLS : 1) {
        cr_calls_queued(run, number);
        (void)cr_calls_send(run, number, NULL, "{}", 2);
        cr_calls_progress(run, number, "{}", 2);
        cr_calls_hint(run, number, "x");
    }
    CHECK(progresses == 0 && run->clock_first == 2 && run->clock_last == 3);
    CHECK(cr_calls_reply_scanned(run, 1, WIRE_REPLY_TOOL, "{}", 2, NULL) == CAPRUN_E_STATE);
    CHECK(cr_calls_reply_scanned(run, CALLS + 1, WIRE_REPLY_TOOL, "{}", 2, NULL) ==
              CAPRUN_E_STATE &&
          end_calls());
}

TEST(a_call_that_was_released_is_not_cancelled)
{
    CHECK(begin_calls(0, 60000));
    cr_calls_release(run, 1);
    cr_calls_release(run, 2);
    CHECK(cr_calls_reply_scanned(run, 2, WIRE_REPLY_TOOL, "{}", 2, NULL) == 0 &&
          run->calls_open == 2);
    CHECK(end_calls() && cancelled[1] == 0 && cancelled[2] == 0 && cancelled[3] == 1);
}

TEST(only_the_run_s_own_limit_ends_a_call_that_is_queued)
{
    CHECK(begin_calls(1500, 50));
    cr_calls_queued(run, 1);
    cr_calls_queued(run, 3);
    CHECK(ended(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT, "\"state\":\"not_started\""));
    CHECK(run->calls[0].state == CR_CALL_OPEN && run->calls[1].state == CR_CALL_FAILED);
    CHECK(cancelled[1] == 1 && cancelled[2] == 1 && cancelled[3] == 1 && end_calls());
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
