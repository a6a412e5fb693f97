/* record.c - lines to a file, blobs to files beside it. */
#include "journal/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "journal/blobs.h"
#include "journal/head.h"
#include "journal/journal.h"
#include "journal/line.h"
#include "pool/envelope.h"
#include "pool/run.h"

#define MAX_WAITING (256u << 20) /* bytes of lines; a line is CR_LINE_MAX at most */
#define FLUSH_AT (64u << 10)
#define SYNC_US 1000000 /* how long what was written may be in the kernel's memory alone */

struct recorder {
    struct cr_recorder hooks;
    struct cr_loop *loop;
    char *path;
    int fd;
    bool may_give_up, only_if_failed, has_key;
    uint8_t key[CR_HASH_BYTES];
    uint64_t max_bytes;

    struct cr_buf text; /* lines that wait */
    uint8_t chain[CR_HASH_BYTES];
    uint64_t bytes; /* in the file */
    uint64_t blob_bytes;
    int64_t at_us; /* the time of the last line */
    bool begun, stopped;
    struct cr_timer sync; /* set while something may not be on disk */
    char note[600];
};

static struct recorder *of(struct cr_recorder *hooks)
{
    return cr_container(hooks, struct recorder, hooks);
}

static const struct recorder *find(const struct caprun_run *run)
{
    return run->recorder ? of(run->recorder) : NULL;
}

/* --- stopping ----------------------------------------------------------------------------------
 */

/* What nobody can go on from must not be there, or who resumes it makes calls a second time. */
static bool can_give_up(struct recorder *r)
{
    bool is_empty = ftruncate(r->fd, 0) == 0;

    cr_blobs_remove(r->path);
    return unlink(r->path) == 0 || is_empty;
}

/* Returns 0 if the run may go on, without a recording. */
static int fail(struct recorder *r, const struct cr_err *why)
{
    r->stopped = true;
    if (!r->may_give_up || !can_give_up(r))
        return why->code;
    (void)snprintf(r->note, sizeof(r->note), "the run is not recorded any more: %s", why->text);
    return 0;
}

/* --- writing ------------------------------------------------------------------------------------
 */

