/*
 * http.c - a get is some tries; a try is a transfer, and one more for each redirect.
 *
 * Redirects are followed here and not by libcurl, so that each step is checked against the one
 * before.
 */
#include "http/http.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "base/loop.h"
#include "base/units.h"
#include "http/transfer.h"

#define SHOWN_REFERENCE 1000u
#define MOST_REDIRECTS 5

static const char unreachable_hint[] = "is the registry's address right, and is the network there?";

enum verdict {
    ANSWERED,
    REDIRECTED,
    AGAIN, /* it failed, in a way that may pass; the words are there */
    FAILED,
};

struct get {
    struct cr_transfer t; /* the last */
    const char *etag;
    struct cr_problem *why;
    int tried;

    /* Of this try. */
    int redirects;
    int64_t fresh_s; /* the shortest of all its answers */
    bool no_store;   /* one of them said so */
};

void cr_http_init(struct cr_http *http)
{
    memset(http, 0, sizeof(*http));
    http->connect_ms = 5000;
    http->stall_ms = 10000;
    http->total_ms = 30000;
    http->pause_ms = 250;
    http->tries = 3;
}

void cr_http_clear(struct cr_http *http)
{
    cr_http_lib_free(http->lib);
    http->lib = NULL;
}

static int need_lib(struct cr_http *http, struct cr_problem *why)
{
    return http->lib ? 0 : cr_http_lib_new(&http->lib, why);
}

/* --- URLs ----------------------------------------------------------------------------------- */

static bool is_https(const char *url)
{
    return strncasecmp(url, "https://", 8) == 0;
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text <= 0x20 || *text >= 0x7f)
            return false;
    return true;
}

bool cr_http_is_url(const char *text)
{
    const char *host;
    size_t len;

    if (is_https(text))
        host = text + 8;
    else if (strncasecmp(text, "http://", 7) == 0)
        host = text + 7;
    else
        return false;
    len = strcspn(host, "/?#");
    return len > 0 && !memchr(host, '@', len) && strlen(text) <= CR_TRANSFER_URL &&
           is_printable(text);
}

static bool is_safe_step(const char *from, const char *to)
{
    return cr_http_is_url(to) && (is_https(to) || !is_https(from));
}

static int refuse_url(const char *url, struct cr_problem *why)
{
    return cr_problem_set(
        why, CAPRUN_OUTCOME_METADATA_INVALID,
        "a URL is http:// or https://, then a host, without a user or a password, "
        "in printable ASCII, of 2,048 bytes at most",
        "\"%.*s\" is not a URL that can be fetched", CR_TRANSFER_URL, url);
}

/*
 * Appends what |reference|, found at |base|, leads to, less its fragment. Returns false if it is
 * nowhere to go.
 */
static bool join(const struct cr_http_lib *lib, const char *base, const char *reference,
                 struct cr_buf *ret)
{
    CURLU *url = lib->url();
    char *joined = NULL;
    bool good;

    good = url && reference[0] && is_printable(reference) &&
           !lib->url_set(url, CURLUPART_URL, base, 0) &&
           !lib->url_set(url, CURLUPART_URL, reference, 0) &&
           !lib->url_set(url, CURLUPART_FRAGMENT, NULL, 0) &&
           !lib->url_get(url, CURLUPART_URL, &joined, 0) && is_safe_step(base, joined);
    if (good)
        cr_buf_str(ret, joined);
    lib->free(joined);
    lib->url_cleanup(url);
    return good;
}

/* A stranger wrote the reference, and it stays on one line. */
static int refuse_reference(const char *base, const char *reference, struct cr_problem *why)
{
    size_t len = strlen(reference);
    struct cr_buf shown;

    cr_buf_init(&shown, sizeof(why->text));
    cr_escape_terminal(&shown, reference, len < SHOWN_REFERENCE ? len : SHOWN_REFERENCE);
    (void)cr_problem_set(why, CAPRUN_OUTCOME_METADATA_INVALID,
                         "what a registry names is at an http or https URL, and for an https "
                         "registry at an https one",
                         "\"%s\" cannot be fetched from the registry \"%s\"",
                         cr_buf_text(&shown) ? cr_buf_text(&shown) : "what it names", base);
    cr_buf_clear(&shown);
    return CAPRUN_E_INVAL;
}

int cr_http_resolve(struct cr_http *http, const char *base, const char *reference,
                    struct cr_buf *ret, struct cr_problem *why)
{
    char folder[CR_TRANSFER_URL + 2];
    size_t len = strcspn(base, "?#");

    if (!cr_http_is_url(base))
        return refuse_url(base, why);
    if (need_lib(http, why))
        return CAPRUN_E_INVAL;
    memcpy(folder, base, len);
    if (folder[len - 1] != '/')
        folder[len++] = '/';
    folder[len] = '\0';
    if (!join(http->lib, folder, reference, ret))
        return refuse_reference(base, reference, why);
    return cr_buf_err(ret) ? cr_problem_memory(why) : 0;
}

