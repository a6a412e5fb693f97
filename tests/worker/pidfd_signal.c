/*
 * pidfd_signal.c - replaces pidfd_send_signal under valgrind, which does not support it; preloaded
 * by tests/valgrind. A host that cannot kill its workers does not run. Reads the pid in /proc, and
 * sends the signal to that pid.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int send_by_number(int pidfd, int sig)
{
    char path[64], line[128];
    int pid = -1;
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file))
        (void)sscanf(line, "Pid: %d", &pid);
    if (file)
        (void)fclose(file);
    return pid > 0 ? kill(pid, sig) : 0; /* 0: the process has ended */
}

long syscall(long nr, ...)
{
    void *found = dlsym(RTLD_NEXT, "syscall");
    long (*next)(long, ...);
    long a[6];
    va_list args;

    va_start(args, nr);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    memcpy(&next, &found, sizeof(next)); /* ISO C has no cast between these pointers */
    if (nr == SYS_pidfd_send_signal)
        return send_by_number((int)a[0], (int)a[1]);
    return next(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}
