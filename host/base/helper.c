/*
 * helper.c - runs jobs in a thread. One mutex protects the queues of waiting and of finished jobs.
 *
 * The mutex is held for a few instructions only, never while a job is worked on, so the loop
 * practically never waits for it.
 */
#include "base/helper.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/loop.h"
#include "base/watchdog.h"

#define PAGE 4096u
#define SMALL_JOB (64u << 10) /* bytes, the first class; each next class has twice as many */
#define MOST_PASSED_OVER 8u
#define DELIVER_US 2000 /* the most that done() calls take of a step; the next calls the rest */

static void append(struct cr_job_queue *queue, struct cr_job *job, enum cr_job_state state)
{
    job->state = state;
    job->next = NULL;
    job->at = queue->last;
    *queue->last = job;
    queue->last = &job->next;
}

static void take_out(struct cr_job_queue *queue, struct cr_job *job)
{
    *job->at = job->next;
    if (job->next)
        job->next->at = job->at;
    else
        queue->last = job->at;
}

static struct cr_job *take_first(struct cr_job_queue *queue)
{
    struct cr_job *job = queue->first;

    if (job)
        take_out(queue, job);
    return job;
}

static struct cr_job_queue *queue_for(struct cr_helper *h, const struct cr_job *job)
{
    int class = 0;

    while (class < CR_HELPER_CLASSES - 1 && job->bytes > (size_t)SMALL_JOB << class)
        class ++;
    return &h->todo[class];
}

/* Returns the class whose turn it is, or -1 if there are no jobs. */
static int next_class(const struct cr_helper *h)
{
    int smallest = -1;

    for (int class = CR_HELPER_CLASSES - 1; class >= 0; class --) {
        if (!h->todo[class].first)
            continue;
        if (h->passed_over[class] >= MOST_PASSED_OVER)
            return class;
        smallest = class;
    }
    return smallest;
}

static struct cr_job *take_next(struct cr_helper *h)
{
    int next = next_class(h);

    if (next < 0)
        return NULL;
    h->passed_over[next] = 0;
    for (int class = next + 1; class < CR_HELPER_CLASSES; class ++)
        h->passed_over[class] += h->todo[class].first != NULL;
    return take_first(&h->todo[next]);
}

