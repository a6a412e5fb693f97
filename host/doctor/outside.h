/*
 * outside.h - what the kernel says about a waiting worker, seen from outside.
 */
#ifndef CR_OUTSIDE_H
#define CR_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* The answer may be unknown: only root may see all of a process that is not dumpable. */
enum cr_outside { CR_OUTSIDE_UNKNOWN, CR_OUTSIDE_YES, CR_OUTSIDE_NO };

struct cr_outside_view {
    enum cr_outside filtered; /* Seccomp is 2 */
    enum cr_outside no_new_privs;
    enum cr_outside one_thread;
    enum cr_outside no_capabilities; /* all five sets are empty */
    enum cr_outside no_groups;
    enum cr_outside not_root;
    enum cr_outside own_pids; /* it has a different pid inside */
    enum cr_outside not_dumpable;
    enum cr_outside limited;     /* no new descriptor, process, file or core */
    enum cr_outside only_socket; /* its only descriptor is 3 */
    enum cr_outside own_users, own_mounts;
    enum cr_outside own_rest; /* network, IPC, UTS and cgroup namespaces */
    enum cr_outside empty_root;
    uint64_t uid;
};

/* Looks at the process behind |pidfd|. Returns 0, or an error if that failed. */
int cr_outside_look(int pidfd, struct cr_outside_view *ret, struct cr_err *err);

#endif
