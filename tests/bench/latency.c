/*
 * latency.c - a run in a warm host: a fresh locked process each time, from start to envelope.
 *
 *     latency WORKER COUNT
 *
 * Prints two lines, each with the median, the 95th and the 99th percentile in microseconds: of
 * runs that find a worker ready, as in a host that is not busy; and of runs back to back.
 */
#include "bench.h"

static double one_run(struct caprun_runtime *rt)
{
    double start = bench_now_us();
    struct caprun_run *run = bench_run(rt, BENCH_TRIVIAL);

    if (caprun_run(run) < 0)
        bench_die("caprun_run", caprun_error(rt));
    bench_take(run);
    return bench_now_us() - start;
}

static void print(double *us, size_t count)
{
    bench_sort(us, count);
    printf("%.1f %.1f %.1f\n", us[count / 2], us[count * 95 / 100], us[count * 99 / 100]);
}

int main(int argc, char **argv)
{
    size_t count = bench_number(argc, argv, 2);
    struct caprun_runtime *rt = bench_runtime(argc, argv);
    double *us = bench_array(count);

    bench_warm(rt, 1);
    (void)one_run(rt); /* the first one meets cold caches */
    for (size_t i = 0; i < count; i++) {
        bench_fill(rt, 1);
        us[i] = one_run(rt);
    }
    print(us, count);
    for (size_t i = 0; i < count; i++)
        us[i] = one_run(rt);
    print(us, count);
    free(us);
    caprun_free(rt);
    return 0;
}
