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

/* Does |config| grant the variable |name| to the capability |meta|? */
bool cr_give_grants(const struct cr_config *config, const struct cr_metadata *meta,
                    const char *name);

/* Is |value|, an item of |list|, equal to an item before it? */
bool cr_give_is_repeated(const struct cJSON *list, const struct cJSON *value);

/*
 * Appends the setting for "env" that grants |meta| all variables that it wants, beside those that
 * it has: "acme.tools.text.upper": ["LANG", "TOKEN"]. Appends nothing if none is missing.
 */
void cr_give_grant(const struct cr_config *config, const struct cr_metadata *meta,
                   struct cr_buf *out);

/* Appends a sentence about the variables that are missing, with that setting; or nothing. */
void cr_give_missing(const struct cr_config *config, const struct cr_metadata *meta,
                     struct cr_buf *out);

/*
 * Gives |run| code that only calls |method|, "ns:action", with the args of the run. Returns 0 or a
 * CAPRUN_E_*.
 */
int cr_give_call(struct caprun_run *run, const char *method);

#endif
