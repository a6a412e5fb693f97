/* replay.c - sends the recorded messages to the worker again, and ends a replay. */
#include <stdio.h>
#include <string.h>

#include "journal/replay_parts.h"
#include "run/calls.h"
#include "run/decide.h"
#include "run/envelope.h"

/* --- ends ----------------------------------------------------------------------------------- */

/*
 * Returns whether the recorded run was ended by a denied call. Then the run ended when the call
 * came, not when the worker got the last input, the failure.
 */
static bool is_ended_by_denied_call(const struct cr_replay *p)
{
    return p->journal.head.stop_when_denied && p->input_count &&
           p->inputs[p->input_count - 1]->kind == CR_JOURNAL_FAIL;
}

bool cr_replay_ended_from_outside(const struct cr_replay *p)
{
    switch ((int)p->outcome) {
    case CAPRUN_OUTCOME_EXECUTION_TIMEOUT:
    case CAPRUN_OUTCOME_CPU_TIMEOUT:
    case CAPRUN_OUTCOME_MEMORY_LIMIT:
    case CAPRUN_OUTCOME_CANCELLED:
    case CAPRUN_OUTCOME_WORKER_TERMINATED:
    case CAPRUN_OUTCOME_INTERNAL:
        return true;
    case CAPRUN_OUTCOME_PERMISSION_DENIED:
        return is_ended_by_denied_call(p);
    default:
        return !p->journal.has_job;
    }
}

bool cr_replay_is_complete(const struct cr_replay *p)
{
    size_t expected = p->input_count - (is_ended_by_denied_call(p) ? 1 : 0);

    return !p->is_resume && cr_replay_ended_from_outside(p) && p->input_at >= expected &&
           p->call_at >= p->journal.calls && p->log_at == p->log_count &&
           p->attempt_at == p->attempt_count;
}

void cr_replay_end_as_recorded(struct cr_replay *p, struct caprun_run *run)
{
    struct cr_buf message;

    cr_buf_init(&message, 2 * LIMIT_ERROR_MESSAGE_BYTES);
    cr_journal_text(p->journal.end, "message", &message);
    if (cr_buf_text(&message))
        cr_run_set_message(run, "%s", cr_buf_text(&message));
    cr_buf_clear(&message);
    cr_run_end(run, p->outcome);
}

void cr_replay_begun(struct cr_player *hooks, struct caprun_run *run)
{
    struct cr_replay *p = cr_replay_of(hooks);

    if (cr_replay_is_complete(p))
        cr_replay_end_as_recorded(p, run);
}

/* These outcomes come from the replay itself, so they are not a difference. */
static bool is_caused_by_replay(enum caprun_outcome outcome)
{
    return outcome == CAPRUN_OUTCOME_REPLAY_DIFFERED || outcome == CAPRUN_OUTCOME_JOURNAL_INVALID ||
           outcome == CAPRUN_OUTCOME_CANCELLED || outcome == CAPRUN_OUTCOME_INTERNAL;
}

/* A limit may be reached before the run is where it was; the rest is still in the journal. */
static bool has_stopped_again(const struct cr_replay *p, enum caprun_outcome outcome)
{
    return p->is_resume &&
           (outcome == CAPRUN_OUTCOME_EXECUTION_TIMEOUT || outcome == CAPRUN_OUTCOME_CPU_TIMEOUT ||
            outcome == CAPRUN_OUTCOME_MEMORY_LIMIT || outcome == CAPRUN_OUTCOME_WORKER_TERMINATED);
}

bool cr_replay_is_by_lower_limit(struct caprun_run *run, enum caprun_outcome outcome)
{
    const struct cr_spec *spec = cr_run_spec(run);

    return (outcome == CAPRUN_OUTCOME_MEMORY_LIMIT && spec->recorded.memory) ||
           (outcome == CAPRUN_OUTCOME_EXECUTION_TIMEOUT && spec->recorded.wall_ms) ||
           (outcome == CAPRUN_OUTCOME_CPU_TIMEOUT && spec->recorded.cpu_ms);
}

void cr_replay_end(struct cr_player *hooks, struct caprun_run *run, enum caprun_outcome *outcome)
{
    struct cr_replay *p = cr_replay_of(hooks);
    size_t made = cr_run_look(run).call_count;

    cr_loop_unset(p->loop, &p->timer);
    for (uint32_t n = 1; n <= made; n++) {
        uint32_t recorded = cr_replay_recorded_number(p, n);

        if (cr_calls_at(run, n)->state == CR_CALL_OPEN && recorded &&
            recorded <= p->journal.calls && p->calls[recorded - 1].is_sent)
            cr_calls_show_sent(run, n);
    }
    if (is_caused_by_replay(*outcome) || cr_replay_is_complete(p) ||
        cr_replay_is_by_lower_limit(run, *outcome) || has_stopped_again(p, *outcome))
        return;
    if (cr_replay_report_missing(p, run, "the run has ended without it")) {
        *outcome = CAPRUN_OUTCOME_REPLAY_DIFFERED;
    } else if (!p->is_resume && *outcome != p->outcome) {
        cr_run_set_message(run, "The end is not what was recorded\nrecorded: %s\nnow:      %s",
                           cr_envelope_code(p->outcome), cr_envelope_code(*outcome));
        *outcome = CAPRUN_OUTCOME_REPLAY_DIFFERED;
    }
}

