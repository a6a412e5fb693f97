/*
 * replay_parts.h - shared by the files of a replay: load.c reads the journal, check.c checks before
 * the start, replay.c sends the recorded messages to the worker, compare.c compares the worker's
 * messages with the recorded ones, resume.c makes a resumed run live.
 */
#ifndef CR_REPLAY_PARTS_H
#define CR_REPLAY_PARTS_H

#include "journal/blob_job.h"
#include "journal/journal.h"
#include "journal/line.h"
#include "journal/record.h"
#include "journal/replay.h"
#include "run/run.h"

/* One recorded call. */
struct cr_replay_call {
    const struct cr_journal_line *made, *sent, *answer; /* NULL: no such line; |sent|: the last */
    bool is_sent;
    bool is_matched;       /* match.c: a call of this run was equal to it */
    bool has_unclear_tool; /* a "send" line has no exact name, or two have different names */
    size_t tool_at;        /* offset in |texts| of the tool's exact name; 0: unknown */
    size_t by_at;          /* offset in |texts| of "by", what decided; 0: no decision */
};

/* The recorded call that a call of this run is equal to. */
struct cr_replay_match {
    uint32_t recorded;
    int64_t made_us;
};

/*
 * The args of a new call, kept until the run is live. Long args were scanned while they arrived. If
 * |len| is 0 and |is_judged| is false, the args of all calls were too long to be kept.
 */
struct cr_replay_args {
    struct cr_replay_args *next; /* of the next call */
    uint32_t len;
    bool is_judged;        /* |verdict| is known */
    struct cr_err verdict; /* of the strict scanner */
    uint8_t bytes[];
};

/* A recorded call, found by its hash. */
struct cr_replay_entry {
    uint64_t hash; /* of its method and args */
    uint32_t number;
    uint32_t used; /* of the first entry with this hash: how many of these are matched */
};

struct cr_replay {
    struct cr_player hooks;
    struct cr_journal journal;
    bool is_resume;
    bool has_ended; /* resume: the run had ended with |ended|, which is taken back */
    bool may_raise; /* resume: the limits that are set replace the journal's, also lower ones */
    enum caprun_outcome ended;
    size_t undo_from; /* number of the first line that is taken back; 0: none */
    enum cr_replay_compare compare;
    struct cr_buf matches;         /* match.c: a struct cr_replay_match for each call of this run */
    struct cr_replay_entry *index; /* match.c: of each recorded call, sorted; NULL: no memory */
    struct cr_buf open;            /* match.c: numbers of calls of this run, open ones and others */
    size_t compared;               /* match.c: how often two calls were compared, for tests */
    int64_t now_us, base_us;       /* match.c: the clock, and what Date shows at time 0 */
    struct cr_journal_line giving; /* match.c: the input that is given, for a call of this run */
    char file[CR_RECORD_MARK];     /* resume: the identity of the journal's file */
    uint8_t code[CR_HASH_BYTES];   /* the hash of the recorded code */
    bool has_other_code;
    bool in_real_time;
    bool has_key;
    uint8_t key[CR_HASH_BYTES];
    enum caprun_outcome outcome; /* the recorded one, if the journal has an end */

    struct cr_replay_call *calls;                    /* call n is at n - 1 */
    const struct cr_journal_line **inputs;           /* messages to the worker after its job */
    const struct cr_journal_line **logs, **attempts; /* all in the order of the journal */
    size_t input_count, log_count, attempt_count;
    const struct cr_journal_line *last; /* the last message of the worker; NULL: missing */

    size_t input_at, log_at, attempt_at; /* how many of these this run has had so far */
    uint32_t call_at;
    struct caprun_run *run;
    struct cr_loop *loop;                    /* of the run */
    struct cr_timer timer;                   /* until the next input is due, in real time */
    struct cr_blob_job *reading;             /* a blob that is being read, or NULL */
    const struct cr_journal_line *blob_line; /* the line that has the blob |reading| */
    uint32_t finish_at, finish_count;        /* resume: the next call to finish, and the last */
    struct cr_task rest;                     /* resume: finishes calls from |finish_at| on */
    struct cr_buf texts;                     /* texts, each ended by a NUL; the first is empty */
    struct cr_buf body;                      /* the body of the message that is compared */
    struct cr_replay_args *new_args, **last_new_args; /* of new calls, in their order */
    size_t new_bytes;                                 /* of |new_args| */
    struct cr_buf allowed; /* resume: of each call that was sent, the offset in |texts| of the rule
                              that allowed it, size_t */
    struct cr_budgets_earlier *earlier; /* resume: the same, summed up */
    size_t earlier_count;
    struct cr_buf retries; /* numbers of calls, uint32_t */
    bool retries_all;
};

static inline struct cr_replay *cr_replay_of(struct cr_player *hooks)
{
    return cr_container(hooks, struct cr_replay, hooks);
}

/* Returns the replay of |run|, or NULL. */
static inline struct cr_replay *cr_replay_find(const struct caprun_run *run)
{
    struct cr_player *hooks = cr_run_player(run);

    return hooks ? cr_replay_of(hooks) : NULL;
}

