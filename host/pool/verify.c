/* verify.c - checks in /proc that a worker is locked down. */
#include "pool/verify.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/proc.h"

#define MAX_STATUS (1u << 20) /* a user may be in thousands of groups */
#define FILTERS 2u            /* the zygote's and the worker's */

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

/* Returns -1 where the kernel does not report the number. */
static int count_filters(const char *status)
{
    const char *line = status ? strstr(status, "\nSeccomp_filters:") : NULL;
    int count;

    return line && sscanf(line, "\nSeccomp_filters: %d", &count) == 1 ? count : -1;
}

/* Where every process has an inherited filter, having one proves nothing: the number does. */
static int check_filters(const char *status, unsigned inherited, struct cr_err *err)
{
    int count = count_filters(status);

    if (count < 0 || (unsigned)count >= inherited + FILTERS)
        return 0;
    return cr_err_set(err, CAPRUN_E_SANDBOX,
                      "the worker is not locked down: it has %d system call filters, not %u", count,
                      inherited + FILTERS);
}

unsigned cr_verify_own_filters(void)
{
    struct cr_buf text;
    int count = -1;

    cr_buf_init(&text, MAX_STATUS);
    if (cr_proc_read(0, "status", &text, NULL) == 0)
        count = count_filters(cr_buf_text(&text));
    cr_buf_clear(&text);
    return count < 0 ? 0 : (unsigned)count;
}

static int verify_status(pid_t pid, unsigned inherited, struct cr_err *err)
{
    cr_autobuf struct cr_buf text = CR_BUF(MAX_STATUS);
    int r = cr_proc_read(pid, "status", &text, err);

    if (r == 0)
        r = check_lines(cr_buf_text(&text), err);
    if (r == 0)
        r = check_filters(cr_buf_text(&text), inherited, err);
    return r < 0 ? r : 0;
}

static int verify_descriptors(pid_t pid, struct cr_err *err)
{
    int fd = cr_proc_open(pid, "fd", O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    int r = 0;

    if (!dir && fd >= 0)
        (void)close(fd);
    if (!dir)
        return cr_proc_is_closed(errno) ? 0 : cr_err_sys(err, "look at a worker's descriptors");
    while (r == 0 && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "3") != 0)
            r = cr_err_set(err, CAPRUN_E_SANDBOX, "the worker has descriptor %s open",
                           entry->d_name);
    (void)closedir(dir);
    return r;
}

int cr_verify_worker(pid_t pid, unsigned inherited, struct cr_err *err)
{
    int r = verify_status(pid, inherited, err);

    return r < 0 ? r : verify_descriptors(pid, err);
}

uint64_t cr_verify_resident(pid_t pid)
{
    cr_autoclose int fd = cr_proc_open(pid, "statm", 0);
    unsigned long long pages = 0;
    char text[128];
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%*u %llu", &pages) == 1 ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
