/*
 * http_transfer.c - one request and its answer, through libcurl.
 *
 * Waiting is done in steps of a tenth of a second, between which somebody may stop it.
 */
#include "http/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "base/units.h"

static size_t take_line(char *line, size_t size, size_t count, void *data)
{
    struct cr_transfer *t = data;

    t->heard_us = cr_loop_now();
    if (cr_http_head_line(&t->head, line, size * count))
        return size * count;
    t->stop = CR_TRANSFER_LONG_HEAD;
    return 0;
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

static bool set_up(struct cr_transfer *t, CURL *easy, const struct curl_slist *headers)
{
    const struct cr_http_lib *lib = t->http->lib;
    const char *authorities = secure_getenv("SSL_CERT_FILE");

    set_rules(lib, easy);
    (void)lib->easy_setopt(easy, CURLOPT_ERRORBUFFER, t->reason);
    (void)lib->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_line);
    (void)lib->easy_setopt(easy, CURLOPT_HEADERDATA, t);
    (void)lib->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    (void)lib->easy_setopt(easy, CURLOPT_WRITEDATA, t);
    (void)lib->easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    (void)lib->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)t->http->connect_ms);
    (void)lib->easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)t->max);
    return set_protocols(lib, easy) && !lib->easy_setopt(easy, CURLOPT_URL, t->url) &&
           !lib->easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip") &&
           !lib->easy_setopt(easy, CURLOPT_USERAGENT, "caprun/" CAPRUN_VERSION) &&
           (!authorities || !lib->easy_setopt(easy, CURLOPT_CAINFO, authorities));
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

bool cr_transfer_is_cancelled(const struct cr_transfer *t, uint64_t total)
{
    const struct cr_http *http = t->http;

    return http->tick && http->tick(http->tick_data, t->url, t->body.len, total) != 0;
}

/* Looks whether the transfer may go on. */
static void watch(struct cr_transfer *t, CURL *easy)
{
    curl_off_t connected = 0, total = 0;
    int64_t now = cr_loop_now();

    (void)t->http->lib->easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
    (void)t->http->lib->easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &total);
    if (!t->heard_us && connected > 0)
        t->heard_us = now;
    if (t->stop)
        return;
    if (cr_transfer_is_cancelled(t, total > 0 ? (uint64_t)total : 0))
        t->stop = CR_TRANSFER_CANCELLED;
    else if (now >= t->deadline_us)
        t->stop = CR_TRANSFER_LATE;
    else if (t->heard_us && now - t->heard_us >= (int64_t)t->http->stall_ms * 1000)
        t->stop = CR_TRANSFER_STALLED;
}

/* Runs |easy| to its end, or until something stops it. */
static CURLcode perform(struct cr_transfer *t, CURL *easy)
{
    const struct cr_http_lib *lib = t->http->lib;
    CURLcode code = CURLE_OK;
    int running = 1, waiting;

    if (lib->multi_add_handle(lib->multi, easy))
        return CURLE_OUT_OF_MEMORY;
    while (running && !t->stop) {
        if (lib->multi_perform(lib->multi, &running))
            t->stop = CR_TRANSFER_MEMORY;
        if (running)
            watch(t, easy);
        if (running && !t->stop)
            (void)lib->multi_poll(lib->multi, NULL, 0, CR_TRANSFER_STEP_MS, NULL);
    }
    for (CURLMsg *message; (message = lib->multi_info_read(lib->multi, &waiting));)
        if (message->msg == CURLMSG_DONE)
            code = message->data.result;
    (void)lib->multi_remove_handle(lib->multi, easy);
    return code;
}

/* What libcurl says of |code|, less "Failed to connect to H port N after T ms: " and the like. */
static void find_reason(struct cr_transfer *t, CURL *easy, CURLcode code)
{
    char limit[32];
    long number = 0;

    (void)t->http->lib->easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
    cr_units_show_duration(t->http->connect_ms, limit);
    if (code == CURLE_OPERATION_TIMEDOUT)
        (void)snprintf(t->reason, sizeof(t->reason), "no connection after %s", limit);
    else if (code == CURLE_COULDNT_CONNECT && number)
        (void)snprintf(t->reason, sizeof(t->reason), "%s", strerror((int)number));
    else if (!t->reason[0])
        (void)snprintf(t->reason, sizeof(t->reason), "%s", t->http->lib->easy_strerror(code));
}

void cr_transfer_init(struct cr_transfer *t, struct cr_http *http, size_t max)
{
    memset(t, 0, sizeof(*t));
    t->http = http;
    t->max = max;
    cr_buf_init(&t->body, max + 1);
}

void cr_transfer_clear(struct cr_transfer *t)
{
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

CURLcode cr_transfer_run(struct cr_transfer *t)
{
    const struct cr_http_lib *lib = t->http->lib;
    CURL *easy = lib->easy_init();
    struct curl_slist *headers = NULL;
    CURLcode code = CURLE_OUT_OF_MEMORY;

    forget_answer(t);
    if (easy && add_header(lib, &headers, "Accept", t->accept) &&
        (!t->etag || !t->etag[0] || add_header(lib, &headers, "If-None-Match", t->etag)) &&
        set_up(t, easy, headers))
        code = perform(t, easy);
    if (easy) {
        find_reason(t, easy, code);
        lib->easy_cleanup(easy);
    }
    lib->slist_free_all(headers);
    return code;
}
