/* zygote.c - packets to and from the zygote. */
#include "pool/zygote.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "pool/worker.h"

static int spawn(const char *path, int control, pid_t *ret_pid, struct cr_err *err)
{
    static char name[] = "caprun-worker";
    char *argv[] = {name, NULL};
    char *envp[] = {NULL};
    posix_spawn_file_actions_t actions;
    int r;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory to start '%s'", path);
    r = posix_spawn_file_actions_adddup2(&actions, control, WIRE_FD);
    if (r == 0)
        r = posix_spawn(ret_pid, path, &actions, NULL, argv, envp);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (r == 0)
        return 0;
    errno = r;
    return cr_err_sys(err, "start '%s'", path);
}

static const char *step_text(uint32_t step)
{
    switch (step) {
#define XX(name, number, text) \
    case number:               \
        return text;
        WIRE_STEP_MAP(XX)
#undef XX
    default:
        return "an unknown step";
    }
}

/* Tells all workers. Their owners may start another zygote meanwhile, so |z| is not looked at then.
 */
static void die(struct cr_zygote *z)
{
    struct cr_worker *list = z->workers;
    struct cr_err why;

    z->dead = true;
    z->workers = NULL;
    if (!z->error.code)
        (void)cr_err_set(&z->error, CAPRUN_E_SANDBOX, "%s",
                         z->greeted ? "the zygote, from which workers are forked, is gone"
                                    : "the zygote ended before it was ready");
    why = z->error;
    cr_loop_remove(z->loop, &z->control);
    for (struct cr_worker *w = list; w; w = w->next)
        w->listed = false;
    while (list) {
        struct cr_worker *w = list;

        list = w->next;
        w->next = NULL;
        cr_worker_lost(w, &why);
    }
}

static struct cr_worker *find(struct cr_zygote *z, uint32_t slot)
{
    struct cr_worker *w = z->workers;

    while (w && w->slot != slot)
        w = w->next;
    return w;
}

static void take_refusal(struct cr_zygote *z, const struct wire_control *packet)
{
    (void)cr_err_set(&z->error, CAPRUN_E_SANDBOX, "the sandbox cannot be built here: %s%s%s",
                     step_text(packet->step), packet->error ? ": " : "",
                     packet->error ? strerror(packet->error) : "");
}

