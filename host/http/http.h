/*
 * http.h - HTTP GET requests, each in a separate process: caprun-fetch, which uses libcurl.
 *
 * Untrusted data from a server or a proxy can keep libcurl, and the libraries that it needs for
 * TLS, busy for as long as the sender likes, and may exploit bugs in them. So they do not run in
 * this process: it starts the program, reads its messages, and kills it when the time is over. The
 * loop's thread never waits for that. CR_HTTP_AT_ONCE requests run at once; other requests wait.
 *
 *     cr_http_init -> cr_http_start -> progress() ... done()    -> cr_http_clear
 *                                  \-> cr_http_cancel()
 *
 * Everything that a server can do is bounded: bytes, after decompression too, headers, redirects,
 * and time. A redirect may lead to the same scheme or a safer one, never elsewhere. No cookies, no
 * credentials, no files: http and https only, HTTP/1.1. Failures that may pass (no connection, a
 * cut answer, 429, 502, 503, 504) are retried, after a pause that grows, or as long as the server
 * asks for. Other failures (a certificate, a stall, any other status) are not retried.
 *
 * The program gets the variables for proxies, which libcurl reads, and SSL_CERT_FILE: a file of
 * certificate authorities to trust instead of the system's.
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
    uint32_t stall_ms;   /* the longest time without a byte */
    uint32_t total_ms;   /* for one request, with all its tries and pauses */
    uint32_t pause_ms;   /* before the second try; doubles */
    int tries;
};

struct cr_http {
    struct cr_http_limits limits; /* cr_http_init() fills them */
    struct cr_loop *loop;
    char program[PATH_MAX]; /* the path of caprun-fetch */
    struct cr_http_list {
        struct cr_http_request *first, **last;
    } waiting, started;     /* started: until their program is reaped */
    unsigned running;       /* running programs */
    int alive, their_alive; /* a pipe: closing |alive| ends all programs; -1: not open yet */
};

struct cr_http_answer {
    long status;        /* 200, 304, 404, 410 */
    struct cr_buf body; /* of a 200; its ceiling leaves room for a NUL at the end */
    char etag[256];     /* "" if missing or too long, or after a redirect */
    int64_t max_age_s;  /* of Cache-Control; 0: not to be used without asking, -1: missing */
    bool no_store;      /* after redirects this and max_age_s are the strictest of all answers */
};

/* A request, and the callbacks of its owner. Texts are copied. */
struct cr_http_ask {
    const char *url;
    const char *accept; /* the header Accept */
    const char *etag;   /* if neither NULL nor "", a 304 may come back */
    size_t max;         /* of the body, in bytes */
    int tries;          /* 0: as many as in |limits| of the client */
    /*
     * Called ten times a second until the end; |total| is 0 if it is not known. May cancel the
     * request. May be NULL.
     */
    void (*progress)(void *data, const char *url, uint64_t got, uint64_t total);
    /*
     * Called once at the end, in a step after cr_http_start(); the request no longer exists.
     * |answer| is valid until done() returns, but the callback must clear its body. NULL: |why| has
     * an error: REGISTRY_UNREACHABLE (no connection, timeout, any other status; the message has
     * URL, status or reason, and the number of tries), METADATA_INVALID (not a URL, a body that is
     * too long, a redirect that is not followed), INTERNAL (no libcurl: how to get it; no memory).
     */
    void (*done)(void *data, struct cr_http_answer *answer, const struct cr_err *why);
    void *data;
};

/* |loop| must outlive |http|. The caller sets |program| before the first request. */
void cr_http_init(struct cr_http *http, struct cr_loop *loop);

/* Ends all programs. All requests must be over, or cancelled. */
void cr_http_clear(struct cr_http *http);

/* Returns the request, valid until done() is called or it is cancelled; or NULL: no memory. */
struct cr_http_request *cr_http_start(struct cr_http *http, const struct cr_http_ask *ask);

/*
 * Stops |request|; done() is not called. |why|, which may be NULL, becomes CANCELLED, with the URL
 * in the message.
 */
void cr_http_cancel(struct cr_http_request *request, struct cr_err *why);

#endif
