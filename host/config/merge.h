/* merge.h - merges the user's file below the project's. */
#ifndef CR_MERGE_H
#define CR_MERGE_H

#include "config/config.h"

/*
 * Moves the settings that are used from |config|->user, which was read, to |config|. Returns 0;
 * CONFIG_ERROR if two servers have names that are the same in code, or too many servers; or
 * CAPRUN_E_NOMEM.
 */
int cr_merge_user(struct cr_config *config, struct cr_err *why);

#endif
