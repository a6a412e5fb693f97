/*
 * give.h - what a capability's metadata says becomes a run's: code, tools, schema, variables.
 */
#ifndef CR_GIVE_H
#define CR_GIVE_H

#include "caprun.h"
#include "config/config.h"
#include "registry/registry.h"

/*
 * Gives |run| what |c| is: the bytes that were hashed are the bytes that run. Of the variables that
 * it would like, it gets those that |config| grants and that are set; |ret_has_env|: it gets some.
 * Returns 0, or VALIDATION_ERROR.
 */
int cr_give_capability(struct caprun_run *run, const struct cr_config *config,
                       const struct cr_capability *c, bool *ret_has_env, struct cr_err *why);

/*
 * Gives |run| code that does nothing but to call |method|, "ns:action", with the args that it gets.
 * Returns 0 or a CAPRUN_E_*.
 */
int cr_give_call(struct caprun_run *run, const char *method);

#endif
