/*
 * capability.h - the main job: a name goes in, the code that is pinned comes out, and runs.
 */
#ifndef CR_CLI_CAPABILITY_H
#define CR_CLI_CAPABILITY_H

#include "caprun.h"
#include "base/problem.h"
#include "cli/options.h"
#include "registry/fqdn.h"

/*
 * Loads the capability |name|, checks it against the lockfile, and runs it with |args| (NULL: {}).
 * Whatever is wrong is the run's outcome. Returns the signal that cancelled it, or 0.
 */
int cr_cli_capability(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                      const char *name, const char *args);

/* Reads the name of a capability. Returns 0, or INVALID_FQDN; touches nothing but memory. */
int cr_cli_parse_name(const char *text, struct cr_fqdn *ret, struct cr_problem *why);

/* Prints the names that are known without a network, a line each: for the shell's completion. */
void cr_cli_names(const struct cr_options *o);

#endif
