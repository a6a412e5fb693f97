/*
 * capability.h - `caprun FQDN`: loads the pinned code of a capability by its name, and runs it.
 */
#ifndef CR_CLI_CAPABILITY_H
#define CR_CLI_CAPABILITY_H

#include "base/err.h"
#include "caprun.h"
#include "cli/options.h"
#include "config/config.h"
#include "registry/fqdn.h"
#include "registry/lockfile.h"

/*
 * Loads the capability |name|, checks it against the lockfile, and runs it with |args| (NULL: {}).
 * Every error is the run's outcome. Returns the signal that cancelled it, or 0.
 */
int cr_cli_capability(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                      const char *name, const char *args);

/*
 * Goes on with |run|, which has its journal and ran the capability |name|: loads the capability
 * again, which has to be what the run began with. |config| is that of |rt|. Returns as above.
 */
int cr_cli_capability_resume(struct caprun_runtime *rt, struct caprun_run *run,
                             const struct cr_options *o, const struct cr_config *config,
                             const char *name);

/* Parses the name of a capability. Returns 0, or INVALID_FQDN; touches no file. */
int cr_cli_parse_name(const char *text, struct cr_fqdn *ret, struct cr_err *why);

#endif
