/* under.c - resolves paths one name at a time, so that each link is seen. */
#include "policy/under.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40 /* as the kernel */

/* A path that is being resolved. */
struct walk {
    char done[PATH_MAX]; /* absolute, without links, "." and ".."; "" is the root */
    char rest[PATH_MAX]; /* what is left of the path */
    int links;
    bool is_missing; /* |done| does not exist */
};

static void go_up(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        *slash = '\0';
}

/* Cuts the first name off |rest|, and writes it to |ret|. Returns false at the end. */
static bool take_name(char *rest, char ret[PATH_MAX])
{
    size_t skip = strspn(rest, "/"), len = strcspn(rest + skip, "/");

    memcpy(ret, rest + skip, len);
    ret[len] = '\0';
    memmove(rest, rest + skip + len, strlen(rest + skip + len) + 1);
    return len > 0;
}

static bool append(char path[PATH_MAX], const char *name)
{
    size_t len = strlen(path), more = strlen(name);

    if (len + 1 + more >= PATH_MAX)
        return false;
    path[len] = '/';
    memcpy(path + len + 1, name, more + 1);
    return true;
}

/* |w->done| is a link: goes on with what it names. */
static bool follow(struct walk *w)
{
    char target[PATH_MAX], rest[PATH_MAX];
    ssize_t len = readlink(w->done, target, sizeof(target) - 1);

    if (len <= 0 || ++w->links > MOST_LINKS)
        return false;
    target[len] = '\0';
    memcpy(rest, w->rest, sizeof(rest));
    if (snprintf(w->rest, sizeof(w->rest), "%s/%s", target, rest) >= (int)sizeof(w->rest))
        return false;
    if (target[0] == '/')
        w->done[0] = '\0';
    else
        go_up(w->done);
    return true;
}

/* A missing name with other letters may be an existing one for a server that normalizes Unicode. */
static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return !*text;
}

/* Looks at the name that was just appended. Returns false if the path cannot be resolved. */
static bool look(struct walk *w)
{
    struct stat st;

    if (strcmp(w->done, "/proc") == 0)
        return false;
    if (lstat(w->done, &st) < 0) {
        w->is_missing = true;
        return errno == ENOENT && is_ascii(strrchr(w->done, '/'));
    }
    return !S_ISLNK(st.st_mode) || follow(w);
}

/* Resolves |w->rest|. Returns false if that is not possible, or not clear. */
static bool resolve(struct walk *w)
{
    char name[PATH_MAX];

    while (take_name(w->rest, name)) {
        if (strcmp(name, ".") == 0)
            continue;
        if (strcmp(name, "..") == 0) {
            if (w->is_missing)
                return false;
            go_up(w->done);
            continue;
        }
        if (!append(w->done, name) || (!w->is_missing && !look(w)))
            return false;
    }
    return true;
}

/* Removes ".", ".." and double slashes from the text of |path|, an absolute path. */
static void normalize(char path[PATH_MAX])
{
    char rest[PATH_MAX], name[PATH_MAX];

    memcpy(rest, path, PATH_MAX);
    path[0] = '\0';
    while (take_name(rest, name)) {
        if (strcmp(name, "..") == 0)
            go_up(path);
        else if (strcmp(name, ".") != 0)
            (void)append(path, name); /* not longer than before */
    }
}

static bool is_below(const char *path, const char *dir)
{
    size_t len = strlen(dir);

    return strncmp(path, dir, len) == 0 && (!path[len] || path[len] == '/');
}

/* --- mounts --------------------------------------------------------------------------------- */

/* Which mount is |path| on? Returns false if |path| does not exist, or the kernel does not say. */
static bool find_mount(const char *path, uint64_t *ret)
{
    struct statx st;

    if (statx(AT_FDCWD, path[0] ? path : "/", AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &st) < 0 ||
        !(st.stx_mask & STATX_MNT_ID))
        return false;
    *ret = st.stx_mnt_id;
    return true;
}

/* Is a part of |path| below |dir| on another mount? Then its files may be from anywhere. */
static bool crosses_mount(const char *dir, char path[PATH_MAX])
{
    uint64_t ours, theirs;

    if (!find_mount(dir, &ours))
        return false;
    for (; strlen(path) > strlen(dir); go_up(path))
        if (find_mount(path, &theirs) && theirs != ours)
            return true;
    return false;
}

/* Is |path|, or a directory above it, the same directory as |dir| by another name? */
static bool is_same_place(const char *dir, char path[PATH_MAX])
{
    struct stat ours, theirs;

    if (lstat(dir[0] ? dir : "/", &ours) < 0)
        return false;
    for (; path[0]; go_up(path))
        if (lstat(path, &theirs) == 0 && theirs.st_dev == ours.st_dev &&
            theirs.st_ino == ours.st_ino)
            return true;
    return false;
}

/* --- the answer ----------------------------------------------------------------------------- */

int cr_under_resolve(const char *dir, char **ret, struct cr_err *err)
{
    struct walk w = {0};
    char *copy;

    if (snprintf(w.rest, sizeof(w.rest), "%s", dir) >= (int)sizeof(w.rest) || !resolve(&w))
        return cr_err_set(err, CAPRUN_E_INVAL, "the directory '%.200s' cannot be looked up", dir);
    copy = strdup(w.done);
    if (!copy)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for '%.200s'", dir);
    *ret = copy;
    return 0;
}

/* Is |path| a URL, "~", or between blanks that a server may remove? Then it is no plain path. */
static bool is_plain(const char *path, size_t len)
{
    size_t scheme =
        strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-");

    return len > 0 && (unsigned char)path[0] > ' ' && (unsigned char)path[len - 1] > ' ' &&
           path[0] != '~' && path[scheme] != ':' && !memmem(path, len, "://", 3);
}

/* Writes the absolute form of |path|. Returns false if it is unclear which one that is. */
static bool make_absolute(const char *base, const char *path, size_t len, char ret[PATH_MAX])
{
    int written;

    if (len >= PATH_MAX || memchr(path, '\0', len) || !is_plain(path, len))
        return false;
    if (path[0] == '/')
        written = snprintf(ret, PATH_MAX, "%.*s", (int)len, path);
    else if (base)
        written = snprintf(ret, PATH_MAX, "%s/%.*s", base, (int)len, path);
    else
        return false;
    return written < PATH_MAX;
}

/* Resolves the absolute |path|, and answers whether it is below |dir|; or UNCLEAR. */
static enum cr_truth judge(const char *dir, const char path[PATH_MAX])
{
    struct walk w = {0};

    memcpy(w.rest, path, PATH_MAX);
    if (!resolve(&w))
        return CR_TRUTH_UNCLEAR;
    if (is_below(w.done, dir))
        return crosses_mount(dir, w.done) ? CR_TRUTH_UNCLEAR : CR_TRUTH_YES;
    return is_same_place(dir, w.done) ? CR_TRUTH_UNCLEAR : CR_TRUTH_NO;
}

enum cr_truth cr_under_holds(const char *dir, const char *base, const char *path, size_t len)
{
    char absolute[PATH_MAX];
    enum cr_truth by_kernel, by_text;

    if (!make_absolute(base, path, len, absolute))
        return CR_TRUTH_UNCLEAR;
    by_kernel = judge(dir, absolute);
    if (!strstr(absolute, ".."))
        return by_kernel;
    normalize(absolute);
    by_text = judge(dir, absolute);
    return by_text == by_kernel ? by_kernel : CR_TRUTH_UNCLEAR;
}
