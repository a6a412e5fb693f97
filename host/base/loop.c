/* loop.c - the event loop: epoll, one timerfd, one eventfd, and a heap of timers. */
#include "base/loop.h"

#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/watchdog.h"

#define TIMERS_US 2000 /* the most that timers take of a step; the rest fire in the next */

int64_t cr_loop_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/*
 * Makes sure that the timerfd fires no later than the earliest timer is due. It may fire once too
 * early: that is cheaper than to set it whenever a timer moves.
 */
static void arm(struct cr_loop *loop)
{
    const struct cr_timer *first = loop->timers.first;
    struct itimerspec spec = {{0, 0}, {0, 0}};

    if (!first || (loop->armed_us >= 0 && loop->armed_us <= first->when_us))
        return;
    loop->armed_us = first->when_us;
    spec.it_value.tv_sec = first->when_us / 1000000;
    spec.it_value.tv_nsec = first->when_us % 1000000 * 1000 + 1; /* zero would disarm it */
    (void)timerfd_settime(loop->clock.fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

void cr_loop_unset(struct cr_loop *loop, struct cr_timer *timer)
{
    cr_timers_unset(&loop->timers, timer);
}

void cr_loop_set(struct cr_loop *loop, struct cr_timer *timer, int64_t when_us)
{
    if (when_us < 0)
        when_us = 0; /* due at once; a negative time would mean that it is not set */
    if (timer->when_us == when_us)
        return;
    cr_timers_set(&loop->timers, timer, when_us);
    arm(loop);
}

static void begin_turn(struct cr_loop *loop, const char *name)
{
    loop->turn_end_us = cr_loop_now() + loop->turn_us;
    cr_watchdog_begin(name);
}

static void end_turn(struct cr_loop *loop)
{
    cr_watchdog_end();
    loop->turn_end_us = INT64_MAX;
}

bool cr_loop_turn_is_over(const struct cr_loop *loop)
{
    return cr_loop_now() >= loop->turn_end_us;
}

/* Runs the timers that are due. Also between two events: the events before may have taken long. */
static void run_timers(struct cr_loop *loop)
{
    int64_t now = cr_loop_now();

    while (loop->timers.first && loop->timers.first->when_us <= now &&
           cr_loop_now() - now < TIMERS_US) {
        struct cr_timer *timer = loop->timers.first;

        cr_loop_unset(loop, timer);
        begin_turn(loop, timer->name);
        timer->due(timer);
        end_turn(loop);
    }
}

static void clock_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_loop *loop = cr_container(watch, struct cr_loop, clock);
    uint64_t expirations;

    (void)events;
    (void)!read(watch->fd, &expirations, sizeof(expirations));
    loop->armed_us = -1;
    run_timers(loop);
    arm(loop);
}

static void bell_rang(struct cr_watch *watch, uint32_t events)
{
    struct cr_loop *loop = cr_container(watch, struct cr_loop, bell);
    uint64_t times;

    (void)events;
    (void)!read(watch->fd, &times, sizeof(times));
    cr_helper_deliver(&loop->helper);
    cr_helper_deliver(&loop->disk);
    cr_helper_deliver(&loop->slow);
    cr_helper_deliver(&loop->rules);
}

int cr_loop_init(struct cr_loop *loop, struct cr_err *err)
{
    int r;

    *loop = (struct cr_loop){.armed_us = -1,
                             .turn_us = CR_LOOP_TURN_US,
                             .turn_end_us = INT64_MAX,
                             .clock = {.fd = -1, .ready = clock_ready, .name = "clock"},
                             .bell = {.fd = -1, .ready = bell_rang, .name = "bell"}};
    loop->tasks.last = &loop->tasks.first;
    loop->busy.last = &loop->busy.first;
    cr_helper_init(&loop->helper, loop);
    cr_helper_init(&loop->disk, loop);
    cr_helper_init(&loop->slow, loop);
    cr_helper_init(&loop->rules, loop);
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll_fd < 0)
        return cr_err_sys(err, "epoll_create1");
    loop->clock.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (loop->clock.fd < 0)
        return cr_err_sys(err, "timerfd_create");
    loop->bell.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->bell.fd < 0)
        return cr_err_sys(err, "eventfd");
    r = cr_loop_add(loop, &loop->clock, EPOLLIN, err);
    return r < 0 ? r : cr_loop_add(loop, &loop->bell, EPOLLIN, err);
}

void cr_loop_clear(struct cr_loop *loop)
{
    int *fds[] = {&loop->clock.fd, &loop->bell.fd, &loop->epoll_fd};

    cr_helper_clear(&loop->rules);
    cr_helper_clear(&loop->slow);
    cr_helper_clear(&loop->disk);
    cr_helper_clear(&loop->helper);
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (*fds[i] >= 0)
            (void)close(*fds[i]);
        *fds[i] = -1;
    }
}

