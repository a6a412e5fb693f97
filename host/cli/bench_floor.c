/* bench_floor.c - measures the floors: fork and exit, bytes over a socket pair, memcpy. */
#include "cli/bench_floor.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/bench_work.h"

#define FORKS 50
/* Bytes that a worker sends for a small call (CALL and IDLE), and bytes that it is sent. */
#define CALL_BYTES 89
#define REPLY_BYTES 47

/* --- a process ------------------------------------------------------------------------------ */

static double fork_us(void)
{
    double us[FORKS];

    for (size_t i = 0; i < FORKS; i++) {
        double start = cr_bench_now();
        pid_t pid = fork();

        if (pid == 0)
            _exit(0);
        if (pid < 0 || waitpid(pid, NULL, 0) < 0)
            return -1;
        us[i] = cr_bench_now() - start;
    }
    return cr_bench_quantile(us, FORKS, 0.5);
}

static _Noreturn void run_forker(int fd)
{
    double us;
    char asked;

    while (recv(fd, &asked, 1, 0) == 1) {
        us = fork_us();
        if (send(fd, &us, sizeof(us), MSG_NOSIGNAL) != (ssize_t)sizeof(us))
            break;
    }
    _exit(0);
}

/* Forks a process that does |what| with its end of a socket pair. */
static int start_child(struct cr_bench_child *ret, void (*what)(int fd), struct cr_err *err)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return cr_err_sys(err, "socketpair");
    *ret = (struct cr_bench_child){pair[0], fork()};
    if (ret->pid == 0) {
        (void)close(pair[0]);
        what(pair[1]);
    }
    (void)close(pair[1]);
    if (ret->pid > 0)
        return 0;
    (void)close(pair[0]);
    return cr_err_sys(err, "fork");
}

int cr_bench_start_forker(struct cr_bench_child *ret, struct cr_err *err)
{
    return start_child(ret, run_forker, err);
}

void cr_bench_stop(struct cr_bench_child *child)
{
    (void)close(child->fd);
    (void)waitpid(child->pid, NULL, 0);
}

int cr_bench_fork(const struct cr_bench_child *forker, double *ret, struct cr_err *err)
{
    double us = -1;

    if (send(forker->fd, "", 1, MSG_NOSIGNAL) != 1 ||
        recv(forker->fd, &us, sizeof(us), MSG_WAITALL) != (ssize_t)sizeof(us) || us < 0)
        return cr_err_set(err, CAPRUN_E_SYS, "no process can be forked");
    *ret = us;
    return 0;
}

/* --- a socket pair --------------------------------------------------------------------------- */

static _Noreturn void run_echo(int fd)
{
    char call[CALL_BYTES], reply[REPLY_BYTES] = {0};

    while (recv(fd, call, sizeof(call), MSG_WAITALL) == (ssize_t)sizeof(call) &&
           send(fd, reply, sizeof(reply), MSG_NOSIGNAL) == (ssize_t)sizeof(reply))
        ;
    _exit(0);
}

static int echo_us(const struct cr_bench_child *echo, size_t count, double *ret, struct cr_err *err)
{
    char call[CALL_BYTES] = {0}, reply[REPLY_BYTES];
    double start = cr_bench_now();

    for (size_t i = 0; i < count; i++) {
        if (send(echo->fd, call, sizeof(call), MSG_NOSIGNAL) != (ssize_t)sizeof(call) ||
            recv(echo->fd, reply, sizeof(reply), MSG_WAITALL) != (ssize_t)sizeof(reply))
            return cr_err_sys(err, "a socket pair");
    }
    *ret = (cr_bench_now() - start) / (double)count;
    return 0;
}

static int set_cpus(const struct cr_bench_child *echo, const cpu_set_t *where, struct cr_err *err)
{
    if (sched_setaffinity(0, sizeof(*where), where) < 0 ||
        sched_setaffinity(echo->pid, sizeof(*where), where) < 0)
        return cr_err_sys(err, "sched_setaffinity");
    return 0;
}

static int echo_on_one_core_us(const struct cr_bench_child *echo, size_t count, double *ret,
                               struct cr_err *err)
{
    cpu_set_t before, one;
    unsigned cpu;
    struct cr_err unused;
    int r;

    if (getcpu(&cpu, NULL) < 0 || sched_getaffinity(0, sizeof(before), &before) < 0)
        return cr_err_sys(err, "sched_getaffinity");
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    r = set_cpus(echo, &one, err);
    if (r == 0)
        r = echo_us(echo, count, ret, err);
    (void)set_cpus(echo, &before, &unused);
    return r;
}

int cr_bench_pair(size_t count, double *ret, double *ret_one_core, struct cr_err *err)
{
    struct cr_bench_child echo = {.fd = -1};
    int r = start_child(&echo, run_echo, err);

    if (r < 0)
        return r;
    r = echo_us(&echo, count, ret, err);
    if (r == 0)
        r = echo_on_one_core_us(&echo, count, ret_one_core, err);
    cr_bench_stop(&echo);
    return r;
}

/* --- bytes ----------------------------------------------------------------------------------- */

int cr_bench_copy(const char *bytes, size_t len, double *ret, struct cr_err *err)
{
    char *copy = malloc(len);
    double start;

    if (!copy)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for %zu bytes", len);
    memset(copy, 1, len); /* so that the pages exist */
    start = cr_bench_now();
    memcpy(copy, bytes, len);
    __asm__ volatile("" : : "r"(copy) : "memory"); /* keeps the compiler from removing the copy */
    *ret = cr_bench_now() - start;
    free(copy);
    return 0;
}
