/*
 * frames.h - handles the frames of a worker.
 */
#ifndef CR_FRAMES_H
#define CR_FRAMES_H

#include "run/run.h"

/* Handles one frame of a run that has not ended; wire_check() has passed its header. */
void cr_frames_handle(struct caprun_run *run, const struct wire_header *header,
                      const uint8_t *payload);

/* |have| bytes of a long frame have come: scans them, without any effect on the run. */
void cr_frames_look(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload, size_t have);

#endif
