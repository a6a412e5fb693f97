/* shape.h - checks .caprun.json against the tables of keys.h. */
#ifndef CR_SHAPE_H
#define CR_SHAPE_H

#include <stddef.h>

#include "config/config.h"

/*
 * Checks |config|->doc, and stores its numbers and flags in the fields of |config|, and warnings
 * about what is accepted but has no effect. Returns 0; or CONFIG_ERROR for the first error, with
 * "FILE:LINE:COLUMN: " before the message.
 */
int cr_shape_check(struct cr_config *config, struct cr_err *why);

/* Sets such an error about the byte |at| of |config|->doc. Returns CAPRUN_E_INVAL. */
int cr_shape_refuse(const struct cr_config *config, size_t at, struct cr_err *why, const char *fmt,
                    ...) __attribute__((format(printf, 4, 5)));

#endif
