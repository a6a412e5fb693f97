/*
 * exec.h - `caprun exec FILE [ARGS]`.
 */
#ifndef CR_EXEC_H
#define CR_EXEC_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Reads code and args into |run| and runs it to its end, bad input included. Returns the signal
 * that cancelled it, or 0.
 */
int cr_exec_run(struct caprun_runtime *rt, struct caprun_run *run,
                const struct cr_options *options);

#endif
