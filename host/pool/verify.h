/*
 * verify.h - checks a worker from outside, by what the kernel says about it in /proc.
 */
#ifndef CR_VERIFY_H
#define CR_VERIFY_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Checks that |pid| is locked down: filtered, without privileges and without ways to gain some, one
 * thread, one descriptor. |inherited| is how many filters it inherited; they do not count as its
 * own. Files that this user may not read are skipped. Returns 0, or CAPRUN_E_SANDBOX with the line
 * of its status that is wrong.
 */
int cr_verify_worker(pid_t pid, unsigned inherited, struct cr_err *err);

/* Returns how many filters this thread has, as in a container, and passes on to its children. */
unsigned cr_verify_own_filters(void);

/* Returns the resident memory of |pid| in bytes, or 0 if it is unknown. */
uint64_t cr_verify_resident(pid_t pid);

#endif
