/*
 * fake_worker.h - a zygote and workers that lie, for tests of the host.
 *
 * The host starts a program by its path, so the test program itself is that program: when it finds
 * a control socket on descriptor 3, it plays the zygote (fake_main). Its workers look locked down
 * from outside, or the host would not talk to them, but their filter allows everything.
 *
 * A worker that got its job looks its code up among the scenes: "name" or "name number". Each is
 * one lie, or the honest twin of one; test_run.c says how the run must end. What has to go wrong
 * before there is a job is chosen by the run's memory limit, FAKE_EARLY plus a number.
 */
#ifndef FAKE_WORKER_H
#define FAKE_WORKER_H

#include <errno.h>
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
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "wire.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define FAKE_EARLY (1ull << 30)
#define FAKE_SIGNAL_FD 4
#define FAKE_MISSING_LAYER WIRE_LAYER_MDWE /* that the fake zygote reports, as ENOSYS */

enum fake_early {
    FAKE_HONEST,
    /* the worker */
    FAKE_EXITS,
    FAKE_CLOSES,
    FAKE_LOGS_FIRST,
    FAKE_READY_WITH_PAYLOAD,
    FAKE_READY_IN_PIECES,
    FAKE_NO_FILTER,
    FAKE_NEW_PRIVILEGES,
    FAKE_DESCRIPTOR_MORE,
    FAKE_NEVER_READY,
    /* the zygote */
    FAKE_FORK_FAILS,
    FAKE_REFUSES,
    FAKE_OTHER_VERSION,
    FAKE_SHORT_PACKET,
    FAKE_UNKNOWN_KIND,
    FAKE_ZYGOTE_DIES,
    FAKE_WRONG_SLOT,
    FAKE_EXITED_BEFORE_FORKED,
};

/* --- frames ------------------------------------------------------------------------------- */

static void fake_put(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    while (len) {
        ssize_t n = write(WIRE_FD, at, len);

        if (n <= 0)
            _exit(WIRE_EXIT_SOCKET);
        at += n;
        len -= (size_t)n;
    }
}

static void fake_read(void *to, size_t len)
{
    uint8_t *at = to;

    while (len) {
        ssize_t n = read(WIRE_FD, at, len);

        if (n <= 0)
            _exit(WIRE_EXIT_SOCKET);
        at += n;
        len -= (size_t)n;
    }
}

/* Only the header: |length| may be a lie. */
static void fake_header(uint32_t length, unsigned type, uint32_t id)
{
    struct wire_header header = {.length = length, .type = (uint16_t)type, .id = id};

    fake_put(&header, sizeof(header));
}

static void fake_frame(enum wire_type type, uint32_t id, const void *payload, size_t len)
{
    fake_header((uint32_t)len, type, id);
    fake_put(payload, len);
}

static void fake_text(enum wire_type type, const char *text)
{
    fake_frame(type, 0, text, strlen(text));
}

static void fake_idle(uint32_t id, int64_t wake_us)
{
    struct wire_idle idle = {wake_us};

    fake_frame(WIRE_IDLE, id, &idle, sizeof(idle));
}

/* Until the host has read all that was written. */
static void fake_drain(void)
{
    int waiting = 1;

    while (ioctl(WIRE_FD, SIOCOUTQ, &waiting) == 0 && waiting > 0)
        (void)sched_yield();
}

static void fake_put_in_pieces(const void *bytes, size_t len, size_t piece)
{
    for (size_t at = 0; at < len; at += piece) {
        fake_put((const uint8_t *)bytes + at, piece < len - at ? piece : len - at);
        fake_drain();
    }
}

/* The next frame of the host. Returns its payload with a NUL after it, never to be freed. */
static char *fake_next(struct wire_header *ret)
{
    char *payload;

    fake_read(ret, sizeof(*ret));
    if (wire_check(ret, WIRE_HOST) < 0)
        _exit(WIRE_EXIT_FRAME);
    payload = malloc((size_t)ret->length + 1);
    if (!payload)
        _exit(WIRE_EXIT_SOCKET);
    fake_read(payload, ret->length);
    payload[ret->length] = '\0';
    return payload;
}

