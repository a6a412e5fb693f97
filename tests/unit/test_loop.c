/* test_loop.c - the event loop: watches, timers, tasks, and callbacks that change them. */
#include "tap.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/loop.h"

#define MANY 1000
#define FIFTY_THOUSAND 50000

static struct cr_loop loop;
static int order[MANY + 16]; /* the numbers of the callbacks, as they were called */
static size_t calls;

static bool start(void)
{
    calls = 0;
    return cr_loop_init(&loop, NULL) == 0;
}

static bool called(size_t count, const int *who)
{
    return calls == count && memcmp(order, who, count * sizeof(*who)) == 0;
}
#define CALLED(...) called(sizeof((int[]){__VA_ARGS__}) / sizeof(int), (const int[]){__VA_ARGS__})

/* Steps until |count| callbacks were made, or none came within a second. */
static void step_until(size_t count)
{
    int64_t end = cr_loop_now() + 1000000;

    while (calls < count && cr_loop_now() < end)
        cr_loop_step(&loop, 100);
    cr_loop_step(&loop, 0);
}

/* --- timers ------------------------------------------------------------------------------- */

struct ticker {
    struct cr_timer timer;
    int number;
    void (*then)(struct ticker *t);
};

static struct ticker tickers[MANY];

static void tick(struct cr_timer *timer)
{
    struct ticker *t = cr_container(timer, struct ticker, timer);

    if (calls < sizeof(order) / sizeof(order[0]))
        order[calls++] = t->number;
    if (t->then)
        t->then(t);
}

static void set(int number, int64_t when_us, void (*then)(struct ticker *t))
{
    struct ticker *t = &tickers[number];

    *t = (struct ticker){{.when_us = -1, .due = tick}, number, then};
    cr_loop_set(&loop, &t->timer, when_us);
}

TEST(timers_come_in_the_order_of_their_times)
{
    int64_t now = cr_loop_now();

    CHECK(start());
    set(1, now + 3000, NULL);
    set(2, now + 1000, NULL);
    set(3, now + 2000, NULL);
    step_until(3);
    CHECK(CALLED(2, 3, 1));
    cr_loop_clear(&loop);
}

TEST(equal_times_come_in_the_order_of_setting)
{
    int64_t when = cr_loop_now() + 1000;

    CHECK(start());
    for (int i = 0; i < 5; i++)
        set(i, when, NULL);
    step_until(5);
    CHECK(CALLED(0, 1, 2, 3, 4));
    cr_loop_clear(&loop);
}

TEST(a_timer_does_not_come_before_its_time)
{
    int64_t when;

    CHECK(start());
    when = cr_loop_now() + 5000;
    set(1, when, NULL);
    cr_loop_step(&loop, 0);
    CHECK(calls == 0 || cr_loop_now() >= when);
    step_until(1);
    CHECK(CALLED(1) && cr_loop_now() >= when);
    cr_loop_clear(&loop);
}

TEST(time_zero_and_the_past_are_due_at_once)
{
    CHECK(start());
    set(1, 1, NULL);
    set(0, 0, NULL);
    step_until(2);
    CHECK(CALLED(0, 1));
    cr_loop_clear(&loop);
}

TEST(a_timer_comes_once_and_may_be_set_again)
{
    CHECK(start());
    set(1, 0, NULL);
    step_until(2);
    CHECK(CALLED(1) && tickers[1].timer.when_us == -1);
    cr_loop_set(&loop, &tickers[1].timer, 0);
    step_until(2);
    CHECK(CALLED(1, 1));
    cr_loop_clear(&loop);
}

TEST(an_unset_timer_does_not_come)
{
    CHECK(start());
    set(1, 0, NULL);
    set(2, 0, NULL);
    cr_loop_unset(&loop, &tickers[1].timer);
    cr_loop_unset(&loop, &tickers[1].timer);
    step_until(2);
    CHECK(CALLED(2));
    cr_loop_clear(&loop);
}

