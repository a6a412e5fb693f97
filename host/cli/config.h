/*
 * config.h - `caprun config`: prints the effective settings, and where each came from.
 */
#ifndef CR_CLI_CONFIG_H
#define CR_CLI_CONFIG_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Prints the settings. Returns the exit status; or -1 if they cannot be read, and then |run| has
 * been rejected with the reason.
 */
int cr_cli_config(struct caprun_run *run, const struct cr_options *o);

#endif
