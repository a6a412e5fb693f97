/*
 * child.c - what happens on the pipes of a server, and how it is ended, step by step.
 *
 * The end is when the guard's end of the control socket closes, which it does by leaving: then the
 * tree is gone, and what is still in the pipes is the last of it.
 */
#include "mcp/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/guard.h"
#include "mcp/end.h"
#include "mcp/spawn.h"
#include "mcp/tail.h"

#define CHUNK (64u << 10)
#define CHUNKS_AT_ONCE 4   /* then it is the turn of others */
#define CHUNKS_AT_END 1024 /* more than a pipe holds, which ends here also if a stranger writes */
#define KEPT_CAPACITY CHUNK
#define GUARD_GRACE_MS (GUARD_PATIENCE_MS + 1000) /* the guard is killed if it takes longer */

/* In this order, and never back. */
enum stage {
    RUNNING,
    STOPPING, /* standard input is closed, or will be */
    TOLD,     /* by SIGTERM */
    KILLED,   /* or it ended: the guard has only to leave */
    ENDED,
};

struct cr_child {
    struct cr_loop *loop;
    struct cr_child_owner owner;
    void *data;
    enum stage stage;
    pid_t guard; /* 0: reaped */
    int pidfd;
    struct cr_watch control, in, out, errors; /* as in struct cr_spawned, and so is |pidfd| */
    struct cr_timer patience;
    struct cr_reader reader;
    struct cr_buf queue;
    size_t written;           /* bytes of |queue| */
    struct guard_report last; /* what it said last; |what| is 0 before */
    const char *killed_for;   /* why it was killed by us, or NULL */
    struct cr_tail tail;
    char why[256], command[128], cwd[128]; /* the latter two are cut if they are long */
    uint8_t chunk[CHUNK];
};

static void close_watch(struct cr_child *c, struct cr_watch *watch)
{
    if (watch->fd < 0)
        return;
    cr_loop_remove(c->loop, watch);
    (void)close(watch->fd);
    watch->fd = -1;
}

/* --- ending ---------------------------------------------------------------------------------- */

static void enter(struct cr_child *c, enum stage stage, int64_t patience_ms)
{
    c->stage = stage;
    cr_loop_set(c->loop, &c->patience, cr_loop_now() + patience_ms * 1000);
}

/* close() would say nothing while a process that the application has forked holds it too. */
static void close_control(struct cr_child *c)
{
    (void)shutdown(c->control.fd, SHUT_WR);
}

static void kill_tree(struct cr_child *c, const char *reason)
{
    c->killed_for = reason;
    close_control(c);
    enter(c, KILLED, GUARD_GRACE_MS);
}

static void kill_guard(struct cr_child *c)
{
    if (c->pidfd >= 0)
        (void)syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0);
    else if (c->guard)
        (void)kill(c->guard, SIGKILL);
}

static void finish(struct cr_child *c);

static void patience_ended(struct cr_timer *timer)
{
    struct cr_child *c = cr_container(timer, struct cr_child, patience);
    const char term = GUARD_TERM;

    switch (c->stage) {
    case STOPPING:
        close_watch(c, &c->in);
        (void)send(c->control.fd, &term, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        enter(c, TOLD, CR_CHILD_PATIENCE_MS);
        break;
    case TOLD:
        kill_tree(c, "it did not end by itself");
        break;
    case KILLED:
        kill_guard(c);
        finish(c);
        break;
    case RUNNING:
    case ENDED:
        break;
    }
}

void cr_child_stop(struct cr_child *c)
{
    if (c->stage != RUNNING)
        return;
    enter(c, STOPPING, CR_CHILD_PATIENCE_MS);
    if (!cr_child_waiting(c))
        close_watch(c, &c->in);
}

bool cr_child_is_ending(const struct cr_child *c)
{
    return c->stage != RUNNING;
}

/* --- what it reads --------------------------------------------------------------------------- */

size_t cr_child_waiting(const struct cr_child *c)
{
    return c->queue.len - c->written;
}

static void forget_queue(struct cr_child *c)
{
    c->written = c->queue.len = 0;
    if (c->queue.cap > KEPT_CAPACITY || cr_buf_err(&c->queue))
        cr_buf_clear(&c->queue);
}

/* Returns how many bytes were taken, or -1 if there is nobody to read them. */
static ssize_t write_some(struct cr_child *c, struct iovec *parts, size_t count)
{
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    ssize_t n;

    do
        n = sendmsg(c->in.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) ? 0 : n;
}

/* Nobody reads any more, or we have nothing more to say. */
static void close_in(struct cr_child *c)
{
    close_watch(c, &c->in);
    forget_queue(c);
    cr_child_stop(c);
}

static void in_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_child *c = cr_container(watch, struct cr_child, in);
    struct iovec rest = {c->queue.data + c->written, cr_child_waiting(c)};
    ssize_t n = events & (EPOLLHUP | EPOLLERR) ? -1 : write_some(c, &rest, 1);

    if (n < 0) {
        close_in(c);
        return;
    }
    c->written += (size_t)n;
    if (cr_child_waiting(c))
        return;
    forget_queue(c);
    if (c->stage != RUNNING) {
        close_watch(c, &c->in);
        return;
    }
    cr_loop_change(c->loop, &c->in, 0);
    c->owner.room(c->data);
}