_Noreturn static void fake_wait_for_the_end(void)
{
    for (;;)
        (void)pause();
}

static void fake_sleep_ms(uint32_t ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    (void)nanosleep(&t, NULL);
}

/* --- scenes: frames ----------------------------------------------------------------------- */

struct fake_job {
    struct wire_header header;
    char scene[256];
    long number; /* after the scene's name, or 0 */
};

static void honest(const struct fake_job *job)
{
    (void)job;
    fake_text(WIRE_DONE, "42");
}

/* A header that promises |number| bytes of payload, and a few that come. */
static void call_of_length(const struct fake_job *job)
{
    fake_header((uint32_t)job->number, WIRE_CALL, 1);
    fake_put("12345678", 8);
}

static void done_of_length(const struct fake_job *job)
{
    fake_header((uint32_t)job->number, WIRE_DONE, 0);
    fake_put("12345678", 8);
}

static void type(const struct fake_job *job)
{
    static const uint8_t zeros[64];

    fake_header(job->number == WIRE_JOB ? sizeof(zeros) : 0, (unsigned)job->number, 0);
    fake_put(zeros, job->number == WIRE_JOB ? sizeof(zeros) : 0);
}

static void reserved_field(const struct fake_job *job)
{
    struct wire_header header = {.length = 2, .type = WIRE_DONE};

    header.zero = job->number == 0;
    header.left_ms = job->number == 1;
    header.date_us = job->number == 2;
    header.now_us = job->number == 3;
    fake_put(&header, sizeof(header));
    fake_put("42", 2);
}

static void cut_frame(const struct fake_job *job)
{
    struct wire_header header = {.length = 100, .type = WIRE_DONE};
    uint8_t bytes[sizeof(header) + 100] = {0};

    memcpy(bytes, &header, sizeof(header));
    fake_put(bytes, (size_t)job->number);
    _exit(0);
}

/* Two lines of log and a result, as one run of bytes. */
static size_t stream(uint8_t *bytes)
{
    static const struct {
        enum wire_type type;
        const char *text;
    } frames[] = {{WIRE_LOG, "first"}, {WIRE_LOG, ""}, {WIRE_DONE, "42"}};
    size_t len = 0;

    for (size_t i = 0; i < COUNT(frames); i++) {
        struct wire_header header = {.type = (uint16_t)frames[i].type};

        header.length = (uint32_t)strlen(frames[i].text);
        memcpy(bytes + len, &header, sizeof(header));
        memcpy(bytes + len + sizeof(header), frames[i].text, header.length);
        len += sizeof(header) + header.length;
    }
    return len;
}

#define STREAM_MAX 128

/* The stream in two pieces, cut at |number|; at 0 it comes in one write. */
static void split_stream(const struct fake_job *job)
{
    uint8_t bytes[STREAM_MAX];
    size_t len = stream(bytes), at = (size_t)job->number % len;

    fake_put(bytes, at);
    fake_drain();
    fake_put(bytes + at, len - at);
}

static void stream_by_bytes(const struct fake_job *job)
{
    uint8_t bytes[STREAM_MAX];

    (void)job;
    fake_put_in_pieces(bytes, stream(bytes), 1);
}

/* --- scenes: calls ------------------------------------------------------------------------ */

static void put_call(uint32_t id, const char *ns, const char *action, const char *args)
{
    struct wire_call call = {(uint32_t)strlen(ns), (uint32_t)strlen(action)};

    fake_header((uint32_t)(sizeof(call) + strlen(ns) + strlen(action) + strlen(args)), WIRE_CALL,
                id);
    fake_put(&call, sizeof(call));
    fake_put(ns, strlen(ns));
    fake_put(action, strlen(action));
    fake_put(args, strlen(args));
}

