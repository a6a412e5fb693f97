/*
 * signals.h - the signals that end a run, as data: blocked, and read from a descriptor, so that a
 * run that is cancelled still gets its envelope.
 */
#ifndef CR_SIGNALS_H
#define CR_SIGNALS_H

#include <signal.h>

struct cr_signals {
    int fd; /* -1: none could be had, and they end us the plain way */
    sigset_t old;
    int taken; /* the first that came, or 0 */
};

/* Those that whoever started us wants ignored (nohup) are left alone. */
void cr_signals_begin(struct cr_signals *s);

/* Returns the first signal that has come since, or 0; does not wait. */
int cr_signals_take(struct cr_signals *s);

/* A second time it does nothing. */
void cr_signals_end(struct cr_signals *s);

#endif
