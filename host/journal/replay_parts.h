/*
 * replay_parts.h - what the files that make up a replay share: replay.c, what is told; heard.c,
 * what is compared; resume.c, how a run goes on; load.c, how it all begins.
 */
#ifndef CR_REPLAY_PARTS_H
#define CR_REPLAY_PARTS_H

#include "journal/journal.h"
#include "journal/replay.h"
#include "pool/run.h"

/* What the journal has of one call. */
struct cr_replay_call {
    const struct cr_journal_line *made, *answer; /* NULL: it has none */
    bool is_sent;
    size_t by_at; /* where in |words| it stands who decided; 0: nobody did */
};

struct cr_replay {
    struct cr_prompter hooks;
    struct cr_journal journal;
    bool is_resume;
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
    struct cr_timer timer;  /* until the next thing is told, in real time */
    struct cr_buf words;    /* texts, each with a NUL at its end; the first is empty */
    struct cr_buf body;     /* of what is compared */
    struct cr_buf new_args; /* of calls that are new: each its length, uint32_t, and its bytes */
    struct cr_buf retries;  /* numbers of calls, uint32_t */
    bool retries_all;
};

static inline struct cr_replay *cr_replay_of(struct cr_prompter *hooks)
{
    return cr_container(hooks, struct cr_replay, hooks);
}

/* --- replay.c -----------------------------------------------------------------------------------
 */

void cr_replay_begun(struct cr_prompter *hooks, struct caprun_run *run);
bool cr_replay_next(struct cr_prompter *hooks, struct caprun_run *run);
void cr_replay_end(struct cr_prompter *hooks, struct caprun_run *run, enum caprun_outcome *outcome);
void cr_replay_timer_due(struct cr_timer *timer);

/*
 * Somebody or something else has ended the run: that comes at another moment each time, and what
 * the run did just before is not in the journal.
 */
bool cr_replay_ended_from_outside(const struct cr_replay *p);

/* It was ended so, and all that it did before has been seen: it ends so again. */
bool cr_replay_is_complete(const struct cr_replay *p);
void cr_replay_end_as_recorded(struct cr_replay *p, struct caprun_run *run);

/* Who decided about call |number| then, for the envelope. */
void cr_replay_show_who(struct cr_replay *p, struct caprun_run *run, uint32_t number);

/* --- heard.c ------------------------------------------------------------------------------------
 */

bool cr_replay_hear(struct cr_prompter *hooks, struct caprun_run *run,
                    const struct wire_header *header, const uint8_t *payload);

/* The run waits for ever, or has ended, and call |number| has not been made. */
void cr_replay_say_missing_call(struct cr_replay *p, struct caprun_run *run, uint32_t number);

/*
 * Not all that it said then has come, and will not: |now| says why. Returns false if all has.
 */
bool cr_replay_say_missing(struct cr_replay *p, struct caprun_run *run, const char *now);

/* --- resume.c -----------------------------------------------------------------------------------
 */

/* There is nothing left to tell. */
void cr_replay_go_live(struct cr_replay *p, struct caprun_run *run);

#endif
