/*
 * spawn.h - starts the guard of a server (guard/guard.h) with the pipes between server and host.
 */
#ifndef CR_SPAWN_H
#define CR_SPAWN_H

#include <sys/types.h>

#include "base/err.h"
#include "mcp/child.h"

/* The host's ends, each of its own kind. All are closed by exec. */
struct cr_spawned {
    pid_t pid;   /* of the guard; 0 if it is gone, and reaped by the application */
    int pidfd;   /* of the guard; -1 if it is gone, and where the kernel (or valgrind) has none */
    int control; /* a socket to it */
    int in;      /* a socket, and not a pipe: writing there raises no SIGPIPE if one says so */
    int out;     /* these two do not block */
    int errors;
};

/* Returns 0, and the caller closes them all and reaps the guard; CAPRUN_E_SYS or CAPRUN_E_NOMEM. */
int cr_spawn_guard(const struct cr_child_spec *spec, struct cr_spawned *ret, struct cr_err *err);

#endif
