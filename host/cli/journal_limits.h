/*
 * journal_limits.h - limits of a run that is replayed or resumed, from the command line, the
 * journal and the configuration (docs/journal.md).
 */
#ifndef CR_JOURNAL_LIMITS_H
#define CR_JOURNAL_LIMITS_H

#include <stdbool.h>

#include "caprun.h"
#include "cli/options.h"
#include "config/config.h"

/*
 * Sets the limits of |run|, which will be replayed. The library takes the lower of these limits and
 * the journal's, and defaults where no limit is set. |config| is NULL for a journal in the state
 * directory. Returns 0 or CAPRUN_E_TOOBIG.
 */
int cr_journal_limits_replay(struct caprun_run *run, const struct cr_options *o,
                             const struct cr_config *config);

/*
 * The same for a run that will be resumed; |is_own|: its journal is in the state directory. Uses a
 * limit of the command line, even if it is larger. Otherwise uses the larger of the configuration's
 * and the journal's limit; of the configuration alone unless |is_own|.
 */
int cr_journal_limits_resume(struct caprun_run *run, const struct cr_options *o,
                             const struct cr_config *config, bool is_own);

#endif
