/*
 * problem.h - why something cannot be run: how that is to be reported, and words for a person.
 *
 * Where struct cr_err says what failed in one function, a problem is ready to be the end of a run:
 * an outcome, a message and a hint. Failing is one statement:
 *
 *     return cr_problem_set(why, CAPRUN_OUTCOME_NOT_FOUND, "try --registry",
 *                           "'%s' is in no registry", name);
 *
 * Strangers' words are escaped where they are shown, not here.
 */
#ifndef CR_PROBLEM_H
#define CR_PROBLEM_H

#include "caprun.h"

struct cr_problem {
    enum caprun_outcome outcome;
    char text[5120]; /* the longest path, and words */
    char hint[512];  /* what to change; "" if that is plain */
};

/* Fills |why|, cutting what is too long. |hint| may be NULL. Returns CAPRUN_E_INVAL. */
int cr_problem_set(struct cr_problem *why, enum caprun_outcome outcome, const char *hint,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The hint, where it needs more than a constant. Returns CAPRUN_E_INVAL. */
int cr_problem_hint(struct cr_problem *why, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* No memory: INTERNAL. Returns CAPRUN_E_NOMEM. */
int cr_problem_memory(struct cr_problem *why);

#endif
