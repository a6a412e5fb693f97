/*
 * registry.h - loads a capability by name from the first registry that has it.
 *
 * A registry that cannot be read ends the search with an error: a later registry could have a
 * different capability of the same name.
 *
 * Loading does not block the loop: the helper thread for slow jobs reads directories, reads and
 * writes the cache, and parses and hashes the data; the loop fetches URLs.
 */
#ifndef CR_REGISTRY_H
#define CR_REGISTRY_H

#include "base/buf.h"
#include "base/err.h"
#include "http/http.h"
#include "registry/cache.h"
#include "registry/lockfile.h"
#include "registry/metadata.h"

/* Where to look. The caller owns everything in it. */
struct cr_registry {
    const char *const *sources; /* directories and URLs */
    size_t count;
    const bool *dev; /* for each: is it a directory in development? NULL: none is */
    struct cr_http *http;
    const char *cache_dir; /* where downloads are cached; NULL: they are not */
    bool always_ask;       /* ask the server even if a cached file is fresh */
    bool offline;          /* ask no server: use only what is cached */
    bool is_for_display;   /* only to show it: also load what this version cannot run */
};

struct cr_capability {
    struct cr_metadata meta;
    struct cr_buf code;       /* the bytes that were hashed */
    struct cr_pin pin;        /* its current name and hashes */
    char *source;             /* the registry that it came from */
    bool in_development;      /* that is in development, and it is this user's alone */
    char not_own[512];        /* why it is not used as one in development, or "" */
    char offline_reason[512]; /* why the cache was used instead of the server, or "" */
    char cache_note[256];     /* why downloads are not cached, or "" */
};

void cr_capability_clear(struct cr_capability *capability);

/* Callbacks of a load, called from the loop. */
struct cr_registry_listener {
    /* As in struct cr_http_ask; may be NULL. */
    void (*progress)(void *data, const char *url, uint64_t got, uint64_t total);
    /*
     * The end of the load, which is freed then. The callback copies |capability|, and clears the
     * copy later. NULL: failed with |why|: NOT_FOUND (with the most similar known name),
     * REGISTRY_UNREACHABLE, METADATA_INVALID, INTEGRITY_MISMATCH, VALIDATION_ERROR, INTERNAL.
     */
    void (*done)(void *data, struct cr_capability *capability, const struct cr_err *why);
    void *data;
};

/*
 * Loads the capability |want|, and checks its code against the metadata's `integrity`. |want| and
 * |registry| are copied, except for its |http|. Returns the load, valid until done() is called or
 * it is cancelled; or NULL if there is no memory.
 */
struct cr_registry_load *cr_registry_load(const struct cr_registry *registry,
                                          const struct cr_fqdn *want,
                                          const struct cr_registry_listener *listener);

/* Stops |load|; done() is not called. Sets |why|, which may be NULL, to CANCELLED. */
void cr_registry_cancel(struct cr_registry_load *load, struct cr_err *why);

/* Receives the names of a listing. */
struct cr_registry_reader {
    void (*each)(void *data, const struct cr_fqdn *name);
    /* A file of a directory that looks like a capability with an invalid name; may be NULL. */
    void (*stray)(void *data, const char *file, const char *wrong);
    void *data;
};

/*
 * Lists every name that is known without network access: from directories, and from the cache. A
 * name may come twice. Blocks on the disk: not for the loop's thread. Returns 0; or NOT_FOUND if a
 * directory cannot be opened, after the other registries.
 */
int cr_registry_list(const struct cr_registry *registry, const struct cr_registry_reader *reader,
                     struct cr_err *why);

#endif
