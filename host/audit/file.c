/* file.c - locks the file of an audit, and appends lines to it. */
#include "audit/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/file_parts.h"
#include "audit/line.h"
#include "audit/reader.h"
#include "base/file.h"

#define MAX_COMMIT (8u << 20)
#define MAX_CATCH_UP (128u << 10) /* bytes that others have written: more belong in a thread */

int cr_audit_file_init(struct cr_audit_file *f, const char *path)
{
    *f = (struct cr_audit_file){
        .fd = -1, .record_fd = -1, .max_bytes = CR_AUDIT_FILE_BYTES, .kept = CR_AUDIT_FILE_KEPT};
    cr_buf_init(&f->lines, MAX_COMMIT);
    f->path = strdup(path);
    if (asprintf(&f->record_path, "%s.state", path) < 0)
        f->record_path = NULL;
    return f->path && f->record_path ? 0 : CAPRUN_E_NOMEM;
}

void cr_audit_file_close(struct cr_audit_file *f)
{
    if (f->fd >= 0)
        (void)close(f->fd);
    if (f->record_fd >= 0)
        (void)close(f->record_fd);
    f->fd = f->record_fd = -1;
    f->is_locked = f->has_settled = false;
}

void cr_audit_file_clear(struct cr_audit_file *f)
{
    cr_audit_file_close(f);
    cr_buf_clear(&f->lines);
    free(f->path);
    free(f->record_path);
}

bool cr_audit_file_name(const char *path, uint64_t number, char *ret, size_t size)
{
    int len = snprintf(ret, size, "%s.%" PRIu64, path, number);

    return len > 0 && (size_t)len < size;
}

int cr_audit_file_fail(struct cr_audit_file *f, struct cr_err *err, const char *what,
                       const char *path)
{
    (void)cr_err_sys(err, "cannot %s '%s'", what, path);
    cr_audit_file_release(f);
    return CAPRUN_E_SYS;
}

int cr_audit_file_lock(struct cr_audit_file *f, struct cr_err *err)
{
    if (f->is_locked)
        return CR_AUDIT_FILE_READY;
    if (cr_file_lock(f->record_fd) == 0) {
        f->is_locked = true;
        return CR_AUDIT_FILE_READY;
    }
    return errno == EAGAIN ? (int)CR_AUDIT_FILE_BUSY
                           : cr_audit_file_fail(f, err, "lock", f->record_path);
}

void cr_audit_file_release(struct cr_audit_file *f)
{
    if (f->is_locked)
        cr_file_unlock(f->record_fd);
    f->is_locked = false;
    cr_buf_drop(&f->lines, f->lines.len);
    f->lines.err = 0;
}

int cr_audit_file_take_over(int fd, struct cr_audit_record *record, bool *ret_is_full)
{
    struct cr_audit_reader reader;
    struct cr_audit_line line;
    enum cr_audit_read got;
    const char *text;
    size_t len;
    int r = 0;

    *ret_is_full = false;
    cr_audit_reader_init(&reader, fd, record->bytes);
    while ((got = cr_audit_reader_next(&reader, &text, &len)) == CR_AUDIT_READ_LINE) {
        bool fits;

        r = cr_audit_line_parse(text, len, &line);
        if (r < 0)
            break;
        fits = line.n == record->count + 1 && memcmp(line.prev, record->hash, CR_HASH_BYTES) == 0;
        *ret_is_full |= fits && strcmp(line.event, "full") == 0;
        cr_audit_line_clear(&line);
        if (!fits)
            break;
        record->count++;
        record->bytes += len + 1;
        cr_hash_take(text, len, record->hash);
    }
    cr_audit_reader_clear(&reader);
    return got == CR_AUDIT_READ_FAILED || r == CAPRUN_E_NOMEM ? -1 : 0;
}

/* Reads the lines that others have added. Returns false if they are too many, or not in order. */
static bool read_what_others_wrote(struct cr_audit_file *f, uint64_t size)
{
    bool is_full = false;

    return size > f->record.bytes && size - f->record.bytes <= MAX_CATCH_UP &&
           cr_audit_file_take_over(f->fd, &f->record, &is_full) == 0 && !is_full &&
           f->record.bytes == size;
}

static bool is_settled(struct cr_audit_file *f)
{
    off_t size = f->has_settled ? lseek(f->fd, 0, SEEK_END) : -1;

    if (size < 0 ||
        ((uint64_t)size != f->record.bytes && !read_what_others_wrote(f, (uint64_t)size)))
        return false;
    return f->record.bytes < f->max_bytes;
}

int cr_audit_file_take(struct cr_audit_file *f, struct cr_err *err)
{
    int r;

    if (f->record_fd < 0)
        return CR_AUDIT_FILE_UNSETTLED;
    r = cr_audit_file_lock(f, err);
    if (r != CR_AUDIT_FILE_READY)
        return r;
    if (!is_settled(f))
        return CR_AUDIT_FILE_UNSETTLED;
    f->next = f->record;
    return CR_AUDIT_FILE_READY;
}

void cr_audit_file_add(struct cr_audit_file *f, const void *body, size_t len)
{
    cr_audit_line_add(&f->lines, ++f->next.count, body, len, f->next.hash);
}

int cr_audit_file_write_record(const struct cr_audit_file *f, const struct cr_audit_record *record)
{
    char text[CR_AUDIT_RECORD_BYTES];

    cr_audit_record_show(record, text);
    return pwrite(f->record_fd, text, sizeof(text), 0) == (ssize_t)sizeof(text) ? 0 : -1;
}

static bool is_removed(int fd)
{
    struct stat st;

    return fstat(fd, &st) < 0 || !st.st_nlink;
}

int cr_audit_file_commit(struct cr_audit_file *f, bool renews, struct cr_err *err)
{
    if (cr_buf_err(&f->lines)) {
        cr_audit_file_release(f);
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the audit");
    }
    f->next.bytes = f->record.bytes + f->lines.len;
    if (cr_file_write_all(f->fd, f->lines.data, f->lines.len) < 0 ||
        (renews && cr_audit_file_write_record(f, &f->next) < 0)) {
        int saved = errno;

        (void)!ftruncate(f->fd, (off_t)f->record.bytes); /* the next writer repairs what is left */
        errno = saved;
        return cr_audit_file_fail(f, err, "write", f->path);
    }
    f->record = f->next;
    if (renews && (is_removed(f->fd) || is_removed(f->record_fd)))
        f->has_settled = false; /* the next lines go to a new file */
    cr_audit_file_release(f);
    return 0;
}
