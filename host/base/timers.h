/*
 * timers.h - the timers that are set, in the order in which they are due. For loop.c.
 *
 * A leftist heap, linked through the timers: nothing is allocated. No timer is due before the one
 * above it. The rank of a timer is the number of timers on the way to the right below it, itself
 * included; the rank on the left is never less than that on the right. So the way to the right has
 * at most log2(n + 1) timers. Setting and unsetting changes only timers on such ways.
 */
#ifndef CR_TIMERS_H
#define CR_TIMERS_H

#include <stdint.h>

struct cr_timer {
    int64_t when_us; /* -1: not set */
    void (*due)(struct cr_timer *timer);
    const char *name;

    /* For timers.c. */
    uint64_t order; /* of equal times, the timer that was set first is due first */
    struct cr_timer *up, *left, *right;
    unsigned rank;
};

/* All zeros: no timer is set. */
struct cr_timers {
    struct cr_timer *first; /* the next that is due, or NULL */
    uint64_t count;         /* how often timers were set */
};

/* Sets |timer| to |when_us|, which is not negative; replaces an earlier time. */
void cr_timers_set(struct cr_timers *timers, struct cr_timer *timer, int64_t when_us);

/* Does nothing if |timer| is not set. */
void cr_timers_unset(struct cr_timers *timers, struct cr_timer *timer);

#endif
