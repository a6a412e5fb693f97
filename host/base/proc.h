/* proc.h - reads the files of a process in /proc. */
#ifndef CR_PROC_H
#define CR_PROC_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Opens /proc/|pid|/|name| for reading, with additional |flags| of open(); |pid| 0 is the calling
 * thread. Returns -1 with errno.
 */
int cr_proc_open(pid_t pid, const char *name, int flags);

/* Does |error|, an errno, mean "not allowed" or "does not exist"? Other values are our failures. */
bool cr_proc_is_closed(int error);

/*
 * Appends the whole of /proc/|pid|/|name| to |out|. Returns 0; 1 if cr_proc_is_closed() is true for
 * the error; or CAPRUN_E_SYS, CAPRUN_E_NOMEM or CAPRUN_E_TOOBIG.
 */
int cr_proc_read(pid_t pid, const char *name, struct cr_buf *out, struct cr_err *err);

#endif
