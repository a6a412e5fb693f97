/*
 * compare.h - finds out what is equal in the args of several calls of one tool, and what differs.
 *
 * Two values are equal if their bytes are. The members of the args are compared one by one if all
 * args are objects with the same few keys in the same order; otherwise the args are one value.
 */
#ifndef CR_COMPARE_H
#define CR_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "people/inquiry.h"

#define CR_COMPARE_MEMBERS 32u

struct cr_compare_part {
    const char *key; /* as written, with its quotes; NULL: the whole args */
    size_t key_len;
    const char *value; /* of the first call */
    size_t value_len;
    bool differs;
};

struct cr_compare {
    struct cr_compare_part parts[CR_COMPARE_MEMBERS];
    size_t count; /* at least 1, except for args that are {} */
    size_t differing;
};

/* Compares the args of all calls of |tool|. Takes time in proportion to their length. */
void cr_compare_calls(const struct cr_inquiry_tool *tool, struct cr_compare *ret);

/* Returns the value that |call| has for part |i|. */
const char *cr_compare_value(const struct cr_compare *c, const struct cr_inquiry_call *call,
                             size_t i, size_t *ret_len);

#endif
