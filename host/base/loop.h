/*
 * loop.h - one epoll descriptor for everything: sockets, processes and the clock.
 *
 * Watches, timers and tasks are parts of the structs that own them; the loop allocates nothing. A
 * callback may remove any of them, its own and others', and free what holds them.
 *
 * cr_loop_fd() becomes readable for everything, deadlines included, so that it can be put into
 * somebody else's event loop.
 *
 * One thread does everything, so no source (a worker, a server) may keep it for long. A callback
 * has a turn of CR_LOOP_TURN_US. Between two units of work it asks cr_loop_turn_is_over(); if so,
 * it returns and continues in a cr_loop_defer_busy() task. A step handles all events first, then
 * one busy task: sources with little work do not wait for those with much. Tasks of either run
 * before the next event. Timers that are due run between two of these, so that a time limit waits
 * for one turn at most. Work that waits for a disk or a lock, or cannot be cut into units, is a job
 * for the helper thread (helper.h).
 */
#ifndef CR_LOOP_H
#define CR_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "base/err.h"
#include "base/helper.h"

#define CR_LOOP_BATCH 32
#define CR_LOOP_TURN_US 200

struct cr_watch {
    int fd; /* -1: not watched. The owner closes it, after cr_loop_remove() */
    void (*ready)(struct cr_watch *watch, uint32_t events);
    const char *name; /* of the source, for the watchdog (tests/watchdog) */
};

struct cr_timer {
    int64_t when_us; /* -1: not set */
    void (*due)(struct cr_timer *timer);
    const char *name;
    struct cr_timer *next, *prev;
};

/* Something to do when a step has handled its events, outside of everybody's functions. */
struct cr_task {
    bool waits;
    void (*run)(struct cr_task *task);
    const char *name;
    struct cr_task *next, **at; /* the next one in its queue, and what points to this one */
};

/* Tasks in the order in which they run. */
struct cr_task_queue {
    struct cr_task *first, **last;
};

struct cr_loop {
    int epoll_fd;
    int64_t armed_us;       /* what the timerfd is set to, or -1 */
    struct cr_timer timers; /* the head of a ring, sorted by when_us */
    struct cr_task_queue tasks, busy;
    struct cr_task last;     /* is in |tasks| behind those that run now */
    int64_t turn_us;         /* CR_LOOP_TURN_US; whoever counts instructions makes it longer */
    int64_t turn_end_us;     /* of the callback that runs now */
    struct cr_helper helper; /* for computations */
    struct cr_helper disk;   /* for what waits for a disk */
    struct epoll_event batch[CR_LOOP_BATCH];
    int batch_len;
    bool stepping;
    struct cr_watch clock; /* a timerfd */
    struct cr_watch bell;  /* an eventfd: somebody wants a step */
};

/* The member |member| of a struct |type| is at |pointer|: where is the struct? */
#define cr_container(pointer, type, member) \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* Returns 0 or CAPRUN_E_SYS. The loop must not be moved afterwards. */
int cr_loop_init(struct cr_loop *loop, struct cr_err *err);
void cr_loop_clear(struct cr_loop *loop);

int cr_loop_fd(const struct cr_loop *loop);

/* Microseconds on the monotonic clock. */
int64_t cr_loop_now(void);

/* Calls |watch->ready| while |watch->fd| has one of |events|. Returns 0 or CAPRUN_E_SYS. */
int cr_loop_add(struct cr_loop *loop, struct cr_watch *watch, uint32_t events, struct cr_err *err);
void cr_loop_change(struct cr_loop *loop, struct cr_watch *watch, uint32_t events);
void cr_loop_remove(struct cr_loop *loop, struct cr_watch *watch);

/* Calls |timer->due| once, when the clock has reached |when_us|; replaces an earlier time. */
void cr_loop_set(struct cr_loop *loop, struct cr_timer *timer, int64_t when_us);
void cr_loop_unset(struct cr_loop *loop, struct cr_timer *timer);

/* Calls |task->run| once, at the end of this step or, outside of one, of the next. */
void cr_loop_defer(struct cr_loop *loop, struct cr_task *task);
void cr_loop_forget(struct cr_loop *loop, struct cr_task *task);

/*
 * Has the callback that runs now used up its turn? Outside of a step there are no turns, and the
 * answer is false.
 */
bool cr_loop_turn_is_over(const struct cr_loop *loop);

/*
 * As cr_loop_defer(), for the rest of work whose turn is over: each step runs one of these tasks,
 * in their order, with a turn of its own. Until then the owner should not watch its descriptor.
 * cr_loop_forget_busy() is for these tasks alone.
 */
void cr_loop_defer_busy(struct cr_loop *loop, struct cr_task *task);
void cr_loop_forget_busy(struct cr_loop *loop, struct cr_task *task);

/* As cr_loop_defer(), but outside of a step it is done at once, as if there were one. */
void cr_loop_do(struct cr_loop *loop, struct cr_task *task);

/* Makes cr_loop_fd() readable until the next step. The one function that any thread may call. */
void cr_loop_wake(struct cr_loop *loop);

/* True while callbacks are being called. */
bool cr_loop_is_stepping(const struct cr_loop *loop);

/*
 * Waits up to |timeout_ms| (-1: for ever) for something, and handles what there is. Does nothing
 * when it is called from a callback.
 */
void cr_loop_step(struct cr_loop *loop, int timeout_ms);

#endif
