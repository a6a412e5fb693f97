/*
 * commands.h - which command the words mean, and what it takes.
 */
#ifndef CR_COMMANDS_H
#define CR_COMMANDS_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Carries out what the command line asks for. An option or a word that the command has no use for
 * is refused, never dropped. Returns the exit status of a command that has said all there is to
 * say; or -1, and then |run| has ended, its outcome is what there is to say, and |ret_signal| is
 * what cancelled it, or 0.
 */
int cr_commands_run(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                    int *ret_signal);

#endif
