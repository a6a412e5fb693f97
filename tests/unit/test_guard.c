/*
 * test_guard.c - caprun-guard: no process of a server is left when the server ends, when the host
 * dies, or when the guard dies.
 */
#include "servers.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Grandchildren that are hard to find: orphaned, in another session, without the host's pipes. */
#define GRANDCHILDREN                                                                        \
    "setsid sh -c '(trap \"\" TERM HUP; setsid sleep 100 </dev/null >/dev/null 2>&1 &) &'\n" \
    "(sleep 100 &)\n"

static bool hears(const char *word)
{
    for (int64_t until = cr_loop_now() + patience_us();
         !strstr(seen.said, word) && cr_loop_now() < until;)
        cr_loop_step(&loop, 10);
    return strstr(seen.said, word);
}

/* Works without stepping the loop: the host may be dead. */
static bool are_gone_within(int64_t us)
{
    int64_t since = cr_loop_now();

    while (!nobody_is_left() && cr_loop_now() - since < us * (patience_us() / 10000000))
        (void)usleep(200);
    printf("# gone after %lld us\n", (long long)(cr_loop_now() - since));
    return nobody_is_left();
}

TEST(grandchildren_end_with_a_server_that_exits)
{
    CHECK(begin() && SCRIPT(GRANDCHILDREN "say ready; exit 7"));
    CHECK_SOON(seen.endings == 1);
    CHECK(strcmp(cr_child_why(child), "exited with status 7") == 0 && nobody_is_left() && end());
}

TEST(grandchildren_that_hold_the_pipes_delay_nothing)
{
    int64_t since;

    CHECK(begin() && SCRIPT("sleep 100 & say ready; kill -9 $$") && hears("ready"));
    since = cr_loop_now();
    CHECK_SOON(seen.endings == 1);
    CHECK(cr_loop_now() - since < 1000 * CR_CHILD_PATIENCE_MS && nobody_is_left() && end());
}

TEST(grandchildren_end_with_a_server_that_is_freed)
{
    CHECK(begin() && SCRIPT(GRANDCHILDREN "say ready; exec sleep 100") && hears("ready"));
    CHECK(!nobody_is_left());
    forget_child();
    CHECK(nobody_is_left() && end());
}

TEST(a_long_chain_of_processes_ends)
{
    CHECK(begin() &&
          START("sh", "-c",
                SAY LOCK "f() { if [ $1 = 0 ]; then say ready; exec sleep 100; fi;\n"
                         "(f $(($1 - 1))) & wait; }; f 60") &&
          hears("ready"));
    forget_child();
    CHECK(nobody_is_left() && end());
}

/* Each generation forks the next and exits. The chain is finite, in case the guard fails. */
TEST(a_server_that_escapes_by_forking_is_killed)
{
    static const char code[] = "open(F, '>>', $ENV{LOCK}); flock(F, LOCK_SH);"
                               "for (1 .. 20000) { exit if fork; }";

    CHECK(begin() && START("perl", "-MFcntl=:flock", "-e", code));
    CHECK_SOON(seen.endings == 1);
    CHECK(nobody_is_left() && end());
}

TEST(a_server_that_escapes_by_new_sessions_is_killed)
{
    static const char code[] = "open(F, '>>', $ENV{LOCK}); flock(F, LOCK_SH);"
                               "for (1 .. 20000) { exit if fork; POSIX::setsid() }";

    CHECK(begin() && START("perl", "-MPOSIX", "-MFcntl=:flock", "-e", code));
    CHECK_SOON(seen.endings == 1);
    CHECK(nobody_is_left() && end());
}

TEST(many_processes_that_fork_all_the_time_are_killed)
{
    CHECK(begin() &&
          SCRIPT("for i in 1 2 3 4; do (for j in $(seq 2000); do (sleep 0.01 &); done) &\n"
                 "done; say ready; exec sleep 100") &&
          hears("ready"));
    forget_child();
    CHECK(nobody_is_left() && end());
}

/* --- a host that dies ------------------------------------------------------------------------ */

static int told[2];  /* a pipe: the host's server is ready */
static int leave[2]; /* a pipe: children that the host forked exit when it is closed */

/* A child that keeps all descriptors of the host open. */
static void hold(void)
{
    char byte;

    (void)close(told[1]);
    (void)close(leave[1]);
    (void)!read(leave[0], &byte, 1);
    _exit(0);
}

