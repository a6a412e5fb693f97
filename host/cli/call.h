/*
 * call.h - `caprun call NS:ACTION [ARGS]`: calls one tool, as a capability would.
 */
#ifndef CR_CLI_CALL_H
#define CR_CLI_CALL_H

#include "cli/options.h"

struct caprun_runtime;
struct caprun_run;

/* Returns the signal that cancelled the run, or 0. */
int cr_cli_call(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o);

#endif