/* A file that could take only a part keeps none of it. */
static int write_lines(struct recorder *r, struct cr_err *err)
{
    if (cr_buf_err(&r->text))
        return cr_err_set(err, cr_buf_err(&r->text), "no memory for the journal");
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

static int flush(struct recorder *r, struct cr_err *err)
{
    if (r->stopped || !r->text.len)
        return 0;
    return write_lines(r, err) < 0 ? fail(r, err) : 0;
}

static void sync_due(struct cr_timer *timer)
{
    (void)fdatasync(cr_container(timer, struct recorder, sync)->fd);
}

/* Begins a line; returns where. */
static size_t begin_line(struct recorder *r, const struct caprun_run *run, struct cr_line *line)
{
    int64_t now = run->job_us && !run->is_prompted ? cr_run_now(run) : 0;
    size_t start = r->text.len;

    if (now > r->at_us)
        r->at_us = now;
    cr_line_begin(line, &r->text, r->at_us);
    return start;
}

static int keep_blobs(struct recorder *r, const struct cr_line *line, struct cr_err *err)
{
    for (int i = 0; i < line->blob_count; i++) {
        if (cr_blobs_write(r->path, &line->blobs[i], err) < 0)
            return err->code;
        r->blob_bytes += line->blobs[i].len;
    }
    return 0;
}

/* The recording stops here; the run does not. */
static int cut(struct recorder *r, struct cr_err *err)
{
    size_t start = r->text.len;
    int code;

    cr_buf_fmt(&r->text, "{\"at\":%lld,\"cut\":\"over %llu bytes\"", (long long)r->at_us,
               (unsigned long long)r->max_bytes);
    cr_line_seal(&r->text, start, r->chain);
    (void)snprintf(r->note, sizeof(r->note),
                   "the run is not recorded any more: its journal is over %llu bytes",
                   (unsigned long long)r->max_bytes);
    code = flush(r, err);
    r->stopped = true;
    return code;
}

/* Ends a line that has begun, and writes what it refers to. */
static int end_line(struct recorder *r, size_t start, const struct cr_line *line,
                    struct cr_err *err)
{
    if (keep_blobs(r, line, err) < 0)
        return fail(r, err);
    cr_line_seal(&r->text, start, r->chain);
    if (cr_buf_err(&r->text)) {
        (void)cr_err_set(err, cr_buf_err(&r->text), "no memory for the journal");
        return fail(r, err);
    }
    if (r->max_bytes && r->bytes + r->blob_bytes + r->text.len > r->max_bytes)
        return cut(r, err);
    return r->text.len > FLUSH_AT ? flush(r, err) : 0;
}

/* The same of one on which something depends: it is written, with all that wait. */
static int end_line_now(struct recorder *r, size_t start, const struct cr_line *line,
                        struct cr_err *err)
{
    return end_line(r, start, line, err) < 0 ? err->code : flush(r, err);
}

/* --- what happens --------------------------------------------------------------------------------
 */

static int begin(struct cr_recorder *hooks, struct caprun_run *run, struct cr_err *err)
{
    struct recorder *r = of(hooks);
    struct cr_line line;
    size_t start = r->text.len;

    if (r->begun || r->stopped)
        return 0;
    r->begun = true;
    cr_line_init(&line, &r->text);
    cr_head_write(&line, run, r->has_key ? r->key : NULL);
    return end_line_now(r, start, &line, err);
}

static int tell(struct cr_recorder *hooks, struct caprun_run *run, const struct wire_header *header,
                const struct wire_part *parts, size_t count, struct cr_err *err)
{
    struct recorder *r = of(hooks);
    struct cr_line line;
    size_t start;

    if (r->stopped)
        return 0;
    /* it has to say what the worker is told, to the microsecond */
    r->at_us = header->type == WIRE_JOB || header->now_us > r->at_us ? header->now_us : r->at_us;
    start = r->text.len;
    cr_line_begin(&line, &r->text, r->at_us);
    cr_line_told(&line, header, parts, count,
                 header->id && header->id <= run->call_count ? &run->calls[header->id - 1] : NULL);
    return end_line_now(r, start, &line, err);
}

static int hear(struct cr_recorder *hooks, struct caprun_run *run, const struct wire_header *header,
                const uint8_t *payload, struct cr_err *err)
{
    struct recorder *r = of(hooks);
    struct cr_line line;
    size_t start;

    if (r->stopped)
        return 0;
    start = begin_line(r, run, &line);
    cr_line_heard(&line, header, payload);
    return end_line(r, start, &line, err);
}

static int send_call(struct cr_recorder *hooks, struct caprun_run *run, uint32_t number,
                     struct cr_err *err)
{
    const struct cr_call *call = &run->calls[number - 1];
    struct recorder *r = of(hooks);
    struct cr_line line;
    size_t start;

    if (r->stopped)
        return 0;
    start = begin_line(r, run, &line);
    cr_buf_str(&r->text, "\"send\":");
    cr_buf_number(&r->text, number);
    if (call->by) {
        cr_buf_str(&r->text, ",\"by\":");
        cr_envelope_add_by(&r->text, call);
    }
    return end_line_now(r, start, &line, err);
}

static int resume(struct cr_recorder *hooks, struct caprun_run *run, struct cr_err *err)
{
    struct recorder *r = of(hooks);
    struct cr_line line;
    char boot[64];
    size_t start;

    if (r->stopped)
        return 0;
    cr_record_boot(boot);
    start = begin_line(r, run, &line);
    cr_buf_fmt(&r->text, "\"resume\":true,\"date\":%lld", (long long)run->date_us);
    cr_line_text(&line, "boot", boot, strlen(boot));
    return end_line_now(r, start, &line, err);
}

static void write_end(struct recorder *r, struct caprun_run *run)
{
    const struct cr_buf *message = &run->error.message;
    struct cr_err err;
    struct cr_line line;
    size_t start = begin_line(r, run, &line);

    cr_buf_fmt(&r->text, "\"end\":\"%s\"", cr_envelope_code(run->outcome));
    if (run->outcome != CAPRUN_OUTCOME_SUCCESS)
        cr_line_text(&line, "message", (const char *)message->data, message->len);
    cr_buf_fmt(&r->text, ",\"calls\":%zu,\"cpuUs\":%lld,\"memoryBytes\":%llu", run->call_count,
               (long long)(run->cpu_us > 0 ? run->cpu_us : 0),
               (unsigned long long)run->memory_used);
    if (end_line(r, start, &line, &err) < 0 || flush(r, &err) < 0)
        (void)snprintf(r->note, sizeof(r->note), "the journal has no end: %s", err.text);
}

/*
 * It was to go on, and something has stopped it before it was where it had been: that is not its
 * end, and it can be tried again.
 */
static bool is_to_be_tried_again(const struct caprun_run *run)
{
    if (!run->is_prompted)
        return false;
    switch ((int)run->outcome) {
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

static void end(struct cr_recorder *hooks, struct caprun_run *run)
{
    struct recorder *r = of(hooks);

    if (!r->stopped && r->begun && !is_to_be_tried_again(run))
        write_end(r, run);
    if (r->only_if_failed && run->outcome == CAPRUN_OUTCOME_SUCCESS)
        cr_record_remove(r->path);
    r->stopped = true;
    cr_loop_unset(r->loop, &r->sync);
}

static void free_recorder(struct cr_recorder *hooks)
{
    struct recorder *r = of(hooks);

    cr_loop_unset(r->loop, &r->sync);
    if (r->fd >= 0 && !r->begun)
        cr_record_remove(r->path); /* there is nothing in it */
    if (r->fd >= 0)
        (void)close(r->fd);
    cr_buf_clear(&r->text);
    free(r->path);
    free(r);
}

/* --- making -------------------------------------------------------------------------------------
 */

/* |fd| becomes the recorder's, also after a failure: NULL, no memory. */
static struct recorder *attach(struct caprun_run *run, const struct cr_record_spec *spec, int fd,
                               struct cr_err *err)
{
    struct recorder *r = calloc(1, sizeof(*r));
    char *path = strdup(spec->path);

    if (!r || !path) {
        free(r);
        free(path);
        (void)close(fd);
        (void)cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a recorder");
        return NULL;
    }
    *r = (struct recorder){.hooks = {.begin = begin,
                                     .tell = tell,
                                     .hear = hear,
                                     .send = send_call,
                                     .resume = resume,
                                     .end = end,
                                     .free = free_recorder},
                           .loop = run->loop,
                           .path = path,
                           .fd = fd,
                           .may_give_up = spec->may_give_up,
                           .only_if_failed = spec->only_if_failed,
                           .has_key = spec->key != NULL,
                           .max_bytes = spec->max_bytes,
                           .sync = {.when_us = -1, .due = sync_due}};
    if (spec->key)
        memcpy(r->key, spec->key, CR_HASH_BYTES);
    cr_buf_init(&r->text, MAX_WAITING);
    run->recorder = &r->hooks;
    return r;
}

int cr_record_new(struct caprun_run *run, const struct cr_record_spec *spec, struct cr_err *err)
{
    int fd;

    if (run->recorder)
        return cr_err_set(err, CAPRUN_E_STATE, "the run is recorded already");
    fd = open(spec->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && errno == EEXIST)
        return cr_err_set(err, CAPRUN_E_SYS, "'%s' is there already, and is not overwritten",
                          spec->path);
    if (fd < 0)
        return cr_err_sys(err, "cannot make '%s'", spec->path);
    (void)cr_file_lock(fd); /* nobody else can have it yet */
    if (!attach(run, spec, fd, err)) {
        (void)unlink(spec->path);
        return err->code;
    }
    return 0;
}

int cr_record_go_on(struct caprun_run *run, const struct cr_record_spec *spec, int fd,
                    const struct cr_journal *journal, struct cr_err *err)
{
    struct recorder *r;

    if (ftruncate(fd, (off_t)journal->whole_len) < 0) {
        (void)cr_err_sys(err, "cannot write '%s'", spec->path);
        (void)close(fd);
        return err->code;
    }
    r = attach(run, spec, fd, err);
    if (!r)
        return err->code;
    r->begun = true;
    r->bytes = journal->whole_len;
    r->blob_bytes = cr_blobs_size(spec->path);
    r->at_us = journal->last_at_us;
    memcpy(r->chain, journal->chain, sizeof(r->chain));
    return 0;
}

void cr_record_limit(struct caprun_run *run, uint64_t max_bytes)
{
    if (run->recorder)
        of(run->recorder)->max_bytes = max_bytes;
}

const char *cr_record_note(const struct caprun_run *run)
{
    return find(run) ? find(run)->note : "";
}

void cr_record_remove(const char *path)
{
    (void)unlink(path);
    cr_blobs_remove(path);
}

void cr_record_boot(char ret[64])
{
    cr_autoclose int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, ret, 63);

    ret[len > 0 ? len : 0] = '\0';
    ret[strcspn(ret, "\n")] = '\0';
}
