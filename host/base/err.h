/*
 * err.h - the one error: a code for the caller, an outcome for the run that ends by it, words and a
 * hint for a person. It is made in one statement:
 *
 *     return cr_err_set(err, CAPRUN_E_TOOBIG, "'%s' is over %u bytes", path, max);
 *     return cr_err_end(err, CAPRUN_OUTCOME_NOT_FOUND, "try --registry",
 *                       "'%s' is in no registry", name);
 *
 * A header that says "returns NOT_FOUND", or another outcome, means the second: CAPRUN_E_INVAL is
 * returned, and the error has that outcome.
 *
 * Words that quote what a stranger wrote are escaped where they are shown, not here.
 */
#ifndef CR_ERR_H
#define CR_ERR_H

#include "caprun.h"

struct cr_err {
    int code;                    /* 0 or a CAPRUN_E_* */
    enum caprun_outcome outcome; /* INTERNAL, unless another one was said */
    char text[5120];             /* the longest path, and words */
    char hint[512];              /* what to change; "" if that is plain */
};

/*
 * Writes |code| and the words to |err|, cutting them if they are too long; no hint. |err| may be
 * NULL where the words are not wanted. Returns |code|.
 */
int cr_err_set(struct cr_err *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with CAPRUN_E_SYS, and ": " and the words for errno at the end. Keeps errno. */
int cr_err_sys(struct cr_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What ends a run with |outcome|. |hint| may be NULL. Returns CAPRUN_E_INVAL. */
int cr_err_end(struct cr_err *err, enum caprun_outcome outcome, const char *hint, const char *fmt,
               ...) __attribute__((format(printf, 4, 5)));

/* The hint, where it needs more than a constant. Returns CAPRUN_E_INVAL. */
int cr_err_hint(struct cr_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* No memory: INTERNAL. Returns CAPRUN_E_NOMEM. */
int cr_err_memory(struct cr_err *err);

#endif
