/*
 * lock.h - `caprun lock`: shows pins, checks them, and accepts changed ones.
 */
#ifndef CR_CLI_LOCK_H
#define CR_CLI_LOCK_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Prints the pins, each compared with what the registries have now; or, with --accept, pins a new
 * version. Returns the exit status; or -1, and |run| has the error. |ret_signal| is the signal that
 * cancelled it, or 0.
 */
int cr_cli_lock(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                int *ret_signal);

#endif
