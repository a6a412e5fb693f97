/*
 * helper.h - helper threads for work that must not block the loop: waiting for a disk, and long
 * computations that cannot be split into turns.
 *
 * A job owns all data that its work touches. The loop's thread submits it; the helper calls work();
 * the loop calls done() in a later step. Each loop has four helpers, |helper| for computations,
 * |disk| for jobs that wait for a disk, |slow| for jobs that may take seconds, and |rules| for
 * conditions of rules, so that none delays the others. A helper's thread starts with its first job.
 * It handles no signals.
 *
 * Jobs have classes by the number of bytes that they work on: up to 64 KiB, up to 128 KiB, and so
 * on. The smallest class comes first, so that a run with little data does not wait for runs with
 * much. In a class, jobs run in order. A class that was passed over eight times is next.
 *
 *     cr_helper_submit() --> work(), in the helper --> done(), in the loop
 *            |                                            ^ not after cr_helper_abandon()
 *            +-- cr_helper_abandon() --> discard(), when work() is not running
 */
#ifndef CR_HELPER_H
#define CR_HELPER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The helper does not free memory of fewer bytes: to wake it costs more than to free that here. */
#define CR_HELPER_WORTH (128u << 10)
#define CR_HELPER_CLASSES 12 /* classes of jobs; the last has all jobs over 64 MiB */

struct cr_loop;

enum cr_job_state { CR_JOB_IDLE, CR_JOB_QUEUED, CR_JOB_WORKING, CR_JOB_WORKED };

/* A member of its owner's struct. */
struct cr_job {
    void (*work)(struct cr_job *job);
    void (*done)(struct cr_job *job);    /* the job is idle: it may be submitted again, or freed */
    void (*discard)(struct cr_job *job); /* frees the job; may be called in either thread */
    const char *name;
    size_t bytes; /* that the job works on, roughly; 0: few */

    _Atomic enum cr_job_state state;
    _Atomic bool abandoned;    /* nobody needs the result any more: a long job stops */
    struct cr_job *next, **at; /* the next job in the queue, and the pointer to this one */
};

/* Data that jobs keep in their helper for later jobs: a member of a struct of its owner. */
struct cr_helper_data {
    void (*discard)(struct cr_helper_data *kept);
};

struct cr_job_queue {
    struct cr_job *first, **last;
};

/* Part of the loop. */
struct cr_helper {
    struct cr_loop *loop;
    bool has_thread;
    bool is_threadless; /* for fuzzers: the order of events is always the same; and for programs in
                           which nothing else has to wait */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t news; /* there is a job, or the thread has to end */
    struct cr_job_queue todo[CR_HELPER_CLASSES], worked;
    unsigned passed_over[CR_HELPER_CLASSES]; /* how often, since the last job of that class */
    struct cr_garbage *garbage;              /* memory to be freed, between jobs */
    bool ends;
    struct cr_helper_data *kept; /* for work() only; discarded when the helper ends; or NULL */
};

/*
 * Starts the thread, if it is not running yet. Returns whether it is running. Call this before
 * starting a program that could use up all the threads of this user.
 */
bool cr_helper_start(struct cr_helper *helper);

/*
 * Submits |job|, which must be idle; starts the thread if necessary. If no thread can be started,
 * work() runs in this call; done() is still called by a later step.
 */
void cr_helper_submit(struct cr_helper *helper, struct cr_job *job);

/*
 * Cancels |job|: discard() is called instead of done(), now or when work() has returned. An idle
 * job is discarded at once. Does nothing for NULL.
 */
void cr_helper_abandon(struct cr_helper *helper, struct cr_job *job);

/*
 * Frees |memory|, which is from malloc() and has at least |size| bytes. The helper frees it if it
 * is large: giving hundreds of megabytes back to the kernel takes tens of milliseconds, in one
 * piece or in many.
 */
void cr_helper_free(struct cr_helper *helper, void *memory, size_t size);

/* For the loop. */
void cr_helper_init(struct cr_helper *helper, struct cr_loop *loop);

/* For the loop: calls done() for finished jobs. */
void cr_helper_deliver(struct cr_helper *helper);

/* For the loop: works on the queued jobs, discards all jobs, and ends the thread. */
void cr_helper_clear(struct cr_helper *helper);

#endif
