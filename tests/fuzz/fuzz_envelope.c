/*
 * fuzz_envelope.c - fuzzes the envelopes of runs that ended in every way, with any texts in them.
 *
 * The input is a list of events of a run: a byte for the kind, then its data. Frames go through the
 * host's own table; calls and times are put into the run as calls.c and worker.c do.
 *
 * What must hold: the envelope is one JSON value, for the scanner and for a second reader; it has
 * exactly the fields of docs/envelope.md, in order, with the values that were put in.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/scan.h"
#include "run/envelope.h"
#include "run/frames.h"
#include "run/run_parts.h"

#include "input.h"
#include "look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES 64
#define OUTCOMES 28 /* a few more than exist */

/* The values that the envelope must have. */
static struct {
    struct cr_buf lines[LINES];
    size_t line_count, attempts;
    bool nul; /* a NUL is somewhere: the strict rules refuse it */
} story;

static void note_line(void *data, const char *line, size_t len)
{
    (void)data;
    insist(story.line_count < LINES);
    cr_buf_add(&story.lines[story.line_count++], line, len);
}

static struct input text_of(struct input *in)
{
    struct input text = input_text(in);

    story.nul |= text.len && memchr(text.at, '\0', text.len);
    return text;
}

/* --- events of the run -------------------------------------------------------------------- */

static void hand_in(struct caprun_run *run, enum wire_type type, uint32_t id,
                    const struct cr_buf *payload)
{
    struct wire_header header = {
        .length = (uint32_t)payload->len, .type = (uint16_t)type, .id = id};

    insist(wire_check(&header, WIRE_WORKER) == 0);
    cr_frames_handle(run, &header, payload->data ? payload->data : (const uint8_t *)"");
}

static void log_something(struct caprun_run *run, struct input *in, struct cr_buf *payload)
{
    uint32_t cut = input_byte(in) % 8 == 7;
    struct input line = text_of(in);

    if (story.line_count + 2 > LINES)
        return; /* leave one entry for the host */
    cr_buf_add(payload, line.at, line.len);
    hand_in(run, WIRE_LOG, cut, payload);
}

/* A text of at most |most| bytes without a NUL, as an honest worker sends. */
static uint32_t add_word(struct cr_buf *payload, struct input *in, uint32_t most)
{
    struct input word = input_text(in);
    uint32_t len = word.len < most ? (uint32_t)word.len : most;

    for (uint32_t i = 0; i < len; i++)
        cr_buf_add(payload, word.at[i] ? (const void *)&word.at[i] : " ", 1);
    return len;
}

static void attempt_something(struct caprun_run *run, struct input *in, struct cr_buf *payload)
{
    struct wire_blocked b = {0};

    if (story.line_count + 2 > LINES || run->attempt_count == LIMIT_BLOCKED)
        return;
    cr_buf_add(payload, &b, sizeof(b));
    b.api_len = add_word(payload, in, LIMIT_DENIED_API_BYTES);
    b.access_len = add_word(payload, in, LIMIT_DENIED_ACCESS_BYTES);
    b.target_len = add_word(payload, in, LIMIT_DENIED_TARGET_BYTES);
    b.message_len = add_word(payload, in, LIMIT_DENIED_MESSAGE_BYTES);
    b.use_len = b.message_len ? input_byte(in) % (b.message_len + 1) : 0;
    memcpy(payload->data, &b, sizeof(b));
    hand_in(run, WIRE_BLOCKED, (uint32_t)run->attempt_count + 1, payload);
    story.attempts++;
}

static uint64_t large_number(struct input *in)
{
    uint64_t n = input_number(in);

    return n << input_byte(in) % 20;
}

