/*
 * list.h - `caprun list [WORDS]`: the capabilities of the registries.
 */
#ifndef CR_CLI_LIST_H
#define CR_CLI_LIST_H

#include "cli/options.h"

struct caprun_runtime;
struct caprun_run;

/*
 * Prints the list, and returns the exit status; or rejects |run|, and returns -1. |*ret_signal| is
 * the signal that ended it, or 0.
 */
int cr_cli_list(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                int *ret_signal);

#endif
