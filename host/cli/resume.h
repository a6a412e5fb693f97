/*
 * resume.h - `caprun resume RUN`: goes on with a run whose host died.
 */
#ifndef CR_CLI_RESUME_H
#define CR_CLI_RESUME_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Brings |run| to where the one that was recorded was, and runs it to its end. Whatever is wrong is
 * its outcome. Returns the signal that cancelled it, or 0.
 */
int cr_cli_resume(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o);

#endif