/* --- what came of it ------------------------------------------------------------------------ */

/* " (tried 3 times)", or nothing the first time. */
static const char *tried(const struct get *g, char out[32])
{
    out[0] = '\0';
    if (g->tried > 1)
        (void)snprintf(out, 32, " (tried %d times)", g->tried);
    return out;
}

static enum verdict unreachable(struct get *g, enum verdict verdict, const char *hint,
                                const char *reason)
{
    char times[32];

    (void)cr_problem_set(g->why, CAPRUN_OUTCOME_REGISTRY_UNREACHABLE, hint,
                         "cannot reach \"%s\": %s%s", g->t.url, reason, tried(g, times));
    return verdict;
}

static enum verdict too_slow(struct get *g, const char *words, uint32_t limit_ms)
{
    char limit[32], reason[64];

    cr_units_show_duration(limit_ms, limit);
    (void)snprintf(reason, sizeof(reason), "%s %s", words, limit);
    return unreachable(g, FAILED, "the server is too slow, or the network is; try again later",
                       reason);
}

static enum verdict too_long(struct get *g, const char *what, size_t max)
{
    (void)cr_problem_set(g->why, CAPRUN_OUTCOME_METADATA_INVALID,
                         "this is not what a registry should send: is its address right?",
                         "%s \"%s\" is over %zu bytes", what, g->t.url, max);
    return FAILED;
}

static enum verdict judge_stop(struct get *g)
{
    switch (g->t.stop) {
    case CR_TRANSFER_CANCELLED:
        (void)cr_problem_set(g->why, CAPRUN_OUTCOME_CANCELLED, NULL,
                             "stopped while \"%s\" was fetched", g->t.url);
        return FAILED;
    case CR_TRANSFER_STALLED:
        return too_slow(g, "nothing came for", g->t.http->stall_ms);
    case CR_TRANSFER_LATE:
        return too_slow(g, "not finished after", g->t.http->total_ms);
    case CR_TRANSFER_LONG_HEAD:
        return too_long(g, "the head of", CR_HTTP_HEAD_MAX);
    case CR_TRANSFER_LONG_BODY:
        return too_long(g, "what came from", g->t.max);
    case CR_TRANSFER_MEMORY:
    case CR_TRANSFER_GOES_ON:
        break;
    }
    (void)cr_problem_memory(g->why);
    return FAILED;
}

static enum verdict judge_code(struct get *g, CURLcode code)
{
    /* libcurl's names, of which each version has others */
    switch ((int)code) {
    case CURLE_OK:
        if (g->t.head.done)
            return ANSWERED;
        return unreachable(g, AGAIN, unreachable_hint, "the answer ends in its head");
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
        return unreachable(g, AGAIN, unreachable_hint, g->t.reason);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return unreachable(g, FAILED,
                           "the server's certificate is not trusted here; the variable "
                           "SSL_CERT_FILE names a file of authorities that are",
                           g->t.reason);
    case CURLE_FILESIZE_EXCEEDED:
        return too_long(g, "what came from", g->t.max);
    case CURLE_BAD_CONTENT_ENCODING:
        (void)cr_problem_set(g->why, CAPRUN_OUTCOME_METADATA_INVALID, "tell who runs the registry",
                             "what came from \"%s\" cannot be unpacked: %s", g->t.url, g->t.reason);
        return FAILED;
    case CURLE_OUT_OF_MEMORY:
        /* also what libcurl says of a line of the head that is too long for it */
        if (g->t.heard_us && !g->t.head.done)
            return too_long(g, "the head of", CR_HTTP_HEAD_MAX);
        (void)cr_problem_memory(g->why);
        return FAILED;
    case 100: /* CURLE_TOO_LARGE, which later versions say instead */
        return too_long(g, "the head of", CR_HTTP_HEAD_MAX);
    default:
        return unreachable(g, FAILED, unreachable_hint, g->t.reason);
    }
}

static bool is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static enum verdict judge_status(struct get *g)
{
    long status = g->t.head.status;
    const char *words = cr_http_head_words(status);
    bool passes = status == 429 || status == 502 || status == 503 || status == 504;
    char times[32];

    if (status == 404 || status == 410 || (status == 304 && g->t.etag && g->t.etag[0]))
        return ANSWERED;
    if (is_redirect(status) && g->t.head.location[0])
        return REDIRECTED;
    (void)cr_problem_set(g->why, CAPRUN_OUTCOME_REGISTRY_UNREACHABLE,
                         status >= 500 || passes ? "the registry has trouble; try again later"
                                                 : "is the registry's address right?",
                         "\"%s\" answered %ld%s%s%s", g->t.url, status, words[0] ? " " : "", words,
                         tried(g, times));
    return passes ? AGAIN : FAILED;
}

/*
 * A status that is not 200 says all, whatever became of the body; libcurl looks at the length of
 * that before it tells of the end of the head.
 */
