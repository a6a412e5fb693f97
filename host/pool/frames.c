/*
 * frames.c - what a worker may say now, and what follows from it.
 *
 * The table below is the whole of it. A frame that the run's state does not permit, or whose
 * content makes no sense, ends the worker: an honest one never sends it.
 */
#include "pool/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/scan.h"

/* No run lasts as long as this, and sums with it do not overflow. */
#define MAX_WAKE_US ((int64_t)LIMIT_MAX_MS * 1000)
/* The worker's clock and the host's may differ by this much at the limit. */
#define CLOCK_SLACK_US 10000

static void violation(struct caprun_run *run, const char *what)
{
    cr_worker_fault(&run->worker, what);
}

/* --- logs --------------------------------------------------------------------------------- */

static void keep_line(struct caprun_run *run, const char *text, size_t len)
{
    size_t before = run->logs.len;

    if (run->log_lines++)
        cr_buf_str(&run->logs, ",");
    cr_escape_json(&run->logs, text, len);
    if (cr_buf_err(&run->logs)) {
        /* whole lines only: half of one would spoil the envelope */
        run->logs.len = before;
        run->log_cut = true;
    }
    if (run->on_log)
        run->on_log(run->log_data, text, len);
}

static void on_log(struct caprun_run *run, const struct wire_header *header, const uint8_t *payload)
{
    static const char cut[] = "[log cut here: it may have 10,000 lines, and 1 MiB]";
    size_t room = LIMIT_LOG_BYTES - run->log_bytes;
    size_t len = header->length < room ? header->length : room;
    bool one_of_many = run->log_lines < LIMIT_LOG_LINES - 1; /* the last one is ours */
    bool whole = one_of_many && len == header->length && !header->id;

    if (run->log_cut)
        return;
    /* not in the middle of a character */
    while (len > 0 && len < header->length && (payload[len] & 0xc0) == 0x80)
        len--;
    run->log_bytes += len;
    if (whole || (one_of_many && len > 0))
        keep_line(run, (const char *)payload, len);
    if (whole || run->state == CR_RUN_ENDED)
        return;
    run->log_cut = true;
    keep_line(run, cut, sizeof(cut) - 1);
}

/* --- calls -------------------------------------------------------------------------------- */

static struct cr_call *add_call(struct caprun_run *run, const char *ns, int ns_len,
                                const char *action, int action_len)
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
    *call = (struct cr_call){0};
    if (asprintf(&call->method, "%.*s:%.*s", ns_len, ns, action_len, action) < 0)
        return NULL;
    run->call_count++;
    return call;
}

/* There is nobody to ask yet: every call fails, and says whom it did not find. */
static void fail_call(struct caprun_run *run, struct cr_call *call, const char *message,
                      int64_t since_us)
{
    static const char code[] = "RPC_ERROR";
    struct wire_fail fail = {sizeof(code) - 1, (uint32_t)strlen(message)};

    /* gcc's analyzer takes strdup() here for a leak */
    if (asprintf(&call->message, "%s", message) < 0)
        call->message = NULL;
    call->us = cr_loop_now() - since_us;
    cr_run_send(run, (struct wire_header){.type = WIRE_FAIL, .id = (uint32_t)run->call_count},
                (struct wire_part[]){
                    {&fail, sizeof(fail)}, {code, fail.code_len}, {message, fail.message_len}},
                3);
}

static void on_call(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    int64_t now = cr_loop_now();
    const char *ns = (const char *)payload + sizeof(struct wire_call);
    struct wire_call names;
    struct cr_call *call;
    struct cr_err err;
    char message[1024];
    size_t before_args;

    memcpy(&names, payload, sizeof(names));
    before_args = sizeof(names) + (size_t)names.namespace_len + names.action_len;
    if (before_args > header->length || header->id != run->call_count + 1 ||
        !wire_is_namespace(ns, names.namespace_len) ||
        !wire_is_action(ns + names.namespace_len, names.action_len)) {
        violation(run, "a call that is not one");
        return;
    }
    if (run->call_count == LIMIT_CALLS) {
        cr_run_end(run, CAPRUN_OUTCOME_CALL_LIMIT);
        return;
    }
    call = add_call(run, ns, (int)names.namespace_len, ns + names.namespace_len,
                    (int)names.action_len);
    if (!call) {
        cr_run_say(run, "No memory to keep a call");
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return;
    }
    if (cr_scan_json(payload + before_args, header->length - before_args, CR_SCAN_STRICT, &err) < 0)
        (void)snprintf(message, sizeof(message), "The args of %s are refused: %s", call->method,
                       err.text);
    else
        (void)snprintf(message, sizeof(message),
                       "No target for %s: no server is called \"%.*s\", and this version of caprun "
                       "has none to configure",
                       call->method, (int)names.namespace_len, ns);
    fail_call(run, call, message, now);
}

/* --- waiting ------------------------------------------------------------------------------ */

