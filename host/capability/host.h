/*
 * host.h - what the capabilities of a runtime have in common: configuration, HTTP client, cache.
 */
#ifndef CR_CAPABILITY_HOST_H
#define CR_CAPABILITY_HOST_H

#include <stdbool.h>

#include "caprun.h"
#include "config/config.h"
#include "http/http.h"
#include "registry/registry.h"

/* Part of the runtime. */
struct cr_capability_host {
    const struct cr_config *config; /* NULL: there is none yet */
    const char *cache_dir;          /* NULL: nothing that comes from URLs is kept */
    bool frozen;                    /* nothing is pinned at its first use */
    bool is_alone; /* nothing else goes on while a run is loaded, so that no thread is needed */
    void (*lock_is_good)(void *data); /* the lockfile was read; may be NULL */
    void *data;                       /* of that */
    struct cr_http http;
};

/* The registries of the configuration; lives as long as |host|. */
struct cr_registry cr_capability_host_registry(struct cr_capability_host *host);

/*
 * Reads the name of a capability. Returns 0, or INVALID_FQDN; touches nothing but memory.
 */
int cr_capability_host_parse(const char *text, struct cr_fqdn *ret, struct cr_err *why);

/*
 * For the command, which has more to say than the public functions can; host/api_servers.c has
 * both. The first is the one of |rt|. The second is caprun_set_config() with a |config| that has
 * been read, and changed by the command line: it is taken over, also after a failure. Without
 * servers in it, calls go nowhere. Returns 0 or CAPRUN_E_NOMEM, CAPRUN_E_INVAL or CAPRUN_E_STATE.
 */
struct cr_capability_host *cr_capability_host_of(struct caprun_runtime *rt);
int cr_capability_host_configure(struct caprun_runtime *rt, struct cr_config *config);

#endif
