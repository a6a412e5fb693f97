/*
 * fake_ends.h - the zygote's and the worker's ends of the host's sockets, for fuzzers.
 *
 * There are no processes: the program that fuzzes holds these ends itself. It answers for /proc, is
 * what starts programs, and may keep the clock, which then moves only when it is told to, or looked
 * at: so the same input does the same again. What passes for a pidfd is none, and nobody is killed.
 *
 * The functions at the end take the place of the host's own and the C library's.
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
    int64_t now_us;  /* on the monotonic clock; 0: the real time */
    int64_t tick_us; /* by which it moves each time that somebody looks at it */
    int64_t cpu_us;  /* that every worker has used */
    bool unlocked;   /* that is what /proc says of workers */
    /* Gets the other end of a zygote's control socket. Returns 0 or an errno. NULL: ENOENT. */
    int (*spawn)(int control);
    int passed; /* to the program that is about to start */
} fake;

/* Whether workers are locked, and how much of the time passes between two looks at the clock. */
static inline void fake_set_world(uint8_t how)
{
    fake.unlocked = how & 1;
    fake.tick_us = how >> 1;
}

/* The loop sees in its next step that time has passed. */
static inline void fake_pass(struct cr_loop *loop, int64_t us)
{
    const struct itimerspec at_once = {.it_value = {.tv_nsec = 1}};

    fake.now_us += us;
    insist(timerfd_settime(loop->clock.fd, TFD_TIMER_ABSTIME, &at_once, NULL) == 0);
}

/*
 * Reads what the host says to a worker, and checks that it may say it. |frame| hears of each, and
 * may be NULL. Returns false if the host has closed the socket.
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

/* Will something happen to a run that has not ended, even if nobody does anything? */
static inline bool fake_is_looked_after(const struct caprun_run *run)
{
    const struct cr_pool *pool = run->pool;

    if (run->state == CR_RUN_WAITING)
        return pool->timer.when_us >= 0 || pool->task.waits || pool->more.waits ||
               pool->running > 0;
    return run->state != CR_RUN_NEW && run->timer.when_us >= 0;
}

/* JSON, for both readers. A result that is as deep as it may be is one level deeper in there. */
static inline void fake_check_envelope(const char *text, size_t len)
{
    unsigned depth = look_whole(text, len);
    int r = cr_scan_json((const uint8_t *)text, len, CR_SCAN_PASS, NULL);

    insist(r == 0 || (r == CAPRUN_E_TOOBIG && depth == CR_SCAN_MAX_DEPTH + 1));
}

/* How many descriptors are open, among the first ones. */
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

/* --- in the place of verify.c ------------------------------------------------------------- */

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

/* --- in the place of kill.c --------------------------------------------------------------- */

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

/* --- in the place of the C library's ------------------------------------------------------ */

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

/* The worker has the number of this process, which is not to be limited. */
int prlimit(pid_t pid, enum __rlimit_resource what, const struct rlimit *limit, struct rlimit *old)
{
    (void)pid;
    (void)what;
    (void)limit;
    (void)old;
    return 0;
}

/* Nor moved, nor made to wait. */
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

/* As if the program had already left, which it does when the zygote is there. */
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
