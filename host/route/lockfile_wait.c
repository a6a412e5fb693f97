/*
 * lockfile_wait.c - reads the lockfile once before the first server is started. A server whose
 * tools cannot be compared with the lockfile is not started. Calls wait for the helper thread that
 * reads it.
 */
#include <stdlib.h>
#include <string.h>

#include "registry/lockfile.h"
#include "route/route_parts.h"

#define MAX_HELD_BYTES (64u << 20) /* of args of calls that wait for the lockfile */

/* A job that reads the lockfile once. Only success or failure is used, not the content. */
struct cr_route_read {
    struct cr_job job;
    struct cr_route *route; /* the helper thread must not use it */
    struct cr_helper *helper;
    char *dir;
    int code;
    struct cr_err why;
};

static void read_lock(struct cr_job *job)
{
    struct cr_route_read *read = cr_container(job, struct cr_route_read, job);
    const struct cr_lockfile *unused;

    read->code = cr_lockfile_view(read->helper, read->dir, &unused, &read->why);
}

static void discard_read(struct cr_job *job)
{
    struct cr_route_read *read = cr_container(job, struct cr_route_read, job);

    free(read->dir);
    free(read);
}

static void lock_was_read(struct cr_job *job)
{
    struct cr_route_read *read = cr_container(job, struct cr_route_read, job);
    struct cr_route *route = read->route;

    route->read = NULL;
    route->has_read_lock = read->code == 0;
    free(route->lock_problem);
    route->lock_problem = read->code < 0 ? malloc(sizeof(*route->lock_problem)) : NULL;
    if (route->lock_problem)
        *route->lock_problem = read->why;
    discard_read(job);
    cr_loop_defer_busy(route->all.loop, &route->release);
}

void cr_route_trust_lock(struct cr_route *route)
{
    route->has_read_lock = true;
}

static bool start_reading(struct cr_route *route)
{
    struct cr_route_read *read = calloc(1, sizeof(*read));

    if (read)
        read->dir = strdup(route->dir);
    if (!read || !read->dir) {
        free(read);
        return false;
    }
    read->job = (struct cr_job){
        .work = read_lock, .done = lock_was_read, .discard = discard_read, .name = "lockfile"};
    read->route = route;
    read->helper = &route->all.loop->disk;
    route->read = read;
    cr_helper_submit(read->helper, &read->job);
    return true;
}

void cr_route_remove_waiting(struct cr_route *route, struct cr_mcp_call *c)
{
    *c->held_at = c->next;
    if (c->next)
        c->next->held_at = c->held_at;
    else
        route->held_last = c->held_at;
    c->is_held = false;
    route->held_bytes -= c->at.len;
}

void cr_route_release_held(struct cr_task *task)
{
    struct cr_route *route = cr_container(task, struct cr_route, release);
    struct cr_err why;

    (void)cr_err_memory(&why);
    while (route->held && !route->read && !cr_loop_turn_is_over(route->all.loop)) {
        struct cr_mcp_call *c = route->held, *next = c->next;

        cr_route_remove_waiting(route, c);
        route->held = next; /* cr_route_remove_waiting() did this, but the analyser cannot see it */
        if (route->has_read_lock)
            cr_mcp_continue(c);
        else
            cr_mcp_fail(c, route->lock_problem ? route->lock_problem : &why);
    }
    if (route->held && !route->read)
        cr_loop_defer_busy(route->all.loop, task);
}

int cr_route_hold(struct cr_route *route, struct cr_mcp_call *c, struct cr_err *err)
{
    if (route->held && route->held_bytes + c->at.len > MAX_HELD_BYTES)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "Too much waits for caprun.lock to be read");
    if (!route->read && !route->held && !start_reading(route))
        return cr_err_set(err, CAPRUN_E_NOMEM, "No memory for the call");
    route->held_bytes += c->at.len;
    c->is_held = true;
    c->next = NULL;
    c->held_at = route->held_last;
    *route->held_last = c;
    route->held_last = &c->next;
    return 0;
}

void cr_route_end_hold(struct cr_route *route)
{
    cr_loop_forget_busy(route->all.loop, &route->release);
    if (route->read)
        cr_helper_abandon(&route->all.loop->disk, &route->read->job);
    free(route->lock_problem);
}
