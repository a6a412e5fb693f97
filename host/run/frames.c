/*
 * frames.c - checks and handles each frame of a worker: which may come now, and what it does.
 *
 * The table at the end has all of them. A frame that the run's state does not permit, or whose
 * content is invalid, ends the worker: an honest worker never sends it.
 */
#include "run/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/scan.h"
#include "base/units.h"
#include "base/watchdog.h"
#include "run/calls.h"
#include "run/decide.h"
#include "run/hints.h"
#include "run/run_parts.h"

/* No run lasts as long as this, and adding it to a time does not overflow. */
#define MAX_WAKE_US ((int64_t)LIMIT_MAX_MS * 1000)
/* The worker's clock and the host's may differ by this much at the limit. */
#define CLOCK_SLACK_US 10000
#define PAGE 4096u /* a worker's memory is rounded up to pages */

static void violation(struct caprun_run *run, const char *what)
{
    cr_worker_fault(run->worker, what);
}

/* --- logs --------------------------------------------------------------------------------- */

static void keep_line(struct caprun_run *run, const char *text, size_t len)
{
    size_t before = run->logs.len;
    uint32_t prefix = (uint32_t)len;

    run->log_lines++;
    cr_buf_add(&run->logs, &prefix, sizeof(prefix));
    cr_buf_add(&run->logs, text, len);
    if (cr_buf_err(&run->logs)) {
        /* only whole lines: half a line would make the envelope invalid */
        run->logs.len = before;
        run->log_cut = true;
    }
    if (!run->on_log)
        return;
    cr_watchdog_leave();
    run->on_log(run->log_data, text, len);
    cr_watchdog_return();
}

static void log_that_it_is_cut(struct caprun_run *run)
{
    char amount[32], text[96];

    cr_units_show_size(run->spec.limits.most.log_bytes, amount);
    (void)snprintf(text, sizeof(text), "[log cut here: it may have 10,000 lines, and %s]", amount);
    keep_line(run, text, strlen(text));
}

/* |complete| is false if the worker has cut the line. */
static void log_line(struct caprun_run *run, const uint8_t *text, size_t text_len, bool complete)
{
    size_t room = run->spec.limits.most.log_bytes - run->log_bytes;
    size_t len = text_len < room ? text_len : room;
    bool one_of_many = run->log_lines < LIMIT_LOG_LINES - 1; /* the last line says that it is cut */
    bool whole = one_of_many && len == text_len && complete;

    if (run->log_cut)
        return;
    /* not in the middle of a character */
    while (len > 0 && len < text_len && (text[len] & 0xc0) == 0x80)
        len--;
    run->log_bytes += len;
    if (whole || (one_of_many && len > 0))
        keep_line(run, (const char *)text, len);
    if (whole || run->state == CR_RUN_ENDED)
        return;
    run->log_cut = true;
    log_that_it_is_cut(run);
}

static void on_log(struct caprun_run *run, const struct wire_header *header, const uint8_t *payload)
{
    /* an honest worker stops after the line that exceeds the limit */
    run->log_bytes_received += header->length;
    if (++run->log_lines_received > LIMIT_LOG_LINES ||
        run->log_bytes_received > 2 * (uint64_t)run->spec.limits.most.log_bytes) {
        violation(run, "it sends log lines after the end of the log");
        return;
    }
    /* lines over the limit are not recorded */
    if (!run->log_cut && cr_run_frame_received(run, header, payload))
        log_line(run, payload, header->length, !header->id);
}

/* --- attempts ----------------------------------------------------------------------------- */

