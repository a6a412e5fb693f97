/*
 * watchdog.h - measures each turn of the loop, in the build variant "watchdog" only.
 *
 * That variant counts the thread's own CPU time in each turn, and aborts with the name of the
 * source when it is over 20 ms (times CAPRUN_TEST_TIMEOUT_MULTIPLIER). It also aborts, by name,
 * when code of the host makes a call that can block while a turn runs: tests/watchdog/ replaces
 * those calls. In all other variants these functions do nothing.
 */
#ifndef CR_WATCHDOG_H
#define CR_WATCHDOG_H

#ifdef CR_WATCHDOG

/* A turn of the source |name| begins, or ends. */
void cr_watchdog_begin(const char *name);
void cr_watchdog_end(void);

/* The application is called in a turn, or returns: its time is not measured. */
void cr_watchdog_leave(void);
void cr_watchdog_return(void);

/* The name of the source whose turn runs in this thread; NULL: no turn runs. */
const char *cr_watchdog_source(void);

#else

static inline void cr_watchdog_begin(const char *name)
{
    (void)name;
}

static inline void cr_watchdog_end(void)
{
}

static inline void cr_watchdog_leave(void)
{
}

static inline void cr_watchdog_return(void)
{
}

#endif

#endif
