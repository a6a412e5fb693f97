/*
 * steps.c - makes any step of the test-only worker's lock-down fail, or skips it, as the
 * environment says. (The host starts a worker with an empty environment. So a test uses a script as
 * the worker, which sets the environment and starts this program.)
 *
 *     CAPRUN_STEPS='zygote prctl 65=22; zygote unshare 0x20000=skip'   fails with an errno; skips
 *     CAPRUN_STEPS_LOG=FILE   logs the steps, one per line, up to the size of the file
 *
 * A step is named by its process (program, zygote, worker), the function, the argument that
 * distinguishes it, and from the second such step on "#2". A skipped filter is replaced by a filter
 * that allows everything, because the host does not talk to a worker without a filter; "none"
 * instead of "skip" loads no filter. A skipped file is replaced by /dev/null.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STEPS_MAX 256
#define STEP_LEN 112
#define SKIP (-1)
#define NONE (-2)

static struct {
    const char *plan;
    char *log; /* shared with the test */
    size_t log_size;
    char seen[STEPS_MAX][STEP_LEN]; /* of this process */
    size_t seen_count;
    int process; /* 0 program, 1 zygote, 2 worker */
    bool over;   /* the worker has loaded its filter, its last step */
} state = {.plan = ""};

/* Logs |step|. The first 8 bytes of the log count the bytes that all processes have used. */
static void write_down(const char *step)
{
    size_t len = strlen(step) + 1, at;

    if (!state.log)
        return;
    at = __atomic_fetch_add((uint64_t *)(void *)state.log, len, __ATOMIC_SEQ_CST) + 8;
    if (at + len > state.log_size)
        abort();
    memcpy(state.log + at, step, len - 1);
    state.log[at + len - 1] = '\n';
}

static int value_of(const char *text)
{
    return strncmp(text, "skip", 4) == 0 ? SKIP : strncmp(text, "none", 4) == 0 ? NONE : atoi(text);
}

/* Returns what is planned for |step|: SKIP, NONE, an errno, or 0. */
static int planned(const char *step)
{
    size_t len = strlen(step);

    for (const char *at = state.plan; (at = strstr(at, step)); at += len) {
        bool whole = (at == state.plan || at[-1] == ' ' || at[-1] == ';') && at[len] == '=';

        if (whole)
            return value_of(at + len + 1);
    }
    return 0;
}

static int times_seen(const char *step)
{
    int times = 1;

    for (size_t i = 0; i < state.seen_count; i++)
        times += strcmp(state.seen[i], step) == 0;
    if (state.seen_count == STEPS_MAX)
        abort();
    (void)snprintf(state.seen[state.seen_count++], STEP_LEN, "%s", step);
    return times;
}

/*
 * Returns true if the step is to be done. Otherwise *|ret_result| is the result that the function
 * returns, with errno set, or NONE.
 */
static bool goes_on(long *ret_result, const char *function, const char *what)
{
    static const char *const processes[] = {"program", "zygote", "worker"};
    char step[STEP_LEN];
    int times, plan;

    /* without a plan there is no limit on the number of steps */
    if (state.over || (!*state.plan && !state.log))
        return true;
    (void)snprintf(step, STEP_LEN - 16, "%s %s%s%s", processes[state.process], function,
                   *what ? " " : "", what);
    times = times_seen(step);
    if (times > 1)
        (void)snprintf(step + strlen(step), 16, "#%d", times);
    write_down(step);
    plan = planned(step);
    if (plan > 0)
        errno = plan;
    *ret_result = plan > 0 ? -1 : plan == NONE ? NONE : 0;
    return plan == 0;
}

static const char *number(long n)
{
    static char text[32];

    (void)snprintf(text, sizeof(text), n < 0x1000 ? "%ld" : "%#lx", n);
    return text;
}

