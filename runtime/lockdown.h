/*
 * lockdown.h - how a process gives up everything, in the order in which that works.
 *
 * The zygote calls crw_lockdown_zygote() once; what it gives up there every worker inherits, for
 * nothing. A worker calls crw_lockdown_worker() after it was forked, and then can read and write
 * descriptor 3 and leave. A step without which nothing may run ends in a refusal; any other is
 * recorded, and the host decides.
 */
#ifndef CRW_LOCKDOWN_H
#define CRW_LOCKDOWN_H

#include <stdint.h>

#include "wire.h"

/* Where the zygote hears that a worker has ended, and that the host has: its pidfd. */
#define CRW_LOCKDOWN_SIGNAL_FD 4
#define CRW_LOCKDOWN_HOST_FD 5

/*
 * Steps of the zygote up to no_new_privs and Landlock. Forks, and returns in the child, which is to
 * be the zygote; the parent leaves. |warm| is called in the child, to do what takes time while the
 * parent makes the namespaces. |uid_base| is the first of the uids that root uses here, or 0 for
 * those that it uses elsewhere; nobody else heeds it. |layers| gets 0 or an errno for each layer.
 * On a refusal it tells the host why, and leaves.
 */
void crw_lockdown_zygote(void (*warm)(void), uint32_t uid_base, uint8_t layers[WIRE_LAYERS]);

/* The zygote's own filter, after the engine is warm. Also finds out whether there is a clock. */
void crw_lockdown_zygote_filter(uint8_t layers[WIRE_LAYERS]);

/* Tells the host that |step| failed with |error|, and leaves. */
_Noreturn void crw_lockdown_refuse(enum wire_step step, int error);

/*
 * In a worker, with |socket| as its socket: one descriptor, dies with |parent|, limits, an arena
 * of |memory| bytes, the strict filter. Leaves if any of it fails.
 */
void crw_lockdown_worker(int socket, int parent, uint64_t memory, uint32_t cpu_s);

#endif
