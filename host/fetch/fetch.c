/*
 * fetch.c - does one GET in several tries. A try is one transfer, and one more for each redirect.
 *
 * Redirects are followed here and not by libcurl, so that each step is checked against the step
 * before.
 */
#include "fetch/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "fetch/transfer.h"
#include "http/url.h"

#define MOST_REDIRECTS 5

static const char unreachable_hint[] = "is the registry's address right, and is the network there?";

enum verdict {
    ANSWERED,
    REDIRECTED,
    AGAIN, /* it failed, in a way that may pass; |why| is set */
    FAILED,
};

struct fetch {
    const struct cr_fetch_ask *ask;
    struct cr_transfer t; /* the last transfer */
    struct cr_err why;
    int tried;

    /* Of this try. */
    int redirects;
    int64_t fresh_s; /* the shortest of all its answers */
    bool no_store;   /* at least one answer had no-store */
};

/* --- verdicts ------------------------------------------------------------------------------ */

/* " (tried 3 times)", or "" after the first try. */
static const char *show_tries(const struct fetch *r, char out[32])
{
    out[0] = '\0';
    if (r->tried > 1)
        (void)snprintf(out, 32, " (tried %d times)", r->tried);
    return out;
}

static enum verdict unreachable(struct fetch *r, enum verdict verdict, const char *hint,
                                const char *reason)
{
    char times[32];

    (void)cr_err_end(&r->why, CAPRUN_OUTCOME_REGISTRY_UNREACHABLE, hint,
                     "cannot reach \"%s\": %s%s", r->t.url, reason, show_tries(r, times));
    return verdict;
}

static enum verdict too_slow(struct fetch *r, const char *words, uint32_t limit_ms)
{
    char limit[32], reason[64];

    cr_units_show_duration(limit_ms, limit);
    (void)snprintf(reason, sizeof(reason), "%s %s", words, limit);
    return unreachable(r, FAILED, "the server is too slow, or the network is; try again later",
                       reason);
}

static enum verdict too_long(struct fetch *r, const char *what, size_t max)
{
    (void)cr_err_end(&r->why, CAPRUN_OUTCOME_METADATA_INVALID,
                     "this is not what a registry should send: is its address right?",
                     "%s \"%s\" is over %zu bytes", what, r->t.url, max);
    return FAILED;
}

static enum verdict judge_stop(struct fetch *r)
{
    switch (r->t.stop) {
    case CR_TRANSFER_STALLED:
        return too_slow(r, "nothing came for", r->ask->limits.stall_ms);
    case CR_TRANSFER_LATE:
        return too_slow(r, "not finished after", r->ask->limits.total_ms);
    case CR_TRANSFER_LONG_HEAD:
        return too_long(r, "the head of", CR_HTTP_HEAD_MAX);
    case CR_TRANSFER_LONG_BODY:
        return too_long(r, "what came from", r->t.max);
    case CR_TRANSFER_ENCODED:
        (void)cr_err_end(
            &r->why, CAPRUN_OUTCOME_METADATA_INVALID, "tell the operator of the registry",
            "what came from \"%s\" is encoded in a way that was not asked for", r->t.url);
        return FAILED;
    case CR_TRANSFER_MEMORY:
    case CR_TRANSFER_GOES_ON:
        break;
    }
    (void)cr_err_memory(&r->why);
    return FAILED;
}

static enum verdict judge_code(struct fetch *r, CURLcode code)
{
    /* an int, because each version of libcurl has other codes */
    switch ((int)code) {
    case CURLE_OK:
        if (r->t.head.done)
            return ANSWERED;
        return unreachable(r, AGAIN, unreachable_hint, "the answer ends in its head");
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return unreachable(r, AGAIN, unreachable_hint, r->t.reason);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return unreachable(r, FAILED,
                           "the server's certificate is not trusted here; the variable "
                           "SSL_CERT_FILE names a file of authorities that are",
                           r->t.reason);
    case CURLE_FILESIZE_EXCEEDED:
        return too_long(r, "what came from", r->t.max);
    case CURLE_BAD_CONTENT_ENCODING:
        (void)cr_err_end(&r->why, CAPRUN_OUTCOME_METADATA_INVALID,
                         "tell the operator of the registry",
                         "what came from \"%s\" cannot be unpacked: %s", r->t.url, r->t.reason);
        return FAILED;
    case CURLE_OUT_OF_MEMORY:
        /* libcurl also returns this for a line of the head that is too long */
        if (r->t.last_byte_us && !r->t.head.done)
            return too_long(r, "the head of", CR_HTTP_HEAD_MAX);
        (void)cr_err_memory(&r->why);
        return FAILED;
    case 100: /* CURLE_TOO_LARGE, which newer versions return for that */
        return too_long(r, "the head of", CR_HTTP_HEAD_MAX);
    default:
        return unreachable(r, FAILED, unreachable_hint, r->t.reason);
    }
}

static bool is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static enum verdict judge_status(struct fetch *r)
{
    long status = r->t.head.status;
    const char *words = cr_http_head_words(status);
    bool passes = status == 429 || status == 502 || status == 503 || status == 504;
    char times[32];

    if (status == 404 || status == 410 || (status == 304 && r->t.etag && r->t.etag[0]))
        return ANSWERED;
    if (is_redirect(status) && r->t.head.location[0])
        return REDIRECTED;
    (void)cr_err_end(&r->why, CAPRUN_OUTCOME_REGISTRY_UNREACHABLE,
                     status >= 500 || passes ? "the registry has trouble; try again later"
                                             : "is the registry's address right?",
                     "\"%s\" answered %ld%s%s%s", r->t.url, status, words[0] ? " " : "", words,
                     show_tries(r, times));
    return passes ? AGAIN : FAILED;
}

