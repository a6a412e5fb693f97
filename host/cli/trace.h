/*
 * trace.h - for -v: prints a line on standard error for each call, and for progress of servers.
 */
#ifndef CR_TRACE_H
#define CR_TRACE_H

#include <stdint.h>

#include "caprun.h"
#include "cli/output.h"

struct cr_trace {
    struct cr_output *out;
    int64_t said_us; /* when progress was last shown: some of it is skipped */
};

/* |out| gets the lines; both must outlive the run. */
void cr_trace_begin(struct cr_trace *trace, struct caprun_run *run, struct cr_output *out);

#endif
