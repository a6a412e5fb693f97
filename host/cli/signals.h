/*
 * signals.h - reads the signals that end a run from a descriptor, so that a cancelled run still
 * gets its envelope.
 */
#ifndef CR_SIGNALS_H
#define CR_SIGNALS_H

#include <signal.h>

struct cr_signals {
    int fd; /* -1: no signalfd, and signals end caprun as usual */
    sigset_t old;
    int taken; /* the first signal that came, or 0 */
};

/* Blocks the signals and opens |fd|. Signals that are ignored already (nohup) stay ignored. */
void cr_signals_begin(struct cr_signals *s);

/* Returns the first signal that has come since, or 0; does not wait. */
int cr_signals_take(struct cr_signals *s);

/* Restores the signals. Does nothing the second time. */
void cr_signals_end(struct cr_signals *s);

#endif
