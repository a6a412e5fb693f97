/*
 * tail.h - keeps the last bytes of a server's output, however long the output is.
 *
 * The bytes are a ring buffer, so that the cost of adding a line depends only on the line.
 */
#ifndef CR_TAIL_H
#define CR_TAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "mcp/child.h"

/* All zeros is an empty tail. */
struct cr_tail {
    char bytes[CR_CHILD_TAIL];
    size_t start; /* where in |bytes| the text begins */
    size_t len;
    bool cut; /* the beginning of the text is lost */
};

/* Makes |t| empty, without clearing |bytes|. */
void cr_tail_init(struct cr_tail *t);

void cr_tail_add(struct cr_tail *t, const void *bytes, size_t len);

/* Adds |bytes| as a separate line. */
void cr_tail_add_line(struct cr_tail *t, const void *bytes, size_t len);

/*
 * Appends the lines, escaped for a terminal and joined by |between|; if they exceed |max| bytes,
 * only the last ones. Blank lines are left out.
 */
void cr_tail_show(const struct cr_tail *t, const char *between, size_t max, struct cr_buf *out);

#endif
