/*
 * loop.h - the event loop: one epoll descriptor for sockets, processes and timers.
 *
 * Watches, timers and tasks are members of the structs that own them; the loop allocates nothing. A
 * callback may remove any watch, timer or task, even its own, and free the struct that holds it.
 *
 * cr_loop_fd() becomes readable for every event, deadlines included, so that an application can
 * watch it in its own event loop.
 *
 * One thread runs all callbacks, so no source (a worker, a server) may keep it for long. A callback
 * has a turn of CR_LOOP_TURN_US. Between two units of work it calls cr_loop_turn_is_over(); if the
 * turn is over, it returns and continues in a cr_loop_defer_busy() task. A step first handles all
 * events, then one busy task, so that sources with little work do not wait for sources with much.
 * Tasks that a busy task defers run before the next event. Timers that are due run between
 * callbacks, so that a time limit waits for one turn at most. Work that waits for a disk or a lock,
 * or cannot be split into units, is a job for the helper thread (helper.h).
 */
#ifndef CR_LOOP_H
#define CR_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "base/err.h"
#include "base/helper.h"
#include "base/timers.h"

#define CR_LOOP_BATCH 32
#define CR_LOOP_TURN_US 200

struct cr_watch {
    int fd; /* -1: not watched. The owner closes the descriptor, after cr_loop_remove() */
    void (*ready)(struct cr_watch *watch, uint32_t events);
    const char *name; /* of the source, for the watchdog (tests/watchdog) */
};

/* A function to call after a step has handled its events, when no other callback is running. */
struct cr_task {
    bool waits;
    void (*run)(struct cr_task *task);
    const char *name;
    struct cr_task *next, **at; /* the next task in the queue, and the pointer to this one */
};

/* Tasks in the order in which they run. */
struct cr_task_queue {
    struct cr_task *first, **last;
};

struct cr_loop {
    int epoll_fd;
    int64_t armed_us; /* what the timerfd is set to, or -1 */
    struct cr_timers timers;
    struct cr_task_queue tasks, busy;
    struct cr_task last;     /* marks in |tasks| the end of those that run now */
    int64_t turn_us;         /* CR_LOOP_TURN_US; longer in programs that count instructions */
    int64_t turn_end_us;     /* when the turn of the running callback ends */
    struct cr_helper helper; /* for computations */
    struct cr_helper disk;   /* for jobs that wait for a disk */
    struct cr_helper slow;   /* for jobs that may take seconds */
    struct cr_helper rules;  /* for conditions of rules, which calls wait for */
    struct epoll_event batch[CR_LOOP_BATCH];
    int batch_len;
    bool stepping;
    struct cr_watch clock; /* a timerfd */
    struct cr_watch bell;  /* an eventfd: requests a step */
};

/* Returns the struct |type| whose member |member| is at |pointer|. */
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

/* Calls |task->run| once, at the end of this step; outside of a step, at the end of the next. */
void cr_loop_defer(struct cr_loop *loop, struct cr_task *task);
void cr_loop_forget(struct cr_loop *loop, struct cr_task *task);

/* Has the running callback used up its turn? False outside of a step, where there are no turns. */
bool cr_loop_turn_is_over(const struct cr_loop *loop);

/*
 * Like cr_loop_defer(), for work that continues after its turn is over: each step runs one of these
 * busy tasks, in order, with a new turn. Until the task runs, its owner should not watch its
 * descriptor. cr_loop_forget_busy() is for busy tasks only.
 */
void cr_loop_defer_busy(struct cr_loop *loop, struct cr_task *task);
void cr_loop_forget_busy(struct cr_loop *loop, struct cr_task *task);

/* Like cr_loop_defer(), but outside of a step the task runs at once, as if in a step. */
void cr_loop_do(struct cr_loop *loop, struct cr_task *task);

/* Makes cr_loop_fd() readable until the next step. Only this function is safe in any thread. */
void cr_loop_wake(struct cr_loop *loop);

/* True while callbacks are being called. */
bool cr_loop_is_stepping(const struct cr_loop *loop);

/*
 * Waits up to |timeout_ms| (-1: without limit) for events, and handles them. Does nothing if a
 * callback calls it.
 */
void cr_loop_step(struct cr_loop *loop, int timeout_ms);

#endif
