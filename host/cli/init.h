/* init.h - the command `caprun init`. */
#ifndef CR_CLI_INIT_H
#define CR_CLI_INIT_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Writes a configuration and a first capability into the working directory; with --from, the
 * configuration has the MCP servers of another program. Overwrites nothing, and starts nothing.
 * Returns the exit status; or -1, and |run| has ended with an error.
 */
int cr_cli_init(struct caprun_run *run, const struct cr_options *o);

#endif
