/*
 * layout.h - arranges the entries of an object on one line, in columns, or one per line, like Node.
 *
 * The caller writes an object's head ("Foo {") to |out|, then its entries, with crw_layout_entry()
 * before each; crw_layout_close() then rewrites them in place. Objects nest, so the started entries
 * form a stack.
 */
#ifndef CRW_LAYOUT_H
#define CRW_LAYOUT_H

#include "out.h"

struct crw_layout {
    struct crw_out *out;
    size_t width;   /* of a line */
    unsigned items; /* most items of a list; one more entry says how many are left */
    size_t indent;  /* of the line where the current object began */
    unsigned level; /* of the object that was begun last */
    size_t *starts; /* where each started entry begins in |out| */
    size_t count, cap;
};

/* An object whose entries are being written. */
struct crw_layout_object {
    size_t head;    /* where it begins in |out| */
    size_t first;   /* its first entry in |starts| */
    unsigned level; /* its nesting level, counted from 1 */
    bool has_base;  /* the text before the bracket is more than the name of its kind */
    bool in_columns;
    bool to_the_right; /* columns of numbers */
    unsigned ref;      /* the n of a [Circular *n] that refers to it, or 0 */
    const char *close;
};

void crw_layout_entry(struct crw_layout *layout);
void crw_layout_close(struct crw_layout *layout, const struct crw_layout_object *object);
void crw_layout_free(struct crw_layout *layout);

#endif
