/*
 * bench_scripts.h - scripts that only compute. tests/bench/engine_work.c also runs them in the
 * engine without a sandbox: that is their floor.
 */
#ifndef CR_BENCH_SCRIPTS_H
#define CR_BENCH_SCRIPTS_H

#include <stddef.h>

struct cr_bench_script {
    const char *name;
    const char *code; /* the body of an async function */
};

extern const struct cr_bench_script cr_bench_scripts[];
extern const size_t cr_bench_script_count;

#endif