TEST(setting_replaces_the_earlier_time)
{
    int64_t now = cr_loop_now();

    CHECK(start());
    set(1, 0, NULL);
    set(2, now + 1000, NULL);
    cr_loop_set(&loop, &tickers[1].timer, now + 2000);
    step_until(2);
    CHECK(CALLED(2, 1));
    set(1, now + 60000000, NULL);
    cr_loop_set(&loop, &tickers[1].timer, 0);
    step_until(3);
    CHECK(CALLED(2, 1, 1));
    cr_loop_clear(&loop);
}

static void set_2_now(struct ticker *t)
{
    (void)t;
    set(2, 0, NULL);
}

static void unset_2(struct ticker *t)
{
    (void)t;
    cr_loop_unset(&loop, &tickers[2].timer);
}

static void move_2_back(struct ticker *t)
{
    (void)t;
    cr_loop_set(&loop, &tickers[2].timer, cr_loop_now() + 2000);
}

static void set_itself_again(struct ticker *t)
{
    if (calls < 3)
        cr_loop_set(&loop, &t->timer, cr_loop_now() + 100);
}

TEST(a_callback_sets_another_timer)
{
    CHECK(start());
    set(1, 0, set_2_now);
    step_until(2);
    CHECK(CALLED(1, 2));
    cr_loop_clear(&loop);
}

TEST(a_callback_unsets_another_timer_that_is_due_too)
{
    CHECK(start());
    set(1, 0, unset_2);
    set(2, 0, NULL);
    set(3, 0, NULL);
    step_until(3);
    CHECK(CALLED(1, 3));
    cr_loop_clear(&loop);
}

TEST(a_callback_moves_another_timer_that_is_due_too)
{
    CHECK(start());
    set(1, 0, move_2_back);
    set(2, 0, NULL);
    set(3, 0, NULL);
    step_until(3);
    CHECK(CALLED(1, 3, 2));
    cr_loop_clear(&loop);
}

TEST(a_callback_sets_itself_again)
{
    CHECK(start());
    set(1, 0, set_itself_again);
    step_until(3);
    CHECK(CALLED(1, 1, 1));
    cr_loop_clear(&loop);
}

static void free_itself(struct ticker *t)
{
    free(t);
}

TEST(a_callback_may_free_its_timer)
{
    struct ticker *t;

    CHECK(start());
    t = malloc(sizeof(*t));
    CHECK(t);
    *t = (struct ticker){{.when_us = -1, .due = tick}, 9, free_itself};
    cr_loop_set(&loop, &t->timer, 0);
    step_until(1);
    CHECK(CALLED(9));
    cr_loop_clear(&loop);
}

TEST(a_thousand_timers_come_in_order)
{
    CHECK(start());
    /* 7 and 1000 have no common factor, so every timer is set once */
    for (int i = 0; i < MANY; i++)
        set(i * 7 % MANY, 1 + i * 7 % MANY, NULL);
    step_until(MANY);
    CHECK(calls == MANY);
    for (int i = 0; i < MANY; i++)
        CHECK(order[i] == i);
    cr_loop_clear(&loop);
}

static int64_t cpu_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Returns the CPU time that many changes take beside |count| timers that wait. */
static int64_t time_changes_beside(int count)
{
    static struct cr_timer others[FIFTY_THOUSAND];
    struct cr_timer mine = {.when_us = -1};
    int64_t begin, far = cr_loop_now() + 3600000000;

    if (!start())
        return -1;
    for (int i = 0; i < count; i++) {
        others[i] = (struct cr_timer){.when_us = -1};
        cr_loop_set(&loop, &others[i], far + i);
    }
    begin = cpu_us();
    for (int i = 0; i < MANY; i++) {
        cr_loop_set(&loop, &mine, far - 1);
        cr_loop_unset(&loop, &mine);
        cr_loop_set(&loop, &others[i % count], far + count + i);
    }
    begin = cpu_us() - begin;
    cr_loop_clear(&loop);
    return begin;
}