/* For packets of a zygote that is going: what comes with them is not wanted any more. */
static bool receive_last_words(struct cr_zygote *z, struct wire_control *ret)
{
    int passed, r;

    do
        r = wire_receive_packet(z->control.fd, ret, &passed, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (r < 0 && errno == ECONNRESET);
    if (passed >= 0)
        (void)close(passed);
    return r > 0;
}

static void handle(struct cr_zygote *z, const struct wire_control *packet, int fd)
{
    cr_autoclose int pidfd = fd;
    struct cr_worker *w = find(z, packet->slot);

    switch (packet->kind) {
    case WIRE_CONTROL_HELLO:
        z->greeted = true;
        memcpy(z->layers, packet->layers, sizeof(z->layers));
        break;
    case WIRE_CONTROL_BORN:
        z->pid = packet->pid;
        break;
    case WIRE_CONTROL_REFUSE:
        take_refusal(z, packet);
        die(z);
        break;
    case WIRE_CONTROL_FORKED:
        if (w)
            cr_worker_forked(w, cr_steal_fd(&pidfd), packet->error);
        else if (pidfd >= 0)
            cr_worker_kill(pidfd); /* its run ended before we heard of it */
        break;
    case WIRE_CONTROL_EXITED:
        if (w) {
            cr_zygote_forget(z, w);
            cr_worker_exited(w, packet->status);
        }
        break;
    default:
        (void)cr_err_set(&z->error, CAPRUN_E_PEER, "the zygote sent a packet of kind %u",
                         packet->kind);
        die(z);
    }
}

static void control_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_zygote *z = cr_container(watch, struct cr_zygote, control);

    (void)events;
    while (!z->dead) {
        struct wire_control packet;
        int passed;
        int r = wire_receive_packet(watch->fd, &packet, &passed, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

        if (r > 0) {
            handle(z, &packet, passed);
            continue;
        }
        if (r < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        /* it left without reading all that we sent; what it sent before is still to come */
        if (r < 0 && errno == ECONNRESET)
            continue;
        if (r < 0)
            (void)cr_err_set(&z->error, CAPRUN_E_SANDBOX,
                             "caprun-worker is of another version than libcaprun");
        die(z);
    }
}

static void reap(pid_t *pid)
{
    if (*pid > 0)
        while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
            ;
    *pid = 0;
}

static void reap_program(struct cr_zygote *z)
{
    reap(&z->program);
    cr_loop_remove(z->loop, &z->program_ended);
    if (z->program_ended.fd >= 0)
        (void)close(z->program_ended.fd);
    z->program_ended.fd = -1;
}

static void program_ended(struct cr_watch *watch, uint32_t events)
{
    (void)events;
    reap_program(cr_container(watch, struct cr_zygote, program_ended));
}

/* The program leaves soon, and is not to stay a zombie until the zygote ends. */
static void watch_program(struct cr_zygote *z)
{
    z->program_ended.fd = (int)syscall(SYS_pidfd_open, z->program, 0);
    if (z->program_ended.fd >= 0)
        (void)cr_loop_add(z->loop, &z->program_ended, EPOLLIN, NULL);
}

int cr_zygote_start(struct cr_zygote *z, struct cr_loop *loop, const char *path, struct cr_err *err)
{
    int pair[2];
    cr_autoclose int ours = -1;
    cr_autoclose int theirs = -1;
    int r;

    *z = (struct cr_zygote){.loop = loop,
                            .control = {.fd = -1, .ready = control_ready},
                            .program_ended = {.fd = -1, .ready = program_ended}};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return cr_err_sys(err, "socketpair");
    ours = pair[0];
    theirs = pair[1];
    z->control.fd = ours;
    r = cr_loop_add(loop, &z->control, EPOLLIN, err);
    if (r == 0) {
        r = spawn(path, theirs, &z->program, err);
        if (r < 0)
            cr_loop_remove(loop, &z->control);
    }
    if (r < 0) {
        z->control.fd = -1;
        z->dead = true;
        return r;
    }
    watch_program(z);
    (void)cr_steal_fd(&ours);
    return 0;
}

void cr_zygote_stop(struct cr_zygote *z)
{
    struct wire_control packet;

    reap_program(z);
    /* its last word, which names the zygote, may still be unread */
    while (!z->pid && z->control.fd >= 0 && receive_last_words(z, &packet))
        if (packet.kind == WIRE_CONTROL_BORN)
            z->pid = packet.pid;
    if (!z->dead)
        cr_loop_remove(z->loop, &z->control);
    z->dead = true;
    if (z->control.fd >= 0)
        (void)close(z->control.fd);
    z->control.fd = -1;
    /* it ends because its socket has closed */
    reap(&z->pid);
}

/* A zygote that does not listen any more may have said why. The loop will do the rest. */
static bool look_for_refusal(struct cr_zygote *z)
{
    struct wire_control packet;

    while (receive_last_words(z, &packet)) {
        if (packet.kind == WIRE_CONTROL_REFUSE)
            take_refusal(z, &packet);
        if (packet.kind == WIRE_CONTROL_BORN)
            z->pid = packet.pid;
    }
    return z->error.code != 0;
}

static int say_dead(const struct cr_zygote *z, struct cr_err *err)
{
    *err = z->error;
    return z->error.code;
}

int cr_zygote_fork(struct cr_zygote *z, struct cr_worker *worker, int socket, uint64_t memory,
                   uint32_t cpu_s, struct cr_err *err)
{
    struct wire_control packet = {
        .kind = WIRE_CONTROL_FORK, .slot = ++z->next_slot, .memory = memory, .cpu_s = cpu_s};
    int r;

    if (z->dead)
        return say_dead(z, err);
    if (wire_send_packet(z->control.fd, &packet, socket, MSG_DONTWAIT) < 0) {
        bool gone = errno == EPIPE || errno == ECONNRESET;

        r = cr_err_sys(err, "ask the zygote for a worker");
        return gone && look_for_refusal(z) ? say_dead(z, err) : r;
    }
    worker->slot = packet.slot;
    worker->next = z->workers;
    worker->listed = true;
    z->workers = worker;
    return 0;
}

void cr_zygote_forget(struct cr_zygote *z, struct cr_worker *worker)
{
    struct cr_worker **at = &z->workers;

    while (*at && *at != worker)
        at = &(*at)->next;
    if (*at)
        *at = worker->next;
    worker->next = NULL;
    worker->listed = false;
}

void cr_zygote_missing(const struct cr_zygote *z, char *ret, size_t size)
{
    static const char *const names[WIRE_LAYERS] = {
#define XX(name, number, text) [number] = (text),
        WIRE_LAYER_MAP(XX)
#undef XX
    };
    size_t len = 0;

    ret[0] = '\0';
    for (int i = 0; i < WIRE_LAYERS; i++) {
        if (!z->layers[i])
            continue;
        if (len < size)
            len += (size_t)snprintf(ret + len, size - len, "%s%s (%s)", len ? "; " : "", names[i],
                                    strerror(z->layers[i]));
    }
}
