/*
 * summary.h - sums up a journal for a list of runs.
 */
#ifndef CR_SUMMARY_H
#define CR_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "journal/journal.h"

/*
 * Texts, most of them untrusted; "" if unknown.
 *
 *     time      when the run began, from the journal
 *     fqdn      if it was a capability, its name; otherwise
 *     command   the command of caprun, and
 *     subject   its argument: a file, a tool
 *     outcome   such as "SUCCESS"; "" if the journal has no end
 *     problem   why the journal cannot be read; then all other texts are ""
 */
#define CR_SUMMARY_TEXTS(XX) \
    XX(time)                 \
    XX(fqdn)                 \
    XX(command)              \
    XX(subject)              \
    XX(outcome)              \
    XX(problem)

/*
 *     bytes     of the file and its blobs
 *     calls     number of all calls; of these
 *     failed      have failed, or were denied
 *     unknown     failed as "unknown": it is not known whether they were carried out
 *     open        were sent, and have no answer
 *     cut       1: the recording stopped before the end of the run
 *     resumable 1: the run can be resumed, unless it goes on
 */
#define CR_SUMMARY_NUMBERS(XX) \
    XX(bytes)                  \
    XX(duration_us)            \
    XX(calls)                  \
    XX(failed)                 \
    XX(unknown)                \
    XX(open)                   \
    XX(cut)                    \
    XX(resumable)

struct cr_summary {
#define XX(name) char *name;
    CR_SUMMARY_TEXTS(XX)
#undef XX
#define XX(name) int64_t name;
    CR_SUMMARY_NUMBERS(XX)
#undef XX
};

/*
 * Sum up |journal|, or a journal that cannot be read because of |why|. Return 0, and the caller
 * must free |ret| with cr_summary_clear(); or CAPRUN_E_NOMEM, and |ret| is untouched.
 */
int cr_summary_take(const struct cr_journal *journal, struct cr_summary *ret);
int cr_summary_take_unreadable(const struct cr_err *why, struct cr_summary *ret);

/* |s| may be all zeros. */
void cr_summary_clear(struct cr_summary *s);

/* Returns whether all texts are set, after the caller has filled a summary itself. */
bool cr_summary_is_whole(const struct cr_summary *s);

/*
 * Returns the state of the run: its outcome; without one, "running" if |is_live|, else "cut" or
 * "interrupted", or "unreadable" if the journal cannot be read.
 */
const char *cr_summary_state(const struct cr_summary *s, bool is_live);

/* Returns for how many calls it is not known whether they were carried out. */
int64_t cr_summary_unknown(const struct cr_summary *s, bool is_live);

/* Returns the state, as in the envelope, of the call that |fail| answers. */
const char *cr_summary_fail_state(const struct cr_journal_line *fail);

#endif
