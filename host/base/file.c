/* file.c - opens, reads, writes, renames and locks files. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/group.h"
#include "base/mem.h"

#define CHUNK 8192
#define SHOWN 300        /* bytes of a path in a message, so that the reason fits, too */
#define RANDOM_DIGITS 16 /* random digits in the name of a temporary file */
#define END ".tmp"       /* the end of such a name */

/* Quotes |path|; of a long path, only its end. */
static void quote(const char *path, char ret[SHOWN + 8])
{
    size_t len = strlen(path);

    if (len <= SHOWN)
        (void)snprintf(ret, SHOWN + 8, "'%s'", path);
    else
        (void)snprintf(ret, SHOWN + 8, "'...%s'", path + len - SHOWN);
}

int cr_file_read_fd(int fd, const char *name, struct cr_buf *out, struct cr_err *err)
{
    for (;;) {
        size_t room = out->max - out->len < CHUNK ? out->max - out->len : CHUNK;
        uint8_t more = 0;
        uint8_t *to = room ? cr_buf_room(out, room) : &more;
        ssize_t n;

        if (!to)
            return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for %s", name);
        n = read(fd, to, room ? room : 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cr_err_sys(err, "cannot read %s", name);
        if (n == 0)
            return 0;
        if (!room)
            return cr_err_set(err, CAPRUN_E_TOOBIG, "%s is over %zu bytes", name, out->max);
        out->len += (size_t)n;
    }
}

/*
 * Opens |path| inside of |dir|: a link that leads out is not followed. If the kernel cannot check
 * that, only a plain name that is not a link is opened.
 */
static int open_below(int dir, const char *path, int flags)
{
    struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_BENEATH};
    int fd;

    if (dir == AT_FDCWD)
        return open(path, flags);
    fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
    if (fd < 0 && (errno == ENOSYS || errno == EPERM) && !strchr(path, '/'))
        fd = openat(dir, path, flags | O_NOFOLLOW);
    return fd;
}

bool cr_file_is_below(int dir, const char *path)
{
    cr_autoclose int fd = open_below(dir, path, O_PATH | O_CLOEXEC);

    return fd >= 0 || errno == ENOENT;
}

int cr_file_read(int dir, const char *path, struct cr_buf *out, struct stat *ret_stat,
                 struct cr_err *err)
{
    cr_autoclose int fd = -1;
    char name[SHOWN + 8];
    struct stat st;