static void call_something(struct caprun_run *run, struct input *in)
{
    struct cr_call *calls = realloc(run->calls, (run->call_count + 1) * sizeof(*calls));
    struct cr_call call = {.state = input_byte(in) % 4};
    struct input name;

    insist(calls);
    call.by = input_byte(in) & 1 ? "application" : NULL;
    name = input_text(in);
    call.started_us = cr_loop_now() - input_byte(in) * 1000 + 128000;
    call.us = large_number(in);
    call.outcome = input_byte(in) % OUTCOMES;
    if (call.state < CR_CALL_FAILED && call.outcome != CAPRUN_OUTCOME_TOOL_ERROR)
        call.outcome = CAPRUN_OUTCOME_SUCCESS;
    insist(asprintf(&call.method, "%.*s:do", (int)name.len, (const char *)name.at) >= 0);
    if (input_byte(in) & 1)
        insist(asprintf(&call.message, "why %.*s", (int)name.len, (const char *)name.at) >= 0);
    run->calls = calls;
    run->calls[run->call_count++] = call;
    run->calls_open += call.state == CR_CALL_OPEN;
}

static void measure_something(struct caprun_run *run, struct input *in)
{
    int64_t now = cr_loop_now();

    run->asked_us = input_byte(in) & 1 ? now - input_number(in) : 0;
    run->job_us = input_byte(in) & 1 ? now - input_number(in) + (1 << 20) : 0;
    run->cpu_us = (int64_t)large_number(in) - 1;
    run->memory_used = large_number(in);
    run->spec.limits.wall_ms = input_number(in);
    run->spec.limits.memory = input_number(in);
}

/* --- how it ends -------------------------------------------------------------------------- */

static void return_something(struct caprun_run *run, struct input *in, struct cr_buf *payload)
{
    struct input json = input_text(in);
    size_t len;
    const char *result;

    if (cr_scan_json(json.at, json.len, CR_SCAN_PASS, NULL) < 0)
        return;
    if (memchr(json.at, '\n', json.len) || memchr(json.at, '\r', json.len))
        return; /* the host refuses results of several lines */
    cr_buf_add(payload, json.at, json.len);
    hand_in(run, WIRE_DONE, 0, payload);
    result = caprun_get_result(run, &len);
    insist(caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS && len == json.len);
    insist(memcmp(result, json.at, len) == 0);
}

static bool may_blame(const struct caprun_run *run, uint32_t call)
{
    return call > 0 && call <= run->call_count && run->calls[call - 1].state != CR_CALL_OPEN &&
           run->calls[call - 1].outcome != CAPRUN_OUTCOME_SUCCESS;
}

static struct input cut(struct input text, size_t most)
{
    text.len = text.len < most ? text.len : most;
    return text;
}

static void throw_something(struct caprun_run *run, struct input *in, struct cr_buf *payload)
{
    struct wire_threw threw = {.why = WIRE_WHY_THREW + input_byte(in) % 4};
    struct input name, message, stack;

    threw.call = input_byte(in);
    threw.blocked = input_byte(in);
    threw.call = threw.why != WIRE_WHY_SYNTAX && may_blame(run, threw.call) ? threw.call : 0;
    threw.blocked = threw.blocked <= run->attempt_count ? threw.blocked : 0;
    name = cut(text_of(in), LIMIT_ERROR_NAME_BYTES);
    message = cut(text_of(in), LIMIT_ERROR_MESSAGE_BYTES);
    stack = cut(text_of(in), LIMIT_ERROR_STACK_BYTES);
    threw.name_len = (uint32_t)name.len;
    threw.message_len = (uint32_t)message.len;
    threw.stack_len = (uint32_t)stack.len;
    cr_buf_add(payload, &threw, sizeof(threw));
    cr_buf_add(payload, name.at, name.len);
    cr_buf_add(payload, message.at, message.len);
    cr_buf_add(payload, stack.at, stack.len);
    hand_in(run, WIRE_THREW, 0, payload);
}

static void end_somehow(struct caprun_run *run, struct input *in)
{
    char words[300];
    struct input text = text_of(in);
    enum caprun_outcome outcome = input_byte(in) % OUTCOMES;

    if (outcome == CAPRUN_OUTCOME_SUCCESS)
        outcome = CAPRUN_OUTCOME_STALLED; /* there is no result */
    (void)snprintf(words, sizeof(words), "%.*s", (int)text.len, (const char *)text.at);
    if (input_byte(in) & 1)
        cr_run_set_message(run, "%s", words);
    if (input_byte(in) & 1)
        cr_run_hint(run, words);
    cr_run_end(run, outcome);
}

