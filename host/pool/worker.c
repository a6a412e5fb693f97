/* worker.c - the life of a worker: asking for it, its socket, frames to it, and its end. */
#include "pool/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "pool/worker_parts.h"

#define IN_MAX                                                                         \
    (sizeof(struct wire_header) + LIMIT_MAX_RESULT_BYTES) /* the largest of all frames \
                                                           */
/* The queue to a worker may hold a few of the largest answers, */
#define ANSWERS_MAX (4u * WIRE_REPLY_MAX + LIMIT_MIB)
/* and a failure for each open call. A worker that reads before it calls again never has more. */
#define OUT_MAX(calls) (ANSWERS_MAX + (calls) * (sizeof(struct wire_header) + WIRE_FAIL_MAX))
/* Even on a very busy machine the zygote has reported by then how a worker has ended. */
#define PATIENCE_US 200000

static void unwatch(struct cr_worker *w)
{
    if (w->events)
        cr_loop_remove(w->zygote->loop, &w->socket);
    w->events = 0;
}

static void close_socket(struct cr_worker *w)
{
    unwatch(w);
    if (w->socket.fd >= 0)
        (void)close(w->socket.fd);
    w->socket.fd = -1;
}

/* Sets whether the zygote's packets are read because of this worker. */
static void set_awaited(struct cr_worker *w, bool on)
{
    if (on == w->awaited)
        return;
    w->awaited = on;
    if (on)
        cr_zygote_await(w->zygote);
    else
        cr_zygote_unawait(w->zygote);
}

/* Ends the process, and closes everything. */
static void end_process(struct cr_worker *w)
{
    w->gone = true;
    if (w->pidfd >= 0) {
        cr_zygote_kill(w->zygote, w->pidfd);
        if (w->keep)
            *w->keep = w->pidfd;
        else
            (void)close(w->pidfd);
    }
    w->pidfd = -1;
    close_socket(w);
    cr_loop_forget_busy(w->zygote->loop, &w->rest);
    cr_loop_unset(w->zygote->loop, &w->patience);
    set_awaited(w, false);
    cr_zygote_forget(w->zygote, w);
}

void cr_worker_hold(struct cr_worker *w)
{
    w->busy++;
}

/* Frees the worker if the owner has freed it meanwhile. */
void cr_worker_release(struct cr_worker *w)
{
    if (--w->busy > 0 || !w->freed)
        return;
    if (w->lent)
        w->in.data = NULL; /* other threads may still read it */
    cr_shared_unref_large(w->lent, w->in.cap, w->helper);
    if (w->in.data)
        cr_helper_free(w->helper, w->in.data, w->in.cap);
    free(w);
}

void cr_worker_free(struct cr_worker *w)
{
    struct cr_zygote *z;

    if (!w)
        return;
    z = w->zygote;
    if (!w->gone)
        end_process(w);
    cr_outbox_clear(&w->out);
    w->freed = true;
    if (--z->users == 0 && z->retired)
        cr_zygote_end(z);
    cr_worker_hold(w);
    cr_worker_release(w);
}

/* Every end of a worker goes through here, so that the owner is informed once. */
void cr_worker_end(struct cr_worker *w, const struct cr_err *why)
{
    struct cr_err kept = *why;

    if (w->gone)
        return;
    end_process(w);
    w->owner->gone(w, &kept);
}

void cr_worker_fault(struct cr_worker *w, const char *what)
{
    struct cr_err why;

    (void)cr_err_set(&why, CAPRUN_E_PEER, "the worker broke the protocol: %s", what);
    cr_worker_end(w, &why);
}

/* Reads the zygote's packets once more: a crash must not be mistaken for a kill from outside. */
static void report_timeout(struct cr_timer *timer)
{
    struct cr_worker *w = cr_container(timer, struct cr_worker, patience);
    struct cr_err why;

    cr_worker_hold(w);
    cr_zygote_read(w->zygote);
    if (cr_worker_is_dead(w))
        (void)cr_err_set(&why, CAPRUN_E_STATE, "the worker was killed from outside");
    else
        (void)cr_err_set(&why, CAPRUN_E_PEER, "the worker closed its socket");
    cr_worker_end(w, &why);
    cr_worker_release(w);
}

