/* record_head.c - writes the first and the last line of a journal. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "journal/blob_job.h"
#include "journal/head.h"
#include "journal/mark.h"
#include "journal/record_parts.h"
#include "journal/undo.h"
#include "run/envelope.h"

/* --- the first line ------------------------------------------------------------------------- */

/* Called after the end of the run, when all its lines are written. */
static void remove_if_unwanted(struct cr_record *r)
{
    if (!r->is_unwanted)
        return;
    (void)unlink(r->path);
    cr_mark_remove(r->path);
    cr_record_remove_blobs(r);
}

/* Called when each blob of the first line is stored, or has failed. */
static void finish_head(struct cr_record *r)
{
    struct cr_err err = r->head_failed;
    size_t start;
    int code;

    cr_line_seal(&r->text, 0, r->chain);
    start = r->text.len;
    cr_buf_add(&r->text, r->waiting_end.data, r->waiting_end.len);
    if (r->waiting_end.len)
        cr_line_seal(&r->text, start, r->chain);
    code = err.code ? cr_record_fail(r, &err) : cr_record_flush(r, &err);
    if (!r->run || cr_run_look(r->run).state == CR_RUN_ENDED) {
        r->stopped = true;
        remove_if_unwanted(r);
    } else if (code < 0) {
        (void)cr_run_end_unrecorded(r->run, &err);
    } else {
        cr_run_recorder_ready(r->run);
    }
}

static void head_blob_kept(struct cr_blob_job *b)
{
    struct cr_record *r = b->data;

    for (int i = 0; i < r->head.blob_count; i++)
        if (r->head.blobs[i].len == b->len && !r->head.blobs[i].is_stored) {
            memcpy(r->text.data + r->head.blobs[i].name_at, b->name, CR_HASH_DIGITS);
            r->head.blobs[i].is_stored = true;
            break;
        }
    if (b->err.code)
        r->head_failed = b->err;
    if (--r->unnamed_blobs == 0)
        finish_head(r);
    cr_record_end_job(r);
}

/* Starts a job that stores a blob of the first line. Returns false if there is no memory. */
static bool keep_head_blob(struct cr_record *r, const struct cr_line_blob *blob)
{
    struct cr_shared *shared = cr_shared_copy(blob->bytes, blob->len);
    struct cr_blob_job *b = NULL;

    if (shared)
        b = cr_blob_job_keep(&r->loop->disk, r->path, shared, shared->block, blob->len, true,
                             head_blob_kept, r);
    cr_shared_unref(shared);
    if (!b)
        return false;
    b->is_due = true;
    r->has_kept = true;
    r->blob_bytes += blob->len;
    r->unnamed_blobs++;
    r->jobs++;
    return true;
}

static bool is_long_run(const struct cr_spec *spec)
{
    return cr_line_is_long(spec->code.data, spec->code.len, false) ||
           cr_line_is_long(spec->args.data, spec->args.len, true) ||
           cr_line_is_long(spec->schema.data, spec->schema.len, true) ||
           cr_line_is_long(spec->origin.data, spec->origin.len, true);
}

static int end_head(struct cr_record *r, struct cr_err *err)
{
    if (!cr_buf_err(&r->text))
        return cr_record_flush(r, err);
    (void)cr_err_set(err, cr_buf_err(&r->text), "no memory for the journal");
    return cr_record_fail(r, err);
}

/*
 * Takes the end of the run back. That has to be on disk before the run can make a call: if the
 * machine went down, a journal with an end would not show that the last lines may be missing.
 */
static int undo_end(struct cr_record *r, struct caprun_run *run, struct cr_err *err)
{
    size_t start = r->text.len;
    struct cr_line line;
    char boot[64];

    cr_record_boot(boot);
    cr_line_begin(&line, &r->text, r->at_us);
    cr_buf_fmt(&r->text, "\"undo\":%zu", r->undo_from);
    cr_line_text(&line, "boot", boot, strlen(boot));
    cr_head_add_limits(&r->text, &cr_run_spec(run)->limits);
    cr_line_text(&line, CR_HEAD_FILE, r->file, strlen(r->file));
    cr_line_seal(&r->text, start, r->chain);
    if (cr_record_flush(r, err) < 0)
        return err->code;
    r->undo_from = 0;
    r->has_undone = true;
    cr_record_await_sync(r);
    return 0;
}

