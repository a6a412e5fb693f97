/* problem.c - words, cut to what fits. */
#include "base/problem.h"

#include <stdarg.h>
#include <stdio.h>

int cr_problem_set(struct cr_problem *why, enum caprun_outcome outcome, const char *hint,
                   const char *fmt, ...)
{
    va_list ap;

    why->outcome = outcome;
    (void)snprintf(why->hint, sizeof(why->hint), "%s", hint ? hint : "");
    va_start(ap, fmt);
    (void)vsnprintf(why->text, sizeof(why->text), fmt, ap);
    va_end(ap);
    return CAPRUN_E_INVAL;
}

int cr_problem_hint(struct cr_problem *why, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(why->hint, sizeof(why->hint), fmt, ap);
    va_end(ap);
    return CAPRUN_E_INVAL;
}

int cr_problem_memory(struct cr_problem *why)
{
    (void)cr_problem_set(why, CAPRUN_OUTCOME_INTERNAL, NULL, "no memory");
    return CAPRUN_E_NOMEM;
}
