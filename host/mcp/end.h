/*
 * end.h - words for how a server ended.
 */
#ifndef CR_END_H
#define CR_END_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "guard/guard.h"

struct cr_end {
    struct guard_report last; /* of its guard; |what| is 0 if there was none */
    siginfo_t guard;          /* how the guard itself ended, as of waitid() */
    const char *killed_for;   /* why it was killed by us, or NULL */
    const char *command, *cwd;
};

/* Writes what cr_child_why() says. */
void cr_end_explain(char *ret_why, size_t size, const struct cr_end *end);

/* Is it of no use to try again? */
bool cr_end_is_missing(const struct guard_report *last);

#endif
