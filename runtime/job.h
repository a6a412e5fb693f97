/*
 * job.h - one run, from its first frame to its last.
 */
#ifndef CRW_JOB_H
#define CRW_JOB_H

#include <stdbool.h>

#include "quickjs.h"

/*
 * Reads the job, runs it and says how it ended. |mcp| is what the code gets under that name.
 * |has_clock| says whether this process can tell the time without a system call; without it, a
 * run over its time is ended by the host alone, and has no stack. Never returns.
 */
_Noreturn void crw_job_run(JSContext *ctx, JSValueConst mcp, bool has_clock);

/* Ends the run with the pending exception, which no code is left to catch. */
_Noreturn void crw_job_uncaught(JSContext *ctx);

#endif
