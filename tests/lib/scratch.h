/*
 * scratch.h - a directory for a test's files, and child processes that work in it.
 *
 *     scratch_begin -> put, get, path_of, in_child -> scratch_end
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

#define NOBODY 65534u

static char scratch[256];

static inline bool scratch_begin(void)
{
    const char *tmp = getenv("TMPDIR");

    (void)umask(022); /* so that files get the modes that the tests expect */
    (void)snprintf(scratch, sizeof(scratch), "%s/caprun-test-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(scratch) != NULL;
}

static inline int scratch_remove(const char *path, const struct stat *st, int type,
                                 struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void scratch_end(void)
{
    (void)nftw(scratch, scratch_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* Returns the path of |name|, valid until the next call. */
static inline const char *path_of(const char *name)
{
    static char path[1024];

    (void)snprintf(path, sizeof(path), "%s/%s", scratch, name);
    return path;
}

static inline bool put(const char *name, const char *text)
{
    int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    size_t len = strlen(text);
    bool ok = fd >= 0 && write(fd, text, len) == (ssize_t)len;

    if (fd >= 0)
        (void)close(fd);
    return ok;
}

/* Returns the contents of a file, valid until the next call, or NULL if it is missing. */
static inline const char *get(const char *name)
{
    static char text[1 << 18];
    int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0)
        (void)close(fd);
    if (n < 0)
        return NULL;
    text[n] = '\0';
    return text;
}

static inline bool holds(const char *name, const char *text)
{
    const char *found = get(name);

    return found && strcmp(found, text) == 0;
}

static inline unsigned mode_of(const char *name)
{
    struct stat st;

    return stat(path_of(name), &st) == 0 ? st.st_mode & 07777 : 0;
}

/* Returns how many files are in the directory. */
static inline int count_files(void)
{
    return count_entries(scratch);
}

/* Runs |what| in a child, which exits with its result. Returns the child's pid. */
static inline pid_t start_child(int (*what)(int number), int number)
{
    pid_t pid = fork();

    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test leaves no child behind */
        _exit(what(number));
    }
    return pid;
}

/* Returns the exit status of a child, or -1 if it did not exit. */
static inline int end_of(pid_t pid)
{
    int status = 0;

    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static inline int in_child(int (*what)(int number), int number)
{
    return end_of(start_child(what, number));
}

/* For a child: changes root to an unprivileged user, because root may do everything. */
static inline bool be_nobody(void)
{
    return geteuid() != 0 ||
           (setresgid(NOBODY, NOBODY, NOBODY) == 0 && setresuid(NOBODY, NOBODY, NOBODY) == 0);
}

#endif
