/*
 * host.h - what all capabilities of a runtime share: configuration, HTTP client, cache directory.
 */
#ifndef CR_CAPABILITY_HOST_H
#define CR_CAPABILITY_HOST_H

#include <stdbool.h>

#include "caprun.h"
#include "config/config.h"
#include "http/http.h"
#include "policy/policy.h"
#include "registry/registry.h"

/* Part of the runtime. */
struct cr_capability_host {
    const struct cr_config *config; /* NULL: not set yet */
    const char *cache_dir;          /* NULL: downloads are not cached */
    bool frozen;                    /* the first use pins nothing */
    bool is_alone; /* no other run is active during a load: blocking is fine, no thread needed */
    void (*lock_is_good)(void *data); /* called when the lockfile was read; may be NULL */
    void *data;                       /* passed to lock_is_good() */
    struct cr_http http;
};

/* Returns the registries of the configuration; valid as long as |host|. */
struct cr_registry cr_capability_host_registry(struct cr_capability_host *host);

/* Notes in the envelope of |run| if the environment has accepted |config|, not a person. */
void cr_capability_host_note_trust(struct caprun_run *run, const struct cr_config *config);

/* Parses the name of a capability, without any I/O. Returns 0, or INVALID_FQDN. */
int cr_capability_host_parse(const char *text, struct cr_fqdn *ret, struct cr_err *why);

/*
 * For the command-line program, which needs more than the public functions; they are in
 * host/api_servers.c. The first returns the host of |rt|. The second is caprun_set_config() for a
 * |config| that was already read, and changed by command-line options; |config| is taken over, even
 * on failure. Returns 0 or CAPRUN_E_NOMEM, CAPRUN_E_INVAL or CAPRUN_E_STATE.
 */
struct cr_capability_host *cr_capability_host_of(struct caprun_runtime *rt);
int cr_capability_host_configure(struct caprun_runtime *rt, struct cr_config *config);

/* The permissions of |rt|: those of its configuration, and what caprun_permit() has added. */
struct cr_policy *cr_capability_host_policy(struct caprun_runtime *rt);

/* What cr_route_remember() does. */
int cr_capability_host_remember(struct caprun_runtime *rt, const struct cr_config *file,
                                const char *id, bool is_own, struct cr_err *err);

#endif
