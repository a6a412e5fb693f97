/*
 * ask.h - asks the person at the terminal a question that is answered with yes or no.
 */
#ifndef CR_CLI_ASK_H
#define CR_CLI_ASK_H

#include <stdbool.h>

/*
 * Can a person be asked? Standard error has to be a terminal, this process has to have a
 * controlling terminal, and to be in its foreground.
 */
bool cr_ask_is_possible(void);

/*
 * Writes |question|, which must be harmless, to the terminal, and waits for a line. What was typed
 * before the question is thrown away. Returns true only for "y" or "yes".
 */
bool cr_ask_yes(const char *question);

#endif
