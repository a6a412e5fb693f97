/*
 * application.c - an application that checks whether libcaprun disturbs its signals, threads,
 * children, descriptors and settings.
 *
 *     application WORKER MODE [MUTANT]
 *
 * It has handlers for every signal, threads, children and open files. It records this state, makes
 * many runs in two runtimes while its children start and end, kills zygotes, frees the runtimes,
 * and compares. It prints a line for each thing that changed, and then exits with status 1.
 *
 * MODE says how it treats SIGCHLD: "counting" the signals, "stealing" (it reaps every child, also
 * the library's), "ignoring" or "blocked". A MUTANT does on purpose what the library must not do,
 * to prove that this program would notice it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caprun.h"

#define SIGNALS 65
#define CHILDREN 64
#define MAX_FD 512
#define RUNS_AT_ONCE 16

static struct {
    pid_t pid;
    int status; /* -1: not reaped yet */
} own[CHILDREN];
static volatile sig_atomic_t own_count;
static volatile sig_atomic_t signals[SIGNALS];
static pthread_t main_thread; /* forks the children and gets the signals */
static bool stealing, ignoring;
static const char *worker_path;
static int wrong;

static void complain(const char *what)
{
    (void)printf("changed: %s\n", what);
    wrong = 1;
}

_Noreturn static void give_up(const char *what)
{
    (void)printf("cannot go on: %s\n", what);
    (void)fflush(stdout);
    _exit(2);
}

/* --- signals and children ------------------------------------------------------------------ */

static void note_status(pid_t pid, int status)
{
    for (int i = 0; i < own_count; i++)
        if (own[i].pid == pid)
            own[i].status = status;
}

static void steal_all(void)
{
    int saved = errno, status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        note_status(pid, status);
    errno = saved;
}

static void on_signal(int number)
{
    signals[number]++;
    if (number == SIGCHLD && stealing)
        steal_all();
}

static void set_handlers(const char *mode)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t set;

    for (int i = 1; i < SIGNALS; i++)
        (void)sigaction(i, &action, NULL); /* signals that cannot be caught stay unchanged */
    stealing = strcmp(mode, "stealing") == 0;
    ignoring = strcmp(mode, "ignoring") == 0;
    if (ignoring)
        (void)signal(SIGCHLD, SIG_IGN);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR1);
    if (strcmp(mode, "blocked") == 0)
        (void)sigaddset(&set, SIGCHLD);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Forks a child that exits at once with its own status. SIGCHLD is blocked until its pid is stored.
 */
static void have_a_child(void)
{
    sigset_t all, kept;
    pid_t pid;

    if (own_count == CHILDREN || !pthread_equal(pthread_self(), main_thread))
        return;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &kept);
    pid = fork();
    if (pid == 0)
        _exit(own_count + 1);
    if (pid < 0)
        give_up("fork");
    own[own_count].pid = pid;
    own[own_count].status = -1;
    own_count++;
    (void)pthread_sigmask(SIG_SETMASK, &kept, NULL);
}

/* In mode "stealing" the handler may reap the child first. */
static void check_children(void)
{
    bool same = true;

    for (int i = 0; i < own_count && !ignoring; i++) {
        int status = 0;

        if (own[i].status < 0 && waitpid(own[i].pid, &status, 0) == own[i].pid)
            own[i].status = status;
        same &= own[i].status >= 0 && WEXITSTATUS(own[i].status) == i + 1;
    }
    if (!same)
        complain("children");
}

static bool is_own(pid_t pid)
{
    for (int i = 0; i < own_count; i++)
        if (own[i].pid == pid)
            return true;
    return false;
}

/* Returns the parent of |pid|, or 0 if there is no such process; its state is 'Z' if it is dead. */
static pid_t parent_of(pid_t pid, char *ret_state)
{
    char path[64], text[512];
    FILE *file;
    size_t len;
    char *end;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        (void)fclose(file);
    text[len] = '\0';
    end = strrchr(text, ')');
    if (!end)
        return 0;
    *ret_state = end[2];
    return (pid_t)strtol(end + 4, NULL, 10);
}

/* A zygote counts as dead when all its workers are dead. */
static void kill_and_wait(pid_t pid)
{
    char state = 0;

    (void)kill(pid, SIGKILL);
    while (parent_of(pid, &state) == getpid() && state != 'Z')
        (void)sched_yield();
}

/* Lists the children that the library started. Returns their number. */
static int others(bool kill_them)
{
    DIR *all = opendir("/proc");
    struct dirent *entry;
    int found = 0;
    char state = 0;

    while (all && (entry = readdir(all))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        if (pid <= 0 || is_own(pid) || parent_of(pid, &state) != getpid())
            continue;
        found++;
        if (kill_them)
            kill_and_wait(pid);
    }
    if (all)
        (void)closedir(all);
    return found;
}

/* --- state that must not change ------------------------------------------------------------ */

static struct {
    struct sigaction actions[SIGNALS];
    sigset_t mask;
    char cwd[4096];
    mode_t umask;
    struct rlimit limits[RLIMIT_NLIMITS];
    struct stat files[MAX_FD];
    int flags[MAX_FD]; /* -1: not open */
    long threads;
    cpu_set_t processors;
    int priority;
    pid_t group, session;
    int subreaper, death_signal, dumpable, no_new_privs;
    char *environment;
} before, after;

