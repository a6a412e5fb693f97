/*
 * http.h - GET, each by a program of its own, caprun-fetch, which opens libcurl.
 *
 * What a server or a proxy sends can keep libcurl, and the libraries that it needs for TLS, busy
 * for as long as the server likes, and may meet mistakes in them. So they are not in this process:
 * it starts the program, reads what it says, and kills it when its time is over. Nothing of that
 * waits in the loop's thread. Requests run side by side, CR_HTTP_AT_ONCE of them; others wait for
 * these.
 *
 *     cr_http_init -> cr_http_start -> progress() ... done()    -> cr_http_clear
 *                                  \-> cr_http_cancel()
 *
 * Everything that a server can do is bounded: bytes, after decompression too, headers, redirects,
 * and time. A redirect may lead to the same scheme or a safer one, never elsewhere. No cookies, no
 * credentials, no files: http and https only, HTTP/1.1. What fails for a reason that may pass (no
 * connection, a cut answer, 429, 502, 503, 504) is tried again, after a pause that grows, or as
 * long as the server asks for; what will not (a certificate, a stall, any other status) is not.
 *
 * The program gets the variables for proxies, which libcurl reads, and SSL_CERT_FILE: a file of
 * authorities to trust instead of the system's.
 */
#ifndef CR_HTTP_H
#define CR_HTTP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"

#define CR_HTTP_AT_ONCE 32 /* each takes two descriptors */

struct cr_http_limits {
    uint32_t connect_ms; /* to connect, TLS included */
    uint32_t stall_ms;   /* without a byte */
    uint32_t total_ms;   /* for one request, with all its tries and pauses */
    uint32_t pause_ms;   /* before the second try; doubles */
    int tries;
};

struct cr_http {
    struct cr_http_limits limits; /* cr_http_init() fills them */
    struct cr_loop *loop;
    char program[PATH_MAX];                /* the path of caprun-fetch */
    struct cr_http_list {
        struct cr_http_request *first, **last;
    } waiting, started; /* started: until their program is reaped */
    unsigned running;   /* programs */
    int alive, their_alive; /* a pipe that ends all of them when the first is closed; -1: not yet */
};

struct cr_http_answer {
    long status;        /* 200, 304, 404, 410 */
    struct cr_buf body; /* of a 200; its ceiling leaves room for a NUL behind it */
    char etag[256];     /* "" if there was none, one that is too long, or that of a redirect */
    int64_t max_age_s;  /* of Cache-Control; 0 if it may not be used unasked, -1: not said */
    bool no_store;      /* after redirects this and max_age_s are the strictest of all answers */
};

/* What is asked for, and who hears of it. Texts are copied. */
struct cr_http_ask {
    const char *url;
    const char *accept; /* the header of that name */
    const char *etag;   /* not NULL, not "": a 304 may come back */
    size_t max;         /* of the body, in bytes */
    int tries;          /* 0: as many as the client says */
    /*
     * Ten times a second while it goes on; |total| is 0 if it is not known. May cancel the request.
     * May be NULL.
     */
    void (*progress)(void *data, const char *url, uint64_t got, uint64_t total);
    /*
     * The end, in a step after cr_http_start(); the request is gone then. |answer| is there until
     * done() returns, and its body is the caller's, who clears it. NULL: |why| has an error:
     * REGISTRY_UNREACHABLE (no connection, no time, any other status; the words name URL, status or
     * reason, and how often it was tried), METADATA_INVALID (not a URL, a body that is too
     * long, a redirect that is not followed), INTERNAL (no libcurl: how to get it; no memory).
     */
    void (*done)(void *data, struct cr_http_answer *answer, const struct cr_err *why);
    void *data;
};

/* |loop| has to outlive it. The caller sets |program| before the first request. */
void cr_http_init(struct cr_http *http, struct cr_loop *loop);

/* Ends all programs. All requests have to be over, or cancelled. */
void cr_http_clear(struct cr_http *http);

/* Returns the request, until done() is called or it is cancelled; or NULL: no memory. */
struct cr_http_request *cr_http_start(struct cr_http *http, const struct cr_http_ask *ask);

/*
 * Stops |request|, and done() is not called. |why|, which may be NULL, becomes CANCELLED, with what
 * was stopped.
 */
void cr_http_cancel(struct cr_http_request *request, struct cr_err *why);

#endif