    quote(path, name);
    fd = open_below(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return 1;
    if (fd < 0)
        return cr_err_sys(err, "cannot open %s", name);
    if (fstat(fd, &st) < 0)
        return cr_err_sys(err, "cannot look at %s", name);
    if (!S_ISREG(st.st_mode))
        return cr_err_set(err, CAPRUN_E_INVAL, "%s is not a regular file", name);
    if (ret_stat)
        *ret_stat = st;
    return cr_file_read_fd(fd, name, out, err);
}

int cr_file_write_all(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len) {
        ssize_t n = write(fd, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Creates a file beside |path| and writes its name to |temporary|. Returns -1 with errno. */
static int open_beside(int dir, const char *path, mode_t mode, char *temporary, size_t size)
{
    uint64_t number;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return -1;
    if ((size_t)snprintf(temporary, size, "%s.%0*llx" END, path, RANDOM_DIGITS,
                         (unsigned long long)number) >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
}

/* Gives |fd| the mode of the file that it will replace, if that exists; from root also its owner.
 */
static int keep_mode(int dir, const char *path, int fd)
{
    struct stat st;

    if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
        return 0;
    if (geteuid() == 0 && st.st_uid != 0 && fchown(fd, st.st_uid, st.st_gid) < 0)
        return -1;
    return fchmod(fd, st.st_mode & 0777);
}

int cr_file_replace(int dir, const char *path, const void *bytes, size_t len, mode_t mode,
                    struct cr_err *err)
{
    cr_autoclose int fd = -1;
    char temporary[4096], name[SHOWN + 8];
    int r, saved;

    quote(path, name);
    fd = open_beside(dir, path, mode, temporary, sizeof(temporary));
    if (fd < 0)
        return cr_err_sys(err, "cannot write %s", name);
    if (keep_mode(dir, path, fd) == 0 && cr_file_write_all(fd, bytes, len) == 0 && fsync(fd) == 0 &&
        renameat(dir, temporary, dir, path) == 0)
        return 0;
    r = cr_err_sys(err, "cannot write %s", name);
    saved = errno;
    (void)unlinkat(dir, temporary, 0);
    errno = saved;
    return r;
}

/* Gives |temporary| the name |path|, unless that exists. Returns -1 with errno. */
static int rename_to_new(int dir, const char *temporary, const char *path)
{
    if (renameat2(dir, temporary, dir, path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    /* the file system cannot do that; most of those can link */
    if (linkat(dir, temporary, dir, path, 0) < 0)
        return -1;
    (void)unlinkat(dir, temporary, 0);
    return 0;
}

int cr_file_create(int dir, const char *path, const void *bytes, size_t len, mode_t mode,
                   struct cr_err *err)
{
    cr_autoclose int fd = -1;
    char temporary[4096], name[SHOWN + 8];
    int r, saved;

    quote(path, name);
    fd = open_beside(dir, path, mode, temporary, sizeof(temporary));
    if (fd < 0)
        return cr_err_sys(err, "cannot write %s", name);
    if (cr_file_write_all(fd, bytes, len) == 0 && fsync(fd) == 0 &&
        rename_to_new(dir, temporary, path) == 0)
        return 0;
    r = cr_err_sys(err, "cannot write %s", name);
    saved = errno;
    (void)unlinkat(dir, temporary, 0);
    errno = saved;
    return r;
}

/* Is |entry| a name that open_beside() makes for |name|? */
static bool is_beside(const char *entry, const char *name)
{
    size_t len = strlen(name);

    return strncmp(entry, name, len) == 0 && entry[len] == '.' &&
           strspn(entry + len + 1, "0123456789abcdef") == RANDOM_DIGITS &&
           strcmp(entry + len + 1 + RANDOM_DIGITS, END) == 0;
}

void cr_file_sweep(int dir, const char *name)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (!entries) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    while ((entry = readdir(entries)))
        if (is_beside(entry->d_name, name))
            (void)unlinkat(dir, entry->d_name, 0);
    (void)closedir(entries);
}

int cr_file_check_owner(const struct stat *st, const char *name, struct cr_err *err)
{
    if (st->st_uid != geteuid() && st->st_uid != 0)
        return cr_err_set(err, CAPRUN_E_INVAL,
                          "%s belongs to another user (uid %u), so it is not used: if you trust "
                          "what it says, make it yours with chown",
                          name, (unsigned)st->st_uid);
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return cr_err_set(err, CAPRUN_E_INVAL,
                          "%s can be written by others, so it is not used: if you trust what it "
                          "says, remove that permission with chmod go-w",
                          name);
    return 0;
}

int cr_file_check_owner_or_group(int dir, const char *path, const struct stat *st, const char *name,
                                 struct cr_err *err)
{
    struct stat judged = *st;

    if ((st->st_mode & (S_IWGRP | S_IWOTH)) == S_IWGRP && cr_group_is_mine(dir, path, st))
        judged.st_mode &= ~(mode_t)S_IWGRP;
    return cr_file_check_owner(&judged, name, err);
}

int cr_file_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return 0;
    errno = errno == EACCES ? EAGAIN : errno; /* some kernels say EACCES for a locked file */
    return -1;
}

void cr_file_unlock(int fd)
{
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    (void)fcntl(fd, F_OFD_SETLK, &lock);
}

bool cr_file_is_locked(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int cr_file_make_dirs(const char *path)
{
    char part[4096];
    size_t len = strlen(path);

    if (len >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0700) < 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}
