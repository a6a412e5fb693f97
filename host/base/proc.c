/* proc.c - opens and reads files of /proc. */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"

int cr_proc_open(pid_t pid, const char *name, int flags)
{
    char path[64];

    if (pid)
        (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    else
        (void)snprintf(path, sizeof(path), "/proc/thread-self/%s", name);
    return open(path, O_RDONLY | O_CLOEXEC | flags);
}

bool cr_proc_is_closed(int error)
{
    return error == EACCES || error == EPERM || error == ENOENT || error == ESRCH;
}

int cr_proc_read(pid_t pid, const char *name, struct cr_buf *out, struct cr_err *err)
{
    cr_autoclose int fd = cr_proc_open(pid, name, 0);
    ssize_t n = fd < 0 ? -1 : 1;

    while (n > 0) {
        uint8_t *to = cr_buf_room(out, 4096);

        if (!to)
            return cr_err_set(err, cr_buf_err(out), "no memory to look at a worker");
        n = read(fd, to, 4096);
        if (n > 0)
            out->len += (size_t)n;
    }
    if (n == 0)
        return 0;
    return cr_proc_is_closed(errno) ? 1 : cr_err_sys(err, "look at the %s of a worker", name);
}
