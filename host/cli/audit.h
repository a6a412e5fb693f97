/*
 * audit.h - `caprun audit`: shows, follows and verifies the audit.
 */
#ifndef CR_CLI_AUDIT_H
#define CR_CLI_AUDIT_H

#include "caprun.h"
#include "cli/options.h"

/* Returns the exit status; or -1, and |run| has ended with the error. */
int cr_cli_audit(struct caprun_run *run, const struct cr_options *o);

#endif
