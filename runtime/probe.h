/*
 * probe.h - attacks the sandbox from inside, for `caprun doctor`.
 *
 * A probe is this same program, started with the argument "probe". It locks itself down and forks
 * workers as usual, but a worker gets the number of an attack instead of a job, and accepts only
 * that number. No other zygote or worker can become a probe.
 */
#ifndef CRW_PROBE_H
#define CRW_PROBE_H

#include <sys/types.h>

/* In the zygote, before its filter: attacks the other layers, and sends the host the results. */
void crw_probe_layers(pid_t host);

/* In a worker: reads the number of an attack, and tries it. Tells the host if it survives. */
_Noreturn void crw_probe_filter(void);

#endif
