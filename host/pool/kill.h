/*
 * kill.h - kills a worker process; every limit of a run is enforced this way.
 */
#ifndef CR_KILL_H
#define CR_KILL_H

#include "base/err.h"

/* Kills the process behind |pidfd|. Returns 0, also if it has ended before, or -1 with errno. */
int cr_kill_process(int pidfd);

/* Checks that |pidfd| may be killed. Returns 0, or CAPRUN_E_SANDBOX: no limit could be enforced. */
int cr_kill_check(int pidfd, struct cr_err *err);

#endif
