/*
 * guard.c - caprun-guard: starts an MCP server, and ends all processes that the server started.
 *
 * The guard is the subreaper of the whole tree: a process whose parent dies becomes a child of the
 * guard, whatever it did to escape. So the guard kills its children until it has no children left.
 * Where possible it kills process groups: a whole group dies at once, even if it forks all the
 * time.
 *
 * The guard stays in the session of the host, and only gives up the terminal: the scheduler would
 * treat a new session like another user's work, which makes each message slower.
 *
 * The guard ends the tree when its control socket closes, and also when the host dies, because a
 * process that the host has forked may still hold that socket.
 */
#include "guard/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 20

static pid_t server_group;
static pid_t server;     /* 0: not forked yet, or reaped */
static int outcome = -1; /* a pipe: exec closes it, or the child writes why exec failed */
static int signals = -1; /* a signalfd */
static int host = -1;    /* a pidfd */

static void report(int what, int value, int step)
{
    struct guard_report r = {.what = what, .value = value, .step = step};

    (void)send(GUARD_FD, &r, sizeof(r), MSG_NOSIGNAL);
}

static void report_failure(void)
{
    report(GUARD_FAILED, errno, GUARD_STEP_SETUP);
    _exit(1);
}

/* --- the end of the tree -------------------------------------------------------------------- */

/*
 * A child that was not reaped still has its pid, and so has its group. Only a group that the server
 * or this child has made is killed: another group could be the host's.
 */
static void kill_child(pid_t pid)
{
    pid_t group = getpgid(pid);

    (void)kill(group == pid || group == server_group ? -group : pid, SIGKILL);
}

/* Each pid in the file has a space after it, also the last. */
static void kill_children(void)
{
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    char text[1024];
    pid_t pid = 0;
    ssize_t n;

    if (fd < 0)
        (void)kill(-server_group, SIGKILL); /* all that can be done without /proc */
    while (fd >= 0 && (n = read(fd, text, sizeof(text))) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                pid = pid * 10 + (text[i] - '0');
                continue;
            }
            if (pid > 0)
                kill_child(pid);
            pid = 0;
        }
    }
    if (fd >= 0)
        (void)close(fd);
}

/* Returns how many were reaped, or -1 if there are no children left. */
static int reap_dead(void)
{
    pid_t pid;
    int reaped = 0;

    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        reaped++;
    return pid < 0 ? -1 : reaped;
}

/*
 * Gives up when no child has died for a while: a child that hangs in the kernel will die when it
 * returns from it, and the guard cannot kill a child that runs as another user.
 */
__attribute__((noreturn)) static void end_tree(void)
{
    struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    sigset_t child;
    int reaped, left = GUARD_PATIENCE_MS / TICK_MS;

    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    while ((reaped = reap_dead()) >= 0 && left > 0) {
        left = reaped ? GUARD_PATIENCE_MS / TICK_MS : left - 1;
        kill_children();
        (void)sigtimedwait(&child, NULL, &tick);
    }
    _exit(0);
}

/* --- the server ------------------------------------------------------------------------------ */

__attribute__((noreturn)) static void exit_failed(int fd, int step)
{
    struct guard_report r = {.what = GUARD_FAILED, .value = errno, .step = step};

    (void)!write(fd, &r, sizeof(r));
    _exit(1);
}

