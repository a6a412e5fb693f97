/* known.c - what was decided about calls of a run, and about further calls of a tool. */
#include <stdlib.h>
#include <string.h>

#include "people/people_parts.h"

/* Returns a new decision, which is not in a list yet; NULL without memory. */
static struct cr_known *new_known(const struct cr_asked_call *call, bool for_run,
                                  const struct cr_decision *d)
{
    size_t by = strlen(d->by) + 1, tool = strlen(call->tool) + 1;
    struct cr_known *k = calloc(1, sizeof(*k) + by + tool);

    if (!k)
        return NULL;
    k->number = for_run ? 0 : call->number;
    k->is_allowed = d->is_allowed;
    k->is_limited = for_run && d->max_calls;
    k->left = d->max_calls;
    k->tool = memcpy(k->by + by, call->tool, tool);
    memcpy(k->by, d->by, by);
    memcpy(k->binding, call->binding, sizeof(k->binding));
    return k;
}

void cr_known_free(struct cr_known *k)
{
    struct cr_known *next;

    for (; k; k = next) {
        next = k->next;
        free(k);
    }
}

static bool has_tool(const struct cr_known *k, const char *binding)
{
    while (k && (k->number || strcmp(k->binding, binding) != 0))
        k = k->next;
    return k != NULL;
}

/* Returns all that |d| decides, or NULL without memory. */
struct cr_known *cr_known_make(const struct cr_decision *d)
{
    struct cr_known *list = NULL, *k;

    for (size_t i = 0; i < d->count; i++) {
        k = new_known(&d->calls[i], false, d);
        if (k) {
            k->next = list;
            list = k;
        }
        if (k && d->for_run && !has_tool(list, d->calls[i].binding)) {
            k = new_known(&d->calls[i], true, d);
            if (k) {
                k->next = list;
                list = k;
            }
        }
        if (!k) {
            cr_known_free(list);
            return NULL;
        }
    }
    return list;
}

/* Adds |list| to what is known. */
void cr_known_add(struct cr_asking *a, struct cr_known *list)
{
    struct cr_known **end = &list;

    while (*end)
        end = &(*end)->next;
    *end = a->known;
    a->known = list;
}

const struct cr_known *cr_known_find(const struct cr_asking *a, const struct cr_asked_call *call)
{
    const struct cr_known *k = a->known;

    while (k && (k->number != call->number || strcmp(k->binding, call->binding) != 0))
        k = k->next;
    return k;
}

/* Finds what was decided about |call|, or about all calls of its tool: then one of these is used.
 */
const struct cr_known *cr_known_use(struct cr_asking *a, const struct cr_asked_call *call)
{
    const struct cr_known *known = cr_known_find(a, call);
    struct cr_known *k = a->known;

    while (!known && k &&
           (k->number || (k->is_limited && !k->left) || strcmp(k->binding, call->binding) != 0))
        k = k->next;
    if (known || !k)
        return known;
    cr_known_add(a, cr_known_make(&(struct cr_decision){
                        .is_allowed = k->is_allowed, .by = k->by, .calls = call, .count = 1}));
    known = cr_known_find(a, call);
    if (known)
        k->left--;
    return known;
}
