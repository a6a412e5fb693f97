/*
 * settle.c - opens the files of an audit, repairs what a killed writer or somebody else left, and
 * begins a new file when one is full.
 *
 * Nothing is repaired in silence: each repair is a line, "event":"repaired", with what was found.
 *
 *     no lines are recorded       whole lines that continue the chain: a writer was killed before
 * it renewed the record. They are taken over. no line end at the end      a writer was killed in
 * write(), or power failed. The torn bytes are removed; the new line has their number and hash. the
 * file is too short, or   somebody changed it. The chain goes on from the record, so that a has
 * foreign lines           verification finds what is missing. no record, or a broken one  It is
 * made from the lines. A verification reports it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
#include "base/mem.h"

#define MAX_NOTES (16u << 10)
#define MAX_PATH 4200

/* --- opening -------------------------------------------------------------------------------- */

static int make_folder(const struct cr_audit_file *f, struct cr_err *err)
{
    const char *slash = strrchr(f->path, '/');
    char *folder = slash && slash != f->path ? strndup(f->path, (size_t)(slash - f->path)) : NULL;
    int r = 0;

    if (folder && cr_file_make_dirs(folder) < 0)
        r = cr_err_sys(err, "cannot make '%s'", folder);
    free(folder);
    return r;
}

/* A link could lead to any file of the user, to which lines would be added. */
static int open_one(const char *path, int flags, int *ret, struct cr_err *err)
{
    cr_autoclose int fd =
        open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600);
    struct stat st;
    char name[MAX_PATH];

    if (fd < 0 && errno == ELOOP)
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' is a link, and an audit has to be a file",
                          path);
    if (fd < 0 || fstat(fd, &st) < 0)
        return cr_err_sys(err, "cannot open '%s'", path);
    if (!S_ISREG(st.st_mode))
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' is not a regular file", path);
    (void)snprintf(name, sizeof(name), "'%s'", path);
    if (cr_file_check_owner(&st, name, err) < 0)
        return CAPRUN_E_INVAL;
    *ret = cr_steal_fd(&fd);
    return 0;
}

