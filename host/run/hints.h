/*
 * hints.h - what to change, and what to use instead of a global that other platforms have.
 */
#ifndef CR_HINTS_H
#define CR_HINTS_H

#include <stddef.h>

#include "caprun.h"

/*
 * The hint for an error whose words are |message|, of which |len| bytes are there, or NULL. Words
 * are all that an error of the code's own has; a wrong guess is a wrong hint, and nothing else.
 */
const char *cr_hints_for(const char *message, size_t len);

/* What to change after such an end, mostly by a limit, or NULL. */
const char *cr_hints_for_outcome(enum caprun_outcome outcome);

#endif
