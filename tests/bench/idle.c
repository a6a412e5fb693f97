/*
 * idle.c - many workers that wait for a run, to be looked at from outside.
 *
 *     idle WORKER COUNT     prints a line when all are ready, and ends with its standard input
 */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

/* Each worker takes two descriptors. */
static void make_room(size_t workers)
{
    struct rlimit limit;
    rlim_t need = 2 * workers + 64;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        bench_die("getrlimit", strerror(errno));
    if (limit.rlim_cur >= need)
        return;
    limit.rlim_cur = need;
    if (limit.rlim_max < need)
        limit.rlim_max = need;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        bench_die("cannot have descriptors enough (ulimit -Hn)", strerror(errno));
}

int main(int argc, char **argv)
{
    size_t workers = bench_number(argc, argv, 2);
    struct caprun_runtime *rt = bench_runtime(argc, argv);
    char unused;

    make_room(workers);
    if (caprun_set_warm(rt, (uint32_t)workers) < 0 ||
        caprun_set_max_workers(rt, (uint32_t)workers) < 0)
        bench_die("the pool", caprun_error(rt));
    bench_warm(rt, workers);
    (void)puts("ready");
    (void)fflush(stdout);
    while (read(STDIN_FILENO, &unused, 1) > 0)
        ;
    caprun_free(rt);
    return 0;
}
