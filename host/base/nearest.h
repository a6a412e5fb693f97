/*
 * nearest.h - which of the known words was meant?
 */
#ifndef CR_NEAREST_H
#define CR_NEAREST_H

#include <stddef.h>

#define CR_NEAREST_MAX 400  /* bytes; a longer word is near to nothing */
#define CR_NEAREST_EDITS 12 /* at most; the work for a pair of words is bounded by them */

/*
 * Returns the one of the |count| words in |known| that takes the fewest edits to make of |word|:
 * a character more, less or other, or two neighbours that change places; letters of the other case
 * are equal. The first of those that take as many. NULL if none is near enough: a third of |word|,
 * rounded up, is the most that may be edited, and never more than CR_NEAREST_EDITS.
 */
const char *cr_nearest(const char *word, const char *const *known, size_t count);

#endif
