/*
 * transfer.h - one HTTP request and its answer, through libcurl. Does not follow redirects. Blocks.
 *
 *     cr_transfer_init -> cr_transfer_perform, as often as needed -> cr_transfer_clear
 */
#ifndef CR_TRANSFER_H
#define CR_TRANSFER_H

#include "http/head.h"
#include "http/http.h"
#include "http/lib.h"
#include "http/url.h"

/* Why transfer.c stopped a transfer. */
enum cr_transfer_stop {
    CR_TRANSFER_GOES_ON,
    CR_TRANSFER_STALLED,
    CR_TRANSFER_LATE,
    CR_TRANSFER_LONG_HEAD,
    CR_TRANSFER_LONG_BODY,
    CR_TRANSFER_ENCODED, /* encoded more than once, or in a way that was not asked for */
    CR_TRANSFER_MEMORY,
};

struct cr_transfer {
    /* The request; set by the caller. */
    struct cr_http_limits limits;
    char url[CR_URL_MAX + 1];
    const char *accept;
    const char *etag;                                                /* may be NULL or "" */
    size_t max;                                                      /* of the body, in bytes */
    int64_t deadline_us;                                             /* of cr_transfer_now() */
    void (*progress)(const char *url, uint64_t got, uint64_t total); /* may be NULL */

    /* The answer. */
    struct cr_http_head head;
    struct cr_buf body; /* of a 200; other bodies are not read */
    enum cr_transfer_stop stop;
    int64_t last_byte_us;         /* when the last byte came; 0: not connected yet */
    char reason[CURL_ERROR_SIZE]; /* the message for libcurl's code */

    /* Private. */
    const struct cr_http_lib *lib;
    CURLM *multi; /* keeps connections from one transfer to the next */
    CURL *easy;
    int64_t started_us, reported_us;
};

/* Microseconds on the monotonic clock. */
int64_t cr_transfer_now(void);

/* The caller sets the request afterwards. Returns 0, or an error if there is no libcurl. */
int cr_transfer_init(struct cr_transfer *t, size_t max, struct cr_err *err);
void cr_transfer_clear(struct cr_transfer *t);

/* Drops the last answer, and performs the request. Check |stop| first, then libcurl's code. */
CURLcode cr_transfer_perform(struct cr_transfer *t);

/* Calls progress(), if it is set and enough time has passed since the last call. */
void cr_transfer_report_progress(struct cr_transfer *t);

#endif
