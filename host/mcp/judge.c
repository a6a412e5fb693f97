/* judge.c - decides by libcurl's code, then by the HTTP status, then by the content type. */
#include "mcp/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "http/url.h"

static void __attribute__((format(printf, 2, 3)))
say(struct cr_judgement *ret, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(ret->words, sizeof(ret->words), fmt, ap);
    va_end(ap);
    ret->kind = CR_JUDGE_LOST;
}

static void __attribute__((format(printf, 2, 3)))
advise(struct cr_judgement *ret, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(ret->hint, sizeof(ret->hint), fmt, ap);
    va_end(ap);
}

/* Writes |text|, which is untrusted, escaped and cut. Returns |ret|. */
static const char *shown(const char *text, char *ret, size_t size)
{
    cr_autobuf struct cr_buf out = CR_BUF(4096);

    cr_escape_terminal(&out, text, strnlen(text, size / 8));
    (void)snprintf(ret, size, "%s", cr_buf_text(&out) ? cr_buf_text(&out) : "");
    return ret;
}

/* How many bytes of |url| are the scheme, the host and the port. The rest may be secret. */
static int origin_len(const char *url)
{
    const char *host = strstr(url, "://");

    return host ? (int)(host - url + 3 + (int)strcspn(host + 3, "/?#")) : 0;
}

static void try_again(struct cr_judgement *ret, int64_t pause_ms)
{
    ret->kind = CR_JUDGE_AGAIN;
    ret->pause_ms = pause_ms;
}

/* --- no answer -------------------------------------------------------------------------------- */

static void say_unreachable(const struct cr_exchange *x, const struct cr_exchange_site *site,
                            struct cr_judgement *ret)
{
    long number = 0;
    int len = origin_len(site->url);
    char reason[8 * CURL_ERROR_SIZE];

    (void)x->multi->lib->easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &number);
    if (x->code == CURLE_COULDNT_RESOLVE_HOST)
        say(ret, "could not be reached: its host name is not known");
    else if (x->code == CURLE_COULDNT_RESOLVE_PROXY)
        say(ret, "could not be reached: the host name of its proxy is not known");
    else if (x->code == CURLE_OPERATION_TIMEDOUT)
        say(ret, "could not be reached: no connection after 10 s");
    else if (x->code == CURLE_COULDNT_CONNECT && number)
        say(ret, "could not be reached: %s", strerror((int)number));
    else
        say(ret, "could not be reached");
    advise(ret, "%.*s: %.200s", len, site->url,
           x->code == CURLE_COULDNT_CONNECT && number
               ? "is it running, and is that its \"url\"?"
               : shown(x->reason[0] ? x->reason : x->multi->lib->easy_strerror(x->code), reason,
                       sizeof(reason)));
}

static void say_untrusted(const struct cr_exchange *x, const struct cr_exchange_site *site,
                          struct cr_judgement *ret)
{
    char reason[8 * sizeof(x->reason)];

    say(ret, x->code == CURLE_PEER_FAILED_VERIFICATION
                 ? "could not be trusted: its TLS certificate was refused"
                 : "could not be reached: TLS failed");
    advise(ret, "%.*s: %.250s%s", origin_len(site->url), site->url,
           shown(x->reason[0] ? x->reason : x->multi->lib->easy_strerror(x->code), reason,
                 sizeof(reason)),
           x->code != CURLE_PEER_FAILED_VERIFICATION || site->ca_file
               ? ""
               : "; \"tls\": {\"caFile\": …} names an authority of your own");
}

static bool is_about_tls(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CONNECT_ERROR ||
           code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CERTPROBLEM ||
           code == CURLE_SSL_CIPHER || code == CURLE_SSL_ISSUER_ERROR ||
           code == CURLE_SSL_INVALIDCERTSTATUS;
}

static bool is_about_connecting(CURLcode code)
{
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
           code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_OPERATION_TIMEDOUT;
}

/* libcurl has its own limit for one header. */
static bool is_long_header(const struct cr_exchange *x)
{
    const int too_large = 100; /* CURLE_TOO_LARGE of newer versions */

    return x->head.bytes && !x->head.done &&
           (x->code == CURLE_OUT_OF_MEMORY || (int)x->code == too_large);
}

/* The connection failed. */
static void judge_failure(const struct cr_exchange *x, const struct cr_exchange_site *site,
                          bool was_reached, struct cr_judgement *ret)
{
    bool unsent = x->left == x->bytes;

    if (is_about_tls(x->code)) {
        say_untrusted(x, site, ret);
        return;
    }
    if (is_about_connecting(x->code)) {
        say_unreachable(x, site, ret);
        if (was_reached && x->tries < CR_JUDGE_TRIES)
            try_again(ret, 250 << (2 * x->tries));
        return;
    }
    say(ret, unsent ? "ended the connection before the request was sent"
                    : "ended the connection before its answer was complete");
    advise(ret, "%.200s", x->reason[0] ? x->reason : x->multi->lib->easy_strerror(x->code));
    ret->may_have_effect = !unsent;
    ret->may_be_era = true;
    if ((unsent || x->is_repeatable) && x->tries < CR_JUDGE_TRIES && was_reached)
        try_again(ret, 250 << (2 * x->tries));
}

/* caprun has ended the transfer. */
static void judge_fault(const struct cr_exchange *x, struct cr_judgement *ret)
{
    if (x->fault == CR_EXCHANGE_LONG_HEAD || is_long_header(x))
        say(ret, "answered with headers of more than 64 KiB");
    else if (x->fault == CR_EXCHANGE_ENCODED)
        say(ret, "answered with an encoding that caprun has not asked for");
    else
        say(ret, "cannot be talked to: no memory");
    ret->may_have_effect = true;
    ret->may_be_era = x->fault != CR_EXCHANGE_NO_MEMORY;
}

