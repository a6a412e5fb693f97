/*
 * loader.h - a name becomes a run: what is behind run/loader.h.
 *
 *     lockfile, registries -> check -> dependencies -> give -> pin, at its first use -> record ->
 * start
 *
 * The lockfile is read once, and nothing is fetched if it cannot be used. Whatever is wrong is the
 * run's outcome. Nothing of it blocks the loop.
 */
#ifndef CR_CAPABILITY_LOADER_H
#define CR_CAPABILITY_LOADER_H

#include "caprun.h"
#include "capability/host.h"
#include "capability/recording.h"

/*
 * Gives |run|, which has not started, a loader of the capability |name|; |host| has a configuration
 * and outlives the run. Another one that the run had is gone. Returns 0 or CAPRUN_E_NOMEM.
 */
int cr_loader_new(struct caprun_run *run, struct cr_capability_host *host, const char *name);

/* --- more for a run that has a loader ------------------------------------------------------- */

/* It goes on, with its journal, and has to be what |pin| says. */
void cr_loader_expect(struct caprun_run *run, const struct cr_pin *pin);

/* Before it starts it is recorded; |recording| is there until the run has ended. */
void cr_loader_record(struct caprun_run *run, struct cr_recording *recording);

/*
 * What hints that say "caprun lock --accept NAME" have behind that: options of the command line.
 * Has to outlive the run.
 */
void cr_loader_set_options(struct caprun_run *run, const char *options);

#endif
