/* excerpt.h - shows the line of the code where an error arose, with a caret below the place. */
#ifndef CR_EXCERPT_H
#define CR_EXCERPT_H

#include "base/buf.h"

/*
 * |frame| is a line of a stack that ends with a place, as ":4:34)". Appends that line of |code|,
 * and a caret below the column: two lines, escaped, of at most |columns|. Code and frame are
 * untrusted. Appends nothing if the frame has no such place, or the code has no such line.
 */
void cr_excerpt_add(struct cr_buf *out, const char *code, size_t code_len, const char *frame,
                    size_t frame_len, size_t columns);

#endif
