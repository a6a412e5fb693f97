/* zygote.c - starts a zygote, exchanges packets with it, and reaps it. */
#include "pool/zygote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "pool/kill.h"
#include "pool/verify.h"
#include "pool/worker.h"

#define PACKETS_AT_ONCE 1024 /* more than a zygote sends for all its workers; takes about 2 ms */
#define FINAL_PACKETS 4096   /* of a zygote that is dead */
#define PROGRAM_PATIENCE_MS 1000
#define ZYGOTE_PATIENCE_MS 1000
#define LOOK_EVERY_US 1000  /* how often to check whether a process without a pidfd has ended */
#define KNOWN_BY_PIDFD (-1) /* instead of a pid */

int cr_zygote_spawn(const char *path, const char *argument, uint32_t uid_base, int control,
                    pid_t *ret_pid, struct cr_err *err)
{
    static char name[] = "caprun-worker";
    char uid[16];
    char *argv[] = {name, (char *)(uintptr_t)argument, NULL, NULL};
    char *envp[] = {NULL};
    posix_spawn_file_actions_t actions;
    int r;

    (void)snprintf(uid, sizeof(uid), "%u", uid_base);
    if (uid_base)
        argv[argument ? 2 : 1] = uid;
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

const char *cr_zygote_step_text(uint32_t step)
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

static void close_watch(struct cr_zygote *z, struct cr_watch *watch)
{
    if (watch->fd < 0)
        return;
    cr_loop_remove(z->loop, watch);
    (void)close(watch->fd);
    watch->fd = -1;
}

/* If no descriptor can be had, the process stays a zombie until the zygote is freed. */
static void watch_process(struct cr_zygote *z, struct cr_watch *watch, pid_t pid)
{
    if (watch->fd < 0 && pid)
        watch->fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (watch->fd >= 0 && cr_loop_add(z->loop, watch, EPOLLIN, NULL) < 0) {
        (void)close(watch->fd);
        watch->fd = -1;
    }
}

/* Closes the socket, which ends the zygote, and watches a pidfd to see the end. */
static void close_control(struct cr_zygote *z)
{
    close_watch(z, &z->control);
    if (z->pid && z->ended.fd < 0)
        watch_process(z, &z->ended, z->pid);
}

static void read_birth(struct cr_zygote *z);
static void reap_without_pidfd(struct cr_zygote *z);

/*
 * The zygote counts as dead. Its program may not have reported the zygote's process yet: then the
 * socket stays open, for reading only, until the program has ended.
 */
static void wait_for_birth(struct cr_zygote *z)
{
    if (!z->pid && z->program_ended.fd < 0)
        reap_without_pidfd(z);
    if (z->pid || !z->program) {
        read_birth(z);
        return;
    }
    z->awaits_birth = true;
    (void)shutdown(z->control.fd, SHUT_WR);
    cr_loop_remove(z->loop, &z->control);
    cr_loop_set(z->loop, &z->patience, cr_loop_now() + PROGRAM_PATIENCE_MS * (int64_t)1000);
}

/* caprun-worker ends by itself, but |program| may be any other program. */
static void kill_program(struct cr_timer *timer)
{
    (void)cr_kill_process(cr_container(timer, struct cr_zygote, patience)->program_ended.fd);
}

/* Owners of lost workers may start another zygote meanwhile, but do not free this one. */
static void mark_dead(struct cr_zygote *z)
{
    if (z->dead)
        return;
    z->dead = true;
    if (!z->error.code)
        (void)cr_err_set(&z->error, CAPRUN_E_PEER, "%s",
                         z->greeted ? "the zygote, from which workers are forked, is gone"
                                    : "the zygote ended before it was ready");
    wait_for_birth(z);
    while (z->workers) {
        struct cr_worker *w = z->workers;

        cr_zygote_forget(z, w);
        cr_worker_lost(w, &z->error);
    }
    z->changed(z);
}

static struct cr_worker *find_worker(struct cr_zygote *z, uint32_t slot)
{
    struct cr_worker *w = z->workers;

    while (w && w->slot != slot)
        w = w->next;
    return w;
}

static void take_refusal(struct cr_zygote *z, const struct wire_control *packet)
{
    (void)cr_err_set(&z->error, CAPRUN_E_SANDBOX, "the sandbox cannot be built here: %s%s%s",
                     cr_zygote_step_text(packet->step), packet->error ? ": " : "",
                     packet->error ? strerror(packet->error) : "");
}

/*
 * Uses the pidfd: the pid may belong to another process by now, if the application has waited for
 * it. |options| is WNOHANG if the process is known to have ended.
 */
static void reap(pid_t *pid, int pidfd, int options)
{
    siginfo_t unused;

    if (*pid && pidfd >= 0)
        while (waitid(P_PIDFD, (id_t)pidfd, &unused, WEXITED | options) < 0 && errno == EINTR)
            ;
    else if (*pid > 0)
        while (waitpid(*pid, NULL, options) < 0 && errno == EINTR)
            ;
    *pid = 0;
}

static void reap_program(struct cr_zygote *z, int options)
{
    reap(&z->program, z->program_ended.fd, options);
    close_watch(z, &z->program_ended);
}

static void program_is_gone(struct cr_zygote *z)
{
    if (z->awaits_birth)
        read_birth(z);
    if (cr_zygote_is_gone(z))
        z->changed(z);
}

static void program_ended(struct cr_watch *watch, uint32_t events)
{
    struct cr_zygote *z = cr_container(watch, struct cr_zygote, program_ended);

    (void)events;
    reap_program(z, WNOHANG);
    program_is_gone(z);
}

/*
 * Without a pidfd, for lack of descriptors, nothing reports the end of the program: check again and
 * again until it has ended.
 */
static void reap_without_pidfd(struct cr_zygote *z)
{
    if (z->program > 0 && waitpid(z->program, NULL, WNOHANG) == 0)
        cr_loop_set(z->loop, &z->look, cr_loop_now() + LOOK_EVERY_US);
    else
        z->program = 0;
}

static void look_again(struct cr_timer *timer)
{
    struct cr_zygote *z = cr_container(timer, struct cr_zygote, look);

    reap_without_pidfd(z);
    if (!z->program)
        program_is_gone(z);
}

static void zygote_ended(struct cr_watch *watch, uint32_t events)
{
    struct cr_zygote *z = cr_container(watch, struct cr_zygote, ended);

    (void)events;
    reap(&z->pid, watch->fd, WNOHANG);
    close_watch(z, watch);
    if (cr_zygote_is_gone(z))
        z->changed(z);
}

bool cr_zygote_is_gone(const struct cr_zygote *z)
{
    return z->dead && !z->program && !z->pid;
}

static void update_listening(struct cr_zygote *z)
{
    bool wanted = z->awaited || z->eager || !z->greeted || z->ended.fd < 0;

    if (z->dead || wanted == z->listening)
        return;
    z->listening = wanted;
    cr_loop_change(z->loop, &z->control, wanted ? EPOLLIN : 0);
}

/* Takes |pidfd|. Without a pidfd, for lack of descriptors, the pid is used. */
static void take_birth(struct cr_zygote *z, pid_t pid, int *pidfd)
{
    if (z->pid || (pid <= 0 && *pidfd < 0))
        return; /* the process is known already, or this packet does not name one */
    z->pid = pid > 0 ? pid : KNOWN_BY_PIDFD;
    z->ended.fd = cr_steal_fd(pidfd);
    watch_process(z, &z->ended, pid);
    if (z->program_ended.fd < 0)
        reap_without_pidfd(z);
    update_listening(z);
    if (z->retired && !z->users)
        cr_zygote_end(z);
}

static void refuse_incomplete(struct cr_zygote *z)
{
    uint8_t layers[WIRE_LAYERS];
    char missing[400];

    memcpy(layers, z->layers, sizeof(layers));
    layers[WIRE_LAYER_VDSO_CLOCK] = 0; /* it is not required */
    cr_zygote_missing(layers, missing, sizeof(missing));
    (void)cr_err_set(&z->error, CAPRUN_E_SANDBOX,
                     "the sandbox cannot be built here with all its layers: missing %s", missing);
    z->lacks_layers = true;
    mark_dead(z);
}

static void take_greeting(struct cr_zygote *z, const struct wire_control *packet)
{
    z->greeted = true;
    memcpy(z->layers, packet->layers, sizeof(z->layers));
    if (z->all_layers && cr_zygote_lacks_layer(z->layers)) {
        refuse_incomplete(z);
        return;
    }
    update_listening(z);
    z->changed(z);
}

/* If all layers are required, no worker is accepted before the zygote has reported its layers. */
static bool may_fork(const struct cr_zygote *z)
{
    return z->greeted || !z->all_layers;
}

void cr_zygote_kill(struct cr_zygote *z, int pidfd)
{
    if (cr_kill_process(pidfd) == 0 || z->dead)
        return;
    if (!z->error.code)
        (void)cr_err_set(&z->error, CAPRUN_E_STATE, "workers cannot be killed any more: %s",
                         strerror(errno));
    z->is_rejected = true;
    (void)shutdown(z->control.fd, SHUT_WR);
}

/* Checked once, with the first worker: the others are like it. */
static bool may_kill(struct cr_zygote *z, int pidfd)
{
    if (!z->tested && pidfd >= 0)
        z->tested = cr_kill_check(pidfd, &z->error) == 0;
    return z->tested || pidfd < 0;
}

static void handle_packet(struct cr_zygote *z, const struct wire_control *packet, int fd)
{
    cr_autoclose int pidfd = fd;
    struct cr_worker *w = find_worker(z, packet->slot);

    switch (packet->kind) {
    case WIRE_CONTROL_HELLO:
        take_greeting(z, packet);
        break;
    case WIRE_CONTROL_BORN:
        take_birth(z, packet->pid, &pidfd);
        break;
    case WIRE_CONTROL_REFUSE:
        take_refusal(z, packet);
        mark_dead(z);
        break;
    case WIRE_CONTROL_FORKED:
        if (!may_fork(z) || !may_kill(z, pidfd))
            mark_dead(z);
        else if (w)
            cr_worker_forked(w, cr_steal_fd(&pidfd), packet->error);
        else if (pidfd >= 0)
            cr_zygote_kill(z, pidfd); /* its run ended before this packet came */
        break;
    case WIRE_CONTROL_EXITED:
        if (w) {
            cr_zygote_forget(z, w);
            cr_worker_exited(w, packet->status);
        }
        break;
    default:
        (void)cr_err_set(&z->error, z->greeted ? CAPRUN_E_PEER : CAPRUN_E_SANDBOX,
                         "the zygote sent a packet of kind %u", packet->kind);
        mark_dead(z);
    }
}

void cr_zygote_read(struct cr_zygote *z)
{
    /* what is left is read in a later turn: the socket stays readable */
    for (int left = PACKETS_AT_ONCE; !z->dead && left; left--) {
        struct wire_control packet;
        int passed;
        int r =
            wire_receive_packet(z->control.fd, &packet, &passed, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

        if (r > 0) {
            handle_packet(z, &packet, passed);
            continue;
        }
        if (r < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        /* it ended without reading all that was sent; its own packets can still be read */
        if (r < 0 && errno == ECONNRESET)
            continue;
        if (r < 0)
            (void)cr_err_set(&z->error, CAPRUN_E_SANDBOX,
                             "caprun-worker is of another version than libcaprun");
        mark_dead(z);
    }
}

static void control_ready(struct cr_watch *watch, uint32_t events)
{
    (void)events;
    cr_zygote_read(cr_container(watch, struct cr_zygote, control));
}

static int start_program(struct cr_zygote *z, const char *path, uint32_t uid_base,
                         struct cr_err *err)
{
    int pair[2];
    cr_autoclose int theirs = -1;
    int r;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return cr_err_sys(err, "socketpair");
    z->control.fd = pair[0];
    theirs = pair[1];
    r = cr_loop_add(z->loop, &z->control, EPOLLIN, err);
    if (r == 0)
        r = cr_zygote_spawn(path, NULL, uid_base, theirs, &z->program, err);
    if (r < 0)
        close_watch(z, &z->control);
    else
        watch_process(z, &z->program_ended, z->program);
    return r;
}

int cr_zygote_new(struct cr_loop *loop, const char *path, const struct cr_zygote_rules *rules,
                  void (*changed)(struct cr_zygote *z), void *data, struct cr_zygote **ret,
                  struct cr_err *err)
{
    struct cr_zygote *z = malloc(sizeof(*z));
    int r;

    if (!z)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a zygote");
    *z = (struct cr_zygote){.loop = loop,
                            .changed = changed,
                            .data = data,
                            .all_layers = rules->all_layers,
                            .control = {.fd = -1, .ready = control_ready, .name = "zygote"},
                            .listening = true,
                            .program_ended = {.fd = -1, .ready = program_ended, .name = "zygote"},
                            .ended = {.fd = -1, .ready = zygote_ended, .name = "zygote"},
                            .patience = {.when_us = -1, .due = kill_program, .name = "zygote"},
                            .look = {.when_us = -1, .due = look_again, .name = "zygote"},
                            .filters = cr_verify_own_filters(),
                            .born_us = cr_loop_now()};
    r = start_program(z, path, rules->uid_base, err);
    if (r < 0)
        free(z);
    else
        *ret = z;
    return r;
}

/* Reads a packet of a zygote that is ending; workers and pidfds in it are not used any more. */
static bool receive_final_packet(struct cr_zygote *z, struct wire_control *ret)
{
    cr_autoclose int passed = -1;
    int r;

    do
        r = wire_receive_packet(z->control.fd, ret, &passed, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (r < 0 && errno == ECONNRESET);
    if (r > 0 && ret->kind == WIRE_CONTROL_BORN)
        take_birth(z, ret->pid, &passed);
    return r > 0;
}

/* The program's last packet has the zygote's process. */
static void read_birth(struct cr_zygote *z)
{
    struct wire_control packet;

    for (int left = FINAL_PACKETS; left && !z->pid && z->control.fd >= 0; left--)
        if (!receive_final_packet(z, &packet))
            break;
    z->awaits_birth = false;
    cr_loop_unset(z->loop, &z->patience);
    close_control(z);
}

void cr_zygote_end(struct cr_zygote *z)
{
    z->retired = true;
    if (z->program && !z->pid && !z->dead)
        return; /* the zygote's process is not known yet: take_birth() calls this again */
    if (z->awaits_birth)
        return;
    z->dead = true;
    /* without a PID namespace it must wait for its workers, and then ends by itself */
    if (z->ended.fd >= 0 && !z->layers[WIRE_LAYER_PID_NS])
        (void)cr_kill_process(z->ended.fd);
    close_control(z);
}

/* Waits until the program has ended. */
static void end_program(struct cr_zygote *z)
{
    struct pollfd ended = {.fd = z->program_ended.fd, .events = POLLIN};

    if (!z->pid && z->program && ended.fd >= 0 && poll(&ended, 1, PROGRAM_PATIENCE_MS) == 0)
        (void)cr_kill_process(ended.fd);
    reap_program(z, 0);
}

void cr_zygote_free(struct cr_zygote *z)
{
    if (!z)
        return;
    cr_loop_unset(z->loop, &z->look);
    end_program(z);
    read_birth(z);
    cr_zygote_end(z);
    if (z->ended.fd >= 0 &&
        poll(&(struct pollfd){.fd = z->ended.fd, .events = POLLIN}, 1, ZYGOTE_PATIENCE_MS) == 0)
        (void)cr_kill_process(z->ended.fd);
    reap(&z->pid, z->ended.fd, 0);
    close_watch(z, &z->ended);
    free(z);
}

/* A zygote that does not read any more may have sent a refusal. The loop does the rest. */
static bool look_for_refusal(struct cr_zygote *z)
{
    struct wire_control packet;

    for (int left = FINAL_PACKETS; left && receive_final_packet(z, &packet); left--)
        if (packet.kind == WIRE_CONTROL_REFUSE)
            take_refusal(z, &packet);
    return z->error.code != 0;
}

static int return_zygote_error(const struct cr_zygote *z, struct cr_err *err)
{
    *err = z->error;
    return z->error.code;
}

int cr_zygote_fork(struct cr_zygote *z, struct cr_worker *worker, int socket, struct cr_err *err)
{
    struct wire_control packet = {.kind = WIRE_CONTROL_FORK,
                                  .slot = z->slots + 1,
                                  .memory = worker->memory,
                                  .cpu_s = worker->cpu_s};
    int r;

    if (z->dead)
        return return_zygote_error(z, err);
    if (wire_send_packet(z->control.fd, &packet, socket, MSG_DONTWAIT) < 0) {
        bool gone = errno == EPIPE || errno == ECONNRESET;

        if (errno == EAGAIN)
            return cr_err_set(err, CAPRUN_E_BUSY, "the zygote has enough to do");
        r = cr_err_sys(err, "ask the zygote for a worker");
        return gone && look_for_refusal(z) ? return_zygote_error(z, err) : r;
    }
    worker->slot = ++z->slots;
    worker->next = z->workers;
    worker->listed = true;
    z->workers = worker;
    return 0;
}

void cr_zygote_forget(struct cr_zygote *z, struct cr_worker *worker)
{
    struct cr_worker **at = &z->workers;

    if (!worker->listed)
        return;
    while (*at != worker)
        at = &(*at)->next;
    *at = worker->next;
    worker->next = NULL;
    worker->listed = false;
}

void cr_zygote_await(struct cr_zygote *z)
{
    z->awaited++;
    update_listening(z);
}

void cr_zygote_unawait(struct cr_zygote *z)
{
    z->awaited--;
    update_listening(z);
}

void cr_zygote_set_eager(struct cr_zygote *z, bool eager)
{
    z->eager = eager;
    update_listening(z);
}

bool cr_zygote_lacks_layer(const uint8_t layers[WIRE_LAYERS])
{
    for (int i = 0; i < WIRE_LAYERS; i++)
        if (layers[i] && i != WIRE_LAYER_VDSO_CLOCK)
            return true;
    return false;
}

void cr_zygote_missing(const uint8_t layers[WIRE_LAYERS], char *ret, size_t size)
{
    static const char *const names[WIRE_LAYERS] = {
#define XX(name, number, text) [number] = (text),
        WIRE_LAYER_MAP(XX)
#undef XX
    };
    size_t len = 0;

    ret[0] = '\0';
    for (int i = 0; i < WIRE_LAYERS; i++) {
        if (!layers[i])
            continue;
        if (len < size)
            len += (size_t)snprintf(ret + len, size - len, "%s%s (%s)", len ? "; " : "", names[i],
                                    strerror(layers[i]));
    }
}
