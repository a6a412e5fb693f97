/* calls.c - keeps the calls of a run, numbered from 1: their clocks, answers, failures and ends. */
#include "run/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/units.h"
#include "base/watchdog.h"
#include "run/auditing.h"
#include "run/envelope.h"
#include "run/keep.h"
#include "run/run_parts.h"

#define KEPT_WORDS 1000u
#define KEPT_LONG 5000u /* for the first calls: room for two definitions of a tool */
#define KEPT_WHOLE 100u
#define KEPT_GRANTS (256u << 10) /* bytes */

struct cr_call *cr_calls_add(struct caprun_run *run, const char *ns, int ns_len, const char *action,
                             int action_len, size_t args_len)
{
    struct cr_call *call;

    if (run->call_count == run->call_cap) {
        size_t cap = run->call_cap ? run->call_cap * 2 : 8;
        struct cr_call *calls = realloc(run->calls, cap * sizeof(*calls));

        if (!calls)
            return NULL;
        run->calls = calls;
        run->call_cap = cap;
    }
    call = &run->calls[run->call_count];
    *call = (struct cr_call){.started_us = cr_loop_now(), .args_len = args_len};
    if (asprintf(&call->method, "%.*s:%.*s", ns_len, ns, action_len, action) < 0)
        return NULL;
    run->call_count++;
    run->calls_open++;
    return call;
}

/* Returns call |number| if it is open, or NULL. */
static struct cr_call *find_open_call(struct caprun_run *run, uint32_t number, struct cr_err *err)
{
    struct cr_call *call;

    if (run->state == CR_RUN_RUNNING && number > 0 && number <= run->call_count) {
        call = &run->calls[number - 1];
        if (call->state == CR_CALL_OPEN && !call->is_answered)
            return call;
    }
    (void)cr_err_set(err, CAPRUN_E_STATE, "call %u waits for no answer", number);
    return NULL;
}

/* --- the time of calls ------------------------------------------------------------------------ */

static struct cr_call *call_at(struct caprun_run *run, uint32_t number)
{
    return number ? &run->calls[number - 1] : NULL;
}

static void stop_clock(struct caprun_run *run, struct cr_call *call)
{
    struct cr_call *prev = call_at(run, call->clock_prev), *next = call_at(run, call->clock_next);

    if (!call->clock_us)
        return;
    *(prev ? &prev->clock_next : &run->clock_first) = call->clock_next;
    *(next ? &next->clock_prev : &run->clock_last) = call->clock_prev;
    call->clock_prev = call->clock_next = 0;
    call->clock_us = 0;
}

/* All calls have the same time limit, so the call whose clock started last is due last. */
static void start_clock(struct caprun_run *run, struct cr_call *call)
{
    uint32_t number = (uint32_t)(call - run->calls) + 1;
    struct cr_call *last;

    stop_clock(run, call);
    last = call_at(run, run->clock_last);
    *(last ? &last->clock_next : &run->clock_first) = number;
    call->clock_prev = run->clock_last;
    run->clock_last = number;
    call->clock_us = cr_loop_now();
}

int64_t cr_calls_next(struct caprun_run *run)
{
    const struct cr_call *call = call_at(run, run->clock_first);

    return call ? call->clock_us + (int64_t)run->spec.limits.call_ms * 1000 : INT64_MAX;
}

const struct cr_call *cr_calls_at(const struct caprun_run *run, uint32_t number)
{
    return &run->calls[number - 1];
}

void cr_calls_show_sent(struct caprun_run *run, uint32_t number)
{
    run->calls[number - 1].sent_us = run->calls[number - 1].started_us;
}

void cr_calls_show_time(struct caprun_run *run, uint32_t number, uint64_t us)
{
    run->calls[number - 1].us = us;
}

void cr_calls_lose(struct caprun_run *run, uint32_t number)
{
    run->calls[number - 1].is_lost = true;
}