static long count_threads(void)
{
    DIR *all = opendir("/proc/self/task");
    long count = 0;

    while (all && readdir(all))
        count++;
    if (all)
        (void)closedir(all);
    return count;
}

static void look_at_files(struct stat *files, int *flags)
{
    for (int fd = 0; fd < MAX_FD; fd++) {
        flags[fd] = fcntl(fd, F_GETFD);
        if (flags[fd] >= 0)
            flags[fd] |= fcntl(fd, F_GETFL) << 1;
        if (flags[fd] >= 0 && fstat(fd, &files[fd]) < 0)
            give_up("fstat");
    }
}

/* Fills |to|, one of the two above. */
static void look(void *to)
{
    __typeof__(before) *now = to;

    memset(now, 0, sizeof(*now));
    for (int i = 1; i < SIGNALS; i++)
        (void)sigaction(i, NULL, &now->actions[i]);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &now->mask);
    if (!getcwd(now->cwd, sizeof(now->cwd)))
        give_up("getcwd");
    now->umask = umask(022);
    (void)umask(now->umask);
    for (int i = 0; i < RLIMIT_NLIMITS; i++)
        (void)getrlimit((__rlimit_resource_t)i, &now->limits[i]);
    now->threads = count_threads();
    look_at_files(now->files, now->flags);
    (void)sched_getaffinity(0, sizeof(now->processors), &now->processors);
    now->priority = getpriority(PRIO_PROCESS, 0);
    now->group = getpgrp();
    now->session = getsid(0);
    (void)prctl(PR_GET_CHILD_SUBREAPER, &now->subreaper);
    (void)prctl(PR_GET_PDEATHSIG, &now->death_signal);
    now->dumpable = prctl(PR_GET_DUMPABLE);
    now->no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    now->environment = getenv("APPLICATION");
}

static bool masks_are_the_same(const sigset_t *a, const sigset_t *b)
{
    for (int i = 1; i < SIGNALS; i++)
        if (sigismember(a, i) != sigismember(b, i))
            return false;
    return true;
}

static bool handlers_are_the_same(void)
{
    for (int i = 1; i < SIGNALS; i++) {
        const struct sigaction *a = &before.actions[i], *b = &after.actions[i];

        if (a->sa_handler != b->sa_handler || a->sa_flags != b->sa_flags ||
            !masks_are_the_same(&a->sa_mask, &b->sa_mask))
            return false;
    }
    return true;
}

static bool files_are_the_same(void)
{
    for (int fd = 0; fd < MAX_FD; fd++)
        if (before.flags[fd] != after.flags[fd] ||
            before.files[fd].st_dev != after.files[fd].st_dev ||
            before.files[fd].st_ino != after.files[fd].st_ino)
            return false;
    return true;
}

static bool other_signals_came(void)
{
    for (int i = 1; i < SIGNALS; i++)
        if (signals[i] && i != SIGCHLD)
            return true;
    return false;
}

#define SAME(member) (memcmp(&before.member, &after.member, sizeof(before.member)) == 0)

static void compare(void)
{
    const struct {
        const char *what;
        bool same;
    } all[] = {
        {"handlers", handlers_are_the_same()},
        {"mask", masks_are_the_same(&before.mask, &after.mask)},
        {"cwd", SAME(cwd)},
        {"umask", SAME(umask)},
        {"limits", SAME(limits)},
        {"threads", SAME(threads)},
        {"descriptors", files_are_the_same()},
        {"processors", SAME(processors)},
        {"priority", SAME(priority)},
        {"group", SAME(group) && SAME(session)},
        {"process", SAME(subreaper) && SAME(death_signal) && SAME(dumpable) && SAME(no_new_privs)},
        {"environment", SAME(environment)},
        {"signals", !other_signals_came()},
        {"processes", others(false) == 0},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (!all[i].same)
            complain(all[i].what);
}

/* --- the application's threads ------------------------------------------------------------- */

static int thread_pipe[2];
static volatile long thread_work;

/* Works until the pipe is closed. Blocks all signals: the main thread gets them. */
static void *own_thread(void *unused)
{
    char c;

    while (read(thread_pipe[0], &c, 1) == 1)
        __atomic_add_fetch(&thread_work, 1, __ATOMIC_SEQ_CST);
    return unused;
}

static void start_thread(pthread_t *ret, void *(*body)(void *), void *data)
{
    sigset_t all, kept;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &kept);
    if (pthread_create(ret, NULL, body, data) != 0)
        give_up("pthread_create");
    (void)pthread_sigmask(SIG_SETMASK, &kept, NULL);
}

/* --- using the library --------------------------------------------------------------------- */

static void answer(void *data, struct caprun_run *run, uint32_t call, const char *method,
                   const char *args, size_t args_len)
{
    (void)data;
    (void)method;
    have_a_child();
    (void)caprun_call_reply(run, call, args, args_len);
}

