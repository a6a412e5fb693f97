/*
 * fake_worker.h - a fake zygote and fake workers that misbehave, for tests of the host.
 *
 * The host starts the worker program by its path; here that is the test program itself. If it has a
 * control socket on descriptor 3, it plays the zygote (fake_main). Its workers look locked down
 * from outside, because otherwise the host would not talk to them, but their filter allows
 * everything.
 *
 * A worker that got its job looks up its code in the list of scenes: "name" or "name number". Each
 * scene is one misbehaviour, or its honest twin; test_run.c says how the run must end. Misbehaviour
 * before the job is selected by the run's memory limit, FAKE_EARLY plus a number, or for the next
 * few workers by the plan (fake_frames.h).
 */
#ifndef FAKE_WORKER_H
#define FAKE_WORKER_H

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_scenes.h"
#include "wire.h"

static const struct {
    const char *name;
    void (*play)(const struct fake_job *job);
} scenes[] = {
#define SCENE(name) \
    {               \
#name, name \
    }
    SCENE(honest),
    SCENE(call_of_length),
    SCENE(done_of_length),
    SCENE(done_taking),
    SCENE(threw_taking),
    SCENE(type),
    SCENE(reserved_field),
    SCENE(cut_frame),
    SCENE(split_stream),
    SCENE(stream_by_bytes),
    SCENE(call_and_throw),
    SCENE(first_call_id),
    SCENE(call_id_again),
    SCENE(call_name),
    SCENE(long_call_name),
    SCENE(call_lengths),
    SCENE(many_calls),
    SCENE(many_calls_and_done),
    SCENE(call_and_syntax),
    SCENE(calls_and_a_throw),
    SCENE(attempts),
    SCENE(attempt_of_number),
    SCENE(attempt_and_throw),
    SCENE(attempt_lengths),
    SCENE(attempt_of_long_part),
    SCENE(attempt_with_nul),
    SCENE(idle_beyond),
    SCENE(idle_before),
    SCENE(idle_again),
    SCENE(idle_without_timer),
    SCENE(idle_for_ever),
    SCENE(idle_in_the_past),
    SCENE(idle_a_while),
    SCENE(says_nothing),
    SCENE(says_a_word),
    SCENE(late_early),
    SCENE(late_in_time),
    SCENE(done),
    SCENE(done_after_the_limit),
    SCENE(computes),
    SCENE(gone_after_the_limit),
    SCENE(done_of_depth),
    SCENE(done_with_equal_keys),
    SCENE(done_twice),
    SCENE(threw),
    SCENE(threw_lengths),
    SCENE(threw_long_part),
    SCENE(full),
    SCENE(log_lines),
    SCENE(log_bytes),
    SCENE(log_bytes_twice),
    SCENE(exits),
    SCENE(dies),
    SCENE(closes),
    SCENE(says_done_and_exits),
};

/* Plays the scene. A worker that returns from its scene waits until it is killed. */
static void fake_play(const struct fake_job *job)
{
    for (size_t i = 0; i < COUNT(scenes); i++) {
        if (strcmp(scenes[i].name, job->scene) == 0) {
            scenes[i].play(job);
            return;
        }
    }
    _exit(WIRE_EXIT_FRAME);
}

/* --- the plan ----------------------------------------------------------------------------- */

static struct fake_plan *fake_plan;

static struct fake_plan *fake_map_plan(int fd)
{
    void *at = mmap(NULL, sizeof(*fake_plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* In the test: makes a new plan where all are honest. Returns false if out of memory. */
static inline bool fake_make_plan(void)
{
    int fd = fake_plan ? -1 : memfd_create("plan", MFD_CLOEXEC);

    if (fd >= 0 && ftruncate(fd, sizeof(*fake_plan)) == 0) {
        (void)dup3(fd, FAKE_PLAN_FD, O_CLOEXEC);
        fake_plan = fake_map_plan(fd);
        (void)close(fd);
    }
    if (!fake_plan)
        return false;
    *fake_plan = (struct fake_plan){.birth = FAKE_IS_BORN};
    return true;
}

/* In the started program, whose parent is the test: opens the plan of the test. */
static void fake_open_plan(void)
{
    char path[64];
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(), FAKE_PLAN_FD);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0)
        fake_plan = fake_map_plan(fd);
    (void)close(fd);
}

static enum fake_birth fake_birth(void)
{
    return fake_plan && fake_plan->births > 0 && fake_plan->births-- ? fake_plan->birth
                                                                     : FAKE_IS_BORN;
}

static enum fake_early fake_early(const struct wire_control *request)
{
    if (fake_plan && fake_plan->forks > 0) {
        fake_plan->forks--;
        return fake_plan->early;
    }
    return request->memory > FAKE_EARLY ? (enum fake_early)(request->memory - FAKE_EARLY)
                                        : FAKE_HONEST;
}

/* --- a worker ----------------------------------------------------------------------------- */

static void fake_filter(void)
{
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &allow};

    for (int i = 0; i < 2; i++) /* one filter for the zygote, one for the worker */
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
            _exit(WIRE_EXIT_LOCKDOWN);
}

