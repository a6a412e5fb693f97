/* record.c - records what happens to a run: one line for each message, sent call and resume. */
#include "journal/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "journal/blob_job.h"
#include "journal/blobs.h"
#include "journal/head.h"
#include "journal/journal.h"
#include "journal/line.h"
#include "journal/mark.h"
#include "journal/record_parts.h"
#include "run/envelope.h"
#include "run/run.h"

#define MAX_WAITING (256u << 20) /* bytes of waiting lines; a line is CR_LINE_MAX at most */

static uint64_t limit_or_default(uint64_t max_bytes)
{
    return max_bytes ? max_bytes : CR_RECORD_DEFAULT_BYTES;
}

static struct cr_record *record_of(const struct caprun_run *run)
{
    struct cr_recorder *hooks = cr_run_recorder(run);

    return hooks ? cr_record_of(hooks) : NULL;
}

/* --- long values ---------------------------------------------------------------------------- */

/* The run still exists: otherwise the job was abandoned. */
static void value_kept(struct cr_blob_job *b)
{
    struct cr_keeping *k = b->data;
    struct cr_record *r = cr_record_of(k->recorder);
    bool ends_run = b->err.code && !r->stopped && cr_record_fail(r, &b->err) < 0;

    k->is_stored = b->path && !b->err.code;
    k->is_json = b->is_json;
    if (cr_run_look(r->run).is_replaying && b->is_new)
        r->blob_bytes += b->len;
    k->done(k->data, b->err.code ? NULL : b->name, ends_run ? &b->err : NULL);
}

/*
 * While the run is replaying, most values are stored already, and each needs its hash to be
 * compared. A value that would make the journal too long is only hashed.
 */
static bool keep_value(struct cr_recorder *hooks, struct caprun_run *run, struct cr_keeping *k)
{
    struct cr_record *r = cr_record_of(hooks);
    bool is_too_much = r->bytes + r->blob_bytes + r->text.len + k->len > r->max_bytes;
    bool is_replaying = cr_run_look(run).is_replaying;
    struct cr_blob_job *b;

    if (!is_replaying) {
        r->is_full = r->is_full || is_too_much;
        if (r->stopped || r->is_full)
            return false;
    }
    k->recorder = hooks;
    b = cr_blob_job_keep(&r->loop->disk, r->stopped || is_too_much ? NULL : r->path, k->shared,
                         k->bytes, k->len, k->is_scanned, value_kept, k);
    if (!b)
        return false;
    k->job = &b->job;
    r->has_kept = true;
    r->blob_bytes += is_replaying ? 0 : k->len;
    return true;
}

static bool is_ready(struct cr_recorder *hooks)
{
    const struct cr_record *r = cr_record_of(hooks);

    return !r->unnamed_blobs && !r->awaits_sync;
}

static bool is_busy(struct cr_recorder *hooks)
{
    const struct cr_record *r = cr_record_of(hooks);

    return r->unnamed_blobs || r->awaits_sync || r->removal.state != CR_JOB_IDLE;
}

/* --- messages and calls --------------------------------------------------------------------- */

static int record_sent(struct cr_recorder *hooks, struct caprun_run *run,
                       const struct wire_header *header, const struct wire_part *parts,
                       size_t count, const struct cr_kept *known, struct cr_err *err)
{
    struct cr_record *r = cr_record_of(hooks);
    struct cr_line line;
    size_t start;

    if (r->stopped)
        return 0;
    if (r->is_full)
        return cr_record_cut(r, err);
    /* the line must have the same time as the frame, to the microsecond */
    r->at_us = header->type == WIRE_JOB || header->now_us > r->at_us ? header->now_us : r->at_us;
    start = r->text.len;
    cr_line_begin(&line, &r->text, r->at_us);
    line.known = known;
    cr_line_to_worker(&line, header, parts, count,
                      header->id && header->id <= cr_run_look(run).call_count
                          ? cr_calls_at(run, header->id)
                          : NULL);
    return cr_record_end_line_now(r, start, &line, err);
}

static int record_received(struct cr_recorder *hooks, struct caprun_run *run,
                           const struct wire_header *header, const uint8_t *payload,
                           const struct cr_kept *known, struct cr_err *err)
{
    struct cr_record *r = cr_record_of(hooks);
    struct cr_line line;
    size_t start;

    if (r->stopped)
        return 0;
    if (r->is_full)
        return cr_record_cut(r, err);
    start = cr_record_begin_line(r, run, &r->text, &line);
    line.known = known;
    cr_line_from_worker(&line, header, payload);
    return cr_record_end_line(r, start, &line, err);
}

/* A host that is killed at any time leaves a journal that is as long as its mark says, or longer.
 */
static int begin_mark(struct cr_record *r, struct cr_err *err)
{
    return cr_record_flush(r, err) < 0 ? err->code : cr_record_mark(r, err);
}