/* Is |fd| open, and what |path| names? */
static bool is_at(int fd, const char *path)
{
    struct stat mine, there;

    return fd >= 0 && fstat(fd, &mine) == 0 && lstat(path, &there) == 0 &&
           mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/* Opens the record, locks it, and opens the file. Returns READY, BUSY or an error. */
static int open_both(struct cr_audit_file *f, struct cr_err *err)
{
    int r;

    if (!is_at(f->record_fd, f->record_path)) {
        cr_audit_file_close(f);
        r = make_folder(f, err);
        if (r == 0)
            r = open_one(f->record_path, 0, &f->record_fd, err);
        if (r < 0)
            return r;
    }
    r = cr_audit_file_lock(f, err);
    if (r != CR_AUDIT_FILE_READY)
        return r;
    if (is_at(f->fd, f->path))
        return CR_AUDIT_FILE_READY;
    if (f->fd >= 0)
        (void)close(f->fd);
    f->fd = -1;
    return open_one(f->path, O_APPEND, &f->fd, err);
}

/* --- notes ---------------------------------------------------------------------------------- */

static void begin_note(struct cr_buf *notes, const char *what)
{
    cr_audit_line_begin(notes, "repaired");
    cr_buf_fmt(notes, ",\"what\":\"%s\"", what);
}

/* The notes become lines; each ends with a NUL. */
static void add_notes(struct cr_audit_file *f, const struct cr_buf *notes)
{
    f->next = f->record;
    for (size_t at = 0; at < notes->len;) {
        size_t len = strlen((const char *)notes->data + at);

        cr_audit_file_add(f, notes->data + at, len);
        at += len + 1;
    }
    if (cr_buf_err(notes))
        f->lines.err = CAPRUN_E_NOMEM;
}

static void note_bytes(struct cr_buf *notes, const char *what, uint64_t bytes)
{
    begin_note(notes, what);
    cr_buf_fmt(notes, ",\"bytes\":%" PRIu64, bytes);
    cr_buf_add(notes, "", 1);
}

/* --- repairing ------------------------------------------------------------------------------ */

/* Is this the beginning of a line of ours? */
static bool is_ours(const char *torn, size_t len)
{
    static const char begin[] = "{\"n\":";

    return memcmp(torn, begin, len < strlen(begin) ? len : strlen(begin)) == 0;
}

/*
 * Removes a torn line from the end. Bytes that are not ours stay, and get a line end. Returns 0, or
 * -1 with errno.
 */
static int cut_torn_line(struct cr_audit_file *f, uint64_t *size, struct cr_buf *notes)
{
    size_t len = *size < CR_AUDIT_MAX_LINE ? (size_t)*size : CR_AUDIT_MAX_LINE, torn;
    cr_autofree char *tail = malloc(len + 1);
    uint8_t hash[CR_HASH_BYTES];
    char digits[CR_HASH_DIGITS + 1];
    const char *end;

    if (!tail || pread(f->fd, tail, len, (off_t)(*size - len)) != (ssize_t)len)
        return -1;
    if (!len || tail[len - 1] == '\n')
        return 0;
    end = memrchr(tail, '\n', len);
    torn = end ? (size_t)(tail + len - end - 1) : len;
    if (!is_ours(tail + len - torn, torn)) {
        ++*size;
        return cr_file_write_all(f->fd, "\n", 1);
    }
    cr_hash_take(tail + len - torn, torn, hash);
    cr_hash_show(hash, digits);
    begin_note(notes, "torn");
    cr_buf_fmt(notes, ",\"bytes\":%zu,\"sha256\":\"%s\"", torn, digits);
    cr_buf_add(notes, "", 1);
    *size -= torn;
    return ftruncate(f->fd, (off_t)*size);
}

/* The record is good. Returns 0, or -1 with errno. */
static int compare_with_record(struct cr_audit_file *f, struct cr_audit_record *record,
                               uint64_t size, struct cr_buf *notes)
{
    bool unused;

    if (size < record->bytes)
        note_bytes(notes, "shorter", record->bytes - size);
    if (size > record->bytes && cr_audit_file_take_over(f->fd, record, &unused) < 0)
        return -1;
    if (size > record->bytes)
        note_bytes(notes, "foreign", size - record->bytes);
    record->bytes = size;
    return 0;
}

/* Returns the highest number of a full file, or 0. */
static uint64_t highest_number(const struct cr_audit_file *f)
{
    const char *slash = strrchr(f->path, '/'), *name = slash ? slash + 1 : f->path;
    char *folder = slash ? strndup(f->path, (size_t)(slash - f->path) + 1) : strdup(".");
    DIR *dir = folder ? opendir(folder) : NULL;
    size_t len = strlen(name);
    const struct dirent *entry;
    uint64_t highest = 0;

    while (dir && (entry = readdir(dir))) {
        const char *rest = entry->d_name + len + 1;
        char *end;
        uint64_t number;

        if (strncmp(entry->d_name, name, len) != 0 || entry->d_name[len] != '.' || rest[0] < '1' ||
            rest[0] > '9')
            continue;
        number = strtoull(rest, &end, 10);
        if (!*end && number > highest)
            highest = number;
    }
    if (dir)
        (void)closedir(dir);
    free(folder);
    return highest;
}

/* Makes a record from the first line of the file. Returns 0; or an error, not an audit. */
static int record_from_lines(struct cr_audit_file *f, struct cr_audit_record *ret,
                             struct cr_err *err)
{
    struct cr_audit_reader reader;
    struct cr_audit_line line = {0};
    const char *text;
    size_t len;
    int r = CAPRUN_E_INVAL;

    cr_audit_reader_init(&reader, f->fd, 0);
    if (cr_audit_reader_next(&reader, &text, &len) == CR_AUDIT_READ_LINE)
        r = cr_audit_line_parse(text, len, &line);
    if (r == 0) {
        ret->first = line.n;
        ret->count = line.n - 1;
        memcpy(ret->before, line.prev, CR_HASH_BYTES);
        memcpy(ret->hash, line.prev, CR_HASH_BYTES);
        cr_audit_line_clear(&line);
    }
    cr_audit_reader_clear(&reader);
    return r == 0 ? 0
                  : cr_err_set(err, r, "'%s' is not an audit: its first line is something else",
                               f->path);
}

/* There is no usable record. */
static int make_record(struct cr_audit_file *f, struct cr_audit_record *record, uint64_t size,
                       bool is_missing, struct cr_buf *notes, struct cr_err *err)
{
    uint64_t highest = highest_number(f);

    *record = cr_audit_record_none;
    record->file = record->oldest = highest + 1;
    if (size && record_from_lines(f, record, err) < 0)
        return CAPRUN_E_INVAL;
    if (size || highest || !is_missing)
        note_bytes(notes, is_missing ? "no-record" : "bad-record", size);
    return 0;
}

/* --- a full file ---------------------------------------------------------------------------- */

static bool exists(const char *path, uint64_t least)
{
    struct stat st;

    return lstat(path, &st) == 0 && (uint64_t)st.st_size >= least;
}

/* Adds a line which tells the other writers, who have read up to here. Returns 0, or -1 with errno.
 */
static int say_that_it_is_full(const struct cr_audit_file *f, struct cr_audit_record *record)
{
    cr_autobuf struct cr_buf body = CR_BUF(1024), line = CR_BUF(4096);

    cr_audit_line_begin(&body, "full");
    cr_audit_line_add(&line, ++record->count, body.data, body.len, record->hash);
    if (cr_buf_err(&line)) {
        errno = ENOMEM;
        return -1;
    }
    record->bytes += line.len;
    return cr_file_write_all(f->fd, line.data, line.len);
}

/* Begins a new file after the current one was renamed. Returns 0, or -1 with errno. */
static int continue_in_new_file(struct cr_audit_file *f, struct cr_audit_record *record)
{
    record->file++;
    record->bytes = 0;
    return cr_audit_file_write_record(f, record);
}

/* The same after another writer was killed when it had renamed the file to |name|. */
static int continue_after(struct cr_audit_file *f, struct cr_audit_record *record, const char *name)
{
    cr_autoclose int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool unused;

    if (fd < 0 || cr_audit_file_take_over(fd, record, &unused) < 0)
        return -1;
    return continue_in_new_file(f, record);
}

/* Sets the first line of the record to that of the oldest file but one; false: it cannot be read.
 */
static bool skip_oldest(const struct cr_audit_file *f, struct cr_audit_record *record)
{
    struct cr_audit_file next = {0};
    struct cr_err unused;
    char name[MAX_PATH];
    cr_autoclose int fd = -1;
    struct cr_audit_record from = *record;

    if (!cr_audit_file_name(f->path, record->oldest + 1, name, sizeof(name)))
        return false;
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    next.fd = fd;
    next.path = name;
    if (fd < 0 || record_from_lines(&next, &from, &unused) < 0)
        return false;
    record->oldest++;
    record->first = from.first;
    memcpy(record->before, from.before, CR_HASH_BYTES);
    return true;
}

/* Removes the oldest files, if there are too many. Returns 0, or -1 with errno. */
static int remove_oldest(struct cr_audit_file *f, struct cr_audit_record *record,
                         struct cr_buf *notes)
{
    while (record->file - record->oldest > f->kept) {
        uint64_t first = record->first, number = record->oldest;
        char name[MAX_PATH];

        if (!skip_oldest(f, record))
            return 0;
        if (cr_audit_file_write_record(f, record) < 0)
            return -1;
        if (cr_audit_file_name(f->path, number, name, sizeof(name)))
            (void)unlink(name);
        cr_audit_line_begin(notes, "removed");
        cr_buf_fmt(notes, ",\"file\":%" PRIu64 ",\"from\":%" PRIu64 ",\"to\":%" PRIu64, number,
                   first, record->first - 1);
        cr_buf_add(notes, "", 1);
    }
    return 0;
}

static int begin_new_file(struct cr_audit_file *f, struct cr_audit_record *record,
                          struct cr_buf *notes, struct cr_err *err)
{
    char name[MAX_PATH];

    if (!cr_audit_file_name(f->path, record->file, name, sizeof(name)) || exists(name, 0))
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' is full, and '%s' exists already", f->path,
                          name);
    if (say_that_it_is_full(f, record) < 0 || rename(f->path, name) < 0 ||
        continue_in_new_file(f, record) < 0)
        return cr_err_sys(err, "cannot rename '%s'", f->path);
    (void)close(f->fd);
    f->fd = -1;
    if (open_one(f->path, O_APPEND, &f->fd, err) < 0)
        return CAPRUN_E_SYS;
    return remove_oldest(f, record, notes) < 0
               ? cr_err_sys(err, "cannot write '%s'", f->record_path)
               : 0;
}

