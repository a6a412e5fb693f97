/* compare.c - compares the messages of the worker with the recorded ones, and shows differences. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal/diff.h"
#include "base/locate.h"
#include "journal/line.h"
#include "journal/replay_parts.h"
#include "run/decide.h"

#define MAX_NEW_ARGS (64u << 20) /* the same as what may wait for a server */
#define MAX_MESSAGE (LIMIT_ERROR_MESSAGE_BYTES - 1u)

/* --- messages ------------------------------------------------------------------------------- */

/* Ends the run with REPLAY_DIFFERED and |message|. */
static void end_as_different(struct caprun_run *run, struct cr_buf *message)
{
    const char *text = cr_buf_text(message);

    cr_run_set_message(run, "%s",
                       text ? text : "The run differs, and that is too long to be shown");
    cr_run_end(run, CAPRUN_OUTCOME_REPLAY_DIFFERED);
}

/* Appends the text |name| of the line, for a person. A long text is a blob, and not shown. */
static void add_text(struct cr_buf *out, const struct cr_journal_line *line, const char *name)
{
    struct cr_buf text;
    size_t len;

    if (!cr_locate_member(line->text, line->len, name, &len)) {
        cr_buf_str(out, "(too long to be shown)");
        return;
    }
    cr_buf_init(&text, CR_LINE_MAX);
    cr_journal_text(line, name, &text);
    cr_diff_cut(out, text.data ? (const char *)text.data : "", text.len);
    cr_buf_clear(&text);
}

/* Appends the JSON |name| of the line. A long value is a blob, and not shown. */
static void add_json(struct cr_buf *out, const struct cr_journal_line *line, const char *name)
{
    size_t len = 0;
    const char *json = cr_locate_member(line->text, line->len, name, &len);

    if (json)
        cr_diff_cut(out, json, len);
    else
        cr_buf_str(out, "(too long to be shown)");
}

/* Describes the recorded message in one line. */
static void describe(struct cr_buf *out, const struct cr_journal_line *line)
{
    switch (line->kind) {
    case CR_JOURNAL_CALL:
        add_text(out, line, "method");
        cr_buf_str(out, " ");
        add_json(out, line, "args");
        break;
    case CR_JOURNAL_LOG:
        add_text(out, line, "line");
        break;
    case CR_JOURNAL_BLOCKED:
        add_text(out, line, "message");
        break;
    case CR_JOURNAL_DONE:
        cr_buf_str(out, "it returned ");
        add_json(out, line, "result");
        break;
    case CR_JOURNAL_THREW:
        cr_buf_str(out, "it threw ");
        add_text(out, line, "name");
        cr_buf_str(out, ": ");
        add_text(out, line, "message");
        break;
    case CR_JOURNAL_LATE:
        cr_buf_str(out, "it took too long");
        break;
    case CR_JOURNAL_FULL:
        cr_buf_str(out, "its memory was full");
        break;
    case CR_JOURNAL_JOB:
    case CR_JOURNAL_REPLY:
    case CR_JOURNAL_FAIL:
    case CR_JOURNAL_WAKE:
    case CR_JOURNAL_SEND:
    case CR_JOURNAL_ASK:
    case CR_JOURNAL_DECIDE:
    case CR_JOURNAL_RESUME:
    case CR_JOURNAL_UNDO:
    case CR_JOURNAL_END:
    case CR_JOURNAL_CUT:
        break;
    }
}

static void add_described(struct cr_buf *out, const char *label, const struct cr_journal_line *line)
{
    cr_buf_str(out, label);
    if (line)
        describe(out, line);
    else
        cr_buf_str(out, "nothing");
    cr_buf_str(out, "\n");
}

/* Appends the places where args, or results, differ. */
static void add_places(struct cr_buf *out, const struct cr_journal_line *recorded,
                       const struct cr_journal_line *now, const char *name)
{
    size_t recorded_len = 0, now_len = 0;
    const char *a = cr_locate_member(recorded->text, recorded->len, name, &recorded_len);
    const char *b = cr_locate_member(now->text, now->len, name, &now_len);

    if (a && b)
        cr_diff_json(out, a, recorded_len, b, now_len);
}

void cr_replay_make_line(struct cr_buf *text, enum cr_journal_kind kind, const struct cr_buf *body,
                         struct cr_journal_line *ret)
{
    cr_buf_init(text, CR_LINE_MAX);
    cr_buf_str(text, "{");
    cr_buf_add(text, body->data, body->len);
    *ret = (struct cr_journal_line){
        .kind = kind, .text = (const char *)text->data, .len = cr_buf_err(text) ? 0 : text->len};
}