static int record_send(struct cr_recorder *hooks, struct caprun_run *run, uint32_t number,
                       const char *tool, struct cr_err *err)
{
    const struct cr_call *call = cr_calls_at(run, number);
    struct cr_record *r = cr_record_of(hooks);
    struct cr_line line;
    size_t start;

    if (r->mark < 0 && begin_mark(r, err) < 0)
        return err->code;
    if (r->stopped)
        return 0;
    start = cr_record_begin_line(r, run, &r->text, &line);
    cr_buf_str(&r->text, "\"send\":");
    cr_buf_number(&r->text, number);
    if (!tool && r->version > 1)
        tool = call->method; /* an application's handler gets no other name */
    if (tool)
        cr_line_text(&line, "tool", tool, strlen(tool));
    if (r->version > 1)
        cr_buf_str(&r->text, ",\"decision\":\"allow\"");
    if (call->by) {
        cr_buf_str(&r->text, ",\"by\":");
        cr_envelope_add_by(&r->text, call);
    }
    return cr_record_end_line_now(r, start, &line, err) < 0 ? err->code : cr_record_mark(r, err);
}

/* --- questions to a person ------------------------------------------------------------------ */

static int record_question(struct cr_recorder *hooks, struct caprun_run *run, uint32_t question,
                           const struct cr_asked_call *calls, size_t count, struct cr_err *err)
{
    struct cr_record *r = cr_record_of(hooks);
    struct cr_line line;
    size_t start;

    if (r->stopped || r->version == 1)
        return 0;
    start = cr_record_begin_line(r, run, &r->text, &line);
    cr_buf_fmt(&r->text, "\"ask\":%u,\"calls\":[", question);
    for (size_t i = 0; i < count; i++) {
        cr_buf_fmt(&r->text, "%s{\"n\":%u", i ? "," : "", calls[i].number);
        cr_escape_member(&r->text, "tool", calls[i].tool);
        cr_escape_member(&r->text, "binding", calls[i].binding);
        cr_buf_str(&r->text, "}");
    }
    cr_buf_str(&r->text, "]");
    return cr_record_end_line_now(r, start, &line, err);
}

/* The decision is synced to the disk soon; a lost one is asked for again. */
static int record_decision(struct cr_recorder *hooks, struct caprun_run *run,
                           const struct cr_decision *d, struct cr_err *err)
{
    struct cr_record *r = cr_record_of(hooks);
    struct cr_run_view v = cr_run_look(run);
    struct cr_line line;
    size_t start;

    if (r->stopped || r->version == 1)
        return 0;
    start = cr_record_begin_line(r, run, &r->text, &line);
    cr_buf_fmt(&r->text, "\"decide\":%u,\"calls\":[", d->question);
    for (size_t i = 0; i < d->count; i++)
        cr_buf_fmt(&r->text, "%s%u", i ? "," : "", d->calls[i].number);
    cr_buf_fmt(&r->text, "],\"decision\":\"%s\",\"for\":\"%s\",\"maxCalls\":%u",
               d->is_allowed ? "allow" : "deny", d->for_run ? "run" : "calls", d->max_calls);
    cr_escape_member(&r->text, "by", d->by);
    cr_buf_fmt(&r->text, ",\"waited\":%lld,\"date\":%lld", (long long)v.waited_us,
               (long long)v.date_us);
    return cr_record_end_line_now(r, start, &line, err);
}

/* A journal of version 1 cannot be resumed after its end; one without a lock only in doubt. */
static bool can_suspend(struct cr_recorder *hooks)
{
    const struct cr_record *r = cr_record_of(hooks);

    return !r->stopped && !r->is_full && r->version > 1 && r->file[0];
}

static int record_resume(struct cr_recorder *hooks, struct caprun_run *run, struct cr_err *err)
{
    struct cr_record *r = cr_record_of(hooks);
    struct cr_line line;
    char boot[CR_RECORD_MARK];
    size_t start;

    if (r->stopped)
        return 0;
    cr_record_boot(boot);
    start = cr_record_begin_line(r, run, &r->text, &line);
    cr_buf_fmt(&r->text, "\"resume\":true,\"date\":%lld", (long long)cr_run_look(run).date_us);
    cr_line_text(&line, "boot", boot, strlen(boot));
    if (r->version > 1) {
        cr_head_add_limits(&r->text, &cr_run_spec(run)->limits);
        cr_line_text(&line, CR_HEAD_FILE, r->file, strlen(r->file));
    }
    return cr_record_end_line_now(r, start, &line, err);
}

/* The file, and with it its lock, is closed when all jobs have ended. */
static void free_recorder(struct cr_recorder *hooks)
{
    struct cr_record *r = cr_record_of(hooks);

    cr_loop_unset(r->loop, &r->sync);
    r->run = NULL;
    if (r->fd >= 0 && !r->begun)
        (void)unlink(r->path); /* the file is empty, and the run has no blobs yet */
    if (!r->jobs)
        cr_record_free_now(r);
}

/* --- making --------------------------------------------------------------------------------- */

