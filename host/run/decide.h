/*
 * decide.h - from a CALL frame to whoever answers the call.
 *
 * In the order of the contract: names and sizes, the capability's own list of tools, the args by
 * the strict scanner; then the application, if it has a handler, or the gate (gate.h): target,
 * policy, and whoever answers. The args that are checked are the bytes that go on.
 */
#ifndef CR_DECIDE_H
#define CR_DECIDE_H

#include "run/gate.h"
#include "run/run.h"

/* A CALL frame. No handler and no server gets the call before all of that is checked. */
void cr_decide_call(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload);

/* |have| bytes of a long CALL frame have come: scans the args, unless the call will be denied. */
void cr_decide_look(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload, size_t have);

/*
 * For the player, when the run is live: call |number|, which is open and waits for nobody, is
 * decided on as if it had just come. |verdict|: what the strict scanner has said of |args|, its
 * code is 0 if it accepts them; NULL: they were not scanned yet.
 */
void cr_decide_again(struct caprun_run *run, uint32_t number, const char *args, size_t len,
                     const struct cr_err *verdict);

/*
 * For the player: what the strict scanner says of the args of the frame at hand, if they were
 * scanned while they came; its code is 0 if it accepts them. Returns false if they were not.
 */
bool cr_decide_verdict(struct caprun_run *run, const uint8_t *args, size_t len,
                       struct cr_err *ret_verdict);

/*
 * For the player: may a call of |tool| that was perhaps carried out be made again? Only the exact
 * name counts that was recorded when it was sent: the code chooses the name that it calls.
 */
bool cr_decide_may_repeat(const struct caprun_run *run, const char *tool);

/* Fails call |number| with RPC_ERROR; the second because the call has no target. */
void cr_decide_fail(struct caprun_run *run, uint32_t number, const char *message);
void cr_decide_no_target(struct caprun_run *run, uint32_t number);

/* For the gate: what was decided about call |number|; the second ends the call. */
void cr_decide_rule(struct caprun_run *run, uint32_t number, const struct cr_ruling *ruling);
void cr_decide_deny(struct caprun_run *run, uint32_t number, const struct cr_ruling *ruling);

#endif
