/*
 * doctor.h - `caprun doctor`: tells whether untrusted code may run on this machine.
 */
#ifndef CR_CLI_DOCTOR_H
#define CR_CLI_DOCTOR_H

#include "caprun.h"
#include "cli/options.h"

/*
 * Prints the results of caprun_doctor(). Returns the exit status: 0 only if code may run, and with
 * --strict only if no layer is missing.
 */
int cr_cli_doctor(struct caprun_runtime *rt, const struct cr_options *o);

#endif
