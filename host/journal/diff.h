/*
 * diff.h - where two JSON texts differ, for a person.
 */
#ifndef CR_DIFF_H
#define CR_DIFF_H

#include "base/buf.h"

/*
 * Appends a line for each place where |now| is not |then|, with its JSON Pointer and both values;
 * of many the first few, and how many more there are. Objects are compared by their keys. Appends
 * nothing if they cannot be read, or mean the same.
 */
void cr_diff_json(struct cr_buf *out, const char *then, size_t then_len, const char *now,
                  size_t now_len);

/* Appends |text|, or of a long one the beginning and how much there is. */
void cr_diff_cut(struct cr_buf *out, const char *text, size_t len);

#endif
