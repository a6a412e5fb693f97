/*
 * watchdog.c - the variant "watchdog": checks that turns of the loop are short and never block.
 *
 * See base/watchdog.h. Calls that can block are replaced in the host's objects by the functions
 * below (the list `calls`, which the Makefile passes to objcopy). A turn that breaks a rule aborts
 * the program, so that no test can miss it.
 */
#ifndef CR_WATCHDOG
#define CR_WATCHDOG /* for the linters, which know no variants */
#endif
#include "base/watchdog.h"

#include <execinfo.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

#define MOST_US 20000
#define PROC_MAGIC 0x9fa0

static __thread const char *source;
static __thread int64_t began_us;
static __thread const char
    *left; /* the source of the turn, while a callback of the application runs */
static __thread int64_t left_us;
static __thread int depth; /* nesting of the application's callbacks and of the calls they make */

static int64_t cpu_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t most_us(void)
{
    static double times;
    const char *text = times == 0 ? getenv("CAPRUN_TEST_TIMEOUT_MULTIPLIER") : NULL;

    if (times == 0)
        times = text ? strtod(text, NULL) : 1;
    return (int64_t)(MOST_US * (times > 0 ? times : 1));
}

/* The longest turn, printed at the end if CAPRUN_WATCHDOG_REPORT is set. */
static struct {
    int64_t us;
    const char *source;
} longest;

static void report(void)
{
    (void)fprintf(stderr, "watchdog: the longest turn was of %s: %lld us\n", longest.source,
                  (long long)longest.us);
}

static void note_longest(int64_t us)
{
    if (us <= longest.us)
        return;
    if (!longest.us && getenv("CAPRUN_WATCHDOG_REPORT"))
        (void)atexit(report);
    longest.us = us;
    longest.source = source;
}

static void bark(const char *what, int64_t number)
{
    (void)fprintf(stderr, "watchdog: a turn of %s %s%lld\n", source, what, (long long)number);
    abort();
}

/* Prints a backtrace of a turn that takes too long, if CAPRUN_WATCHDOG_TRACE is set. */
static void show_trace(int signal)
{
    void *frames[40];
    int count = backtrace(frames, 40); /* NOLINT(bugprone-signal-handler) */

    (void)signal;
    backtrace_symbols_fd(frames, count, STDERR_FILENO); /* NOLINT(bugprone-signal-handler) */
}

static void set_trace(int64_t us)
{
    static __thread timer_t timer;
    static __thread int state; /* 0: not known, 1: the thread has a timer, -1: no timer */
    struct itimerspec when = {.it_value = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};

    if (!state) {
        void *frame;

        (void)backtrace(&frame, 1); /* loads its library now: a signal handler must not */
        event._sigev_un._tid = gettid();
        state = getenv("CAPRUN_WATCHDOG_TRACE") && signal(SIGPROF, show_trace) != SIG_ERR &&
                        timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0
                    ? 1
                    : -1;
    }
    if (state > 0)
        (void)timer_settime(timer, 0, &when, NULL);
}

void cr_watchdog_begin(const char *name)
{
    source = name ? name : "a source without a name";
    began_us = cpu_us();
    set_trace(most_us());
}

/* The turn of a timer is nested in the turn of the clock: then the outer one is not measured. */
void cr_watchdog_end(void)
{
    int64_t took_us = source ? cpu_us() - began_us : 0;

    note_longest(took_us);
    if (took_us > most_us())
        bark("took microseconds: ", took_us);
    set_trace(0);
    source = NULL;
}

void cr_watchdog_leave(void)
{
    if (depth++)
        return;
    left = source;
    left_us = cpu_us();
    source = NULL;
}

void cr_watchdog_return(void)
{
    if (--depth)
        return;
    source = left;
    began_us += cpu_us() - left_us;
}

const char *cr_watchdog_source(void)
{
    return source;
}

static void forbid(const char *call)
{
    if (source)
        bark(call, 0);
}

/* --- calls that can block ------------------------------------------------------------------- */

int watched_fdatasync(int fd)
{
    forbid("called fdatasync");
    return fdatasync(fd);
}

int watched_fsync(int fd)
{
    forbid("called fsync");
    return fsync(fd);
}

int watched_flock(int fd, int operation)
{
    if (!(operation & (LOCK_NB | LOCK_UN)))
        forbid("called flock, and would wait");
    return flock(fd, operation);
}

int watched_nanosleep(const struct timespec *time, struct timespec *rest)
{
    forbid("called nanosleep");
    return nanosleep(time, rest);
}

int watched_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    if (timeout_ms != 0)
        forbid("called poll, and would wait");
    return poll(fds, count, timeout_ms);
}

int watched_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    if (!(options & WNOHANG))
        forbid("called waitid, and would wait");
    return waitid(type, id, info, options);
}

pid_t watched_waitpid(pid_t pid, int *status, int options)
{
    if (!(options & WNOHANG))
        forbid("called waitpid, and would wait");
    return waitpid(pid, status, options);
}

int watched_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                        struct addrinfo **ret)
{
    forbid("called getaddrinfo");
    return getaddrinfo(node, service, hints, ret);
}

/* These read the file that TZ names, even for UTC. */
struct tm *watched_gmtime_r(const time_t *time, struct tm *ret)
{
    forbid("called gmtime_r");
    return gmtime_r(time, ret);
}

struct tm *watched_localtime_r(const time_t *time, struct tm *ret)
{
    forbid("called localtime_r");
    return localtime_r(time, ret);
}

time_t watched_mktime(struct tm *date)
{
    forbid("called mktime");
    return mktime(date);
}

time_t watched_timegm(struct tm *date)
{
    forbid("called timegm");
    return timegm(date);
}

/* Can reading |fd| block? A file on a disk can; a file of /proc cannot. */
static bool can_block(int fd)
{
    struct statfs fs;
    struct stat st;

    if (fstat(fd, &st) < 0)
        return false;
    if (S_ISREG(st.st_mode))
        return fstatfs(fd, &fs) == 0 && fs.f_type != PROC_MAGIC;
    return (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) && !(fcntl(fd, F_GETFL) & O_NONBLOCK);
}

ssize_t watched_read(int fd, void *to, size_t size)
{
    if (source && can_block(fd))
        bark("reads a file that can block: ", fd);
    return read(fd, to, size);
}
