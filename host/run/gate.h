/*
 * gate.h - the interface to route/, which takes calls that no handler of the application answers:
 * it decides about them, now or later, and gets them answered.
 *
 * Before a call comes here, the run has checked names, args and the capability's own list of tools.
 */
#ifndef CR_GATE_H
#define CR_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caprun.h"
#include "policy/policy.h"

/* A call as the gate gets it. */
struct cr_gate_call {
    struct caprun_run *run;
    uint32_t number;
    const char *args; /* checked, and passed on as these very bytes */
    size_t args_len;
    uint8_t **block; /* *block: NULL, or the memory from malloc() that the args are in */
};

struct cr_gate {
    /*
     * Takes |call|. The args are copied; or *|call->block| is taken over, and set to NULL. Returns
     * a handle, which the run passes to cancel() if it gives up on the call; or NULL if the call
     * has ended.
     *
     * Later the gate calls cr_calls_release(), so that the run forgets the handle, and then ends
     * the call with cr_calls_reply_scanned(), cr_calls_fail() or cr_decide_deny(). If
     * cr_calls_send() fails, the call has ended already.
     */
    void *(*take)(struct cr_gate *gate, const struct cr_gate_call *call);
    /*
     * May a call of |tool| that was perhaps carried out be made again? |tool| is the exact name
     * that was recorded when the call was sent, never a name that the untrusted code has chosen.
     */
    bool (*is_idempotent)(struct cr_gate *gate, const char *tool);
    /*
     * cr_calls_send() returned CR_AUDITOR_LATER for the call, and would now return something else.
     */
    void (*resume)(struct cr_gate *gate, void *handle);
    /* The run gives up on a call: time is over, or the run ends. Must not touch the run. */
    void (*cancel)(struct cr_gate *gate, void *handle, const char *why);
};

#endif
