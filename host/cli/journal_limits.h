/*
 * journal_limits.h - the most that a run with a journal may have: what the command line says; else
 * for a journal that caprun keeps itself what it says, and for others what the configuration says.
 */
#ifndef CR_JOURNAL_LIMITS_H
#define CR_JOURNAL_LIMITS_H

#include <stdbool.h>

#include "caprun.h"
#include "cli/options.h"
#include "config/config.h"

/*
 * Sets the limits of |run|, which has a journal; the library takes the least of them and the
 * journal's, and of the defaults where nothing is set. |config| is NULL for a journal that is in
 * the state directory. Returns 0 or CAPRUN_E_TOOBIG.
 */
int cr_journal_limits_set(struct caprun_run *run, const struct cr_options *o,
                          const struct cr_config *config, bool is_replay);

#endif