/* STEP(type, name, (parameters), (arguments), what tells it apart) */
#define STEP(type, name, parameters, arguments, what) \
    type __real_##name parameters;                    \
    type __wrap_##name parameters;                    \
    type __wrap_##name parameters                     \
    {                                                 \
        long result;                                  \
                                                      \
        if (!goes_on(&result, #name, what))           \
            return (type)result;                      \
        return __real_##name arguments;               \
    }

STEP(int, dup2, (int from, int to), (from, to), number(to))
STEP(int, sigprocmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old), number(how))
STEP(int, setsid, (void), (), "")
STEP(int, chdir, (const char *path), (path), path)
STEP(int, personality, (unsigned long persona), (persona), "")
STEP(int, setgroups, (size_t count, const gid_t *groups), (count, groups), "")
STEP(int, setresgid, (gid_t r, gid_t e, gid_t s), (r, e, s), "")
STEP(int, setresuid, (uid_t r, uid_t e, uid_t s), (r, e, s), "")
STEP(int, getresuid, (uid_t * r, uid_t *e, uid_t *s), (r, e, s), "")
STEP(int, seteuid, (uid_t uid), (uid), "")
STEP(int, unshare, (int flags), (flags), number(flags))
STEP(int, setns, (int fd, int flags), (fd, flags), number(flags))
STEP(int, mount,
     (const char *from, const char *to, const char *type, unsigned long flags, const void *data),
     (from, to, type, flags, data), type ? type : number((long)flags))
STEP(int, umount2, (const char *path, int flags), (path, flags), path)
STEP(int, socketpair, (int domain, int type, int protocol, int pair[2]),
     (domain, type, protocol, pair), "")
STEP(int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags), "")
STEP(int, sched_getaffinity, (pid_t pid, size_t size, cpu_set_t *set), (pid, size, set), "")
STEP(int, sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *set), (pid, size, set), "")
STEP(int, clock_gettime, (clockid_t clock, struct timespec *t), (clock, t), "")
STEP(int, getppid, (void), (), "")
STEP(ssize_t, getrandom, (void *to, size_t len, unsigned flags), (to, len, flags), "")

STEP(void *, mmap, (void *at, size_t len, int prot, int flags, int fd, off_t offset),
     (at, len, prot, flags, fd, offset), number(flags))

int __real_prctl(int option, ...);
int __wrap_prctl(int option, ...);
int __wrap_prctl(int option, ...)
{
    unsigned long a[4];
    long result;
    va_list args;

    va_start(args, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(args, unsigned long);
    va_end(args);
    /* dropping all capabilities counts as one step */
    if (!goes_on(&result, "prctl", number(option)))
        return (int)result;
    return __real_prctl(option, a[0], a[1], a[2], a[3]);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    long result;

    if (!goes_on(&result, "open", path))
        return result < 0 ? -1 : __real_open("/dev/null", O_RDWR);
    return __real_open(path, flags);
}

static const char *syscall_name(long nr, const long a[6])
{
    static char text[64];

    switch (nr) {
    case SYS_close_range:
        return "close_range";
    case SYS_pivot_root:
        return "pivot_root";
    case SYS_capget:
        return "capget";
    case SYS_capset:
        return "capset";
    case SYS_pidfd_open:
        return "pidfd_open";
    case SYS_landlock_create_ruleset:
        return a[0] ? "landlock_create_ruleset" : "landlock_version";
    case SYS_landlock_restrict_self:
        return "landlock_restrict_self";
    case SYS_prlimit64:
        (void)snprintf(text, sizeof(text), "prlimit %ld", a[1]);
        return text;
    case SYS_dup3:
        return "dup3";
    case SYS_getrandom:
        return "getrandom";
    case SYS_clone:
        return "clone";
    case SYS_seccomp:
        return "seccomp";
    default:
        return NULL; /* exit_group is not a step */
    }
}

static long load_a_filter_that_allows_everything(void)
{
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog filter = {1, &allow};

    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);
long __wrap_syscall(long nr, ...)
{
    const char *name;
    long a[6], result;
    va_list args;

    va_start(args, nr);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    name = syscall_name(nr, a);
    if (!name || goes_on(&result, name, ""))
        result = __real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    else if (nr == SYS_seccomp && result == 0)
        result = load_a_filter_that_allows_everything();
    else if (result == NONE)
        result = 0;
    else
        return result;
    if (nr == SYS_seccomp && state.process == 2)
        state.over = true;
    if (nr == SYS_clone && result == 0) {
        state.process++;
        state.seen_count = 0;
    }
    return result;
}

/* Runs before main(), because the worker then erases its environment. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *plan = getenv("CAPRUN_STEPS"), *path = getenv("CAPRUN_STEPS_LOG");
    int fd = path ? __real_open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat file;

    if (plan)
        state.plan = strdup(plan);
    if (fd < 0 || fstat(fd, &file) < 0)
        return;
    state.log_size = (size_t)file.st_size;
    state.log = __real_mmap(NULL, state.log_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (state.log == MAP_FAILED)
        abort();
    (void)close(fd);
}
