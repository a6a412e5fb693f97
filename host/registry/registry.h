/*
 * registry.h - from a name to a capability: the first registry that has it wins.
 *
 * A registry that cannot be asked ends the search: another one further down could have something
 * else under that name.
 */
#ifndef CR_REGISTRY_H
#define CR_REGISTRY_H

#include "base/buf.h"
#include "base/problem.h"
#include "registry/cache.h"
#include "http/http.h"
#include "registry/lockfile.h"
#include "registry/metadata.h"

struct cr_registry {
    const char *const *sources; /* directories and URLs */
    size_t count;
    struct cr_http *http;
    struct cr_cache *cache;
};

struct cr_capability {
    struct cr_metadata meta;
    struct cr_buf code;       /* the bytes that were hashed */
    struct cr_pin pin;        /* what it is now */
    const char *source;       /* the registry that had it */
    char offline_reason[512]; /* why it came from the cache alone, or "" */
};

/*
 * Gets the capability that |want| names, and checks its code against the metadata's `integrity`.
 * Returns 0, and the caller ends it with cr_capability_clear(); or a problem: NOT_FOUND (with the
 * nearest name that is known), REGISTRY_UNREACHABLE, METADATA_INVALID, INTEGRITY_MISMATCH,
 * VALIDATION_ERROR, CANCELLED, INTERNAL.
 */
int cr_registry_load(const struct cr_registry *registry, const struct cr_fqdn *want,
                     struct cr_capability *ret, struct cr_problem *why);
void cr_capability_clear(struct cr_capability *capability);

/*
 * Calls |each| with every name that is known without a network: of directories, and of what was
 * fetched before. Names may come twice.
 */
void cr_registry_list(const struct cr_registry *registry,
                      void (*each)(void *data, const struct cr_fqdn *name), void *data);

#endif
