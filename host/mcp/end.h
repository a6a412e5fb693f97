/*
 * end.h - describes in words how a server ended.
 */
#ifndef CR_END_H
#define CR_END_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "guard/guard.h"

struct cr_end {
    struct guard_report last; /* the guard's last report; |what| is 0 if it sent none */
    siginfo_t guard;          /* how the guard itself ended, from waitid() */
    const char *killed_for;   /* why the host killed the server, or NULL */
    const char *command, *cwd;
};

/* Writes the text that cr_child_why() returns. */
void cr_end_explain(char *ret_why, size_t size, const struct cr_end *end);

/* Would another try to start the server fail in the same way? */
bool cr_end_is_missing(const struct guard_report *last);

#endif
