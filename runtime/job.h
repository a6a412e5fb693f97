/*
 * job.h - performs one run, from its first frame to its last.
 */
#ifndef CRW_JOB_H
#define CRW_JOB_H

#include <stdbool.h>

#include "quickjs.h"

/*
 * Reads the job, runs it and reports how it ended. |mcp| is the object that the code gets under
 * that name. |has_clock|: this process can read the clock without a system call. Without a clock
 * only the host ends a run that takes too long, and reports no stack. Never returns.
 */
_Noreturn void crw_job_run(JSContext *ctx, JSValueConst mcp, bool has_clock);

/* Ends the run with the pending exception, which no code can catch any longer. */
_Noreturn void crw_job_uncaught(JSContext *ctx);

#endif
