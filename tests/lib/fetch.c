/*
 * fetch.c - a command for the registry's HTTP and cache, for tests/integration/{fetch,cache}.t.
 *
 *     fetch [OPTION VALUE]... get URL              through the cache
 *     fetch [OPTION VALUE]... raw URL              without the cache
 *     fetch [OPTION VALUE]... resolve BASE REFERENCE
 *     fetch [OPTION VALUE]... list BASE
 *
 *     -d DIR    the cache           -m BYTES  most bytes
 *     -a TEXT   Accept              -e TEXT   the ETag to send
 *     -c MS     connect timeout     -s MS     stall timeout
 *     -t MS     total timeout       -p MS     pause between tries
 *     -n N      tries               -x N      stop at the Nth tick
 *     -r N      get it N times
 *
 * Prints one line of JSON for each result. Never installed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "http/url.h"
#include "registry/cache.h"

struct options {
    struct cr_loop loop;
    struct cr_http http;
    struct cr_cache cache;
    char note[256];
    const char *accept, *etag;
    size_t max;
    long stop_at, ticks, times;

    /* The current request. */
    bool is_done;
    int r;
    struct cr_http_answer answer;
    struct cr_err why;
};

static const char *outcome_name(enum caprun_outcome outcome)
{
    static const char *const names[] = {
#define XX(name, type, status) #name,
        CAPRUN_OUTCOME_MAP(XX)
#undef XX
    };

    return names[outcome];
}

static void tick(void *data, const char *url, uint64_t got, uint64_t total)
{
    (void)url;
    (void)got;
    (void)total;
    ((struct options *)data)->ticks++;
}

static void done(void *data, struct cr_http_answer *answer, const struct cr_err *why)
{
    struct options *o = data;

    o->is_done = true;
    o->r = answer ? 0 : CAPRUN_E_INVAL;
    if (answer)
        o->answer = *answer;
    else
        o->why = *why;
}

/* Starts the request, and steps the loop until it has an answer or is stopped. */
static int ask(struct options *o, struct cr_http_ask *ask)
{
    struct cr_http_request *request;

    ask->progress = tick;
    ask->done = done;
    ask->data = o;
    o->is_done = false;
    request = cr_http_start(&o->http, ask);
    if (!request)
        return cr_err_memory(&o->why);
    while (!o->is_done && (!o->stop_at || o->ticks < o->stop_at))
        cr_loop_step(&o->loop, -1);
    if (o->is_done)
        return o->r;
    cr_http_cancel(request, &o->why);
    return CAPRUN_E_INVAL;
}

static void add_text(struct cr_buf *out, const char *key, const char *text)
{
    cr_buf_fmt(out, ",\"%s\":", key);
    cr_escape_json(out, text, strlen(text));
}

static void print(const struct options *o, struct cr_buf *out)
{
    add_text(out, "note", o->note);
    cr_buf_fmt(out, ",\"ticks\":%ld}\n", o->ticks);
    (void)fwrite(out->data, 1, out->len, stdout);
    (void)fflush(stdout);
    cr_buf_clear(out);
}

static void print_problem(const struct options *o, int r, const struct cr_err *why)
{
    struct cr_buf out;

    cr_buf_init(&out, 1 << 16);
    cr_buf_fmt(&out, "{\"r\":%d", r);
    if (r < 0) {
        add_text(&out, "outcome", outcome_name(why->outcome));
        add_text(&out, "text", why->text);
        add_text(&out, "hint", why->hint);
    }
    print(o, &out);
}

/* Begins a line of JSON with the facts about |body|, and frees |body|. */
static void begin_found(struct cr_buf *out, struct cr_buf *body)
{
    struct cr_entry entry;

    (void)cr_entry_make("", "", body, 0, &entry);
    cr_buf_init(out, 1 << 16);
    cr_buf_fmt(out, "{\"r\":0,\"length\":%zu,\"sha256\":\"%s\"", body->len, entry.sha256);
    cr_buf_clear(body);
}

static int get_through_cache(struct options *o, const struct cr_cache_want *want,
                             struct cr_cache_found *ret)
{
    struct cr_http_ask what = {0};
    struct cr_cache_kept kept;
    int r;

    if (cr_cache_find(&o->cache, want, &kept, ret))
        return 0;
    cr_cache_ask(want, &kept, &what);
    r = ask(o, &what);
    return cr_cache_settle(&o->cache, want, &kept, r == 0 ? &o->answer : NULL, &o->why, ret);
}

