/* diff.h - shows a person where two JSON texts differ. */
#ifndef CR_DIFF_H
#define CR_DIFF_H

#include "base/buf.h"

/*
 * Appends a line for each place where |now| differs from |recorded|, with the JSON Pointer and both
 * values; at most the first 20, then a line says that there may be more. The order of keys does not
 * matter. Appends nothing if a text is not JSON, or if both mean the same.
 */
void cr_diff_json(struct cr_buf *out, const char *recorded, size_t recorded_len, const char *now,
                  size_t now_len);

/* Appends |text|; if it is long, only the beginning and its length. */
void cr_diff_cut(struct cr_buf *out, const char *text, size_t len);

#endif
