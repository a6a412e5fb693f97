/*
 * verify.h - what the kernel says of a worker, asked from outside and not of the worker.
 */
#ifndef CR_VERIFY_H
#define CR_VERIFY_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Checks that |pid| is a worker as it should be: filtered, without privileges to gain or to use,
 * one thread, one descriptor. |inherited| is how many filters it was born with: those are none of
 * its own. What this user may not look at is not held against it. Returns 0, or CAPRUN_E_SANDBOX
 * with the line that is wrong.
 */
int cr_verify_worker(pid_t pid, unsigned inherited, struct cr_err *err);

/* Returns how many filters this thread has, as in a container, and gives to its children. */
unsigned cr_verify_own_filters(void);

/* Returns the resident memory of |pid| in bytes, or 0 if it cannot be known. */
uint64_t cr_verify_resident(pid_t pid);

#endif