/* The worker has not read all of the one frame that it was sent, so it has done nothing yet. */
static bool has_not_begun(const struct cr_worker *w)
{
    return w->frames_sent == 1 && !w->has_sent_frame && (w->unread || cr_outbox_waiting(&w->out));
}

/* The zygote will report why, unless the zygote was killed. */
void cr_worker_socket_closed(struct cr_worker *w)
{
    struct cr_err why;

    w->closed = true;
    close_socket(w);
    if (has_not_begun(w)) {
        (void)cr_err_set(&why, CAPRUN_E_STATE, "the worker was lost before it had read its job");
        cr_worker_end(w, &why);
        return;
    }
    set_awaited(w, true);
    cr_loop_set(w->zygote->loop, &w->patience, cr_loop_now() + PATIENCE_US);
}

/* Returns the events that the loop has to watch for; 0 if the socket need not be watched. */
static uint32_t wanted_events(const struct cr_worker *w)
{
    if (w->paused)
        return 0; /* or the loop would report again and again that the socket is closed */
    return (w->wanted && !w->put_off ? EPOLLIN : 0u) | (w->writing ? EPOLLOUT : 0u);
}

void cr_worker_watch(struct cr_worker *w)
{
    uint32_t events = w->gone || w->closed ? 0 : wanted_events(w);
    struct cr_err why;

    if (events == w->events)
        return;
    if (!events) {
        unwatch(w);
    } else if (w->events) {
        cr_loop_change(w->zygote->loop, &w->socket, events);
        w->events = events;
    } else if (cr_loop_add(w->zygote->loop, &w->socket, events, &why) == 0) {
        w->events = events;
    } else {
        cr_worker_end(w, &why);
    }
}

void cr_worker_set_limits(struct cr_worker *w, const struct wire_limits *limits)
{
    w->limits = *limits;
    w->out.max = OUT_MAX(limits->calls_at_once);
}

void cr_worker_prepare(struct cr_worker *w)
{
    w->wanted = true;
    if (w->pidfd < 0) {
        set_awaited(w, true);
        return;
    }
    set_awaited(w, false);
    cr_worker_read(w); /* its READY frame may have come already */
}

void cr_worker_forked(struct cr_worker *w, int pidfd, int error)
{
    struct cr_err why;

    if (w->pidfd >= 0 || pidfd < 0) {
        if (pidfd >= 0)
            (void)close(pidfd);
        errno = pidfd < 0 ? error : EPROTO;
        (void)cr_err_sys(&why, "fork a worker");
        cr_worker_end(w, &why);
        return;
    }
    w->pidfd = pidfd;
    if (w->wanted)
        cr_worker_prepare(w);
    else
        w->owner->forked(w);
}

void cr_worker_exited(struct cr_worker *w, int status)
{
    struct cr_err why;

    /* kill it in case the zygote lies: the worker must not write while its frames are read */
    if (w->pidfd >= 0)
        cr_zygote_kill(w->zygote, w->pidfd);
    cr_worker_describe_end(status, &why);
    cr_worker_read_rest(w, &why);
}

void cr_worker_lost(struct cr_worker *w, const struct cr_err *why)
{
    cr_worker_read_rest(w, why);
}

/* --- pauses ------------------------------------------------------------------------------------
 */

void cr_worker_pause(struct cr_worker *w)
{
    w->paused = true;
    cr_worker_watch(w);
}

struct cr_shared *cr_worker_share_frames(struct cr_worker *w)
{
    uint8_t *data = w->in.data;

    if (!w->lent)
        w->lent = cr_shared_take(&data);
    return w->lent;
}

