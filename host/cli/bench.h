/*
 * bench.h - `caprun bench`: what runs, calls and answers cost on this machine, each beside its
 * floor, measured in the same rounds.
 */
#ifndef CR_BENCH_H
#define CR_BENCH_H

#include "caprun.h"
#include "cli/options.h"

/* Returns an exit status; or -1, and then |run| has ended: the words make no sense. */
int cr_cli_bench(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o);

#endif
