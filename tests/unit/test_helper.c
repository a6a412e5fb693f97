/* test_helper.c - jobs on the helper threads: order, discarding, and a thread that cannot start. */
#include "tap.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "base/loop.h"

static struct cr_loop loop;
static bool has_no_threads;

/* Calls the library's pthread_create(), or fails if the test wants no thread. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    return has_no_threads || !next ? EAGAIN : next(thread, attr, start, arg);
}

/* --- jobs that count what happens to them ----------------------------------------------------- */

struct counted {
    struct cr_job job;
    int worked, done, discarded;
    char name;
    sem_t *waits_for; /* before its work, or NULL */
    sem_t *tells;     /* posted when its work has begun, or NULL */
};

static char order[64];

static void note(char what)
{
    size_t len = strlen(order);

    if (len + 1 < sizeof(order))
        order[len] = what;
}

static struct counted *of(struct cr_job *job)
{
    return cr_container(job, struct counted, job);
}

static void work(struct cr_job *job)
{
    struct counted *c = of(job);

    if (c->tells)
        (void)sem_post(c->tells);
    if (c->waits_for)
        (void)sem_wait(c->waits_for);
    c->worked++;
}

static void done(struct cr_job *job)
{
    of(job)->done++;
    note(of(job)->name);
}

static void discard(struct cr_job *job)
{
    of(job)->discarded++;
}

static struct counted counted(char name)
{
    return (struct counted){.job = {.work = work, .done = done, .discard = discard, .name = "test"},
                            .name = name};
}

static bool begin(void)
{
    memset(order, 0, sizeof(order));
    has_no_threads = false;
    return cr_loop_init(&loop, NULL) == 0;
}

