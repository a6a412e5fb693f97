/* spawn.c - creates the pipes and sockets of a guard, and starts it by posix_spawn(). */
#include "mcp/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "guard/guard.h"

/*
 * The guard's ends become descriptors 0 to GUARD_FD, one after the other. If the application has
 * closed some of these numbers, a new pair could get them, and dup2() would overwrite it: so the
 * guard's end is moved above GUARD_FD.
 */
static int keep_pair(const int pair[2], int *ret_ours, int *ret_theirs)
{
    *ret_ours = pair[0];
    *ret_theirs = pair[1];
    if (pair[1] > GUARD_FD)
        return 0;
    *ret_theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, GUARD_FD + 1);
    (void)close(pair[1]);
    return *ret_theirs < 0 ? -1 : 0;
}

static int open_pipe(int *ret_ours, int *ret_theirs)
{
    int pair[2];

    if (pipe2(pair, O_CLOEXEC) < 0)
        return -1;
    (void)fcntl(pair[0], F_SETFL, O_NONBLOCK);
    return keep_pair(pair, ret_ours, ret_theirs);
}

static int open_sockets(int type, int *ret_ours, int *ret_theirs)
{
    int pair[2];

    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    return keep_pair(pair, ret_ours, ret_theirs);
}

/* |theirs| are the descriptors that the guard gets as 0, 1 and so on. */
static int spawn(const char *path, char **argv, const char *const *envp, const int *theirs,
                 pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    int r = posix_spawn_file_actions_init(&actions);

    if (r != 0)
        return r;
    for (int i = 0; i <= GUARD_FD && r == 0; i++)
        r = posix_spawn_file_actions_adddup2(&actions, theirs[i], i);
    if (r == 0)
        r = posix_spawn(ret_pid, path, &actions, NULL, argv, (char *const *)(uintptr_t)envp);
    (void)posix_spawn_file_actions_destroy(&actions);
    return r;
}

/* Returns 0 or an errno value. */
static int start(const struct cr_child_spec *spec, const int *theirs, pid_t *ret_pid)
{
    static char name[] = "caprun-guard";
    size_t count = 0;
    char **argv;
    int r;

    while (spec->argv[count])
        count++;
    argv = malloc((count + 3) * sizeof(*argv));
    if (!argv)
        return ENOMEM;
    argv[0] = name;
    argv[1] = (char *)(uintptr_t)spec->cwd;
    for (size_t i = 0; i <= count; i++)
        argv[2 + i] = (char *)(uintptr_t)spec->argv[i];
    r = spawn(spec->guard, argv, spec->envp, theirs, ret_pid);
    free(argv);
    return r;
}

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

int cr_spawn_guard(const struct cr_child_spec *spec, struct cr_spawned *ret, struct cr_err *err)
{
    cr_autoclose int in = -1, out = -1, errors = -1, control = -1;
    cr_autoclose int their_in = -1, their_out = -1, their_errors = -1, their_control = -1;
    cr_autoclose int spare = -1;
    pid_t pid = 0;
    int r, pidfd;

    if (open_sockets(SOCK_STREAM, &in, &their_in) < 0 || open_pipe(&out, &their_out) < 0 ||
        open_pipe(&errors, &their_errors) < 0 ||
        open_sockets(SOCK_SEQPACKET, &control, &their_control) < 0 ||
        (spare = fcntl(control, F_DUPFD_CLOEXEC, 0)) < 0)
        return cr_err_sys(err, "make pipes for '%s'", spec->argv[0]);
    (void)shutdown(in, SHUT_RD); /* unread bytes would turn the end of file into an error */
    r = start(spec, (const int[]){their_in, their_out, their_errors, their_control}, &pid);
    if (r == ENOMEM)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory to start '%s'", spec->argv[0]);
    errno = r;
    if (r != 0)
        return cr_err_sys(err, "start '%s'", spec->guard);
    (void)close(cr_steal_fd(&spare)); /* reserved before the start: its number is for the pidfd */
    pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0 && errno == ESRCH)
        pid = 0; /* the application ignores SIGCHLD: the kernel has reaped the ended guard */
    else if (pidfd < 0 && errno != ENOSYS) {
        r = cr_err_sys(err, "watch the guard of '%s'", spec->argv[0]);
        (void)shutdown(control, SHUT_RDWR);
        reap(pid);
        return r;
    }

    *ret = (struct cr_spawned){.pid = pid,
                               .pidfd = pidfd,
                               .control = cr_steal_fd(&control),
                               .in = cr_steal_fd(&in),
                               .out = cr_steal_fd(&out),
                               .errors = cr_steal_fd(&errors)};
    return 0;
}
