/*
 * foresee.h - before a capability starts: says which of the calls that it declares will be denied.
 */
#ifndef CR_CLI_FORESEE_H
#define CR_CLI_FORESEE_H

#include "caprun.h"
#include "cli/options.h"
#include "registry/metadata.h"

/*
 * Compares the tools that |meta| declares with the permissions. If calls of some will be denied,
 * prints one note that names them, and one diff that allows those that can be allowed; nothing if
 * all of them are denied on purpose, except with --verbose. The run
 * goes on: the code may not make these calls, or do without. A call that rules with conditions are
 * about, or that has no server, is left out; so is one that a person can be asked about.
 */
void cr_cli_foresee(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                    const struct cr_metadata *meta);

#endif
