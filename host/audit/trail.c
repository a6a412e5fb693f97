/* trail.c - reads the lines of an audit through all its files. */
#include "audit/trail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/file.h"
#include "base/mem.h"

#define TRIES 100 /* to read a record that is just being written */

static int open_to_read(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* A read may see half of a write: a broken record is read again. */
static int read_record(struct cr_audit_trail *t, struct cr_err *err)
{
    char path[PATH_MAX], text[CR_AUDIT_RECORD_BYTES];
    cr_autoclose int fd = -1;
    ssize_t len = 0;

    t->has_record = CR_AUDIT_RECORD_MISSING;
    t->record = cr_audit_record_none;
    if (snprintf(path, sizeof(path), "%s.state", t->path) >= (int)sizeof(path))
        return cr_err_set(err, CAPRUN_E_INVAL, "the path '%s' is too long", t->path);
    fd = open_to_read(path);
    if (fd < 0)
        return errno == ENOENT ? 0 : cr_err_sys(err, "cannot open '%s'", path);
    for (int i = 0; i < TRIES; i++) {
        len = pread(fd, text, sizeof(text), 0);
        int code = len == (ssize_t)sizeof(text)
                       ? cr_audit_record_parse(text, sizeof(text), &t->record)
                       : CAPRUN_E_INVAL;

        if (code == CAPRUN_E_NOMEM)
            return cr_err_memory(err);
        t->has_record = CR_AUDIT_RECORD_GOOD;
        if (code == 0)
            return 0;
        t->has_record = CR_AUDIT_RECORD_MISSING;
    }
    if (len < 0)
        return cr_err_sys(err, "cannot read '%s'", path);
    if (len > 0)
        t->has_record = CR_AUDIT_RECORD_BROKEN;
    return 0;
}

/* Opens the full file |t->file|, or the current one if there is no such file any more. */
static int open_file(struct cr_audit_trail *t, struct cr_err *err)
{
    if (!cr_audit_file_name(t->path, t->file, t->name, sizeof(t->name)))
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the path '%s' is too long", t->path);
    t->fd = open_to_read(t->name);
    t->is_last = false;
    if (t->fd < 0 && errno == ENOENT && t->file < t->record.file)
        return cr_err_set(err, CAPRUN_E_INVAL, "the file '%s' is missing", t->name);
    if (t->fd < 0 && errno == ENOENT) {
        (void)snprintf(t->name, sizeof(t->name), "%s", t->path);
        t->is_last = true;
        t->fd = open_to_read(t->name);
    }
    if (t->fd < 0 && errno == ENOENT)
        return cr_err_set(err, CAPRUN_E_INVAL, "the file '%s' is missing", t->name);
    if (t->fd < 0)
        return cr_err_sys(err, "cannot open '%s'", t->name);
    t->is_gone = false;
    cr_audit_reader_init(&t->reader, t->fd, 0);
    t->line = 0;
    return 0;
}

static void close_file(struct cr_audit_trail *t)
{
    if (t->fd >= 0) {
        cr_audit_reader_clear(&t->reader);
        (void)close(t->fd);
    }
    t->fd = -1;
}

int cr_audit_trail_open(struct cr_audit_trail *t, const char *path, struct cr_err *err)
{
    struct stat st;
    int r;

    *t = (struct cr_audit_trail){.fd = -1};
    if (snprintf(t->path, sizeof(t->path), "%s", path) >= (int)sizeof(t->path))
        return cr_err_set(err, CAPRUN_E_INVAL, "the path '%s' is too long", path);
    r = read_record(t, err);
    if (r < 0)
        return r;
    if (t->has_record == CR_AUDIT_RECORD_MISSING && stat(path, &st) < 0)
        return errno == ENOENT || errno == ENOTDIR ? 1 : cr_err_sys(err, "cannot open '%s'", path);
    t->file = t->record.oldest;
    return 0;
}

void cr_audit_trail_close(struct cr_audit_trail *t)
{
    close_file(t);
}

/* Has the last file been renamed, because it was full? */
static bool was_renamed(const struct cr_audit_trail *t)
{
    char name[PATH_MAX];
    struct stat mine, there;

    return cr_audit_file_name(t->path, t->file, name, sizeof(name)) && fstat(t->fd, &mine) == 0 &&
           stat(name, &there) == 0 && mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/* Reports a missing file once. */
static enum cr_audit_read pass_missing(struct cr_audit_trail *t, const struct cr_err *err)
{
    /* a writer that was killed had renamed the last file, and not begun another one */
    bool is_known = t->is_gone || (t->is_last && t->file > t->record.file);

    if (err->code == CAPRUN_E_INVAL && t->is_last)
        t->is_gone = true;
    else if (err->code == CAPRUN_E_INVAL)
        t->file++;
    return is_known ? CR_AUDIT_READ_END : CR_AUDIT_READ_FAILED;
}

enum cr_audit_read cr_audit_trail_next(struct cr_audit_trail *t, const char **ret, size_t *ret_len,
                                       struct cr_err *err)
{
    for (;;) {
        bool is_over;
        enum cr_audit_read got;

        if (t->fd < 0 && open_file(t, err) < 0)
            return pass_missing(t, err);
        is_over = !t->is_last || was_renamed(t); /* before the last look at its end */
        got = cr_audit_reader_next(&t->reader, ret, ret_len);
        if (got == CR_AUDIT_READ_FAILED) {
            (void)cr_err_sys(err, "cannot read '%s'", t->name);
            return got;
        }
        if (got != CR_AUDIT_READ_END || !is_over) {
            t->line += got != CR_AUDIT_READ_END && got != CR_AUDIT_READ_TORN;
            return got;
        }
        close_file(t);
        t->file++;
    }
}
