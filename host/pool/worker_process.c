/*
 * worker_process.c - asks the kernel about a worker's process, and sets its limits. Some of these
 * calls use the pid, since the kernel has none for them that takes a pidfd.
 */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "pool/verify.h"
#include "pool/worker.h"

bool cr_worker_is_dead(const struct cr_worker *w)
{
    struct pollfd ended = {.fd = w->pidfd, .events = POLLIN};

    return w->pidfd >= 0 && poll(&ended, 1, 0) > 0;
}

bool cr_worker_owns_pid(const struct cr_worker *w)
{
    return w->pid > 0 && w->pidfd >= 0 && !cr_worker_is_dead(w);
}

void cr_worker_limit_cpu(struct cr_worker *w, uint32_t cpu_s)
{
    struct rlimit limit = {cpu_s, cpu_s};

    if (cpu_s < w->cpu_s && cr_worker_owns_pid(w))
        (void)prlimit(w->pid, RLIMIT_CPU, &limit, NULL);
}

int64_t cr_worker_cpu_us(const struct cr_worker *w)
{
    struct timespec t;
    clockid_t clock;

    if (w->pid <= 0 || clock_getcpuclockid(w->pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
        return -1;
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

uint64_t cr_worker_memory(const struct cr_worker *w)
{
    return w->pid > 0 ? cr_verify_resident(w->pid) : 0;
}

/* --- its end, in words --------------------------------------------------------------------- */

static const char *exit_text(int code)
{
    switch (code) {
#define XX(name, number, text) \
    case number:               \
        return text;
        WIRE_EXIT_MAP(XX)
#undef XX
    default:
        return "for an unknown reason";
    }
}

static const char *signal_text(int sig)
{
    switch (sig) {
    case SIGSYS:
        return " (it made a system call that the sandbox forbids)";
    case SIGXCPU:
        return " (it used more CPU time than it may)";
    default:
        return "";
    }
}

void cr_worker_describe_end(int status, struct cr_err *why)
{
    if (WIFSIGNALED(status))
        (void)cr_err_set(why, CAPRUN_E_PEER, "the worker was killed by signal %d, %s%s",
                         WTERMSIG(status), strsignal(WTERMSIG(status)),
                         signal_text(WTERMSIG(status)));
    else
        (void)cr_err_set(why, CAPRUN_E_PEER, "the worker left with status %d: %s",
                         WEXITSTATUS(status), exit_text(WEXITSTATUS(status)));
}
