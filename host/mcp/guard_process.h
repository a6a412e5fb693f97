/*
 * guard_process.h - the guard of a server (guard/guard.h) as a child process of the host: the host
 * learns that it has ended, reaps it without waiting, and ends what a killed guard left behind.
 *
 * A guard that ends by itself has ended the whole tree before. One that is killed has not: the
 * kernel then kills the server (PR_SET_PDEATHSIG), and the host the rest of the server's process
 * group. A process that has left that group survives.
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
    pid_t pid;             /* 0: it is reaped */
    struct cr_watch ended; /* its pidfd; -1 where the kernel (or valgrind) has none */
    struct cr_timer again; /* without a pidfd: when to ask again whether it has ended */
    pid_t server;          /* which leads its process group; 0: not known */
    int server_pidfd;      /* or -1 */
    siginfo_t how;         /* it ended, as of waitid(); all zero if that is not known */
    /* It has ended, and is reaped. Comes once, from the loop. May clear the struct. */
    void (*gone)(struct cr_guard_process *g);
};

/*
 * |pid| and |pidfd| are those of struct cr_spawned; the pidfd is closed by
 * cr_guard_process_clear(), also after an error. Returns 0 or CAPRUN_E_SYS.
 */
int cr_guard_process_init(struct cr_guard_process *g, struct cr_loop *loop, pid_t pid, int pidfd,
                          void (*gone)(struct cr_guard_process *g), struct cr_err *err);

/* Its guard has reported that the server was started. */
void cr_guard_process_started(struct cr_guard_process *g, pid_t server);

/* Its end cannot be watched: the host asks for it, from the next turn on. */
void cr_guard_process_unwatch(struct cr_guard_process *g);

/* It has closed its socket, or was killed: without a pidfd, the host asks from now on. */
void cr_guard_process_expect(struct cr_guard_process *g);

void cr_guard_process_kill(struct cr_guard_process *g);

/* Waits until it has ended; not for a turn of the loop. gone() is not called. */
void cr_guard_process_wait(struct cr_guard_process *g);

/* Stops watching. The guard must have been waited for, or be gone. */
void cr_guard_process_clear(struct cr_guard_process *g);

#endif