static void get(struct options *o, const char *url)
{
    static const char *const sources[] = {"net", "kept", "offline"};
    struct cr_cache_want want = {.url = url, .accept = o->accept, .max = o->max};
    struct cr_cache_found found;
    struct cr_buf out;
    int r = get_through_cache(o, &want, &found);

    if (r) {
        print_problem(o, r, &o->why);
        return;
    }
    cr_cache_keep(&o->cache, &want, &found, &found.body);
    begin_found(&out, &found.body);
    add_text(&out, "source", sources[found.source]);
    add_text(&out, "reason", found.offline_reason);
    print(o, &out);
}

static void raw(struct options *o, const char *url)
{
    struct cr_http_ask what = {.url = url, .accept = o->accept, .etag = o->etag, .max = o->max};
    struct cr_buf out;
    int r = ask(o, &what);

    if (r) {
        print_problem(o, r, &o->why);
        return;
    }
    begin_found(&out, &o->answer.body);
    add_text(&out, "etag", o->answer.etag);
    cr_buf_fmt(&out, ",\"status\":%ld,\"maxAge\":%lld,\"noStore\":%s", o->answer.status,
               (long long)o->answer.max_age_s, o->answer.no_store ? "true" : "false");
    print(o, &out);
}

static void resolve(struct options *o, const char *base, const char *reference)
{
    struct cr_err why;
    struct cr_buf url, out;
    int r;

    cr_buf_init(&url, 8192);
    r = cr_url_resolve(base, reference, &url, &why);
    if (r) {
        print_problem(o, r, &why);
    } else {
        cr_buf_init(&out, 1 << 16);
        cr_buf_str(&out, "{\"r\":0");
        add_text(&out, "url", cr_buf_text(&url));
        print(o, &out);
    }
    cr_buf_clear(&url);
}

static void print_name(void *data, const char *rest)
{
    (void)data;
    (void)printf("%s\n", rest);
}

static int read_options(struct options *o, int argc, char **argv)
{
    const char *dir = NULL;

    for (int c; (c = getopt(argc, argv, "+d:m:a:e:c:s:t:p:n:x:r:")) != -1;) {
        long number = strtol(optarg ? optarg : "", NULL, 10);

        switch (c) {
        case 'd':
            dir = optarg;
            break;
        case 'a':
            o->accept = optarg;
            break;
        case 'e':
            o->etag = optarg;
            break;
        case 'm':
            o->max = (size_t)number;
            break;
        case 'c':
            o->http.limits.connect_ms = (uint32_t)number;
            break;
        case 's':
            o->http.limits.stall_ms = (uint32_t)number;
            break;
        case 't':
            o->http.limits.total_ms = (uint32_t)number;
            break;
        case 'p':
            o->http.limits.pause_ms = (uint32_t)number;
            break;
        case 'n':
            o->http.limits.tries = (int)number;
            break;
        case 'x':
            o->stop_at = number;
            break;
        case 'r':
            o->times = number;
            break;
        default:
            return -1;
        }
    }
    cr_cache_open(&o->cache, dir, o->note);
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = {.accept = "application/json", .max = 1 << 20, .times = 1};
    int left;

    if (cr_loop_init(&o.loop, NULL) < 0)
        return 2;
    cr_http_init(&o.http, &o.loop);
    (void)snprintf(o.http.program, sizeof(o.http.program), "%.*s/../caprun-fetch",
                   (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
    if (read_options(&o, argc, argv) < 0)
        return 2;
    argv += optind;
    left = argc - optind;
    for (; o.times > 0; o.times--) {
        if (left == 2 && strcmp(argv[0], "get") == 0)
            get(&o, argv[1]);
        else if (left == 2 && strcmp(argv[0], "raw") == 0)
            raw(&o, argv[1]);
        else if (left == 3 && strcmp(argv[0], "resolve") == 0)
            resolve(&o, argv[1], argv[2]);
        else if (left == 2 && strcmp(argv[0], "list") == 0)
            cr_cache_list(&o.cache, argv[1], print_name, NULL);
        else
            return 2;
    }
    cr_cache_close(&o.cache);
    cr_http_clear(&o.http);
    cr_loop_clear(&o.loop);
    return 0;
}