/* --- all ------------------------------------------------------------------------------------ */

/* Returns 0 or an error. |record| describes the current file afterwards. */
static int repair(struct cr_audit_file *f, struct cr_audit_record *record, struct cr_buf *notes,
                  struct cr_err *err)
{
    char text[CR_AUDIT_RECORD_BYTES], name[MAX_PATH];
    ssize_t len = pread(f->record_fd, text, sizeof(text), 0);
    struct stat st;
    uint64_t size;
    int code = len == (ssize_t)sizeof(text) ? cr_audit_record_parse(text, sizeof(text), record)
                                            : CAPRUN_E_INVAL;
    bool is_good = code == 0;

    if (code == CAPRUN_E_NOMEM)
        return cr_err_memory(err);
    if (len < 0 || fstat(f->fd, &st) < 0)
        return cr_err_sys(err, "cannot read '%s'", f->path);
    size = (uint64_t)st.st_size;
    if (!is_good && make_record(f, record, size, len == 0, notes, err) < 0)
        return CAPRUN_E_INVAL;
    if (is_good && !size && record->bytes &&
        cr_audit_file_name(f->path, record->file, name, sizeof(name)) &&
        exists(name, record->bytes) && continue_after(f, record, name) < 0)
        return cr_err_sys(err, "cannot continue after '%s'", name);
    if (cut_torn_line(f, &size, notes) < 0 || compare_with_record(f, record, size, notes) < 0)
        return cr_err_sys(err, "cannot repair '%s'", f->path);
    if (cr_audit_file_write_record(f, record) < 0)
        return cr_err_sys(err, "cannot write '%s'", f->record_path);
    return size >= f->max_bytes ? begin_new_file(f, record, notes, err) : 0;
}

int cr_audit_file_settle(struct cr_audit_file *f, struct cr_err *err)
{
    cr_autobuf struct cr_buf notes = CR_BUF(MAX_NOTES);
    struct cr_audit_record record = {0};
    int r;

    if (!f->path[0])
        return cr_err_set(err, CAPRUN_E_INVAL,
                          "there is no directory for the audit: neither XDG_STATE_HOME nor HOME is "
                          "an absolute path");
    r = open_both(f, err);
    f->has_settled = false;
    if (r == CR_AUDIT_FILE_READY)
        r = repair(f, &record, &notes, err);
    if (r < 0)
        cr_audit_file_close(f);
    if (r != CR_AUDIT_FILE_READY)
        return r;
    f->has_settled = true;
    f->record = record;
    add_notes(f, &notes);
    return CR_AUDIT_FILE_READY;
}
