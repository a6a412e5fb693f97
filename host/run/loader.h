/*
 * loader.h - the interface to capability/, which gets the code of a run after its start.
 *
 * A run without a loader has its code before it starts. While the run is LOADING it has no worker
 * and no time limit. The loader gives it what it needs, and calls cr_run_start(), or cr_run_end()
 * if the code cannot be loaded. Both happen in a step of the loop.
 */
#ifndef CR_LOADER_H
#define CR_LOADER_H

#include "caprun.h"

struct cr_loader {
    /* The run is LOADING from now on. Does not end the run before this returns. */
    void (*begin)(struct cr_loader *loader, struct caprun_run *run);
    /* The run ends while it is LOADING: stops everything. May set the run's message. */
    void (*cancel)(struct cr_loader *loader, struct caprun_run *run);
    void (*free)(struct cr_loader *loader);
};

#endif