/* --- the next input ------------------------------------------------------------------------- */

void cr_replay_fail_run(struct caprun_run *run, const struct cr_err *why)
{
    cr_run_set_message(run, "%s", why->text);
    cr_run_hint(run, why->hint);
    cr_run_end(run, why->outcome);
}

void cr_replay_set_decider(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    size_t at = p->calls[cr_replay_recorded_number(p, number) - 1].by_at;

    cr_decide_rule(run, number,
                   &(struct cr_ruling){.by = at ? (const char *)p->texts.data + at : NULL});
}

/* Shows the recorded duration of the call in the envelope. */
static void show_time(const struct cr_replay *p, struct caprun_run *run,
                      const struct cr_journal_line *line)
{
    uint32_t recorded = cr_replay_recorded_number(p, line->n);

    cr_calls_show_time(run, line->n, (uint64_t)(line->at_us - p->calls[recorded - 1].made->at_us));
}

/* |json| is known to be JSON. */
static void send_answer(struct cr_replay *p, struct caprun_run *run,
                        const struct cr_journal_line *line, struct cr_buf *json)
{
    struct cr_buf kind;
    bool is_tool;

    cr_buf_init(&kind, 64);
    cr_journal_text(line, "kind", &kind);
    is_tool = kind.len == 4 && memcmp(kind.data, "tool", 4) == 0;
    cr_buf_clear(&kind);
    cr_replay_set_decider(p, run, line->n);
    if (cr_calls_reply_scanned(run, line->n, is_tool ? WIRE_REPLY_TOOL : WIRE_REPLY_VALUE,
                               (const char *)json->data, json->len, &json->data) < 0 &&
        cr_run_look(run).state != CR_RUN_ENDED) {
        cr_run_set_message(run, "%s:%zu: the answer to call %u cannot be sent", p->journal.path,
                           line->number, line->n);
        cr_run_end(run, CAPRUN_OUTCOME_JOURNAL_INVALID);
    }
    show_time(p, run, line);
}

bool cr_replay_read_blob(struct cr_replay *p, const struct cr_journal_line *line, const char *name,
                         size_t len, bool is_args, void (*done)(struct cr_blob_job *b))
{
    struct cr_err why;

    p->blob_line = line;
    p->reading = cr_blob_job_read(&p->loop->disk, p->journal.path, name, len, is_args, done, p);
    if (p->reading)
        return true;
    (void)cr_err_memory(&why);
    cr_replay_fail_run(p->run, &why);
    return false;
}

bool cr_replay_is_blob_usable(struct cr_replay *p, const struct cr_journal_line *line,
                              const struct cr_blob_job *b)
{
    size_t number = line->number;
    struct cr_err why;

    p->reading = NULL;
    if (cr_run_look(p->run).state != CR_RUN_RUNNING)
        return false;
    if (!b->err.code)
        return true;
    (void)cr_journal_reject_blob(&p->journal, number, &b->err, &why);
    cr_replay_fail_run(p->run, &why);
    return false;
}

static void end_input(struct cr_replay *p, struct caprun_run *run);

static void answer_blob_read(struct cr_blob_job *b)
{
    struct cr_replay *p = b->data;

    if (!cr_replay_is_blob_usable(p, p->blob_line, b))
        return;
    send_answer(p, p->run, p->blob_line, &b->read);
    end_input(p, p->run);
}

static void replay_reply(struct cr_replay *p, struct caprun_run *run,
                         const struct cr_journal_line *line)
{
    char name[CR_HASH_DIGITS + 1];
    struct cr_err why;
    struct cr_buf json;
    size_t len;
    int r = cr_journal_blob(&p->journal, line, "json", name, &len, &why);

    if (r > 0) {
        (void)cr_replay_read_blob(p, line, name, len, false, answer_blob_read);
        return;
    }
    cr_buf_init(&json, LIMIT_ANSWER_BYTES);
    if (r < 0 || cr_journal_json(&p->journal, line, "json", &json, &why) < 0)
        cr_replay_fail_run(run, &why);
    else
        send_answer(p, run, line, &json);
    cr_buf_clear(&json);
}

static void deny_call(struct caprun_run *run, uint32_t number, const char *message)
{
    struct cr_ruling ruling = {.answer = CR_RULING_DENIED, .by = cr_calls_at(run, number)->by};

    (void)cr_err_end(&ruling.why, CAPRUN_OUTCOME_PERMISSION_DENIED, NULL, "%s", message);
    cr_decide_deny(run, number, &ruling);
}