static enum verdict judge(struct get *g, CURLcode code)
{
    if (g->t.stop == CR_TRANSFER_CANCELLED || g->t.stop == CR_TRANSFER_MEMORY)
        return judge_stop(g);
    if ((g->t.head.done || code == CURLE_FILESIZE_EXCEEDED) && g->t.head.status != 200)
        return judge_status(g);
    return g->t.stop ? judge_stop(g) : judge_code(g, code);
}

/* --- tries ---------------------------------------------------------------------------------- */

static void note_freshness(struct get *g)
{
    int64_t fresh_s = cr_http_head_fresh_s(&g->t.head);

    if (fresh_s < g->fresh_s)
        g->fresh_s = fresh_s;
    g->no_store = g->no_store || g->t.head.no_store;
}

/*
 * Goes where the answer leads. Returns false if that is nowhere to go. An ETag belongs to the URL
 * that gave it: from here on none is sent, and none is taken.
 */
static bool follow(struct get *g)
{
    const char *location = g->t.head.location;
    struct cr_buf next;
    bool good;

    if (++g->redirects > MOST_REDIRECTS) {
        (void)cr_problem_set(g->why, CAPRUN_OUTCOME_METADATA_INVALID, "tell who runs the registry",
                             "\"%s\" redirects to \"%s\", which is the redirect number %d, and "
                             "%d are followed",
                             g->t.url, location, g->redirects, MOST_REDIRECTS);
        return false;
    }
    cr_buf_init(&next, sizeof(g->t.url));
    good = join(g->t.http->lib, g->t.url, location, &next) && cr_buf_text(&next);
    if (good)
        memcpy(g->t.url, next.data, next.len + 1);
    else
        (void)cr_problem_set(g->why, CAPRUN_OUTCOME_METADATA_INVALID,
                             "redirects are followed to http and https, from https only to https, "
                             "and never with a user or a password",
                             "\"%s\" redirects to \"%s\", which is not followed", g->t.url,
                             location);
    cr_buf_clear(&next);
    g->t.etag = NULL;
    return good;
}

static enum verdict try_once(struct get *g, const char *url)
{
    (void)snprintf(g->t.url, sizeof(g->t.url), "%.*s", (int)strcspn(url, "#"), url);
    g->t.etag = g->etag;
    g->tried++;
    g->redirects = 0;
    g->fresh_s = INT64_MAX;
    g->no_store = false;
    for (;;) {
        enum verdict verdict = judge(g, cr_transfer_run(&g->t));

        note_freshness(g);
        if (verdict != REDIRECTED)
            return verdict;
        if (!follow(g))
            return FAILED;
    }
}

/* Waits before the next try. Returns false, with the words of the last, if there is none. */
static bool pause_before_next(struct get *g)
{
    int64_t now = cr_loop_now();
    int64_t pause_ms = (int64_t)g->t.http->pause_ms << (g->tried - 1);
    int64_t until;

    pause_ms += pause_ms * (now & 0xff) / 0x400; /* clients that failed together come apart */
    if (g->t.head.retry_after_s * 1000 > pause_ms)
        pause_ms = g->t.head.retry_after_s * 1000;
    until = now + pause_ms * 1000;
    if (g->tried >= g->t.http->tries || until >= g->t.deadline_us)
        return false;
    while (now < until) {
        int64_t left_ms = (until - now + 999) / 1000;

        if (cr_transfer_is_cancelled(&g->t, 0)) {
            g->t.stop = CR_TRANSFER_CANCELLED;
            (void)judge_stop(g);
            return false;
        }
        (void)poll(NULL, 0, left_ms < CR_TRANSFER_STEP_MS ? (int)left_ms : CR_TRANSFER_STEP_MS);
        now = cr_loop_now();
    }
    return true;
}

static void take_answer(struct get *g, struct cr_http_answer *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->status = g->t.head.status;
    ret->body = g->t.body;
    ret->max_age_s = g->fresh_s;
    ret->no_store = g->no_store;
    if (g->redirects == 0)
        memcpy(ret->etag, g->t.head.etag, sizeof(ret->etag));
}

int cr_http_get(struct cr_http *http, const char *url, const char *accept, const char *etag,
                size_t max, struct cr_http_answer *ret, struct cr_problem *why)
{
    struct get g = {.etag = etag, .why = why};
    enum verdict verdict;

    if (!cr_http_is_url(url))
        return refuse_url(url, why);
    if (need_lib(http, why))
        return CAPRUN_E_INVAL;
    cr_transfer_init(&g.t, http, max);
    g.t.accept = accept;
    g.t.deadline_us = cr_loop_now() + (int64_t)http->total_ms * 1000;
    do
        verdict = try_once(&g, url);
    while (verdict == AGAIN && pause_before_next(&g));
    if (verdict != ANSWERED) {
        cr_transfer_clear(&g.t);
        return CAPRUN_E_INVAL;
    }
    take_answer(&g, ret);
    return 0;
}
