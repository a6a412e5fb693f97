/*
 * exec.h - `caprun exec FILE [ARGS]`: runs code from a file.
 */
#ifndef CR_EXEC_H
#define CR_EXEC_H

#include "caprun.h"
#include "capability/recording.h"
#include "cli/options.h"

/*
 * Reads code and args into |run| and runs it to its end. Invalid input also ends the run. Returns
 * the signal that cancelled it, or 0.
 */
int cr_exec_run(struct caprun_runtime *rt, struct caprun_run *run,
                const struct cr_options *options);

/*
 * Reads the configuration for a run of code that is in no registry, and applies it to |rt|, whose
 * zygote has not started, to |run| and to |ret|. Returns 0; or -1, and the run has ended.
 */
int cr_exec_configure(struct caprun_runtime *rt, struct caprun_run *run,
                      const struct cr_options *options, struct cr_recording *ret);

#endif
