/*
 * api.h - what the files that make up the public functions share.
 */
#ifndef CR_API_H
#define CR_API_H

#include "base/err.h"
#include "base/loop.h"
#include "caprun.h"
#include "capability/host.h"
#include "pool/pool.h"
#include "run/run_parts.h"

struct cr_route;

struct caprun_runtime {
    struct cr_loop loop;
    struct cr_pool pool;
    struct cr_pool_sizes given; /* 0: not given */
    struct cr_route *route;     /* to MCP servers; NULL: there are none */
    struct cr_config *config;   /* NULL: none was read */
    struct cr_capability_host capabilities;
    char *cache;                      /* for the route and the registries; NULL: none */
    const struct caprun_run *awaited; /* by caprun_run(), unless it was freed meanwhile */
    char missing[1024];
    struct cr_err err;
};

/* Returns 0, or CAPRUN_E_STATE and says so if |run| has started, and its loader is not at work. */
int cr_api_refuse_after_start(struct caprun_run *run);

#endif
