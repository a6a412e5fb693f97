/*
 * bench_work.h - the work that `caprun bench` measures, done with the library like an application.
 *
 * All times are microseconds. Each function returns 0, or an error that says what failed: a figure
 * of failed runs would be worthless.
 */
#ifndef CR_BENCH_WORK_H
#define CR_BENCH_WORK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "caprun.h"
#include "cli/bench_scripts.h"

double cr_bench_now(void);

/* Sorts |values|, and returns the quantile |share|, from 0 to 1. */
double cr_bench_quantile(double *values, size_t count, double share);

/* Waits until |workers| workers are ready. */
int cr_bench_fill(struct caprun_runtime *rt, size_t workers, struct cr_err *err);

/*
 * Measures |count| trivial runs, each in a fresh process, from the start to the envelope: the
 * median, the 95th and the 99th percentile. |ready|: each run finds a ready worker, as in a host
 * that is not busy; otherwise the next run starts at once.
 */
int cr_bench_runs(struct caprun_runtime *rt, size_t count, bool ready, double ret[3],
                  struct cr_err *err);

/* Measures runs per second, |at_once| at a time. */
int cr_bench_rate(struct caprun_runtime *rt, size_t count, size_t at_once, double *ret,
                  struct cr_err *err);

/* The type of a handler for caprun_run_set_handler(). */
typedef void cr_bench_handler(void *data, struct caprun_run *run, uint32_t call, const char *method,
                              const char *args, size_t args_len);

/* Runs code that makes one call, which |answer| gets. */
int cr_bench_one_call(struct caprun_runtime *rt, cr_bench_handler *answer, void *data,
                      struct cr_err *err);

/* Measures the round trip of a small call: the mean of |count| in one run. */
int cr_bench_calls(struct caprun_runtime *rt, size_t count, double *ret, struct cr_err *err);

/*
 * Measures one run in a ready process: it gets |len| bytes of |rows|, made by cr_bench_rows(), as
 * the answer to a call, and returns half a kilobyte; *|ret_result| is the exact size. Takes |rows|.
 */
int cr_bench_answer(struct caprun_runtime *rt, char *rows, size_t len, double *ret,
                    double *ret_result, struct cr_err *err);

/* Returns at least |len| bytes of JSON, rows of a table; the caller frees them. NULL: no memory. */
char *cr_bench_rows(size_t len, size_t *ret_len);

/* Measures one run of a script that computes. */
int cr_bench_script(struct caprun_runtime *rt, const struct cr_bench_script *script, double *ret,
                    struct cr_err *err);

/*
 * Measures the memory (PSS), in KiB, of a worker that waits for a run, and of one that waits for an
 * answer; -1 where the kernel does not show it.
 */
int cr_bench_memory(struct caprun_runtime *rt, double *ret_idle, double *ret_running,
                    struct cr_err *err);

#endif
