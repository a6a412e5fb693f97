/*
 * undecided.h - before a resume: are there calls that a person has to decide about?
 */
#ifndef CR_CLI_UNDECIDED_H
#define CR_CLI_UNDECIDED_H

#include "base/err.h"
#include "caprun.h"
#include "cli/options.h"

/*
 * Checks what |o| says about the unknown calls of |run|, which will be resumed and has its
 * configuration. Lists calls that are not decided on standard error. Returns 0; or USAGE, and the
 * envelope of |run| shows the recorded calls. Starts and changes nothing.
 */
int cr_undecided_check(struct caprun_run *run, const struct cr_options *o, struct cr_err *why);

#endif
