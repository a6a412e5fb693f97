/*
 * types.h - `caprun types [NS...]`: the tools of servers as declarations of TypeScript.
 */
#ifndef CR_CLI_TYPES_H
#define CR_CLI_TYPES_H

#include "cli/options.h"

struct caprun_runtime;
struct caprun_run;

/* As cr_cli_tools(). */
int cr_cli_types(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                 int *ret_signal);

#endif