static void add_name(struct cr_buf *out, enum cr_journal_kind kind, size_t number)
{
    switch ((int)kind) {
    case CR_JOURNAL_CALL:
        cr_buf_fmt(out, "Call %zu", number);
        break;
    case CR_JOURNAL_LOG:
        cr_buf_fmt(out, "Line %zu of the log", number);
        break;
    case CR_JOURNAL_BLOCKED:
        cr_buf_fmt(out, "Attempt %zu on what is denied", number);
        break;
    default:
        cr_buf_str(out, "The end");
        break;
    }
}

void cr_replay_report_difference(struct cr_replay *p, struct caprun_run *run,
                                 enum cr_journal_kind kind, size_t number,
                                 const struct cr_journal_line *recorded)
{
    struct cr_journal_line now;
    struct cr_buf message, text;

    cr_replay_make_line(&text, kind, &p->body, &now);
    cr_buf_init(&message, MAX_MESSAGE);
    add_name(&message, kind, number);
    cr_buf_str(&message, recorded ? " is not what was recorded\n" : " is new\n");
    add_described(&message, "recorded: ", recorded);
    add_described(&message, "now:      ", &now);
    if (recorded && kind == CR_JOURNAL_CALL && recorded->kind == kind)
        add_places(&message, recorded, &now, "args");
    if (recorded && kind == CR_JOURNAL_DONE && recorded->kind == kind)
        add_places(&message, recorded, &now, "result");
    end_as_different(run, &message);
    cr_buf_clear(&message);
    cr_buf_clear(&text);
}

void cr_replay_report_missing_call(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    struct cr_buf message;

    cr_buf_init(&message, MAX_MESSAGE);
    cr_buf_fmt(&message, "Call %u is missing\n", number);
    add_described(&message, "recorded: ", p->calls[number - 1].made);
    cr_buf_str(&message, "now:      the code waits, and has not made it\n");
    end_as_different(run, &message);
    cr_buf_clear(&message);
}

bool cr_replay_report_missing(struct cr_replay *p, struct caprun_run *run, const char *now)
{
    const struct cr_journal_line *line = NULL;
    struct cr_buf message;
    size_t number = 0;

    if (p->compare != CR_REPLAY_EXACT) {
        number = cr_match_find_missing(p);
        line = number ? p->calls[number - 1].made : NULL;
    } else if (p->call_at < p->journal.calls) {
        number = p->call_at + 1;
        line = p->calls[number - 1].made;
    } else if (p->log_at < p->log_count) {
        number = p->log_at + 1;
        line = p->logs[number - 1];
    } else if (p->attempt_at < p->attempt_count) {
        number = p->attempt_at + 1;
        line = p->attempts[number - 1];
    }
    if (!line)
        return false;
    cr_buf_init(&message, MAX_MESSAGE);
    add_name(&message, line->kind, number);
    cr_buf_str(&message, " is missing\n");
    add_described(&message, "recorded: ", line);
    cr_buf_fmt(&message, "now:      %s\n", now);
    cr_run_set_message(
        run, "%s", cr_buf_text(&message) ? cr_buf_text(&message) : "A recorded message is missing");
    cr_buf_clear(&message);
    return true;
}

/* --- comparing ------------------------------------------------------------------------------ */

static enum cr_journal_kind kind_of_frame(unsigned type)
{
    switch (type) {
    case WIRE_CALL:
        return CR_JOURNAL_CALL;
    case WIRE_LOG:
        return CR_JOURNAL_LOG;
    case WIRE_BLOCKED:
        return CR_JOURNAL_BLOCKED;
    case WIRE_DONE:
        return CR_JOURNAL_DONE;
    case WIRE_THREW:
        return CR_JOURNAL_THREW;
    case WIRE_LATE:
        return CR_JOURNAL_LATE;
    default:
        return CR_JOURNAL_FULL;
    }
}

/* Returns the recorded message to compare with, or NULL. */
static const struct cr_journal_line *
find_recorded(const struct cr_replay *p, enum cr_journal_kind kind, uint32_t id, size_t *ret_number)
{
    switch ((int)kind) {
    case CR_JOURNAL_CALL:
        *ret_number = id;
        return id <= p->journal.calls ? p->calls[id - 1].made : NULL;
    case CR_JOURNAL_LOG:
        *ret_number = p->log_at + 1;
        return p->log_at < p->log_count ? p->logs[p->log_at] : NULL;
    case CR_JOURNAL_BLOCKED:
        *ret_number = p->attempt_at + 1;
        return p->attempt_at < p->attempt_count ? p->attempts[p->attempt_at] : NULL;
    default:
        *ret_number = 0;
        return p->last;
    }
}

/* If the code was changed, its stacks differ: do not compare them. */
static size_t length_to_compare(const struct cr_replay *p, const char *body, size_t len)
{
    const char *stack =
        p->has_other_code ? memmem(body, len, cr_line_stack, strlen(cr_line_stack)) : NULL;

    return stack ? (size_t)(stack - body) : len;
}

