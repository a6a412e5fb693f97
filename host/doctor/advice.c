/* advice.c - says what a missing layer costs, and looks at settings that are known to forbid it. */
#include "doctor/advice.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/mem.h"

const char *cr_advice_cost(enum wire_layer layer)
{
    switch (layer) {
    case WIRE_LAYER_USER_NS:
        return "a way past the filter would have the rights of the worker's uid; an ordinary "
               "user's worker has no other namespace either";
    case WIRE_LAYER_JOINED_NS:
        return "a way past the filter would find the network, and what other processes share";
    case WIRE_LAYER_PID_NS:
        return "a way past the filter would see other processes, and could signal those of its uid";
    case WIRE_LAYER_EMPTY_ROOT:
        return "a way past the filter would find the machine's files, as far as its uid and "
               "Landlock "
               "let it";
    case WIRE_LAYER_NO_CAPS:
        return "a way past the filter and no_new_privs could gain capabilities";
    case WIRE_LAYER_NOT_DUMPABLE:
        return "other processes of the same user can read a worker's memory";
    case WIRE_LAYER_MDWE:
        return "an attacker in the engine could write new machine code, and not only reuse what is "
               "there";
    case WIRE_LAYER_LANDLOCK_FS:
        return "one wall less around the machine's files";
    case WIRE_LAYER_LANDLOCK_NET:
        return "one wall less around the network";
    case WIRE_LAYER_LANDLOCK_SCOPE:
        return "one wall less around other processes and their sockets";
    case WIRE_LAYER_VDSO_CLOCK:
        return "no safety: a run over its time is ended just the same, but without a stack";
    case WIRE_LAYERS:
        break;
    }
    return "";
}

/* Is the first character of the file |c|? */
static bool file_starts_with(const char *path, char c)
{
    cr_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
    char first = '\0';

    return fd >= 0 && read(fd, &first, 1) == 1 && first == c;
}

static bool in_container(void)
{
    return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0;
}

static bool has_no_proc(void)
{
    return access("/proc/self/uid_map", F_OK) < 0;
}

static const char *namespace_remedy(int error)
{
    if (has_no_proc())
        return "mount /proc";
    if (error == ENOSPC || file_starts_with("/proc/sys/user/max_user_namespaces", '0'))
        return "sysctl user.max_user_namespaces=15000, here and in the namespaces around";
    if (file_starts_with("/proc/sys/kernel/unprivileged_userns_clone", '0'))
        return "sysctl kernel.unprivileged_userns_clone=1";
    if (file_starts_with("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'))
        return "an AppArmor profile for caprun-worker with \"userns,\", or sysctl "
               "kernel.apparmor_restrict_unprivileged_userns=0";
    if (in_container())
        return "a container that allows it. Docker: --security-opt seccomp=FILE with a profile "
               "that "
               "allows unshare, setns, mount, umount2 and pivot_root, and an AppArmor profile that "
               "allows mount";
    if (error == ENOSYS || error == EINVAL)
        return "a kernel that is built with namespaces";
    return "something around caprun forbids it: look at the seccomp profile, AppArmor or SELinux "
           "of "
           "what starts it";
}

static const char *landlock_remedy(enum wire_layer layer, int error)
{
    if (error == E2BIG)
        return "fewer Landlock domains around caprun: there may be 16 in all";
    if (error == EOPNOTSUPP)
        return "boot with landlock among the modules of lsm=";
    if (error != ENOSYS)
        return "something around caprun forbids it: Docker before 20.10.16 and old libseccomp do";
    return layer == WIRE_LAYER_LANDLOCK_FS    ? "Linux 5.13 or newer, with CONFIG_SECURITY_LANDLOCK"
           : layer == WIRE_LAYER_LANDLOCK_NET ? "Linux 6.7 or newer"
                                              : "Linux 6.12 or newer";
}

const char *cr_advice_remedy(enum wire_layer layer, int error, bool alone)
{
    switch (layer) {
    case WIRE_LAYER_USER_NS:
        return namespace_remedy(error);
    case WIRE_LAYER_JOINED_NS:
    case WIRE_LAYER_PID_NS:
    case WIRE_LAYER_EMPTY_ROOT:
        return alone ? namespace_remedy(error) : "it comes with the user namespace";
    case WIRE_LAYER_LANDLOCK_FS:
    case WIRE_LAYER_LANDLOCK_NET:
    case WIRE_LAYER_LANDLOCK_SCOPE:
        return landlock_remedy(layer, error);
    case WIRE_LAYER_MDWE:
        return error == EINVAL ? "Linux 6.3 or newer" : "something around caprun forbids prctl";
    case WIRE_LAYER_VDSO_CLOCK:
        return "a clock that programs can read themselves: tsc or kvm-clock as the clocksource";
    case WIRE_LAYER_NO_CAPS:
        return alone ? "something around caprun forbids prctl" : "it comes with the user namespace";
    case WIRE_LAYER_NOT_DUMPABLE:
    case WIRE_LAYERS:
        break;
    }
    return "something around caprun forbids prctl";
}

const char *cr_advice_kill_remedy(void)
{
    return "as root: the capability CAP_KILL; and nothing around caprun that forbids "
           "pidfd_send_signal";
}

const char *cr_advice_step_remedy(uint32_t step)
{
    switch (step) {
    case WIRE_STEP_RANDOMISATION:
        return "sysctl kernel.randomize_va_space=2, no setarch around caprun, and nothing that "
               "forbids personality";
    case WIRE_STEP_SECCOMP:
        return "a kernel with CONFIG_SECCOMP_FILTER, and nothing around caprun that forbids "
               "seccomp";
    case WIRE_STEP_IDENTITY:
        if (has_no_proc())
            return "mount /proc: without it a worker's uid outside of its namespace is unknown";
        return "as root: more than one uid in the user namespace around caprun; or an ordinary "
               "user";
    default:
        return "something around caprun forbids it: a container's profile, or a limit";
    }
}
