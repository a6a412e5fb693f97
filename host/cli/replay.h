/*
 * replay.h - `caprun replay JOURNAL...`: runs again from recordings alone, and compares.
 */
#ifndef CR_CLI_REPLAY_H
#define CR_CLI_REPLAY_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Replays one journal after the other, and prints for each whether it is the same. Returns the exit
 * status, that of the first difference; or -1, and |run| has ended: a usage error, or a signal,
 * which |ret_signal| has then.
 */
int cr_cli_replay(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                  int *ret_signal);

#endif
