/*
 * cache.h - what was fetched, kept on disk: one file for each URL.
 *
 * A file has what is needed to use it without the server, and to ask whether it is still good: the
 * URL, the ETag, until when it may be used unasked, the length and the SHA-256 of the body; then
 * the body. It is written beside and renamed, so that readers, crashes and other processes see
 * whole files. One that is torn or changed is as good as none, and is fetched again. Whoever writes
 * also tidies: over 4,096 files or 512 MiB the oldest go, and after a day what crashes have left.
 *
 *     cr_cache_find -> it may be used unasked
 *                   -> the server is asked, elsewhere -> cr_cache_settle -> it is checked
 *                                                                        -> cr_cache_keep
 *
 * All functions read or write a disk: they are not for the loop's thread.
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
    bool always_ask; /* the server, also about what may be used unasked */
};

/* Something to be had through the cache. */
struct cr_cache_want {
    const char *url, *accept;
    size_t max; /* bytes of the body */
};

/*
 * Opens the cache in the directory |path| (made, with those above it, if it is not there; mode
 * 0700). NULL, or a directory that cannot be made or used, or that others can write: nothing is
 * kept, and |ret_note|, of 256 bytes, says why ("" if all is well). Never fails.
 */
void cr_cache_open(struct cr_cache *cache, const char *path, char ret_note[256]);
void cr_cache_close(struct cr_cache *cache);

enum cr_cache_source {
    CR_CACHE_NET,     /* from the server, now */
    CR_CACHE_KEPT,    /* kept, and still good: by its age, or the server said so */
    CR_CACHE_OFFLINE, /* kept, and the server could not be reached */
};

struct cr_cache_found {
    struct cr_buf body;
    enum cr_cache_source source;
    char etag[256]; /* of NET, as are the next two */
    int64_t max_age_s;
    bool no_store;
    char offline_reason[512]; /* of OFFLINE: why the server could not be asked */
};

/* What is there of it already, while the server is asked. */
struct cr_cache_kept {
    bool is_kept; /* else the rest means nothing */
    struct cr_entry entry;
    struct cr_buf body;
};

/*
 * Looks for |want|. Returns true if it may be used unasked, and the caller frees the body of
 * |ret|. Else the server has to be asked about |kept|, and cr_cache_settle() follows, or
 * cr_cache_kept_clear().
 */
bool cr_cache_find(const struct cr_cache *cache, const struct cr_cache_want *want,
                   struct cr_cache_kept *kept, struct cr_cache_found *ret);
void cr_cache_kept_clear(struct cr_cache_kept *kept);

/* Fills what the request for |want| needs to know of |kept|. */
void cr_cache_ask(const struct cr_cache_want *want, const struct cr_cache_kept *kept,
                  struct cr_http_ask *ret);

/*
 * What came of asking: |answer|, or if that is NULL, |why|. Takes |kept|, and the body of |answer|.
 * Returns 0, and the caller frees the body of |ret|; 1 if the server says that there is none (404,
 * 410), and then what was kept is forgotten; or CAPRUN_E_INVAL, with |why| as it is, where nothing
 * is kept that could be used instead. What came from the server is not kept yet: it may be no good.
 */
int cr_cache_settle(const struct cr_cache *cache, const struct cr_cache_want *want,
                    struct cr_cache_kept *kept, struct cr_http_answer *answer,
                    const struct cr_err *why, struct cr_cache_found *ret);

/* Keeps |body|, which is that of |found|, if it came from the server and may be kept. */
void cr_cache_keep(const struct cr_cache *cache, const struct cr_cache_want *want,
                   const struct cr_cache_found *found, const struct cr_buf *body);

/* Calls |name| with each URL that is kept and begins with |base|, less |base|. No network. */
void cr_cache_list(const struct cr_cache *cache, const char *base,
                   void (*name)(void *data, const char *rest), void *data);

#endif
