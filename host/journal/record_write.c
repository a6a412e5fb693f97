/* record_write.c - writes lines and blobs, syncs them to disk, and stops a recording. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "journal/blobs.h"
#include "journal/mark.h"
#include "journal/record_parts.h"

#define FLUSH_AT (64u << 10)
#define SYNC_US 1000000 /* from a write until it is synced to disk */

/* --- stopping ------------------------------------------------------------------------------- */

/* If jobs may still write blobs, a job removes all blobs after them. */
void cr_record_remove_blobs(struct cr_record *r)
{
    if (!r->has_kept) {
        cr_blobs_remove(r->path);
    } else if (r->removal.state == CR_JOB_IDLE) {
        r->jobs++;
        cr_helper_submit(&r->loop->disk, &r->removal);
    }
}

/* Removes the journal: it lacks calls, so a resume would make them a second time. */
static bool can_give_up(struct cr_record *r)
{
    bool is_empty = ftruncate(r->fd, 0) == 0;

    cr_mark_remove(r->path);
    cr_record_remove_blobs(r);
    return unlink(r->path) == 0 || is_empty;
}

int cr_record_fail(struct cr_record *r, const struct cr_err *why)
{
    r->stopped = true;
    if (!r->may_give_up || !can_give_up(r))
        return why->code;
    (void)snprintf(r->note, sizeof(r->note), "the run is not recorded any more: %.500s", why->text);
    return 0;
}

/* --- writing -------------------------------------------------------------------------------- */

/* Writes all waiting lines; after a partial write, removes the part. */
static int write_lines(struct cr_record *r, struct cr_err *err)
{
    if (cr_buf_err(&r->text))
        return cr_err_set(err, cr_buf_err(&r->text), "no memory for the journal");
    if (r->has_rest && ftruncate(r->fd, (off_t)r->bytes) < 0)
        return cr_err_sys(err, "cannot write '%s'", r->path);
    r->has_rest = false;
    if (cr_file_write_all(r->fd, r->text.data, r->text.len) < 0) {
        (void)cr_err_sys(err, "cannot write '%s'", r->path);
        (void)!ftruncate(r->fd, (off_t)r->bytes);
        return CAPRUN_E_SYS;
    }
    r->bytes += r->text.len;
    cr_buf_drop(&r->text, r->text.len);
    if (r->sync.when_us < 0)
        cr_loop_set(r->loop, &r->sync, cr_loop_now() + SYNC_US);
    return 0;
}

int cr_record_flush(struct cr_record *r, struct cr_err *err)
{
    if (r->stopped || !r->text.len)
        return 0;
    return write_lines(r, err) < 0 ? cr_record_fail(r, err) : 0;
}

int cr_record_mark(struct cr_record *r, struct cr_err *err)
{
    if (r->stopped)
        return 0;
    return cr_mark_write(&r->mark, r->path, r->file, r->bytes, r->chain, err) < 0
               ? cr_record_fail(r, err)
               : 0;
}

/* --- jobs in helper threads ----------------------------------------------------------------- */

void cr_record_free_now(struct cr_record *r)
{
    cr_loop_unset(r->loop, &r->sync); /* writing the last lines may have set it */
    if (r->fd >= 0)
        (void)close(r->fd);
    if (r->mark >= 0)
        (void)close(r->mark);
    cr_buf_clear(&r->text);
    cr_buf_clear(&r->waiting_end);
    free(r->path);
    free(r);
}

void cr_record_end_job(struct cr_record *r)
{
    r->jobs--;
    if (!r->jobs && !r->run)
        cr_record_free_now(r);
}

/* If the last sync is still running, because the disk is slow, waits for the next time. */
static void sync_due(struct cr_timer *timer)
{
    struct cr_record *r = cr_container(timer, struct cr_record, sync);

    if (r->sync_job.state != CR_JOB_IDLE) {
        cr_loop_set(r->loop, &r->sync, cr_loop_now() + SYNC_US);
        return;
    }
    r->jobs++;
    cr_helper_submit(&r->loop->disk, &r->sync_job);
}

/* EINVAL means that files of this kind cannot be synced. */
static void sync_file(struct cr_job *job)
{
    struct cr_record *r = cr_container(job, struct cr_record, sync_job);

    r->sync_errno = fdatasync(r->fd) < 0 && errno != EINVAL ? errno : 0;
}