static struct caprun_run *start(struct caprun_runtime *rt, int n)
{
    char code[128];
    int len = snprintf(code, sizeof(code), "return (await mcp.echo.back({n: %d})).n", n);
    struct caprun_run *run;

    if (caprun_run_new(rt, &run) < 0 || caprun_run_set_code(run, code, (size_t)len) < 0)
        give_up("a run");
    caprun_run_set_handler(run, answer, NULL);
    if (caprun_start(run) < 0)
        give_up("caprun_start");
    return run;
}

/* Returns the number of runs that succeeded. */
static int runs_at_once(struct caprun_runtime *rt, bool kill_all)
{
    struct caprun_run *runs[RUNS_AT_ONCE];
    int done = 0, good = 0;

    for (int i = 0; i < RUNS_AT_ONCE; i++)
        runs[i] = start(rt, i);
    if (kill_all)
        (void)others(true);
    for (; done < RUNS_AT_ONCE; caprun_run_free(runs[done++])) {
        while (!caprun_done(runs[done])) {
            caprun_wait(rt, -1);
            caprun_step(rt);
        }
        if (caprun_get_outcome(runs[done]) == CAPRUN_OUTCOME_SUCCESS)
            good++;
        else if (!kill_all)
            (void)printf("it failed: %s\n", caprun_result_json(runs[done], NULL));
    }
    return good;
}

/* A thread that starts a runtime and exits before the runtime is used. */
static void *warm_up(void *rt)
{
    if (caprun_warm(rt) < 0 || runs_at_once(rt, false) != RUNS_AT_ONCE)
        give_up("the runtime of a thread");
    return NULL;
}

static struct caprun_runtime *new_runtime(void)
{
    struct caprun_runtime *rt;

    if (caprun_new(&rt) < 0 || caprun_set_worker(rt, worker_path) < 0)
        give_up("caprun_new");
    return rt;
}

static void use_library(void)
{
    struct caprun_runtime *one = new_runtime(), *two = new_runtime();
    pthread_t thread;
    char c = 'x';

    start_thread(&thread, warm_up, two);
    for (int i = 0; i < 4; i++)
        if (runs_at_once(one, false) != RUNS_AT_ONCE)
            give_up("a run");
    if (pthread_join(thread, NULL) != 0 || runs_at_once(two, false) != RUNS_AT_ONCE)
        give_up("a run of the other runtime");
    for (int i = 0; i < 4; i++) {
        (void)runs_at_once(one, true);
        if (write(thread_pipe[1], &c, 1) != 1)
            give_up("write");
    }
    if (runs_at_once(one, false) != RUNS_AT_ONCE || runs_at_once(two, false) != RUNS_AT_ONCE)
        give_up("a run after zygotes were killed");
    caprun_free(one);
    caprun_free(two);
}

/* --- mutants ------------------------------------------------------------------------------- */

static void mutate(const char *what)
{
    struct rlimit limit = {100, 100};
    pthread_t thread;
    sigset_t set;
    cpu_set_t none;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR2);
    CPU_ZERO(&none);
    CPU_SET(0, &none);
    if (strcmp(what, "handlers") == 0)
        (void)signal(SIGPIPE, SIG_IGN);
    else if (strcmp(what, "mask") == 0)
        (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    else if (strcmp(what, "cwd") == 0)
        (void)!chdir("/proc");
    else if (strcmp(what, "umask") == 0)
        (void)umask(0111);
    else if (strcmp(what, "limits") == 0)
        (void)setrlimit(RLIMIT_CORE, &limit);
    else if (strcmp(what, "threads") == 0)
        start_thread(&thread, own_thread, NULL);
    else if (strcmp(what, "descriptors") == 0)
        (void)!dup(0);
    else if (strcmp(what, "processors") == 0)
        (void)sched_setaffinity(0, sizeof(none), &none);
    else if (strcmp(what, "priority") == 0)
        (void)setpriority(PRIO_PROCESS, 0, 1);
    else if (strcmp(what, "process") == 0)
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    else if (strcmp(what, "environment") == 0)
        (void)unsetenv("APPLICATION");
    else if (strcmp(what, "signals") == 0)
        (void)raise(SIGPIPE);
    else if (strcmp(what, "children") == 0)
        (void)waitpid(own[0].pid, NULL, 0);
    else if (strcmp(what, "processes") == 0 && fork() == 0)
        (void)execlp("cat", "cat", (char *)NULL); /* until our standard input ends */
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    if (argc < 3 || pipe2(thread_pipe, O_CLOEXEC) < 0)
        return 2;
    main_thread = pthread_self();
    worker_path = argv[1];
    (void)setenv("APPLICATION", "mine", 1);
    set_handlers(argv[2]);
    for (int i = 0; i < 2; i++)
        start_thread(&threads[i], own_thread, NULL);
    have_a_child();
    look(&before);
    use_library();
    if (argc > 3)
        mutate(argv[3]);
    look(&after);
    compare();
    check_children();
    (void)close(thread_pipe[1]);
    for (int i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
    if (thread_work != 4)
        complain("the work of threads");
    if (!wrong)
        (void)printf("children: %d\n", (int)own_count);
    return wrong;
}
