/* test_timers.c - the heap of timers: its invariant, and the order of its timers. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/timers.h"

#define MANY 1000

static struct cr_timers timers;
static struct cr_timer set[MANY];

static void clear(void)
{
    timers = (struct cr_timers){NULL, 0};
    for (int i = 0; i < MANY; i++)
        set[i] = (struct cr_timer){.when_us = -1};
}

/* Has every timer below |t| its parent, its rank, and a time that is not before that of |t|? */
static bool is_heap(const struct cr_timer *t)
{
    const struct cr_timer *below[2] = {t->left, t->right};
    unsigned left = t->left ? t->left->rank : 0, right = t->right ? t->right->rank : 0;

    for (int i = 0; i < 2; i++)
        if (below[i] && (below[i]->up != t || below[i]->when_us < t->when_us || !is_heap(below[i])))
            return false;
    return left >= right && t->rank == right + 1;
}

static const struct cr_timer *find_first(int count)
{
    const struct cr_timer *first = NULL;

    for (int i = 0; i < count; i++)
        if (set[i].when_us >= 0 &&
            (!first || set[i].when_us < first->when_us ||
             (set[i].when_us == first->when_us && set[i].order < first->order)))
            first = &set[i];
    return first;
}

TEST(after_any_series_of_changes_the_first_timer_is_the_next_that_is_due)
{
    clear();
    srand(1);
    for (int i = 0; i < 100000; i++) {
        struct cr_timer *t = &set[rand() % 100];

        if (rand() % 3)
            cr_timers_set(&timers, t, rand() % 50);
        else
            cr_timers_unset(&timers, rand() % 4 || !timers.first ? t : timers.first);
        CHECK(timers.first == find_first(100));
        CHECK(!timers.first || (!timers.first->up && is_heap(timers.first)));
    }
}

TEST(timers_of_one_time_are_due_in_the_order_in_which_they_were_set)
{
    clear();
    for (int i = 0; i < MANY; i++)
        cr_timers_set(&timers, &set[i], 7);
    cr_timers_set(&timers, &set[500], 3);
    cr_timers_set(&timers, &set[500], 7);
    for (int i = 0; i < MANY; i++) {
        if (i != 500) {
            CHECK(timers.first == &set[i]);
            cr_timers_unset(&timers, &set[i]);
        }
    }
    CHECK(timers.first == &set[500]);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
