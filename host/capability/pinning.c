/* pinning.c - the job that reads or writes the lockfile, and a retry timer while it is busy. */
#include "capability/pinning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cr_pinning {
    struct cr_job job;
    struct cr_loop *loop;
    struct cr_pinning_listener listener;
    struct cr_timer again;
    int64_t since_us; /* when the lockfile was busy first; 0: it was not */

    char *dir;
    bool writes, accepts;
    char name[CR_FQDN_MAX + 1];
    struct cr_pin pin; /* to write; or what was read, if |is_pinned| */
    bool is_pinned;
    struct cr_err why;
    int r;
};

static int read_pin(struct cr_pinning *p)
{
    const struct cr_lockfile *lock;

    if (cr_lockfile_view(&p->loop->disk, p->dir, &lock, &p->why) < 0)
        return CAPRUN_E_INVAL;
    p->is_pinned = cr_lockfile_find(lock, p->name, &p->pin);
    return 0;
}

static void work(struct cr_job *job)
{
    struct cr_pinning *p = cr_container(job, struct cr_pinning, job);

    if (p->writes)
        p->r = cr_lockfile_try_pin(p->dir, p->name, &p->pin, p->accepts, &p->why);
    else
        p->r = read_pin(p);
}

static void discard(struct cr_job *job)
{
    struct cr_pinning *p = cr_container(job, struct cr_pinning, job);

    free(p->dir);
    free(p);
}

static void submit(struct cr_pinning *p)
{
    cr_helper_submit(&p->loop->disk, &p->job);
}

static void try_again(struct cr_timer *timer)
{
    submit(cr_container(timer, struct cr_pinning, again));
}

/*
 * Another process is writing: retries after a pause. Returns false, with an error, when it has
 * waited too long.
 */
static bool retry_later(struct cr_pinning *p)
{
    int64_t now = cr_loop_now();

    if (!p->since_us)
        p->since_us = now;
    if (now - p->since_us < CR_LOCKFILE_WAIT_MS * (int64_t)1000) {
        cr_loop_set(p->loop, &p->again, now + CR_LOCKFILE_PAUSE_MS * (int64_t)1000);
        return true;
    }
    p->r = cr_lockfile_refuse_busy(p->dir, &p->why);
    return false;
}

static void worked(struct cr_job *job)
{
    struct cr_pinning *p = cr_container(job, struct cr_pinning, job);
    struct cr_pinning_listener listener = p->listener;
    struct cr_pin pin = p->pin;
    struct cr_err why;
    bool is_pinned, is_done;

    if (p->r == CAPRUN_E_BUSY && retry_later(p))
        return;
    is_done = p->r == 0;
    is_pinned = p->is_pinned;
    why = p->why;
    discard(job);
    listener.done(listener.data, is_pinned ? &pin : NULL, is_done ? NULL : &why);
}

static struct cr_pinning *new_pinning(struct cr_loop *loop, const char *dir, const char *name,
                                      const struct cr_pinning_listener *listener)
{
    struct cr_pinning *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->job = (struct cr_job){.work = work, .done = worked, .discard = discard, .name = "lockfile"};
    p->again = (struct cr_timer){.when_us = -1, .due = try_again, .name = "lockfile"};
    p->loop = loop;
    p->listener = *listener;
    (void)snprintf(p->name, sizeof(p->name), "%s", name);
    p->dir = strdup(dir);
    if (p->dir)
        return p;
    free(p);
    return NULL;
}

struct cr_pinning *cr_pinning_read(struct cr_loop *loop, const char *dir, const char *name,
                                   const struct cr_pinning_listener *listener)
{
    struct cr_pinning *p = new_pinning(loop, dir, name, listener);

    if (p)
        submit(p);
    return p;
}

struct cr_pinning *cr_pinning_write(struct cr_loop *loop, const char *dir, const char *name,
                                    const struct cr_pin *now, bool accept,
                                    const struct cr_pinning_listener *listener)
{
    struct cr_pinning *p = new_pinning(loop, dir, name, listener);

    if (!p)
        return NULL;
    p->writes = true;
    p->accepts = accept;
    p->pin = *now;
    submit(p);
    return p;
}

void cr_pinning_cancel(struct cr_pinning *p)
{
    if (!p)
        return;
    cr_loop_unset(p->loop, &p->again);
    cr_helper_abandon(&p->loop->disk, &p->job);
}
