/* transfer.c - one request and its answer, through libcurl. */
#include "http/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static size_t take_line(char *line, size_t size, size_t count, void *data)
{
    struct cr_transfer *t = data;

    t->heard_us = cr_loop_now();
    if (!cr_http_head_line(&t->head, line, size * count))
        t->stop = CR_TRANSFER_LONG_HEAD;
    else if (t->head.codings > 1) /* some hundred bytes could be terabytes inside */
        t->stop = CR_TRANSFER_ENCODED;
    return t->stop ? 0 : size * count;
}

/* The body of any answer but a 200 is not wanted: where it begins, the transfer ends. */
static size_t take_body(char *bytes, size_t size, size_t count, void *data)
{
    struct cr_transfer *t = data;
    size_t len = size * count;

    t->heard_us = cr_loop_now();
    if (t->head.status != 200)
        return 0;
    if (len > t->max - t->body.len) {
        t->stop = CR_TRANSFER_LONG_BODY;
        return 0;
    }
    cr_buf_add(&t->body, bytes, len);
    if (!cr_buf_err(&t->body))
        return len;
    t->stop = CR_TRANSFER_MEMORY;
    return 0;
}

/* What holds for every transfer. An option that an older libcurl lacks is one it does not need. */
static void set_rules(const struct cr_http_lib *lib, CURL *easy)
{
    static const struct {
        CURLoption option;
        long value;
    } rules[] = {
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_QUICK_EXIT, 1}, /* does not wait for a resolver that hangs */
        {CURLOPT_FOLLOWLOCATION, 0},
        {CURLOPT_HTTP09_ALLOWED, 0},
        {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1}, /* of HTTP/2 nothing is needed here */
        {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
        {CURLOPT_NETRC, CURL_NETRC_IGNORED},
        {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
        {CURLOPT_SSL_VERIFYPEER, 1},
        {CURLOPT_SSL_VERIFYHOST, 2},
    };

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        (void)lib->easy_setopt(easy, rules[i].option, rules[i].value);
}

static bool set_protocols(const struct cr_http_lib *lib, CURL *easy)
{
    return !lib->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") ||
           !lib->easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

static bool set_authorities(const struct cr_http_lib *lib, CURL *easy)
{
    const char *file = secure_getenv("SSL_CERT_FILE");

    return !file || !lib->easy_setopt(easy, CURLOPT_CAINFO, file);
}

static bool set_up(struct cr_transfer *t, CURL *easy, const struct curl_slist *headers)
{
    const struct cr_http_lib *lib = t->http->multi->lib;

    set_rules(lib, easy);
    (void)lib->easy_setopt(easy, CURLOPT_ERRORBUFFER, t->reason);
    (void)lib->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_line);
    (void)lib->easy_setopt(easy, CURLOPT_HEADERDATA, t);
    (void)lib->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    (void)lib->easy_setopt(easy, CURLOPT_WRITEDATA, t);
    (void)lib->easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    (void)lib->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)t->http->limits.connect_ms);
    (void)lib->easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)t->max);
    return set_protocols(lib, easy) && !lib->easy_setopt(easy, CURLOPT_URL, t->url) &&
           !lib->easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip") &&
           !lib->easy_setopt(easy, CURLOPT_USERAGENT, "caprun/" CAPRUN_VERSION) &&
           set_authorities(lib, easy) && cr_http_sockets_set(t->http->sockets, lib, easy);
}

static bool add_header(const struct cr_http_lib *lib, struct curl_slist **list, const char *name,
                       const char *value)
{
    char line[1024];
    struct curl_slist *longer;

    (void)snprintf(line, sizeof(line), "%s: %s", name, value);
    longer = lib->slist_append(*list, line);
    if (longer)
        *list = longer;
    return longer != NULL;
}

/* --- time ----------------------------------------------------------------------------------- */

/* Connected, it has until |stall_ms| after the last byte; before, libcurl has its own limit. */
static int64_t stalls_at(struct cr_transfer *t)
{
    curl_off_t connected = 0;

    if (!t->heard_us) {
        (void)t->http->multi->lib->easy_getinfo(t->easy.handle, CURLINFO_PRETRANSFER_TIME_T,
                                                &connected);
        if (connected > 0)
            t->heard_us = t->started_us + connected;
    }
    return (t->heard_us ? t->heard_us : cr_loop_now()) + (int64_t)t->http->limits.stall_ms * 1000;
}