static void put_threw(uint32_t why, uint32_t call, const char *name, const char *message,
                      const char *stack)
{
    struct wire_threw threw = {why, call, (uint32_t)strlen(name), (uint32_t)strlen(message),
                               (uint32_t)strlen(stack)};

    fake_header((uint32_t)(sizeof(threw) + strlen(name) + strlen(message) + strlen(stack)),
                WIRE_THREW, 0);
    fake_put(&threw, sizeof(threw));
    fake_put(name, strlen(name));
    fake_put(message, strlen(message));
    fake_put(stack, strlen(stack));
}

/* Makes one call, waits for the answer, and throws it on. */
static void call_and_throw(const struct fake_job *job)
{
    struct wire_header header;

    put_call(1, "files", "read", job->number ? "{\"a\":" : "{}");
    free(fake_next(&header));
    if (header.type != WIRE_FAIL || header.id != 1)
        _exit(WIRE_EXIT_FRAME);
    put_threw(WIRE_WHY_THREW, 1, "Error", "words of the worker's own", "");
}

static void first_call_id(const struct fake_job *job)
{
    put_call((uint32_t)job->number, "files", "read", "{}");
}

static void call_id_again(const struct fake_job *job)
{
    (void)job;
    put_call(1, "files", "read", "{}");
    put_call(1, "files", "read", "{}");
}

static void call_name(const struct fake_job *job)
{
    static const char *const names[][2] = {
        {"", "read"},       {"files", ""},       {"fi les", "read"},  {"files", "re ad"},
        {"fi:les", "read"}, {"files", "re:ad"},  {"fi.les", "read"},  {"f\xc3\xa9", "read"},
        {"files", "\x01"},  {"files\n", "read"}, {"files", "read\""},
    };

    put_call(1, names[job->number][0], names[job->number][1], "{}");
}
#define CALL_NAMES 11

static void long_call_name(const struct fake_job *job)
{
    char ns[200] = {0}, action[200] = {0};

    memset(ns, 'n', job->number ? LIMIT_NAMESPACE_CHARS : LIMIT_NAMESPACE_CHARS + 1);
    memset(action, 'a', job->number ? LIMIT_ACTION_CHARS + 1 : LIMIT_ACTION_CHARS);
    put_call(1, ns, action, "{}");
}

static void call_lengths(const struct fake_job *job)
{
    static const struct wire_call lies[] = {
        {9, 1}, {1, 9}, {UINT32_MAX, 1}, {1, UINT32_MAX}, {UINT32_MAX, UINT32_MAX}, {0, 0},
    };

    fake_header(sizeof(struct wire_call) + 9, WIRE_CALL, 1);
    fake_put(&lies[job->number], sizeof(lies[0]));
    fake_put("abcdefghi", 9);
}
#define CALL_LENGTHS 6

/* Calls and calls, and never reads an answer. */
static void many_calls(const struct fake_job *job)
{
    for (long i = 1; i <= job->number; i++)
        put_call((uint32_t)i, "files", "read", "{}");
}

/* --- scenes: waiting ---------------------------------------------------------------------- */

static void idle_beyond(const struct fake_job *job)
{
    (void)job;
    fake_idle(2, 0);
}

static void idle_before(const struct fake_job *job)
{
    fake_idle(0, -1);
    honest(job);
}

static void idle_without_timer(const struct fake_job *job)
{
    fake_idle(1, job->number ? INT64_MIN : -1);
}

static void idle_for_ever(const struct fake_job *job)
{
    fake_idle(1, job->number ? INT64_MAX - job->number : INT64_MAX);
}