/* A search through all timers would take thousands of times as long. */
TEST(fifty_thousand_timers_that_wait_do_not_slow_down_the_others)
{
    int64_t few = time_changes_beside(10), many = time_changes_beside(FIFTY_THOUSAND);

    (void)printf("# beside 10: %lld us; beside %d: %lld us\n", (long long)few, FIFTY_THOUSAND,
                 (long long)many);
    CHECK(few >= 0 && many < 500 * (few + 1));
}

TEST(the_descriptor_is_readable_when_a_timer_is_due)
{
    struct pollfd fd;

    CHECK(start());
    fd = (struct pollfd){.fd = cr_loop_fd(&loop), .events = POLLIN};
    CHECK(poll(&fd, 1, 0) == 0);
    set(1, cr_loop_now() + 2000, NULL);
    CHECK(poll(&fd, 1, 1000) == 1 && fd.revents == POLLIN);
    cr_loop_step(&loop, 0);
    CHECK(CALLED(1));
    CHECK(poll(&fd, 1, 0) == 0);
    cr_loop_clear(&loop);
}

TEST(a_timer_that_was_unset_is_not_called_and_the_descriptor_soon_quiet)
{
    struct pollfd fd;

    CHECK(start());
    fd = (struct pollfd){.fd = cr_loop_fd(&loop), .events = POLLIN};
    set(1, 0, NULL);
    CHECK(poll(&fd, 1, 1000) == 1);
    cr_loop_unset(&loop, &tickers[1].timer);
    cr_loop_step(&loop, 0);
    CHECK(calls == 0 && poll(&fd, 1, 0) == 0);
    cr_loop_clear(&loop);
}

/* --- tasks -------------------------------------------------------------------------------- */

struct numbered_task {
    struct cr_task task;
    int number;
    struct cr_task *then;
};

static void task_runs(struct cr_task *task)
{
    struct numbered_task *t = (struct numbered_task *)task;

    order[calls++] = t->number;
    CHECK(cr_loop_is_stepping(&loop));
    if (t->then)
        cr_loop_defer(&loop, t->then);
}

TEST(tasks_run_in_order_once_and_wake_the_loop)
{
    struct numbered_task one = {{.run = task_runs}, 1, NULL}, two = {{.run = task_runs}, 2, NULL};
    struct pollfd fd;

    CHECK(start());
    fd = (struct pollfd){.fd = cr_loop_fd(&loop), .events = POLLIN};
    cr_loop_defer(&loop, &one.task);
    cr_loop_defer(&loop, &two.task);
    cr_loop_defer(&loop, &one.task);
    CHECK(calls == 0 && poll(&fd, 1, 0) == 1);
    cr_loop_step(&loop, 0);
    CHECK(CALLED(1, 2) && poll(&fd, 1, 0) == 0);
    cr_loop_clear(&loop);
}

TEST(a_task_that_defers_itself_does_not_keep_a_step_from_ending)
{
    struct numbered_task again = {{.run = task_runs}, 3, NULL};

    CHECK(start());
    again.then = &again.task;
    cr_loop_defer(&loop, &again.task);
    cr_loop_step(&loop, 0);
    CHECK(CALLED(3));
    cr_loop_step(&loop, 0);
    CHECK(CALLED(3, 3));
    cr_loop_forget(&loop, &again.task);
    cr_loop_step(&loop, 0);
    CHECK(CALLED(3, 3));
    cr_loop_clear(&loop);
}

TEST(a_task_that_is_done_at_once_is_so_outside_of_a_step)
{
    struct numbered_task two = {{.run = task_runs}, 2, NULL},
                         one = {{.run = task_runs}, 1, &two.task};

    CHECK(start());
    cr_loop_do(&loop, &one.task);
    CHECK(CALLED(1));
    cr_loop_step(&loop, 0);
    CHECK(CALLED(1, 2));
    cr_loop_forget(&loop, &two.task);
    cr_loop_clear(&loop);
}

TEST(a_wake_makes_the_descriptor_readable_until_the_next_step)
{
    struct pollfd fd;

    CHECK(start());
    fd = (struct pollfd){.fd = cr_loop_fd(&loop), .events = POLLIN};
    cr_loop_wake(&loop);
    cr_loop_wake(&loop);
    CHECK(poll(&fd, 1, 0) == 1);
    cr_loop_step(&loop, 0);
    CHECK(poll(&fd, 1, 0) == 0);
    cr_loop_clear(&loop);
}

