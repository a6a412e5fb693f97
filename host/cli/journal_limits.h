/*
 * journal_limits.h - limits of a run that is replayed or resumed: those of the command line; else
 * for a journal in the state directory the journal's, for other journals the configuration's.
 */
#ifndef CR_JOURNAL_LIMITS_H
#define CR_JOURNAL_LIMITS_H

#include <stdbool.h>

#include "caprun.h"
#include "cli/options.h"
#include "config/config.h"

/*
 * Sets the limits of |run|, which has a journal. The library takes the lower of these limits and
 * the journal's, and defaults where no limit is set. |config| is NULL for a journal in the state
 * directory. Returns 0 or CAPRUN_E_TOOBIG.
 */
int cr_journal_limits_set(struct caprun_run *run, const struct cr_options *o,
                          const struct cr_config *config, bool is_replay);

#endif
