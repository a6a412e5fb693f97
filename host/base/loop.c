/* loop.c - epoll, one timerfd, and a sorted ring of timers. */
#include "base/loop.h"

#include <stddef.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int64_t cr_loop_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Sets the timerfd to the earliest timer, if that has changed. */
static void arm(struct cr_loop *loop)
{
    const struct cr_timer *first = loop->timers.next;
    int64_t when = first == &loop->timers ? -1 : first->when_us;
    struct itimerspec spec = {{0, 0}, {0, 0}};

    if (when == loop->armed_us)
        return;
    loop->armed_us = when;
    if (when >= 0) {
        /* a time of zero would disarm it */
        int64_t at = when > 0 ? when : 1;

        spec.it_value.tv_sec = at / 1000000;
        spec.it_value.tv_nsec = at % 1000000 * 1000;
    }
    (void)timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

void cr_loop_unset(struct cr_loop *loop, struct cr_timer *timer)
{
    if (timer->when_us < 0)
        return;
    timer->prev->next = timer->next;
    timer->next->prev = timer->prev;
    timer->when_us = -1;
    arm(loop);
}

void cr_loop_set(struct cr_loop *loop, struct cr_timer *timer, int64_t when_us)
{
    struct cr_timer *after = loop->timers.prev;

    if (when_us < 0)
        when_us = 0; /* long ago; a negative time means that it is not set */
    if (timer->when_us == when_us)
        return;
    if (timer->when_us >= 0) {
        timer->prev->next = timer->next;
        timer->next->prev = timer->prev;
        after = loop->timers.prev;
    }
    while (after != &loop->timers && after->when_us > when_us)
        after = after->prev;
    timer->when_us = when_us;
    timer->prev = after;
    timer->next = after->next;
    after->next->prev = timer;
    after->next = timer;
    arm(loop);
}

static void clock_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_loop *loop = cr_container(watch, struct cr_loop, clock);
    uint64_t expirations;
    int64_t now = cr_loop_now();

    (void)events;
    (void)!read(loop->timer_fd, &expirations, sizeof(expirations));
    loop->armed_us = -1;
    while (loop->timers.next != &loop->timers && loop->timers.next->when_us <= now) {
        struct cr_timer *timer = loop->timers.next;

        cr_loop_unset(loop, timer);
        timer->due(timer);
    }
    arm(loop);
}

int cr_loop_init(struct cr_loop *loop, struct cr_err *err)
{
    memset(loop, 0, sizeof(*loop));
    loop->timers.next = loop->timers.prev = &loop->timers;
    loop->armed_us = -1;
    loop->clock.ready = clock_ready;
    loop->timer_fd = -1;
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll_fd < 0)
        return cr_err_sys(err, "epoll_create1");
    loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (loop->timer_fd < 0)
        return cr_err_sys(err, "timerfd_create");
    loop->clock.fd = loop->timer_fd;
    return cr_loop_add(loop, &loop->clock, EPOLLIN, err);
}

void cr_loop_clear(struct cr_loop *loop)
{
    if (loop->timer_fd >= 0)
        (void)close(loop->timer_fd);
    if (loop->epoll_fd >= 0)
        (void)close(loop->epoll_fd);
    loop->timer_fd = loop->epoll_fd = -1;
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
    /* what was already reported of it is not delivered any more */
    for (int i = 0; i < loop->batch_len; i++)
        if (loop->batch[i].data.ptr == watch)
            loop->batch[i].data.ptr = NULL;
}

int cr_loop_is_stepping(const struct cr_loop *loop)
{
    return loop->batch_len > 0;
}

void cr_loop_step(struct cr_loop *loop, int timeout_ms)
{
    if (cr_loop_is_stepping(loop))
        return; /* called from a callback: the step that called it goes on after it */
    loop->batch_len = epoll_wait(loop->epoll_fd, loop->batch, CR_LOOP_BATCH, timeout_ms);
    for (int i = 0; i < loop->batch_len; i++) {
        struct cr_watch *watch = loop->batch[i].data.ptr;

        if (watch)
            watch->ready(watch, loop->batch[i].events);
    }
    loop->batch_len = 0;
}
