/* probe.c - starts the probe and speaks its control protocol, one packet after the other. */
#include "doctor/probe.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "pool/kill.h"
#include "pool/worker.h"
#include "pool/zygote.h"

#define PATIENCE_MS 10000
#define DEATH_MS 1000
#define WORKER_MEMORY (16u * LIMIT_MIB)
#define WORKER_CPU_S 10

static int wait_for(int fd, int patience_ms, struct cr_err *err)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    int r;

    do
        r = poll(&ready, 1, patience_ms);
    while (r < 0 && errno == EINTR);
    if (r > 0)
        return 0;
    return r < 0 ? cr_err_sys(err, "wait for the probe")
                 : cr_err_set(err, CAPRUN_E_PEER, "the probe does not answer");
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* Returns 1 with a packet, 0 at the end, or an error. Notes packets that may come at any time. */
static int receive_packet(struct cr_probe *p, struct wire_control *ret, int *ret_passed,
                          struct cr_err *err)
{
    int r = wait_for(p->control, PATIENCE_MS, err);

    *ret_passed = -1;
    if (r < 0)
        return r;
    do
        r = wire_receive_packet(p->control, ret, ret_passed, MSG_CMSG_CLOEXEC);
    while (r < 0 && (errno == EINTR || errno == ECONNRESET));
    if (r < 0)
        return cr_err_set(err, CAPRUN_E_PEER, "caprun-worker is of another version than caprun");
    if (r > 0 && ret->kind == WIRE_CONTROL_BORN && p->zygote < 0)
        p->zygote = cr_steal_fd(ret_passed);
    if (r > 0 && ret->kind == WIRE_CONTROL_PROBED && ret->slot < PROBE_LAYERS)
        p->stopped[ret->slot] = ret->error;
    return r;
}

/* A listening socket, which the probe tries to reach. */
static int listen_for_probe(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int len =
        snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, PROBE_SOCKET_NAME, (int)getpid());
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 &&
        (bind(fd, (struct sockaddr *)&name,
              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) < 0 ||
         listen(fd, 1) < 0))
        close_fd(&fd);
    return fd;
}

static int receive_greeting(struct cr_probe *p, struct cr_err *err)
{
    struct wire_control packet;
    int passed, r;

    while ((r = receive_packet(p, &packet, &passed, err)) > 0) {
        close_fd(&passed);
        if (packet.kind == WIRE_CONTROL_HELLO) {
            p->greeted = true;
            memcpy(p->layers, packet.layers, sizeof(p->layers));
            return 0;
        }
        if (packet.kind == WIRE_CONTROL_REFUSE) {
            p->refused = packet.step;
            p->error = packet.error;
            return 0;
        }
    }
    return r;
}

int cr_probe_start(struct cr_probe *p, const char *path, uint32_t uid_base, struct cr_err *err)
{
    cr_autoclose int theirs = -1;
    int pair[2], r;

    *p = (struct cr_probe){.control = -1, .zygote = -1, .listener = listen_for_probe()};
    for (int i = 0; i < PROBE_LAYERS; i++)
        p->stopped[i] = CR_PROBE_NOT_TOLD;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return cr_err_sys(err, "socketpair");
    p->control = pair[0];
    theirs = pair[1];
    r = cr_zygote_spawn(path, PROBE_ARGUMENT, uid_base, theirs, &p->program, err);
    if (r < 0)
        return r;
    (void)close(cr_steal_fd(&theirs)); /* so that the end of the other side is seen */
    return receive_greeting(p, err);
}

/* Waits for the next packet of |kind| for |slot|. */
static int wait_for_packet(struct cr_probe *p, enum wire_control_kind kind, uint32_t slot,
                           struct wire_control *ret, int *ret_passed, struct cr_err *err)
{
    int r;

    while ((r = receive_packet(p, ret, ret_passed, err)) > 0) {
        if (ret->kind == (uint32_t)kind && ret->slot == slot)
            return 0;
        close_fd(ret_passed);
    }
    return r < 0 ? r : cr_err_set(err, CAPRUN_E_PEER, "the probe has ended");
}

/* Waits for the first frame of |worker|. Without one, |err| says how the worker ended. */
static int wait_until_ready(struct cr_probe *p, const struct cr_probe_worker *worker,
                            struct cr_err *err)
{
    struct wire_header header;
    struct wire_control packet;
    int passed, r = wait_for(worker->socket, PATIENCE_MS, err);
    ssize_t n;

