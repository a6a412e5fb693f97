/*
 * player.h - the interface to journal/ for playing a journal back to a run.
 *
 * While a run is replaying, only the player answers its calls, and no timer of the run wakes its
 * worker: each time the worker waits, next() sends it the next recorded event, in the recorded
 * order, with the recorded time. A replayed run gets all events that way. A resumed run goes live
 * when no event is left.
 */
#ifndef CR_PLAYER_H
#define CR_PLAYER_H

#include <stdbool.h>

#include "caprun.h"
#include "run/recorder.h"
#include "wire.h"

struct cr_player {
    /* As in the recorder; but a value only gets its name here, and is not stored. */
    bool (*is_long)(const void *value, size_t len, bool is_json);
    bool (*keep)(struct cr_player *p, struct caprun_run *run, struct cr_keeping *k);
    /* The worker has the job. */
    void (*begun)(struct cr_player *p, struct caprun_run *run);
    /*
     * A valid frame came from the worker; |known| is its long value, if it has one. Returns true if
     * the frame is in the journal already; if it should be and is not, the run has ended.
     */
    bool (*frame_received)(struct cr_player *p, struct caprun_run *run,
                           const struct wire_header *header, const uint8_t *payload,
                           const struct cr_kept *known);
    /*
     * The worker waits. Returns true if an event was sent to it, or will be, or the run has ended;
     * false if the run is live now.
     */
    bool (*next)(struct cr_player *p, struct caprun_run *run);
    /* The run ends with |*outcome|. May change the outcome, and set the run's message. */
    void (*end)(struct cr_player *p, struct caprun_run *run, enum caprun_outcome *outcome);
    void (*free)(struct cr_player *p);
};

#endif
