/*
 * lockdown.c - the steps of the lock-down, in order.
 *
 * If a required step fails, crw_lockdown_refuse() is called; if an optional layer fails, |layers|
 * gets the errno. The order matters. The uid is changed before the user namespace is made, so that
 * root's uid is not in it. Uid maps are written while /proc is still visible. The empty root is
 * made before capabilities are dropped. no_new_privs comes before Landlock and the filters, which
 * need it.
 *
 * Making the network namespace takes half a millisecond, as long as warming the engine. So the
 * started program makes it while its child, the zygote, warms the engine; the child then joins the
 * namespace, and the parent exits.
 */
#include "lockdown.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "filters.h" /* generated from filter_gen.c */
#include "link.h"

#ifndef PR_THP_DISABLE_EXCEPT_ADVISED
#define PR_THP_DISABLE_EXCEPT_ADVISED (1 << 1)
#endif
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

/*
 * The first of the unused uids for a zygote that root starts. In a container with few uids, the
 * uids that Debian keeps free are used instead.
 */
#define UID_BASE 2130640896u
#define SMALL_UID_BASE 65000u
#define SMALL_UID_COUNT 500u

/* The stack that the engine may use, and room for the C code that it calls. */
#define STACK_BYTES (LIMIT_JS_STACK_BYTES + LIMIT_MIB)
/* What a worker maps besides its run arena: program, warm arena, stack. */
#define OTHER_BYTES (64ull * LIMIT_MIB)
/* What a small run uses of its arena and of its stack. */
#define TOUCHED_ARENA (16u * LIMIT_KIB)
#define TOUCHED_STACK (8u * LIMIT_KIB)

#define JOINED_NAMESPACES (CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

_Noreturn void crw_lockdown_refuse(enum wire_step step, int error)
{
    struct wire_control packet = {.kind = WIRE_CONTROL_REFUSE, .step = step, .error = error};

    (void)wire_send_packet(WIRE_FD, &packet, -1, 0);
    crw_link_leave(WIRE_EXIT_LOCKDOWN);
}

static bool close_from(unsigned first, unsigned last)
{
    return syscall(SYS_close_range, first, last, 0) == 0;
}

static void need(bool ok, enum wire_step step)
{
    if (!ok)
        crw_lockdown_refuse(step, errno);
}

static uint8_t errno_unless(bool ok)
{
    return ok ? 0 : (uint8_t)errno;
}

/* Erases the path of this program and the user's ids, which the kernel put on the stack. */
static void erase_start_values(void)
{
    char *path = (char *)getauxval(AT_EXECFN);
    char **end = environ;
    unsigned long *pair; /* type, value */

    while (*end)
        end++;
    for (pair = (unsigned long *)(void *)(end + 1); pair[0] != AT_NULL; pair += 2)
        if (pair[0] == AT_UID || pair[0] == AT_EUID || pair[0] == AT_GID || pair[0] == AT_EGID)
            pair[1] = 0;
    if (path)
        memset(path, 0, strlen(path));
}

static void close_descriptors(void)
{
    int null = open("/dev/null", O_RDWR);

    need(null >= 0, WIRE_STEP_DESCRIPTORS);
    for (int fd = 0; fd < 3; fd++)
        need(dup2(null, fd) == fd, WIRE_STEP_DESCRIPTORS);
    need(close_from(WIRE_FD + 1, ~0u), WIRE_STEP_DESCRIPTORS);
}

/*
 * If the host has forked a process that inherited the control socket, the socket stays open after
 * the host ends. So the zygote also watches a pidfd of the host. A host in another PID namespace
 * cannot be watched.
 */
static void watch_host(void)
{
    int host = (int)syscall(SYS_pidfd_open, getppid(), 0);

    if (host < 0)
        return;
    need(dup2(host, CRW_LOCKDOWN_HOST_FD) == CRW_LOCKDOWN_HOST_FD, WIRE_STEP_DESCRIPTORS);
    (void)close(host);
}

/* A worker must not delay the process that waits for it. */
static void use_normal_priority(void)
{
    struct sched_param none = {0};

    (void)syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &none);
    if (getpriority(PRIO_PROCESS, 0) < 0)
        (void)setpriority(PRIO_PROCESS, 0, 0);
}

