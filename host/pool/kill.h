/*
 * kill.h - ends a process, which is how every limit is held.
 */
#ifndef CR_KILL_H
#define CR_KILL_H

#include "base/err.h"

/* Ends the process behind |pidfd|. Returns 0, also if it has ended before, or -1 with errno. */
int cr_kill_process(int pidfd);

/* Would that be allowed? Returns 0, or CAPRUN_E_SANDBOX: what cannot be ended has no limits. */
int cr_kill_check(int pidfd, struct cr_err *err);

#endif
