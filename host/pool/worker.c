/* worker.c - non-blocking frames in both directions, and the end of a worker in words. */
#include "pool/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "pool/verify.h"

#define READ_CHUNK (64u * LIMIT_KIB)
/* After this much of one worker the others get their turn. */
#define READ_TURN (512u * LIMIT_KIB)
#define IN_MAX                                                                         \
    (sizeof(struct wire_header) + LIMIT_MAX_RESULT_BYTES) /* the largest of all frames \
                                                           */
/* A few of the largest answers. */
#define ANSWERS_MAX (4u * WIRE_REPLY_MAX + LIMIT_MIB)
/* And a failure for each open call: who reads before it calls again never has more to read. */
#define OUT_MAX(calls) (ANSWERS_MAX + (calls) * (sizeof(struct wire_header) + WIRE_FAIL_MAX))
/* Until then the zygote has told how a worker has ended, on the busiest machine. */
#define PATIENCE_US 200000
/* The first workers of a zygote are looked at from outside, and later one in so many. */
#define VERIFIED_FIRST 4u
#define VERIFIED_ONE_IN 16u

static void unwatch(struct cr_worker *w)
{
    if (w->watched)
        cr_loop_remove(w->zygote->loop, &w->socket);
    w->watched = false;
}

static void close_socket(struct cr_worker *w)
{
    unwatch(w);
    if (w->socket.fd >= 0)
        (void)close(w->socket.fd);
    w->socket.fd = -1;
}

/* Whether the zygote is to be listened to on this worker's behalf. */
static void await(struct cr_worker *w, bool on)
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
static void finish(struct cr_worker *w)
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
    cr_loop_unset(w->zygote->loop, &w->patience);
    await(w, false);
    cr_zygote_forget(w->zygote, w);
}

static void hold(struct cr_worker *w)
{
    w->busy++;
}

/* If the owner has freed it meanwhile, now it is: nothing may look at it after this. */
static void let_go(struct cr_worker *w)
{
    if (--w->busy > 0 || !w->freed)
        return;
    cr_buf_clear(&w->in);
    free(w);
}

void cr_worker_free(struct cr_worker *w)
{
    struct cr_zygote *z;

    if (!w)
        return;
    z = w->zygote;
    if (!w->gone)
        finish(w);
    cr_outbox_clear(&w->out);
    w->freed = true;
    if (--z->users == 0 && z->retired)
        cr_zygote_end(z);
    hold(w);
    let_go(w);
}

/* The one way out: the owner hears of it once. */
static void end(struct cr_worker *w, const struct cr_err *why)
{
    struct cr_err kept = *why;

    if (w->gone)
        return;
    finish(w);
    w->owner->gone(w, &kept);
}

void cr_worker_fault(struct cr_worker *w, const char *what)
{
    struct cr_err why;

    (void)cr_err_set(&why, CAPRUN_E_PEER, "the worker broke the protocol: %s", what);
    end(w, &why);
}

static const char *exit_text(int code)
{
    switch (code) {
#define XX(name, number, text) \
    case number:               \
        return text;
        WIRE_EXIT_MAP(XX)
#undef XX
    default:
        return "for a reason of its own";
    }
}

static const char *signal_text(int sig)
{
    switch (sig) {
    case SIGSYS:
        return " (it made a system call that the sandbox forbids)";
    case SIGXCPU:
        return " (it used more CPU time than it may)";
    default:
        return "";
    }
}

/* A crash that is taken for an end from outside would not count: so look once more. */
static void out_of_patience(struct cr_timer *timer)
{
    struct cr_worker *w = cr_container(timer, struct cr_worker, patience);
    struct cr_err why;

    hold(w);
    cr_zygote_hear(w->zygote);
    if (cr_worker_is_dead(w))
        (void)cr_err_set(&why, CAPRUN_E_STATE, "the worker was killed from outside");
    else
        (void)cr_err_set(&why, CAPRUN_E_PEER, "the worker closed its socket");
    end(w, &why);
    let_go(w);
}

/* Not all of the one frame that it was sent was read, so it has done nothing yet. */
static bool has_not_begun(const struct cr_worker *w)
{
    return w->told == 1 && !w->heard && (w->unread || cr_outbox_waiting(&w->out));
}

/* The zygote knows why, unless it was killed. */
static void socket_closed(struct cr_worker *w)
{
    struct cr_err why;

    w->closed = true;
    close_socket(w);
    if (has_not_begun(w)) {
        (void)cr_err_set(&why, CAPRUN_E_STATE, "the worker was lost before it had read its job");
        end(w, &why);
        return;
    }
    await(w, true);
    cr_loop_set(w->zygote->loop, &w->patience, cr_loop_now() + PATIENCE_US);
}

#define NOTHING_NOW (-1)
#define NO_MEMORY (-2)

