/*
 * bench_floor.h - floors: the least time that the machine needs for a measured operation, without
 * sandbox, engine and protocol. All times are microseconds; each function returns 0 or an error.
 */
#ifndef CR_BENCH_FLOOR_H
#define CR_BENCH_FLOOR_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct cr_bench_child {
    int fd;
    pid_t pid;
};

/*
 * Starts a process that forks for us. It is small, while forking the host itself takes longer the
 * more memory the host has by then. cr_bench_stop() ends it.
 */
int cr_bench_start_forker(struct cr_bench_child *ret, struct cr_err *err);
void cr_bench_stop(struct cr_bench_child *child);

/* Measures forking a process, which exits and is waited for: the median of several. */
int cr_bench_fork(const struct cr_bench_child *forker, double *ret, struct cr_err *err);

/*
 * Measures sending the bytes of a call and of its answer between two processes: on the processors
 * that the kernel chooses, and with both on one core.
 */
int cr_bench_pair(size_t count, double *ret, double *ret_one_core, struct cr_err *err);

/* Measures copying |len| bytes once. */
int cr_bench_copy(const char *bytes, size_t len, double *ret, struct cr_err *err);

#endif
