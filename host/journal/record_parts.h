/*
 * record_parts.h - shared by the files of the recorder: record.c records what happens to a run,
 * record_head.c writes the first and the last line, record_write.c writes lines and runs jobs.
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
    struct caprun_run *run; /* NULL: the run is freed; free the recorder when |jobs| is 0 */
    char *path;
    int fd, mark;              /* |mark|: -1 until the first call is sent */
    char file[CR_RECORD_MARK]; /* identity of the file; "": it could not be locked */
    bool may_give_up, only_if_failed, has_key;
    uint8_t key[CR_HASH_BYTES];
    uint64_t max_bytes;

    struct cr_buf text; /* lines that are not written yet */
    uint8_t chain[CR_HASH_BYTES];
    unsigned version; /* of the format */
    uint64_t bytes;   /* in the file */
    uint64_t blob_bytes;
    int64_t at_us; /* the time of the last line */
    bool begun, stopped;
    size_t undo_from; /* begin() takes the end of the run back, from this line on; 0: no end */
    bool has_undone;  /* it has done so */
    bool awaits_sync; /* the run may not begin before the file is synced, or is not complete */
    bool syncs_again; /* when the running sync has ended */
    bool has_rest;    /* after |bytes| the file has an incomplete line, cut off by the next write */
    bool is_full;     /* over max_bytes: instead of the next line the recording is cut */

    unsigned jobs;        /* that this recorder has in helper threads */
    struct cr_timer sync; /* set while written lines may not be on disk */
    struct cr_job sync_job, removal;
    int sync_errno;            /* of the last sync; 0: it succeeded */
    bool has_kept;             /* jobs may be writing blobs */
    struct cr_line head;       /* the first line, until its blobs have names */
    int unnamed_blobs;         /* blobs of |head| that have no name yet */
    struct cr_buf waiting_end; /* the last line, if the run ends before the first is written */
    bool is_unwanted;          /* remove the journal: the run succeeded, with only_if_failed */
    struct cr_err head_failed; /* code not 0: a blob of the first line could not be written */
    char note[600];
};

static inline struct cr_record *cr_record_of(struct cr_recorder *hooks)
{
    return cr_container(hooks, struct cr_record, hooks);
}

/* --- record_write.c ------------------------------------------------------------------------- */

/*
 * Stops the recording because of |why|. Returns 0 if the run may go on without it, else the code of
 * |why|.
 */
int cr_record_fail(struct cr_record *r, const struct cr_err *why);

/* Writes the lines that wait. */
int cr_record_flush(struct cr_record *r, struct cr_err *err);

/* Syncs the file; is_ready() is false until that is done. */
void cr_record_await_sync(struct cr_record *r);

/* Begins a line in |text|; returns its offset. */
size_t cr_record_begin_line(struct cr_record *r, const struct caprun_run *run, struct cr_buf *text,
                            struct cr_line *line);

/* Returns whether the journal is too long with |line|, which is at the end of |r->text|. */
bool cr_record_is_too_long(const struct cr_record *r, const struct cr_line *line);

/*
 * Ends the line that begins at |start|, and writes its blobs. If it makes the journal too long,
 * removes it and cuts the recording instead. cr_record_end_line_now() also writes all waiting lines
 * to the file.
 */
int cr_record_end_line(struct cr_record *r, size_t start, const struct cr_line *line,
                       struct cr_err *err);
int cr_record_end_line_now(struct cr_record *r, size_t start, const struct cr_line *line,
                           struct cr_err *err);

/* Stops the recording because of max_bytes; the run goes on. */
int cr_record_cut(struct cr_record *r, struct cr_err *err);

/* Notes in the mark of the journal that the |bytes| of the file are written. */
int cr_record_mark(struct cr_record *r, struct cr_err *err);

/* Removes all blobs, after jobs that still write some. */
void cr_record_remove_blobs(struct cr_record *r);

/* Initialises the timer and the jobs. */
void cr_record_init_jobs(struct cr_record *r);

/* Called when a job of |r| has ended. May free |r|. */
void cr_record_end_job(struct cr_record *r);
void cr_record_free_now(struct cr_record *r);

/* --- record_head.c -------------------------------------------------------------------------- */

int cr_record_begin(struct cr_recorder *hooks, struct caprun_run *run, struct cr_err *err);
void cr_record_end(struct cr_recorder *hooks, struct caprun_run *run);

#endif
