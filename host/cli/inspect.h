/*
 * inspect.h - shows all that a journal says about its run, as text or as JSON.
 */
#ifndef CR_INSPECT_H
#define CR_INSPECT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/timeline.h"
#include "journal/journal.h"
#include "journal/summary.h"

#define CR_INSPECT_SHORT_ID 8u /* the end of an id that tables show */

/* A journal that was read, and what was computed from it. */
struct cr_inspect {
    const char *word; /* what the user called the run */
    struct cr_journal journal;
    struct cr_summary summary;
    struct cr_timeline timeline;
};

/*
 * Reads |path|, which the user called |word|; the caller keeps both. Returns 0, and the caller
 * clears |ret| with cr_inspect_clear(); or JOURNAL_INVALID, USAGE or INTERNAL.
 */
int cr_inspect_init(struct cr_inspect *ret, const char *path, const char *word, struct cr_err *why);
void cr_inspect_clear(struct cr_inspect *i);

/* Append the run as text, |columns| wide; or as one line of JSON. */
void cr_inspect_text(const struct cr_inspect *i, size_t columns, struct cr_buf *out);
void cr_inspect_json(const struct cr_inspect *i, struct cr_buf *out);

/* Returns the state of the run: cr_summary_state(). */
const char *cr_inspect_state(const struct cr_inspect *i);

/* Writes |time|, from a journal, as local time; without year and seconds unless |in_full|. */
void cr_inspect_time(const char *time, bool in_full, char ret[64]);

/* Appends what ran: a capability's name, without its hash unless |in_full|; or a command. */
void cr_inspect_what(const struct cr_summary *s, bool in_full, struct cr_buf *out);

/* Returns "success" for SUCCESS; other states unchanged. */
const char *cr_inspect_word(const char *state);

#endif