/* Queues what is left of |parts| after |taken| bytes. */
static int queue_rest(struct cr_child *c, const struct iovec parts[2], size_t taken)
{
    bool idle = !cr_child_waiting(c);

    if (c->written > c->queue.len / 2) {
        cr_buf_drop(&c->queue, c->written);
        c->written = 0;
    }
    for (int i = 0; i < 2; i++) {
        size_t skipped = taken < parts[i].iov_len ? taken : parts[i].iov_len;

        cr_buf_add(&c->queue, (const char *)parts[i].iov_base + skipped,
                   parts[i].iov_len - skipped);
        taken -= skipped;
    }
    if (idle && !cr_buf_err(&c->queue))
        cr_loop_change(c->loop, &c->in, EPOLLOUT);
    return cr_buf_err(&c->queue);
}

int cr_child_send(struct cr_child *c, const void *line, size_t len, struct cr_err *err)
{
    static char line_feed[] = "\n";
    struct iovec parts[2] = {{(void *)(uintptr_t)line, len}, {line_feed, 1}};
    size_t waiting = cr_child_waiting(c);
    ssize_t n = 0;

    if (c->stage != RUNNING || c->in.fd < 0)
        return cr_err_set(err, CAPRUN_E_STATE, "'%s' takes nothing any more", c->command);
    if (waiting >= CR_CHILD_WAITING_MAX)
        return cr_err_set(err, CAPRUN_E_TOOBIG,
                          "'%s' does not read: %zu bytes wait, and no more than %u may", c->command,
                          waiting, CR_CHILD_WAITING_MAX);
    if (!waiting)
        n = write_some(c, parts, 2);
    if (n < 0) {
        close_in(c);
        return cr_err_set(err, CAPRUN_E_STATE, "'%s' reads nothing any more", c->command);
    }
    if ((size_t)n == len + 1 || queue_rest(c, parts, (size_t)n) == 0)
        return 0;
    c->queue.len = c->written + waiting; /* and all is as it was, unless some of it is out */
    c->queue.err = 0;
    if (n > 0)
        kill_tree(c, "there was no memory for the rest of a line to it");
    return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for %zu bytes to '%s'", len, c->command);
}

/* --- what it writes -------------------------------------------------------------------------- */

static void take_messages(struct cr_child *c, const uint8_t *bytes, size_t len)
{
    struct cr_message message;

    while (cr_reader_next(&c->reader, &bytes, &len, &message)) {
        if (message.kind != CR_MESSAGE_NOISE)
            c->owner.message(c->data, &message);
        else if (message.bytes)
            cr_tail_add_line(&c->tail, message.bytes, message.len);
    }
}

static void take_text(struct cr_child *c, const uint8_t *bytes, size_t len)
{
    cr_tail_add(&c->tail, bytes, len);
}

/* Reads as long as there is something, but no more than |chunks|. Returns false at its end. */
static bool read_some(struct cr_child *c, struct cr_watch *watch, int chunks,
                      void (*take)(struct cr_child *c, const uint8_t *bytes, size_t len))
{
    ssize_t n = CHUNK;

    while (chunks-- > 0 && n == CHUNK) {
        n = read(watch->fd, c->chunk, CHUNK);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
            close_watch(c, watch);
            return false;
        }
        if (n > 0)
            take(c, c->chunk, (size_t)n);
    }
    return true;
}

static void out_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_child *c = cr_container(watch, struct cr_child, out);

    (void)events;
    if (!read_some(c, watch, CHUNKS_AT_ONCE, take_messages))
        cr_child_stop(c);
}

static void errors_ready(struct cr_watch *watch, uint32_t events)
{
    (void)events;
    (void)read_some(cr_container(watch, struct cr_child, errors), watch, CHUNKS_AT_ONCE, take_text);
}

/* What is in the pipes when all are dead; a last line may have no end. */
static void read_rest(struct cr_child *c)
{
    if (c->errors.fd >= 0)
        (void)read_some(c, &c->errors, CHUNKS_AT_END, take_text);
    if (c->out.fd >= 0)
        (void)read_some(c, &c->out, CHUNKS_AT_END, take_messages);
    take_messages(c, (const uint8_t *)"\n", 1);
}

/* --- what its guard says --------------------------------------------------------------------- */

/* Returns false when it has said its last word. */
static bool hear_guard(struct cr_child *c)
{
    struct guard_report report;
    ssize_t n;

    for (;;) {
        n = recv(c->control.fd, &report, sizeof(report), MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        /* it left without reading all that we sent; what it sent before is still to come */
        if (n < 0 && errno == ECONNRESET)
            continue;
        if (n != sizeof(report))
            return false;
        c->last = report;
        if (c->stage < KILLED && report.what != GUARD_STARTED)
            enter(c, KILLED, GUARD_GRACE_MS);
    }
}

static void control_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_child *c = cr_container(watch, struct cr_child, control);

    (void)events;
    if (!hear_guard(c))
        finish(c);
}

