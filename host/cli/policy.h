/*
 * policy.h - `caprun policy`: lists the patterns and rules that hold; explains and tests them.
 * Starts nothing.
 */
#ifndef CR_CLI_POLICY_H
#define CR_CLI_POLICY_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Carries out the command. Returns the exit status; or -1, and then |run| has been rejected with
 * the reason.
 */
int cr_cli_policy(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o);

#endif
