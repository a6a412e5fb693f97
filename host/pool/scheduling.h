/*
 * scheduling.h - all that the host asks of the kernel's scheduler to make small runs faster.
 *
 * There are three techniques; runs need none of them except for speed:
 *
 *     cr_scheduling_avoid_own_cpu   a worker does not wait for the host's processor
 *     cr_scheduling_lower_priority  the next run does not wait for the end of a process
 *     cr_scheduling_wait_in_place   the host does not sleep before an answer that comes soon
 *
 * scheduling.c says what each of them gains. |is_off| switches all of them off: runs then give the
 * same results, with the same limits. It is internal; tests and measurements set it.
 */
#ifndef CR_SCHEDULING_H
#define CR_SCHEDULING_H

#include <stdbool.h>
#include <stdint.h>

struct cr_guest;
struct cr_pool;
struct cr_worker;

struct cr_scheduling {
    bool is_off;
    bool in_series; /* the last guest got its worker soon after the one before */
    int64_t started_us;
    int slow_end; /* the pidfd of the process that ends at low priority, or -1 */
};

void cr_scheduling_init(struct cr_scheduling *s);
void cr_scheduling_clear(struct cr_scheduling *s);

/* Notes that a guest gets its worker at |now_us|. */
void cr_scheduling_note_start(struct cr_scheduling *s, int64_t now_us);

/*
 * For a worker that gets its job at |now_us|: keeps |w| off the processor of this thread, if
 * |guest| is alone in |pool|, starts soon after another, and its caller does not wait for it.
 * Returns when to call cr_scheduling_allow_all_cpus(), or 0 if |w| may use every processor.
 */
int64_t cr_scheduling_avoid_own_cpu(const struct cr_pool *pool, const struct cr_guest *guest,
                                    struct cr_worker *w, int64_t now_us);

/* Lets |w| use every processor again. */
void cr_scheduling_allow_all_cpus(struct cr_worker *w);

/*
 * For a worker that is freed next: |w| gets only processor time that is left over, if its guest is
 * alone in |pool| and took |taken| bytes of memory, a few MiB at most; 0 means unknown. Only one
 * process at a time ends this way: its memory is not counted in the memory limit for all guests.
 */
void cr_scheduling_lower_priority(struct cr_pool *pool, struct cr_worker *w, uint64_t taken);

/* Returns true if no process is ending at low priority. */
bool cr_scheduling_slow_end_is_free(struct cr_scheduling *s);

/* Waits for |fd| to be readable, without sleeping, for 30 us at most. Returns whether it is. */
bool cr_scheduling_wait_in_place(const struct cr_scheduling *s, int fd);

#endif