    if (r < 0)
        return r;
    n = recv(worker->socket, &header, sizeof(header), MSG_WAITALL);
    if (n == (ssize_t)sizeof(header) && header.type == WIRE_READY)
        return 0;
    if (n > 0)
        return cr_err_set(err, CAPRUN_E_PEER, "the worker does not speak as it should");
    r = wait_for_packet(p, WIRE_CONTROL_EXITED, worker->slot, &packet, &passed, err);
    if (r == 0) {
        close_fd(&passed);
        cr_worker_describe_end(packet.status, err);
    }
    return CAPRUN_E_PEER;
}

int cr_probe_fork(struct cr_probe *p, uint32_t slot, struct cr_probe_worker *ret,
                  struct cr_err *err)
{
    struct wire_control packet = {
        .kind = WIRE_CONTROL_FORK, .slot = slot, .cpu_s = WORKER_CPU_S, .memory = WORKER_MEMORY};
    cr_autoclose int theirs = -1;
    int pair[2], r;

    *ret = (struct cr_probe_worker){.socket = -1, .pidfd = -1, .slot = slot};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return cr_err_sys(err, "socketpair");
    ret->socket = pair[0];
    theirs = pair[1];
    if (wire_send_packet(p->control, &packet, theirs, MSG_NOSIGNAL) < 0)
        return cr_err_sys(err, "ask the probe for a worker");
    (void)close(cr_steal_fd(&theirs)); /* so that the worker's end of the socket is seen */
    r = wait_for_packet(p, WIRE_CONTROL_FORKED, slot, &packet, &ret->pidfd, err);
    if (r < 0)
        return r;
    if (packet.error || ret->pidfd < 0)
        return cr_err_set(err, CAPRUN_E_PEER, "the probe cannot fork: %s", strerror(packet.error));
    r = cr_kill_check(ret->pidfd, err);
    return r < 0 ? r : wait_until_ready(p, ret, err);
}

int cr_probe_attack(struct cr_probe *p, struct cr_probe_worker *worker, enum probe_call attack,
                    int *ret_status, struct cr_err *err)
{
    struct wire_header number = {.type = WIRE_WAKE, .id = (uint32_t)attack};
    struct wire_control packet;
    int passed, r = 0;
    char byte;

    if (send(worker->socket, &number, sizeof(number), MSG_NOSIGNAL) != (ssize_t)sizeof(number))
        r = cr_err_sys(err, "tell the probe what to try");
    if (r == 0)
        r = wait_for(worker->socket, PATIENCE_MS, err);
    if (r == 0 && recv(worker->socket, &byte, 1, 0) > 0) {
        *ret_status = CR_PROBE_SURVIVED;
    } else if (r == 0) {
        r = wait_for_packet(p, WIRE_CONTROL_EXITED, worker->slot, &packet, &passed, err);
        if (r == 0) {
            close_fd(&passed);
            *ret_status = packet.status;
        }
    }
    cr_probe_release(worker);
    return r;
}

bool cr_probe_dies_with_zygote(struct cr_probe *p, const struct cr_probe_worker *worker)
{
    if (p->zygote < 0 || worker->pidfd < 0)
        return false;
    return cr_kill_process(p->zygote) == 0 && wait_for(worker->pidfd, DEATH_MS, NULL) == 0;
}

void cr_probe_release(struct cr_probe_worker *worker)
{
    if (worker->pidfd >= 0)
        (void)cr_kill_process(worker->pidfd);
    close_fd(&worker->pidfd);
    close_fd(&worker->socket);
}

void cr_probe_end(struct cr_probe *p)
{
    siginfo_t unused;

    if (p->zygote >= 0)
        (void)cr_kill_process(p->zygote); /* if not permitted: it ends when the socket is closed */
    if (p->program)
        (void)kill(p->program, SIGKILL); /* it is not reaped yet, so the pid is still its own */
    close_fd(&p->control);
    close_fd(&p->listener);
    if (p->program)
        while (waitpid(p->program, NULL, 0) < 0 && errno == EINTR)
            ;
    if (p->zygote >= 0)
        while (waitid(P_PIDFD, (id_t)p->zygote, &unused, WEXITED) < 0 && errno == EINTR)
            ;
    close_fd(&p->zygote);
}
