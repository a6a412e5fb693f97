/*
 * keep.h - makes a run wait while its recorder stores a long value off the loop. A replayed run
 * compares names (hashes) of values, which are computed there as well.
 */
#ifndef CR_KEEP_H
#define CR_KEEP_H

#include "run/run.h"

void cr_keep_init(struct caprun_run *run);

/*
 * Does the frame from the worker have a long value without a name yet? Then returns true: the
 * worker is paused, and the frame comes again.
 */
bool cr_keep_frame(struct caprun_run *run, const struct wire_header *header,
                   const uint8_t *payload);

/*
 * Is |json| an answer to the open call |number| that has to be stored before the worker is told?
 * Then returns true, and cr_calls_deliver() is called when it is stored, unless the run ends
 * before. A few answers of a run are stored at once; the others wait for them. |block| is as for
 * cr_calls_reply().
 */
bool cr_keep_answer(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                    const char *json, size_t len, uint8_t **block);

/* The run has ended: cancels all storing. */
void cr_keep_clear(struct caprun_run *run);

#endif
