/*
 * timeline.h - draws the calls of a run on one time axis.
 *
 *         0        200 ms     400 ms   512 ms
 *         ├────────┬──────────┬─────────────┤
 *     1   ·██████                            done     140 ms  rule:files:*
 *     2   ···········███████████             failed   260 ms  rule:net:get
 *
 *     cr_timeline_init -> cr_timeline_draw, cr_timeline_state, cr_timeline_by -> cr_timeline_clear
 */
#ifndef CR_TIMELINE_H
#define CR_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "journal/journal.h"

/* Lines of the journal about one call; NULL: it did not happen. */
struct cr_timeline_call {
    const struct cr_journal_line *made;
    const struct cr_journal_line *sent; /* the first time */
    const struct cr_journal_line *answer;
};

struct cr_timeline {
    const struct cr_journal *journal; /* the caller keeps it alive */
    bool is_live;
    struct cr_timeline_call *calls; /* calls[0] is call number 1 */
    size_t count;
    size_t wakes, logs, blocked, resumes;
};

/*
 * Collects the calls of |journal|; |is_live|: the run goes on. Returns 0, and the caller clears
 * |ret| with cr_timeline_clear(); or CAPRUN_E_NOMEM.
 */
int cr_timeline_init(struct cr_timeline *ret, const struct cr_journal *journal, bool is_live);
void cr_timeline_clear(struct cr_timeline *t);

/* Returns the state of a call, as in the envelope; "waiting" for an open call of a live run. */
const char *cr_timeline_state(const struct cr_timeline *t, const struct cr_timeline_call *call);

/* Was the call sent, and is its result unknown? */
bool cr_timeline_is_unknown(const struct cr_timeline *t, const struct cr_timeline_call *call);

/* Appends what allowed or denied the call; nothing if nothing has decided. */
void cr_timeline_by(const struct cr_timeline_call *call, struct cr_buf *out);

/*
 * Appends an empty line and the drawing, in lines of at most |columns| (see columns.h); nothing if
 * there is nothing to draw.
 */
void cr_timeline_draw(const struct cr_timeline *t, size_t columns, struct cr_buf *out);

#endif
