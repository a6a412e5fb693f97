/*
 * show.h - shows a question on a terminal: the calls of one tool, and who makes them.
 *
 * Everything that is not ours is behind a label of ours, or each of its lines begins with "  | ",
 * and is escaped: no part of it can look like a line of caprun, and nothing is left out. No line is
 * wider than the terminal. What does not fit is shown in pages.
 */
#ifndef CR_SHOW_H
#define CR_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "people/compare.h"
#include "people/inquiry.h"
#include "people/lines.h"

enum cr_show_section {
    CR_SHOW_SAME_TITLE,
    CR_SHOW_SAME,
    CR_SHOW_TABLE_TITLE,
    CR_SHOW_TABLE,
    CR_SHOW_CALL_TITLE,
    CR_SHOW_CALL,
    CR_SHOW_END,
};

struct cr_show {
    const struct cr_inquiry *q;
    struct cr_inquiry_tool tool; /* whose calls are shown */
    size_t columns;
    struct cr_compare compare;

    /* What the next page begins with. */
    enum cr_show_section section;
    size_t at; /* the part, or the call, that is being shown */
    struct cr_lines lines;
    bool has_lines; /* |lines| is in use */
    bool has_cut;   /* a line of the table does not show everything */
};

/*
 * Shows |count| of the calls of |tool|, from |first| on. |q| has to stay. Compares the calls, in a
 * time that grows with their args.
 */
void cr_show_begin(struct cr_show *show, const struct cr_inquiry *q,
                   const struct cr_inquiry_tool *tool, size_t first, size_t count, size_t columns);

/* Appends who asks, for which tool, and the paths and URLs, unless |rows| lines show all args. */
void cr_show_head(const struct cr_show *show, size_t rows, struct cr_buf *out);

/* Appends the next |rows| lines of the args. Returns how many there were; fewer at the end. */
size_t cr_show_page(struct cr_show *show, size_t rows, struct cr_buf *out);

/* Is there another page? Then also appends how much it is. */
bool cr_show_rest(const struct cr_show *show, struct cr_buf *out);

/* Begins with the first page again, for a terminal of this width. */
void cr_show_rewind(struct cr_show *show, size_t columns);

/* Appends |text|, which is not ours, after a label: escaped as a name, in lines of |columns|. */
void cr_show_labelled(struct cr_buf *out, const char *label, const char *text, size_t columns);

#endif
