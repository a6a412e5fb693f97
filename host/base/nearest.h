/* nearest.h - finds the known word that a misspelt word is most similar to. */
#ifndef CR_NEAREST_H
#define CR_NEAREST_H

#include <stddef.h>

#define CR_NEAREST_MAX 400  /* bytes; a longer word is similar to no word */
#define CR_NEAREST_EDITS 12 /* the most edits; limits the work for a pair of words */

/*
 * Returns the one of the |count| words in |known| that needs the fewest edits to become |word|. An
 * edit inserts, deletes or replaces one character, or swaps two neighbours; case is ignored. Of
 * words that need equally many edits, returns the first. Returns NULL if every word needs more
 * edits than a third of the length of |word|, rounded up, or more than CR_NEAREST_EDITS.
 */
const char *cr_nearest(const char *word, const char *const *known, size_t count);

#endif