static void fake_lock_down(int socket, enum fake_early early)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)dup2(socket, WIRE_FD);
    (void)close_range(0, WIRE_FD - 1, 0);
    (void)close_range(WIRE_FD + 1, ~0u, 0);
    if (early == FAKE_DESCRIPTOR_MORE)
        (void)dup2(WIRE_FD, 7);
    if (early != FAKE_NEW_PRIVILEGES)
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    /* without no_new_privs a filter needs a capability, so load it before dropping them */
    if (early != FAKE_NO_FILTER)
        fake_filter();
    (void)syscall(SYS_capset, &header, none);
}

static void fake_say_ready(enum fake_early early)
{
    const struct wire_header ready = {.type = WIRE_READY};

    switch ((int)early) {
    case FAKE_EXITS:
        _exit(WIRE_EXIT_LOCKDOWN);
    case FAKE_CLOSES:
        (void)close(WIRE_FD);
        fake_wait_for_the_end();
    case FAKE_NEVER_READY:
        fake_wait_for_the_end();
    case FAKE_LOGS_FIRST:
        fake_text(WIRE_LOG, "hello");
        break;
    case FAKE_READY_WITH_PAYLOAD:
        fake_text(WIRE_READY, "x");
        break;
    case FAKE_READY_IN_PIECES:
        fake_put_in_pieces(&ready, sizeof(ready), 1);
        break;
    default:
        fake_put(&ready, sizeof(ready));
    }
}

static void fake_leave(enum fake_early early)
{
    struct pollfd job = {.fd = WIRE_FD, .events = POLLIN};
    struct wire_header header;

    if (early != FAKE_LEAVES_AT_ONCE)
        (void)poll(&job, 1, -1);
    if (early == FAKE_LEAVES_HALF)
        fake_read(&header, sizeof(header));
    if (early == FAKE_LEAVES_AT_ONCE || early == FAKE_LEAVES_UNREAD || early == FAKE_LEAVES_HALF)
        _exit(WIRE_EXIT_SOCKET);
}

_Noreturn static void fake_worker(int socket, enum fake_early early)
{
    struct fake_job job = {0};
    struct wire_job sizes;
    const char *payload;

    fake_lock_down(socket, early);
    fake_say_ready(early);
    fake_leave(early);
    payload = fake_next(&job.header);
    memcpy(&sizes, payload, sizeof(sizes));
    if (job.header.type != WIRE_JOB || sizes.code_len >= sizeof(job.scene))
        _exit(WIRE_EXIT_FRAME);
    memcpy(job.scene, payload + sizeof(sizes) + sizes.name_len + sizes.schema_len, sizes.code_len);
    if (strchr(job.scene, ' ')) {
        job.number = strtol(strchr(job.scene, ' '), NULL, 10);
        *strchr(job.scene, ' ') = '\0';
    }
    fake_play(&job);
    fake_wait_for_the_end();
}

/* --- the zygote --------------------------------------------------------------------------- */

static struct {
    pid_t pid;
    uint32_t slot;
} fake_children[1024];

union fake_ancillary {
    struct cmsghdr header;
    uint8_t bytes[CMSG_SPACE(sizeof(int))];
};

static void fake_tell(struct wire_control packet, int fd, size_t len)
{
    union fake_ancillary anc;
    struct iovec iov = {&packet, len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

    if (fd >= 0) {
        memset(&anc, 0, sizeof(anc));
        anc.header.cmsg_level = SOL_SOCKET;
        anc.header.cmsg_type = SCM_RIGHTS;
        anc.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&anc.header), &fd, sizeof(fd));
        msg.msg_control = &anc;
        msg.msg_controllen = sizeof(anc);
    }
    if (sendmsg(WIRE_FD, &msg, MSG_NOSIGNAL) < 0)
        _exit(WIRE_EXIT_SOCKET);
}

static struct wire_control fake_packet(enum wire_control_kind kind)
{
    return (struct wire_control){.version = WIRE_VERSION, .kind = kind};
}

/* Returns true if the zygote misbehaved instead of forking. */
static bool fake_zygote_misbehaves(const struct wire_control *request, enum fake_early early)
{
    struct wire_control packet = fake_packet(WIRE_CONTROL_FORKED);
    size_t len = sizeof(packet);

    packet.slot = request->slot;
    switch ((int)early) {
    case FAKE_FORK_FAILS:
        packet.error = EAGAIN;
        break;
    case FAKE_REFUSES:
        packet.kind = WIRE_CONTROL_REFUSE;
        packet.step = WIRE_STEP_SECCOMP;
        packet.error = EPERM;
        break;
    case FAKE_OTHER_VERSION:
        packet.version++;
        break;
    case FAKE_SHORT_PACKET:
        len--;
        break;
    case FAKE_UNKNOWN_KIND:
        packet.kind = 77;
        break;
    case FAKE_ZYGOTE_DIES:
        _exit(WIRE_EXIT_SOCKET);
    case FAKE_EXITED_BEFORE_FORKED:
        packet.kind = WIRE_CONTROL_EXITED;
        packet.status = WIRE_EXIT_LOCKDOWN << 8;
        break;
    default:
        return false;
    }
    fake_tell(packet, -1, len);
    return true;
}

