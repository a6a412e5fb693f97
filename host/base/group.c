/* group.c - parses /etc/passwd and /etc/group. */
#include "base/group.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define MAX_TEXT (4u << 20)
#define FIELDS 4 /* both files have the ids in their first four fields */

struct field {
    const char *text;
    size_t len;
};

/* Gets the next line that is not empty and no comment. Returns false at the end. */
static bool next_line(const char **at, struct field *ret)
{
    do {
        if (!**at)
            return false;
        *ret = (struct field){*at, strcspn(*at, "\n")};
        *at += ret->len + ((*at)[ret->len] == '\n');
    } while (!ret->len || ret->text[0] == '#');
    return true;
}

/* Splits |line| at its colons. Returns false if it is too short, or refers to another source. */
static bool split(struct field line, struct field ret[FIELDS])
{
    const char *end = line.text + line.len, *from = line.text;

    if (line.text[0] == '+' || line.text[0] == '-')
        return false;
    for (int i = 0; i < FIELDS; i++) {
        const char *colon = from > end ? NULL : memchr(from, ':', (size_t)(end - from));

        if (from > end)
            return false;
        ret[i] = (struct field){from, (size_t)((colon ? colon : end) - from)};
        from += ret[i].len + 1;
    }
    return true;
}

/* Returns the number, or -1. */
static int64_t number_of(struct field f)
{
    int64_t number = 0;

    if (!f.len || f.len > 10)
        return -1;
    for (size_t i = 0; i < f.len; i++) {
        if (f.text[i] < '0' || f.text[i] > '9')
            return -1;
        number = number * 10 + (f.text[i] - '0');
    }
    return number;
}

static bool is_same(struct field a, struct field b)
{
    return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

/* Finds the name of the group |gid|, which must have no member except a user of that name. */
static bool find_group(const char *group, gid_t gid, struct field *ret_name)
{
    struct field line, f[FIELDS];
    bool found = false;

    while (next_line(&group, &line)) {
        if (!split(line, f) || number_of(f[2]) < 0)
            return false;
        if (number_of(f[2]) != (int64_t)gid)
            continue;
        if (found || !f[0].len || (f[3].len && !is_same(f[3], f[0])))
            return false;
        *ret_name = f[0];
        found = true;
    }
    return found;
}

bool cr_group_is_private(const char *passwd, const char *group, uid_t uid, gid_t gid)
{
    struct field line, f[FIELDS], name = {0};
    bool found = false;

    if (!find_group(group, gid, &name))
        return false;
    while (next_line(&passwd, &line)) {
        bool is_named, is_user;

        if (!split(line, f) || number_of(f[2]) < 0 || number_of(f[3]) < 0)
            return false;
        is_named = is_same(f[0], name);
        is_user = number_of(f[2]) == (int64_t)uid;
        if (!is_user && (is_named || number_of(f[3]) == (int64_t)gid))
            return false;
        found = found || (is_named && is_user);
    }
    return found;
}

/* An access list that names other users or groups is not visible in the mode of the file. */
static bool has_access_list(int dir, const char *path, const struct stat *st)
{
    cr_autoclose int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat now;

    if (fd < 0 || fstat(fd, &now) < 0 || now.st_dev != st->st_dev || now.st_ino != st->st_ino)
        return true;
    return fgetxattr(fd, "system.posix_acl_access", NULL, 0) >= 0 ||
           (errno != ENODATA && errno != EOPNOTSUPP);
}

bool cr_group_is_mine(int dir, const char *path, const struct stat *st)
{
    cr_autobuf struct cr_buf passwd = CR_BUF(MAX_TEXT), group = CR_BUF(MAX_TEXT);

    return !has_access_list(dir, path, st) &&
           cr_file_read(AT_FDCWD, "/etc/passwd", &passwd, NULL, NULL) == 0 &&
           cr_file_read(AT_FDCWD, "/etc/group", &group, NULL, NULL) == 0 && cr_buf_text(&passwd) &&
           cr_buf_text(&group) &&
           cr_group_is_private(cr_buf_text(&passwd), cr_buf_text(&group), geteuid(), st->st_gid);
}
