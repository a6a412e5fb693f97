/* outside.c - reads a worker's status, limits, namespaces, descriptors and root from /proc. */
#include "doctor/outside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/proc.h"

#define MAX_TEXT (1u << 20) /* a user may be in thousands of groups */

static enum cr_outside yes_or_no(bool yes)
{
    return yes ? CR_OUTSIDE_YES : CR_OUTSIDE_NO;
}

/* Returns the pid behind a pidfd, as this process sees it; 0 if unknown. */
static pid_t pid_of(int pidfd, struct cr_err *err)
{
    struct cr_buf text;
    char name[32];
    const char *line;
    int pid = 0;

    (void)snprintf(name, sizeof(name), "fdinfo/%d", pidfd);
    cr_buf_init(&text, MAX_TEXT);
    if (cr_proc_read(getpid(), name, &text, err) == 0 && cr_buf_text(&text) &&
        (line = strstr(cr_buf_text(&text), "\nPid:\t")))
        (void)sscanf(line, "\nPid:\t%d", &pid);
    cr_buf_clear(&text);
    return pid;
}

/* --- status ------------------------------------------------------------------------------- */

/* Returns the text after "\nNAME:\t", or "". */
static const char *field_text(const char *status, const char *name)
{
    char start[32];
    const char *at;

    (void)snprintf(start, sizeof(start), "\n%s:\t", name);
    at = strstr(status, start);
    return at ? at + strlen(start) : "";
}

static enum cr_outside is_line(const char *status, const char *name, const char *value)
{
    const char *at = field_text(status, name);
    size_t len = strlen(value);

    return *at ? yes_or_no(strncmp(at, value, len) == 0 && at[len] == '\n') : CR_OUTSIDE_UNKNOWN;
}

static enum cr_outside has_no_capabilities(const char *status)
{
    static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        enum cr_outside none = is_line(status, sets[i], "0000000000000000");

        if (none != CR_OUTSIDE_YES)
            return none;
    }
    return CR_OUTSIDE_YES;
}

/* In other user namespaces, a file of an unmapped owner may show another user's uid. */
static bool in_first_user_namespace(void)
{
    cr_autoclose int fd = cr_proc_open(0, "uid_map", 0);
    unsigned inside, outside, count;
    char map[64] = "";

    return fd >= 0 && read(fd, map, sizeof(map) - 1) > 0 &&
           sscanf(map, "%u %u %u", &inside, &outside, &count) == 3 && inside == 0 && outside == 0 &&
           count == UINT32_MAX;
}

/* The files of a process in /proc belong to root if it is not dumpable, otherwise to its uid. */
static enum cr_outside is_not_dumpable(pid_t pid, uint64_t uid)
{
    cr_autoclose int fd = cr_proc_open(pid, "status", 0);
    struct stat file;

    if (fd < 0 || fstat(fd, &file) < 0 || uid == 0)
        return CR_OUTSIDE_UNKNOWN;
    if (file.st_uid != uid)
        return CR_OUTSIDE_YES;
    return in_first_user_namespace() ? CR_OUTSIDE_NO : CR_OUTSIDE_UNKNOWN;
}

static void take_status(pid_t pid, const char *status, struct cr_outside_view *ret)
{
    const char *pids = field_text(status, "NSpid");
    unsigned long long uids[4] = {0};
    int outer, inner;

    ret->filtered = is_line(status, "Seccomp", "2");
    ret->no_new_privs = is_line(status, "NoNewPrivs", "1");
    ret->one_thread = is_line(status, "Threads", "1");
    ret->no_capabilities = has_no_capabilities(status);
    ret->no_groups =
        yes_or_no(field_text(status, "Groups")[strspn(field_text(status, "Groups"), " ")] == '\n');
    if (sscanf(field_text(status, "Uid"), "%llu %llu %llu %llu", &uids[0], &uids[1], &uids[2],
               &uids[3]) == 4) {
        ret->uid = uids[0];
        ret->not_root = yes_or_no(uids[0] && uids[1] && uids[2] && uids[3]);
        ret->not_dumpable = is_not_dumpable(pid, uids[1]);
    }
    if (*pids)
        ret->own_pids = yes_or_no(sscanf(pids, "%d %d", &outer, &inner) == 2);
}

