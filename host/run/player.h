/*
 * player.h - plays a journal back to a run.
 *
 * journal/ is behind it. While a run is prompted, nobody else answers its calls and no timer of its
 * wakes it: each time its worker waits, next() tells it the next thing in the recorded order, with
 * the recorded time. A run that is only replayed is prompted to its end; one that is resumed goes
 * live when there is nothing left to tell.
 */
#ifndef CR_PLAYER_H
#define CR_PLAYER_H

#include <stdbool.h>

#include "caprun.h"
#include "run/recorder.h"
#include "wire.h"

struct cr_player {
    /* As those of the recorder; here a value gets its name, and is not stored. */
    bool (*is_long)(const void *value, size_t len, bool is_json);
    bool (*keep)(struct cr_player *p, struct caprun_run *run, struct cr_keeping *k);
    /* The worker has the job. */
    void (*begun)(struct cr_player *p, struct caprun_run *run);
    /*
     * A frame came from the worker, and has a valid form; |known| is its long value, if it has one.
     * Returns true if it is written down already; if it should be and is not, the run has ended.
     */
    bool (*frame_received)(struct cr_player *p, struct caprun_run *run,
                           const struct wire_header *header, const uint8_t *payload,
                           const struct cr_kept *known);
    /*
     * The worker waits. Returns true if it has been told something, or will be, or the run has
     * ended; false if the run is live now.
     */
    bool (*next)(struct cr_player *p, struct caprun_run *run);
    /* The run ends with |*outcome|, which may be changed, and words put to it. */
    void (*end)(struct cr_player *p, struct caprun_run *run, enum caprun_outcome *outcome);
    void (*free)(struct cr_player *p);
};

#endif