void cr_calls_show(struct caprun_run *run, uint32_t number, enum cr_call_state state, bool is_sent,
                   uint64_t us)
{
    struct cr_call *call = &run->calls[number - 1];

    call->state = state;
    call->us = us;
    if (is_sent)
        call->sent_us = call->started_us;
    run->calls_open -= state != CR_CALL_OPEN;
}

void cr_calls_stop_clock(struct caprun_run *run, uint32_t number)
{
    stop_clock(run, &run->calls[number - 1]);
}

bool cr_calls_is_open(struct caprun_run *run, uint32_t number)
{
    return find_open_call(run, number, NULL) != NULL;
}

void cr_calls_start(struct caprun_run *run, uint32_t number)
{
    start_clock(run, &run->calls[number - 1]);
}

void cr_calls_queued(struct caprun_run *run, uint32_t number)
{
    struct cr_call *call = find_open_call(run, number, NULL);

    if (call)
        stop_clock(run, call);
}

void cr_calls_expect(struct caprun_run *run, uint32_t number, const char *tool)
{
    run->calls[number - 1].must_be = tool;
    run->calls[number - 1].was_sent = true;
}

/* The code's name for a tool may mean another tool since the run was interrupted. */
static int refuse_other_tool(struct caprun_run *run, uint32_t number, const char *tool)
{
    const struct cr_call *call = &run->calls[number - 1];
    struct cr_err unused;
    char words[512];

    (void)snprintf(words, sizeof(words),
                   "%s was sent to %.128s before the run was interrupted, and would go to %.128s "
                   "now",
                   call->method, call->must_be, tool);
    (void)cr_calls_fail(run, number, CAPRUN_OUTCOME_RPC_ERROR, words, strlen(words), &unused);
    return CAPRUN_E_STATE;
}

int cr_calls_send(struct caprun_run *run, uint32_t number, const char *tool, const char *args,
                  size_t len)
{
    struct cr_call *call = find_open_call(run, number, NULL);
    struct cr_err err;
    void *handle;
    int r;

    if (!call)
        return CAPRUN_E_STATE;
    handle = call->handle;
    call->handle = NULL;
    if (call->must_be && tool && strcmp(call->must_be, tool) != 0)
        return refuse_other_tool(run, number, tool);
    r = cr_auditing_before(run, number, tool ? tool : call->method, args, len);
    if (r == CR_AUDITOR_LATER)
        call->handle = handle;
    if (r != 0)
        return r;
    if (run->recorder && run->recorder->send(run->recorder, run, number, tool, &err) < 0)
        return cr_run_end_unrecorded(run, &err);
    call->handle = handle;
    start_clock(run, call);
    run->calls_sent += !call->sent_us;
    call->sent_us = call->clock_us;
    cr_run_schedule(run);
    cr_run_consider_asking(run);
    return 0;
}

void cr_calls_progress(struct caprun_run *run, uint32_t number, const char *json, size_t len)
{
    struct cr_call *call = find_open_call(run, number, NULL);

    if (!call)
        return;
    start_clock(run, call);
    if (!run->on_progress)
        return;
    cr_watchdog_leave();
    run->on_progress(run->progress_data, run, number, json, len);
    cr_watchdog_return();
}

static void close_call(struct caprun_run *run, struct cr_call *call, enum cr_call_state state)
{
    stop_clock(run, call);
    call->handle = NULL;
    call->state = state;
    call->us = (uint64_t)(cr_loop_now() - call->started_us);
    run->calls_open--;
    run->calls_sent -= call->sent_us != 0;
    run->calls_asked -= call->is_asked;
    call->is_asked = false;
    if (!run->is_replaying)
        cr_auditing_after(run, (uint32_t)(call - run->calls) + 1);
}

/* If the run has ended, the answer did not reach the worker: |err| says why. */
static int check_answer_sent(const struct caprun_run *run, struct cr_err *err)
{
    if (run->state != CR_RUN_ENDED)
        return 0;
    if (run->outcome != CAPRUN_OUTCOME_INTERNAL)
        return cr_err_set(err, CAPRUN_E_STATE, "the run has ended: its worker reads no answers");
    return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the answer, so that the run has ended");
}