static void reset_process(void)
{
    sigset_t none, child;

    for (int sig = 1; sig < NSIG; sig++)
        (void)signal(sig, SIG_DFL);
    (void)sigemptyset(&none);
    need(sigprocmask(SIG_SETMASK, &none, NULL) == 0, WIRE_STEP_SIGNALS);
    (void)umask(077);
    need(setsid() >= 0 || getpgrp() == getpid(), WIRE_STEP_SIGNALS);
    need(chdir("/") == 0, WIRE_STEP_SIGNALS);
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    need(sigprocmask(SIG_BLOCK, &child, NULL) == 0, WIRE_STEP_SIGNALS);
    /* a small run should not pay for a 2 MiB page; kernels before 6.18 have only all or nothing */
    if (prctl(PR_SET_THP_DISABLE, 1, PR_THP_DISABLE_EXCEPT_ADVISED, 0, 0) < 0)
        (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    use_normal_priority();
}

/*
 * All workers of a zygote share its address layout. If all zygotes had the same one, an attacker
 * would know every address. And if page 0 is mapped, using a NULL pointer is not a crash.
 */
static void require_randomisation(void)
{
    char state = '2';
    int fd = open("/proc/sys/kernel/randomize_va_space", O_RDONLY);

    if (fd >= 0) {
        (void)!read(fd, &state, 1);
        (void)close(fd);
    }
    errno = 0;
    need(state != '0' && !(personality(0xffffffff) & (ADDR_NO_RANDOMIZE | MMAP_PAGE_ZERO)),
         WIRE_STEP_RANDOMISATION);
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int saved = errno;

    if (fd >= 0)
        (void)close(fd);
    errno = saved;
    return ok;
}

static bool map_own_id(uid_t uid, gid_t gid)
{
    char uids[64], gids[64];

    (void)snprintf(uids, sizeof(uids), "%u %u 1\n", uid, uid);
    (void)snprintf(gids, sizeof(gids), "%u %u 1\n", gid, gid);
    return write_file("/proc/self/uid_map", uids) && write_file("/proc/self/setgroups", "deny") &&
           write_file("/proc/self/gid_map", gids);
}

/*
 * Changing the uid clears the effective capabilities, but not the permitted ones; this makes them
 * effective again. Some kernels require them for a user namespace, or let other processes make only
 * one without a uid map (AppArmor).
 */
static void raise_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct both[2];

    if (syscall(SYS_capget, &header, both) < 0)
        return;
    for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
        both[i].effective = both[i].permitted;
    (void)syscall(SYS_capset, &header, both);
}

/*
 * Changes root's uid to an unprivileged one; root can be restored until the namespaces are made.
 * Returns false if no other uid exists: in a user namespace with a single id, root is an ordinary
 * user outside. If |uid_base| is given, only that range is tried.
 */
static bool change_root_uid(uint32_t uid_base)
{
    uid_t uid = (uid_base ? uid_base : UID_BASE) + (uid_t)getpid() % WIRE_UIDS;
    bool no_groups = setgroups(0, NULL) == 0;

    if (setresgid(uid, uid, uid) < 0) {
        uid = SMALL_UID_BASE + (uid_t)getpid() % SMALL_UID_COUNT;
        if (setresgid(uid, uid, uid) < 0 && errno == EINVAL)
            return false;
        errno = EINVAL;
        need(!uid_base, WIRE_STEP_IDENTITY);
    }
    need(no_groups && getegid() == uid && setresuid(uid, uid, 0) == 0, WIRE_STEP_IDENTITY);
    raise_capabilities();
    need(prctl(PR_SET_DUMPABLE, 1) == 0, WIRE_STEP_IDENTITY);
    return true;
}

/*
 * Is our uid root's uid outside of our user namespace? A namespace without any map does not tell,
 * and counts as root.
 */
