/*
 * runs.h - `caprun runs [RUN]`: what was recorded, or all that a journal says of one run.
 */
#ifndef CR_CLI_RUNS_H
#define CR_CLI_RUNS_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Lists runs on standard output, or shows one. Returns the exit status; or -1, and |run| has ended
 * with what is wrong.
 */
int cr_cli_runs(struct caprun_run *run, const struct cr_options *o);

#endif
