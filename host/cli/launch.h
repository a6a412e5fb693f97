/*
 * launch.h - what running code from a file and running a capability have in common.
 */
#ifndef CR_LAUNCH_H
#define CR_LAUNCH_H

#include "base/buf.h"
#include "base/err.h"
#include "caprun.h"
#include "capability/recording.h"
#include "cli/options.h"
#include "cli/signals.h"

/* Ends the run with |why|. Returns -1, as all of these do when the run has ended before it began.
 */
int cr_launch_reject(struct caprun_run *run, const struct cr_err *why);

/*
 * Gives what was read to the run with |set|, or says why it could not be read: |r| and |err| are of
 * the reading, |hint| is for a path that leads nowhere. Frees |read|. Returns 0 or -1.
 */
int cr_launch_hand_over(struct caprun_runtime *rt, struct caprun_run *run, int r,
                        const struct cr_err *err, struct cr_buf *read,
                        int (*set)(struct caprun_run *, const char *, size_t), const char *hint);

/* ARGS: a path, - or JSON; NULL is {}. Returns 0 or -1. */
int cr_launch_args(struct caprun_runtime *rt, struct caprun_run *run, const char *word);

/* What the configuration and the command line say of recording, and how it is told. */
void cr_launch_recording(struct cr_recording *ret, const struct cr_config *config,
                         const struct cr_options *o);

/*
 * Runs to the end, or to a signal that asks for it: returns that, or 0. Ends |signals| before the
 * last lines of the log are written.
 */
int cr_launch_run(struct caprun_runtime *rt, struct caprun_run *run, struct cr_signals *signals,
                  const struct cr_options *o);

/* The same of a run that is given no variables, and is recorded. */
int cr_launch_recorded(struct caprun_runtime *rt, struct caprun_run *run,
                       struct cr_recording *recording, const struct cr_recording_origin *origin,
                       const struct cr_options *o);

#endif
