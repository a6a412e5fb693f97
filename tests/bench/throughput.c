/*
 * throughput.c - runs a second, with so many at once: as soon as one has ended, the next starts.
 *
 *     throughput WORKER COUNT AT_ONCE     prints one number
 */
#include "bench.h"

struct load {
    struct caprun_runtime *rt;
    size_t to_start;
    size_t going;
};

static void ended(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call);

static void start_one(struct load *load)
{
    struct caprun_run *run = bench_run(load->rt, BENCH_TRIVIAL);

    caprun_run_set_event(run, ended, load);
    if (caprun_start(run) < 0)
        bench_die("caprun_start", caprun_error(load->rt));
    load->to_start--;
    load->going++;
}

static void ended(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    struct load *load = data;

    (void)call;
    if (what != CAPRUN_EVENT_ENDED)
        return;
    bench_take(run);
    load->going--;
    if (load->to_start > 0)
        start_one(load);
}

static void work(struct caprun_runtime *rt, size_t count, size_t at_once)
{
    struct load load = {rt, count, 0};

    while (load.to_start > 0 && load.going < at_once)
        start_one(&load);
    while (load.going > 0) {
        caprun_wait(rt, -1);
        caprun_step(rt);
    }
}

int main(int argc, char **argv)
{
    size_t count = bench_number(argc, argv, 2), at_once = bench_number(argc, argv, 3);
    struct caprun_runtime *rt = bench_runtime(argc, argv);
    double start;

    bench_warm(rt, 1);
    work(rt, count / 10 + 1, at_once); /* so that the pool knows the load */
    start = bench_now_us();
    work(rt, count, at_once);
    printf("%.1f\n", (double)count / (bench_now_us() - start) * 1e6);
    caprun_free(rt);
    return 0;
}