/* --- the rest ----------------------------------------------------------------------------- */

static enum cr_outside is_limited(const char *limits)
{
    static const char *const zero[] = {"Max core file size", "Max file size", "Max processes",
                                       "Max open files"};

    for (size_t i = 0; i < sizeof(zero) / sizeof(zero[0]); i++) {
        const char *line = strstr(limits, zero[i]);
        unsigned long long soft, hard;

        if (!line)
            return CR_OUTSIDE_UNKNOWN;
        if (sscanf(line + strlen(zero[i]), "%llu %llu", &soft, &hard) != 2 || soft || hard)
            return CR_OUTSIDE_NO;
    }
    return CR_OUTSIDE_YES;
}

/* Does |pid| have another namespace |name| than this process? */
static enum cr_outside has_own(pid_t pid, const char *name)
{
    char path[2][64], target[2][64];

    (void)snprintf(path[0], sizeof(path[0]), "/proc/self/ns/%s", name);
    (void)snprintf(path[1], sizeof(path[1]), "/proc/%d/ns/%s", (int)pid, name);
    for (int i = 0; i < 2; i++) {
        ssize_t len = readlink(path[i], target[i], sizeof(target[i]) - 1);

        if (len < 0)
            return CR_OUTSIDE_UNKNOWN;
        target[i][len] = '\0';
    }
    return yes_or_no(strcmp(target[0], target[1]) != 0);
}

static enum cr_outside has_own_rest(pid_t pid)
{
    static const char *const names[] = {"net", "ipc", "uts", "cgroup"};
    enum cr_outside all = CR_OUTSIDE_YES;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && all == CR_OUTSIDE_YES; i++)
        all = has_own(pid, names[i]);
    return all;
}

/* Does that folder of |pid| have only one entry, |name|? If |name| is NULL: is it empty? */
static enum cr_outside has_only(pid_t pid, const char *folder, const char *name)
{
    int fd = cr_proc_open(pid, folder, O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    enum cr_outside only = CR_OUTSIDE_YES;
    const struct dirent *entry;

    if (!dir && fd >= 0)
        (void)close(fd);
    if (!dir)
        return CR_OUTSIDE_UNKNOWN;
    while ((entry = readdir(dir)))
        if (entry->d_name[0] != '.' && (!name || strcmp(entry->d_name, name) != 0))
            only = CR_OUTSIDE_NO;
    (void)closedir(dir);
    return only;
}

int cr_outside_look(int pidfd, struct cr_outside_view *ret, struct cr_err *err)
{
    pid_t pid = pid_of(pidfd, err);
    struct cr_buf text;
    int r;

    *ret = (struct cr_outside_view){0};
    if (pid <= 0)
        return 0; /* no /proc: everything stays unknown */
    cr_buf_init(&text, MAX_TEXT);
    r = cr_proc_read(pid, "status", &text, err);
    if (r == 0 && cr_buf_text(&text))
        take_status(pid, cr_buf_text(&text), ret);
    cr_buf_clear(&text);
    if (r >= 0)
        r = cr_proc_read(pid, "limits", &text, err);
    if (r == 0 && cr_buf_text(&text))
        ret->limited = is_limited(cr_buf_text(&text));
    cr_buf_clear(&text);
    ret->own_users = has_own(pid, "user");
    ret->own_mounts = has_own(pid, "mnt");
    ret->own_rest = has_own_rest(pid);
    ret->only_socket = has_only(pid, "fd", "3");
    ret->empty_root = has_only(pid, "root", NULL);
    return r < 0 ? r : 0;
}
