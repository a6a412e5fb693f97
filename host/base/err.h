/*
 * err.h - the error type: a code for the caller, an outcome for a run that fails with it, and a
 * message and a hint for a person. One statement sets an error:
 *
 *     return cr_err_set(err, CAPRUN_E_TOOBIG, "'%s' is over %u bytes", path, max);
 *     return cr_err_end(err, CAPRUN_OUTCOME_NOT_FOUND, "try --registry",
 *                       "'%s' is in no registry", name);
 *
 * Where a header says "returns NOT_FOUND" (or another outcome), it means the second form: the
 * function returns CAPRUN_E_INVAL, and the error has that outcome.
 *
 * A message may quote untrusted text. It is escaped where it is shown, not here.
 */
#ifndef CR_ERR_H
#define CR_ERR_H

#include "caprun.h"

struct cr_err {
    int code;                    /* 0 or a CAPRUN_E_* */
    enum caprun_outcome outcome; /* INTERNAL, unless cr_err_end() set another one */
    char text[5120];             /* room for the longest path and a message */
    char hint[512];              /* what to change, or "" */
};

/*
 * Stores |code| and the message in |err|, without a hint. A message that is too long is cut. |err|
 * may be NULL if the caller needs no message. Returns |code|.
 */
int cr_err_set(struct cr_err *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with CAPRUN_E_SYS; appends ": " and the text for errno to the message. Keeps errno. */
int cr_err_sys(struct cr_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sets an error that ends a run with |outcome|. |hint| may be NULL. Returns CAPRUN_E_INVAL. */
int cr_err_end(struct cr_err *err, enum caprun_outcome outcome, const char *hint, const char *fmt,
               ...) __attribute__((format(printf, 4, 5)));

/* Sets a hint that is not a constant. Returns CAPRUN_E_INVAL. */
int cr_err_hint(struct cr_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sets the error "no memory", with the outcome INTERNAL. Returns CAPRUN_E_NOMEM. */
int cr_err_memory(struct cr_err *err);

#endif
