/*
 * bench_memory.c - measures the memory of workers from outside: they are the children of our
 * children, the zygotes. A worker's PSS is its own memory and its share of shared memory.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/proc.h"
#include "cli/bench_work.h"

#define IDLE_WORKERS 8
#define MOST_WORKERS 512
#define FILE_MAX 65536

struct sizes {
    double kib[MOST_WORKERS];
    size_t count; /* 0: the kernel does not show it */
};

/* Returns 0 for a process that has ended. */
static pid_t parent_of(pid_t pid)
{
    struct cr_buf stat;
    struct cr_err unused;
    const char *text, *end;
    int parent = 0;

    cr_buf_init(&stat, FILE_MAX);
    if (cr_proc_read(pid, "stat", &stat, &unused) == 0 && (text = cr_buf_text(&stat)) &&
        (end = strrchr(text, ')')))
        (void)sscanf(end, ") %*c %d", &parent);
    cr_buf_clear(&stat);
    return parent;
}

static double pss_kib(pid_t pid)
{
    struct cr_buf rollup;
    struct cr_err unused;
    const char *text, *line;
    double kib = -1;

    cr_buf_init(&rollup, FILE_MAX);
    if (cr_proc_read(pid, "smaps_rollup", &rollup, &unused) == 0 && (text = cr_buf_text(&rollup)) &&
        (line = strstr(text, "\nPss:")))
        kib = strtod(line + 5, NULL);
    cr_buf_clear(&rollup);
    return kib;
}

static void measure_workers(struct sizes *ret)
{
    DIR *dir = opendir("/proc");
    const struct dirent *entry;

    ret->count = 0;
    while (dir && ret->count < MOST_WORKERS && (entry = readdir(dir))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        pid_t zygote = pid > 0 ? parent_of(pid) : 0;
        double kib;

        if (zygote <= 0 || parent_of(zygote) != getpid())
            continue;
        kib = pss_kib(pid);
        if (kib >= 0)
            ret->kib[ret->count++] = kib;
    }
    if (dir)
        (void)closedir(dir);
}

static void measure_and_answer(void *data, struct caprun_run *run, uint32_t call,
                               const char *method, const char *args, size_t args_len)
{
    (void)method;
    (void)args;
    (void)args_len;
    measure_workers(data);
    (void)caprun_call_reply(run, call, "{}", 2);
}

int cr_bench_memory(struct caprun_runtime *rt, double *ret_idle, double *ret_running,
                    struct cr_err *err)
{
    struct sizes idle, running = {.count = 0};
    int r = cr_bench_fill(rt, IDLE_WORKERS, err);

    if (r < 0)
        return r;
    measure_workers(&idle);
    r = cr_bench_one_call(rt, measure_and_answer, &running, err);
    /* the worker that runs has written to most pages */
    *ret_running = running.count ? cr_bench_quantile(running.kib, running.count, 1) : -1;
    *ret_idle = idle.count ? cr_bench_quantile(idle.kib, idle.count, 0.5) : -1;
    return r;
}
