/*
 * registry.h - from a name to a capability: the first registry that has it wins.
 *
 * A registry that cannot be asked ends the search: another one further down could have something
 * else under that name.
 *
 * Loading does not block the loop: directories and the cache are read and written, and what came is
 * parsed and hashed, by the helper for disks; URLs are fetched on the loop.
 */
#ifndef CR_REGISTRY_H
#define CR_REGISTRY_H

#include "base/buf.h"
#include "base/err.h"
#include "http/http.h"
#include "registry/cache.h"
#include "registry/lockfile.h"
#include "registry/metadata.h"

/* Where to look. All of it is the caller's. */
struct cr_registry {
    const char *const *sources; /* directories and URLs */
    size_t count;
    struct cr_http *http;
    const char *cache_dir; /* where what came from URLs is kept; NULL: nowhere */
    bool always_ask;       /* the server, also about what may be used unasked */
};

struct cr_capability {
    struct cr_metadata meta;
    struct cr_buf code;       /* the bytes that were hashed */
    struct cr_pin pin;        /* what it is now */
    char *source;             /* the registry that had it */
    char offline_reason[512]; /* why it came from the cache alone, or "" */
    char cache_note[256];     /* why nothing is kept of what comes from URLs, or "" */
};

void cr_capability_clear(struct cr_capability *capability);

/* Who hears of a load, in steps of the loop. */
struct cr_registry_listener {
    /* As in struct cr_http_ask; may be NULL. */
    void (*progress)(void *data, const char *url, uint64_t got, uint64_t total);
    /*
     * The end; the load is gone then. |capability| is the caller's, who copies and clears it; NULL:
     * there is a problem, |why|: NOT_FOUND (with the nearest name that is known),
     * REGISTRY_UNREACHABLE, METADATA_INVALID, INTEGRITY_MISMATCH, VALIDATION_ERROR, INTERNAL.
     */
    void (*done)(void *data, struct cr_capability *capability, const struct cr_err *why);
    void *data;
};

/*
 * Gets the capability that |want| names, and checks its code against the metadata's `integrity`.
 * |registry|, less its |http|, and |want| are copied. Returns the load, until done() is called or
 * it is cancelled; or NULL: no memory.
 */
struct cr_registry_load *cr_registry_load(const struct cr_registry *registry,
                                          const struct cr_fqdn *want,
                                          const struct cr_registry_listener *listener);

/* Stops |load|; done() is not called. |why|, which may be NULL, becomes CANCELLED. */
void cr_registry_cancel(struct cr_registry_load *load, struct cr_err *why);

/*
 * Calls |each| with every name that is known without a network: of directories, and of what was
 * fetched before. Names may come twice. Reads disks: not for the loop's thread.
 */
void cr_registry_list(const struct cr_registry *registry,
                      void (*each)(void *data, const struct cr_fqdn *name), void *data);

#endif
