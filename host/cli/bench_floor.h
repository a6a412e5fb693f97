/*
 * bench_floor.h - what the machine takes for the least that a measured thing needs: no sandbox, no
 * engine, no protocol. All times are microseconds; each function returns 0 or an error.
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
 * A process that forks for us: it is small, as it was when it was started, while forking the host
 * itself takes the longer, the more memory that has by then. cr_bench_stop() ends it.
 */
int cr_bench_start_forker(struct cr_bench_child *ret, struct cr_err *err);
void cr_bench_stop(struct cr_bench_child *child);

/* A process is forked, leaves and is waited for: the median of some. */
int cr_bench_fork(const struct cr_bench_child *forker, double *ret, struct cr_err *err);

/*
 * As many bytes as a call and its answer have, there and back between two processes: where the
 * kernel puts them, and with both on one core.
 */
int cr_bench_pair(size_t count, double *ret, double *ret_one_core, struct cr_err *err);

/* |len| bytes are copied once. */
int cr_bench_copy(const char *bytes, size_t len, double *ret, struct cr_err *err);

#endif