int cr_loop_fd(const struct cr_loop *loop)
{
    return loop->epoll_fd;
}

int cr_loop_add(struct cr_loop *loop, struct cr_watch *watch, uint32_t events, struct cr_err *err)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) < 0)
        return cr_err_sys(err, "epoll_ctl");
    return 0;
}

void cr_loop_change(struct cr_loop *loop, struct cr_watch *watch, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
}

void cr_loop_remove(struct cr_loop *loop, struct cr_watch *watch)
{
    if (watch->fd < 0)
        return;
    (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
    /* drop events that epoll has already reported for it */
    for (int i = 0; i < loop->batch_len; i++)
        if (loop->batch[i].data.ptr == watch)
            loop->batch[i].data.ptr = NULL;
}

void cr_loop_wake(struct cr_loop *loop)
{
    uint64_t once = 1;

    (void)!write(loop->bell.fd, &once, sizeof(once));
}

static void append(struct cr_task_queue *queue, struct cr_task *task)
{
    task->waits = true;
    task->next = NULL;
    task->at = queue->last;
    *queue->last = task;
    queue->last = &task->next;
}

static void take_out(struct cr_task_queue *queue, struct cr_task *task)
{
    *task->at = task->next;
    if (task->next)
        task->next->at = task->at;
    else
        queue->last = task->at;
    task->waits = false;
}

static void defer_to(struct cr_loop *loop, struct cr_task_queue *queue, struct cr_task *task)
{
    if (task->waits)
        return;
    append(queue, task);
    if (!loop->stepping)
        cr_loop_wake(loop);
}

void cr_loop_defer(struct cr_loop *loop, struct cr_task *task)
{
    defer_to(loop, &loop->tasks, task);
}

void cr_loop_forget(struct cr_loop *loop, struct cr_task *task)
{
    if (task->waits)
        take_out(&loop->tasks, task);
}

/* If a step leaves a busy task, it wakes the loop for the next step. */
void cr_loop_defer_busy(struct cr_loop *loop, struct cr_task *task)
{
    defer_to(loop, &loop->busy, task);
}

void cr_loop_forget_busy(struct cr_loop *loop, struct cr_task *task)
{
    if (task->waits)
        take_out(&loop->busy, task);
}

static void run_task(struct cr_loop *loop, struct cr_task *task)
{
    begin_turn(loop, task->name);
    task->run(task);
    end_turn(loop);
}

void cr_loop_do(struct cr_loop *loop, struct cr_task *task)
{
    if (loop->stepping) {
        cr_loop_defer(loop, task);
        return;
    }
    cr_loop_forget(loop, task);
    loop->stepping = true;
    run_task(loop, task);
    loop->stepping = false;
    if (loop->tasks.first || loop->busy.first)
        cr_loop_wake(loop);
}

/* Runs the tasks that wait now: a task that defers others cannot keep the step from ending. */
static void run_tasks(struct cr_loop *loop)
{
    if (!loop->tasks.first)
        return;
    append(&loop->tasks, &loop->last);
    while (loop->tasks.first != &loop->last) {
        struct cr_task *task = loop->tasks.first;

        take_out(&loop->tasks, task);
        run_task(loop, task);
        run_timers(loop);
    }
    take_out(&loop->tasks, &loop->last);
}

static void run_one_busy_task(struct cr_loop *loop)
{
    struct cr_task *task = loop->busy.first;

    if (!task)
        return;
    take_out(&loop->busy, task);
    run_task(loop, task);
    run_tasks(loop); /* the tasks that it deferred run before the next event */
}

bool cr_loop_is_stepping(const struct cr_loop *loop)
{
    return loop->stepping;
}

void cr_loop_step(struct cr_loop *loop, int timeout_ms)
{
    if (loop->stepping)
        return; /* called from a callback: the outer step continues afterwards */
    loop->batch_len = epoll_wait(loop->epoll_fd, loop->batch, CR_LOOP_BATCH, timeout_ms);
    loop->stepping = true;
    for (int i = 0; i < loop->batch_len; i++) {
        struct cr_watch *watch = loop->batch[i].data.ptr;

        if (!watch)
            continue;
        begin_turn(loop, watch->name);
        watch->ready(watch, loop->batch[i].events);
        end_turn(loop);
        run_timers(loop);
    }
    loop->batch_len = 0;
    run_tasks(loop);
    run_one_busy_task(loop);
    loop->stepping = false;
    if (loop->tasks.first || loop->busy.first)
        cr_loop_wake(loop);
}
