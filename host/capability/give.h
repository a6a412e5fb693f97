/*
 * give.h - sets up a run from a capability: code, tools, schema, environment variables.
 */
#ifndef CR_GIVE_H
#define CR_GIVE_H

#include "caprun.h"
#include "config/config.h"
#include "registry/registry.h"

/*
 * Sets up |run| from |c|: the bytes that were hashed are the bytes that run. Of the variables that
 * the metadata requests, the run gets those that |config| grants and that are set; |*ret_has_env|
 * tells whether it gets any. Returns 0, or VALIDATION_ERROR.
 */
int cr_give_capability(struct caprun_run *run, const struct cr_config *config,
                       const struct cr_capability *c, bool *ret_has_env, struct cr_err *why);

/*
 * Gives |run| code that only calls |method|, "ns:action", with the args of the run. Returns 0 or a
 * CAPRUN_E_*.
 */
int cr_give_call(struct caprun_run *run, const char *method);

#endif
