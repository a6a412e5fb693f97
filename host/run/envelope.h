/*
 * envelope.h - the envelope, a JSON object that says how a run ended; names and texts in it.
 */
#ifndef CR_ENVELOPE_H
#define CR_ENVELOPE_H

#include "run/calls.h"
#include "run/run.h"

/*
 * Writes |run->envelope|, once, for a run that has ended: when the application asks for it. After
 * that only the envelope has the logs and the list of blocked attempts.
 */
void cr_envelope_write(struct caprun_run *run);

/* Returns a metric as the envelope shows it; 0 for an unknown metric. */
uint64_t cr_envelope_metric(const struct caprun_run *run, enum caprun_metric metric);

/* Returns the error's type: the run's own, or that of its outcome. */
const char *cr_envelope_type(const struct caprun_run *run);

/* Return name and exit status, as "CODE_ERROR" and 1; those of INTERNAL for an unknown outcome. */
const char *cr_envelope_code(enum caprun_outcome outcome);
int cr_envelope_status(enum caprun_outcome outcome);

/* Returns the outcome named |code|; INTERNAL if the name is unknown. */
enum caprun_outcome cr_envelope_outcome(const char *code);

/* Returns the envelope's name for the state of |call|: "done", "failed". */
const char *cr_envelope_call_state(const struct cr_call *call);

/* Appends what decided about |call|, as a JSON string. */
void cr_envelope_add_by(struct cr_buf *out, const struct cr_call *call);

#endif
