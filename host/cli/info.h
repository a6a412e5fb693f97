/*
 * info.h - `caprun info NAME`: what a capability is, what it needs, and whether it could run now.
 */
#ifndef CR_CLI_INFO_H
#define CR_CLI_INFO_H

#include "cli/options.h"

struct caprun_runtime;
struct caprun_run;

/*
 * Loads the capability as a run would, and prints what is known of it. Starts no server, runs
 * nothing, pins nothing. Returns the exit status; or -1, and |run| has the error. |*ret_signal| is
 * the signal that cancelled it, or 0.
 */
int cr_cli_info(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                int *ret_signal);

#endif
