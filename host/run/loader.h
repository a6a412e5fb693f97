/*
 * loader.h - gets the code of a run after its start: the door for capability/.
 *
 * capability/ is behind it. A run without a loader has its code before it starts. While the run is
 * LOADING it has no worker and no time limit; the loader then gives it what it needs, and calls
 * cr_run_start(), or cr_run_end() if that cannot be had. Both happen in a step of the loop.
 */
#ifndef CR_LOADER_H
#define CR_LOADER_H

#include "caprun.h"

struct cr_loader {
    /* The run is LOADING from now on. Does not end it before it returns. */
    void (*begin)(struct cr_loader *loader, struct caprun_run *run);
    /* The run ends while it is LOADING: stops all that goes on. May put words to it. */
    void (*cancel)(struct cr_loader *loader, struct caprun_run *run);
    void (*free)(struct cr_loader *loader);
};

#endif
