/*
 * guard_process.c - watches a guard by its pidfd, and kills the process group that a killed guard
 * leaves behind.
 */
#include "mcp/guard_process.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ASK_AGAIN_US 2000
#define SIGNAL_GROUP 4u /* PIDFD_SIGNAL_PROCESS_GROUP, of Linux 6.9 */

static int send_by_pidfd(int pidfd, int number, unsigned flags)
{
    return (int)syscall(SYS_pidfd_send_signal, pidfd, number, NULL, flags);
}

/* --- what a killed guard leaves -------------------------------------------------------------- */

/*
 * The kernel does not reuse the number of a process group while the group has members. So the
 * number still means the server's group if the server is not reaped yet, or if no process has this
 * number now.
 */
static bool is_number_reused(const struct cr_guard_process *g)
{
    if (g->server_pidfd >= 0 && (send_by_pidfd(g->server_pidfd, 0, 0) == 0 || errno != ESRCH))
        return false;
    if (g->server_pidfd < 0)
        return getpgid(g->server) >= 0 && getpgid(g->server) != g->server;
    return kill(g->server, 0) == 0 || errno != ESRCH;
}

static void end_group(const struct cr_guard_process *g)
{
    if (!g->server)
        return;
    /* a pidfd cannot mean another group by mistake */
    if (g->server_pidfd >= 0 &&
        (send_by_pidfd(g->server_pidfd, SIGKILL, SIGNAL_GROUP) == 0 || errno != EINVAL))
        return;
    if (!is_number_reused(g))
        (void)kill(-g->server, SIGKILL);
}

/* --- the end of the guard -------------------------------------------------------------------- */

/*
 * Uses the pidfd: if the application has reaped the guard, its number may belong to another
 * process. Returns whether the guard has ended.
 */
static bool reap(struct cr_guard_process *g, int options)
{
    idtype_t by = g->ended.fd >= 0 ? P_PIDFD : P_PID;
    id_t id = (id_t)(g->ended.fd >= 0 ? g->ended.fd : g->pid);
    siginfo_t how = {.si_pid = 0};
    int r = 0;

    if (!g->pid)
        return true;
    do
        r = waitid(by, id, &how, WEXITED | options);
    while (r < 0 && errno == EINTR);
    if (r == 0 && how.si_pid == 0)
        return false;
    g->pid = 0;
    if (r == 0)
        g->how = how;
    if (g->how.si_code == CLD_KILLED || g->how.si_code == CLD_DUMPED)
        end_group(g);
    return true;
}

static void ended_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_guard_process *g = cr_container(watch, struct cr_guard_process, ended);

    (void)events;
    if (reap(g, WNOHANG)) {
        cr_loop_remove(g->loop, &g->ended);
        g->gone(g);
    }
}

static void ask_again(struct cr_timer *timer)
{
    struct cr_guard_process *g = cr_container(timer, struct cr_guard_process, again);

    cr_guard_process_expect(g);
}

void cr_guard_process_expect(struct cr_guard_process *g)
{
    if (g->ended.fd >= 0)
        return;
    if (reap(g, WNOHANG)) {
        cr_loop_unset(g->loop, &g->again);
        g->gone(g);
    } else {
        cr_loop_set(g->loop, &g->again, cr_loop_now() + ASK_AGAIN_US);
    }
}

static void close_pidfd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

void cr_guard_process_unwatch(struct cr_guard_process *g)
{
    cr_loop_remove(g->loop, &g->ended);
    close_pidfd(&g->ended.fd);
    cr_loop_set(g->loop, &g->again, cr_loop_now() + ASK_AGAIN_US);
}

/* --- life cycle ------------------------------------------------------------------------------ */

int cr_guard_process_init(struct cr_guard_process *g, struct cr_loop *loop, pid_t pid, int pidfd,
                          void (*gone)(struct cr_guard_process *g), struct cr_err *err)
{
    *g = (struct cr_guard_process){
        .loop = loop,
        .pid = pid,
        .ended = {.fd = pidfd, .ready = ended_ready, .name = "guard"},
        .again = {.when_us = -1, .due = ask_again, .name = "guard"},
        .server_pidfd = -1,
        .gone = gone,
    };
    return pidfd >= 0 ? cr_loop_add(loop, &g->ended, EPOLLIN, err) : 0;
}

/* The guard reaps its server after it has reported it: the number still means the server. */
void cr_guard_process_started(struct cr_guard_process *g, pid_t server)
{
    if (g->server || server <= 1)
        return;
    g->server = server;
    g->server_pidfd = (int)syscall(SYS_pidfd_open, server, 0);
}

void cr_guard_process_kill(struct cr_guard_process *g)
{
    if (g->ended.fd >= 0)
        (void)send_by_pidfd(g->ended.fd, SIGKILL, 0);
    else if (g->pid)
        (void)kill(g->pid, SIGKILL);
}

void cr_guard_process_wait(struct cr_guard_process *g)
{
    (void)reap(g, 0);
}

void cr_guard_process_clear(struct cr_guard_process *g)
{
    cr_loop_unset(g->loop, &g->again);
    cr_loop_remove(g->loop, &g->ended);
    close_pidfd(&g->ended.fd);
    close_pidfd(&g->server_pidfd);
}
