/*
 * inspect.h - all that a journal says of its run: who, when, with what, and how it went.
 */
#ifndef CR_INSPECT_H
#define CR_INSPECT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/timeline.h"
#include "journal/journal.h"
#include "journal/summary.h"

/* A journal, read; for whoever shows it. */
struct cr_inspect {
    const char *word; /* that a person calls it by */
    struct cr_journal journal;
    struct cr_summary summary;
    struct cr_timeline timeline;
};

/*
 * Reads |path|, which a person calls |word|; both are the caller's. Returns 0, and the caller ends
 * |ret| with cr_inspect_clear(); or JOURNAL_INVALID, USAGE or INTERNAL.
 */
int cr_inspect_init(struct cr_inspect *ret, const char *path, const char *word, struct cr_err *why);
void cr_inspect_clear(struct cr_inspect *i);

/* Appends it for eyes, |columns| wide; or one line of JSON. */
void cr_inspect_text(const struct cr_inspect *i, size_t columns, struct cr_buf *out);
void cr_inspect_json(const struct cr_inspect *i, struct cr_buf *out);

/* How the run is: cr_summary_state(). */
const char *cr_inspect_state(const struct cr_inspect *i);

/* |time|, which is of a journal, in local time; without year and seconds unless |in_full|. */
void cr_inspect_time(const char *time, bool in_full, char ret[64]);

/* Appends what it was that ran: a name, without its hash unless |in_full|; or a command. */
void cr_inspect_what(const struct cr_summary *s, bool in_full, struct cr_buf *out);

/* "success" for SUCCESS; other states as they are. */
const char *cr_inspect_word(const char *state);

#endif
