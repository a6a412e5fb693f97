/*
 * lock.h - `caprun lock`: what is pinned, whether it is still so, and accepting what is new.
 */
#ifndef CR_CLI_LOCK_H
#define CR_CLI_LOCK_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Prints the pins, each with what the registries have now; or, with --accept, pins anew. Returns
 * the exit status. A problem is the outcome of |run|, and then -1 is returned; |ret_signal| is what
 * cancelled it, or 0.
 */
int cr_cli_lock(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                int *ret_signal);

#endif
