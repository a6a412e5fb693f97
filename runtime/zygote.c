/*
 * zygote.c - the zygote's loop: serves fork requests on the control socket, reports workers that
 * ended, and watches the host.
 *
 * A zygote ends when its control socket closes, or the host ends. If it is PID 1 of a PID
 * namespace, the kernel then kills every worker. Without that namespace each worker is killed by
 * its parent death signal, and the zygote waits a moment for them, because there may be no other
 * process that does.
 */
#include "zygote.h"

#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "link.h"
#include "lockdown.h"

struct child {
    pid_t pid;
    uint32_t slot;
};

#define LAST_WORKERS_NS 50000000 /* how long to wait for the last workers */

static struct child *children;
static size_t count, cap;
static pid_t own_pid; /* in the PID namespace of the workers */
static bool is_leaving;

/* Exits if sending fails: the host is gone, or does not read. */
static void send_packet(struct wire_control *packet, int passed)
{
    if (wire_send_packet(WIRE_FD, packet, passed, 0) < 0)
        crw_link_leave(errno == EPIPE ? WIRE_EXIT_OK : WIRE_EXIT_SOCKET);
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

/* Skips workers that ended by SIGKILL: usually the host sent it. */
static void report(pid_t pid, int status)
{
    struct wire_control packet = {.kind = WIRE_CONTROL_EXITED, .status = status};

    for (size_t i = 0; i < count; i++) {
        if (children[i].pid == pid) {
            packet.slot = children[i].slot;
            children[i] = children[--count];
            if (!is_leaving && (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL))
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

_Noreturn static void leave(void)
{
    struct pollfd ended = {.fd = CRW_LOCKDOWN_SIGNAL_FD, .events = POLLIN};
    struct timespec patience = {.tv_nsec = LAST_WORKERS_NS};

    is_leaving = true;
    while (own_pid != 1 && count && ppoll(&ended, 1, &patience, NULL) > 0)
        reap();
    crw_link_leave(WIRE_EXIT_OK);
}

/* Returns the socket that came with the request. */
static int receive_request(struct wire_control *ret)
{
    int socket, r;

    do
        r = wire_receive_packet(WIRE_FD, ret, &socket, 0);
    while (r < 0 && errno == EINTR);
    if (r == 0)
        leave();
    if (r < 0 || ret->kind != WIRE_CONTROL_FORK || socket < 0)
        crw_link_leave(WIRE_EXIT_FRAME);
    return socket;
}

void crw_zygote_serve(pid_t own)
{
    struct pollfd fds[] = {
        {.fd = WIRE_FD, .events = POLLIN},
        {.fd = CRW_LOCKDOWN_SIGNAL_FD, .events = POLLIN},
        {.fd = CRW_LOCKDOWN_HOST_FD, .events = POLLIN},
    };
    struct wire_control request;

    own_pid = own;
    for (;;) {
        if (ppoll(fds, 3, NULL, NULL) < 0 && errno != EINTR)
            crw_link_leave(WIRE_EXIT_SOCKET);
        if (fds[2].revents & POLLIN)
            leave();
        if (fds[2].revents)
            fds[2].fd = -1; /* no pidfd of the host */
        if (fds[1].revents)
            reap();
        if (fds[0].revents) {
            int socket = receive_request(&request);

            if (fork_worker(&request, socket))
                return;
        }
    }
}
