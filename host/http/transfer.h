/*
 * http_transfer.h - one request and its answer, through libcurl. Redirects are not followed.
 *
 *     cr_transfer_init -> cr_transfer_run, as often as needed -> cr_transfer_clear
 */
#ifndef CR_HTTP_TRANSFER_H
#define CR_HTTP_TRANSFER_H

#include "http/http.h"
#include "http/head.h"
#include "http/lib.h"

#define CR_TRANSFER_URL 2048
#define CR_TRANSFER_STEP_MS 100

/* Why a transfer was stopped from here. */
enum cr_transfer_stop {
    CR_TRANSFER_GOES_ON,
    CR_TRANSFER_CANCELLED,
    CR_TRANSFER_STALLED,
    CR_TRANSFER_LATE,
    CR_TRANSFER_LONG_HEAD,
    CR_TRANSFER_LONG_BODY,
    CR_TRANSFER_MEMORY,
};

struct cr_transfer {
    /* What is asked for; the caller's. */
    struct cr_http *http; /* with its lib */
    char url[CR_TRANSFER_URL + 1];
    const char *accept;
    const char *etag;    /* may be NULL or "" */
    size_t max;          /* of the body, in bytes */
    int64_t deadline_us; /* of cr_loop_now() */

    /* What came. */
    struct cr_http_head head;
    struct cr_buf body; /* of a 200; any other is not read */
    enum cr_transfer_stop stop;
    int64_t heard_us;             /* when the last byte came; 0: not connected yet */
    char reason[CURL_ERROR_SIZE]; /* words for the code that was returned */
};

/* The caller fills the rest of what is asked for. */
void cr_transfer_init(struct cr_transfer *t, struct cr_http *http, size_t max);
void cr_transfer_clear(struct cr_transfer *t);

/* Asks, and reads the answer. Returns libcurl's code; look at |stop| first. */
CURLcode cr_transfer_run(struct cr_transfer *t);

/* Tells http->tick() how far it is. Returns true if it wants the end. */
bool cr_transfer_is_cancelled(const struct cr_transfer *t, uint64_t total);

#endif
