/*
 * file.h - reads whole files up to a limit, replaces and locks them, and checks who owns them.
 *
 * Messages quote the path; of a long path only its end. After CAPRUN_E_SYS, errno is still set.
 */
#ifndef CR_FILE_H
#define CR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Reads |fd| to its end and appends the bytes to |out|, up to its ceiling. Messages show |name| as
 * given, so the caller adds quotes. Returns 0, CAPRUN_E_SYS, CAPRUN_E_TOOBIG or CAPRUN_E_NOMEM.
 */
int cr_file_read_fd(int fd, const char *name, struct cr_buf *out, struct cr_err *err);

/*
 * Appends the regular file |path| to |out|. A relative |path| starts at the directory |dir|. Unless
 * |dir| is AT_FDCWD, the file must be inside of |dir|, also after following links; without openat2,
 * only a plain name that is not a link is accepted. A pipe or a device is rejected, without waiting
 * for it. Returns 0; 1 if there is no such file; or an error as above, or CAPRUN_E_INVAL if it is
 * not a regular file. |ret_stat|, which may be NULL, describes the file that was read.
 */
int cr_file_read(int dir, const char *path, struct cr_buf *out, struct stat *ret_stat,
                 struct cr_err *err);

/*
 * Is |path| inside of the directory |dir|, also after following links, or missing? Returns false if
 * that cannot be known.
 */
bool cr_file_is_below(int dir, const char *path);

/* Writes all of |bytes|. Returns 0, or -1 with errno: then a part of them may be written. */
int cr_file_write_all(int fd, const void *bytes, size_t len);

/*
 * Replaces |path| by |len| bytes atomically: a reader sees the whole old file or the whole new
 * file, also after a crash. The bytes are written to a file beside it, synced, then renamed. A
 * caller that must not find the old file after a crash also syncs the directory. A new file gets
 * |mode| minus the umask, an existing one keeps its mode, and its owner if root writes it; a
 * symbolic link is replaced itself. Returns 0; or CAPRUN_E_SYS, and nothing has changed.
 */
int cr_file_replace(int dir, const char *path, const void *bytes, size_t len, mode_t mode,
                    struct cr_err *err);

/*
 * The same for a new file, with |mode| minus the umask. If |path| exists, nothing changes: returns
 * CAPRUN_E_SYS, and errno is EEXIST.
 */
int cr_file_create(int dir, const char *path, const void *bytes, size_t len, mode_t mode,
                   struct cr_err *err);

/*
 * Removes the temporary files that killed writers of |name| left in the directory |dir|. The caller
 * makes sure that no process is writing |name| now.
 */
void cr_file_sweep(int dir, const char *name);

/*
 * Checks that a file of |st| belongs to this process's user or root, and only its owner can write
 * it. Returns 0; or CAPRUN_E_INVAL, with a message that begins with |name| and says how to fix it.
 */
int cr_file_check_owner(const struct stat *st, const char *name, struct cr_err *err);

/*
 * Like cr_file_check_owner(), for the file |path|, which starts at |dir|; but the private group of
 * this process's user (base/group.h) may also write the file. Reads other files only if a group can
 * write this one.
 */
int cr_file_check_owner_or_group(int dir, const char *path, const struct stat *st, const char *name,
                                 struct cr_err *err);

/*
 * Locks the file that |fd| has open for writing, until all copies of |fd| are closed, in every
 * process. Returns 0; or -1 with errno, EAGAIN if the file is locked already.
 */
int cr_file_lock(int fd);

/* Releases that lock early. */
void cr_file_unlock(int fd);

/* Is the file locked through another descriptor? Takes no lock, so it does not disturb others. */
bool cr_file_is_locked(int fd);

/* Makes |path| and missing parents, for this user alone. Returns 0, or -1 with errno. */
int cr_file_make_dirs(const char *path);

#endif
