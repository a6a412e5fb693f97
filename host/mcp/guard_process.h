/*
 * guard_process.h - watches the guard of a server (guard/guard.h), a child process of the host:
 * detects its end, reaps it without blocking, and kills what a killed guard left behind.
 *
 * A guard that exits by itself has ended the whole tree before. A guard that is killed has not:
 * then the kernel kills the server (PR_SET_PDEATHSIG), and the host kills the rest of the server's
 * process group. A process that has left that group survives.
 *
 *     cr_guard_process_init -> cr_guard_process_started, once its server is known -> gone()
 *                           -> cr_guard_process_clear
 */
#ifndef CR_GUARD_PROCESS_H
#define CR_GUARD_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/loop.h"

struct cr_guard_process {
    struct cr_loop *loop;
    pid_t pid;             /* of the guard; 0: it is reaped */
    struct cr_watch ended; /* its pidfd; -1 if the kernel (or valgrind) does not support them */
    struct cr_timer again; /* without a pidfd: polls whether the guard has ended */
    pid_t server;          /* the leader of its process group; 0: not known */
    int server_pidfd;      /* or -1 */
    siginfo_t how;         /* the guard ended, from waitid(); all zeros if not known */
    /* The guard has ended, and is reaped. Called once, from the loop. May clear the struct. */
    void (*gone)(struct cr_guard_process *g);
};

/*
 * |pid| and |pidfd| come from struct cr_spawned; cr_guard_process_clear() closes the pidfd, also
 * after an error. Returns 0 or CAPRUN_E_SYS.
 */
int cr_guard_process_init(struct cr_guard_process *g, struct cr_loop *loop, pid_t pid, int pidfd,
                          void (*gone)(struct cr_guard_process *g), struct cr_err *err);

/* To be called when the guard has reported the start of |server|. */
void cr_guard_process_started(struct cr_guard_process *g, pid_t server);

/* The loop cannot watch the guard: polls for its end, from the next turn on. */
void cr_guard_process_unwatch(struct cr_guard_process *g);

/*
 * The guard has closed its socket, or was killed: without a pidfd, polls for its end from now on.
 */
void cr_guard_process_expect(struct cr_guard_process *g);

void cr_guard_process_kill(struct cr_guard_process *g);

/* Blocks until the guard has ended: not for a turn of the loop. gone() is not called. */
void cr_guard_process_wait(struct cr_guard_process *g);

/* Stops watching. Only after gone() or cr_guard_process_wait(). */
void cr_guard_process_clear(struct cr_guard_process *g);

#endif
