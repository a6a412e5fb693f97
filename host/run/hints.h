/*
 * hints.h - hints for the user: what to change after a limit, what to use for a missing global.
 */
#ifndef CR_HINTS_H
#define CR_HINTS_H

#include <stddef.h>

#include "caprun.h"

/*
 * Returns the hint for an error whose message is |message|, with |len| bytes, or NULL. An error of
 * the untrusted code has nothing but a message; a wrong guess only gives a wrong hint.
 */
const char *cr_hints_for(const char *message, size_t len);

#define CR_HINTS_ROOM 256

/*
 * Returns what to change after |outcome|, mostly a reached limit, in the words of this program, or
 * NULL. The text is valid as long as |room|.
 */
const char *cr_hints_for_outcome(enum caprun_outcome outcome, char room[CR_HINTS_ROOM]);

#endif
