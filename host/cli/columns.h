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
#define CR_COLUMNS_ALL ((size_t)INT32_MAX) /* no limit */

/*
 * Returns the width of |fd|, within the limits above: that of the terminal (80 if it does not say),
 * or for standard output COLUMNS. Otherwise CR_COLUMNS_ALL: an output that is not a terminal gets
 * everything.
 */
size_t cr_columns_available(int fd);

/* Returns the width of |text|, which is untrusted, when it is escaped. */
size_t cr_columns_of(const char *text);

/* Appends |text|, which is untrusted, escaped; cut if over |width|, padded if below it. */
void cr_columns_left(struct cr_buf *out, const char *text, size_t width);

/* The same, but padded before the text. */
void cr_columns_right(struct cr_buf *out, const char *text, size_t width);

/* Appends |text|, which is untrusted, escaped; cut if over |width|. */
void cr_columns_cut(struct cr_buf *out, const char *text, size_t width);

/*
 * Appends |text|, which is untrusted, escaped, in lines of at most |columns|, which are broken at
 * spaces. |used| columns of the first line are taken already; each other line begins with |indent|
 * spaces. A word that is too long for a line is not broken: it may be a path to be copied.
 */
void cr_columns_wrap(struct cr_buf *out, const char *text, size_t len, size_t used, size_t indent,
                     size_t columns);

void cr_columns_fill(struct cr_buf *out, size_t spaces);

/* Writes |us| as people read it: "812 µs", "1.9 ms", "14 s", "2 min 5 s", "3 h 10 min". */
void cr_columns_duration(int64_t us, char ret[32]);

#endif
