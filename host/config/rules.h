/* rules.h - takes "permissions.rules" from a checked file. */
#ifndef CR_CONFIG_RULES_H
#define CR_CONFIG_RULES_H

#include "config/config.h"

/*
 * Fills |c|->rules, after cr_shape_check(). Returns 0; CONFIG_ERROR for a rule that denies and has
 * a budget; or CAPRUN_E_NOMEM. cr_config_rules_clear() is needed either way.
 */
int cr_config_rules_take(struct cr_config *c, struct cr_err *why);

/* Frees the rules. A configuration of zeros is allowed. */
void cr_config_rules_clear(struct cr_config *c);

#endif