/* "[blocked] fetch: Requires net access …": so the log shows attempts between the other lines. */
static void log_attempt(struct caprun_run *run, const char *api, size_t api_len,
                        const char *message, size_t message_len)
{
    struct cr_buf line;

    cr_buf_init(&line, LIMIT_DENIED_API_BYTES + LIMIT_DENIED_MESSAGE_BYTES + 16);
    cr_buf_str(&line, "[blocked] ");
    cr_buf_add(&line, api, api_len);
    cr_buf_str(&line, ": ");
    cr_buf_add(&line, message, message_len);
    for (size_t i = 0; i < line.len; i++)
        if (line.data[i] == '\n')
            line.data[i] = ' '; /* keep it one line, even if a name contains newlines */
    if (!cr_buf_err(&line))
        log_line(run, line.data, line.len, true);
    cr_buf_clear(&line);
}

static void list_attempt(struct caprun_run *run, const struct wire_blocked *b, const char *text)
{
    struct cr_buf *out = &run->blocked;
    size_t before = out->len;

    cr_buf_str(out, out->len ? ",{\"api\":" : "{\"api\":");
    cr_escape_json(out, text, b->api_len);
    cr_buf_str(out, ",\"access\":");
    cr_escape_json(out, text + b->api_len, b->access_len);
    if (b->target_len) {
        cr_buf_str(out, ",\"target\":");
        cr_escape_json(out, text + b->api_len + b->access_len, b->target_len);
    }
    cr_buf_str(out, "}");
    if (cr_buf_err(out))
        out->len = before; /* only whole entries: part of one would make the envelope invalid */
}

/* Keeps the message that the code got, since this attempt may end the run. */
static void keep_attempt(struct caprun_run *run, const char *message, const struct wire_blocked *b)
{
    struct cr_attempt attempt = {.at = run->attempt_words.len,
                                 .use_at = run->attempt_words.len + b->message_len - b->use_len};

    cr_buf_add(&run->attempt_words, message, b->message_len);
    cr_buf_add(&run->attempt_words, "", 1);
    cr_buf_add(&run->attempts, &attempt, sizeof(attempt));
    run->attempt_count++;
}

static void end_by_attempt(struct caprun_run *run, uint32_t number)
{
    const char *words = (const char *)run->attempt_words.data;
    struct cr_attempt attempt;

    memcpy(&attempt, run->attempts.data + (number - 1) * sizeof(attempt), sizeof(attempt));
    cr_run_set_message(run, "%s", words + attempt.at);
    cr_run_hint(run, words + attempt.use_at);
    cr_run_end(run, CAPRUN_OUTCOME_PERMISSION_DENIED);
}

static void on_blocked(struct caprun_run *run, const struct wire_header *header,
                       const uint8_t *payload)
{
    const char *text = (const char *)payload + sizeof(struct wire_blocked), *message;
    struct wire_blocked b;

    memcpy(&b, payload, sizeof(b));
    if (header->id != run->attempt_count + 1 || header->id > LIMIT_BLOCKED ||
        b.use_len > b.message_len || b.api_len > LIMIT_DENIED_API_BYTES ||
        b.access_len > LIMIT_DENIED_ACCESS_BYTES || b.target_len > LIMIT_DENIED_TARGET_BYTES ||
        b.message_len > LIMIT_DENIED_MESSAGE_BYTES ||
        memchr(text, '\0', header->length - sizeof(b)) ||
        sizeof(b) + (uint64_t)b.api_len + b.access_len + b.target_len + b.message_len !=
            header->length) {
        violation(run, "an invalid BLOCKED frame");
        return;
    }
    if (!cr_run_frame_received(run, header, payload))
        return;
    message = text + b.api_len + b.access_len + b.target_len;
    list_attempt(run, &b, text);
    keep_attempt(run, message, &b);
    if (cr_buf_err(&run->blocked) || cr_buf_err(&run->attempt_words) ||
        cr_buf_err(&run->attempts)) {
        cr_run_set_message(run, "No memory to list what was blocked");
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return;
    }
    log_attempt(run, text, b.api_len, message, b.message_len);
    if (run->state != CR_RUN_ENDED)
        cr_run_notify(run, CAPRUN_EVENT_BLOCKED, 0);
    if (run->spec.stop_when_denied && run->state == CR_RUN_RUNNING)
        end_by_attempt(run, header->id);
}

