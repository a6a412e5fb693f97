/*
 * recorder.h - who writes down what a run is told and asks for.
 *
 * journal/ is behind it. A run without a recorder is not written down. Each function that can fail
 * is called before the effect that it announces is to be seen outside of the worker, and that does
 * not happen if it fails: the run ends with INTERNAL. A recorder that would rather give up than end
 * a run does not fail.
 *
 * A value that is too long for a line is stored in a file of its own, beside the loop (keep()).
 * What it is part of waits for that: a frame of the worker is not handled, and an answer is not
 * told. Then all functions here have what they need, and do not wait for a disk (but a value for
 * whose job there is no memory is written at once).
 */
#ifndef CR_RECORDER_H
#define CR_RECORDER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/helper.h"
#include "base/shared.h"
#include "wire.h"

/* A long value whose SHA-256, its name, is known; |bytes| are only compared as a pointer. */
struct cr_kept {
    const void *bytes; /* NULL: there is none */
    size_t len;
    char name[CR_HASH_DIGITS + 1];
    bool is_stored;
    bool is_json;
};

/*
 * A long value that is on its way to get one. |done| is called in a step of the loop, once, and
 * then |job| is gone: with |name|; or without a name if the value is not needed any more; or with
 * |err|, and the run cannot go on. cr_helper_abandon() of |job|, on the disk's helper, ends it.
 */
struct cr_keeping {
    struct cr_shared *shared; /* the memory that it is in: the job has a reference of its own */
    const void *bytes;
    size_t len;
    void (*done)(void *data, const char *name, const struct cr_err *err);
    void *data;
    struct cr_job *job;           /* set by keep() */
    bool is_scanned;              /* it is known to be JSON, or is a text */
    bool is_stored, is_json;      /* set before |done| */
    struct cr_recorder *recorder; /* for keep() */
};

struct cr_recorder {
    /* Is |value|, JSON or a text, too long for a line? */
    bool (*is_long)(const void *value, size_t len, bool is_json);
    /* Begins to store |k|. Returns false if there is nothing to wait for. */
    bool (*keep)(struct cr_recorder *r, struct caprun_run *run, struct cr_keeping *k);
    /*
     * False while what begin() has to write is on its way; then the recorder calls
     * cr_run_recorder_ready().
     */
    bool (*is_ready)(struct cr_recorder *r);
    /* Is it still writing its first line, or removing files? */
    bool (*is_busy)(struct cr_recorder *r);
    /* The run is about to wait for a worker: it has its code, args, limits and seed. */
    int (*begin)(struct cr_recorder *r, struct caprun_run *run, struct cr_err *err);
    /*
     * A frame has been sent to the worker, and nothing that the worker sends is read before this
     * returns. |known| is the long value of the frame, if it has one.
     */
    int (*frame_sent)(struct cr_recorder *r, struct caprun_run *run,
                      const struct wire_header *header, const struct wire_part *parts, size_t count,
                      const struct cr_kept *known, struct cr_err *err);
    /* A frame came from the worker, and has a valid form; the args of a call are not scanned yet.
     */
    int (*frame_received)(struct cr_recorder *r, struct caprun_run *run,
                          const struct wire_header *header, const uint8_t *payload,
                          const struct cr_kept *known, struct cr_err *err);
    /*
     * Call |number| is about to be sent to whoever answers it. |tool|: the exact name of the tool,
     * "server:tool", which may differ from the name that the code has used; NULL: the application's
     * handler is asked.
     */
    int (*send)(struct cr_recorder *r, struct caprun_run *run, uint32_t number, const char *tool,
                struct cr_err *err);
    /* The run was brought to where it was, and goes on from here. */
    int (*resume)(struct cr_recorder *r, struct caprun_run *run, struct cr_err *err);
    /* It has its outcome. */
    void (*end)(struct cr_recorder *r, struct caprun_run *run);
    void (*free)(struct cr_recorder *r);
};

#endif
