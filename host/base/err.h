/*
 * err.h - an error is a code and words for a person, made in one statement:
 *
 *     return cr_err_set(err, CAPRUN_E_TOOBIG, "'%s' is over %u bytes", path, max);
 *
 * |err| may be NULL where nobody wants the words. Words that quote what a stranger wrote are
 * escaped where they are shown, not here.
 */
#ifndef CR_ERR_H
#define CR_ERR_H

#include "caprun.h"

struct cr_err {
    int code; /* 0 or a CAPRUN_E_* */
    char text[512];
};

/* Writes |code| and the words to |err|, cutting them if they are too long. Returns |code|. */
int cr_err_set(struct cr_err *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with CAPRUN_E_SYS, and ": " and the words for errno at the end. Keeps errno. */
int cr_err_sys(struct cr_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