static void happen(struct caprun_run *run, struct input *in)
{
    struct cr_buf payload;

    cr_buf_init(&payload, 1 << 20);
    switch (input_byte(in) % 8) {
    case 0:
    case 1:
        log_something(run, in, &payload);
        break;
    case 2:
        attempt_something(run, in, &payload);
        break;
    case 3:
        call_something(run, in);
        break;
    case 4:
        measure_something(run, in);
        break;
    case 5:
        return_something(run, in, &payload);
        break;
    case 6:
        throw_something(run, in, &payload);
        break;
    default:
        end_somehow(run, in);
        break;
    }
    cr_buf_clear(&payload);
}

/* --- the envelope ------------------------------------------------------------------------- */

static void look_at_number(struct look_part number)
{
    insist(number.len && strspn((const char *)number.at, "0123456789.") >= number.len);
}

static void look_at_error(struct look_part object, struct caprun_run *run)
{
    struct look l = look_at(object.at, object.len);
    size_t len;
    const char *text, *hint = caprun_get_hint(run), *tool = caprun_get_tool(run);

    look_says(look_member(&l, "\"type\""), caprun_get_type(run), strlen(caprun_get_type(run)));
    text = caprun_outcome_name(caprun_get_outcome(run));
    look_says(look_member(&l, "\"code\""), text, strlen(text));
    text = caprun_get_message(run, &len);
    look_says(look_member(&l, "\"message\""), text, len);
    text = caprun_get_stack(run, &len);
    if (text)
        look_says(look_member(&l, "\"stack\""), text, len);
    if (tool[0])
        look_says(look_member(&l, "\"toolName\""), tool, strlen(tool));
    if (hint[0])
        look_says(look_member(&l, "\"hint\""), hint, strlen(hint));
    look_end(&l);
}

static void look_at_logs(struct look_part array)
{
    struct look l = look_at(array.at, array.len);

    for (size_t i = 0; i < story.line_count; i++)
        look_says(look_member(&l, ""), story.lines[i].data, story.lines[i].len);
    look_end(&l);
}

static void look_at_attempts(struct look_part array)
{
    struct look l = look_at(array.at, array.len), one;
    struct look_part key, value;

    for (size_t i = 0; i < story.attempts; i++) {
        value = look_member(&l, "");
        one = look_at(value.at, value.len);
        (void)look_member(&one, "\"api\"");
        (void)look_member(&one, "\"access\"");
        if (look_next(&one, &key, &value)) {
            insist(look_is(key, "\"target\"") && value.len > 2);
            look_end(&one);
        }
    }
    look_end(&l);
}

static void look_at_calls(struct look_part array, const struct caprun_run *run)
{
    static const char *const states[] = {"\"in_flight_unknown\"", "\"done\"", "\"failed\"",
                                         "\"denied\"", "\"in_flight_unknown\""};
    struct look l = look_at(array.at, array.len), one;

    for (size_t i = 0; i < run->call_count; i++) {
        struct look_part object = look_member(&l, "");
        const char *method = run->calls[i].method;
        char number[32];

        one = look_at(object.at, object.len);
        (void)snprintf(number, sizeof(number), "%zu", i + 1);
        insist(look_is(look_member(&one, "\"n\""), number));
        look_says(look_member(&one, "\"method\""), method, strlen(method));
        insist(look_is(look_member(&one, "\"state\""),
                       run->calls[i].state == CR_CALL_OPEN && !run->calls[i].sent_us
                           ? "\"not_started\""
                           : states[run->calls[i].state]));
        if (run->calls[i].by) {
            insist(look_is(look_member(&one, "\"decision\""),
                           run->calls[i].state == CR_CALL_DENIED ? "\"deny\"" : "\"allow\""));
            insist(look_is(look_member(&one, "\"by\""), "\"application\""));
        }
        look_at_number(look_member(&one, "\"ms\""));
        look_end(&one);
    }
    look_end(&l);
}