/* By its pidfd: its number may be another's by now, if the application has waited for it. */
static siginfo_t reap(struct cr_child *c)
{
    idtype_t by = c->pidfd >= 0 ? P_PIDFD : P_PID;
    siginfo_t info = {.si_code = 0};

    while (c->guard &&
           waitid(by, (id_t)(c->pidfd >= 0 ? c->pidfd : c->guard), &info, WEXITED) < 0 &&
           errno == EINTR)
        ;
    c->guard = 0;
    return info;
}

static void finish(struct cr_child *c)
{
    siginfo_t info = reap(c);

    cr_end_explain(c->why, sizeof(c->why),
                   &(struct cr_end){.last = c->last,
                                    .guard = info,
                                    .killed_for = c->killed_for,
                                    .command = c->command,
                                    .cwd = c->cwd});
    c->stage = ENDED;
    cr_loop_unset(c->loop, &c->patience);
    close_watch(c, &c->control);
    close_in(c);
    read_rest(c);
    c->owner.ended(c->data);
}

const char *cr_child_why(const struct cr_child *c)
{
    return c->why;
}

bool cr_child_is_missing(const struct cr_child *c)
{
    return cr_end_is_missing(&c->last);
}

void cr_child_last_words(const struct cr_child *c, const char *between, size_t max,
                         struct cr_buf *out)
{
    cr_tail_show(&c->tail, between, max, out);
}

/* --- beginning and end ----------------------------------------------------------------------- */

static int watch_all(struct cr_child *c, struct cr_err *err)
{
    const struct {
        struct cr_watch *watch;
        uint32_t events;
    } all[] = {{&c->control, EPOLLIN}, {&c->in, 0}, {&c->out, EPOLLIN}, {&c->errors, EPOLLIN}};
    int r = 0;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && r == 0; i++)
        r = cr_loop_add(c->loop, all[i].watch, all[i].events, err);
    return r;
}

int cr_child_start(struct cr_loop *loop, const struct cr_child_spec *spec,
                   const struct cr_child_owner *owner, void *data, struct cr_child **ret,
                   struct cr_err *err)
{
    struct cr_child *c = malloc(sizeof(*c));
    struct cr_spawned ends;
    int r;

    if (!c)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory to start '%s'", spec->argv[0]);
    r = cr_spawn_guard(spec, &ends, err);
    if (r < 0) {
        free(c);
        return r;
    }
    c->loop = loop; /* one by one: the chunk need not be cleared */
    c->owner = *owner;
    c->data = data;
    c->stage = RUNNING;
    c->guard = ends.pid;
    c->pidfd = ends.pidfd;
    c->control = (struct cr_watch){ends.control, control_ready};
    c->in = (struct cr_watch){ends.in, in_ready};
    c->out = (struct cr_watch){ends.out, out_ready};
    c->errors = (struct cr_watch){ends.errors, errors_ready};
    c->patience = (struct cr_timer){.when_us = -1, .due = patience_ended};
    cr_reader_init(&c->reader, CR_CHILD_LINE_MAX);
    cr_buf_init(&c->queue, SIZE_MAX);
    c->written = 0;
    c->last = (struct guard_report){.what = 0};
    c->killed_for = NULL;
    c->tail.len = 0;
    c->tail.cut = false;
    c->why[0] = '\0';
    (void)snprintf(c->command, sizeof(c->command), "%s", spec->argv[0]);
    (void)snprintf(c->cwd, sizeof(c->cwd), "%s", spec->cwd);
    r = watch_all(c, err);
    if (r < 0)
        cr_child_free(c);
    else
        *ret = c;
    return r;
}

/* Ends the guard, which ends the tree. */
static void end_guard(struct cr_child *c)
{
    struct pollfd control = {.fd = c->control.fd, .events = POLLIN};
    int64_t until = cr_loop_now() + GUARD_GRACE_MS * 1000;
    int64_t left = GUARD_GRACE_MS;

    close_control(c);
    while (left > 0 && hear_guard(c)) {
        (void)poll(&control, 1, (int)left);
        left = (until - cr_loop_now()) / 1000;
    }
    if (left <= 0)
        kill_guard(c);
    (void)reap(c);
}

void cr_child_free(struct cr_child *c)
{
    if (!c)
        return;
    if (c->guard)
        end_guard(c);
    cr_loop_unset(c->loop, &c->patience);
    close_watch(c, &c->control);
    close_watch(c, &c->in);
    close_watch(c, &c->out);
    close_watch(c, &c->errors);
    if (c->pidfd >= 0)
        (void)close(c->pidfd);
    cr_reader_clear(&c->reader);
    cr_buf_clear(&c->queue);
    free(c);
}
