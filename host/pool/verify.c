/* verify.c - reads /proc. */
#include "pool/verify.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define MAX_STATUS (1u << 20) /* a user may be in thousands of groups */

/* Is that an answer of "you may not look", or "there is no /proc", and not a failure of ours? */
static bool cannot_be_looked_at(void)
{
    return errno == EACCES || errno == EPERM || errno == ENOENT || errno == ESRCH;
}

static int open_proc(pid_t pid, const char *name, int flags)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC | flags);
}

static int read_all(int fd, struct cr_buf *out, struct cr_err *err)
{
    ssize_t n;

    do {
        uint8_t *to = cr_buf_room(out, 4096);

        if (!to)
            return cr_err_set(err, cr_buf_err(out), "no memory to look at a worker");
        n = read(fd, to, 4096);
        if (n > 0)
            out->len += (size_t)n;
    } while (n > 0);
    return n < 0 ? cr_err_sys(err, "read the status of a worker") : 0;
}

static int check_lines(const char *status, struct cr_err *err)
{
    static const char *const lines[] = {
        "\nSeccomp:\t2\n",
        "\nNoNewPrivs:\t1\n",
        "\nCapEff:\t0000000000000000\n",
        "\nThreads:\t1\n",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (!status || !strstr(status, lines[i]))
            return cr_err_set(err, CAPRUN_E_SANDBOX,
                              "the worker is not locked down: its status lacks '%.*s'",
                              (int)strcspn(lines[i] + 1, "\n"), lines[i] + 1);
    return 0;
}

static int verify_status(pid_t pid, struct cr_err *err)
{
    cr_autoclose int fd = open_proc(pid, "status", 0);
    struct cr_buf text;
    int r;

    if (fd < 0)
        return cannot_be_looked_at() ? 0 : cr_err_sys(err, "look at the status of a worker");
    cr_buf_init(&text, MAX_STATUS);
    r = read_all(fd, &text, err);
    if (r == 0)
        r = check_lines(cr_buf_text(&text), err);
    cr_buf_clear(&text);
    return r;
}

static int verify_descriptors(pid_t pid, struct cr_err *err)
{
    int fd = open_proc(pid, "fd", O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    int r = 0;

    if (!dir && fd >= 0)
        (void)close(fd);
    if (!dir)
        return cannot_be_looked_at() ? 0 : cr_err_sys(err, "look at a worker's descriptors");
    while (r == 0 && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "3") != 0)
            r = cr_err_set(err, CAPRUN_E_SANDBOX, "the worker has descriptor %s open",
                           entry->d_name);
    (void)closedir(dir);
    return r;
}

int cr_verify_worker(pid_t pid, struct cr_err *err)
{
    int r = verify_status(pid, err);

    return r < 0 ? r : verify_descriptors(pid, err);
}

uint64_t cr_verify_resident(pid_t pid)
{
    cr_autoclose int fd = open_proc(pid, "statm", 0);
    unsigned long long pages = 0;
    char text[128];
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%*u %llu", &pages) == 1 ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
