/* api.h - shared by the files that implement the public functions, api*.c. */
#ifndef CR_API_H
#define CR_API_H

#include "base/err.h"
#include "base/loop.h"
#include "caprun.h"
#include "capability/host.h"
#include "people/people.h"
#include "pool/pool.h"
#include "run/run_parts.h"

struct cr_audit;
struct cr_route;

struct caprun_runtime {
    struct cr_loop loop;
    struct cr_pool pool;
    struct cr_pool_sizes given; /* set by the application; 0: not set */
    struct cr_route *route;     /* to MCP servers; NULL: no servers are configured */
    struct cr_people people;
    struct cr_audit *audit;   /* NULL: nothing is audited */
    struct cr_config *config; /* NULL: no configuration was read */
    struct cr_capability_host capabilities;
    char *cache;                      /* directory for the route and the registries, or NULL */
    const struct caprun_run *awaited; /* caprun_run() waits for it; NULL if it was freed */
    char missing[1024];
    struct cr_err err;
};

/* Returns the gate of the configured servers, or NULL. */
struct cr_gate *cr_api_gate(struct caprun_runtime *rt);

/* Makes |path| absolute, so that a later chdir() does not change it. The file need not exist. */
int cr_api_make_absolute(const char *path, char **ret, struct cr_err *err);

/* Returns 0; or CAPRUN_E_STATE with a message if |run| has started, except in its loader. */
int cr_api_refuse_after_start(struct caprun_run *run);

#endif
