/* timers.c - a leftist heap of timers. */
#include "base/timers.h"

#include <stdbool.h>
#include <stddef.h>

static bool is_before(const struct cr_timer *a, const struct cr_timer *b)
{
    return a->when_us != b->when_us ? a->when_us < b->when_us : a->order < b->order;
}

static unsigned rank_of(const struct cr_timer *t)
{
    return t ? t->rank : 0;
}

/* Swaps left and right below |t| if necessary. Returns whether the rank of |t| has changed. */
static bool repair(struct cr_timer *t)
{
    unsigned before = t->rank;

    if (rank_of(t->left) < rank_of(t->right)) {
        struct cr_timer *left = t->left;

        t->left = t->right;
        t->right = left;
    }
    t->rank = rank_of(t->right) + 1;
    return t->rank != before;
}

/* Merges the heaps |a| and |b| into |*at|, which is below |above|. Each may be NULL. */
static void merge(struct cr_timer **at, struct cr_timer *above, struct cr_timer *a,
                  struct cr_timer *b)
{
    struct cr_timer *up = above;

    while (a && b) {
        struct cr_timer *next = is_before(b, a) ? b : a;

        b = next == a ? b : a;
        a = next->right;
        *at = next;
        next->up = up;
        up = next;
        at = &next->right;
    }
    *at = a ? a : b;
    if (*at)
        (*at)->up = up;
    for (; up != above; up = up->up)
        (void)repair(up);
    while (up && repair(up))
        up = up->up;
}

static void add(struct cr_timers *timers, struct cr_timer *t)
{
    t->left = t->right = NULL;
    t->rank = 1;
    merge(&timers->first, NULL, timers->first, t);
}

static void take_out(struct cr_timers *timers, struct cr_timer *t)
{
    struct cr_timer *up = t->up;
    struct cr_timer **at = !up ? &timers->first : up->left == t ? &up->left : &up->right;

    merge(at, up, t->left, t->right);
}

/* Is |t| still due between the timer above and those below it? */
static bool fits(const struct cr_timer *t)
{
    return !(t->up && is_before(t, t->up)) && !(t->left && is_before(t->left, t)) &&
           !(t->right && is_before(t->right, t));
}

void cr_timers_set(struct cr_timers *timers, struct cr_timer *timer, int64_t when_us)
{
    bool was_set = timer->when_us >= 0;

    timer->when_us = when_us;
    timer->order = timers->count++;
    if (was_set && fits(timer))
        return;
    if (was_set)
        take_out(timers, timer);
    add(timers, timer);
}

void cr_timers_unset(struct cr_timers *timers, struct cr_timer *timer)
{
    if (timer->when_us < 0)
        return;
    take_out(timers, timer);
    timer->when_us = -1;
}
