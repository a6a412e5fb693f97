/*
 * doctor.h - `caprun doctor`: tells whether untrusted code may run on this machine.
 */
#ifndef CR_CLI_DOCTOR_H
#define CR_CLI_DOCTOR_H

#include <stdbool.h>

#include "caprun.h"

/* Prints the results of caprun_doctor(). Returns the exit status: 0 only if code may run. */
int cr_cli_doctor(struct caprun_runtime *rt, bool json);

#endif