bool cr_calls_is_doubtful(const struct cr_call *call)
{
    return call->was_sent && !call->sent_us;
}

/* Whatever the reason is that the call is not sent again: the first time may have had its effect.
 */
static int end_as_unknown(struct caprun_run *run, uint32_t number, const char *reason, size_t len,
                          struct cr_err *err)
{
    const char *method = run->calls[number - 1].method;
    cr_autofree char *words = NULL;
    int n = asprintf(&words,
                     "It is not known whether %s was carried out: caprun ended while it was under "
                     "way, and has not called it again, because: %.*s",
                     method, (int)len, reason);

    if (n < 0)
        words = NULL;
    return cr_calls_end(run, number, CR_CALL_UNKNOWN, CAPRUN_OUTCOME_RPC_ERROR,
                        words ? words : method, words ? (size_t)n : strlen(method), err);
}

int cr_calls_end(struct caprun_run *run, uint32_t number, enum cr_call_state state,
                 enum caprun_outcome outcome, const char *message, size_t len, struct cr_err *err)
{
    struct cr_call *call = find_open_call(run, number, err);
    const char *code = cr_envelope_code(outcome);
    size_t shown = len < LIMIT_ERROR_MESSAGE_BYTES ? len : LIMIT_ERROR_MESSAGE_BYTES;
    struct wire_fail fail = {(uint32_t)strlen(code), (uint32_t)shown};
    size_t kept;
    void *handle;

    if (!call)
        return CAPRUN_E_STATE;
    if (state != CR_CALL_UNKNOWN && cr_calls_is_doubtful(call))
        return end_as_unknown(run, number, message, shown, err);
    /* any of ten thousand messages may end the run, but the beginning of most is enough */
    kept = number <= KEPT_WHOLE ? KEPT_LONG : KEPT_WORDS;
    if (asprintf(&call->message, "%.*s", (int)(shown < kept ? shown : kept), message) < 0)
        call->message = NULL;
    call->outcome = outcome;
    handle = call->handle;
    close_call(run, call, state);
    cr_run_send(
        run, (struct wire_header){.type = WIRE_FAIL, .id = number},
        (struct wire_part[]){{&fail, sizeof(fail)}, {code, fail.code_len}, {message, shown}}, 3,
        NULL);
    if (handle)
        run->gate->cancel(run->gate, handle, "timeout");
    if (outcome == CAPRUN_OUTCOME_RPC_TIMEOUT)
        cr_run_notify(run, CAPRUN_EVENT_CALL_LOST, number);
    else
        cr_run_notify_call_done(run, number);
    return check_answer_sent(run, err);
}

int cr_calls_fail(struct caprun_run *run, uint32_t number, enum caprun_outcome outcome,
                  const char *message, size_t len, struct cr_err *err)
{
    return cr_calls_end(run, number, CR_CALL_FAILED, outcome, message, len, err);
}

static int refuse_answer(struct caprun_run *run, uint32_t number, const char *why,
                         struct cr_err *err)
{
    (void)cr_calls_fail(run, number, CAPRUN_OUTCOME_RPC_ERROR, why, strlen(why), err);
    return cr_err_set(err, CAPRUN_E_TOOBIG, "%s", why);
}

void cr_calls_deliver(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                      const char *json, size_t len, uint8_t **block)
{
    struct cr_call *call = &run->calls[number - 1];
    struct wire_reply head = {.kind = kind};

    if (kind == WIRE_REPLY_TOOL)
        call->outcome = CAPRUN_OUTCOME_TOOL_ERROR; /* if the code does not catch it */
    call->answer_len = len;
    close_call(run, call, CR_CALL_DONE);
    cr_run_send(run, (struct wire_header){.type = WIRE_REPLY, .id = number},
                (struct wire_part[]){{&head, sizeof(head)}, {json, len}}, 2, block);
    cr_run_notify_call_done(run, number);
}