static void fake_fork(const struct wire_control *request, int socket)
{
    enum fake_early early = fake_early(request);
    struct wire_control packet = fake_packet(WIRE_CONTROL_FORKED);
    int pidfd = -1;
    size_t free_slot = 0;
    long pid;

    if (early == FAKE_WRONG_SLOT) {
        packet.slot = request->slot + 1000;
        fake_tell(packet, -1, sizeof(packet));
    }
    if (!fake_zygote_misbehaves(request, early)) {
        pid = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &pidfd, NULL, NULL);
        if (pid == 0)
            fake_worker(socket, early);
        while (fake_children[free_slot].pid)
            free_slot++;
        fake_children[free_slot].pid = (pid_t)pid;
        fake_children[free_slot].slot = packet.slot = request->slot;
        if (fake_plan)
            fake_plan->pids[fake_plan->forked++ % COUNT(fake_plan->pids)] = (pid_t)pid;
        fake_tell(packet, pidfd, sizeof(packet));
        if (early == FAKE_FORKED_TWICE)
            fake_tell(packet, pidfd, sizeof(packet));
        (void)close(pidfd);
    }
    (void)close(socket);
}

static void fake_reap(void)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    (void)!read(FAKE_SIGNAL_FD, &info, sizeof(info));
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (size_t i = 0; i < COUNT(fake_children); i++) {
            struct wire_control packet = fake_packet(WIRE_CONTROL_EXITED);

            if (fake_children[i].pid != pid)
                continue;
            packet.slot = fake_children[i].slot;
            packet.status = status;
            fake_children[i].pid = 0;
            if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
                fake_tell(packet, -1, sizeof(packet));
        }
    }
}

static void fake_take_request(void)
{
    struct wire_control packet;
    union fake_ancillary anc;
    struct iovec iov = {&packet, sizeof(packet)};
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &anc, .msg_controllen = sizeof(anc)};
    int socket;

    if (recvmsg(WIRE_FD, &msg, 0) != (ssize_t)sizeof(packet))
        _exit(WIRE_EXIT_OK);
    memcpy(&socket, CMSG_DATA(&anc.header), sizeof(socket));
    fake_fork(&packet, socket);
}

static bool fake_is_wanted(void)
{
    int type = 0;
    socklen_t len = sizeof(type);

    return getsockopt(WIRE_FD, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET;
}

/* Plays the program until the zygote exists; |birth| may end it earlier. */
static void fake_be_born(enum fake_birth birth)
{
    struct wire_control packet = fake_packet(WIRE_CONTROL_BORN);

    if (birth == FAKE_HANGS_UNBORN)
        fake_wait_for_the_end();
    if (birth == FAKE_DIES_UNBORN)
        _exit(WIRE_EXIT_SOCKET);
    packet.pid = (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    if (packet.pid) {
        fake_tell(packet, (int)syscall(SYS_pidfd_open, packet.pid, 0), sizeof(packet));
        _exit(WIRE_EXIT_OK);
    }
}

static void fake_greet(enum fake_birth birth)
{
    struct wire_control packet = fake_packet(WIRE_CONTROL_HELLO);
    char end;

    if (birth == FAKE_DIES_AT_BIRTH)
        _exit(WIRE_EXIT_SOCKET);
    if (birth == FAKE_HANGS_AT_BIRTH)
        while (recv(WIRE_FD, &end, 1, 0) > 0)
            ;
    if (birth == FAKE_SAYS_NO_HELLO)
        return;
    if (birth == FAKE_LACKS_THE_CLOCK)
        packet.layers[WIRE_LAYER_VDSO_CLOCK] = ENOSYS;
    else if (birth != FAKE_HAS_ALL_LAYERS)
        packet.layers[FAKE_MISSING_LAYER] = ENOSYS;
    if (birth == FAKE_REFUSES_AT_BIRTH)
        packet.kind = WIRE_CONTROL_REFUSE;
    fake_tell(packet, -1, sizeof(packet));
}

/* Plays the started program, then the zygote. Ends when the host closes the socket. */
_Noreturn static void fake_main(void)
{
    struct pollfd fds[] = {{.fd = WIRE_FD, .events = POLLIN},
                           {.fd = FAKE_SIGNAL_FD, .events = POLLIN}};
    enum fake_birth birth;
    sigset_t chld;

    fake_open_plan();
    birth = fake_birth();
    fake_be_born(birth);
    (void)sigemptyset(&chld);
    (void)sigaddset(&chld, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &chld, NULL);
    (void)close_range(FAKE_SIGNAL_FD, ~0u, 0);
    (void)dup2(signalfd(-1, &chld, SFD_NONBLOCK), FAKE_SIGNAL_FD);
    fake_greet(birth);
    for (;;) {
        (void)poll(fds, 2, -1);
        if (fds[1].revents)
            fake_reap();
        if (fds[0].revents)
            fake_take_request();
    }
}

#endif
