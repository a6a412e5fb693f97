/*
 * probe.h - the host's side of the probe, a zygote whose workers attack the sandbox.
 *
 * The program is the ordinary worker's, with the argument "probe" (runtime/probe.h). The host talks
 * to it without the loop: every function here waits, with a timeout.
 */
#ifndef CR_PROBE_H
#define CR_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "probe_map.h"
#include "wire.h"

#define CR_PROBE_NOT_TOLD (-1)
#define CR_PROBE_SURVIVED (-2)

struct cr_probe {
    pid_t program;
    int control, listener, zygote; /* the last is a pidfd */
    bool greeted;
    uint32_t refused; /* 0, or the step that failed, with |error| */
    int error;
    uint8_t layers[WIRE_LAYERS]; /* as the zygote reports them: 0 or an errno */
    int stopped[PROBE_LAYERS];   /* 0, the errno, or CR_PROBE_NOT_TOLD */
};

/* A worker of the probe, which is ready and waits. */
struct cr_probe_worker {
    int socket, pidfd;
    uint32_t slot;
};

/*
 * Starts the program at |path|, with |uid_base| as for workers, and waits until it has greeted,
 * refused or ended. Returns 0 in all three cases; CAPRUN_E_SYS or CAPRUN_E_PEER if it cannot be
 * started, or sends an invalid packet. The caller calls cr_probe_end() in any case.
 */
int cr_probe_start(struct cr_probe *p, const char *path, uint32_t uid_base, struct cr_err *err);

/* Asks for a worker, and waits until it is ready. Returns 0, CAPRUN_E_SYS or CAPRUN_E_PEER. */
int cr_probe_fork(struct cr_probe *p, uint32_t slot, struct cr_probe_worker *ret,
                  struct cr_err *err);

/*
 * Makes |worker| try |attack|. *|ret_status| is how it ended, as from wait(), or CR_PROBE_SURVIVED.
 * Returns 0, CAPRUN_E_SYS or CAPRUN_E_PEER. |worker| is released.
 */
int cr_probe_attack(struct cr_probe *p, struct cr_probe_worker *worker, enum probe_call attack,
                    int *ret_status, struct cr_err *err);

/* Kills the zygote. Returns whether |worker| ended because of that alone. */
bool cr_probe_dies_with_zygote(struct cr_probe *p, const struct cr_probe_worker *worker);

void cr_probe_release(struct cr_probe_worker *worker);
void cr_probe_end(struct cr_probe *p);

#endif