/* |json| was scanned. */
static int send_reply(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                      const char *json, size_t len, uint8_t **block, struct cr_err *err)
{
    size_t frame = sizeof(struct wire_header) + sizeof(struct wire_reply) + len;

    if (!cr_worker_has_room(run->worker, frame + run->answers.bytes))
        return refuse_answer(run, number, "Too much waits for the worker to read it", err);
    if (!cr_keep_answer(run, number, kind, json, len, block))
        cr_calls_deliver(run, number, kind, json, len, block);
    return check_answer_sent(run, err);
}

int cr_calls_reply(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                   const char *json, size_t len, uint8_t **block, struct cr_err *err)
{
    struct cr_err why;

    if (!find_open_call(run, number, err))
        return CAPRUN_E_STATE;
    if (len > LIMIT_ANSWER_BYTES)
        return refuse_answer(run, number, "The answer is over 64 MiB", err);
    if (cr_scan_json((const uint8_t *)json, len, CR_SCAN_PASS, &why) < 0)
        return cr_err_set(err, CAPRUN_E_INVAL, "the answer is not acceptable JSON: %s", why.text);
    return send_reply(run, number, kind, json, len, block, err);
}

int cr_calls_reply_scanned(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                           const char *json, size_t len, uint8_t **block)
{
    struct cr_err unused;

    if (!find_open_call(run, number, &unused))
        return CAPRUN_E_STATE;
    if (len > LIMIT_ANSWER_BYTES)
        return refuse_answer(run, number, "The answer is over 64 MiB", &unused);
    return send_reply(run, number, kind, json, len, block, &unused);
}

size_t cr_calls_count_missing(struct caprun_run *run)
{
    return ++run->misses;
}

void cr_calls_release(struct caprun_run *run, uint32_t number)
{
    run->calls[number - 1].handle = NULL;
}

void cr_calls_hint(struct caprun_run *run, uint32_t number, const char *hint)
{
    struct cr_call *call = find_open_call(run, number, NULL);

    if (call && !call->hint)
        call->hint = strdup(hint);
}

void cr_calls_grant(struct caprun_run *run, uint32_t number, const char *grant)
{
    struct cr_call *call = find_open_call(run, number, NULL);
    size_t len = strlen(grant) + 1;

    if (!call || call->grant || run->grant_bytes + len > KEPT_GRANTS)
        return;
    call->grant = strdup(grant);
    run->grant_bytes += len;
}

static void expire_call(struct caprun_run *run, uint32_t number)
{
    struct cr_call *call = &run->calls[number - 1];
    char amount[32], message[320];
    struct cr_err unused;

    cr_units_show_duration(run->spec.limits.call_ms, amount);
    if (call->sent_us)
        (void)snprintf(message, sizeof(message), "RPC timeout: no answer from %s after %s",
                       call->method, amount);
    else
        (void)snprintf(message, sizeof(message), "RPC timeout: %s was not ready after %s%s",
                       call->method, amount,
                       cr_calls_is_doubtful(call) ? "" : ", and has not been called");
    call->is_lost |= cr_calls_is_doubtful(call); /* a resume can try it again */
    (void)cr_calls_fail(run, number, CAPRUN_OUTCOME_RPC_TIMEOUT, message, strlen(message), &unused);
}

void cr_calls_expire(struct caprun_run *run)
{
    while (run->state == CR_RUN_RUNNING && cr_calls_next(run) <= cr_loop_now())
        expire_call(run, run->clock_first);
}

void cr_calls_cancel(struct caprun_run *run)
{
    for (size_t i = 0; run->calls_open && i < run->call_count; i++) {
        void *handle = run->calls[i].handle;

        run->calls[i].handle = NULL;
        if (handle)
            run->gate->cancel(run->gate, handle, "the run has ended");
    }
}

void cr_calls_clear(struct caprun_run *run)
{
    for (size_t i = 0; i < run->call_count; i++) {
        free(run->calls[i].method);
        free(run->calls[i].message);
        free(run->calls[i].hint);
        free(run->calls[i].grant);
        free(run->calls[i].audited_tool);
    }
    free(run->calls);
}