/* --- waiting ------------------------------------------------------------------------------ */

static void on_idle(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    struct wire_idle idle;

    memcpy(&idle, payload, sizeof(idle));
    if (header->id > run->frames_sent ||
        (header->id == run->frames_sent && cr_worker_is_writing(run->worker))) {
        violation(run, "it has read frames that were not sent");
        return;
    }
    if (header->id < run->idle_frames) {
        violation(run, "it says again that it has nothing to do");
        return;
    }
    run->idle_frames = header->id + 1;
    if (header->id < run->frames_sent)
        return; /* a frame is on its way to the worker, which will send IDLE again */
    run->idle = true;
    run->wake_us = idle.wake_us < MAX_WAKE_US ? idle.wake_us : MAX_WAKE_US;
    if (run->is_replaying && run->player->next(run->player, run))
        return;
    if (run->state != CR_RUN_RUNNING || !run->idle)
        return; /* going live has sent the worker a frame */
    if (run->wake_us < 0 && !run->calls_open) {
        cr_run_end(run, CAPRUN_OUTCOME_STALLED);
        return;
    }
    cr_run_schedule(run);
    cr_run_consider_asking(run);
}

/* --- ends --------------------------------------------------------------------------------- */

/* Notes the memory that a worker reports at its end. Returns false if the report has ended it. */
static bool note_memory(struct caprun_run *run, const struct wire_header *header)
{
    uint32_t kib = header->type == WIRE_DONE ? header->id & WIRE_DONE_KIB : header->id;
    uint64_t taken = (uint64_t)kib * LIMIT_KIB;

    if (taken > run->spec.limits.memory + PAGE) {
        violation(run, "it says that it took more memory than it has");
        return false;
    }
    run->reported_memory = taken;
    if (header->type == WIRE_DONE)
        run->likely_mistake = header->id & ~WIRE_DONE_KIB;
    return true;
}

static void on_done(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    struct cr_err err;
    int r;

    /* the envelope is one line, and the result must not break it */
    if (memchr(payload, '\n', header->length) || memchr(payload, '\r', header->length)) {
        violation(run, "its result is not one line");
        return;
    }
    r = cr_arriving_finish(&run->arriving, CR_SCAN_PASS, payload, header->length, &err);
    if (r == CAPRUN_E_INVAL) {
        violation(run, "its result is not JSON");
        return;
    }
    if (r < 0) {
        cr_run_set_message(run, "The result is refused: %s", err.text);
        cr_run_end(run, CAPRUN_OUTCOME_CODE_ERROR);
        return;
    }
    if (!note_memory(run, header) || !cr_run_frame_received(run, header, payload))
        return;
    cr_worker_take_payload(run->worker, payload, header->length, &run->result);
    if (cr_buf_err(&run->result))
        cr_run_set_message(run, "No memory for the result");
    cr_run_end(run, cr_buf_err(&run->result) ? CAPRUN_OUTCOME_INTERNAL : CAPRUN_OUTCOME_SUCCESS);
}

