/* signals.c - blocks SIGINT, SIGTERM and SIGHUP, and reads them from a signalfd. */
#include "cli/signals.h"

#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

void cr_signals_begin(struct cr_signals *s)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old;
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (sigaction(all[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaddset(&set, all[i]);
    (void)sigprocmask(SIG_BLOCK, &set, &s->old);
    s->taken = 0;
    s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->fd < 0)
        (void)sigprocmask(SIG_SETMASK, &s->old, NULL);
}

int cr_signals_take(struct cr_signals *s)
{
    struct signalfd_siginfo info;

    if (!s->taken && s->fd >= 0 && read(s->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        s->taken = (int)info.ssi_signo;
    return s->taken;
}

void cr_signals_end(struct cr_signals *s)
{
    if (s->fd < 0)
        return;
    (void)sigprocmask(SIG_SETMASK, &s->old, NULL);
    (void)close(s->fd);
    s->fd = -1;
}