/* Takes ownership of |fd|, also on failure. Returns NULL if there is no memory. */
static struct cr_record *new_recorder(struct caprun_run *run, const struct cr_record_spec *spec,
                                      int fd, struct cr_err *err)
{
    struct cr_record *r = calloc(1, sizeof(*r));
    char *path = strdup(spec->path);

    if (!r || !path) {
        free(r);
        free(path);
        (void)close(fd);
        (void)cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a recorder");
        return NULL;
    }
    *r = (struct cr_record){.hooks = {.is_long = cr_line_is_long,
                                      .keep = keep_value,
                                      .is_ready = is_ready,
                                      .is_busy = is_busy,
                                      .begin = cr_record_begin,
                                      .frame_sent = record_sent,
                                      .frame_received = record_received,
                                      .send = record_send,
                                      .ask = record_question,
                                      .decide = record_decision,
                                      .can_suspend = can_suspend,
                                      .resume = record_resume,
                                      .end = cr_record_end,
                                      .free = free_recorder},
                            .version = CR_HEAD_VERSION,
                            .loop = cr_run_look(run).loop,
                            .run = run,
                            .path = path,
                            .fd = fd,
                            .mark = -1,
                            .may_give_up = spec->may_give_up,
                            .only_if_failed = spec->only_if_failed,
                            .has_key = spec->key != NULL,
                            .max_bytes = limit_or_default(spec->max_bytes)};
    cr_record_init_jobs(r);
    if (spec->key)
        memcpy(r->key, spec->key, CR_HASH_BYTES);
    cr_buf_init(&r->text, MAX_WAITING);
    cr_buf_init(&r->waiting_end, MAX_WAITING);
    cr_run_set_recorder(run, &r->hooks);
    return r;
}

/*
 * Locks the new file, and writes its identity to |ret|. A run whose journal is locked by another
 * process, or gone, could be resumed while it goes on, and its calls made twice. Without locks
 * |ret| is "", so that the journal is not resumed as if it had been locked.
 */
static bool is_still_ours(int fd, char ret[CR_RECORD_MARK])
{
    struct stat st;

    ret[0] = '\0';
    if (cr_file_lock(fd) == 0)
        cr_record_file(fd, "", ret);
    else if (errno == EAGAIN)
        return false;
    return fstat(fd, &st) == 0 && st.st_nlink;
}

int cr_record_new(struct caprun_run *run, const struct cr_record_spec *spec, struct cr_err *err)
{
    char file[CR_RECORD_MARK];
    struct cr_record *r;
    int fd;

    if (record_of(run))
        return cr_err_set(err, CAPRUN_E_STATE, "the run is recorded already");
    fd = open(spec->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && errno == EEXIST)
        return cr_err_set(err, CAPRUN_E_SYS, "'%s' is there already, and is not overwritten",
                          spec->path);
    if (fd < 0)
        return cr_err_sys(err, "cannot make '%s'", spec->path);
    if (!is_still_ours(fd, file)) {
        (void)unlink(spec->path); /* it is empty */
        (void)close(fd);
        return cr_err_set(err, CAPRUN_E_SYS, "another process has locked or removed '%s'",
                          spec->path);
    }
    r = new_recorder(run, spec, fd, err);
    if (!r) {
        (void)unlink(spec->path);
        return err->code;
    }
    memcpy(r->file, file, sizeof(file));
    return 0;
}

int cr_record_continue(struct caprun_run *run, const struct cr_record_spec *spec, int fd,
                       const struct cr_journal *journal, size_t undo_from, struct cr_err *err)
{
    struct cr_record *r = new_recorder(run, spec, fd, err);

    if (!r)
        return err->code;
    cr_record_file(fd, "", r->file);
    r->begun = true;
    r->undo_from = undo_from;
    r->has_rest = journal->text.len > journal->whole_len;
    r->version = journal->head.version;
    r->bytes = journal->whole_len;
    r->blob_bytes = cr_blobs_size(spec->path);
    r->at_us = journal->last_at_us;
    memcpy(r->chain, journal->chain, sizeof(r->chain));
    return 0;
}

void cr_record_limit(struct caprun_run *run, uint64_t max_bytes)
{
    if (record_of(run))
        record_of(run)->max_bytes = limit_or_default(max_bytes);
}

const char *cr_record_note(const struct caprun_run *run)
{
    return record_of(run) ? record_of(run)->note : "";
}

void cr_record_remove(const char *path)
{
    (void)unlink(path);
    cr_mark_remove(path);
    cr_blobs_remove(path);
}

void cr_record_boot(char ret[CR_RECORD_MARK])
{
    cr_autoclose int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, ret, CR_RECORD_MARK - 1);

    ret[len > 0 ? len : 0] = '\0';
    ret[strcspn(ret, "\n")] = '\0';
}

/* A deleted file's inode number is used again, so the time of its birth is part of the identity. */
void cr_record_file(int dir, const char *path, char ret[CR_RECORD_MARK])
{
    struct statx s;

    ret[0] = '\0';
    if (statx(dir, path, AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO | STATX_BTIME, &s) == 0)
        (void)snprintf(ret, CR_RECORD_MARK, "%x:%x:%llx:%llx.%x", s.stx_dev_major, s.stx_dev_minor,
                       (unsigned long long)s.stx_ino, (unsigned long long)s.stx_btime.tv_sec,
                       s.stx_btime.tv_nsec);
}
