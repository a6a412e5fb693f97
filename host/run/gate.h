/*
 * gate.h - who takes the calls of runs that have no handler of the application: decides about them,
 * now or later, and has them answered.
 *
 * The run has checked names, args and the capability's own list of tools when it comes here; route/
 * is behind it. A call that was taken ends with one of cr_calls_reply_scanned(), cr_calls_fail()
 * and cr_decide_deny(), or with lost().
 */
#ifndef CR_GATE_H
#define CR_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caprun.h"
#include "policy/policy.h"

struct cr_gate {
    /*
     * Takes call |number|. |args| are checked, and the very bytes that go on. They are copied, or
     * *|block|, the memory from malloc() that they are in, is taken, and is NULL then. Returns what
     * lost() is to be called with, should it come to that; or NULL, and the call has ended already.
     * Whoever ends the call calls cr_calls_release() before.
     */
    void *(*take)(struct cr_gate *gate, struct caprun_run *run, uint32_t number, const char *args,
                  size_t len, uint8_t **block);
    /*
     * May a call of |tool| that was perhaps carried out be made again? |tool| is the exact name
     * that was recorded when the call was sent, never a name that the code has chosen.
     */
    bool (*is_idempotent)(struct cr_gate *gate, const char *tool);
    /* The answer of a call that was taken is not wanted any more. Does not touch its run. */
    void (*lost)(struct cr_gate *gate, void *taken, const char *why);
};

#endif
