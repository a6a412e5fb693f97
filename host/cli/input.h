/*
 * input.h - code and args, from files, standard input or the command line.
 */
#ifndef CR_INPUT_H
#define CR_INPUT_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends all of |path| to |out|, `-` being standard input. Pipes and devices are fine. Returns 0;
 * CAPRUN_E_SYS if it cannot be read; CAPRUN_E_TOOBIG if it does not fit, CAPRUN_E_NOMEM.
 */
int cr_input_read(const char *path, struct cr_buf *out, struct cr_err *err);

#endif
