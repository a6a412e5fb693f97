/*
 * guard.h - the messages between caprun-guard and the host.
 *
 * Each MCP server is started by a guard, a small program that becomes the subreaper of all
 * processes that the server starts. The guard ends the whole tree when its control socket closes:
 * when the host closes it, and when the host dies for any reason. The server's standard input,
 * output and error are pipes of the host, which the guard passes on and closes.
 *
 *     caprun-guard DIRECTORY COMMAND [ARGUMENT...]
 *
 * The guard runs in the environment of the server, with the server's pipes on 0 to 2 and a socket
 * (SOCK_SEQPACKET) on GUARD_FD. The guard sends struct guard_report packets: one STARTED or one
 * FAILED, and after STARTED one EXITED when COMMAND has ended. The guard then ends what is left of
 * the tree, and exits. The host sends single bytes: GUARD_TERM passes SIGTERM to the server's
 * process group. When the socket closes, when the host dies, and on SIGTERM, SIGINT and SIGHUP, the
 * tree is killed at once.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stdint.h>

#define GUARD_FD 3

enum guard_what {
    GUARD_STARTED = 1, /* value: the pid of the server */
    GUARD_FAILED = 2,  /* value: errno; step: what failed, enum guard_step */
    GUARD_EXITED = 3,  /* value: status from waitpid() */
};

enum guard_step {
    GUARD_STEP_SETUP = 1, /* the guard could not do its own work */
    GUARD_STEP_CHDIR = 2,
    GUARD_STEP_EXEC = 3,
};

struct guard_report {
    int32_t what;
    int32_t value;
    int32_t step;
};

#define GUARD_TERM 'T'
#define GUARD_PATIENCE_MS 2000 /* how long to wait for a process that does not die of SIGKILL */

#endif
