/*
 * locate.h - finds parts of a JSON text without building a tree.
 *
 * The scanner (scan.h) must have accepted the text, under either rules: nothing is checked here.
 * |end| is the end of the text.
 */
#ifndef CR_LOCATE_H
#define CR_LOCATE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the value of the member |key| of the object |text|, or NULL. Keys are compared as
 * written: a key with escapes is not found. Of members with the same key, the first is found.
 */
const char *cr_locate_member(const char *text, size_t len, const char *key, size_t *ret_len);

/* A child of an array or an object. */
struct cr_locate_child {
    const char *key, *key_end; /* with its quotes; NULL in an array */
    const char *value;
};

/*
 * Moves |at|, which is after the opening bracket or after a child, to the next child's value.
 * Returns false after the last child: then |at| is after the closing bracket.
 */
bool cr_locate_next(const char **at, const char *end, bool in_object, struct cr_locate_child *ret);

/* Returns the byte after the value at |at|. */
const char *cr_locate_end(const char *at, const char *end);

/* Returns the byte after the string at |at|, which is its first quote; or |end|. */
const char *cr_locate_string_end(const char *at, const char *end);

static inline bool cr_locate_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
