/*
 * tail.h - the last words of a server: the end of a text that may have no end.
 *
 * The bytes are a ring, so that adding a line costs no more than the line.
 */
#ifndef CR_TAIL_H
#define CR_TAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "mcp/child.h"

/* All zero is an empty one. */
struct cr_tail {
    char bytes[CR_CHILD_TAIL];
    size_t start; /* where in |bytes| the text begins */
    size_t len;
    bool cut; /* it does not begin where the text began */
};

/* Empties it, and leaves |bytes| as they are. */
void cr_tail_init(struct cr_tail *t);

void cr_tail_add(struct cr_tail *t, const void *bytes, size_t len);

/* Adds a line of its own. */
void cr_tail_add_line(struct cr_tail *t, const void *bytes, size_t len);

/*
 * Appends the lines, escaped for a terminal and joined by |between|; of more than |max| bytes the
 * last ones. Blank lines are left out.
 */
void cr_tail_show(const struct cr_tail *t, const char *between, size_t max, struct cr_buf *out);

#endif
