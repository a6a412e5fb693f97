/*
 * loader.h - loads a capability by name into a run; implements run/loader.h.
 *
 *     lockfile, registries -> check -> dependencies -> give -> pin (first use) -> record -> start
 *
 * The lockfile is read once, and nothing is fetched if the lockfile cannot be used. Any failure
 * becomes the outcome of the run. Loading does not block the loop.
 */
#ifndef CR_CAPABILITY_LOADER_H
#define CR_CAPABILITY_LOADER_H

#include "caprun.h"
#include "capability/host.h"
#include "capability/recording.h"

/*
 * Gives |run|, which has not started, a loader of the capability |name|, and frees its earlier
 * loader. |host| has a configuration and must outlive the run. Returns 0 or CAPRUN_E_NOMEM.
 */
int cr_loader_new(struct caprun_run *run, struct cr_capability_host *host, const char *name);

/*
 * Is |run| resumed from the journal of a capability? Then sets |ret|: what the run began with. The
 * loader of such a run accepts nothing else.
 */
bool cr_loader_recorded(const struct caprun_run *run, struct cr_pin *ret);

/* --- more for a run that has a loader ------------------------------------------------------- */

/* Starts recording before |run| starts; |recording| must stay valid until |run| has ended. */
void cr_loader_record(struct caprun_run *run, struct cr_recording *recording);

/*
 * Calls |checked| when the capability has passed all checks, before it starts; |meta| is valid
 * during that call. It must not end the run.
 */
void cr_loader_on_checked(struct caprun_run *run,
                          void (*checked)(void *data, const struct cr_metadata *meta), void *data);

/*
 * Sets the command-line options that follow "caprun lock --accept NAME" in hints. |options| must
 * outlive the run.
 */
void cr_loader_set_options(struct caprun_run *run, const char *options);

#endif
