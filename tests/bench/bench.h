/*
 * bench.h - shared functions of the programs of `make bench`. These programs use only the public
 * API, like an application, and exit with a message if a run fails, because then the figures are
 * useless.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "caprun.h"

#define BENCH_TRIVIAL "return {ok: args.a + 1}"
#define BENCH_FILL_MS 30000

static inline _Noreturn void bench_die(const char *what, const char *why)
{
    (void)fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static inline double bench_now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static inline int bench_by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static inline void bench_sort(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), bench_by_size);
}

/* Returns the number in argument |at|, at least 1. */
static inline size_t bench_number(int argc, char **argv, int at)
{
    long n = at < argc ? strtol(argv[at], NULL, 10) : 0;

    if (n < 1)
        bench_die(argv[0], "see the top of its source for how it is called");
    return (size_t)n;
}

/* Returns an array of |count| numbers, which the caller frees. */
static inline double *bench_array(size_t count)
{
    double *values = calloc(count, sizeof(*values));

    if (!values)
        bench_die("calloc", "no memory");
    return values;
}

/* Returns a runtime with the worker of argument 1, not warm yet. Free it with caprun_free(). */
static inline struct caprun_runtime *bench_runtime(int argc, char **argv)
{
    struct caprun_runtime *rt;

    if (argc < 2 || caprun_new(&rt) < 0)
        bench_die(argv[0], "no runtime");
    if (caprun_set_worker(rt, argv[1]) < 0)
        bench_die(argv[1], caprun_error(rt));
    return rt;
}

/* Waits until |workers| are ready. */
static inline void bench_fill(struct caprun_runtime *rt, size_t workers)
{
    double end = bench_now_us() + BENCH_FILL_MS * 1e3;

    while (caprun_count(rt, CAPRUN_COUNT_READY) < workers) {
        if (bench_now_us() > end)
            bench_die("the pool did not fill", caprun_error(rt));
        caprun_wait(rt, 100);
        caprun_step(rt);
    }
}

static inline void bench_warm(struct caprun_runtime *rt, size_t workers)
{
    if (caprun_warm(rt) < 0)
        bench_die("caprun_warm", caprun_error(rt));
    bench_fill(rt, workers);
}

/* Returns a new run of |code|, which the caller starts and frees. */
static inline struct caprun_run *bench_run(struct caprun_runtime *rt, const char *code)
{
    static const char args[] = "{\"a\": 1}";
    struct caprun_run *run;

    if (caprun_run_new(rt, &run) < 0 || caprun_run_set_code(run, code, strlen(code)) < 0 ||
        caprun_run_set_args(run, args, sizeof(args) - 1) < 0)
        bench_die("no run", caprun_error(rt));
    return run;
}

/* Reads the envelope, as an application would, and frees the run. */
static inline void bench_take(struct caprun_run *run)
{
    const char *json = caprun_result_json(run, NULL);

    if (!json || caprun_get_outcome(run) != CAPRUN_OUTCOME_SUCCESS)
        bench_die("a run failed", json ? json : "no memory for its envelope");
    caprun_run_free(run);
}

/* For code that writes a log line before the first measured call and after the last one: its log
 * function. */
struct bench_times {
    double at_us[2];
    size_t count;
};

static inline void bench_note_time(void *data, const char *line, size_t len)
{
    struct bench_times *times = data;

    (void)line;
    (void)len;
    if (times->count < 2)
        times->at_us[times->count++] = bench_now_us();
}

#endif
