/*
 * output.h - what a person or a script sees: the result on standard output, the rest on standard
 * error. Whatever a stranger wrote is escaped on its way to either, if a person may be reading.
 */
#ifndef CR_OUTPUT_H
#define CR_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "caprun.h"

/* A callback for caprun_run_set_log(): the line, escaped, on standard error. */
void cr_output_log(void *unused, const char *line, size_t len);

/* "caprun: " and the words, escaped, on standard error. */
void cr_output_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The end of a run: with |json| the envelope on standard output; else the result there, or the
 * error on standard error. Returns 0, or CAPRUN_E_SYS when standard output does not take it.
 */
int cr_output_end(struct caprun_run *run, bool json, bool quiet, struct cr_err *err);

#endif
