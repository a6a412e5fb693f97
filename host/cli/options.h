/*
 * options.h - the words and options of the command line.
 */
#ifndef CR_OPTIONS_H
#define CR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define CR_OPTIONS_WORDS 3

struct cr_options {
    const char *words[CR_OPTIONS_WORDS + 1]; /* the command and its operands */
    int word_count;
    bool json, quiet, verbose, help, version;
    uint64_t timeout_ms, cpu_ms, rpc_timeout_ms, memory; /* 0: not given */
};

/*
 * Reads the command line; options may stand anywhere, `--` ends them. Returns 0,
 * CAPRUN_E_INVAL or, for a number that is too large, CAPRUN_E_TOOBIG; |ret| is filled as far as it
 * got, and says in any case whether --json was there.
 */
int cr_options_parse(int argc, char **argv, struct cr_options *ret, struct cr_err *err);

#endif
