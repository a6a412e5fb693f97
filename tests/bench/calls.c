/*
 * calls.c - what a call costs: one run awaits many, each answered at once. Beside it, in turns, the
 * floor: as many bytes each way between two processes that do nothing else.
 *
 *     calls WORKER COUNT ROUNDS
 *
 * Prints the microseconds of a round trip, medians of the rounds: of a call; of the bare socket
 * pair where the kernel puts the two processes; of the same with both on one core.
 */
#include <errno.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "wire.h"

#define ARGS "{\"x\":1}"
#define ANSWER "{\"y\":1}"

/* A worker says which call it makes, and that it has nothing else to do. */
#define CALL_BYTES                                                                                 \
    (2 * sizeof(struct wire_header) + sizeof(struct wire_call) + sizeof("ab") - 1 + sizeof(ARGS) - \
     1 + sizeof(struct wire_idle))
#define REPLY_BYTES (sizeof(struct wire_header) + sizeof(struct wire_reply) + sizeof(ANSWER) - 1)

struct tally {
    double first_us, last_us;
    size_t count;
};

static void answer(void *data, struct caprun_run *run, uint32_t call, const char *method,
                   const char *args, size_t args_len)
{
    struct tally *tally = data;

    (void)method;
    (void)args;
    (void)args_len;
    tally->last_us = bench_now_us();
    if (tally->count++ == 0)
        tally->first_us = tally->last_us;
    if (caprun_call_reply(run, call, ANSWER, sizeof(ANSWER) - 1) < 0)
        bench_die("caprun_call_reply", "the answer was not taken");
}

static double call_us(struct caprun_runtime *rt, size_t count)
{
    struct tally tally = {0, 0, 0};
    struct caprun_run *run;
    char code[128];

    (void)snprintf(code, sizeof(code), "for (let i = 0; i <= %zu; i++) await mcp.a.b(" ARGS ")",
                   count);
    run = bench_run(rt, code);
    caprun_run_set_handler(run, answer, &tally);
    if (caprun_run(run) < 0)
        bench_die("caprun_run", caprun_error(rt));
    bench_take(run);
    return (tally.last_us - tally.first_us) / (double)(tally.count - 1);
}

/* --- the floor ----------------------------------------------------------------------------- */

struct echo {
    int fd;
    pid_t pid;
};

static _Noreturn void be_echo(int fd)
{
    char call[CALL_BYTES], reply[REPLY_BYTES] = {0};

    while (recv(fd, call, sizeof(call), MSG_WAITALL) == (ssize_t)sizeof(call) &&
           send(fd, reply, sizeof(reply), MSG_NOSIGNAL) == (ssize_t)sizeof(reply))
        ;
    _exit(0);
}

static struct echo start_echo(void)
{
    struct echo echo;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        bench_die("socketpair", strerror(errno));
    echo.pid = fork();
    if (echo.pid < 0)
        bench_die("fork", strerror(errno));
    if (echo.pid == 0) {
        (void)close(pair[0]);
        be_echo(pair[1]);
    }
    (void)close(pair[1]);
    echo.fd = pair[0];
    return echo;
}

static void stop_echo(struct echo *echo)
{
    (void)close(echo->fd);
    (void)waitpid(echo->pid, NULL, 0);
}

static double echo_us(const struct echo *echo, size_t count)
{
    char call[CALL_BYTES] = {0}, reply[REPLY_BYTES];
    double start = bench_now_us();

    for (size_t i = 0; i < count; i++) {
        if (send(echo->fd, call, sizeof(call), MSG_NOSIGNAL) != (ssize_t)sizeof(call) ||
            recv(echo->fd, reply, sizeof(reply), MSG_WAITALL) != (ssize_t)sizeof(reply))
            bench_die("the echo", "has gone");
    }
    return (bench_now_us() - start) / (double)count;
}

static void place(const struct echo *echo, const cpu_set_t *where)
{
    if (sched_setaffinity(0, sizeof(*where), where) < 0 ||
        sched_setaffinity(echo->pid, sizeof(*where), where) < 0)
        bench_die("sched_setaffinity", strerror(errno));
}

static double echo_on_one_core_us(const struct echo *echo, size_t count)
{
    cpu_set_t before, one;
    unsigned cpu;
    double us;

    if (getcpu(&cpu, NULL) < 0 || sched_getaffinity(0, sizeof(before), &before) < 0)
        bench_die("sched_getaffinity", strerror(errno));
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    place(echo, &one);
    us = echo_us(echo, count);
    place(echo, &before);
    return us;
}

int main(int argc, char **argv)
{
    size_t count = bench_number(argc, argv, 2), rounds = bench_number(argc, argv, 3);
    struct echo echo = start_echo();
    struct caprun_runtime *rt = bench_runtime(argc, argv);
    double *call = bench_array(rounds), *bare = bench_array(rounds), *pinned = bench_array(rounds);

    bench_warm(rt, 1);
    for (size_t i = 0; i < rounds; i++) {
        call[i] = call_us(rt, count);
        bench_fill(rt, 1); /* or the zygote would fork beside what comes next */
        bare[i] = echo_us(&echo, count);
        pinned[i] = echo_on_one_core_us(&echo, count);
    }
    bench_sort(call, rounds);
    bench_sort(bare, rounds);
    bench_sort(pinned, rounds);
    printf("%.2f %.2f %.2f\n", call[rounds / 2], bare[rounds / 2], pinned[rounds / 2]);
    free(call);
    free(bare);
    free(pinned);
    caprun_free(rt);
    stop_echo(&echo);
    return 0;
}
