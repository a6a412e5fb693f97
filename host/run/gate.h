/*
 * gate.h - who decides about the calls of runs that have no handler of the application, and who
 * answers them.
 *
 * The pool has checked names, args and the capability's own list of tools when it comes here;
 * route/ is behind it. For each call judge() is asked once, and send() follows if it allows. The
 * call then ends with one of cr_calls_reply(), cr_calls_fail() and cr_decide_deny(), or with
 * lost().
 */
#ifndef CR_GATE_H
#define CR_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caprun.h"

struct cr_ruling {
    enum cr_ruling_answer {
        CR_RULING_ALLOWED,
        CR_RULING_DENIED,
        CR_RULING_NO_TARGET, /* nobody would answer, so nobody is asked */
    } answer;
    const char *by;     /* for the envelope: "rule:", "no_channel" */
    const char *rule;   /* what comes behind "rule:"; lives as long as the gate, or NULL */
    char message[1024]; /* unless it is allowed */
};

struct cr_gate {
    /* Target and policy, from the configuration alone. Starts nothing. */
    void (*judge)(struct cr_gate *gate, const char *method, struct cr_ruling *ret);
    /*
     * |args| are checked, and the very bytes that go on. They are copied, or *|block|, the memory
     * from malloc() that they are in, is taken, and is NULL then. Returns what lost() is to be
     * called with, should it come to that; or NULL, and the call has failed already. Whoever ends
     * the call calls cr_calls_release() before.
     */
    void *(*send)(struct cr_gate *gate, struct caprun_run *run, uint32_t call, const char *method,
                  const char *args, size_t len, uint8_t **block);
    /*
     * May a call of |tool| that was perhaps carried out be made again? |tool| is the exact name
     * that was recorded when the call was sent, never a name that the code has chosen.
     */
    bool (*is_idempotent)(struct cr_gate *gate, const char *tool);
    /* The answer of a call that was sent is not wanted any more. Does not touch its run. */
    void (*lost)(struct cr_gate *gate, void *sent, const char *why);
};

#endif
