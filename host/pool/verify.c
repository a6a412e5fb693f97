/* verify.c - reads /proc. */
#include "pool/verify.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "wire.h"

static ssize_t read_proc(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    cr_autoclose int fd = -1;
    ssize_t n;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    return n;
}

static int verify_status(pid_t pid, struct cr_err *err)
{
    static const char *const lines[] = {
        "\nSeccomp:\t2\n",
        "\nNoNewPrivs:\t1\n",
        "\nCapEff:\t0000000000000000\n",
        "\nThreads:\t1\n",
    };
    char text[8192];

    if (read_proc(pid, "status", text, sizeof(text)) < 0)
        return 0;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (!strstr(text, lines[i]))
            return cr_err_set(err, CAPRUN_E_SANDBOX,
                              "the worker is not locked down: its status lacks '%.*s'",
                              (int)strcspn(lines[i] + 1, "\n"), lines[i] + 1);
    return 0;
}

static int verify_descriptors(pid_t pid, struct cr_err *err)
{
    char path[64];
    const struct dirent *entry;
    DIR *dir;
    int r = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    dir = opendir(path);
    if (!dir)
        return 0;
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
    char text[128];
    unsigned long long pages = 0;

    if (read_proc(pid, "statm", text, sizeof(text)) <= 0 || sscanf(text, "%*u %llu", &pages) != 1)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
