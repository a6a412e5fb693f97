/*
 * shape.h - what .caprun.json may say, as tables; and the walk that holds a file against them.
 */
#ifndef CR_SHAPE_H
#define CR_SHAPE_H

#include <stddef.h>

#include "config/config.h"

/*
 * Checks |config|->doc, stores its numbers and flags in the fields of |config|, and what is let
 * through nevertheless in its warnings. Returns 0; or the first thing that is wrong, as
 * CONFIG_ERROR with "FILE:LINE:COLUMN: " before the words.
 */
int cr_shape_check(struct cr_config *config, struct cr_err *why);

/* Such an error, about the byte |at| of |config|->doc. Returns CAPRUN_E_INVAL. */
int cr_shape_refuse(const struct cr_config *config, size_t at, struct cr_err *why, const char *fmt,
                    ...) __attribute__((format(printf, 4, 5)));

#endif
