/*
 * replay.h - a run from its journal: all of it again, or on from where it was.
 *
 * The worker gets the same job, and each time that it waits, the next thing that it was told, with
 * the time of then; what it says is held against what it said, by kind: calls, lines of the log,
 * attempts on what is denied, the end. A replay ends with what the run ended with, or at the first
 * difference with REPLAY_DIFFERED. A run that is resumed goes live when all has been told.
 */
#ifndef CR_REPLAY_H
#define CR_REPLAY_H

#include <stdbool.h>

#include "base/err.h"
#include "journal/record.h"

struct cr_journal;

/*
 * Gives |run|, which has not started, what the journal |path| says that it was given, and a
 * player. Code that is set afterwards replaces that of the journal. The env has to be set
 * afterwards, too. |key| is that of the env's hashes, or NULL. Returns 0; or JOURNAL_INVALID, also
 * for one that ends early, USAGE or INTERNAL.
 */
int cr_replay_new(struct caprun_run *run, const char *path, const uint8_t *key, struct cr_err *why);

/*
 * The same for a run that is to go on, which is recorded to the same journal, with |spec|. Returns
 * 0; or JOURNAL_INVALID; USAGE if it cannot be resumed: it has ended, it still goes on; INTERNAL.
 */
int cr_replay_resume(struct caprun_run *run, const struct cr_record_spec *spec, struct cr_err *why);

/*
 * For a run that is to be started: is its env what it was? Returns 0; VALIDATION_ERROR; or USAGE if
 * the machine was restarted, or the run has used up the time that it may have here. From here on
 * a run that is replayed has no gate and no handler.
 *
 * Sets the run's limits: those of the journal, but no more than what the application has set, and
 * where it has set nothing no more memory and time than the defaults.
 */
int cr_replay_check(struct caprun_run *run, struct cr_err *why);

/*
 * How long a replay of a run with |recorded_ms| may take: a slower machine is no difference, but
 * other code may never end.
 */
uint32_t cr_replay_time(uint64_t recorded_ms);

/* Each thing is told when as much time has passed as then. */
void cr_replay_set_real_time(struct caprun_run *run, bool on);

/*
 * Of a run that is to be resumed: call |number|, or with 0 each, is made again if nobody knows
 * whether it was carried out; and what the machine may have lost when it was restarted is risked.
 * Returns 0 or CAPRUN_E_NOMEM.
 */
int cr_replay_retry(struct caprun_run *run, uint32_t number);

/* The journal of |run|, or NULL. */
const struct cr_journal *cr_replay_journal(const struct caprun_run *run);

#endif
