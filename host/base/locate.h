/*
 * locate.h - parts of a JSON text, found without a tree.
 *
 * The text is one that the scanner has accepted (scan.h), under either rules: nothing is checked
 * here. |end| is the end of the text.
 */
#ifndef CR_LOCATE_H
#define CR_LOCATE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The value of the member |key| of the object |text|, or NULL. The key is compared as it is
 * written: one with escapes is not found. Of members with the same key, the first is found.
 */
const char *cr_locate_member(const char *text, size_t len, const char *key, size_t *ret_len);

/* A child of an array or an object. */
struct cr_locate_child {
    const char *key, *key_end; /* with its quotes; NULL in an array */
    const char *value;
};

/*
 * Goes from |at|, which is behind the opening bracket or behind a child, to the next child's value.
 * Returns false if there is none, and |at| is then behind the closing bracket.
 */
bool cr_locate_next(const char **at, const char *end, bool in_object, struct cr_locate_child *ret);

/* The byte behind the value at |at|. */
const char *cr_locate_end(const char *at, const char *end);

/* The byte behind the string at |at|, which is its first quote; or |end|. */
const char *cr_locate_string_end(const char *at, const char *end);

static inline bool cr_locate_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
