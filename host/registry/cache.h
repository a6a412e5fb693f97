/*
 * cache.h - keeps downloads on disk: one file for each URL.
 *
 * A file contains what is needed to use the body without the server, or to ask the server if it is
 * still valid: the URL, the ETag, how long it is fresh, the length and the SHA-256 of the body;
 * then the body. It is written to a temporary file and renamed, so that readers see only complete
 * files, even after a crash. A damaged or changed file is ignored, and the URL is fetched again.
 * Each writer also removes the oldest files over 4,096 files or 512 MiB, and temporary files of
 * crashes after a day.
 *
 *     cr_cache_find -> fresh: use it
 *                   -> the caller asks the server -> cr_cache_settle -> the caller checks it
 *                                                                    -> cr_cache_keep
 *
 * All functions block on the disk: they are not for the loop's thread.
 */
#ifndef CR_CACHE_H
#define CR_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "http/http.h"
#include "registry/entry.h"

struct cr_cache {
    int dir;         /* -1: nothing is kept */
    bool always_ask; /* ask the server even if the cached file is fresh */
};

/* What to look for in the cache. */
struct cr_cache_want {
    const char *url, *accept;
    size_t max; /* bytes of the body */
};

/*
 * Opens the cache in the directory |path|; missing directories are created with mode 0700. If
 * |path| is NULL, cannot be created or used, or is writable by other users, nothing is kept, and
 * |ret_note|, of 256 bytes, says why ("" on success). Never fails.
 */
void cr_cache_open(struct cr_cache *cache, const char *path, char ret_note[256]);
void cr_cache_close(struct cr_cache *cache);

enum cr_cache_source {
    CR_CACHE_NET,     /* from the server, now */
    CR_CACHE_KEPT,    /* from the cache: fresh, or the server said that it is unchanged */
    CR_CACHE_OFFLINE, /* from the cache, because the server could not be reached */
};

struct cr_cache_found {
    struct cr_buf body;
    enum cr_cache_source source;
    char etag[256]; /* for NET, as the next two */
    int64_t max_age_s;
    bool no_store;
    char offline_reason[512]; /* for OFFLINE: why the server could not be reached */
};

/* The cached file, while the server is asked. */
struct cr_cache_kept {
    bool is_kept; /* false: the other fields are not valid */
    struct cr_entry entry;
    struct cr_buf body;
};

/*
 * Looks for |want|. Returns true if a fresh file is there: the caller frees the body of |ret|. Else
 * the caller asks the server about |kept|, and calls cr_cache_settle() or cr_cache_kept_clear().
 */
bool cr_cache_find(const struct cr_cache *cache, const struct cr_cache_want *want,
                   struct cr_cache_kept *kept, struct cr_cache_found *ret);
void cr_cache_kept_clear(struct cr_cache_kept *kept);

/* Fills the request for |want|, with the ETag of |kept|. */
void cr_cache_ask(const struct cr_cache_want *want, const struct cr_cache_kept *kept,
                  struct cr_http_ask *ret);

/*
 * Chooses what to use after the server was asked: |answer|, or if that is NULL, the error |why|.
 * Takes over |kept|, and the body of |answer|. Returns 0, and the caller frees the body of |ret|; 1
 * if the server has no such file (404, 410), and then the cached file is removed; or
 * CAPRUN_E_INVAL, with |why| unchanged, if no cached file can be used instead. A body from the
 * server is not kept yet: it must be checked first.
 */
int cr_cache_settle(const struct cr_cache *cache, const struct cr_cache_want *want,
                    struct cr_cache_kept *kept, struct cr_http_answer *answer,
                    const struct cr_err *why, struct cr_cache_found *ret);

/* Keeps |body|, the body of |found|, if it came from the server and may be stored. */
void cr_cache_keep(const struct cr_cache *cache, const struct cr_cache_want *want,
                   const struct cr_cache_found *found, const struct cr_buf *body);

/*
 * Calls |name| for each cached URL that begins with |base|, with the rest after |base|. No network.
 */
void cr_cache_list(const struct cr_cache *cache, const char *base,
                   void (*name)(void *data, const char *rest), void *data);

#endif