static bool is_root_outside(void)
{
    char map[4096];
    unsigned inside, outside, count;
    int fd = open("/proc/self/uid_map", O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, map, sizeof(map) - 1) : -1;

    if (fd >= 0)
        (void)close(fd);
    if (n < 0)
        return true;
    map[n] = '\0';
    for (const char *line = map; *line; line += strcspn(line, "\n") + 1)
        if (sscanf(line, "%u %u %u", &inside, &outside, &count) == 3 && geteuid() >= inside &&
            geteuid() - inside < count)
            return outside + (geteuid() - inside) == 0;
    return true;
}

/* For a user other than root: makes the effective ids the only ones, real and saved ids too. */
static void keep_one_identity(void)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();

    errno = EPERM;
    need(!is_root_outside() && setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0,
         WIRE_STEP_IDENTITY);
    need(prctl(PR_SET_DUMPABLE, 1) == 0, WIRE_STEP_IDENTITY);
}

/* Makes the user and PID namespace, first of all. Returns whether root's uid is to be given up. */
static bool make_outer_namespaces(uint32_t uid_base, uint8_t layers[WIRE_LAYERS])
{
    bool root = geteuid() == 0 && change_root_uid(uid_base);
    uid_t uid = geteuid();
    gid_t gid = getegid();

    if (!root)
        keep_one_identity();
    layers[WIRE_LAYER_USER_NS] = errno_unless(unshare(CLONE_NEWUSER) == 0);
    if (layers[WIRE_LAYER_USER_NS] == 0)
        layers[WIRE_LAYER_USER_NS] = errno_unless(map_own_id(uid, gid));
    else if (root)
        need(seteuid(0) == 0, WIRE_STEP_IDENTITY);
    layers[WIRE_LAYER_PID_NS] = errno_unless(unshare(CLONE_NEWPID) == 0);
    return root;
}

/* Makes an empty directory, without space for any file, the root. */
static bool empty_root(void)
{
    const unsigned long locked = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
    static const char *const places[] = {"/tmp", "/proc", "/usr", "/dev"};

    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return false;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (mount("tmpfs", places[i], "tmpfs", locked & ~(unsigned long)MS_RDONLY,
                  "size=4096,nr_inodes=1,mode=0555") < 0)
            continue;
        return chdir(places[i]) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
               umount2(".", MNT_DETACH) == 0 && chdir("/") == 0 &&
               mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | locked, NULL) == 0;
    }
    return false;
}

/* After this, root's uid cannot be restored, with or without a user namespace. */
static void settle_identity(void)
{
    uid_t uid, effective, saved;

    need(getresuid(&uid, &effective, &saved) == 0, WIRE_STEP_IDENTITY);
    need(setresuid(uid, uid, uid) == 0, WIRE_STEP_IDENTITY);
}

/* After this, even a program that was executed would get no capability. */
static bool empty_bounding_set(void)
{
    unsigned long cap = 0;

    while (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
        cap++;
    /* EINVAL: no such capability, so all were dropped; supported kernels have at least 41 */
    return errno == EINVAL && cap > CAP_CHECKPOINT_RESTORE &&
           prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0;
}

static bool drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};

    return syscall(SYS_capset, &header, none) == 0;
}

/*
 * Tells the host about the zygote, before anything else: the host must know a child to wait for it.
 * The parent and the child both announce it: the parent may be killed at any time, and the child
 * does not know its pid in the host's namespace.
 */
static void announce(pid_t zygote, int zygote_pidfd)
{
    struct wire_control packet = {.kind = WIRE_CONTROL_BORN, .pid = zygote};

    (void)wire_send_packet(WIRE_FD, &packet, zygote_pidfd, 0);
}

/* The message from the parent to the child. */
struct joined {
    int namespaces;
    uint8_t error; /* errno of a namespace that could not be made, or 0 */
};

/* Makes each namespace that the kernel allows: one may be forbidden and another not. */
static struct joined make_joined_namespaces(void)
{
    static const int each[] = {CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP};
    struct joined made = {.namespaces = JOINED_NAMESPACES};

    if (unshare(JOINED_NAMESPACES) == 0)
        return made;
    made.namespaces = 0;
    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        if (unshare(each[i]) == 0)
            made.namespaces |= each[i];
        else
            made.error = (uint8_t)errno;
    }
    return made;
}

