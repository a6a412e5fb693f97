/*
 * lines.h - lays out JSON in lines of a terminal, one after the other: a person can read the
 * beginning of a long value at once, and the rest page by page.
 *
 * Each member is on a line of its own, and long lines are broken, so that no line is wider than the
 * terminal. White space between tokens is the only thing that changes; hidden characters become
 * escapes (cr_escape_question()). A character outside of ASCII counts as two columns.
 */
#ifndef CR_LINES_H
#define CR_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CR_LINES_LEAST 24u /* columns */

struct cr_lines {
    const uint8_t *at, *end; /* what is not laid out yet */
    size_t columns, depth;
    bool in_string;
};

/*
 * Begins to lay out |json|, a value or a member of an object, which the scanner has accepted and
 * which has to stay, in lines of at most |columns|, which are at least CR_LINES_LEAST.
 */
void cr_lines_begin(struct cr_lines *l, const char *json, size_t len, size_t columns);

/* Appends the next line, without a line feed. Returns false if there is none. */
bool cr_lines_next(struct cr_lines *l, struct cr_buf *out);

/* Lays out the rest in lines of another width. */
void cr_lines_resize(struct cr_lines *l, size_t columns);

#endif