/* Called with the mutex held; it is released while the job is worked on. */
static void work_on(struct cr_helper *h, struct cr_job *job)
{
    job->state = CR_JOB_WORKING;
    (void)pthread_mutex_unlock(&h->mutex);
    job->work(job);
    (void)pthread_mutex_lock(&h->mutex);
    if (!job->abandoned) {
        append(&h->worked, job, CR_JOB_WORKED);
        return;
    }
    (void)pthread_mutex_unlock(&h->mutex);
    job->discard(job);
    (void)pthread_mutex_lock(&h->mutex);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Written into the start of the memory that is to be freed. */
struct cr_garbage {
    struct cr_garbage *next;
    size_t size;
};

static uintptr_t round_to_page(uintptr_t address)
{
    return address & ~(uintptr_t)(PAGE - 1);
}

/* Gives the pages back without a lock: if free() did it, the loop's malloc() could have to wait. */
static void free_garbage(struct cr_garbage *g)
{
    uintptr_t first = round_to_page((uintptr_t)(g + 1) + PAGE - 1);
    uintptr_t end = round_to_page((uintptr_t)g + g->size);

    if (end > first)
        (void)madvise((void *)first, end - first, MADV_DONTNEED);
    free(g);
}

/* Called with the mutex held; it is released while memory is freed. */
static void free_first_garbage(struct cr_helper *h)
{
    struct cr_garbage *g = h->garbage;

    if (!g)
        return;
    h->garbage = g->next;
    (void)pthread_mutex_unlock(&h->mutex);
    free_garbage(g);
    (void)pthread_mutex_lock(&h->mutex);
}

/* --- the thread ------------------------------------------------------------------------------- */

static void *run_jobs(void *data)
{
    struct cr_helper *h = data;
    struct cr_job *job;

    (void)pthread_mutex_lock(&h->mutex);
    for (;;) {
        while (!(job = take_next(h)) && !h->garbage && !h->ends)
            (void)pthread_cond_wait(&h->news, &h->mutex);
        if (!job && !h->garbage)
            break;
        if (job) {
            work_on(h, job);
            if (!h->ends)
                cr_loop_wake(h->loop);
        }
        free_first_garbage(h);
    }
    (void)pthread_mutex_unlock(&h->mutex);
    return NULL;
}

/* The new thread inherits the mask: it must not handle signals of the application. */
bool cr_helper_start(struct cr_helper *h)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    if (h->has_thread || h->ends || h->is_threadless ||
        pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return h->has_thread;
    h->has_thread = pthread_create(&h->thread, NULL, run_jobs, h) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return h->has_thread;
}

void cr_helper_init(struct cr_helper *h, struct cr_loop *loop)
{
    *h = (struct cr_helper){.loop = loop};
    for (int class = 0; class < CR_HELPER_CLASSES; class ++)
        h->todo[class].last = &h->todo[class].first;
    h->worked.last = &h->worked.first;
    (void)pthread_mutex_init(&h->mutex, NULL);
    (void)pthread_cond_init(&h->news, NULL);
}

void cr_helper_submit(struct cr_helper *h, struct cr_job *job)
{
    bool has_thread = cr_helper_start(h);

    job->abandoned = false;
    (void)pthread_mutex_lock(&h->mutex);
    if (has_thread) {
        append(queue_for(h, job), job, CR_JOB_QUEUED);
        (void)pthread_cond_signal(&h->news);
    } else {
        if (h->is_threadless)
            cr_watchdog_leave(); /* the owner promises that nothing else waits for this turn */
        work_on(h, job);
        if (h->is_threadless)
            cr_watchdog_return();
        cr_loop_wake(h->loop);
    }
    (void)pthread_mutex_unlock(&h->mutex);
}

void cr_helper_abandon(struct cr_helper *h, struct cr_job *job)
{
    bool is_working;

    if (!job)
        return;
    (void)pthread_mutex_lock(&h->mutex);
    job->abandoned = true;
    is_working = job->state == CR_JOB_WORKING; /* then the helper discards it */
    if (job->state == CR_JOB_QUEUED)
        take_out(queue_for(h, job), job);
    else if (job->state == CR_JOB_WORKED)
        take_out(&h->worked, job);
    (void)pthread_mutex_unlock(&h->mutex);
    if (!is_working)
        job->discard(job);
}

void cr_helper_free(struct cr_helper *h, void *memory, size_t size)
{
    struct cr_garbage *g = memory;

    if (size < CR_HELPER_WORTH || !cr_helper_start(h)) {
        free(memory);
        return;
    }
    g->size = size;
    (void)pthread_mutex_lock(&h->mutex);
    g->next = h->garbage;
    h->garbage = g;
    (void)pthread_cond_signal(&h->news);
    (void)pthread_mutex_unlock(&h->mutex);
}

/* --- in the loop ------------------------------------------------------------------------------ */

static struct cr_job *take_worked(struct cr_helper *h)
{
    struct cr_job *job;

    (void)pthread_mutex_lock(&h->mutex);
    job = take_first(&h->worked);
    if (job)
        job->state = CR_JOB_IDLE;
    (void)pthread_mutex_unlock(&h->mutex);
    return job;
}

void cr_helper_deliver(struct cr_helper *h)
{
    int64_t end_us = cr_loop_now() + DELIVER_US;
    struct cr_job *job = NULL;

    while (cr_loop_now() < end_us && (job = take_worked(h))) {
        cr_watchdog_begin(job->name);
        job->done(job);
        cr_watchdog_end();
    }
    if (job)
        cr_loop_wake(h->loop); /* there may be more */
}

void cr_helper_clear(struct cr_helper *h)
{
    struct cr_job *job;

    if (h->ends)
        return; /* cleared already */
    (void)pthread_mutex_lock(&h->mutex);
    h->ends = true;
    (void)pthread_cond_signal(&h->news);
    (void)pthread_mutex_unlock(&h->mutex);
    if (h->has_thread)
        (void)pthread_join(h->thread, NULL);
    h->has_thread = false; /* a job that discard() submits is worked on at once */
    while ((job = take_first(&h->worked)))
        job->discard(job);
    if (h->kept)
        h->kept->discard(h->kept);
    h->kept = NULL;
    (void)pthread_cond_destroy(&h->news);
    (void)pthread_mutex_destroy(&h->mutex);
}
