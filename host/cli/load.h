/*
 * load.h - a capability without a run: what the registries have now.
 */
#ifndef CR_CLI_LOAD_H
#define CR_CLI_LOAD_H

#include "caprun.h"
#include "cli/signals.h"
#include "registry/registry.h"

/*
 * Asks the registries of the configuration of |rt|, and their servers about all that is kept, with
 * a line that says how far it is unless |quiet|; |signals| end it. Waits. Returns 0, and the caller
 * ends |ret| with cr_capability_clear(); or a problem, as cr_registry_load().
 */
int cr_cli_load(struct caprun_runtime *rt, const struct cr_fqdn *want, struct cr_signals *signals,
                bool quiet, struct cr_capability *ret, struct cr_err *why);

#endif
