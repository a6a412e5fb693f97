/*
 * spawn.h - starts the guard of a server (guard/guard.h) with the pipes between server and host.
 */
#ifndef CR_SPAWN_H
#define CR_SPAWN_H

#include <sys/types.h>

#include "base/err.h"
#include "mcp/child.h"

/* The host's ends. All descriptors are close-on-exec. */
struct cr_spawned {
    pid_t pid;   /* of the guard; 0 if the guard has ended and the application has reaped it */
    int pidfd;   /* of the guard; -1 if it has ended, or the kernel (or valgrind) has no pidfds */
    int control; /* a socket to the guard */
    int in;      /* a socket, not a pipe, so that MSG_NOSIGNAL can prevent SIGPIPE */
    int out;     /* |out| and |errors| do not block */
    int errors;
};

/*
 * Returns 0, and the caller closes all descriptors and reaps the guard; or CAPRUN_E_SYS or
 * CAPRUN_E_NOMEM.
 */
int cr_spawn_guard(const struct cr_child_spec *spec, struct cr_spawned *ret, struct cr_err *err);

#endif
