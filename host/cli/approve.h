/*
 * approve.h - `caprun approve` and `caprun deny`: decide what a suspended run waits for, and go on
 * with it.
 */
#ifndef CR_APPROVE_H
#define CR_APPROVE_H

#include "caprun.h"
#include "cli/options.h"
#include "config/config.h"

/* Returns the signal that cancelled the run, or 0. */
int cr_cli_approve(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o);

/*
 * May this command decide, under |config|? Returns 0; or USAGE or PERMISSION_DENIED. Other commands
 * always may.
 */
int cr_approve_check(const struct cr_options *o, const struct cr_config *config,
                     struct cr_err *why);

#endif
