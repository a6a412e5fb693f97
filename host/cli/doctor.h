/*
 * doctor.h - caprun doctor: may untrusted code run on this machine?
 */
#ifndef CR_CLI_DOCTOR_H
#define CR_CLI_DOCTOR_H

#include <stdbool.h>

#include "caprun.h"

/* Prints what caprun_doctor() tells. Returns the status to leave with: 0 only if it may. */
int cr_cli_doctor(struct caprun_runtime *rt, bool json);

#endif