/*
 * If the status is not 200, only the status counts, not what happened to the body: libcurl checks
 * the length of the body before it reports the end of the head.
 */
static enum verdict judge(struct fetch *r, CURLcode code)
{
    if (r->t.stop == CR_TRANSFER_MEMORY)
        return judge_stop(r);
    if ((r->t.head.done || code == CURLE_FILESIZE_EXCEEDED) && r->t.head.status != 200)
        return judge_status(r);
    return r->t.stop ? judge_stop(r) : judge_code(r, code);
}

/* --- the end -------------------------------------------------------------------------------- */

static void take_answer(struct fetch *r, struct cr_http_answer *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->status = r->t.head.status;
    ret->body = r->t.body;
    cr_buf_init(&r->t.body, 0);
    ret->max_age_s = r->fresh_s;
    ret->no_store = r->no_store;
    if (r->redirects == 0)
        memcpy(ret->etag, r->t.head.etag, sizeof(ret->etag));
}

/* --- tries ---------------------------------------------------------------------------------- */

static void note_freshness(struct fetch *r)
{
    int64_t fresh_s = cr_http_head_fresh_s(&r->t.head);

    if (fresh_s < r->fresh_s)
        r->fresh_s = fresh_s;
    r->no_store = r->no_store || r->t.head.no_store;
}

/*
 * Sets the URL to the target of the redirect. Returns false if that is not allowed. An ETag belongs
 * to the URL that gave it: after a redirect none is sent, and none is kept.
 */
static bool follow(struct fetch *r)
{
    const char *location = r->t.head.location;
    struct cr_buf next;
    bool good;

    if (++r->redirects > MOST_REDIRECTS) {
        (void)cr_err_end(&r->why, CAPRUN_OUTCOME_METADATA_INVALID,
                         "tell the operator of the registry",
                         "\"%s\" redirects to \"%s\", which is the redirect number %d, and "
                         "%d are followed",
                         r->t.url, location, r->redirects, MOST_REDIRECTS);
        return false;
    }
    cr_buf_init(&next, sizeof(r->t.url));
    good = cr_url_join(r->t.lib, r->t.url, location, &next) && cr_buf_text(&next);
    if (good)
        memcpy(r->t.url, next.data, next.len + 1);
    else
        (void)cr_err_end(&r->why, CAPRUN_OUTCOME_METADATA_INVALID,
                         "redirects are followed to http and https, from https only to https, "
                         "and never with a user or a password",
                         "\"%s\" redirects to \"%s\", which is not followed", r->t.url, location);
    cr_buf_clear(&next);
    r->t.etag = NULL;
    return good;
}

/* Waits before the next try. Returns false, with |why| unchanged, if there must not be another. */
static bool pause_before_next(struct fetch *r)
{
    const struct timespec tick = {.tv_nsec = 20 * 1000 * 1000};
    int64_t now = cr_transfer_now();
    int64_t pause_ms = (int64_t)r->ask->limits.pause_ms << (r->tried - 1);
    int64_t until;

    pause_ms += pause_ms * (now & 0xff) / 0x400; /* clients that fail together retry apart */
    if (r->t.head.retry_after_s * 1000 > pause_ms)
        pause_ms = r->t.head.retry_after_s * 1000;
    until = now + pause_ms * 1000;
    if (r->tried >= r->ask->limits.tries || until >= r->t.deadline_us)
        return false;
    for (; cr_transfer_now() < until; cr_transfer_report_progress(&r->t))
        (void)nanosleep(&tick, NULL);
    return true;
}

static enum verdict try_once(struct fetch *r)
{
    const char *url = r->ask->url;
    enum verdict verdict;

    (void)snprintf(r->t.url, sizeof(r->t.url), "%.*s", (int)strcspn(url, "#"), url);
    r->t.etag = r->ask->etag;
    r->tried++;
    r->redirects = 0;
    r->fresh_s = INT64_MAX;
    r->no_store = false;
    do {
        verdict = judge(r, cr_transfer_perform(&r->t));
        note_freshness(r);
    } while (verdict == REDIRECTED && follow(r));
    return verdict == REDIRECTED ? FAILED : verdict;
}

static int fetch(struct fetch *r, struct cr_http_answer *ret)
{
    enum verdict verdict;

    if (!cr_url_is_http(r->ask->url))
        return cr_url_refuse(r->ask->url, &r->why);
    if (cr_transfer_init(&r->t, r->ask->max, &r->why) < 0)
        return r->why.code;
    r->t.limits = r->ask->limits;
    r->t.accept = r->ask->accept;
    r->t.progress = r->ask->progress;
    r->t.deadline_us = cr_transfer_now() + (int64_t)r->ask->limits.total_ms * 1000;
    do
        verdict = try_once(r);
    while (verdict == AGAIN && pause_before_next(r));
    if (verdict != ANSWERED)
        return r->why.code;
    take_answer(r, ret);
    return 0;
}

int cr_fetch(const struct cr_fetch_ask *ask, struct cr_http_answer *ret, struct cr_err *why)
{
    struct fetch r = {.ask = ask};
    int code = fetch(&r, ret);

    *why = r.why;
    cr_transfer_clear(&r.t);
    return code;
}
