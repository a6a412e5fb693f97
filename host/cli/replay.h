/*
 * replay.h - `caprun replay JOURNAL...`: runs again from recordings alone, and compares.
 */
#ifndef CR_CLI_REPLAY_H
#define CR_CLI_REPLAY_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Replays each, one after the other, and says of each whether it is the same. Returns the exit
 * status, that of the first which is not; or -1, and |run| has ended: bad usage, or a signal, which
 * is in |ret_signal| then.
 */
int cr_cli_replay(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                  int *ret_signal);

#endif
