/*
 * decide.h - checks a CALL frame, and passes the call to the handler or the gate.
 *
 * The order is fixed: names and sizes; the capability's own list of tools; the args, by the strict
 * scanner; then the application's handler, if there is one, or the gate (gate.h), which checks
 * target and policy. The args that are checked are the same bytes that are passed on.
 */
#ifndef CR_DECIDE_H
#define CR_DECIDE_H

#include "run/gate.h"
#include "run/run.h"

/* Handles a CALL frame. No handler and no server gets the call before all of that is checked. */
void cr_decide_call(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload);

/* |have| bytes of a long CALL frame have come: scans the args, unless the call will be denied. */
void cr_decide_look(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload, size_t have);

/*
 * For the player, when the run is live: call |number| is open and has not been passed on. Decides
 * about it as if it had just come. |verdict| is the strict scanner's result for |args|, with code 0
 * if it accepts them; NULL: they were not scanned yet.
 */
void cr_decide_again(struct caprun_run *run, uint32_t number, const char *args, size_t len,
                     const struct cr_err *verdict);

/*
 * For the player: the strict scanner's result for the args of the current frame, if they were
 * scanned while they arrived; its code is 0 if it accepts them. Returns false if they were not.
 */
bool cr_decide_verdict(struct caprun_run *run, const uint8_t *args, size_t len,
                       struct cr_err *ret_verdict);

/*
 * For the player: may a call of |tool| that was perhaps carried out be made again? |tool| is the
 * exact name that was recorded when it was sent, since the untrusted code chooses the called name.
 */
bool cr_decide_may_repeat(const struct caprun_run *run, const char *tool);

/* Fails call |number| with RPC_ERROR; the second one because the call has no target. */
void cr_decide_fail(struct caprun_run *run, uint32_t number, const char *message);
void cr_decide_no_target(struct caprun_run *run, uint32_t number);

/* The audit has the line of call |number|: calls the application's handler. */
void cr_decide_audited(struct caprun_run *run, uint32_t number, const char *args, size_t len);

/* For the gate: notes the decision about call |number|; the second one denies and ends the call. */
void cr_decide_rule(struct caprun_run *run, uint32_t number, const struct cr_ruling *ruling);
void cr_decide_deny(struct caprun_run *run, uint32_t number, const struct cr_ruling *ruling);

#endif
