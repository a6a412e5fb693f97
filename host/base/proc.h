/*
 * proc.h - what the kernel says of a process, in the files of /proc.
 */
#ifndef CR_PROC_H
#define CR_PROC_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Opens /proc/|pid|/|name| for reading, with |flags| of open() besides; |pid| 0 is the calling
 * thread. Returns -1 with errno.
 */
int cr_proc_open(pid_t pid, const char *name, int flags);

/* Was that errno an answer of "you may not look", or "there is none", and no failure of ours? */
bool cr_proc_is_closed(int error);

/*
 * Appends the whole of /proc/|pid|/|name| to |out|. Returns 0; 1 if it may not be looked at; or
 * CAPRUN_E_SYS, CAPRUN_E_NOMEM or CAPRUN_E_TOOBIG.
 */
int cr_proc_read(pid_t pid, const char *name, struct cr_buf *out, struct cr_err *err);

#endif