/* In the parent: makes the namespaces, reports to the child, and waits until it has joined them. */
_Noreturn static void make_namespaces_for(int child)
{
    struct joined made = make_joined_namespaces();

    (void)send(child, &made, sizeof(made), MSG_NOSIGNAL);
    (void)recv(child, &made, sizeof(made), 0);
    crw_link_leave(WIRE_EXIT_OK);
}

/*
 * In the child: joins the parent's namespaces. Exits if the parent did not answer, because the
 * sandbox would be incomplete. That is not reported as a failed step: a parent that was killed says
 * nothing about what this machine supports.
 */
static uint8_t join_namespaces(int parent, int parent_pidfd)
{
    struct joined made = {0};

    if (recv(parent, &made, sizeof(made), 0) != (ssize_t)sizeof(made))
        crw_link_leave(WIRE_EXIT_ORPHAN);
    if (made.namespaces && setns(parent_pidfd, made.namespaces) < 0) {
        if (errno == ESRCH)
            crw_link_leave(WIRE_EXIT_ORPHAN);
        made.error = (uint8_t)errno;
    }
    need(close_from(WIRE_FD + 1, CRW_LOCKDOWN_HOST_FD - 1) &&
             close_from(CRW_LOCKDOWN_HOST_FD + 1, ~0u),
         WIRE_STEP_DESCRIPTORS);
    return made.error;
}

/* Otherwise the scheduler often lets the child wait for the processor of its parent. */
static void move_to_other_processor(pid_t child, cpu_set_t others)
{
    CPU_CLR((size_t)sched_getcpu(), &others);
    if (CPU_COUNT(&others) > 0)
        (void)sched_setaffinity(child, sizeof(others), &others);
}

/*
 * Forks the zygote. The zygote is PID 1 of its namespace, so that its death kills every worker. Its
 * parent is the host, which waits for it, and not this program, which exits.
 */
static void become_first_process(void (*warm)(void), uint8_t layers[WIRE_LAYERS])
{
    int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    int zygote_pidfd = -1;
    cpu_set_t all = {0}; /* stays empty if the machine has more processors than fit into it */
    int pair[2];
    long pid;

    (void)sched_getaffinity(0, sizeof(all), &all);
    need(pidfd >= 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0, WIRE_STEP_FORK);
    pid = syscall(SYS_clone, CLONE_PARENT | CLONE_PIDFD | SIGCHLD, NULL, &zygote_pidfd, NULL, NULL);
    need(pid >= 0, WIRE_STEP_FORK);
    if (pid > 0) {
        announce((pid_t)pid, zygote_pidfd);
        move_to_other_processor((pid_t)pid, all);
        (void)close(pair[1]);
        make_namespaces_for(pair[0]);
    }
    announce(0, (int)syscall(SYS_pidfd_open, getpid(), 0));
    (void)close(pair[0]);
    warm();
    (void)sched_setaffinity(0, sizeof(all), &all);
    layers[WIRE_LAYER_EMPTY_ROOT] = errno_unless(unshare(CLONE_NEWNS) == 0 && empty_root());
    layers[WIRE_LAYER_JOINED_NS] = join_namespaces(pair[1], pidfd);
}

/* Defined here, because the newest kernels have fields that our build headers do not have. */
struct ruleset {
    uint64_t fs, net, scoped;
};
#define LANDLOCK_SCOPES 3ull /* abstract sockets, signals: ABI 6 */
#define LANDLOCK_TCP 3ull    /* bind, connect: ABI 4 */

/* Restricts every right that the kernel's version of Landlock knows, and grants none. */
static void restrict_with_landlock(uint8_t layers[WIRE_LAYERS])
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    uint8_t error = errno_unless(abi > 0);
    unsigned rights = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
    struct ruleset all = {(1ull << rights) - 1, LANDLOCK_TCP, LANDLOCK_SCOPES};
    size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;

    if (!error) {
        int fd = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);

        error = errno_unless(fd >= 0 && syscall(SYS_landlock_restrict_self, fd, 0) == 0);
        if (fd >= 0)
            (void)close(fd);
    }
    layers[WIRE_LAYER_LANDLOCK_FS] = error;
    layers[WIRE_LAYER_LANDLOCK_NET] = error ? error : abi >= 4 ? 0 : ENOSYS;
    layers[WIRE_LAYER_LANDLOCK_SCOPE] = error ? error : abi >= 6 ? 0 : ENOSYS;
}