/* Reads what is there into |w->in|. Returns bytes, 0 at the end, or one of the two above. */
static ssize_t receive(struct cr_worker *w, size_t room, pid_t *ret_pid)
{
    union {
        struct cmsghdr header;
        uint8_t bytes[CMSG_SPACE(sizeof(struct ucred))];
    } anc;
    uint8_t *to = cr_buf_room(&w->in, room);
    struct iovec iov = {to, room};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    struct cmsghdr *c;
    ssize_t n;

    if (!to)
        return NO_MEMORY;
    if (!w->pid) {
        msg.msg_control = &anc;
        msg.msg_controllen = sizeof(anc);
    }
    n = recvmsg(w->socket.fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return NOTHING_NOW;
    if (n < 0) {
        w->unread = errno == ECONNRESET;
        return 0;
    }
    w->in.len += (size_t)n;
    c = !w->pid ? CMSG_FIRSTHDR(&msg) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
        struct ucred cred;

        memcpy(&cred, CMSG_DATA(c), sizeof(cred));
        *ret_pid = cred.pid;
    }
    return n;
}

static bool is_sample(const struct cr_worker *w)
{
    return w->slot <= VERIFIED_FIRST || w->slot % VERIFIED_ONE_IN == 0;
}

/* What it has in memory now the others have too, and nobody needs to ask them. */
static int verify(struct cr_worker *w, struct cr_err *err)
{
    w->zygote->resident = cr_verify_resident(w->pid);
    return cr_verify_worker(w->pid, w->zygote->filters, err);
}

/* The first frame says nothing but that it is there: the kernel says whose it is. */
static void take_ready(struct cr_worker *w, const struct wire_header *header, pid_t pid)
{
    struct cr_err why;
    int off = 0;

    if (header->type != WIRE_READY || pid <= 0) {
        cr_worker_fault(w, "the first frame was not READY");
        return;
    }
    w->pid = pid;
    (void)setsockopt(w->socket.fd, SOL_SOCKET, SO_PASSCRED, &off, sizeof(off));
    if (!is_sample(w) || verify(w, &why) == 0) {
        w->owner->ready(w);
        return;
    }
    if (cr_worker_is_dead(w)) /* then what the kernel says of it means nothing */
        (void)cr_err_set(&why, CAPRUN_E_STATE, "the worker was killed from outside");
    end(w, &why);
}

static void take_other(struct cr_worker *w, const struct wire_header *header,
                       const uint8_t *payload)
{
    if (header->type == WIRE_READY) {
        cr_worker_fault(w, "READY came twice");
        return;
    }
    w->heard = true;
    w->owner->frame(w, header, payload);
}

/* Each type has its most, and some have one of the run's own. */
static bool is_permitted(const struct cr_worker *w, const struct wire_header *header)
{
    return wire_check(header, WIRE_WORKER) == 0 &&
           (header->type != WIRE_DONE || header->length <= w->limits.result_bytes) &&
           (header->type != WIRE_LOG || header->length <= w->limits.log_bytes);
}

/*
 * Hands the first frame in |w->in| to the owner. Returns how many bytes it took, 0 if it is not all
 * there, or -1 if the worker is no more.
 */
static ssize_t take_frame(struct cr_worker *w, size_t from, pid_t pid)
{
    struct wire_header header;
    size_t left = w->in.len - from;

    if (left < sizeof(header))
        return 0;
    memcpy(&header, w->in.data + from, sizeof(header));
    if (!is_permitted(w, &header)) {
        char what[64];

        (void)snprintf(what, sizeof(what), "type %u (%s) with %u bytes", header.type,
                       wire_type_name(header.type), header.length);
        cr_worker_fault(w, what);
        return -1;
    }
    if (left - sizeof(header) < header.length)
        return 0;
    if (!w->pid)
        take_ready(w, &header, pid);
    else
        take_other(w, &header, w->in.data + from + sizeof(header));
    return w->gone ? -1 : (ssize_t)(sizeof(header) + header.length);
}

/* How much more the frame that has begun needs, but at least a chunk: small ones come together. */
static size_t wanted(const struct cr_worker *w)
{
    struct wire_header header;
    size_t whole;

    if (w->in.len < sizeof(header))
        return READ_CHUNK;
    memcpy(&header, w->in.data, sizeof(header));
    whole = sizeof(header) + header.length;
    return whole > w->in.len + READ_CHUNK ? whole - w->in.len : READ_CHUNK;
}

static void end_without_memory(struct cr_worker *w)
{
    struct cr_err why;

    (void)cr_err_set(&why, CAPRUN_E_NOMEM, "no memory for what the worker says");
    end(w, &why);
}

/*
 * Returns true if there may be more to read. Without |all| it leaves it to the loop to find out
 * whether there is more after a short read.
 */
static bool read_turn(struct cr_worker *w, bool all)
{
    size_t turn = 0;

    while (turn < READ_TURN) {
        pid_t pid = w->pid;
        ssize_t n = receive(w, wanted(w), &pid);
        size_t taken = 0;
        ssize_t one;

        if (n == NO_MEMORY)
            end_without_memory(w);
        if (n < 0)
            return false;
        if (n == 0) {
            socket_closed(w);
            return false;
        }
        turn += (size_t)n;
        while ((one = take_frame(w, taken, pid)) > 0)
            taken += (size_t)one;
        if (one < 0)
            return false;
        cr_buf_drop(&w->in, taken);
        if (!all && (size_t)n < READ_CHUNK)
            return true;
    }
    return true;
}