/* After a failed sync the kernel may drop lines that were written: then the journal is useless. */
static void file_synced(struct cr_job *job)
{
    struct cr_record *r = cr_container(job, struct cr_record, sync_job);
    bool was_awaited = r->awaits_sync;
    struct cr_err err;
    int failed = 0;

    if (r->syncs_again) {
        r->syncs_again = false;
        cr_helper_submit(&r->loop->disk, &r->sync_job);
        return;
    }
    r->awaits_sync = false;
    if (r->sync_errno && r->run && !r->stopped) {
        errno = r->sync_errno;
        (void)cr_err_sys(&err, "cannot write '%s' to the disk", r->path);
        failed = cr_record_fail(r, &err);
    }
    if (failed < 0)
        (void)cr_run_end_unrecorded(r->run, &err);
    else if (was_awaited && r->run)
        cr_run_recorder_ready(r->run);
    cr_record_end_job(r);
}

static void sync_discarded(struct cr_job *job)
{
    cr_record_end_job(cr_container(job, struct cr_record, sync_job));
}

void cr_record_await_sync(struct cr_record *r)
{
    r->awaits_sync = true;
    if (r->sync_job.state != CR_JOB_IDLE) {
        r->syncs_again = true;
        return;
    }
    r->jobs++;
    cr_helper_submit(&r->loop->disk, &r->sync_job);
}

static void remove_all_blobs(struct cr_job *job)
{
    cr_blobs_remove(cr_container(job, struct cr_record, removal)->path);
}

static void blobs_removed(struct cr_job *job)
{
    cr_record_end_job(cr_container(job, struct cr_record, removal));
}

/* --- lines ---------------------------------------------------------------------------------- */

size_t cr_record_begin_line(struct cr_record *r, const struct caprun_run *run, struct cr_buf *text,
                            struct cr_line *line)
{
    struct cr_run_view v = cr_run_look(run);
    int64_t now = v.job_us && !v.is_replaying ? cr_run_now(run) : 0;
    size_t start = text->len;

    if (now > r->at_us)
        r->at_us = now;
    cr_line_begin(line, text, r->at_us);
    return start;
}

static int keep_blobs(struct cr_record *r, const struct cr_line *line, struct cr_err *err)
{
    for (int i = 0; i < line->blob_count; i++) {
        if (line->blobs[i].is_stored)
            continue;
        if (cr_blobs_write(r->path, &line->blobs[i], err) < 0)
            return err->code;
        r->blob_bytes += line->blobs[i].len;
    }
    return 0;
}

int cr_record_cut(struct cr_record *r, struct cr_err *err)
{
    size_t start = r->text.len;
    int code;

    cr_buf_fmt(&r->text, "{\"at\":%lld,\"cut\":\"over %llu bytes\"", (long long)r->at_us,
               (unsigned long long)r->max_bytes);
    cr_line_seal(&r->text, start, r->chain);
    (void)snprintf(r->note, sizeof(r->note),
                   "the run is not recorded any more: its journal is over %llu bytes",
                   (unsigned long long)r->max_bytes);
    code = cr_record_flush(r, err);
    if (code == 0)
        code = cr_record_mark(r, err); /* so that nobody can cut off this line */
    r->stopped = true;
    return code;
}

bool cr_record_is_too_long(const struct cr_record *r, const struct cr_line *line)
{
    uint64_t sum = r->bytes + r->blob_bytes + r->text.len + CR_LINE_SEAL;

    for (int i = 0; i < line->blob_count; i++)
        sum += line->blobs[i].is_stored ? 0 : line->blobs[i].len;
    return sum > r->max_bytes;
}

int cr_record_end_line(struct cr_record *r, size_t start, const struct cr_line *line,
                       struct cr_err *err)
{
    if (!cr_buf_err(&r->text) && cr_record_is_too_long(r, line)) {
        r->text.len = start;
        return cr_record_cut(r, err);
    }
    if (keep_blobs(r, line, err) < 0)
        return cr_record_fail(r, err);
    cr_line_seal(&r->text, start, r->chain);
    if (cr_buf_err(&r->text)) {
        (void)cr_err_set(err, cr_buf_err(&r->text), "no memory for the journal");
        return cr_record_fail(r, err);
    }
    return r->text.len > FLUSH_AT ? cr_record_flush(r, err) : 0;
}

int cr_record_end_line_now(struct cr_record *r, size_t start, const struct cr_line *line,
                           struct cr_err *err)
{
    return cr_record_end_line(r, start, line, err) < 0 ? err->code : cr_record_flush(r, err);
}

void cr_record_init_jobs(struct cr_record *r)
{
    r->sync = (struct cr_timer){.when_us = -1, .due = sync_due, .name = "recorder"};
    r->sync_job = (struct cr_job){
        .work = sync_file, .done = file_synced, .discard = sync_discarded, .name = "recorder"};
    r->removal = (struct cr_job){.work = remove_all_blobs,
                                 .done = blobs_removed,
                                 .discard = blobs_removed,
                                 .name = "recorder"};
}
