/*
 * timers.h - setTimeout, setInterval and their clear functions. The worker keeps the timers; the
 * host only sends a WAKE frame when the next one is due.
 *
 * Timers are ordered by due time, then by the order in which they were set. A wake-up runs the due
 * timers that were set before it arrived. A timer that is set meanwhile, even without delay, waits
 * for the next wake-up, so that the clock advances between them.
 */
#ifndef CRW_TIMERS_H
#define CRW_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include "quickjs.h"

/* Adds setTimeout, setInterval, clearTimeout and clearInterval to the global object. */
int crw_timers_install(JSContext *ctx);

/* Call when a wake-up arrived: the timers that are due at |now_us| may run. */
void crw_timers_wake(int64_t now_us);

/* Runs the next timer of this wake-up. Returns false if no timer is left. */
bool crw_timers_run_one(JSContext *ctx);

/* Returns when the next timer is due, or -1 if none is set. */
int64_t crw_timers_next(void);

#endif
