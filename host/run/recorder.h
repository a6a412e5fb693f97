/*
 * recorder.h - the interface to journal/, which records what a run is sent and what it asks for.
 *
 * A run without a recorder is not recorded. Each function that can fail is called before the effect
 * that it records is visible outside of the worker. If it fails, the effect does not happen: the
 * run ends with INTERNAL. A recorder that prefers to stop recording does not fail.
 *
 * A value that is too long for a line is stored in its own file, off the loop (keep()). The frame
 * or answer that contains it waits for that: the frame is not handled, the answer not sent. So the
 * functions here do not wait for a disk. (A value for whose job there is no memory is written at
 * once, in the loop.)
 */
#ifndef CR_RECORDER_H
#define CR_RECORDER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/helper.h"
#include "base/shared.h"
#include "run/prompter.h"
#include "wire.h"

/* A long value whose name, its SHA-256, is known; |bytes| is only compared as a pointer. */
struct cr_kept {
    const void *bytes; /* NULL: no long value */
    size_t len;
    char name[CR_HASH_DIGITS + 1];
    bool is_stored;
    bool is_json;
};

/*
 * A long value that is being named and stored. |done| is called in a step of the loop, once, when
 * |job| has ended: with |name|; or without a name if the value is not needed any more; or with
 * |err|, and the run cannot go on. cr_helper_abandon() of |job|, on the disk's helper, ends it.
 */
struct cr_keeping {
    struct cr_shared *shared; /* the memory of |bytes|: the job has its own reference */
    const void *bytes;
    size_t len;
    void (*done)(void *data, const char *name, const struct cr_err *err);
    void *data;
    struct cr_job *job;           /* set by keep() */
    bool is_scanned;              /* it is known to be JSON, or it is text */
    bool is_stored, is_json;      /* set before |done| */
    struct cr_recorder *recorder; /* for keep() */
};

struct cr_recorder {
    /* Is |value|, JSON or text, too long for a line? */
    bool (*is_long)(const void *value, size_t len, bool is_json);
    /* Starts to store |k|. Returns false if there is nothing to wait for. */
    bool (*keep)(struct cr_recorder *r, struct caprun_run *run, struct cr_keeping *k);
    /*
     * Returns false until what begin() writes is on disk; then the recorder calls
     * cr_run_recorder_ready().
     */
    bool (*is_ready)(struct cr_recorder *r);
    /* Is the recorder still writing its first line, or removing files? */
    bool (*is_busy)(struct cr_recorder *r);
    /* The run is about to wait for a worker: it has its code, args, limits and seed. */
    int (*begin)(struct cr_recorder *r, struct caprun_run *run, struct cr_err *err);
    /*
     * A frame has been sent to the worker. Frames from the worker are not read before this returns.
     * |known| is the long value of the frame, if it has one.
     */
    int (*frame_sent)(struct cr_recorder *r, struct caprun_run *run,
                      const struct wire_header *header, const struct wire_part *parts, size_t count,
                      const struct cr_kept *known, struct cr_err *err);
    /* A valid frame came from the worker; the args of a call are not scanned yet. */
    int (*frame_received)(struct cr_recorder *r, struct caprun_run *run,
                          const struct wire_header *header, const uint8_t *payload,
                          const struct cr_kept *known, struct cr_err *err);
    /*
     * Call |number| is about to be sent. |tool| is the exact name of the tool, "server:tool", which
     * may differ from the name that the code has used; NULL: the application's handler is called.
     */
    int (*send)(struct cr_recorder *r, struct caprun_run *run, uint32_t number, const char *tool,
                struct cr_err *err);
    /*
     * A question about |calls| is put to a person; and what was decided. After decide() the lines
     * are in the file.
     */
    int (*ask)(struct cr_recorder *r, struct caprun_run *run, uint32_t question,
               const struct cr_asked_call *calls, size_t count, struct cr_err *err);
    int (*decide)(struct cr_recorder *r, struct caprun_run *run, const struct cr_decision *decision,
                  struct cr_err *err);
    /* Could a resume continue the run, if it ended now with APPROVAL_REQUIRED? */
    bool (*can_suspend)(struct cr_recorder *r);
    /* The run was replayed to where it was interrupted, and goes on from here. */
    int (*resume)(struct cr_recorder *r, struct caprun_run *run, struct cr_err *err);
    /* The run has its outcome. */
    void (*end)(struct cr_recorder *r, struct caprun_run *run);
    void (*free)(struct cr_recorder *r);
};

#endif
