/* blobs.c - writes, reads, removes and measures the files of blobs. */
#include "journal/blobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/* Name of an incomplete blob. One name is enough: one thread writes all blobs of a journal. */
#define UNFINISHED "unfinished"

/* Returns 0, or CAPRUN_E_TOOBIG. |name| may be "". */
static int make_path(const char *path, const char *name, char ret[PATH_MAX], struct cr_err *err)
{
    int len = snprintf(ret, PATH_MAX, "%s.d%s%s", path, *name ? "/" : "", name);

    return len < PATH_MAX ? 0 : cr_err_set(err, CAPRUN_E_TOOBIG, "the path of the journal is long");
}

/* A file with this name is complete, because it was renamed; its readers check the hash. */
static bool has_blob(int dir, const char *name, size_t len)
{
    struct stat st;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           (size_t)st.st_size == len;
}

/* Opens a directory; refuses a symbolic link, and a directory of another user. */
static int open_dir(const char *name)
{
    cr_autoclose int dir = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (dir < 0 || fstat(dir, &st) < 0)
        return -1;
    if (st.st_uid != geteuid()) {
        errno = EPERM;
        return -1;
    }
    return cr_steal_fd(&dir);
}

int cr_blobs_write(const char *path, const struct cr_line_blob *blob, struct cr_err *err)
{
    cr_autoclose int dir = -1;
    cr_autoclose int fd = -1;
    char name[PATH_MAX];

    if (make_path(path, "", name, err) < 0)
        return CAPRUN_E_TOOBIG;
    if (mkdir(name, 0700) < 0 && errno != EEXIST)
        return cr_err_sys(err, "cannot make '%s'", name);
    dir = open_dir(name);
    if (dir < 0)
        return cr_err_sys(err, "cannot use '%s'", name);
    if (has_blob(dir, blob->name, blob->len))
        return 1;
    /* an existing file may be a hard link or a FIFO: never open it, make a new one */
    (void)unlinkat(dir, UNFINISHED, 0);
    fd = openat(dir, UNFINISHED, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && cr_file_write_all(fd, blob->bytes, blob->len) == 0 &&
        renameat(dir, UNFINISHED, dir, blob->name) == 0)
        return 0;
    (void)cr_err_sys(err, "cannot write '%s' of '%s'", blob->name, name);
    (void)unlinkat(dir, UNFINISHED, 0);
    return CAPRUN_E_SYS;
}

int cr_blobs_read(const char *path, const char *name, size_t len, struct cr_buf *out,
                  struct cr_err *err)
{
    uint8_t hash[CR_HASH_BYTES];
    char file[PATH_MAX], digits[CR_HASH_DIGITS + 1];
    size_t start = out->len;
    int r = make_path(path, name, file, err);

    if (r == 0)
        r = cr_file_read(AT_FDCWD, file, out, NULL, err);
    if (r == 1)
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' is not there", file);
    if (r < 0)
        return r;
    cr_hash_take(out->data + start, out->len - start, hash);
    cr_hash_show(hash, digits);
    if (out->len - start != len || strcmp(digits, name) != 0)
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' was changed: its length or hash is wrong",
                          file);
    return 0;
}

/* Calls |each| for every blob of the journal |path|. */
static void for_each_blob(const char *path, void (*each)(int dir, const char *name, void *data),
                          void *data)
{
    char name[PATH_MAX];
    const struct dirent *entry;
    DIR *dir;
    int fd;

    if (make_path(path, "", name, NULL) < 0)
        return;
    fd = open_dir(name);
    dir = fd < 0 ? NULL : fdopendir(fd);
    while (dir && (entry = readdir(dir)))
        if (strlen(entry->d_name) == CR_HASH_DIGITS || strcmp(entry->d_name, UNFINISHED) == 0)
            each(dirfd(dir), entry->d_name, data);
    if (dir)
        (void)closedir(dir);
}

static void remove_blob(int dir, const char *name, void *data)
{
    (void)data;
    (void)unlinkat(dir, name, 0);
}

void cr_blobs_remove(const char *path)
{
    char dir[PATH_MAX];

    for_each_blob(path, remove_blob, NULL);
    if (make_path(path, "", dir, NULL) == 0)
        (void)rmdir(dir);
}

static void add_size(int dir, const char *name, void *data)
{
    uint64_t *sum = data;
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        *sum += (uint64_t)st.st_size;
}

uint64_t cr_blobs_size(const char *path)
{
    uint64_t sum = 0;

    for_each_blob(path, add_size, &sum);
    return sum;
}
