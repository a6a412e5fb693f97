/* mark.c - writes, reads and removes the mark of a journal. */
#include "journal/mark.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "journal/journal.h"
#include "journal/line.h"
#include "journal/record.h"

/* All marks have the same length, so that a new one overwrites the old one. */
#define MARK_LEN (CR_RECORD_MARK - 1 + 1 + 20 + 1 + CR_LINE_HASH + 1)

static int make_path(const char *path, char ret[PATH_MAX], struct cr_err *err)
{
    return snprintf(ret, PATH_MAX, "%s.mark", path) < PATH_MAX
               ? 0
               : cr_err_set(err, CAPRUN_E_SYS, "the path of the journal is too long");
}

/* --- writing -------------------------------------------------------------------------------- */

/* An existing file may be a link to another file, or a FIFO: such a file is replaced. */
static int open_mark(const char *name)
{
    cr_autoclose int fd =
        open(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
        st.st_uid == geteuid())
        return cr_steal_fd(&fd);
    (void)unlink(name);
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int cr_mark_write(int *fd, const char *path, const char *identity, uint64_t len,
                  const uint8_t chain[CR_HASH_BYTES], struct cr_err *err)
{
    char name[PATH_MAX], digits[CR_HASH_DIGITS + 1], text[MARK_LEN + 1];

    if (*fd < 0) {
        if (make_path(path, name, err) < 0)
            return CAPRUN_E_SYS;
        *fd = open_mark(name);
    }
    cr_hash_show(chain, digits);
    (void)snprintf(text, sizeof(text), "%-*s %20llu %.*s\n", CR_RECORD_MARK - 1, identity,
                   (unsigned long long)len, CR_LINE_HASH, digits);
    return *fd >= 0 && pwrite(*fd, text, MARK_LEN, 0) == MARK_LEN
               ? 0
               : cr_err_sys(err, "cannot write the mark of '%s'", path);
}

void cr_mark_remove(const char *path)
{
    char name[PATH_MAX];

    if (make_path(path, name, NULL) == 0)
        (void)unlink(name);
}

/* --- checking ------------------------------------------------------------------------------- */

/* Returns whether |journal| has a mark of its own. The mark of another file is left over. */
static bool read_mark(const struct cr_journal *journal, const char *identity,
                      char ret[MARK_LEN + 1])
{
    cr_autoclose int fd = -1;
    char name[PATH_MAX];
    size_t len = strlen(identity);

    if (make_path(journal->path, name, NULL) < 0)
        return false;
    fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ret[MARK_LEN] = '\0';
    return fd >= 0 && pread(fd, ret, MARK_LEN, 0) == MARK_LEN && memcmp(ret, identity, len) == 0 &&
           ret[len] == ' ';
}

static bool has_sent(const struct cr_journal *journal)
{
    for (size_t i = 0; i < journal->count; i++)
        if (journal->lines[i].kind == CR_JOURNAL_SEND)
            return true;
    return false;
}

const char *cr_mark_doubt(const struct cr_journal *journal, const char *identity)
{
    static const char changed[] = "it was cut off, or an older copy of it was put back";
    const char *text = (const char *)journal->text.data;
    char mark[MARK_LEN + 1];
    unsigned long long len;

    if (!read_mark(journal, identity, mark))
        return has_sent(journal)
                   ? "its mark, a file beside it whose name ends with .mark, is missing"
                   : NULL;
    len = strtoull(mark + CR_RECORD_MARK, NULL, 10);
    if (len < CR_LINE_SEAL || len > journal->whole_len)
        return changed;
    return memcmp(cr_line_hash(text, len), mark + MARK_LEN - 1 - CR_LINE_HASH, CR_LINE_HASH) == 0
               ? NULL
               : changed;
}