/* "TypeError: message", but only "message" where the name says nothing new. */
static void set_thrown_message(struct caprun_run *run, const struct wire_threw *threw,
                               const uint8_t *text)
{
    struct cr_buf *message = &run->error.message;
    bool plain = threw->message_len && (threw->why == WIRE_WHY_SYNTAX || threw->call ||
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
        cr_buf_str(message, "The code threw something without a message");
    cr_buf_add(&run->error.stack, text + threw->name_len + threw->message_len, threw->stack_len);
}

/*
 * The code did not catch the failure of a call. Which call, and how it ended, comes from the host's
 * own record; the message of a failed tool is known to the worker alone.
 */
static void end_by_call(struct caprun_run *run, const struct cr_call *call)
{
    char room[CR_HINTS_ROOM];

    run->error.tool = strdup(call->method);
    if (call->state != CR_CALL_DONE)
        cr_run_set_message(run, "%s", call->message ? call->message : "The call failed");
    run->error.grant = call->grant;
    if (call->hint)
        cr_run_hint(run, call->hint);
    else if (call->outcome == CAPRUN_OUTCOME_RPC_TIMEOUT)
        cr_run_hint(run, cr_hints_for_outcome(call->outcome, room));
    cr_run_end(run, call->outcome);
}

static void end_by_code(struct caprun_run *run)
{
    const struct cr_buf *message = &run->error.message;
    const char *hint = cr_hints_for((const char *)message->data, message->len);

    if (hint)
        cr_run_hint(run, hint);
    cr_run_end(run, CAPRUN_OUTCOME_CODE_ERROR);
}

/* Only a call that failed, or whose tool reported an error, can be the cause. */
static bool may_have_failed(const struct caprun_run *run, uint32_t number)
{
    const struct cr_call *call;

    if (number == 0)
        return true;
    if (number > run->call_count)
        return false;
    call = &run->calls[number - 1];
    return call->state != CR_CALL_OPEN && call->outcome != CAPRUN_OUTCOME_SUCCESS;
}

/* Number LIMIT_BLOCKED + 1 stands for all attempts that were not sent because of the limit. */
static bool may_be_blocked(const struct caprun_run *run, uint32_t number)
{
    return number <= run->attempt_count ||
           (number == LIMIT_BLOCKED + 1 && run->attempt_count == LIMIT_BLOCKED);
}

static bool has_valid_lengths(const struct wire_threw *threw, uint32_t length)
{
    return threw->name_len <= LIMIT_ERROR_NAME_BYTES &&
           threw->message_len <= LIMIT_ERROR_MESSAGE_BYTES &&
           threw->stack_len <= LIMIT_ERROR_STACK_BYTES &&
           sizeof(*threw) + threw->name_len + threw->message_len + threw->stack_len == length;
}

/* Args and schema are checked before the code runs: the worker has sent nothing else yet. */
static bool may_have_checked(const struct caprun_run *run, const struct wire_threw *threw)
{
    return !run->has_sent_frame && !threw->call && !threw->blocked &&
           (run->spec.schema.len || (run->spec.env.len && threw->why == WIRE_WHY_ARGS));
}

static void end_by_check(struct caprun_run *run, const struct wire_threw *threw, const char *text)
{
    struct cr_buf *message = &run->error.message;
    bool is_broken = threw->why == WIRE_WHY_SCHEMA;

    if (is_broken) {
        cr_buf_str(message, "The capability's parametersSchema is broken:\n");
        cr_run_hint(run, "tell the capability's author");
    } else if (run->spec.schema.len) {
        cr_buf_str(message, "The args do not fit the capability's parametersSchema:\n");
        cr_run_hint(run, "change the args; the schema is in the capability's metadata");
    } else {
        cr_buf_str(message, "The args have no room for granted variables:\n");
        cr_run_hint(run, "change the args");
    }
    cr_buf_add(message, text + threw->name_len, threw->message_len);
    cr_run_end(run, is_broken ? CAPRUN_OUTCOME_METADATA_INVALID : CAPRUN_OUTCOME_VALIDATION_ERROR);
}

static void on_threw(struct caprun_run *run, const struct wire_header *header,
                     const uint8_t *payload)
{
    struct wire_threw threw;
    bool checked;

    memcpy(&threw, payload, sizeof(threw));
    checked = threw.why == WIRE_WHY_ARGS || threw.why == WIRE_WHY_SCHEMA;
    /* code that does not compile has made no calls */
    if (!has_valid_lengths(&threw, header->length) || !may_have_failed(run, threw.call) ||
        !may_be_blocked(run, threw.blocked) || threw.why < WIRE_WHY_THREW ||
        threw.why > WIRE_WHY_SCHEMA || (threw.why == WIRE_WHY_SYNTAX && threw.call) ||
        (checked && !may_have_checked(run, &threw))) {
        violation(run, "an invalid THREW frame");
        return;
    }
    if (!note_memory(run, header) || !cr_run_frame_received(run, header, payload))
        return;
    if (checked) {
        end_by_check(run, &threw, (const char *)payload + sizeof(threw));
        return;
    }
    if (threw.why == WIRE_WHY_TOO_LONG) {
        cr_run_end(run, CAPRUN_OUTCOME_OUTPUT_LIMIT);
        return;
    }
    set_thrown_message(run, &threw, payload + sizeof(threw));
    if (threw.why == WIRE_WHY_SYNTAX && !threw.blocked)
        run->error.type = "SyntaxError";
    if (threw.call)
        end_by_call(run, &run->calls[threw.call - 1]);
    else if (threw.blocked > LIMIT_BLOCKED)
        cr_run_end(run, CAPRUN_OUTCOME_PERMISSION_DENIED);
    else if (threw.blocked)
        end_by_attempt(run, threw.blocked);
    else
        end_by_code(run);
}

static void on_late(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    if (cr_run_now(run) + CLOCK_SLACK_US < (int64_t)run->spec.limits.wall_ms * 1000) {
        violation(run, "it says that its time is over, and it is not");
        return;
    }
    if (!cr_run_frame_received(run, header, payload))
        return;
    cr_buf_add(&run->error.stack, payload, header->length);
    cr_run_end(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT);
}

static void on_full(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    if (cr_run_frame_received(run, header, payload))
        cr_run_end(run, CAPRUN_OUTCOME_MEMORY_LIMIT);
}

/* --- what a worker may say now ------------------------------------------------------------- */

/*
 * Frames that were on their way when the time was over are no fault of the worker: frames that tell
 * what happened are handled, the others are ignored.
 */
enum when_late { HANDLED, IGNORED };
enum often { OFTEN, ONCE };

static const struct rule {
    void (*handle)(struct caprun_run *run, const struct wire_header *header,
                   const uint8_t *payload);
    enum when_late
        when_late;    /* in state LATE; while RUNNING all are handled, otherwise none may come */
    enum often often; /* ONCE: this frame is the last one of the run */
} rules[] = {
    [WIRE_LOG] = {on_log, HANDLED, OFTEN},          [WIRE_BLOCKED] = {on_blocked, HANDLED, OFTEN},
    [WIRE_CALL] = {cr_decide_call, IGNORED, OFTEN}, [WIRE_IDLE] = {on_idle, IGNORED, OFTEN},
    [WIRE_DONE] = {on_done, IGNORED, ONCE},         [WIRE_THREW] = {on_threw, IGNORED, ONCE},
    [WIRE_LATE] = {on_late, HANDLED, ONCE},         [WIRE_FULL] = {on_full, IGNORED, ONCE},
};

void cr_frames_handle(struct caprun_run *run, const struct wire_header *header,
                      const uint8_t *payload)
{
    const struct rule *rule =
        header->type < sizeof(rules) / sizeof(rules[0]) ? &rules[header->type] : NULL;

    if (!rule || !rule->handle || (run->state != CR_RUN_RUNNING && run->state != CR_RUN_LATE)) {
        violation(run, "a frame that it may not send now");
        return;
    }
    if (run->state == CR_RUN_LATE && rule->when_late == IGNORED)
        return;
    rule->handle(run, header, payload);
    if (rule->often == ONCE && run->state != CR_RUN_ENDED)
        violation(run, "it goes on after its last frame");
}

void cr_frames_look(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload, size_t have)
{
    if (header->type == WIRE_DONE)
        cr_arriving_feed(&run->arriving, CR_SCAN_PASS, payload, have);
    else if (header->type == WIRE_CALL)
        cr_decide_look(run, header, payload, have);
}
