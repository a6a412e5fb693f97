/*
 * capability.h - the main job: a name goes in, the code that is pinned comes out, and runs.
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
 * Whatever is wrong is the run's outcome. Returns the signal that cancelled it, or 0.
 */
int cr_cli_capability(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                      const char *name, const char *args);

/*
 * Goes on with |run|, which has its journal and was one of |pin|: loads that again, and it has to
 * be the same. |config| is that of |rt|. Returns as above.
 */
int cr_cli_capability_resume(struct caprun_runtime *rt, struct caprun_run *run,
                             const struct cr_options *o, const struct cr_config *config,
                             const struct cr_pin *pin);

/* Reads the name of a capability. Returns 0, or INVALID_FQDN; touches nothing but memory. */
int cr_cli_parse_name(const char *text, struct cr_fqdn *ret, struct cr_err *why);

/* Prints the names that are known without a network, a line each: for the shell's completion. */
void cr_cli_names(const struct cr_options *o);

#endif
