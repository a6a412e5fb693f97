/*
 * timers.h - setTimeout and friends, kept in the worker; the host is only asked to wake it.
 *
 * Timers are ordered by the time at which they are due, then by the order in which they were set.
 * A wake-up runs those that are due and were set before it came: one that is set meanwhile, with
 * no delay at all, waits for the next, so that time moves between them.
 */
#ifndef CRW_TIMERS_H
#define CRW_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include "quickjs.h"

/* Adds setTimeout, setInterval, clearTimeout and clearInterval to the global object. */
int crw_timers_install(JSContext *ctx);

/* A wake-up arrived; the timers that are due at |now_us| may run. */
void crw_timers_wake(int64_t now_us);

/* Runs the next timer of this wake-up. Returns false if there is none left. */
bool crw_timers_run_one(JSContext *ctx);

/* Returns when the next timer is due, or -1 if none is set. */
int64_t crw_timers_next(void);

#endif
