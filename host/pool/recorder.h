/*
 * recorder.h - who writes down what a run is told and asks for.
 *
 * journal/ is behind it. A run without a recorder is not written down. Each function that can fail
 * is called before the effect that it announces is to be seen outside of the worker, and that does
 * not happen if it fails: the run ends with INTERNAL. A recorder that would rather give up than end
 * a run does not fail.
 */
#ifndef CR_RECORDER_H
#define CR_RECORDER_H

#include "base/err.h"
#include "wire.h"

struct cr_recorder {
    /* The run is about to wait for a worker: it has its code, args, limits and seed. */
    int (*begin)(struct cr_recorder *r, struct caprun_run *run, struct cr_err *err);
    /* A frame has been sent to the worker, of which nothing has been heard since. */
    int (*tell)(struct cr_recorder *r, struct caprun_run *run, const struct wire_header *header,
                const struct wire_part *parts, size_t count, struct cr_err *err);
    /* A frame came from the worker, and makes sense. */
    int (*hear)(struct cr_recorder *r, struct caprun_run *run, const struct wire_header *header,
                const uint8_t *payload, struct cr_err *err);
    /* Call |number| is about to be sent to whoever answers it. */
    int (*send)(struct cr_recorder *r, struct caprun_run *run, uint32_t number, struct cr_err *err);
    /* The run was brought to where it was, and goes on from here. */
    int (*resume)(struct cr_recorder *r, struct caprun_run *run, struct cr_err *err);
    /* It has its outcome. */
    void (*end)(struct cr_recorder *r, struct caprun_run *run);
    void (*free)(struct cr_recorder *r);
};

#endif
