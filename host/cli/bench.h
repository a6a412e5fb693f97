/*
 * bench.h - `caprun bench`: measures what runs, calls and answers cost on this machine, each
 * compared with a floor that is measured in the same rounds.
 */
#ifndef CR_BENCH_H
#define CR_BENCH_H

#include "caprun.h"
#include "cli/options.h"

/* Returns an exit status; or -1, and |run| has ended because a word is unknown. */
int cr_cli_bench(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o);

#endif