static bool limit(int what, uint64_t soft, uint64_t hard)
{
    uint64_t both[2] = {soft, hard}; /* struct rlimit64 */

    return syscall(SYS_prlimit64, 0, what, both, NULL) == 0;
}

/* Succeeds also if the limit is already lower and cannot be raised. */
static bool limit_at_most(int what, uint64_t value)
{
    return limit(what, value, value) || errno == EPERM;
}

void crw_lockdown_zygote(void (*warm)(void), uint32_t uid_base, uint8_t layers[WIRE_LAYERS])
{
    sigset_t child;
    bool root;

    erase_start_values();
    close_descriptors();
    watch_host();
    reset_process();
    require_randomisation();
    root = make_outer_namespaces(uid_base, layers);
    become_first_process(warm, layers);
    layers[WIRE_LAYER_NO_CAPS] = errno_unless(empty_bounding_set());
    if (root)
        settle_identity();
    need(drop_capabilities(), WIRE_STEP_IDENTITY);
    need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, WIRE_STEP_NO_NEW_PRIVS);
    layers[WIRE_LAYER_NOT_DUMPABLE] = errno_unless(prctl(PR_SET_DUMPABLE, 0) == 0);
    layers[WIRE_LAYER_MDWE] =
        errno_unless(prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0);
    need(limit(RLIMIT_CORE, 0, 0) && limit(RLIMIT_FSIZE, 0, 0), WIRE_STEP_RLIMITS);
    restrict_with_landlock(layers);

    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    need(signalfd(-1, &child, 0) == CRW_LOCKDOWN_SIGNAL_FD, WIRE_STEP_DESCRIPTORS);
}

void crw_lockdown_zygote_filter(uint8_t layers[WIRE_LAYERS])
{
    const struct sock_fprog filter = {sizeof(filter_zygote) / sizeof(filter_zygote[0]),
                                      (struct sock_filter *)(uintptr_t)filter_zygote};
    struct timespec t;

    need(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0, WIRE_STEP_SECCOMP);
    layers[WIRE_LAYER_VDSO_CLOCK] = errno_unless(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
}

static void need_worker(bool ok, enum wire_exit status)
{
    if (!ok)
        crw_link_leave(status);
}

static void touch_stack(void)
{
    volatile uint8_t pages[TOUCHED_STACK];

    for (size_t i = 0; i < sizeof(pages); i += 4096)
        pages[i] = 0;
}

void crw_lockdown_worker(int socket, int parent, uint64_t memory, uint32_t cpu_s)
{
    const struct sock_fprog filter = {sizeof(filter_worker) / sizeof(filter_worker[0]),
                                      (struct sock_filter *)(uintptr_t)filter_worker};
    uint64_t random;

    need_worker(syscall(SYS_dup3, socket, WIRE_FD, 0) == WIRE_FD, WIRE_EXIT_LOCKDOWN);
    need_worker(close_from(0, WIRE_FD - 1) && close_from(WIRE_FD + 1, ~0u), WIRE_EXIT_LOCKDOWN);
    need_worker(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0, WIRE_EXIT_LOCKDOWN);
    need_worker(getppid() == parent, WIRE_EXIT_ORPHAN);
    need_worker(syscall(SYS_getrandom, &random, sizeof(random), 0) == sizeof(random),
                WIRE_EXIT_LOCKDOWN);
    need_worker(crw_arena_enter_run(memory, random) == 0, WIRE_EXIT_NO_SPACE);
    need_worker(limit(RLIMIT_STACK, STACK_BYTES, STACK_BYTES) && limit_at_most(RLIMIT_CPU, cpu_s) &&
                    limit(RLIMIT_NOFILE, 0, 0) && limit(RLIMIT_NPROC, 0, 0) &&
                    limit_at_most(RLIMIT_AS, memory + OTHER_BYTES),
                WIRE_EXIT_RLIMITS);
    crw_arena_touch(TOUCHED_ARENA);
    touch_stack();
    need_worker(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0, WIRE_EXIT_LOCKDOWN);
}
