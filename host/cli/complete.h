/*
 * complete.h - `caprun complete-names`: prints names for the shell's completion, one a line.
 */
#ifndef CR_CLI_COMPLETE_H
#define CR_CLI_COMPLETE_H

#include "cli/options.h"

/*
 * Prints what is known without a network and without starting a server; nothing after any error. By
 * default the names of capabilities; with the word "tools" those of pinned tools, and "NS:" for
 * each configured server without any; with "runs" the ends of the ids of runs, the newest first.
 */
void cr_cli_complete(const struct cr_options *o);

#endif