/* Uses the system call, because the C library hides some signals, which may be ignored as well. */
static void reset_signals(void)
{
    static const unsigned long defaults[4]; /* the kernel's struct sigaction */
    sigset_t none;

    for (int i = 1; i < _NSIG; i++)
        (void)syscall(SYS_rt_sigaction, i, defaults, NULL, _NSIG / 8);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

__attribute__((noreturn)) static void become_server(char **argv, pid_t guard, int fd)
{
    (void)setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        exit_failed(fd, GUARD_STEP_SETUP);
    if (getppid() != guard)
        _exit(1); /* the guard is dead already */
    if (chdir(argv[1]) < 0)
        exit_failed(fd, GUARD_STEP_CHDIR);
    reset_signals();
    (void)execvp(argv[2], argv + 2);
    exit_failed(fd, GUARD_STEP_EXEC);
}

static void start_server(char **argv)
{
    pid_t guard = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        report_failure();
    server = fork();
    if (server < 0)
        report_failure();
    if (server == 0)
        become_server(argv, guard, ends[1]);
    server_group = server;
    (void)setpgid(server, server); /* the group may be signalled before the child has made it */
    (void)close(ends[1]);
    (void)syscall(SYS_close_range, 0, 2, 0);
    outcome = ends[0];
}

static void handle_outcome(void)
{
    struct guard_report r;
    ssize_t n;

    do
        n = read(outcome, &r, sizeof(r));
    while (n < 0 && errno == EINTR);
    (void)close(outcome);
    outcome = -1;
    if (n == sizeof(r)) {
        report(r.what, r.value, r.step);
        end_tree();
    }
    report(GUARD_STARTED, server, 0);
}

/* --- events ---------------------------------------------------------------------------------- */

static void reap(void)
{
    pid_t pid;
    int status;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != server)
            continue;
        server = 0;
        if (outcome >= 0)
            handle_outcome();
        report(GUARD_EXITED, status, 0);
        end_tree();
    }
}

static void handle_signals(void)
{
    struct signalfd_siginfo info;

    while (read(signals, &info, sizeof(info)) == sizeof(info))
        if (info.ssi_signo != SIGCHLD)
            end_tree();
    reap();
}

static void handle_host(void)
{
    char what = 0;
    ssize_t n = recv(GUARD_FD, &what, 1, MSG_DONTWAIT);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        end_tree();
    if (n > 0 && what == GUARD_TERM && server)
        (void)kill(-server, SIGTERM);
}

static void handle_events(void)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = host, .events = POLLIN},
                               {.fd = GUARD_FD, .events = POLLIN},
                               {.fd = outcome, .events = POLLIN},
                               {.fd = signals, .events = POLLIN}};

        if (poll(fds, sizeof(fds) / sizeof(fds[0]), -1) < 0)
            continue;
        if (fds[0].revents)
            end_tree();
        if (fds[1].revents)
            handle_host();
        if (fds[2].revents)
            handle_outcome();
        if (fds[3].revents)
            handle_signals();
    }
}

/* --- setup ----------------------------------------------------------------------------------- */

static bool is_control_socket(void)
{
    int type = 0;
    socklen_t len = sizeof(type);

    return getsockopt(GUARD_FD, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET;
}

/* Blocks signals, so that none ends the guard. An ignored SIGCHLD would leave nothing to reap. */
static void take_signals(void)
{
    static const int handled[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
    sigset_t set;

    (void)sigfillset(&set);
    (void)sigprocmask(SIG_SETMASK, &set, NULL);
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++) {
        (void)signal(handled[i], SIG_DFL);
        (void)sigaddset(&set, handled[i]);
    }
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        report_failure();
}

/* A server must not ask at the terminal, and ^C there is for the host. */
static void leave_terminal(void)
{
    int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0) {
        (void)ioctl(fd, TIOCNOTTY);
        (void)close(fd);
    }
}

static void set_up(void)
{
    if (fcntl(GUARD_FD, F_SETFD, FD_CLOEXEC) < 0 ||
        syscall(SYS_close_range, GUARD_FD + 1, ~0u, 0) < 0)
        report_failure();
    take_signals();
    leave_terminal();
    if (setpgid(0, 0) < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
        report_failure();
    host = (int)syscall(SYS_pidfd_open, getppid(), 0); /* -1: host in another namespace */
}

int main(int argc, char **argv)
{
    static const char usage[] = "caprun-guard: a part of caprun, not a command; see caprun(1)\n";

    if (argc < 3 || !is_control_socket()) {
        (void)!write(STDERR_FILENO, usage, sizeof(usage) - 1);
        return 2;
    }
    set_up();
    start_server(argv);
    handle_events();
}