static void on_idle(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    struct wire_idle idle;

    memcpy(&idle, payload, sizeof(idle));
    if (header->id > run->frames_sent) {
        violation(run, "it has read frames that were not sent");
        return;
    }
    if (header->id < run->frames_sent)
        return; /* something is on its way to it, and it will say so again */
    if (idle.wake_us < 0) {
        cr_run_end(run, CAPRUN_OUTCOME_STALLED);
        return;
    }
    run->idle = true;
    run->wake_us = idle.wake_us < MAX_WAKE_US ? idle.wake_us : MAX_WAKE_US;
    cr_run_schedule(run);
}

/* --- ends --------------------------------------------------------------------------------- */

static void on_done(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    struct cr_err err = {0};

    if (cr_scan_json(payload, header->length, CR_SCAN_PASS, &err) == CAPRUN_E_INVAL) {
        violation(run, "its result is not JSON");
        return;
    }
    if (err.code) {
        cr_run_say(run, "The result is refused: %s", err.text);
        cr_run_end(run, CAPRUN_OUTCOME_CODE_ERROR);
        return;
    }
    cr_buf_add(&run->result, payload, header->length);
    if (cr_buf_err(&run->result))
        cr_run_say(run, "No memory for the result");
    cr_run_end(run, cr_buf_err(&run->result) ? CAPRUN_OUTCOME_INTERNAL : CAPRUN_OUTCOME_SUCCESS);
}

/* "TypeError: message", but only "message" where the name says nothing new. */
static void say_what_was_thrown(struct caprun_run *run, const struct wire_threw *threw,
                                const uint8_t *text)
{
    struct cr_buf *message = &run->error.message;
    bool plain = threw->message_len && (threw->why == WIRE_WHY_SYNTAX ||
                                        (threw->name_len == 5 && !memcmp(text, "Error", 5)));

    if (threw->why == WIRE_WHY_NOT_JSON)
        cr_buf_str(message, "The result is not JSON: ");
    if (threw->name_len && !plain) {
        cr_buf_add(message, text, threw->name_len);
        if (threw->message_len)
            cr_buf_str(message, ": ");
    }
    cr_buf_add(message, text + threw->name_len, threw->message_len);
    if (!message->len)
        cr_buf_str(message, "The code threw something without words");
    cr_buf_add(&run->error.stack, text + threw->name_len + threw->message_len, threw->stack_len);
}

/* The failure of a call was thrown on; which one, and with what words, is the host's own record. */
static void end_by_call(struct caprun_run *run, uint32_t number)
{
    const struct cr_call *call = &run->calls[number - 1];

    run->error.tool = strdup(call->method);
    cr_run_say(run, "%s", call->message ? call->message : "The call failed");
    cr_run_end(run, CAPRUN_OUTCOME_RPC_ERROR);
}

static void on_threw(struct caprun_run *run, const struct wire_header *header,
                     const uint8_t *payload)
{
    struct wire_threw threw;

    memcpy(&threw, payload, sizeof(threw));
    if (sizeof(threw) + (uint64_t)threw.name_len + threw.message_len + threw.stack_len !=
            header->length ||
        threw.call > run->call_count || threw.why < WIRE_WHY_THREW ||
        threw.why > WIRE_WHY_TOO_LONG) {
        violation(run, "an error that is not one");
        return;
    }
    if (threw.why == WIRE_WHY_TOO_LONG) {
        cr_run_end(run, CAPRUN_OUTCOME_OUTPUT_LIMIT);
        return;
    }
    say_what_was_thrown(run, &threw, payload + sizeof(threw));
    if (threw.why == WIRE_WHY_SYNTAX)
        run->error.type = "SyntaxError";
    if (threw.call)
        end_by_call(run, threw.call);
    else
        cr_run_end(run, CAPRUN_OUTCOME_CODE_ERROR);
}

static void on_late(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    if (cr_run_now(run) + CLOCK_SLACK_US < (int64_t)run->limits.wall_ms * 1000) {
        violation(run, "it says that its time is over, and it is not");
        return;
    }
    cr_buf_add(&run->error.stack, payload, header->length);
    cr_run_end(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT);
}

static void on_full(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    (void)header;
    (void)payload;
    cr_run_end(run, CAPRUN_OUTCOME_MEMORY_LIMIT);
}

static const struct {
    enum wire_type type;
    bool when_late; /* still of interest after the wall limit */
    void (*handle)(struct caprun_run *run, const struct wire_header *header,
                   const uint8_t *payload);
} permitted[] = {
    {WIRE_LOG, true, on_log},    {WIRE_CALL, false, on_call},   {WIRE_IDLE, false, on_idle},
    {WIRE_DONE, false, on_done}, {WIRE_THREW, false, on_threw}, {WIRE_LATE, true, on_late},
    {WIRE_FULL, false, on_full},
};

void cr_frames_handle(struct caprun_run *run, const struct wire_header *header,
                      const uint8_t *payload)
{
    for (size_t i = 0; i < sizeof(permitted) / sizeof(permitted[0]); i++) {
        if ((int)permitted[i].type != header->type)
            continue;
        if (run->state == CR_RUN_RUNNING || (run->state == CR_RUN_LATE && permitted[i].when_late))
            permitted[i].handle(run, header, payload);
        return;
    }
}
