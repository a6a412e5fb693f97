/*
 * load.h - loads a capability without running it.
 */
#ifndef CR_CLI_LOAD_H
#define CR_CLI_LOAD_H

#include "caprun.h"
#include "cli/signals.h"
#include "registry/registry.h"

/*
 * Loads |want| from |registry|, whose HTTP client is that of |rt|, and waits. Shows progress unless
 * |quiet|; |signals| cancel it. Returns 0, and the caller clears |ret| with cr_capability_clear();
 * or an error, as cr_registry_load().
 */
int cr_cli_load(struct caprun_runtime *rt, const struct cr_registry *registry,
                const struct cr_fqdn *want, struct cr_signals *signals, bool quiet,
                struct cr_capability *ret, struct cr_err *why);

#endif
