/*
 * envelope.h - the one JSON object that says how a run ended.
 */
#ifndef CR_ENVELOPE_H
#define CR_ENVELOPE_H

#include "run/calls.h"
#include "run/run.h"

/*
 * Writes |run->envelope|, once, for a run that has ended: when the application asks for it. The
 * logs and the list of attempts are in there alone afterwards.
 */
void cr_envelope_write(struct caprun_run *run);

/* What the envelope's metrics say; 0 for a number that is no metric. */
uint64_t cr_envelope_metric(const struct caprun_run *run, enum caprun_metric metric);

/* The error's type: the outcome's own, or a narrower one. */
const char *cr_envelope_type(const struct caprun_run *run);

/* "CODE_ERROR", 1: of any number that is no outcome, those of INTERNAL. */
const char *cr_envelope_code(enum caprun_outcome outcome);
int cr_envelope_status(enum caprun_outcome outcome);

/* The outcome of that name; INTERNAL if there is none. */
enum caprun_outcome cr_envelope_outcome(const char *code);

/* "done", "failed": how what became of |call| is called. */
const char *cr_envelope_call_state(const struct cr_call *call);

/* Appends who decided about |call|, as a JSON string. */
void cr_envelope_add_by(struct cr_buf *out, const struct cr_call *call);

#endif
