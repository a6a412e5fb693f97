/*
 * layout.h - the entries of an object on one line, in columns, or a line each: as Node does it.
 *
 * An object's head ("Foo {") is written to |out|, then its entries one after the other with
 * crw_layout_entry() before each; crw_layout_close() then rewrites it all in place. Objects nest,
 * so the entries that have been begun are a stack.
 */
#ifndef CRW_LAYOUT_H
#define CRW_LAYOUT_H

#include "out.h"

struct crw_layout {
    struct crw_out *out;
    size_t width;   /* where lines are to end */
    unsigned items; /* of a list, at most; one entry more says how many there are */
    size_t indent;  /* of the line that the object which is being written began on */
    unsigned level; /* that of the object begun last */
    size_t *starts; /* of each entry that was begun, in |out| */
    size_t count, cap;
};

/* An object whose entries are being written. */
struct crw_layout_object {
    size_t head;    /* where it begins in |out| */
    size_t first;   /* its first entry in |starts| */
    unsigned level; /* how many objects it is inside of, and itself */
    bool has_base;  /* there is more before the bracket than the word of its kind */
    bool in_columns;
    bool to_the_right; /* columns of numbers */
    unsigned ref;      /* the number by which a [Circular *n] in it means it, or 0 */
    const char *close;
};

void crw_layout_entry(struct crw_layout *layout);
void crw_layout_close(struct crw_layout *layout, const struct crw_layout_object *object);
void crw_layout_free(struct crw_layout *layout);

#endif