/* Asks three times for a time that has passed, and gets a WAKE each time. */
static void idle_in_the_past(const struct fake_job *job)
{
    struct wire_header header;

    for (uint32_t frames = 1; frames <= 3; frames++) {
        fake_idle(frames, 0);
        free(fake_next(&header));
        if (header.type != WIRE_WAKE || header.now_us < 0 || !header.left_ms)
            _exit(WIRE_EXIT_FRAME);
    }
    honest(job);
}

static void idle_a_while(const struct fake_job *job)
{
    int64_t wake_us = job->header.now_us + 20000;
    struct wire_header header;

    fake_idle(1, wake_us);
    free(fake_next(&header));
    if (header.type != WIRE_WAKE || header.now_us < wake_us)
        _exit(WIRE_EXIT_FRAME);
    honest(job);
}

static void says_nothing(const struct fake_job *job)
{
    (void)job;
}

static void late_early(const struct fake_job *job)
{
    (void)job;
    fake_text(WIRE_LATE, "at once");
}

static void late_in_time(const struct fake_job *job)
{
    fake_sleep_ms(job->header.left_ms);
    fake_text(WIRE_LOG, "the last words");
    fake_text(WIRE_LATE, "    at loop");
}

static void done_after_the_limit(const struct fake_job *job)
{
    fake_sleep_ms(job->header.left_ms + 5);
    honest(job);
}

static void gone_after_the_limit(const struct fake_job *job)
{
    fake_sleep_ms(job->header.left_ms + 5);
    _exit(WIRE_EXIT_SOCKET);
}

/* --- scenes: ends ------------------------------------------------------------------------- */

static void done(const struct fake_job *job)
{
    static const char *const texts[] = {
        "{", "nul", "1 2", "\xff", "\"\xc3\"", "\357\273\2771", "undefined", "'a'", " ", "[1,]",
    };

    fake_text(WIRE_DONE, texts[job->number]);
}
#define BAD_RESULTS 10

static void done_with_equal_keys(const struct fake_job *job)
{
    (void)job;
    fake_text(WIRE_DONE, "{\"a\":1,\"a\":2}");
}

static void done_of_depth(const struct fake_job *job)
{
    size_t depth = (size_t)job->number;
    char *text = malloc(2 * depth);

    if (!text)
        _exit(WIRE_EXIT_SOCKET);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    fake_frame(WIRE_DONE, 0, text, 2 * depth);
    free(text);
}

/* What comes after the end is not heard. */
static void done_twice(const struct fake_job *job)
{
    honest(job);
    fake_text(WIRE_DONE, "43");
    put_threw(WIRE_WHY_THREW, 0, "Error", "after the end", "");
}

static void threw(const struct fake_job *job)
{
    put_threw((uint32_t)job->number, 0, "TypeError", "x is not a function", "    at f");
}

static void threw_lengths(const struct fake_job *job)
{
    static const struct wire_threw lies[] = {
        {1, 0, 3, 3, 4},          {1, 0, 3, 3, 2},          {1, 0, UINT32_MAX, 5, 5},
        {1, 0, 5, UINT32_MAX, 5}, {1, 0, 5, 5, UINT32_MAX}, {1, 0, UINT32_MAX, UINT32_MAX, 11},
        {1, 1, 3, 3, 3},          {1, UINT32_MAX, 3, 3, 3},
    };

    fake_header(sizeof(lies[0]) + 9, WIRE_THREW, 0);
    fake_put(&lies[job->number], sizeof(lies[0]));
    fake_put("abcdefghi", 9);
}
#define THREW_LENGTHS 8

static void full(const struct fake_job *job)
{
    (void)job;
    fake_header(0, WIRE_FULL, 0);
}

static void log_lines(const struct fake_job *job)
{
    for (long i = 0; i < job->number; i++)
        fake_text(WIRE_LOG, "x");
    honest(job);
}

/* One line of all that a log may have, and |number| more. */
static void log_bytes(const struct fake_job *job)
{
    char *line = calloc(1, LIMIT_LOG_BYTES);

    if (!line)
        _exit(WIRE_EXIT_SOCKET);
    fake_frame(WIRE_LOG, 0, line, LIMIT_LOG_BYTES);
    free(line);
    log_lines(job);
}

