/*
 * transfer.h - one request and its answer, through libcurl. Redirects are not followed.
 *
 *     cr_transfer_init -> cr_transfer_start -> ended(), as often as needed -> cr_transfer_clear
 */
#ifndef CR_HTTP_TRANSFER_H
#define CR_HTTP_TRANSFER_H

#include "http/fetch.h"
#include "http/head.h"
#include "http/multi.h"
#include "http/url.h"

/* Why a transfer was stopped from here. */
enum cr_transfer_stop {
    CR_TRANSFER_GOES_ON,
    CR_TRANSFER_STALLED,
    CR_TRANSFER_LATE,
    CR_TRANSFER_LONG_HEAD,
    CR_TRANSFER_LONG_BODY,
    CR_TRANSFER_ENCODED, /* in more than one way, or in one that was not asked for */
    CR_TRANSFER_MEMORY,
};

struct cr_transfer {
    /* What is asked for; the caller's. */
    struct cr_fetcher *http; /* with its multi */
    char url[CR_URL_MAX + 1];
    const char *accept;
    const char *etag;    /* may be NULL or "" */
    size_t max;          /* of the body, in bytes */
    int64_t deadline_us; /* of cr_loop_now() */
    /* In a step: there is an answer, or none. Look at |stop| first, then at libcurl's |code|. */
    void (*ended)(struct cr_transfer *t, CURLcode code);

    /* What came. */
    struct cr_http_head head;
    struct cr_buf body; /* of a 200; any other is not read */
    enum cr_transfer_stop stop;
    int64_t heard_us;             /* when the last byte came; 0: not connected yet */
    char reason[CURL_ERROR_SIZE]; /* words for the code that it ended with */

    /* Its own. */
    struct cr_http_easy easy;
    struct curl_slist *headers;
    struct cr_timer limit; /* when it has stalled, or is late */
    int64_t started_us;
};

/* The caller fills the rest of what is asked for. */
void cr_transfer_init(struct cr_transfer *t, struct cr_fetcher *http, size_t max);

/* Stops it, if it goes on, without a word. */
void cr_transfer_clear(struct cr_transfer *t);

/*
 * Forgets the last answer, and asks. Returns CURLE_OK, and ended() follows; or what is wrong, and
 * it does not.
 */
CURLcode cr_transfer_start(struct cr_transfer *t);

/* How long the body will be; 0: not known. */
uint64_t cr_transfer_total(const struct cr_transfer *t);

#endif