static void look_at_metrics(struct look_part object)
{
    static const char *const names[] = {"\"startupTimeMs\"", "\"executionTimeMs\"", "\"cpuTimeMs\"",
                                        "\"waitTimeMs\"",    "\"memoryUsedMB\"",    "\"rpcCalls\""};
    struct look l = look_at(object.at, object.len);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        look_at_number(look_member(&l, names[i]));
    look_end(&l);
}

/* The result has the worker's own bytes; the rest of the envelope has no spaces. */
static void look_at_envelope(const char *envelope, size_t len, struct caprun_run *run)
{
    struct look l = look_at(envelope, len);
    bool success = caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS;
    size_t result_len = 0;
    const char *result = caprun_get_result(run, &result_len);
    struct look_part part = look_member(&l, "\"success\"");

    insist(look_is(part, success ? "true" : "false") && success == (result != NULL));
    if (success) {
        part = look_member(&l, "\"result\"");
        insist(part.at >= (const uint8_t *)envelope && result_len >= part.len);
        insist(memmem(envelope, len, result, result_len));
    } else {
        look_at_error(look_member(&l, "\"error\""), run);
    }
    look_at_logs(look_member(&l, "\"logs\""));
    look_at_attempts(look_member(&l, "\"blocked\""));
    look_at_calls(look_member(&l, "\"calls\""), run);
    look_at_metrics(look_member(&l, "\"metrics\""));
    look_says(look_member(&l, "\"runId\""), run->spec.id, strlen(run->spec.id));
    look_end(&l);
    insist(l.at == l.end);
    for (size_t i = 0; i < len; i++)
        insist((uint8_t)envelope[i] >= 0x20 || (success && envelope[i] == '\t'));
}

static void check_envelope(struct caprun_run *run)
{
    size_t len, result_len;
    const char *envelope = caprun_result_json(run, &len);
    const uint8_t *result = (const uint8_t *)caprun_get_result(run, &result_len);
    const uint8_t *text = (const uint8_t *)envelope;
    int pass;

    insist(envelope && strlen(envelope) == len);
    pass = cr_scan_json(text, len, CR_SCAN_PASS, NULL);
    /* the envelope adds one level to a result of the allowed depth */
    insist(pass == 0 ||
           (pass == CAPRUN_E_TOOBIG && look_whole(envelope, len) == CR_SCAN_MAX_DEPTH + 1));
    if (pass == 0 && !story.nul &&
        (!result || cr_scan_json(result, result_len, CR_SCAN_STRICT, NULL) == 0))
        insist(cr_scan_json(text, len, CR_SCAN_STRICT, NULL) == 0);
    (void)look_whole(envelope, len);
    look_at_envelope(envelope, len, run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct caprun_runtime *rt;
    struct input in = {data, size};
    struct caprun_run *run;

    insist(rt || caprun_new(&rt) == 0);
    insist(caprun_run_new(rt, &run) == 0);
    for (size_t i = 0; i < LINES; i++)
        cr_buf_init(&story.lines[i], 1 << 20);
    story.line_count = story.attempts = 0;
    story.nul = false;
    caprun_run_set_log(run, note_line, NULL);
    run->spec.stop_when_denied = size && data[0] >= 0xf0;
    run->state = CR_RUN_RUNNING;
    run->spec.limits.most =
        (struct wire_limits){LIMIT_DEFAULT_RESULT_BYTES, LIMIT_DEFAULT_LOG_BYTES,
                             LIMIT_DEFAULT_CALLS, LIMIT_DEFAULT_CALLS_AT_ONCE};
    while (in.len && !caprun_done(run))
        happen(run, &in);
    caprun_cancel(run);
    check_envelope(run);
    caprun_run_free(run);
    for (size_t i = 0; i < LINES; i++)
        cr_buf_clear(&story.lines[i]);
    return 0;
}
