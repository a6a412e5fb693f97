/*
 * fake_ends.h - the zygote's and the worker's ends of the host's sockets, for fuzzers.
 *
 * There are no processes: the fuzzer itself holds these ends. It answers instead of /proc, replaces
 * posix_spawn(), and may control the clock, which then advances only on request or when it is read:
 * so the same input has the same effect again. The pidfds are fake, and no process is killed.
 *
 * The functions at the end replace functions of the host and of the C library.
 */
#ifndef FAKE_ENDS_H
#define FAKE_ENDS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/scan.h"
#include "pool/kill.h"
#include "run/run_parts.h"
#include "pool/verify.h"

#include "look.h"

static struct {
    int64_t now_us;  /* the time of the monotonic clock; 0: the real time */
    int64_t tick_us; /* the clock advances by this on each read */
    int64_t cpu_us;  /* the CPU time of every worker */
    bool unlocked;   /* /proc shows workers that are not locked down */
    /* Gets the other end of a zygote's control socket. Returns 0 or an errno. NULL: ENOENT. */
    int (*spawn)(int control);
    int passed; /* the descriptor for the program that is being started */
} fake;

/* Sets whether workers are locked down, and how far the clock advances on each read. */
static inline void fake_set_world(uint8_t how)
{
    fake.unlocked = how & 1;
    fake.tick_us = how >> 1;
}

/* Advances the clock, so that the loop sees it in its next step. */
static inline void fake_pass(struct cr_loop *loop, int64_t us)
{
    const struct itimerspec at_once = {.it_value = {.tv_nsec = 1}};

    fake.now_us += us;
    insist(timerfd_settime(loop->clock.fd, TFD_TIMER_ABSTIME, &at_once, NULL) == 0);
}

/*
 * Reads the host's frames to a worker, and checks that they are valid. Calls |frame|, which may be
 * NULL, for each. Returns false if the host has closed the socket.
 */
static inline bool fake_hear(int fd, struct cr_buf *heard,
                             void (*frame)(void *data, const struct wire_header *header,
                                           const uint8_t *payload),
                             void *data)
{
    uint8_t *room;
    ssize_t n = 0;

    do {
        heard->len += (size_t)n;
        room = cr_buf_room(heard, 65536);
        insist(room != NULL);
        n = recv(fd, room, 65536, MSG_DONTWAIT);
    } while (n > 0);
    while (heard->len >= sizeof(struct wire_header)) {
        struct wire_header header;

        memcpy(&header, heard->data, sizeof(header));
        insist(wire_check(&header, WIRE_HOST) == 0);
        if (heard->len < sizeof(header) + header.length)
            break;
        if (frame)
            frame(data, &header, heard->data + sizeof(header));
        cr_buf_drop(heard, sizeof(header) + header.length);
    }
    return n < 0 && errno == EAGAIN;
}

/* Will an unfinished run continue or end without further input? */
static inline bool fake_is_looked_after(const struct caprun_run *run)
{
    const struct cr_pool *pool = run->pool;

    if (run->state == CR_RUN_WAITING)
        return pool->timer.when_us >= 0 || pool->task.waits || pool->more.waits ||
               pool->running > 0;
    return run->state != CR_RUN_NEW && run->timer.when_us >= 0;
}

/* Both JSON readers must accept the envelope, which adds one level to the depth of the result. */
static inline void fake_check_envelope(const char *text, size_t len)
{
    unsigned depth = look_whole(text, len);
    int r = cr_scan_json((const uint8_t *)text, len, CR_SCAN_PASS, NULL);

    insist(r == 0 || (r == CAPRUN_E_TOOBIG && depth == CR_SCAN_MAX_DEPTH + 1));
}

/* Returns how many of the first descriptors are open. */
static inline int fake_count_descriptors(void)
{
    struct pollfd fds[256];
    int count = 256;

    for (int i = 0; i < 256; i++)
        fds[i] = (struct pollfd){.fd = i};
    (void)poll(fds, 256, 0);
    for (int i = 0; i < 256; i++)
        count -= (fds[i].revents & POLLNVAL) != 0;
    return count;
}

/* --- replaces verify.c -------------------------------------------------------------------- */

int cr_verify_worker(pid_t pid, unsigned inherited, struct cr_err *err)
{
    (void)inherited;
    if (pid == getpid() && !fake.unlocked)
        return 0;
    return cr_err_set(err, CAPRUN_E_SANDBOX, "the worker is not locked down");
}

unsigned cr_verify_own_filters(void)
{
    return 0;
}

uint64_t cr_verify_resident(pid_t pid)
{
    return (uint64_t)pid;
}

/* --- replaces kill.c ---------------------------------------------------------------------- */

int cr_kill_process(int pidfd)
{
    (void)pidfd;
    return 0;
}

int cr_kill_check(int pidfd, struct cr_err *err)
{
    (void)pidfd;
    (void)err;
    return 0;
}

/* --- replaces functions of the C library -------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *t)
{
    bool theirs = clock < 0; /* the CPU time of another process */
    int64_t us = fake.cpu_us;

    if (!theirs && (clock != CLOCK_MONOTONIC || !fake.now_us))
        return (int)syscall(SYS_clock_gettime, clock, t);
    if (!theirs)
        us = fake.now_us += fake.tick_us;
    *t = (struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    return 0;
}

/* The worker's pid is the pid of this process, which must not be limited. */
int prlimit(pid_t pid, enum __rlimit_resource what, const struct rlimit *limit, struct rlimit *old)
{
    (void)pid;
    (void)what;
    (void)limit;
    (void)old;
    return 0;
}

/* This process must not be moved to another processor either, or get another priority. */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    (void)pid;
    (void)size;
    (void)set;
    return 0;
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
    (void)pid;
    (void)policy;
    (void)param;
    return 0;
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int fd, int new_fd)
{
    (void)actions;
    (void)new_fd;
    fake.passed = fd;
    return 0;
}

/* Behaves as if the program had already exited, as it does when the zygote exists. */
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    int control;

    (void)path;
    (void)actions;
    (void)attr;
    (void)argv;
    (void)envp;
    *pid = 0;
    if (!fake.spawn)
        return ENOENT;
    control = fcntl(fake.passed, F_DUPFD_CLOEXEC, 0);
    insist(control >= 0);
    return fake.spawn(control);
}

#endif
