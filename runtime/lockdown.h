/*
 * lockdown.h - sandboxes the zygote and its workers: drops privileges, in the order that works.
 *
 * The zygote calls crw_lockdown_zygote() once; every worker inherits the result at no cost. A
 * worker calls crw_lockdown_worker() after the fork; then it can only read and write descriptor 3
 * and exit. If a required step fails, the zygote refuses to run. If an optional layer fails, the
 * zygote reports it, and the host decides.
 */
#ifndef CRW_LOCKDOWN_H
#define CRW_LOCKDOWN_H

#include <stdint.h>

#include "wire.h"

/* The zygote learns here that a worker ended (a signalfd), and that the host ended (its pidfd). */
#define CRW_LOCKDOWN_SIGNAL_FD 4
#define CRW_LOCKDOWN_HOST_FD 5

/*
 * Steps of the zygote up to no_new_privs and Landlock. Forks, and returns in the child, which
 * becomes the zygote; the parent exits. |warm| is called in the child, to do slow work while the
 * parent makes the namespaces. |uid_base| is the first uid that a zygote started by root may use,
 * or 0 for the default range; a zygote of another user ignores it. |layers| gets 0 or an errno for
 * each layer. If a required step fails, tells the host why, and exits.
 */
void crw_lockdown_zygote(void (*warm)(void), uint32_t uid_base, uint8_t layers[WIRE_LAYERS]);

/* Loads the zygote's own filter, after the engine is warm. Also tests whether the clock works. */
void crw_lockdown_zygote_filter(uint8_t layers[WIRE_LAYERS]);

/* Tells the host that |step| failed with |error|, and exits. */
_Noreturn void crw_lockdown_refuse(enum wire_step step, int error);

/*
 * Locks down a worker: |socket| becomes its only descriptor, it dies with |parent|, has resource
 * limits, an arena of |memory| bytes and the strict filter. Exits if any step fails.
 */
void crw_lockdown_worker(int socket, int parent, uint64_t memory, uint32_t cpu_s);

#endif
