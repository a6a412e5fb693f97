/*
 * fields.h - what a checked file says, in the form in which it is used.
 *
 * Numbers and flags are stored by the check itself; the rest, in which ${NAME} has to be expanded
 * and paths have to be found, is taken here.
 */
#ifndef CR_FIELDS_H
#define CR_FIELDS_H

#include "config/config.h"

/*
 * Fills the fields of |c| that are made of texts, after cr_shape_check(). Returns 0 or
 * CAPRUN_E_NOMEM; cr_fields_clear() is needed either way.
 */
int cr_fields_take(struct cr_config *c);

/* Frees them; takes a configuration of zeros, too. */
void cr_fields_clear(struct cr_config *c);

#endif