void cr_worker_resume(struct cr_worker *w)
{
    if (w->lent)
        (void)cr_shared_give_back(w->lent);
    w->lent = NULL;
    if (!w->paused || w->gone)
        return;
    w->paused = false;
    w->put_off = true;
    cr_loop_defer_busy(w->zygote->loop, &w->rest);
}

static void socket_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_worker *w = cr_container(watch, struct cr_worker, socket);

    if (events & EPOLLOUT) {
        cr_outbox_write(&w->out, w->socket.fd);
        w->writing = cr_outbox_waiting(&w->out) > 0;
        cr_worker_watch(w);
    }
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) && !w->put_off)
        cr_worker_read(w);
}

/* Makes the socket pair, and asks the zygote for a process at its other end. */
static int ask_for_process(struct cr_worker *w, struct cr_err *err)
{
    int pair[2];
    cr_autoclose int theirs = -1;
    int on = 1;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return cr_err_sys(err, "socketpair");
    w->socket.fd = pair[0];
    theirs = pair[1];
    if (setsockopt(w->socket.fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
        return cr_err_sys(err, "SO_PASSCRED");
    return cr_zygote_fork(w->zygote, w, theirs, err);
}

int cr_worker_new(struct cr_zygote *z, uint64_t memory, uint32_t cpu_s,
                  const struct cr_worker_owner *owner, void *data, struct cr_worker **ret,
                  struct cr_err *err)
{
    struct cr_worker *w = malloc(sizeof(*w));
    int r;

    if (!w)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a worker");
    *w = (struct cr_worker){.owner = owner,
                            .data = data,
                            .zygote = z,
                            .helper = &z->loop->helper,
                            .memory = memory,
                            .cpu_s = cpu_s,
                            .asked_us = cr_loop_now(),
                            .socket = {.fd = -1, .ready = socket_ready, .name = "worker"},
                            .patience = {.when_us = -1, .due = report_timeout, .name = "worker"},
                            .rest = {.run = cr_worker_read_on, .name = "worker"},
                            .pidfd = -1};
    cr_buf_init(&w->in, IN_MAX + CR_WORKER_CHUNK);
    cr_outbox_init(&w->out, OUT_MAX(0), &z->loop->helper);
    z->users++;
    r = ask_for_process(w, err);
    if (r < 0) {
        cr_worker_free(w);
        return r;
    }
    *ret = w;
    return 0;
}

bool cr_worker_never_began(const struct cr_worker *w)
{
    return w->gone && has_not_begun(w);
}

bool cr_worker_is_writing(const struct cr_worker *w)
{
    return w->writing;
}

bool cr_worker_has_room(const struct cr_worker *w, size_t len)
{
    return len < ANSWERS_MAX && cr_outbox_waiting(&w->out) < ANSWERS_MAX - len;
}

int cr_worker_send(struct cr_worker *w, struct wire_header *header, const struct wire_part *parts,
                   size_t count, uint8_t **block, struct cr_shared *shared, bool stays)
{
    struct cr_outbox_part all[1 + CR_WORKER_PARTS];
    size_t len = 0;
    int r;

    if (count > CR_WORKER_PARTS)
        return CAPRUN_E_INVAL;
    all[0] = (struct cr_outbox_part){.bytes = header, .len = sizeof(*header)};
    for (size_t i = 0; i < count; i++) {
        all[1 + i] =
            (struct cr_outbox_part){.bytes = parts[i].bytes, .len = parts[i].len, .stays = stays};
        len += parts[i].len;
    }
    all[count].block = block;
    all[count].shared = shared;
    header->length = (uint32_t)len;
    r = cr_outbox_add(&w->out, w->closed ? -1 : w->socket.fd, all, 1 + count);
    if (r < 0)
        return r;
    w->frames_sent++;
    w->writing = !w->closed && cr_outbox_waiting(&w->out) > 0;
    cr_worker_watch(w);
    return 0;
}
