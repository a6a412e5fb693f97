/*
 * hints.h - what to use instead of a global that other platforms have.
 */
#ifndef CR_HINTS_H
#define CR_HINTS_H

#include <stddef.h>

/*
 * The hint for an error whose words are |message|, of which |len| bytes are there, or NULL. Words
 * are all that an error of the code's own has; a wrong guess is a wrong hint, and nothing else.
 */
const char *cr_hints_for(const char *message, size_t len);

#endif
