/*
 * guard.h - what caprun-guard and the host say to each other.
 *
 * A server is started by a guard, a small program of ours that becomes the subreaper of all that
 * the server starts, and ends the whole tree when its control socket closes: when the host wants
 * it, and when the host dies in whatever way. The server's standard input, output and error are
 * the host's pipes, which the guard hands on and closes.
 *
 *     caprun-guard DIRECTORY COMMAND [ARGUMENT...]
 *
 * in the environment that the server is to have, with the server's pipes on 0 to 2 and a socket
 * (SOCK_SEQPACKET) on GUARD_FD. The guard sends struct guard_report packets: one STARTED or one
 * FAILED, and after STARTED one EXITED when COMMAND has ended. It then ends what is left of the
 * tree, and itself. The host sends single bytes: GUARD_TERM passes SIGTERM to the server's process
 * group. When the socket closes, when the host dies, and on SIGTERM, SIGINT and SIGHUP, the tree is
 * killed at once.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stdint.h>

#define GUARD_FD 3

enum guard_what {
    GUARD_STARTED = 1, /* value: its pid */
    GUARD_FAILED = 2,  /* value: errno of the step, one of enum guard_step in |step| */
    GUARD_EXITED = 3,  /* value: status as of waitpid() */
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
#define GUARD_PATIENCE_MS 2000 /* so long it waits for one that does not die of SIGKILL */

#endif