static void step_until(const int *count, int wanted)
{
    while (*count < wanted)
        cr_loop_step(&loop, 1000);
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(jobs_are_worked_on_and_done_in_their_order)
{
    struct counted a = counted('a'), b = counted('b'), c = counted('c');

    CHECK(begin());
    cr_helper_submit(&loop.helper, &a.job);
    cr_helper_submit(&loop.helper, &b.job);
    cr_helper_submit(&loop.helper, &c.job);
    CHECK(!a.done && !b.done && !c.done); /* |done| is called in a step only */
    step_until(&c.done, 1);
    CHECK(strcmp(order, "abc") == 0 && a.worked == 1 && !a.discarded);
    cr_loop_clear(&loop);
    CHECK(a.done == 1 && !a.discarded && !c.discarded);
}

TEST(long_jobs_come_after_the_others_but_not_never)
{
    struct counted first = counted('f'), longs[2] = {counted('L'), counted('M')}, shorts[20];
    sem_t may_end, has_begun;

    CHECK(begin() && sem_init(&may_end, 0, 0) == 0 && sem_init(&has_begun, 0, 0) == 0);
    first.waits_for = &may_end;
    first.tells = &has_begun;
    cr_helper_submit(&loop.disk, &first.job);
    CHECK(sem_wait(&has_begun) == 0);
    for (int i = 0; i < 2; i++) {
        longs[i].job.bytes = 1u << 20;
        cr_helper_submit(&loop.disk, &longs[i].job);
    }
    for (int i = 0; i < 20; i++) {
        shorts[i] = counted((char)('a' + i));
        cr_helper_submit(&loop.disk, &shorts[i].job);
    }
    CHECK(sem_post(&may_end) == 0);
    step_until(&shorts[19].done, 1);
    CHECK(strcmp(order, "fabcdefghLijklmnopMqrst") == 0);
    cr_loop_clear(&loop);
    (void)sem_destroy(&may_end);
    (void)sem_destroy(&has_begun);
}

TEST(jobs_with_fewer_bytes_come_first)
{
    struct counted first = counted('f'),
                   jobs[4] = {counted('l'), counted('m'), counted('s'), counted('t')};
    static const size_t bytes[] = {64u << 20, 1000000, 100000, 65536};
    sem_t may_end, has_begun;

    CHECK(begin() && sem_init(&may_end, 0, 0) == 0 && sem_init(&has_begun, 0, 0) == 0);
    first.waits_for = &may_end;
    first.tells = &has_begun;
    cr_helper_submit(&loop.disk, &first.job);
    CHECK(sem_wait(&has_begun) == 0);
    for (int i = 0; i < 4; i++) {
        jobs[i].job.bytes = bytes[i];
        cr_helper_submit(&loop.disk, &jobs[i].job);
    }
    CHECK(sem_post(&may_end) == 0);
    step_until(&jobs[0].done, 1);
    CHECK(strcmp(order, "ftsml") == 0);
    cr_loop_clear(&loop);
    (void)sem_destroy(&may_end);
    (void)sem_destroy(&has_begun);
}

TEST(a_job_that_waits_for_its_disk_delays_no_computation)
{
    struct counted slow = counted('s'), fast = counted('f');
    sem_t may_end;

    CHECK(begin() && sem_init(&may_end, 0, 0) == 0);
    slow.waits_for = &may_end;
    cr_helper_submit(&loop.disk, &slow.job);
    cr_helper_submit(&loop.helper, &fast.job);
    step_until(&fast.done, 1);
    CHECK(!slow.done && sem_post(&may_end) == 0);
    step_until(&slow.done, 1);
    CHECK(strcmp(order, "fs") == 0);
    cr_loop_clear(&loop);
    (void)sem_destroy(&may_end);
}

TEST(an_abandoned_job_is_discarded_once_and_never_done)
{
    struct counted working = counted('w'), queued = counted('q'), last = counted('l');
    sem_t may_end, has_begun;

    CHECK(begin() && sem_init(&may_end, 0, 0) == 0 && sem_init(&has_begun, 0, 0) == 0);
    working.waits_for = &may_end;
    working.tells = &has_begun;
    cr_helper_submit(&loop.helper, &working.job);
    cr_helper_submit(&loop.helper, &queued.job);
    CHECK(sem_wait(&has_begun) == 0);
    cr_helper_abandon(&loop.helper, &queued.job);
    CHECK(queued.discarded == 1 && !queued.worked);
    cr_helper_abandon(&loop.helper, &working.job);
    CHECK(!working.discarded); /* the helper still uses its data */
    CHECK(sem_post(&may_end) == 0);
    cr_helper_submit(&loop.helper, &last.job);
    step_until(&last.done, 1);
    CHECK(working.worked == 1 && working.discarded == 1 && !working.done && !queued.done);
    cr_helper_abandon(&loop.helper, NULL);
    cr_loop_clear(&loop);
    CHECK(strcmp(order, "l") == 0 && working.discarded == 1 && queued.discarded == 1);
    (void)sem_destroy(&may_end);
    (void)sem_destroy(&has_begun);
}

TEST(a_job_that_was_worked_on_can_still_be_abandoned)
{
    struct counted a = counted('a'), b = counted('b');
    sem_t has_begun;

    CHECK(begin() && sem_init(&has_begun, 0, 0) == 0);
    b.tells = &has_begun;
    cr_helper_submit(&loop.helper, &a.job);
    cr_helper_submit(&loop.helper, &b.job);
    CHECK(sem_wait(&has_begun) == 0); /* so the work of |a| is complete */
    cr_helper_abandon(&loop.helper, &a.job);
    CHECK(a.worked == 1 && a.discarded == 1);
    step_until(&b.done, 1);
    CHECK(!a.done);
    cr_loop_clear(&loop);
    (void)sem_destroy(&has_begun);
}

TEST(at_the_end_of_the_loop_what_is_queued_is_worked_on_and_discarded)
{
    struct counted a = counted('a'), b = counted('b');

    CHECK(begin());
    cr_helper_submit(&loop.disk, &a.job);
    cr_helper_submit(&loop.disk, &b.job);
    cr_loop_clear(&loop);
    CHECK(a.worked == 1 && b.worked == 1 && a.discarded == 1 && b.discarded == 1);
    CHECK(!a.done && !b.done);
}

TEST(without_a_thread_a_job_is_worked_on_at_once_and_done_in_a_step)
{
    struct counted a = counted('a'), b = counted('b');

    CHECK(begin());
    has_no_threads = true;
    cr_helper_submit(&loop.helper, &a.job);
    CHECK(a.worked == 1 && !a.done);
    step_until(&a.done, 1);
    cr_helper_submit(&loop.helper, &b.job);
    CHECK(b.worked == 1 && !b.done && !loop.helper.has_thread);
    cr_loop_clear(&loop);
    CHECK(b.discarded == 1 && !b.done && !a.discarded);
    cr_loop_clear(&loop); /* clearing twice is harmless */
}

TEST(a_thread_that_could_not_be_started_is_started_for_the_next_job)
{
    struct counted a = counted('a'), b = counted('b');

    CHECK(begin());
    has_no_threads = true;
    CHECK(!cr_helper_start(&loop.helper));
    cr_helper_submit(&loop.helper, &a.job);
    has_no_threads = false;
    CHECK(cr_helper_start(&loop.helper) && cr_helper_start(&loop.helper));
    cr_helper_submit(&loop.helper, &b.job);
    step_until(&b.done, 1);
    CHECK(strcmp(order, "ab") == 0);
    cr_loop_clear(&loop);
    CHECK(!cr_helper_start(&loop.helper));
}

/* A discarded job may submit another job: a recorder removes its blobs that way. */
static struct counted after;

static void submit_another(struct cr_job *job)
{
    discard(job);
    cr_helper_submit(&loop.disk, &after.job);
}

TEST(a_job_that_is_submitted_while_the_loop_ends_is_not_lost)
{
    struct counted first = counted('f');

    CHECK(begin());
    after = counted('a');
    first.job.discard = submit_another;
    cr_helper_submit(&loop.disk, &first.job);
    cr_loop_clear(&loop);
    CHECK(first.discarded == 1 && after.worked == 1 && after.discarded == 1 && !after.done);
}

/* The layout of struct cr_garbage in helper.c: |next| comes first. */
static size_t count_garbage(const void *first)
{
    size_t count = 0;

    for (const void *at = first; at; at = *(const void *const *)at)
        count++;
    return count;
}

TEST(many_pieces_of_memory_wait_for_the_helper_and_none_is_freed_here)
{
    struct counted first = counted('a');
    sem_t begun, go;

    CHECK(begin() && sem_init(&begun, 0, 0) == 0 && sem_init(&go, 0, 0) == 0);
    first.tells = &begun;
    first.waits_for = &go;
    cr_helper_submit(&loop.helper, &first.job);
    (void)sem_wait(&begun); /* the helper is busy now */
    for (int i = 0; i < 256; i++)
        cr_helper_free(&loop.helper, malloc(1u << 20), 1u << 20);
    CHECK(count_garbage(loop.helper.garbage) == 256);
    (void)sem_post(&go);
    step_until(&first.done, 1);
    cr_loop_clear(&loop);
    CHECK(!loop.helper.garbage);
}

TEST(large_memory_is_given_back_by_the_helper_and_small_memory_at_once)
{
    size_t large = 16u << 20;
    char *memory;

    CHECK(begin());
    memory = calloc(1, large); /* a sanitizer notices if it is not freed exactly once */
    CHECK(memory);
    cr_helper_free(&loop.helper, memory, large);
    CHECK(loop.helper.has_thread);
    cr_loop_clear(&loop);
    CHECK(begin());
    memory = malloc(100);
    cr_helper_free(&loop.helper, memory, 100);
    CHECK(!loop.helper.has_thread); /* no thread for so little */
    cr_loop_clear(&loop);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