int cr_record_begin(struct cr_recorder *hooks, struct caprun_run *run, struct cr_err *err)
{
    struct cr_record *r = cr_record_of(hooks);
    size_t start = r->text.len;
    bool is_too_much;

    if (r->undo_from && !r->stopped)
        return undo_end(r, run, err);
    if (r->begun || r->stopped)
        return 0;
    r->begun = true;
    cr_line_init(&r->head, &r->text);
    r->head.is_nameless = is_long_run(cr_run_spec(run));
    cr_head_write(&r->head, cr_run_spec(run), r->has_key ? r->key : NULL, r->file);
    is_too_much = !cr_buf_err(&r->text) && cr_record_is_too_long(r, &r->head);
    if (is_too_much || !r->head.is_nameless) { /* even a cut journal has a first line */
        r->head.blob_count = is_too_much ? 0 : r->head.blob_count;
        cr_line_seal(&r->text, start, r->chain);
        return is_too_much ? cr_record_cut(r, err) : end_head(r, err);
    }
    for (int i = 0; i < r->head.blob_count && !cr_buf_err(&r->text); i++)
        if (!keep_head_blob(r, &r->head.blobs[i]))
            r->text.err = CAPRUN_E_NOMEM;
    if (!cr_buf_err(&r->text))
        return 0;
    (void)cr_err_set(err, cr_buf_err(&r->text), "no memory for the journal");
    return cr_record_fail(r, err);
}

/* --- the last line -------------------------------------------------------------------------- */

/* If the first line is not written yet, the last line is kept in |waiting_end|. */
static void write_end(struct cr_record *r, struct caprun_run *run)
{
    struct cr_run_view v = cr_run_look(run);
    struct cr_buf *text = r->unnamed_blobs ? &r->waiting_end : &r->text;
    struct cr_err err;
    struct cr_line line;
    size_t start = cr_record_begin_line(r, run, text, &line);

    cr_buf_fmt(text, "\"end\":\"%s\"", cr_envelope_code(v.outcome));
    if (v.outcome != CAPRUN_OUTCOME_SUCCESS)
        cr_line_text(&line, "message", (const char *)v.message->data, v.message->len);
    cr_buf_fmt(text, ",\"calls\":%zu,\"cpuUs\":%lld,\"memoryBytes\":%llu", v.call_count,
               (long long)(v.cpu_us > 0 ? v.cpu_us : 0), (unsigned long long)v.memory_used);
    if (r->unnamed_blobs)
        return;
    if (cr_record_end_line(r, start, &line, &err) < 0 || cr_record_flush(r, &err) < 0)
        (void)snprintf(r->note, sizeof(r->note), "the journal has no end: %.500s", err.text);
}

/*
 * Returns whether a resumed run was stopped before it was live. Its journal then gets no end, so
 * that it can be resumed again. But if it had an end, which was taken back, a limit or a
 * cancellation is its end again.
 */
static bool can_resume_again(const struct cr_record *r, const struct caprun_run *run)
{
    struct cr_run_view v = cr_run_look(run);

    if (!v.is_replaying || (r->has_undone && cr_undo_may_end(v.outcome)))
        return false;
    switch ((int)v.outcome) {
    case CAPRUN_OUTCOME_REPLAY_DIFFERED:
    case CAPRUN_OUTCOME_JOURNAL_INVALID:
    case CAPRUN_OUTCOME_EXECUTION_TIMEOUT:
    case CAPRUN_OUTCOME_CPU_TIMEOUT:
    case CAPRUN_OUTCOME_MEMORY_LIMIT:
    case CAPRUN_OUTCOME_WORKER_TERMINATED:
    case CAPRUN_OUTCOME_INTERNAL:
    case CAPRUN_OUTCOME_CANCELLED:
        return true;
    default:
        return false;
    }
}

void cr_record_end(struct cr_recorder *hooks, struct caprun_run *run)
{
    struct cr_record *r = cr_record_of(hooks);

    if (!r->stopped && r->begun && !can_resume_again(r, run))
        write_end(r, run);
    r->is_unwanted = r->only_if_failed && cr_run_look(run).outcome == CAPRUN_OUTCOME_SUCCESS;
    cr_loop_unset(r->loop, &r->sync);
    if (r->unnamed_blobs)
        return; /* finish_head() does the rest */
    if (cr_run_look(run).outcome == CAPRUN_OUTCOME_APPROVAL_REQUIRED && !r->stopped)
        cr_record_await_sync(r); /* a restart of the machine must not lose what was decided */
    r->stopped = true;
    remove_if_unwanted(r);
}
