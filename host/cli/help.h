/*
 * help.h - the texts of --help and of `caprun help`, in 80 columns.
 */
#ifndef CR_HELP_H
#define CR_HELP_H

#include "base/buf.h"

/* Appends the help on everything, up to its list of commands; and what follows the list. */
void cr_help_begin(struct cr_buf *out);
void cr_help_end(struct cr_buf *out);

/*
 * Appends the help on one command: its |usage|, what it is |about|, the words in its usage, and the
 * options in the groups of |takes|.
 */
void cr_help_command(struct cr_buf *out, const char *usage, const char *about, unsigned takes);

#endif
