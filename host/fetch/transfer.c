/* transfer.c - performs one HTTP request through libcurl, within its limits. */
#include "fetch/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <time.h>

#include "base/units.h"

static size_t take_line(char *line, size_t size, size_t count, void *data)
{
    struct cr_transfer *t = data;

    t->last_byte_us = cr_transfer_now();
    if (!cr_http_head_line(&t->head, line, size * count))
        t->stop = CR_TRANSFER_LONG_HEAD;
    else if (t->head.codings > 1) /* some hundred bytes could become terabytes */
        t->stop = CR_TRANSFER_ENCODED;
    return t->stop ? 0 : size * count;
}

/* Only the body of a 200 is read. In any other answer, the transfer ends where the body begins. */
static size_t take_body(char *bytes, size_t size, size_t count, void *data)
{
    struct cr_transfer *t = data;
    size_t len = size * count;

    t->last_byte_us = cr_transfer_now();
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

static bool set_authorities(const struct cr_http_lib *lib, CURL *easy)
{
    const char *file = secure_getenv("SSL_CERT_FILE");

    return !file || !lib->easy_setopt(easy, CURLOPT_CAINFO, file);
}

static bool set_up(struct cr_transfer *t, CURL *easy, const struct curl_slist *headers)
{
    const struct cr_http_lib *lib = t->lib;

    /* HTTP/2 is not needed */
    (void)lib->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    (void)lib->easy_setopt(easy, CURLOPT_ERRORBUFFER, t->reason);
    (void)lib->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_line);
    (void)lib->easy_setopt(easy, CURLOPT_HEADERDATA, t);
    (void)lib->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    (void)lib->easy_setopt(easy, CURLOPT_WRITEDATA, t);
    (void)lib->easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    (void)lib->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)t->limits.connect_ms);
    (void)lib->easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)t->max);
    return cr_http_lib_set_rules(lib, easy) && !lib->easy_setopt(easy, CURLOPT_URL, t->url) &&
           !lib->easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip") &&
           !lib->easy_setopt(easy, CURLOPT_USERAGENT, "caprun/" CAPRUN_VERSION) &&
           set_authorities(lib, easy);
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

#define TICK_MS 100

int64_t cr_transfer_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* When the transfer counts as stalled. Before it is connected, libcurl has its own limit. */
static int64_t stalls_at(struct cr_transfer *t)
{
    curl_off_t connected = 0;

    if (!t->last_byte_us) {
        (void)t->lib->easy_getinfo(t->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
        if (connected > 0)
            t->last_byte_us = t->started_us + connected;
    }
    return (t->last_byte_us ? t->last_byte_us : cr_transfer_now()) +
           (int64_t)t->limits.stall_ms * 1000;
}

static void check_limits(struct cr_transfer *t)
{
    int64_t now = cr_transfer_now();

    if (now >= t->deadline_us)
        t->stop = CR_TRANSFER_LATE;
    else if (now >= stalls_at(t))
        t->stop = CR_TRANSFER_STALLED;
}

/* Returns how long to wait for an event. */
static int wait_ms(struct cr_transfer *t)
{
    int64_t left_us = stalls_at(t) < t->deadline_us ? stalls_at(t) : t->deadline_us;

    left_us -= cr_transfer_now();
    return left_us > TICK_MS * 1000 ? TICK_MS : left_us < 1000 ? 1 : (int)(left_us / 1000) + 1;
}

static uint64_t total_of(const struct cr_transfer *t)
{
    curl_off_t total = 0;

    if (t->easy)
        (void)t->lib->easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &total);
    return total > 0 ? (uint64_t)total : 0;
}

void cr_transfer_report_progress(struct cr_transfer *t)
{
    int64_t now = cr_transfer_now();

    if (!t->progress || now < t->reported_us + TICK_MS * 1000)
        return;
    t->reported_us = now;
    t->progress(t->url, t->body.len, total_of(t));
}

/* --- one transfer --------------------------------------------------------------------------- */

/* Sets |reason| for |code|: libcurl's words, less "Failed to connect to H port N" and the like. */
static void find_reason(struct cr_transfer *t, CURLcode code)
{
    char limit[32];
    long number = 0;

    (void)t->lib->easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
    cr_units_show_duration(t->limits.connect_ms, limit);
    if (code == CURLE_OPERATION_TIMEDOUT)
        (void)snprintf(t->reason, sizeof(t->reason), "no connection after %s", limit);
    else if (code == CURLE_COULDNT_CONNECT && number)
        (void)snprintf(t->reason, sizeof(t->reason), "%s", strerror((int)number));
    else if (!t->reason[0])
        (void)snprintf(t->reason, sizeof(t->reason), "%s", t->lib->easy_strerror(code));
}

static void forget_answer(struct cr_transfer *t)
{
    cr_http_head_init(&t->head);
    cr_buf_clear(&t->body);
    t->stop = CR_TRANSFER_GOES_ON;
    t->last_byte_us = 0;
    t->reason[0] = '\0';
}

/* Runs the transfer. Returns libcurl's code; CURLE_OK also if the transfer was stopped. */
static CURLcode run_transfer(struct cr_transfer *t)
{
    int running = 1, waiting;
    const CURLMsg *m;

    while (running && !t->stop) {
        if (t->lib->multi_perform(t->multi, &running) != CURLM_OK)
            return CURLE_OUT_OF_MEMORY;
        cr_transfer_report_progress(t);
        if (running)
            check_limits(t);
        if (running && !t->stop &&
            t->lib->multi_poll(t->multi, NULL, 0, wait_ms(t), NULL) != CURLM_OK)
            return CURLE_OUT_OF_MEMORY;
    }
    while ((m = t->lib->multi_info_read(t->multi, &waiting)))
        if (m->msg == CURLMSG_DONE && m->easy_handle == t->easy)
            return m->data.result;
    return CURLE_OK;
}

CURLcode cr_transfer_perform(struct cr_transfer *t)
{
    const struct cr_http_lib *lib = t->lib;
    struct curl_slist *headers = NULL;
    CURLcode code = CURLE_OUT_OF_MEMORY;

    forget_answer(t);
    t->started_us = cr_transfer_now();
    t->easy = lib->easy_init();
    if (t->easy && add_header(lib, &headers, "Accept", t->accept) &&
        (!t->etag || !t->etag[0] || add_header(lib, &headers, "If-None-Match", t->etag)) &&
        set_up(t, t->easy, headers) && lib->multi_add_handle(t->multi, t->easy) == CURLM_OK) {
        code = run_transfer(t);
        find_reason(t, code);
        (void)lib->multi_remove_handle(t->multi, t->easy);
    }
    if (t->easy)
        lib->easy_cleanup(t->easy);
    lib->slist_free_all(headers);
    t->easy = NULL;
    return code;
}

int cr_transfer_init(struct cr_transfer *t, size_t max, struct cr_err *err)
{
    memset(t, 0, sizeof(*t));
    t->max = max;
    cr_buf_init(&t->body, max + 1);
    t->lib = cr_http_lib_open(err);
    if (!t->lib)
        return err->code;
    t->multi = t->lib->multi_init();
    return t->multi ? 0 : cr_err_memory(err);
}

void cr_transfer_clear(struct cr_transfer *t)
{
    if (t->multi)
        (void)t->lib->multi_cleanup(t->multi);
    cr_buf_clear(&t->body);
}
