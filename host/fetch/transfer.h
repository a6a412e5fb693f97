/*
 * transfer.h - one request and its answer, through libcurl. Redirects are not followed. It blocks.
 *
 *     cr_transfer_init -> cr_transfer_perform, as often as needed -> cr_transfer_clear
 */
#ifndef CR_TRANSFER_H
#define CR_TRANSFER_H

#include "http/head.h"
#include "http/http.h"
#include "http/lib.h"
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
    struct cr_http_limits limits;
    char url[CR_URL_MAX + 1];
    const char *accept;
    const char *etag;                                                /* may be NULL or "" */
    size_t max;                                                      /* of the body, in bytes */
    int64_t deadline_us;                                             /* of cr_transfer_now() */
    void (*progress)(const char *url, uint64_t got, uint64_t total); /* may be NULL */

    /* What came. */
    struct cr_http_head head;
    struct cr_buf body; /* of a 200; any other is not read */
    enum cr_transfer_stop stop;
    int64_t heard_us;             /* when the last byte came; 0: not connected yet */
    char reason[CURL_ERROR_SIZE]; /* words for the code that it ended with */

    /* Its own. */
    const struct cr_http_lib *lib;
    CURLM *multi; /* keeps connections from one transfer to the next */
    CURL *easy;
    int64_t started_us, told_us;
};

/* Microseconds on the monotonic clock. */
int64_t cr_transfer_now(void);

/* The caller fills what is asked for. Returns 0, or an error if there is no libcurl. */
int cr_transfer_init(struct cr_transfer *t, size_t max, struct cr_err *err);
void cr_transfer_clear(struct cr_transfer *t);

/* Forgets the last answer, and asks. Look at |stop| first, then at libcurl's code. */
CURLcode cr_transfer_perform(struct cr_transfer *t);

/* Tells the progress, if it is wanted and time has passed since it was told last. */
void cr_transfer_report_progress(struct cr_transfer *t);

#endif
