/*
 * scheduling.h - all that the host asks of the kernel's scheduler to make small runs faster.
 *
 * There are three tricks, and none is needed for anything but speed:
 *
 *     cr_scheduling_avoid_own_cpu      a worker does not wait for the host's processor
 *     cr_scheduling_lower_priority    the next run does not wait for the end of a process
 *     cr_scheduling_wait_in_place the host does not fall asleep before an answer that is near
 *
 * scheduling.c says at each what it gains. |is_off| is the switch for all of them: runs then give
 * the same results, with the same limits. It is internal; tests and measurements set it.
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
    bool in_series; /* the last guest got its worker soon after another */
    int64_t started_us;
    int slow_end; /* the pidfd of the process that ends slowly, or -1 */
};

void cr_scheduling_init(struct cr_scheduling *s);
void cr_scheduling_clear(struct cr_scheduling *s);

/* A guest gets its worker at |now_us|. */
void cr_scheduling_note_start(struct cr_scheduling *s, int64_t now_us);

/*
 * For a worker that gets its job at |now_us|: keeps |w| off the processor that this thread is on,
 * if |guest| is alone in |pool|, follows another, and its caller does not wait for it. Returns when
 * cr_scheduling_allow_all_cpus() has to be called, or 0 if |w| may be on every processor.
 */
int64_t cr_scheduling_avoid_own_cpu(const struct cr_pool *pool, const struct cr_guest *guest,
                                    struct cr_worker *w, int64_t now_us);

/* |w| may be on every processor again. */
void cr_scheduling_allow_all_cpus(struct cr_worker *w);

/*
 * For a worker that is freed next: |w| gets only the time that others leave, if its guest is alone
 * in |pool| and took |taken| bytes of memory, a few MiB at most; 0 means that this is unknown. One
 * process at a time does: what it holds is beside what all guests together may have.
 */
void cr_scheduling_lower_priority(struct cr_pool *pool, struct cr_worker *w, uint64_t taken);

/* Is there no process that ends slowly, or has it ended? */
bool cr_scheduling_slow_end_is_free(struct cr_scheduling *s);

/* Waits for |fd| to be readable, awake, and for 30 us at most. Returns whether it is. */
bool cr_scheduling_wait_in_place(const struct cr_scheduling *s, int fd);

#endif