/* --- watches ------------------------------------------------------------------------------ */

struct pipe_watch {
    struct cr_watch watch;
    int number;
    int write_end;
    void (*then)(struct pipe_watch *w);
};

static struct pipe_watch watches[3];

static void readable(struct cr_watch *watch, uint32_t events)
{
    struct pipe_watch *w = cr_container(watch, struct pipe_watch, watch);

    (void)events;
    if (calls < sizeof(order) / sizeof(order[0]))
        order[calls++] = w->number;
    if (w->then)
        w->then(w);
}

/* A pipe that has a byte to read. */
static bool watch(int number, void (*then)(struct pipe_watch *w))
{
    struct pipe_watch *w = &watches[number];
    int ends[2];

    if (pipe(ends) < 0 || write(ends[1], "x", 1) != 1)
        return false;
    *w = (struct pipe_watch){{.fd = ends[0], .ready = readable}, number, ends[1], then};
    return cr_loop_add(&loop, &w->watch, EPOLLIN, NULL) == 0;
}

static void unwatch(struct pipe_watch *w)
{
    cr_loop_remove(&loop, &w->watch);
    (void)close(w->watch.fd);
    (void)close(w->write_end);
    w->watch.fd = -1;
}

static void unwatch_all(void)
{
    for (int i = 0; i < 3; i++)
        if (watches[i].watch.fd > 0)
            unwatch(&watches[i]);
    memset(watches, 0, sizeof(watches));
}

static void unwatch_the_others(struct pipe_watch *w)
{
    for (int i = 0; i < 3; i++)
        if (w != &watches[i])
            unwatch(&watches[i]);
}

TEST(a_watch_is_called_while_there_is_something)
{
    char byte;

    CHECK(start() && watch(1, NULL));
    cr_loop_step(&loop, 0);
    cr_loop_step(&loop, 0);
    CHECK(CALLED(1, 1));
    CHECK(read(watches[1].watch.fd, &byte, 1) == 1);
    cr_loop_step(&loop, 0);
    CHECK(calls == 2);
    unwatch_all();
    cr_loop_clear(&loop);
}

TEST(a_callback_removes_other_watches_of_the_same_batch)
{
    CHECK(start());
    for (int i = 0; i < 3; i++)
        CHECK(watch(i, unwatch_the_others));
    cr_loop_step(&loop, 0);
    CHECK(calls == 1);
    cr_loop_step(&loop, 0);
    CHECK(calls == 2 && order[0] == order[1]);
    unwatch_all();
    cr_loop_clear(&loop);
}

TEST(a_callback_removes_itself)
{
    CHECK(start() && watch(0, unwatch) && watch(1, unwatch));
    cr_loop_step(&loop, 0);
    cr_loop_step(&loop, 0);
    CHECK(calls == 2 && order[0] != order[1]);
    unwatch_all();
    cr_loop_clear(&loop);
}

static void remove_watch_1(struct ticker *t)
{
    (void)t;
    unwatch(&watches[1]);
}

TEST(a_timer_removes_a_watch_of_the_same_batch)
{
    struct pollfd timer;

    CHECK(start());
    set(7, 0, remove_watch_1);
    timer = (struct pollfd){.fd = loop.clock.fd, .events = POLLIN};
    CHECK(poll(&timer, 1, 1000) == 1);
    CHECK(watch(1, NULL));
    cr_loop_step(&loop, 0);
    cr_loop_step(&loop, 0);
    /* the kernel may report either first */
    CHECK(CALLED(7) || CALLED(1, 7));
    unwatch_all();
    cr_loop_clear(&loop);
}

TEST(what_is_waited_for_can_be_changed)
{
    CHECK(start() && watch(1, NULL));
    cr_loop_change(&loop, &watches[1].watch, 0);
    cr_loop_step(&loop, 0);
    CHECK(calls == 0);
    cr_loop_change(&loop, &watches[1].watch, EPOLLIN);
    cr_loop_step(&loop, 0);
    CHECK(CALLED(1));
    unwatch_all();
    cr_loop_clear(&loop);
}