/* --- replay.c ------------------------------------------------------------------------------- */

void cr_replay_begun(struct cr_player *hooks, struct caprun_run *run);
bool cr_replay_next(struct cr_player *hooks, struct caprun_run *run);
void cr_replay_end(struct cr_player *hooks, struct caprun_run *run, enum caprun_outcome *outcome);
void cr_replay_timer_due(struct cr_timer *timer);

/* Gives the worker |line|, an input; |line|->n is a call of this run. */
void cr_replay_give(struct cr_replay *p, struct caprun_run *run,
                    const struct cr_journal_line *line);

/* Ends the run because of |why|: the journal cannot be used further. */
void cr_replay_fail_run(struct caprun_run *run, const struct cr_err *why);

/*
 * Starts to read the blob |name|, of |len| bytes, of |line|; |done| is called later. Returns false,
 * and the run has ended, if there is no memory.
 */
bool cr_replay_read_blob(struct cr_replay *p, const struct cr_journal_line *line, const char *name,
                         size_t len, bool is_args, void (*done)(struct cr_blob_job *b));

/* To be called by |done|: returns whether the run goes on and the blob is right. */
bool cr_replay_is_blob_usable(struct cr_replay *p, const struct cr_journal_line *line,
                              const struct cr_blob_job *b);

/*
 * Returns whether the recorded run was ended from outside: by a limit, a cancellation, the denial
 * of a call, or a failure of host or worker. Such an end comes at another moment each time, and the
 * last actions of the run may be missing in the journal.
 */
bool cr_replay_ended_from_outside(const struct cr_replay *p);

/*
 * Returns whether |outcome| is caused by a limit that is lower than the recorded one. That is no
 * difference in the behaviour of the code.
 */
bool cr_replay_is_by_lower_limit(struct caprun_run *run, enum caprun_outcome outcome);

/*
 * cr_replay_is_complete() returns whether the recorded run was ended from outside, and the replay
 * has done all that is recorded. It then ends with cr_replay_end_as_recorded().
 */
bool cr_replay_is_complete(const struct cr_replay *p);
void cr_replay_end_as_recorded(struct cr_replay *p, struct caprun_run *run);

/* Sets, for the envelope, what decided about call |number| in the recorded run. */
void cr_replay_set_decider(struct cr_replay *p, struct caprun_run *run, uint32_t number);

/* --- compare.c ------------------------------------------------------------------------------ */

bool cr_replay_frame_received(struct cr_player *hooks, struct caprun_run *run,
                              const struct wire_header *header, const uint8_t *payload,
                              const struct cr_kept *known);

bool cr_replay_keep(struct cr_player *hooks, struct caprun_run *run, struct cr_keeping *k);

/* Ends the run with REPLAY_DIFFERED: it waits, and has not made call |number|. */
void cr_replay_report_missing_call(struct cr_replay *p, struct caprun_run *run, uint32_t number);

/*
 * If a recorded message of the worker has not come, sets the run's message, with the reason |now|,
 * and returns true. Returns false if nothing is missing.
 */
bool cr_replay_report_missing(struct cr_replay *p, struct caprun_run *run, const char *now);

/* Ends the run with REPLAY_DIFFERED: |p->body| is not |recorded|; NULL: it is new. */
void cr_replay_report_difference(struct cr_replay *p, struct caprun_run *run,
                                 enum cr_journal_kind kind, size_t number,
                                 const struct cr_journal_line *recorded);

/* Makes a line of |body|, so that its fields can be found; the caller clears |text|. */
void cr_replay_make_line(struct cr_buf *text, enum cr_journal_kind kind, const struct cr_buf *body,
                         struct cr_journal_line *ret);

/* --- match.c: only if |compare| is not CR_REPLAY_EXACT ---------------------------------------- */

/* Compares the message in |p->body|; ends the run if that differs. */
void cr_match_frame(struct cr_replay *p, struct caprun_run *run, enum cr_journal_kind kind,
                    uint32_t number);

/* Like cr_replay_next(). */
bool cr_match_next(struct cr_replay *p, struct caprun_run *run);

/* Before the start: prepares to find recorded calls. */
void cr_match_begin(struct cr_replay *p);

/* Returns a recorded call that had to be made, and was not, or 0. */
uint32_t cr_match_find_missing(const struct cr_replay *p);

/* Returns the recorded call that belongs to call |number| of this run; 0: none. */
uint32_t cr_replay_recorded_number(const struct cr_replay *p, uint32_t number);

/* --- resume.c ------------------------------------------------------------------------------- */

/*
 * recall.c: tells the prompter of |run| all questions and decisions of the journal. Returns 0 or
 * CAPRUN_E_NOMEM.
 */
int cr_replay_recall(struct cr_replay *p, struct caprun_run *run);

/* Makes a resumed run live, after its last recorded input. */
void cr_replay_go_live(struct cr_replay *p, struct caprun_run *run);
void cr_replay_finish_calls_later(struct cr_task *task);

#endif
