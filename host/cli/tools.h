/*
 * tools.h - `caprun tools [WORDS]`: lists the tools of the configured servers.
 */
#ifndef CR_CLI_TOOLS_H
#define CR_CLI_TOOLS_H

#include "cli/options.h"

struct caprun_runtime;
struct caprun_run;

/*
 * Prints the tools of every server; with words, the tools that match them, best first. Returns the
 * exit status, 1 if a server failed; or -1, and |run| has the error. |ret_signal| is the signal
 * that cancelled it, or 0.
 */
int cr_cli_tools(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                 int *ret_signal);

#endif