static void set_limit(struct cr_transfer *t)
{
    int64_t stalls_us = stalls_at(t);

    cr_loop_set(t->http->loop, &t->limit, stalls_us < t->deadline_us ? stalls_us : t->deadline_us);
}

static void end_transfer(struct cr_transfer *t, CURLcode code);

static void limit_due(struct cr_timer *timer)
{
    struct cr_transfer *t = cr_container(timer, struct cr_transfer, limit);
    int64_t now = cr_loop_now();

    if (now >= t->deadline_us)
        t->stop = CR_TRANSFER_LATE;
    else if (now >= stalls_at(t))
        t->stop = CR_TRANSFER_STALLED;
    if (t->stop)
        end_transfer(t, CURLE_OK);
    else
        set_limit(t);
}

uint64_t cr_transfer_total(const struct cr_transfer *t)
{
    curl_off_t total = 0;

    if (t->easy.handle)
        (void)t->http->multi->lib->easy_getinfo(t->easy.handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T,
                                                &total);
    return total > 0 ? (uint64_t)total : 0;
}

/* --- from the first to the last ------------------------------------------------------------- */

/* What libcurl says of |code|, less "Failed to connect to H port N after T ms: " and the like. */
static void find_reason(struct cr_transfer *t, CURLcode code)
{
    const struct cr_http_lib *lib = t->http->multi->lib;
    char limit[32];
    long number = 0;

    (void)lib->easy_getinfo(t->easy.handle, CURLINFO_OS_ERRNO, &number);
    cr_units_show_duration(t->http->limits.connect_ms, limit);
    if (code == CURLE_OPERATION_TIMEDOUT)
        (void)snprintf(t->reason, sizeof(t->reason), "no connection after %s", limit);
    else if (code == CURLE_COULDNT_CONNECT && number)
        (void)snprintf(t->reason, sizeof(t->reason), "%s", strerror((int)number));
    else if (!t->reason[0])
        (void)snprintf(t->reason, sizeof(t->reason), "%s", lib->easy_strerror(code));
}

/* What libcurl has of it goes; the answer stays. */
static void let_go(struct cr_transfer *t)
{
    if (!t->easy.handle)
        return;
    cr_loop_unset(t->http->loop, &t->limit);
    cr_http_multi_remove(t->http->multi, &t->easy);
    t->http->multi->lib->easy_cleanup(t->easy.handle);
    t->http->multi->lib->slist_free_all(t->headers);
    t->easy.handle = NULL;
    t->headers = NULL;
}

static void end_transfer(struct cr_transfer *t, CURLcode code)
{
    find_reason(t, code);
    let_go(t);
    t->ended(t, code);
}

static void easy_ended(struct cr_http_easy *easy, CURLcode code)
{
    end_transfer(cr_container(easy, struct cr_transfer, easy), code);
}

void cr_transfer_init(struct cr_transfer *t, struct cr_fetcher *http, size_t max)
{
    memset(t, 0, sizeof(*t));
    t->http = http;
    t->max = max;
    t->easy.ended = easy_ended;
    t->limit = (struct cr_timer){.when_us = -1, .due = limit_due, .name = "http"};
    cr_buf_init(&t->body, max + 1);
}

void cr_transfer_clear(struct cr_transfer *t)
{
    let_go(t);
    cr_buf_clear(&t->body);
}

static void forget_answer(struct cr_transfer *t)
{
    cr_http_head_init(&t->head);
    cr_buf_clear(&t->body);
    t->stop = CR_TRANSFER_GOES_ON;
    t->heard_us = 0;
    t->reason[0] = '\0';
}

CURLcode cr_transfer_start(struct cr_transfer *t)
{
    struct cr_http_multi *multi = t->http->multi;
    const struct cr_http_lib *lib = multi->lib;

    forget_answer(t);
    t->started_us = cr_loop_now();
    t->easy.handle = lib->easy_init();
    if (t->easy.handle && add_header(lib, &t->headers, "Accept", t->accept) &&
        (!t->etag || !t->etag[0] || add_header(lib, &t->headers, "If-None-Match", t->etag)) &&
        set_up(t, t->easy.handle, t->headers) && cr_http_multi_add(multi, &t->easy)) {
        set_limit(t);
        return CURLE_OK;
    }
    let_go(t);
    return CURLE_OUT_OF_MEMORY;
}
