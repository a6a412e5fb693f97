/*
 * columns.h - lays out text in columns of a terminal. Each character counts as one column wide.
 */
#ifndef CR_COLUMNS_H
#define CR_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CR_COLUMNS_LEAST 40u
#define CR_COLUMNS_MOST 500u

/*
 * Returns the width of standard output: the terminal's, or COLUMNS, or 100; always within the
 * limits above.
 */
size_t cr_columns_available(void);

/* Returns the width of |text|, which is untrusted, when it is escaped. */
size_t cr_columns_of(const char *text);

/* Appends |text|, which is untrusted, escaped; cut if over |width|, padded if below it. */
void cr_columns_left(struct cr_buf *out, const char *text, size_t width);

/* The same, but padded before the text. */
void cr_columns_right(struct cr_buf *out, const char *text, size_t width);

void cr_columns_fill(struct cr_buf *out, size_t spaces);

/* Writes |us| as people read it: "812 µs", "1.9 ms", "14 s", "2 min 5 s", "3 h 10 min". */
void cr_columns_duration(int64_t us, char ret[32]);

#endif