static bool is_same(const struct cr_replay *p, const struct cr_journal_line *line)
{
    size_t recorded = length_to_compare(p, line->body, line->body_len);
    size_t now = length_to_compare(p, (const char *)p->body.data, p->body.len);

    return recorded == now && memcmp(line->body, p->body.data, now) == 0;
}

static void count_as_compared(struct cr_replay *p, enum cr_journal_kind kind)
{
    if (kind == CR_JOURNAL_CALL)
        p->call_at++;
    else if (kind == CR_JOURNAL_LOG)
        p->log_at++;
    else if (kind == CR_JOURNAL_BLOCKED)
        p->attempt_at++;
    if (cr_replay_is_complete(p))
        cr_replay_end_as_recorded(p, p->run);
}

/* Keeps the args of a call that is not recorded: they are needed when the run is live. */
static void keep_args(struct cr_replay *p, struct caprun_run *run, const struct wire_header *header,
                      const uint8_t *payload)
{
    struct cr_replay_args *kept;
    struct cr_err verdict = {0};
    struct wire_call names;
    size_t before, len;
    bool is_judged;

    memcpy(&names, payload, sizeof(names));
    before = sizeof(names) + (size_t)names.namespace_len + names.action_len;
    len = header->length - before;
    is_judged = cr_decide_verdict(run, payload + before, len, &verdict);
    if (is_judged && verdict.code) {
        len = 0; /* the reason is enough to refuse the call */
    } else if (p->new_bytes + len > MAX_NEW_ARGS) {
        len = 0; /* the call will be refused */
        is_judged = false;
    }
    kept = malloc(sizeof(*kept) + len);
    if (!kept) {
        cr_run_set_message(run, "No memory for the args of calls");
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return;
    }
    *kept =
        (struct cr_replay_args){.len = (uint32_t)len, .is_judged = is_judged, .verdict = verdict};
    memcpy(kept->bytes, payload + before, len);
    *p->last_new_args = kept;
    p->last_new_args = &kept->next;
    p->new_bytes += sizeof(*kept) + len;
}

static void value_hashed(struct cr_blob_job *b)
{
    struct cr_keeping *k = b->data;

    k->is_json = b->is_json;
    k->done(k->data, b->name, NULL);
}

bool cr_replay_keep(struct cr_player *hooks, struct caprun_run *run, struct cr_keeping *k)
{
    struct cr_blob_job *b = cr_blob_job_keep(&cr_replay_of(hooks)->loop->disk, NULL, k->shared,
                                             k->bytes, k->len, k->is_scanned, value_hashed, k);

    (void)run;
    k->job = b ? &b->job : NULL;
    return b != NULL;
}

/* Writes the body of the message to |p->body|. Returns false if that has ended the run. */
static bool make_body(struct cr_replay *p, struct caprun_run *run, const struct wire_header *header,
                      const uint8_t *payload, const struct cr_kept *known)
{
    struct cr_line line;

    cr_buf_drop(&p->body, p->body.len);
    cr_line_init(&line, &p->body);
    line.known = known;
    cr_line_from_worker(&line, header, payload);
    if (!cr_buf_err(&p->body))
        return true;
    cr_run_set_message(run, "No memory to compare with");
    cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
    return false;
}

bool cr_replay_frame_received(struct cr_player *hooks, struct caprun_run *run,
                              const struct wire_header *header, const uint8_t *payload,
                              const struct cr_kept *known)
{
    struct cr_replay *p = cr_replay_of(hooks);
    enum cr_journal_kind kind = kind_of_frame(header->type);
    const struct cr_journal_line *recorded;
    size_t number;

    if ((kind == CR_JOURNAL_FULL &&
         cr_replay_is_by_lower_limit(run, CAPRUN_OUTCOME_MEMORY_LIMIT)) ||
        (kind == CR_JOURNAL_LATE &&
         cr_replay_is_by_lower_limit(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT)))
        return true; /* neither compare nor record it */
    if (p->compare != CR_REPLAY_EXACT) {
        if (make_body(p, run, header, payload, known))
            cr_match_frame(p, run, kind, header->id);
        return true;
    }
    recorded = find_recorded(p, kind, header->id, &number);
    if (!recorded && p->is_resume) {
        if (kind == CR_JOURNAL_CALL)
            keep_args(p, run, header, payload);
        return false;
    }
    if (!recorded && cr_replay_ended_from_outside(p))
        return true;
    if (make_body(p, run, header, payload, known) && recorded && is_same(p, recorded))
        count_as_compared(p, kind);
    else if (cr_run_look(run).state != CR_RUN_ENDED)
        cr_replay_report_difference(p, run, kind, number, recorded);
    return recorded != NULL;
}
