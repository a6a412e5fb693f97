/*
 * zygote.c - one control socket, one signal descriptor, and a table of who was forked for what.
 *
 * A zygote ends when its control socket closes. As PID 1 of its namespace it takes every worker
 * along; without that namespace they die of the death signal that each has asked for.
 */
#include "zygote.h"

#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "link.h"
#include "lockdown.h"

struct child {
    pid_t pid;
    uint32_t slot;
};

static struct child *children;
static size_t count, cap;
static pid_t own_pid; /* as workers see it */

union ancillary {
    struct cmsghdr header;
    uint8_t bytes[CMSG_SPACE(sizeof(int))];
};

/* The host is gone, or does not read: either way there is nothing left to do. */
static void send_packet(struct wire_control *packet, int fd)
{
    union ancillary anc;
    struct iovec iov = {packet, sizeof(*packet)};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

    packet->version = WIRE_VERSION;
    if (fd >= 0) {
        memset(&anc, 0, sizeof(anc));
        anc.header.cmsg_level = SOL_SOCKET;
        anc.header.cmsg_type = SCM_RIGHTS;
        anc.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&anc.header), &fd, sizeof(fd));
        msg.msg_control = &anc;
        msg.msg_controllen = sizeof(anc);
    }
    if (sendmsg(WIRE_FD, &msg, MSG_NOSIGNAL) != (ssize_t)sizeof(*packet))
        crw_link_leave(errno == EPIPE ? WIRE_EXIT_OK : WIRE_EXIT_SOCKET);
}

/* Returns the descriptor that came with the packet, or -1. */
static int receive_packet(struct wire_control *packet)
{
    union ancillary anc;
    struct iovec iov = {packet, sizeof(*packet)};
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &anc, .msg_controllen = sizeof(anc)};
    struct cmsghdr *c;
    ssize_t n;
    int fd = -1;

    do
        n = recvmsg(WIRE_FD, &msg, 0);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        crw_link_leave(WIRE_EXIT_OK);
    if (n != (ssize_t)sizeof(*packet) || packet->version != WIRE_VERSION ||
        packet->kind != WIRE_CONTROL_FORK)
        crw_link_leave(WIRE_EXIT_FRAME);
    c = CMSG_FIRSTHDR(&msg);
    if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(&fd, CMSG_DATA(c), sizeof(fd));
    if (fd < 0)
        crw_link_leave(WIRE_EXIT_FRAME);
    return fd;
}

static void remember(pid_t pid, uint32_t slot)
{
    if (count == cap) {
        cap = cap ? cap * 2 : 16;
        children = crw_arena_realloc(NULL, children, cap * sizeof(*children));
    }
    children[count++] = (struct child){pid, slot};
}

/* Returns true in the new worker. */
static bool fork_worker(const struct wire_control *request, int socket)
{
    struct wire_control answer = {.kind = WIRE_CONTROL_FORKED, .slot = request->slot};
    int pidfd = -1;
    long pid = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &pidfd, NULL, NULL);

    if (pid == 0) {
        crw_lockdown_worker(socket, own_pid, request->memory, request->cpu_s);
        return true;
    }
    (void)close(socket);
    if (pid < 0)
        answer.error = errno;
    else
        remember((pid_t)pid, request->slot);
    send_packet(&answer, pidfd);
    if (pidfd >= 0)
        (void)close(pidfd);
    return false;
}

static void report(pid_t pid, int status)
{
    struct wire_control packet = {.kind = WIRE_CONTROL_EXITED, .status = status};

    for (size_t i = 0; i < count; i++) {
        if (children[i].pid == pid) {
            packet.slot = children[i].slot;
            children[i] = children[--count];
            send_packet(&packet, -1);
            return;
        }
    }
}

static void reap(void)
{
    uint8_t unread[128 * 4]; /* signalfd_siginfo is 128 bytes */
    pid_t pid;
    int status;

    (void)!read(CRW_LOCKDOWN_SIGNAL_FD, unread, sizeof(unread));
    while ((pid = wait4(-1, &status, WNOHANG, NULL)) > 0)
        report(pid, status);
}

void crw_zygote_serve(pid_t own)
{
    struct pollfd fds[] = {
        {.fd = WIRE_FD, .events = POLLIN},
        {.fd = CRW_LOCKDOWN_SIGNAL_FD, .events = POLLIN},
    };
    struct wire_control request;

    own_pid = own;
    for (;;) {
        if (ppoll(fds, 2, NULL, NULL) < 0 && errno != EINTR)
            crw_link_leave(WIRE_EXIT_SOCKET);
        if (fds[1].revents)
            reap();
        if (fds[0].revents) {
            int socket = receive_packet(&request);

            if (fork_worker(&request, socket))
                return;
        }
    }
}
