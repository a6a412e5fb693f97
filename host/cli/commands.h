/*
 * commands.h - finds and runs the command that the command line names.
 */
#ifndef CR_COMMANDS_H
#define CR_COMMANDS_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Runs the command. An option or a word that the command does not use is rejected, never ignored.
 * Returns the exit status of a command that has printed everything; or -1, and then |run| has ended
 * with the outcome to print, and |ret_signal| is the signal that cancelled it, or 0.
 */
int cr_commands_run(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                    int *ret_signal);

/*
 * Prints the help on the command |word|; or on everything, if |word| is NULL or no command. Returns
 * the exit status.
 */
int cr_commands_help(const char *word);

#endif
