/*
 * helper.h - a thread beside the loop, for work that the loop must not do: waiting for a disk, and
 * long computations that cannot be cut into turns.
 *
 * A job owns all data that its work touches. The loop's thread submits it; the helper calls work();
 * the loop calls done() in a later step. Each loop has two helpers, |helper| for computations and
 * |disk| for what waits for a disk, so that neither delays the other. A helper starts with its
 * first job. It takes no signals.
 *
 * Jobs have classes by the bytes that they work on: up to 64 KiB, up to 128 KiB, and so on. The
 * smallest class comes first, so that a run that needs little does not wait for runs that need
 * much; in a class jobs are done in their order. A class that was passed over eight times is next.
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

/* Bytes that are worth passing on: to wake the helper costs more than to free less. */
#define CR_HELPER_WORTH (128u << 10)
#define CR_HELPER_CLASSES 12 /* of jobs; the last has all over 64 MiB */

struct cr_loop;

enum cr_job_state { CR_JOB_IDLE, CR_JOB_QUEUED, CR_JOB_WORKING, CR_JOB_WORKED };

/* Part of its owner's struct. */
struct cr_job {
    void (*work)(struct cr_job *job);
    void (*done)(struct cr_job *job);    /* it is idle again: it may be submitted again, or freed */
    void (*discard)(struct cr_job *job); /* frees it; may be called in either thread */
    const char *name;
    size_t bytes; /* that it works on, about; 0: few */

    _Atomic enum cr_job_state state;
    bool abandoned;
    struct cr_job *next, **at; /* the next one in its queue, and what points to this one */
};

struct cr_job_queue {
    struct cr_job *first, **last;
};

/* Part of the loop. */
struct cr_helper {
    struct cr_loop *loop;
    bool has_thread;
    bool is_threadless; /* for fuzzers: all happens in the same order again; and where nothing else
                           goes on that would wait */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t news; /* there is a job, or the helper has to end */
    struct cr_job_queue todo[CR_HELPER_CLASSES], worked;
    unsigned passed_over[CR_HELPER_CLASSES]; /* how often, since a job of that class was done */
    struct cr_garbage *garbage;              /* memory to be freed, between jobs */
    bool ends;
};

/*
 * Starts the thread, if it is not running yet. Returns whether it is running. Call this before
 * starting a program that could use up all the threads of this user.
 */
bool cr_helper_start(struct cr_helper *helper);

/*
 * Has |job|, which is idle, done beside the loop; starts the thread if need be. If there can be
 * none, the work is done here and now; done() comes from a step all the same.
 */
void cr_helper_submit(struct cr_helper *helper, struct cr_job *job);

/*
 * The owner does not wait for |job| any more: discard() is called, now or when work() has returned,
 * instead of done(). Does nothing for NULL. An idle job is discarded at once.
 */
void cr_helper_abandon(struct cr_helper *helper, struct cr_job *job);

/*
 * Frees |memory|, which is from malloc() and has at least |size| bytes. To give hundreds of
 * megabytes back to the kernel takes tens of milliseconds, in one piece or in many: the helper does
 * it, unless there is little.
 */
void cr_helper_free(struct cr_helper *helper, void *memory, size_t size);

/* For the loop. */
void cr_helper_init(struct cr_helper *helper, struct cr_loop *loop);

/* For the loop: calls done() for what has been worked on. */
void cr_helper_deliver(struct cr_helper *helper);

/* For the loop: works on what is queued, discards all jobs, and ends the thread. */
void cr_helper_clear(struct cr_helper *helper);

#endif