static void exits(const struct fake_job *job)
{
    _exit((int)job->number);
}

static void dies(const struct fake_job *job)
{
    sigset_t all;

    /* a sanitizer has handlers of its own */
    (void)signal((int)job->number, SIG_DFL);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
    (void)raise((int)job->number);
}

static void closes(const struct fake_job *job)
{
    if (job->number)
        (void)shutdown(WIRE_FD, SHUT_RDWR);
    else
        (void)close(WIRE_FD);
}

static void says_done_and_exits(const struct fake_job *job)
{
    honest(job);
    _exit(WIRE_EXIT_SOCKET);
}

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
    SCENE(idle_beyond),
    SCENE(idle_before),
    SCENE(idle_without_timer),
    SCENE(idle_for_ever),
    SCENE(idle_in_the_past),
    SCENE(idle_a_while),
    SCENE(says_nothing),
    SCENE(late_early),
    SCENE(late_in_time),
    SCENE(done),
    SCENE(done_after_the_limit),
    SCENE(gone_after_the_limit),
    SCENE(done_of_depth),
    SCENE(done_with_equal_keys),
    SCENE(done_twice),
    SCENE(threw),
    SCENE(threw_lengths),
    SCENE(full),
    SCENE(log_lines),
    SCENE(log_bytes),
    SCENE(exits),
    SCENE(dies),
    SCENE(closes),
    SCENE(says_done_and_exits),
};

/* A worker that returns from its scene waits for its end. */
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

/* --- a worker ----------------------------------------------------------------------------- */

static void fake_filter(void)
{
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &allow};

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
    /* without no_new_privs a filter needs a capability, so this order serves both */
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

_Noreturn static void fake_worker(int socket, enum fake_early early)
{
    struct fake_job job = {0};
    struct wire_job sizes;
    const char *payload;

    fake_lock_down(socket, early);
    fake_say_ready(early);
    payload = fake_next(&job.header);
    memcpy(&sizes, payload, sizeof(sizes));
    if (job.header.type != WIRE_JOB || sizes.code_len >= sizeof(job.scene))
        _exit(WIRE_EXIT_FRAME);
    memcpy(job.scene, payload + sizeof(sizes) + sizes.name_len, sizes.code_len);
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
} fake_children[64];

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

/* Returns true if it did something else than forking. */
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
    enum fake_early early = request->memory > FAKE_EARLY
                                ? (enum fake_early)(request->memory - FAKE_EARLY)
                                : FAKE_HONEST;
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

/* Is the program that was started, then the zygote. Ends when the host closes the socket. */
_Noreturn static void fake_main(void)
{
    struct pollfd fds[] = {{.fd = WIRE_FD, .events = POLLIN},
                           {.fd = FAKE_SIGNAL_FD, .events = POLLIN}};
    struct wire_control packet = fake_packet(WIRE_CONTROL_BORN);
    sigset_t chld;

    packet.pid = (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    if (packet.pid) {
        fake_tell(packet, -1, sizeof(packet));
        _exit(WIRE_EXIT_OK);
    }
    (void)sigemptyset(&chld);
    (void)sigaddset(&chld, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &chld, NULL);
    (void)close_range(FAKE_SIGNAL_FD, ~0u, 0);
    (void)dup2(signalfd(-1, &chld, SFD_NONBLOCK), FAKE_SIGNAL_FD);
    packet = fake_packet(WIRE_CONTROL_HELLO);
    packet.layers[FAKE_MISSING_LAYER] = ENOSYS;
    fake_tell(packet, -1, sizeof(packet));
    for (;;) {
        (void)poll(fds, 2, -1);
        if (fds[1].revents)
            fake_reap();
        if (fds[0].revents)
            fake_take_request();
    }
}

#endif
