/*
 * record_parts.h - what the files that make up a recorder share: record.c, what happens to a run;
 * record_head.c, the first line, and the last; record_write.c, lines to the file, and jobs.
 */
#ifndef CR_RECORD_PARTS_H
#define CR_RECORD_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/loop.h"
#include "journal/line.h"
#include "journal/record.h"
#include "run/calls.h"
#include "run/run.h"

struct cr_record {
    struct cr_recorder hooks;
    struct cr_loop *loop;
    struct caprun_run *run; /* NULL: it is freed, and this too when |jobs| is 0 */
    char *path;
    int fd;
    bool may_give_up, only_if_failed, has_key;
    uint8_t key[CR_HASH_BYTES];
    uint64_t max_bytes;

    struct cr_buf text; /* lines that wait */
    uint8_t chain[CR_HASH_BYTES];
    unsigned version; /* of the format */
    uint64_t bytes;   /* in the file */
    uint64_t blob_bytes;
    int64_t at_us; /* the time of the last line */
    bool begun, stopped;
    bool is_full; /* the next line will be left out, and the recording cut */

    unsigned jobs;        /* of its own, beside the loop */
    struct cr_timer sync; /* set while something may not be on disk */
    struct cr_job sync_job, removal;
    bool has_kept;             /* blobs may be being written */
    struct cr_line head;       /* the first line, whose blobs have no names yet */
    int unnamed;               /* of these */
    struct cr_buf late_end;    /* the last line, if the run has ended before the first is written */
    bool is_to_go;             /* the run has succeeded, and only failures are kept */
    struct cr_err head_failed; /* a blob of the first line could not be written */
    char note[600];
};

static inline struct cr_record *cr_record_of(struct cr_recorder *hooks)
{
    return cr_container(hooks, struct cr_record, hooks);
}

/* --- record_write.c ------------------------------------------------------------------------- */

/* It cannot be written, and |why|. Returns 0 if the run may go on, without a recording. */
int cr_record_fail(struct cr_record *r, const struct cr_err *why);

/* Writes the lines that wait. */
int cr_record_flush(struct cr_record *r, struct cr_err *err);

/* Begins a line in |text|; returns where. */
size_t cr_record_begin_line(struct cr_record *r, const struct caprun_run *run, struct cr_buf *text,
                            struct cr_line *line);

/* Would the journal have too many bytes with |line|, which is at the end of |r->text|? */
bool cr_record_is_too_long(const struct cr_record *r, const struct cr_line *line);

/*
 * Ends a line that has begun, and writes what it refers to. A line that is too long is left out,
 * and nothing of it is written. The second is for a line on which something depends: it is written,
 * with all that wait.
 */
int cr_record_end_line(struct cr_record *r, size_t start, const struct cr_line *line,
                       struct cr_err *err);
int cr_record_end_line_now(struct cr_record *r, size_t start, const struct cr_line *line,
                           struct cr_err *err);

/* The recording stops here; the run does not. */
int cr_record_cut(struct cr_record *r, struct cr_err *err);

/* Removes the blobs, after those that are still being written. */
void cr_record_remove_blobs(struct cr_record *r);

/* Gives it its jobs, which are idle. */
void cr_record_init_jobs(struct cr_record *r);

/* A job of its own has ended. May free it. */
void cr_record_end_job(struct cr_record *r);
void cr_record_free_now(struct cr_record *r);

/* --- record_head.c -------------------------------------------------------------------------- */

int cr_record_begin(struct cr_recorder *hooks, struct caprun_run *run, struct cr_err *err);
void cr_record_end(struct cr_recorder *hooks, struct caprun_run *run);

#endif
