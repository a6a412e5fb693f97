/*
 * decide.h - may this call be made, and who answers it? The one choke point.
 *
 * In the order of the contract: names and sizes, the capability's own list of tools, the args by
 * the strict scanner; then the application, if it has a handler, or the gate (gate.h): target,
 * policy, and whoever answers. The args that are checked are the bytes that go on.
 */
#ifndef CR_DECIDE_H
#define CR_DECIDE_H

#include "run/run.h"

/* A CALL frame. Nobody who could answer hears of it before all that is decided. */
void cr_decide_call(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload);

/* |have| bytes of a long CALL frame have come: scans the args, unless the call will be denied. */
void cr_decide_look(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload, size_t have);

/*
 * For the prompter, when the run is live: call |number|, which is open and waits for nobody, is
 * decided on as if it had just come. |verdict|: what the strict scanner has said of |args|, its
 * code is 0 if it accepts them; NULL: they were not scanned yet.
 */
void cr_decide_again(struct caprun_run *run, uint32_t number, const char *args, size_t len,
                     const struct cr_err *verdict);

/* For the gate: as judge() would have ruled, had it known more; the second ends the call. */
void cr_decide_rule(struct caprun_run *run, uint32_t number, const struct cr_ruling *ruling);
void cr_decide_deny(struct caprun_run *run, uint32_t number, const struct cr_ruling *ruling);

/*
 * For the gate, when it knows the exact name of the tool that was called by an alias: is that in
 * the capability's own list of tools, or has it none? If not, it is denied with the second.
 */
bool cr_decide_is_listed(const struct caprun_run *run, const char *method);
void cr_decide_deny_unlisted(struct caprun_run *run, uint32_t number);

#endif
