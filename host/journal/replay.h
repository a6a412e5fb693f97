/*
 * replay.h - replays or resumes a run from its journal.
 *
 * The worker gets the recorded job. Each time it waits, it gets the next recorded message, with the
 * recorded time. Its own messages are compared with the recorded ones, each kind in its own order:
 * calls, log lines, attempts to use what is denied, the end. A replay ends with the recorded
 * outcome, or at the first difference with REPLAY_DIFFERED. A resumed run goes live after the last
 * recorded message.
 */
#ifndef CR_REPLAY_H
#define CR_REPLAY_H

#include <stdbool.h>

#include "base/err.h"
#include "journal/record.h"

struct cr_journal;
struct cr_journal_line;

/*
 * Prepares |run|, which has not started, to replay the journal |path|: sets its code, args and
 * other input, and a player. Code that is set afterwards replaces the recorded code; the env has to
 * be set afterwards. |key| is the key of the env's hashes, or NULL. Returns 0; or JOURNAL_INVALID,
 * also if the journal has no end, USAGE or INTERNAL.
 */
int cr_replay_new(struct caprun_run *run, const char *path, const uint8_t *key, struct cr_err *why);

/*
 * Prepares |run| to resume the journal |spec|->path, and to append to it. Returns 0; or
 * JOURNAL_INVALID; USAGE if the run has ended in a way that cannot be taken back (undo.h), or still
 * goes on; INTERNAL.
 */
int cr_replay_resume(struct caprun_run *run, const struct cr_record_spec *spec, struct cr_err *why);

/*
 * Checks a run before its start, and sets its limits: the recorded ones, but at most those that the
 * application has set; where it has set none, memory and time are at most the defaults. A replay
 * also loses its gate and its handler. Returns 0; VALIDATION_ERROR if the env is not the recorded
 * one; INTEGRITY_MISMATCH if a resumed run has other code than it began with (the code of a
 * capability is checked by its loader); or USAGE if calls may be missing (cr_replay_doubt()), or a
 * resumed run has no time left under its limit, or was ended by a limit that is not larger now.
 */
int cr_replay_check(struct caprun_run *run, struct cr_err *why);

/* What a replay compares. */
enum cr_replay_compare {
    CR_REPLAY_EXACT,  /* all messages of the worker, in their order */
    CR_REPLAY_CALLS,  /* the same calls in any order, and the end */
    CR_REPLAY_RESULT, /* the end; each call has to be equal to a recorded call */
};

/* For a run that will be replayed, and whose recorded run ended by itself. */
void cr_replay_set_compare(struct caprun_run *run, enum cr_replay_compare compare);

/*
 * Returns the time limit for the replay of a run with the limit |recorded_ms|. It is longer, for
 * slower machines, but not infinite: changed code may never end.
 */
uint32_t cr_replay_time(uint64_t recorded_ms);

/*
 * For a run that will be resumed: the limits that the application has set count, also where they
 * are larger than the journal's. Those of the log and of calls at once never do.
 */
void cr_replay_raise_limits(struct caprun_run *run);

/* With |on|, each recorded message is sent at its recorded time. */
void cr_replay_set_real_time(struct caprun_run *run, bool on);

/*
 * For a run that will be resumed: repeats call |number| even if the server may have carried it out;
 * 0 means all such calls, and also permits to resume after a restart of the machine, which may have
 * lost the end of the journal. Returns 0 or CAPRUN_E_NOMEM.
 */
int cr_replay_retry(struct caprun_run *run, uint32_t number);

/*
 * For a run that will be resumed: was call |number| of its journal sent, without an answer? Not if
 * the configuration says that its tool is idempotent. It fails unless cr_replay_retry() names it.
 */
bool cr_replay_is_unknown(struct caprun_run *run, uint32_t number);

/* The lines about a recorded call; NULL: it was not sent (|sent| is the last time), or answered. */
struct cr_replay_lines {
    const struct cr_journal_line *made, *sent, *answer;
};
struct cr_replay_lines cr_replay_lines_of(const struct caprun_run *run, uint32_t number);

/* For a run that is not resumed after all: shows the recorded calls in its envelope. */
void cr_replay_show_calls(struct caprun_run *run);

/*
 * Returns why calls may have been made that |journal| does not record, or NULL. |has_ended|: the
 * end of the run is recorded, and so all lines before it; |file| is the identity of the journal's
 * file (cr_record_file()).
 */
const char *cr_replay_doubt(const struct cr_journal *journal, bool has_ended, const char *file);

/*
 * Returns 0; or USAGE if calls may have been made that the journal does not record, and the retry
 * of all calls was not requested.
 */
int cr_replay_check_doubt(const struct caprun_run *run, struct cr_err *why);

/*
 * Returns a text of "origin" in the journal that |run| resumes; "" if the journal has no such text,
 * or the run is not resumed.
 */
const char *cr_replay_origin(const struct caprun_run *run, const char *name);

/* Returns the journal that |run| replays or resumes, or NULL. */
const struct cr_journal *cr_replay_journal(const struct caprun_run *run);

#endif