static uint32_t events_of(const struct cr_worker *w)
{
    return w->writing ? EPOLLIN | EPOLLOUT : EPOLLIN;
}

static void watch(struct cr_worker *w)
{
    struct cr_err why;

    w->watched = cr_loop_add(w->zygote->loop, &w->socket, events_of(w), &why) == 0;
    if (!w->watched)
        end(w, &why);
}

void cr_worker_set_limits(struct cr_worker *w, const struct wire_limits *limits)
{
    w->limits = *limits;
    w->out.copied.max = OUT_MAX(limits->calls_at_once);
}

void cr_worker_want(struct cr_worker *w)
{
    w->wanted = true;
    if (w->pidfd < 0) {
        await(w, true);
        return;
    }
    await(w, false);
    hold(w);
    (void)read_turn(w, false); /* it is ready, or it is not yet */
    if (!w->gone && !w->closed)
        watch(w);
    let_go(w);
}

void cr_worker_forked(struct cr_worker *w, int pidfd, int error)
{
    struct cr_err why;

    if (w->pidfd >= 0 || pidfd < 0) {
        if (pidfd >= 0)
            (void)close(pidfd);
        errno = pidfd < 0 ? error : EPROTO;
        (void)cr_err_sys(&why, "fork a worker");
        end(w, &why);
        return;
    }
    w->pidfd = pidfd;
    if (w->wanted)
        cr_worker_want(w);
    else
        w->owner->forked(w);
}

/* The process is gone, but what it said before still counts, unless it never got a job. */
static void read_to_the_end(struct cr_worker *w)
{
    /* a callback on the way may have ended it */
    while (!w->gone && !w->closed && w->pid && read_turn(w, true))
        ;
}

void cr_worker_say_end(int status, struct cr_err *why)
{
    if (WIFSIGNALED(status))
        (void)cr_err_set(why, CAPRUN_E_PEER, "the worker was killed by signal %d, %s%s",
                         WTERMSIG(status), strsignal(WTERMSIG(status)),
                         signal_text(WTERMSIG(status)));
    else
        (void)cr_err_set(why, CAPRUN_E_PEER, "the worker left with status %d: %s",
                         WEXITSTATUS(status), exit_text(WEXITSTATUS(status)));
}

void cr_worker_exited(struct cr_worker *w, int status)
{
    struct cr_err why;

    hold(w);
    /* if the zygote lies: nobody writes on while we read */
    if (w->pidfd >= 0)
        cr_zygote_kill(w->zygote, w->pidfd);
    read_to_the_end(w);
    cr_worker_say_end(status, &why);
    end(w, &why);
    let_go(w);
}

void cr_worker_lost(struct cr_worker *w, const struct cr_err *why)
{
    hold(w);
    read_to_the_end(w);
    end(w, why);
    let_go(w);
}

/* The loop tells when there is room for what waits. */
static void watch_for_room(struct cr_worker *w)
{
    bool more = cr_outbox_waiting(&w->out) > 0;

    if (more == w->writing)
        return;
    w->writing = more;
    if (w->watched)
        cr_loop_change(w->zygote->loop, &w->socket, events_of(w));
}

static void socket_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_worker *w = cr_container(watch, struct cr_worker, socket);

    if (events & EPOLLOUT) {
        cr_outbox_write(&w->out, w->socket.fd);
        watch_for_room(w);
    }
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    hold(w);
    (void)read_turn(w, false);
    let_go(w);
}

/* Makes the socket pair, and asks for a process at its other end. */
static int ask(struct cr_worker *w, struct cr_err *err)
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
                            .memory = memory,
                            .cpu_s = cpu_s,
                            .asked_us = cr_loop_now(),
                            .socket = {.fd = -1, .ready = socket_ready},
                            .patience = {.when_us = -1, .due = out_of_patience},
                            .pidfd = -1};
    cr_buf_init(&w->in, IN_MAX + READ_CHUNK);
    cr_outbox_init(&w->out, OUT_MAX(0));
    z->users++;
    r = ask(w, err);
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
                   size_t count, uint8_t **block)
{
    struct wire_part all[1 + CR_WORKER_PARTS] = {{header, sizeof(*header)}};
    size_t len = 0;
    int r;

    if (count > CR_WORKER_PARTS)
        return CAPRUN_E_INVAL;
    for (size_t i = 0; i < count; i++) {
        all[1 + i] = parts[i];
        len += parts[i].len;
    }
    header->length = (uint32_t)len;
    r = cr_outbox_add(&w->out, w->closed ? -1 : w->socket.fd, all, 1 + count, block);
    if (r < 0)
        return r;
    w->told++;
    if (!w->closed)
        watch_for_room(w);
    return 0;
}
