/*
 * input.h - reads code and args from a file or from standard input.
 */
#ifndef CR_INPUT_H
#define CR_INPUT_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends all of |path| to |out|; `-` is standard input. Pipes and devices are allowed. Returns 0;
 * CAPRUN_E_SYS if it cannot be read; CAPRUN_E_TOOBIG if it does not fit; CAPRUN_E_NOMEM.
 */
int cr_input_read(const char *path, struct cr_buf *out, struct cr_err *err);

#endif
