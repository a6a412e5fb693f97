/*
 * calls.h - the calls of a run: from the worker's frame to the answer.
 *
 *     OPEN --reply--> DONE
 *          --fail, or the time for one call is over--> FAILED
 *          --it is not in the capability's list of tools--> DENIED
 *
 * A call that is still open when the run ends stays OPEN: nobody knows what became of it.
 */
#ifndef CR_CALLS_H
#define CR_CALLS_H

#include "pool/run.h"

/*
 * A CALL frame. Its names and args are checked, then the run's list of tools; only then does
 * anybody hear of it who could answer.
 */
void cr_calls_handle(struct caprun_run *run, const struct wire_header *header,
                     const uint8_t *payload);

/*
 * Answers call |number| with |json|. Returns 0; CAPRUN_E_STATE if it is not open (any more);
 * CAPRUN_E_INVAL for what is not JSON, and the call stays open; CAPRUN_E_TOOBIG over
 * LIMIT_ANSWER_BYTES, or when too much waits for the worker already, and the call fails;
 * CAPRUN_E_NOMEM, and the run has ended.
 */
int cr_calls_reply(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                   const char *json, size_t len, struct cr_err *err);

/* Fails call |number| with the code of |outcome|. Returns 0, CAPRUN_E_STATE or CAPRUN_E_NOMEM. */
int cr_calls_fail(struct caprun_run *run, uint32_t number, enum caprun_outcome outcome,
                  const char *message, size_t len, struct cr_err *err);

/* When the next call has waited too long, as cr_loop_now() counts, or INT64_MAX. */
int64_t cr_calls_next(struct caprun_run *run);

/* Fails every call that has waited too long. */
void cr_calls_expire(struct caprun_run *run);

void cr_calls_clear(struct caprun_run *run);

#endif
