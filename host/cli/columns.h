/*
 * columns.h - text in columns of a terminal. A character is taken to be one column wide.
 */
#ifndef CR_COLUMNS_H
#define CR_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CR_COLUMNS_LEAST 40u
#define CR_COLUMNS_MOST 500u

/*
 * How many standard output has: what its terminal says, or COLUMNS, or 100; never more or fewer
 * than above.
 */
size_t cr_columns_available(void);

/* How many |text|, a stranger's, takes when it is escaped. */
size_t cr_columns_of(const char *text);

/* Appends |text|, a stranger's, escaped; what is over |width| is cut, what is below is filled. */
void cr_columns_left(struct cr_buf *out, const char *text, size_t width);

/* The same, but filled before the text. */
void cr_columns_right(struct cr_buf *out, const char *text, size_t width);

void cr_columns_fill(struct cr_buf *out, size_t spaces);

/* Writes |us| as people read it: "812 µs", "1.9 ms", "14 s", "2 min 5 s", "3 h 10 min". */
void cr_columns_duration(int64_t us, char ret[32]);

#endif
