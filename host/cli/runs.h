/*
 * runs.h - `caprun runs [RUN]`: lists recorded runs, or shows all that a journal says of one.
 */
#ifndef CR_CLI_RUNS_H
#define CR_CLI_RUNS_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Prints the list or the run. Returns the exit status; or -1, and |run| has ended with the error.
 */
int cr_cli_runs(struct caprun_run *run, const struct cr_options *o);

#endif
