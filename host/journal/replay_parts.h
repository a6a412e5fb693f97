/*
 * replay_parts.h - what the files that make up a replay share: replay.c, what is told; compare.c,
 * what is compared; resume.c, how a run goes on; load.c, how it all begins; check.c, what is looked
 * at before the start.
 */
#ifndef CR_REPLAY_PARTS_H
#define CR_REPLAY_PARTS_H

#include "journal/blob_job.h"
#include "journal/journal.h"
#include "journal/replay.h"
#include "run/run.h"

/* What the journal has of one call. */
struct cr_replay_call {
    const struct cr_journal_line *made, *answer; /* NULL: it has none */
    bool is_sent;
    bool has_unclear_tool; /* a "send" line has no exact name, or two of them have two names */
    size_t tool_at;        /* where in |words| the exact name of the tool stands; 0: unknown */
    size_t by_at;          /* where |words| names who decided; 0: no decision */
};

/*
 * The args of a new call, kept until the run is live. Long ones were scanned while they arrived. No
 * bytes and no verdict: too many had to be kept.
 */
struct cr_replay_args {
    struct cr_replay_args *next; /* of the next call */
    uint32_t len;
    bool is_judged;
    struct cr_err verdict; /* of the strict scanner, if they are judged */
    uint8_t bytes[];
};

struct cr_replay {
    struct cr_player hooks;
    struct cr_journal journal;
    bool is_resume;
    uint8_t code[CR_HASH_BYTES]; /* the hash of the recorded code */
    bool has_other_code;
    bool in_real_time;
    bool has_key;
    uint8_t key[CR_HASH_BYTES];
    enum caprun_outcome outcome; /* if there is an end */

    struct cr_replay_call *calls;                            /* by number, less 1 */
    const struct cr_journal_line **told, **logs, **attempts; /* each in the order of the journal */
    size_t told_count, log_count, attempt_count;
    const struct cr_journal_line *last; /* what the worker said last; NULL: it was not asked */

    size_t told_at, log_at, attempt_at; /* so far, in this run */
    uint32_t call_at;
    struct caprun_run *run;
    struct cr_loop *loop;                  /* the run's */
    struct cr_timer timer;                 /* until the next thing is told, in real time */
    struct cr_blob_job *reading;           /* a blob that is waited for, or NULL */
    const struct cr_journal_line *telling; /* the line that it is of, while the run is prompted */
    uint32_t settling, settle_count;       /* the call that it is of, after that, and the last */
    struct cr_task rest;                   /* settles the others, from |settling| on */
    struct cr_buf words; /* texts, each with a NUL at its end; the first is empty */
    struct cr_buf body;  /* of what is compared */
    struct cr_replay_args *new_args, **last_new_args; /* of calls that are new, in their order */
    size_t new_bytes;                                 /* of these */
    struct cr_buf retries;                            /* numbers of calls, uint32_t */
    bool retries_all;
};

static inline struct cr_replay *cr_replay_of(struct cr_player *hooks)
{
    return cr_container(hooks, struct cr_replay, hooks);
}

/* The replay that |run| is prompted by, or NULL. */
static inline struct cr_replay *cr_replay_find(const struct caprun_run *run)
{
    struct cr_player *hooks = cr_run_player(run);

    return hooks ? cr_replay_of(hooks) : NULL;
}

/* --- replay.c -----------------------------------------------------------------------------------
 */

void cr_replay_begun(struct cr_player *hooks, struct caprun_run *run);
bool cr_replay_next(struct cr_player *hooks, struct caprun_run *run);
void cr_replay_end(struct cr_player *hooks, struct caprun_run *run, enum caprun_outcome *outcome);
void cr_replay_timer_due(struct cr_timer *timer);

/* The journal says what cannot be: ends the run. */
void cr_replay_end_by(struct caprun_run *run, const struct cr_err *why);

/*
 * Begins to read the blob |name| of |line|, whose length is |len|; |done| follows. Returns false,
 * and the run has ended, if there is no memory.
 */
bool cr_replay_read(struct cr_replay *p, const struct cr_journal_line *line, const char *name,
                    size_t len, bool is_args, void (*done)(struct cr_blob_job *b));

/* For |done|: returns true if the run goes on, and the blob is what it should be. */
bool cr_replay_has_read(struct cr_replay *p, const struct cr_journal_line *line,
                        const struct cr_blob_job *b);

/*
 * Somebody or something else has ended the run: that comes at another moment each time, and what
 * the run did just before is not in the journal.
 */
bool cr_replay_ended_from_outside(const struct cr_replay *p);

/*
 * Does the run end with |outcome| because it has a lower limit than the recorded one had? That says
 * nothing about the code.
 */
bool cr_replay_is_by_lower_limit(struct caprun_run *run, enum caprun_outcome outcome);

/* It was ended so, and all that it did before has been seen: it ends so again. */
bool cr_replay_is_complete(const struct cr_replay *p);
void cr_replay_end_as_recorded(struct cr_replay *p, struct caprun_run *run);

/* Who decided about call |number| then, for the envelope. */
void cr_replay_set_decider(struct cr_replay *p, struct caprun_run *run, uint32_t number);

/* --- compare.c
 * ------------------------------------------------------------------------------------
 */

bool cr_replay_frame_received(struct cr_player *hooks, struct caprun_run *run,
                              const struct wire_header *header, const uint8_t *payload,
                              const struct cr_kept *known);

bool cr_replay_keep(struct cr_player *hooks, struct caprun_run *run, struct cr_keeping *k);

/* The run waits for ever, or has ended, and call |number| has not been made. */
void cr_replay_report_missing_call(struct cr_replay *p, struct caprun_run *run, uint32_t number);

/*
 * Not all that it said then has come, and will not: |now| says why. Returns false if all has.
 */
bool cr_replay_report_missing(struct cr_replay *p, struct caprun_run *run, const char *now);

/* --- resume.c -----------------------------------------------------------------------------------
 */

/* There is nothing left to tell. */
void cr_replay_go_live(struct cr_replay *p, struct caprun_run *run);
void cr_replay_settle_rest(struct cr_task *task);

#endif