/* Acts as a host that has |children| besides a server with grandchildren. */
static int be_host(int children)
{
    if (cr_loop_init(&loop, &err) < 0 ||
        !SCRIPT(GRANDCHILDREN "say ready; trap '' TERM HUP; sleep 100"))
        return 1;
    while (children-- > 0)
        if (fork() == 0)
            hold();
    if (!hears("ready") || write(told[1], "x", 1) != 1)
        return 2;
    for (;;)
        (void)pause();
}

static pid_t start_host(int children)
{
    pid_t pid;
    char byte;

    if (pipe2(told, O_CLOEXEC) < 0 || pipe2(leave, O_CLOEXEC) < 0)
        return -1;
    pid = start_child(be_host, children);
    (void)close(told[1]);
    if (read(told[0], &byte, 1) != 1)
        pid = -1;
    (void)close(told[0]);
    (void)close(leave[0]);
    return pid;
}

static bool dies_with_host(int children)
{
    pid_t host = start_host(children);
    bool ok = host > 0 && !nobody_is_left() && kill(host, SIGKILL) == 0 &&
              are_gone_within(1000000) && end_of(host) == -1;

    (void)close(leave[1]);
    return ok;
}

TEST(when_the_host_is_killed_all_of_the_tree_is_gone_at_once)
{
    CHECK(begin() && dies_with_host(0) && end());
}

TEST(a_forked_child_of_a_killed_host_does_not_keep_the_tree_alive)
{
    CHECK(begin() && dies_with_host(1) && end());
}

TEST(freeing_works_although_a_forked_child_holds_the_socket)
{
    int64_t since;
    pid_t pid;

    CHECK(begin() && SCRIPT("say ready; exec sleep 100") && hears("ready"));
    pid = fork();
    if (pid == 0) {
        (void)pause();
        _exit(0);
    }
    since = cr_loop_now();
    forget_child();
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    CHECK(cr_loop_now() - since < 1000 * CR_CHILD_PATIENCE_MS && nobody_is_left() && end());
}

/* --- a guard that dies ----------------------------------------------------------------------- */

/* The only child of this process is the guard. */
static pid_t find_guard(void)
{
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    char text[64] = "";
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0)
        (void)close(fd);
    return n > 0 ? (pid_t)strtol(text, NULL, 10) : -1;
}

static bool ends(const char *why)
{
    for (int64_t until = cr_loop_now() + patience_us(); !seen.endings && cr_loop_now() < until;)
        cr_loop_step(&loop, 10);
    return seen.endings == 1 && why_is(why);
}

TEST(a_server_whose_guard_is_killed_is_killed_too)
{
    CHECK(begin() && SCRIPT("say ready; trap '' TERM HUP; exec sleep 100") && hears("ready"));
    CHECK(kill(find_guard(), SIGKILL) == 0);
    CHECK(ends("was killed: its guard was killed by signal 9 (Killed)"));
    CHECK(are_gone_within(1000000) && end());
}

/* Orphaned in the server's process group, and ignores every signal except SIGKILL. */
#define IN_THE_GROUP "(trap '' TERM HUP; sleep 100 </dev/null >/dev/null 2>&1 &)\n"

/* Three generations: the server, a shell below it, and the shell's children. */
#define FAMILY IN_THE_GROUP "sh -c 'trap \"\" TERM HUP; sleep 100 & sleep 100' &\n"

static bool all_of_the_group_end_with_a_killed_guard(void)
{
    return begin() && SCRIPT(FAMILY "say ready; exec sleep 100") && hears("ready") &&
           kill(find_guard(), SIGKILL) == 0 &&
           ends("was killed: its guard was killed by signal 9 (Killed)") &&
           are_gone_within(1000000) && end();
}

TEST(grandchildren_in_the_group_end_with_a_guard_that_is_killed)
{
    CHECK(all_of_the_group_end_with_a_killed_guard());
}

TEST(grandchildren_in_the_group_end_with_a_guard_that_had_to_be_killed)
{
    CHECK(begin() && SCRIPT(FAMILY "say ready; exec sleep 100") && hears("ready"));
    CHECK(kill(find_guard(), SIGSTOP) == 0);
    forget_child();
    CHECK(are_gone_within(1000000) && end());
}

/* The host handles a guard that hangs only while its loop is stepped. */
TEST(a_guard_that_is_stopped_is_killed_by_the_loop_and_its_group_too)
{
    CHECK(begin() && SCRIPT(FAMILY "say ready; cat >/dev/null; sleep 100") && hears("ready"));
    CHECK(kill(find_guard(), SIGSTOP) == 0);
    cr_child_stop(child);
    CHECK(ends("was killed, since it did not end by itself") && are_gone_within(1000000) && end());
}

