/*
 * launch.h - what `exec`, `call`, `resume` and capabilities share: args, recording, running.
 */
#ifndef CR_LAUNCH_H
#define CR_LAUNCH_H

#include "base/buf.h"
#include "base/err.h"
#include "caprun.h"
#include "capability/recording.h"
#include "cli/options.h"
#include "cli/signals.h"

/*
 * Ends the run with |why|. Returns -1, as all functions here do if the run ends before its start.
 */
int cr_launch_reject(struct caprun_run *run, const struct cr_err *why);

/*
 * Gives the run, with |set|, what was read; or ends the run with the error of reading: |r| and
 * |err|, and |hint| if the path is wrong. Frees |read|. Returns 0 or -1.
 */
int cr_launch_hand_over(struct caprun_runtime *rt, struct caprun_run *run, int r,
                        const struct cr_err *err, struct cr_buf *read,
                        int (*set)(struct caprun_run *, const char *, size_t), const char *hint);

/* Sets the args from ARGS: a path, - or JSON; NULL is {}. Returns 0 or -1. */
int cr_launch_args(struct caprun_runtime *rt, struct caprun_run *run, const char *word);

/* Sets up |ret| from the configuration and the command line. */
void cr_launch_recording(struct cr_recording *ret, const struct cr_config *config,
                         const struct cr_options *o);

/*
 * Runs to the end, or until a signal cancels the run: returns that signal, or 0. Ends |signals|
 * before the last lines of the log are written.
 */
int cr_launch_run(struct caprun_runtime *rt, struct caprun_run *run, struct cr_signals *signals,
                  const struct cr_options *o);

/* The same for a run that gets no variables, and is recorded. */
int cr_launch_recorded(struct caprun_runtime *rt, struct caprun_run *run,
                       struct cr_recording *recording, const struct cr_recording_origin *origin,
                       const struct cr_options *o);

#endif
