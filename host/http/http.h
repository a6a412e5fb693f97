/*
 * http.h - GET, through libcurl, which is opened when the first URL is needed.
 *
 * Everything that a server can do is bounded: bytes, after decompression too, headers, redirects,
 * and time. A redirect may lead to the same scheme or a safer one, never elsewhere. No cookies, no
 * credentials, no files: http and https only. What fails for a reason that may pass (no
 * connection, a cut answer, 429, 502, 503, 504) is tried again, after a pause that grows, or as
 * long as the server asks for; what will not (a certificate, a stall, any other status) is not.
 *
 * Of the environment the variables for proxies are read, by libcurl, and SSL_CERT_FILE: a file of
 * authorities to trust instead of the system's.
 */
#ifndef CR_HTTP_H
#define CR_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/problem.h"

struct cr_http {
    /* How long, in ms; cr_http_init() fills them. */
    uint32_t connect_ms; /* to connect, TLS included */
    uint32_t stall_ms;   /* without a byte */
    uint32_t total_ms;   /* for one cr_http_get(), with all its tries and pauses */
    uint32_t pause_ms;   /* before the second try; doubles */
    int tries;

    /*
     * Called ten times a second or more while something is fetched; |total| is 0 if nobody knows.
     * Not 0: stop, and the outcome is CANCELLED. May be NULL.
     */
    int (*tick)(void *data, const char *url, uint64_t got, uint64_t total);
    void *tick_data;

    struct cr_http_lib *lib; /* NULL: not opened yet */
};

struct cr_http_answer {
    long status;        /* 200, 304, 404, 410 */
    struct cr_buf body; /* of a 200; its ceiling leaves room for a NUL behind it */
    char etag[256];     /* "" if there was none, one that is too long, or that of a redirect */
    int64_t max_age_s;  /* of Cache-Control; 0 if it may not be used unasked, -1: not said */
    bool no_store;      /* after redirects this and max_age_s are the strictest of all answers */
};

void cr_http_init(struct cr_http *http);
void cr_http_clear(struct cr_http *http);

/* Is |text| a URL that cr_http_get() would take? */
bool cr_http_is_url(const char *text);

/*
 * Gets |url|. |accept| is the header of that name; with |etag| (not NULL, not "") a 304 may come
 * back. |max| bounds the body.
 *
 * Returns 0, with a status of 200, 304, 404 or 410, and the caller frees the body; or an error:
 * REGISTRY_UNREACHABLE (no connection, no time, any other status; the words name URL, status or
 * reason, and how often it was tried), METADATA_INVALID (a URL that is none, a body that is too
 * long, a redirect that is not followed), CANCELLED, INTERNAL (no libcurl: how to get it).
 */
int cr_http_get(struct cr_http *http, const char *url, const char *accept, const char *etag,
                size_t max, struct cr_http_answer *ret, struct cr_problem *why);

/*
 * Appends what |reference| means, found in |base|, which is read as if it ended in "/". Returns 0,
 * or METADATA_INVALID if either is no URL, or the scheme would be a less safe one.
 */
int cr_http_resolve(struct cr_http *http, const char *base, const char *reference,
                    struct cr_buf *ret, struct cr_problem *why);

#endif