/* The server is dead, and its guard dies before it has ended the rest of the group. */
TEST(grandchildren_end_also_if_the_server_has_ended_before_its_guard)
{
    pid_t guard;

    CHECK(begin() && SCRIPT(FAMILY "say ready; cat >/dev/null") && hears("ready"));
    guard = find_guard();
    CHECK(kill(guard, SIGSTOP) == 0);
    cr_child_stop(child); /* the server exits; the stopped guard does not reap it */
    for (int i = 0; i < 20; i++)
        cr_loop_step(&loop, 10);
    CHECK(!seen.endings && kill(guard, SIGKILL) == 0);
    CHECK(ends("was killed: its guard was killed by signal 9 (Killed)"));
    CHECK(are_gone_within(1000000) && end());
}

/* Makes the system call |number| fail with |error|, here and in all children. */
static bool deny_call(int number, int error, bool only_with_flags)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, only_with_flags ? 1 : 0, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = COUNT(code), .filter = code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* 0: a kernel before 6.9, which cannot signal a group by pidfd; 1: a kernel without pidfds. */
static int kill_guard_on_old_kernel(int which)
{
    bool denied = which == 0 ? deny_call(SYS_pidfd_send_signal, EINVAL, true)
                             : deny_call(SYS_pidfd_open, ENOSYS, false);

    if (!denied)
        return 2;
    return all_of_the_group_end_with_a_killed_guard() ? 0 : 1;
}

TEST(grandchildren_end_with_a_killed_guard_on_older_kernels_too)
{
    CHECK(in_child(kill_guard_on_old_kernel, 0) == 0);
    CHECK(in_child(kill_guard_on_old_kernel, 1) == 0);
}

static int end_orderly_without_pidfds(int number)
{
    (void)number;
    if (!deny_call(SYS_pidfd_open, ENOSYS, false) || !begin() ||
        !SCRIPT(GRANDCHILDREN "say ready; exit 7"))
        return 2;
    return ends("exited with status 7") && nobody_is_left() && end() ? 0 : 1;
}

TEST(an_orderly_end_needs_no_pidfd)
{
    CHECK(in_child(end_orderly_without_pidfds, 0) == 0);
}

TEST(a_guard_that_is_asked_to_leave_ends_all_of_the_tree)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};

    for (size_t i = 0; i < COUNT(numbers); i++) {
        CHECK(begin() && SCRIPT(GRANDCHILDREN "say ready; exec sleep 100") && hears("ready"));
        CHECK(kill(find_guard(), SIGUSR1) == 0 && kill(find_guard(), numbers[i]) == 0);
        CHECK(ends("was killed: its guard ended") && nobody_is_left() && end());
    }
}

TEST(a_guard_that_is_stopped_is_killed)
{
    CHECK(begin() && SCRIPT("say ready; exec sleep 100") && hears("ready"));
    CHECK(kill(find_guard(), SIGSTOP) == 0);
    forget_child();
    CHECK(are_gone_within(1000000) && end());
}

/* --- a terminal ------------------------------------------------------------------------------ */

static bool has_terminal(void)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

static int start_at_terminal(int number)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    bool ok;

    (void)number;
    if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0 || setsid() < 0 ||
        open(ptsname(terminal), O_RDWR | O_CLOEXEC) < 0 || !has_terminal())
        return 1;
    if (!begin() || !SCRIPT("(: </dev/tty) 2>/dev/null || say none; say ready; cat") ||
        !hears("ready") || strcmp(seen.said, "none ready ") != 0)
        return 2;
    ok = getpgid(find_guard()) != getpgrp() && has_terminal();
    return end() && ok ? 0 : 3;
}

TEST(a_server_has_nothing_to_do_with_the_terminal_of_the_host)
{
    CHECK(in_child(start_at_terminal, 0) == 0);
}

/* --- a person -------------------------------------------------------------------------------- */

TEST(a_guard_without_a_socket_says_what_it_is)
{
    char command[4200], line[100] = "";
    FILE *from;

    CHECK(begin());
    (void)snprintf(command, sizeof(command), "%s / cat 2>&1 3<&-; echo $?", guard_path);
    from = popen(command, "re");
    CHECK(from && fgets(line, sizeof(line), from) && strstr(line, "not a command; see caprun(1)"));
    CHECK(fgets(line, sizeof(line), from) && strcmp(line, "2\n") == 0);
    CHECK(pclose(from) == 0 && end());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
