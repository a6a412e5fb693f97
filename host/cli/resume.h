/*
 * resume.h - `caprun resume RUN`: goes on with a run whose host was interrupted.
 */
#ifndef CR_CLI_RESUME_H
#define CR_CLI_RESUME_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Replays the recorded run in |run| up to where it was interrupted, and runs it to its end. Every
 * error is the run's outcome. Returns the signal that cancelled it, or 0.
 */
int cr_cli_resume(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o);

#endif
