/*
 * trace.h - follows the calls of a run: with -v a line for each call, and for progress of servers;
 * on a terminal one line about the oldest open call, when it takes longer than a second.
 */
#ifndef CR_TRACE_H
#define CR_TRACE_H

#include <stdint.h>

#include "base/buf.h"
#include "caprun.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"

#define CR_TRACE_CALLS 1024 /* that can be open at once */

struct cr_trace {
    struct cr_output *out;
    int64_t said_us; /* when progress was last shown as a line: some of it is skipped */
    bool is_verbose;
    struct cr_progress progress;
    struct {
        uint32_t number;
        int64_t began_us;
        struct cr_buf progress; /* the last notification, empty if it was long */
    } open[CR_TRACE_CALLS];     /* the oldest first */
    size_t open_count;
};

/*
 * Sets the callbacks of |run|, if |o| and the terminal want any. |out| gets the lines; both must
 * outlive the run. The caller ends it with cr_trace_end().
 */
void cr_trace_begin(struct cr_trace *trace, struct caprun_run *run, struct cr_output *out,
                    const struct cr_options *o);
void cr_trace_end(struct cr_trace *trace);

/* Draws the line on the terminal if it is time to. */
void cr_trace_draw(struct cr_trace *trace, struct caprun_run *run);

/* Returns how many milliseconds to wait at most until cr_trace_draw(); -1: no limit. */
int cr_trace_wait_ms(const struct cr_trace *trace);

#endif
