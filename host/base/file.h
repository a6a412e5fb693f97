/*
 * file.h - whole files: read with a ceiling, replaced in one step, and who may have written them.
 *
 * Words show a path in quotes, and of a long one its end. With CAPRUN_E_SYS errno is what it was.
 */
#ifndef CR_FILE_H
#define CR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends all that |fd| gives to |out|, up to its ceiling. |name| is for messages, quotes included
 * where it wants them. Returns 0, CAPRUN_E_SYS, CAPRUN_E_TOOBIG or CAPRUN_E_NOMEM.
 */
int cr_file_read_fd(int fd, const char *name, struct cr_buf *out, struct cr_err *err);

/*
 * The same of the regular file |path|, which starts at the directory |dir| (or AT_FDCWD) if it is
 * relative, and is then found below it, links included (without openat2, only a plain name that is
 * no link); a pipe or a device is refused, without waiting for it. Returns 0; 1 if there is no such
 * file; or an error as above, or CAPRUN_E_INVAL if it is not a regular file. |ret_stat|, which may
 * be NULL, is of what was read.
 */
int cr_file_read(int dir, const char *path, struct cr_buf *out, struct stat *ret_stat,
                 struct cr_err *err);

/* Writes all of |bytes|. Returns 0, or -1 with errno, and then a part of them may be written. */
int cr_file_write_all(int fd, const void *bytes, size_t len);

/*
 * Puts |len| bytes into |path| so that a reader sees the old file or the new one, whole, also after
 * a crash: written beside it, synced, then renamed. Whoever needs the new one, and not the old one,
 * after a crash, syncs the directory. A new file gets |mode| less the umask, another keeps its own;
 * a symbolic link is replaced itself. Returns 0 or CAPRUN_E_SYS, and then nothing has changed.
 */
int cr_file_replace(int dir, const char *path, const void *bytes, size_t len, mode_t mode,
                    struct cr_err *err);

/*
 * Removes what writers of |name|, in the directory |dir|, left there when they were killed. The
 * caller sees to it that none is writing now.
 */
void cr_file_sweep(int dir, const char *name);

/*
 * Does a file of |st| belong to this process's user or root, and can nobody else write it? Returns
 * 0; or CAPRUN_E_INVAL, with words that begin with |name| and say how to mend it.
 */
int cr_file_check_owner(const struct stat *st, const char *name, struct cr_err *err);

/*
 * Locks the file that |fd| has open for writing, until that is closed by all who have it. Returns
 * 0; or -1 with errno, EAGAIN if somebody has locked it.
 */
int cr_file_lock(int fd);

/* Has somebody locked it, through another descriptor? Takes no lock, so that nobody is in the way.
 */
bool cr_file_is_locked(int fd);

/* Makes the directory |path|, for this user alone, and those above it. Returns 0, or -1 with errno.
 */
int cr_file_make_dirs(const char *path);

#endif
