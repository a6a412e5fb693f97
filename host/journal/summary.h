/*
 * summary.h - a journal in a few words and numbers: what a list of runs shows of it.
 */
#ifndef CR_SUMMARY_H
#define CR_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "journal/journal.h"

/*
 * Texts, most of which strangers wrote; what is not known is "".
 *
 *     time      when it began, as the journal has it
 *     fqdn      of a capability; of anything else
 *     command   what was asked for, and
 *     subject   with what: a file, a tool
 *     outcome   "SUCCESS" and others; "" if the journal has no end
 *     problem   why it cannot be read; then there is nothing else
 */
#define CR_SUMMARY_TEXTS(XX) \
    XX(time)                 \
    XX(fqdn)                 \
    XX(command)              \
    XX(subject)              \
    XX(outcome)              \
    XX(problem)

/*
 *     bytes     of the file, and of what is beside it
 *     calls     that were made; of these
 *     failed      have failed, or were denied
 *     unknown     may have been carried out or not, as the worker was told
 *     open        were sent, and have no answer
 *     cut       1: the recording stopped before the run did
 */
#define CR_SUMMARY_NUMBERS(XX) \
    XX(bytes)                  \
    XX(duration_us)            \
    XX(calls)                  \
    XX(failed)                 \
    XX(unknown)                \
    XX(open)                   \
    XX(cut)

struct cr_summary {
#define XX(name) char *name;
    CR_SUMMARY_TEXTS(XX)
#undef XX
#define XX(name) int64_t name;
    CR_SUMMARY_NUMBERS(XX)
#undef XX
};

/*
 * Sums up |journal|; or one that cannot be read, and |why|. Returns 0, and the caller ends |ret|
 * with cr_summary_clear(); or CAPRUN_E_NOMEM, and |ret| is untouched.
 */
int cr_summary_take(const struct cr_journal *journal, struct cr_summary *ret);
int cr_summary_take_unreadable(const struct cr_err *why, struct cr_summary *ret);

/* Takes a summary of zeros, too. */
void cr_summary_clear(struct cr_summary *s);

/* Is none of its texts NULL? For whoever fills one from elsewhere. */
bool cr_summary_is_whole(const struct cr_summary *s);

/*
 * How the run is, in one word: its outcome; or "running" if it has none and |is_live|; or "cut",
 * "interrupted" or, of a journal that cannot be read, "unreadable".
 */
const char *cr_summary_state(const struct cr_summary *s, bool is_live);

/* How many calls may have been carried out or not, by now. */
int64_t cr_summary_unknown(const struct cr_summary *s, bool is_live);

/* What a call came to that |fail| is the answer to, in the envelope's words. */
const char *cr_summary_fail_state(const struct cr_journal_line *fail);

#endif
