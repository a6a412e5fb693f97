/* compare.c - compares the args of calls, member by member. */
#include "people/compare.h"

#include <string.h>

#include "base/locate.h"

/* A walk along the members of the args of one call. */
struct walk {
    const char *at, *end;
};

static struct walk begin_walk(const struct cr_inquiry_call *call)
{
    return (struct walk){.at = call->args + 1, .end = call->args + call->len};
}

static bool next_member(struct walk *w, struct cr_compare_part *ret)
{
    struct cr_locate_child child;

    if (!cr_locate_next(&w->at, w->end, true, &child))
        return false;
    w->at = cr_locate_end(child.value, w->end);
    *ret = (struct cr_compare_part){.key = child.key,
                                    .key_len = (size_t)(child.key_end - child.key),
                                    .value = child.value,
                                    .value_len = (size_t)(w->at - child.value)};
    return true;
}

static bool are_equal(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

/* Takes the members of the first call. Returns false if the args have too many, or are no object.
 */
static bool take_members(const struct cr_inquiry_call *call, struct cr_compare *ret)
{
    struct walk w = begin_walk(call);
    struct cr_compare_part part;

    if (call->args[0] != '{')
        return false;
    while (next_member(&w, &part)) {
        if (ret->count == CR_COMPARE_MEMBERS)
            return false;
        ret->parts[ret->count++] = part;
    }
    return true;
}

/* Returns false if |call| has other members. */
static bool compare_members(const struct cr_inquiry_call *call, struct cr_compare *ret)
{
    struct walk w = begin_walk(call);
    struct cr_compare_part part;
    size_t n = 0;

    if (call->args[0] != '{')
        return false;
    for (; next_member(&w, &part); n++) {
        struct cr_compare_part *first = &ret->parts[n];

        if (n == ret->count || !are_equal(part.key, part.key_len, first->key, first->key_len))
            return false;
        first->differs = first->differs ||
                         !are_equal(part.value, part.value_len, first->value, first->value_len);
    }
    return n == ret->count;
}

static void compare_whole(const struct cr_inquiry_tool *tool, struct cr_compare *ret)
{
    const struct cr_inquiry_call *first = &tool->calls[0];
    bool differs = false;

    for (size_t i = 1; i < tool->count && !differs; i++)
        differs = !are_equal(tool->calls[i].args, tool->calls[i].len, first->args, first->len);
    ret->count = 1;
    ret->parts[0] =
        (struct cr_compare_part){.value = first->args, .value_len = first->len, .differs = differs};
}

void cr_compare_calls(const struct cr_inquiry_tool *tool, struct cr_compare *ret)
{
    bool have_members;

    *ret = (struct cr_compare){0};
    have_members = take_members(&tool->calls[0], ret);
    for (size_t i = 1; i < tool->count && have_members; i++)
        have_members = compare_members(&tool->calls[i], ret);
    if (!have_members)
        compare_whole(tool, ret);
    for (size_t i = 0; i < ret->count; i++)
        ret->differing += ret->parts[i].differs;
}

const char *cr_compare_value(const struct cr_compare *c, const struct cr_inquiry_call *call,
                             size_t i, size_t *ret_len)
{
    struct walk w = begin_walk(call);
    struct cr_compare_part part = {.value = call->args, .value_len = call->len};

    if (c->parts[0].key)
        for (size_t n = 0; n <= i && next_member(&w, &part); n++)
            ;
    *ret_len = part.value_len;
    return part.value;
}