static void fail_call(struct caprun_run *run, uint32_t number, const char *state, const char *code,
                      const struct cr_buf *message)
{
    enum caprun_outcome outcome = cr_envelope_outcome(code);
    struct cr_err unused;

    (void)cr_calls_end(run, number,
                       strcmp(state, "unknown") == 0 ? CR_CALL_UNKNOWN : CR_CALL_FAILED, outcome,
                       message->data ? (const char *)message->data : "", message->len, &unused);
}

static void replay_failure(struct cr_replay *p, struct caprun_run *run,
                           const struct cr_journal_line *line)
{
    struct cr_buf state, code, message;
    const char *state_text, *code_text, *message_text;

    cr_buf_init(&state, 64);
    cr_buf_init(&code, 128);
    cr_buf_init(&message, LIMIT_ERROR_MESSAGE_BYTES + 1);
    cr_journal_text(line, "state", &state);
    cr_journal_text(line, "code", &code);
    cr_journal_text(line, "message", &message);
    state_text = cr_buf_text(&state);
    code_text = cr_buf_text(&code);
    message_text = cr_buf_text(&message);
    cr_replay_set_decider(p, run, line->n);
    if (!state_text || !code_text || !message_text) {
        cr_run_set_message(run, "%s:%zu: this failure of a call is not valid", p->journal.path,
                           line->number);
        cr_run_end(run, CAPRUN_OUTCOME_JOURNAL_INVALID);
    } else if (strcmp(state_text, "denied") == 0) {
        deny_call(run, line->n, message_text);
    } else {
        fail_call(run, line->n, state_text, code_text, &message);
    }
    show_time(p, run, line);
    cr_buf_clear(&state);
    cr_buf_clear(&code);
    cr_buf_clear(&message);
}

static void end_input(struct cr_replay *p, struct caprun_run *run)
{
    if (cr_run_look(run).state == CR_RUN_RUNNING && cr_replay_is_complete(p))
        cr_replay_end_as_recorded(p, run);
    if (cr_run_look(run).state == CR_RUN_RUNNING)
        cr_run_schedule(run);
}

void cr_replay_give(struct cr_replay *p, struct caprun_run *run, const struct cr_journal_line *line)
{
    if (line->kind == CR_JOURNAL_REPLY)
        replay_reply(p, run, line);
    else if (line->kind == CR_JOURNAL_FAIL)
        replay_failure(p, run, line);
    else
        cr_run_wake(run);
    if (!p->reading)
        end_input(p, run);
}

static void replay_input(struct cr_replay *p, struct caprun_run *run,
                         const struct cr_journal_line *line)
{
    p->input_at++;
    cr_run_set_time(run, line->at_us, line->date_us);
    cr_replay_give(p, run, line);
}

/* The worker waits, and all recorded input was given. */
static void report_waiting(struct cr_replay *p, struct caprun_run *run)
{
    if (cr_run_look(run).call_count < p->journal.calls) {
        cr_replay_report_missing_call(p, run, (uint32_t)cr_run_look(run).call_count + 1);
        return;
    }
    cr_run_set_message(run,
                       "The code waits, but the recorded run did not\nrecorded: the end, %s\n"
                       "now:      it waits for %s",
                       cr_envelope_code(p->outcome),
                       cr_run_look(run).calls_open ? "the answer of a call" : "a timer");
    cr_run_end(run, CAPRUN_OUTCOME_REPLAY_DIFFERED);
}

/* If a recorded call came only when the run is live, it would be taken for new and made twice. */
static bool report_missing_before_live(struct cr_replay *p, struct caprun_run *run)
{
    return cr_replay_report_missing(p, run, "the code waits, and has not done this");
}

bool cr_replay_next(struct cr_player *hooks, struct caprun_run *run)
{
    struct cr_replay *p = cr_replay_of(hooks);
    const struct cr_journal_line *line =
        p->input_at < p->input_count ? p->inputs[p->input_at] : NULL;

    if (p->reading)
        return true; /* the worker has reported a second time that it waits */
    if (p->compare != CR_REPLAY_EXACT)
        return cr_match_next(p, run);
    if (line && line->n > cr_run_look(run).call_count) {
        cr_replay_report_missing_call(p, run, line->n);
    } else if (line && p->in_real_time && line->at_us > cr_run_now(run)) {
        cr_loop_set(p->loop, &p->timer, cr_run_look(run).job_us + line->at_us);
    } else if (line) {
        replay_input(p, run, line);
    } else if (p->is_resume && report_missing_before_live(p, run)) {
        cr_run_end(run, CAPRUN_OUTCOME_REPLAY_DIFFERED);
    } else if (p->is_resume) {
        cr_replay_go_live(p, run);
        return false;
    } else if (cr_run_look(run).wake_us < 0 && !cr_run_look(run).calls_open) {
        return false; /* the run is stalled; perhaps that is the recorded end */
    } else {
        report_waiting(p, run);
    }
    return true;
}

void cr_replay_timer_due(struct cr_timer *timer)
{
    struct cr_replay *p = cr_container(timer, struct cr_replay, timer);

    (void)cr_replay_next(&p->hooks, p->run);
}
