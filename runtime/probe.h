/*
 * probe.h - attacks from inside, for `caprun doctor`.
 *
 * A probe is this very program, started with the argument "probe": it locks itself down and forks
 * workers like any other, but a worker, instead of a job, gets the number of an attack. What it can
 * be told is that number and nothing else. No other zygote or worker can become a probe.
 */
#ifndef CRW_PROBE_H
#define CRW_PROBE_H

#include <sys/types.h>

/* In the zygote, before its filter: attacks the other layers, and tells the host what each said. */
void crw_probe_layers(pid_t host);

/* In a worker: reads the number of an attack, and tries it. Says so if it survives. */
_Noreturn void crw_probe_filter(void);

#endif
