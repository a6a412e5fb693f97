/*
 * trace.h - with -v: a line on standard error for each call, and for what servers tell meanwhile.
 */
#ifndef CR_TRACE_H
#define CR_TRACE_H

#include <stdint.h>

#include "caprun.h"
#include "cli/output.h"

struct cr_trace {
    struct cr_output *out;
    int64_t said_us; /* the last progress that was shown: not all has to be */
};

/* |out| gets the lines; both must outlive the run. */
void cr_trace_begin(struct cr_trace *trace, struct caprun_run *run, struct cr_output *out);

#endif