TEST(a_descriptor_that_is_not_open_is_refused_with_words)
{
    struct cr_watch w = {.fd = -1, .ready = readable};
    struct cr_err err = {0};

    CHECK(start());
    CHECK(cr_loop_add(&loop, &w, EPOLLIN, &err) == CAPRUN_E_SYS && err.text[0]);
    cr_loop_remove(&loop, &w);
    cr_loop_clear(&loop);
    cr_loop_clear(&loop);
}

TEST(more_watches_than_a_batch_all_get_their_turn)
{
    static struct pipe_watch many[CR_LOOP_BATCH * 2];
    const int count = CR_LOOP_BATCH * 2;
    bool seen[CR_LOOP_BATCH * 2] = {false};

    CHECK(start());
    for (int i = 0; i < count; i++) {
        int ends[2];

        CHECK(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
        many[i] = (struct pipe_watch){{.fd = ends[0], .ready = readable}, i, ends[1], NULL};
        CHECK(cr_loop_add(&loop, &many[i].watch, EPOLLIN, NULL) == 0);
    }
    for (int i = 0; i < 4; i++)
        cr_loop_step(&loop, 0);
    for (size_t i = 0; i < calls; i++)
        seen[order[i]] = true;
    for (int i = 0; i < count; i++) {
        CHECK(seen[i]);
        unwatch(&many[i]);
    }
    cr_loop_clear(&loop);
}

/* --- turns ------------------------------------------------------------------------------------ */

static int told, worked;

static void tell(struct cr_task *task)
{
    (void)task;
    told = worked;
}

static struct cr_task telling = {.run = tell, .name = "telling"};

static void work(struct cr_task *task)
{
    (void)task;
    worked++;
    cr_loop_defer(&loop, &telling);
}

TEST(a_step_does_one_busy_task_and_what_that_has_to_tell)
{
    struct cr_task first = {.run = work, .name = "first"}, second = {.run = work, .name = "second"};

    CHECK(cr_loop_init(&loop, NULL) == 0);
    cr_loop_defer_busy(&loop, &first);
    cr_loop_defer_busy(&loop, &second);
    cr_loop_step(&loop, 1000);
    CHECK(worked == 1 && told == 1);
    cr_loop_step(&loop, 1000); /* does not wait, because more work is ready */
    CHECK(worked == 2 && told == 2 && !loop.busy.first && !loop.tasks.first);
    cr_loop_clear(&loop);
}

/* Four descriptors are ready at once; the callback of the first makes a timer due. */
static struct cr_timer late;
static int events_before_timer, events_seen;

static void timer_is_late(struct cr_timer *timer)
{
    (void)timer;
    events_before_timer = events_seen;
}

static void take_long(struct cr_watch *watch, uint32_t events)
{
    (void)events;
    cr_loop_remove(&loop, watch);
    if (events_seen++ == 0)
        cr_loop_set(&loop, &late, cr_loop_now() - 1);
}

TEST(a_timer_that_is_due_comes_between_two_events_of_a_batch)
{
    struct cr_watch long_ones[4];
    int ends[2];

    CHECK(cr_loop_init(&loop, NULL) == 0 && pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    late = (struct cr_timer){.when_us = -1, .due = timer_is_late, .name = "late"};
    events_seen = events_before_timer = 0;
    for (int i = 0; i < 4; i++) {
        long_ones[i] = (struct cr_watch){.fd = dup(ends[0]), .ready = take_long, .name = "long"};
        CHECK(long_ones[i].fd >= 0 && cr_loop_add(&loop, &long_ones[i], EPOLLIN, NULL) == 0);
    }
    cr_loop_step(&loop, 1000);
    CHECK(events_seen == 4 && events_before_timer == 1);
    for (int i = 0; i < 4; i++)
        (void)close(long_ones[i].fd);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    cr_loop_clear(&loop);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
