/*
 * keep.h - long values of a run: they are stored by its recorder, beside the loop, before the run
 * goes on with them. A run that is replayed compares their names, which are made there as well.
 */
#ifndef CR_KEEP_H
#define CR_KEEP_H

#include "run/run.h"

/*
 * Has the frame, which came from the worker, a long value that has no name yet? Then returns true:
 * the worker is paused, and the frame comes again.
 */
bool cr_keep_frame(struct caprun_run *run, const struct wire_header *header,
                   const uint8_t *payload);

/*
 * Is |json| an answer to the open call |number| that has to be stored before the worker is told?
 * Then returns true, and cr_calls_deliver() is called when it is stored, unless the run ends
 * before. |block| is as for cr_calls_reply().
 */
bool cr_keep_answer(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                    const char *json, size_t len, uint8_t **block);

/* The run has ended: nothing is waited for. */
void cr_keep_clear(struct caprun_run *run);

#endif
