/*
 * undo.h - the end of a run that a resume takes back: which lines of the journal do not count then.
 *
 * Nothing is removed from the file: a line "undo" has the number of the first line that does not
 * count. A resume takes back only what the run did because it was ended: its end, and what its
 * worker did after the loss of a server. It keeps the lines that say that a call made before was
 * sent or answered.
 */
#ifndef CR_UNDO_H
#define CR_UNDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caprun.h"

struct cr_journal;

/*
 * |j|, as far as it is read, ends with the line "end". Returns the index of the first line that is
 * taken back; or 0, and *|ret_why| says why the run cannot be resumed.
 */
size_t cr_undo_find(const struct cr_journal *j, const char **ret_why);

/* Can a run that has ended with |outcome| be resumed, if its journal allows it? */
bool cr_undo_may_end(enum caprun_outcome outcome);

/* Can the run of |j|, which is read to its end, be resumed? If not, *|ret_why| says why. */
bool cr_undo_can_resume(const struct cr_journal *j, const char **ret_why);

/*
 * Takes the lines from |first| on back: they are not in |j| any more. |answered|, which may be
 * NULL, has a byte for each call; the bytes of calls that have no answer now become 0.
 */
void cr_undo_apply(struct cr_journal *j, size_t first, uint8_t *answered);

/* Returns whether the |len| bytes at |text| are the beginning of a line "undo", or all of it. */
bool cr_undo_may_begin(const char *text, size_t len);

#endif
