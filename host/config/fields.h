/*
 * fields.h - fills the text fields of struct cr_config from a checked file.
 *
 * The check itself stores numbers and flags. Texts are stored here: ${NAME} is expanded in them,
 * and relative paths are made absolute.
 */
#ifndef CR_FIELDS_H
#define CR_FIELDS_H

#include "config/config.h"

/*
 * Fills the text fields of |c|, after cr_shape_check(). Returns 0 or CAPRUN_E_NOMEM;
 * cr_fields_clear() is needed either way.
 */
int cr_fields_take(struct cr_config *c);

/* Frees these fields. A configuration of zeros is allowed. */
void cr_fields_clear(struct cr_config *c);

#endif
