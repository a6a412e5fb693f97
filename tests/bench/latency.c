/*
 * latency.c - a run in a warm host: a fresh locked process each time, from start to envelope.
 *
 *     latency WORKER COUNT     prints the median, the 95th and the 99th percentile, in microseconds
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "caprun.h"

static double now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static int one_run(struct caprun_runtime *rt)
{
    static const char code[] = "return {ok: args.a + 1}";
    static const char args[] = "{\"a\": 1}";
    struct caprun_run *run;
    int ok;

    if (caprun_run_new(rt, &run) < 0)
        return 0;
    ok = caprun_run_set_code(run, code, sizeof(code) - 1) == 0 &&
         caprun_run_set_args(run, args, sizeof(args) - 1) == 0 && caprun_run(run) == 0 &&
         caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS;
    caprun_run_free(run);
    return ok;
}

static int measure(struct caprun_runtime *rt, double *us, int count)
{
    if (!one_run(rt)) /* the first one starts the zygote */
        return 0;
    for (int i = 0; i < count; i++) {
        double start = now_us();

        if (!one_run(rt))
            return 0;
        us[i] = now_us() - start;
    }
    return 1;
}

int main(int argc, char **argv)
{
    struct caprun_runtime *rt;
    int count = argc == 3 ? (int)strtol(argv[2], NULL, 10) : 0;
    double *us;
    int ok;

    if (count < 1 || caprun_new(&rt) < 0 || caprun_set_worker(rt, argv[1]) < 0)
        return 2;
    us = calloc((size_t)count, sizeof(*us));
    ok = us && measure(rt, us, count);
    if (ok) {
        qsort(us, (size_t)count, sizeof(*us), by_size);
        printf("%.0f %.0f %.0f\n", us[count / 2], us[count * 95 / 100], us[count * 99 / 100]);
    }
    free(us);
    caprun_free(rt);
    return ok ? 0 : 1;
}