/* --- an answer without a message -------------------------------------------------------------- */

static void judge_redirect(const struct cr_exchange *x, const struct cr_exchange_site *site,
                           struct cr_judgement *ret)
{
    const struct cr_http_lib *lib = x->multi->lib;
    cr_autobuf struct cr_buf url = CR_BUF(sizeof(ret->url)), to = CR_BUF(4096), from = CR_BUF(4096);
    bool keeps_method = x->head.status == 307 || x->head.status == 308;
    char location[2048];

    if (keeps_method && x->redirects < CR_JUDGE_REDIRECTS &&
        cr_url_join(lib, site->url, x->head.location, &url) && cr_buf_text(&url) &&
        cr_url_origin(lib, cr_buf_text(&url), &to) && cr_url_origin(lib, site->url, &from) &&
        to.len == from.len && memcmp(to.data, from.data, to.len) == 0) {
        (void)snprintf(ret->url, sizeof(ret->url), "%s", cr_buf_text(&url));
        ret->kind = CR_JUDGE_REDIRECT;
        return;
    }
    say(ret, "redirects to another place, which caprun does not follow (HTTP status %ld)",
        x->head.status);
    advise(ret, "it leads to \"%s\"; if that is the server, use it as \"url\"",
           shown(x->head.location, location, sizeof(location)));
}

static void judge_busy(const struct cr_exchange *x, struct cr_judgement *ret)
{
    int64_t asked_s = x->head.retry_after_s;
    int64_t pause_ms = asked_s >= 0 ? asked_s * 1000 : 500 << (2 * x->tries);

    if (pause_ms <= CR_JUDGE_PAUSE_MS && x->tries < CR_JUDGE_TRIES) {
        try_again(ret, pause_ms);
        return;
    }
    say(ret, "has had too many requests (HTTP status %ld)", x->head.status);
    if (asked_s >= 0)
        advise(ret, "it asks to wait for %lld s", (long long)asked_s);
}

static void advise_url(const struct cr_exchange_site *site, struct cr_judgement *ret)
{
    advise(ret,
           "is \"url\" the endpoint of an MCP server with Streamable HTTP, as %.*s/mcp often is? "
           "caprun does not support the older transport HTTP+SSE",
           origin_len(site->url), site->url);
}

static void judge_status(const struct cr_exchange *x, const struct cr_exchange_site *site,
                         struct cr_judgement *ret)
{
    long status = x->head.status;
    const char *words = cr_http_head_words(status);
    bool is_gateway = status == 502 || status == 503 || status == 504;

    if (status == 429 || (is_gateway && x->is_repeatable && x->tries < CR_JUDGE_TRIES)) {
        judge_busy(x, ret);
        return;
    }
    if (status == 401)
        say(ret, "requires authorization (HTTP status 401)");
    else if (status == 403)
        say(ret, "refuses access (HTTP status 403)");
    else
        say(ret, "answered with HTTP status %ld%s%s%s", status, words[0] ? " (" : "", words,
            words[0] ? ")" : "");
    if (status == 401 || status == 403)
        advise(ret, "\"headers\" of the server in the configuration may have its key");
    else if (status == 404 || status == 405 || status == 406)
        advise_url(site, ret);
    ret->may_have_effect = status >= 500;
    ret->may_be_era = status != 401 && status != 403 && status != 407;
}

/* The answer is complete, and has no answer to the request. */
static void judge_silence(const struct cr_exchange *x, const struct cr_exchange_site *site,
                          struct cr_judgement *ret)
{
    char type[8 * sizeof(x->type)];

    ret->may_have_effect = ret->may_be_era = true;
    if (x->body == CR_EXCHANGE_JSON)
        say(ret, "answered with something that is not a message of JSON-RPC");
    else if (x->body == CR_EXCHANGE_EVENTS)
        say(ret, "ended the stream of its answer without an answer");
    else if (x->head.status == 202 || x->head.status == 204)
        say(ret, "accepted the request, but gave no answer (HTTP status %ld)", x->head.status);
    else
        say(ret, "answered with the content type \"%s\", and not with JSON or events",
            shown(x->type, type, sizeof(type)));
    if (x->body == CR_EXCHANGE_NONE)
        advise_url(site, ret);
}

static void judge(const struct cr_exchange *x, const struct cr_exchange_site *site,
                  bool was_reached, struct cr_judgement *ret)
{
    long status = x->head.status;

    if (x->head.done && (status < 200 || status >= 400) && x->fault != CR_EXCHANGE_NO_MEMORY)
        judge_status(x, site, ret);
    else if (x->head.done && status >= 300)
        judge_redirect(x, site, ret);
    else if ((x->fault && x->fault != CR_EXCHANGE_LONG_BODY) || is_long_header(x))
        judge_fault(x, ret);
    else if (x->code != CURLE_OK && !x->fault)
        judge_failure(x, site, was_reached, ret);
    else
        judge_silence(x, site, ret);
}

void cr_judge_exchange(const struct cr_exchange *x, const struct cr_exchange_site *site,
                       bool was_reached, struct cr_judgement *ret)
{
    *ret = (struct cr_judgement){.kind = CR_JUDGE_FINE};
    if (x->head.done && x->had_session && x->head.status == 404)
        ret->kind = CR_JUDGE_EXPIRED;
    else if (!x->is_answered && x->id)
        judge(x, site, was_reached, ret);
    if (x->is_forgotten && (ret->kind == CR_JUDGE_AGAIN || ret->kind == CR_JUDGE_REDIRECT))
        say(ret, "could not take the request (HTTP status %ld)", x->head.status);
}
