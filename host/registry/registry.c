/*
 * registry.c - asks one registry after the other, then checks the capability.
 *
 * The helper thread does all the work, except for fetching: if a server has to be asked, the work
 * returns ASK. The loop fetches the URL and submits the job again, and the work continues at the
 * same place.
 */
#include "registry/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/words.h"
#include "http/url.h"
#include "registry/directory.h"

#define MAX_URL 4096
#define METADATA_ACCEPT "application/json"
#define CODE_ACCEPT "*/*"
#define MOST_COMPARED 10000u /* names, to find the one that was meant */
#define ASK 2                /* a function returns this if the loop has to fetch a URL */

/* A file that comes from a URL. */
struct fetched {
    struct cr_buf url; /* "" if it was not requested */
    struct cr_cache_want want;
    struct cr_cache_kept kept;
    struct cr_cache_found found;
    bool is_there; /* it is loaded, and passed the checks so far */
};

struct cr_registry_load {
    /* Used by the loop's thread. */
    struct cr_http *http;
    struct cr_http_request *request; /* NULL: nothing is being fetched */
    struct cr_helper *helper;
    struct cr_registry_listener listener;

    /* Used by the helper thread while the job is submitted. */
    struct cr_job job;
    char **sources;
    bool *dev; /* for each of |sources| */
    size_t count, at;
    char *cache_dir;
    struct cr_fqdn want;
    struct cr_cache cache;
    bool offline, is_for_display;
    struct fetched metadata, code;
    struct fetched *asks; /* what the loop has to fetch, or NULL */
    struct cr_http_answer answer;
    bool has_answer; /* false: |why| says why the fetch failed */
    struct cr_capability c;
    struct cr_err why;
    int r; /* result of the work */
};

/* --- from a URL ------------------------------------------------------------------------------ */

static int refuse_other(const char *where, const struct cr_fqdn *want, const struct cr_fqdn *got,
                        struct cr_err *why)
{
    return cr_err_end(
        why, CAPRUN_OUTCOME_METADATA_INVALID, "the registry has to be corrected by its operator",
        "'%s' is about \"%s\", and \"%s\" was asked for", where, got->full, want->full);
}

/* Handles the server's answer, or the failure to get one. */
static int use_answer(struct cr_registry_load *l, struct fetched *f)
{
    bool has_answer = l->has_answer;

    l->asks = NULL;
    l->has_answer = false;
    return cr_cache_settle(&l->cache, &f->want, &f->kept, has_answer ? &l->answer : NULL, &l->why,
                           &f->found);
}

static int settle_offline(struct cr_registry_load *l, struct fetched *f)
{
    (void)cr_err_end(&l->why, CAPRUN_OUTCOME_REGISTRY_UNREACHABLE, NULL, "'%s' is not cached",
                     f->want.url);
    return use_answer(l, f);
}

/* Gets |reference| from the registry |base|. Returns the same as cr_cache_settle(), or ASK. */
static int fetch(struct cr_registry_load *l, const char *base, const char *reference,
                 struct fetched *f)
{
    int r;

    if (l->asks == f) {
        r = use_answer(l, f);
    } else {
        r = cr_url_resolve(base, reference, &f->url, &l->why);
        f->want.url = cr_buf_text(&f->url);
        if (r == 0 && !f->want.url)
            r = cr_err_memory(&l->why);
        if (r == 0 && !cr_cache_find(&l->cache, &f->want, &f->kept, &f->found)) {
            l->asks = f;
            r = l->offline ? settle_offline(l, f) : ASK;
        }
    }
    if (r == 0 && f->found.source == CR_CACHE_OFFLINE)
        memcpy(l->c.offline_reason, f->found.offline_reason, sizeof(l->c.offline_reason));
    return r;
}

static int fetch_metadata(struct cr_registry_load *l, const char *base)
{
    struct cr_metadata *meta = &l->c.meta;
    int r = fetch(l, base, l->want.full, &l->metadata);
    const char *url = l->metadata.want.url;

    if (r == 0)
        r = cr_metadata_parse(&l->metadata.found.body, url, meta, &l->why);
    if (r == 0 && !cr_fqdn_finds(&l->want, &meta->fqdn))
        r = refuse_other(url, &l->want, &meta->fqdn, &l->why);
    if (r == 0 && meta->type == CR_METADATA_CODE && !meta->code_url)
        r = cr_err_end(&l->why, CAPRUN_OUTCOME_METADATA_INVALID,
                       "the metadata has to be corrected where it is published",
                       "the metadata '%s' is not valid: it has no \"codeUrl\"", url);
    l->metadata.is_there = r == 0;
    return r;
}

static int fetch_code(struct cr_registry_load *l, const char *base)
{
    int r = fetch(l, base, l->c.meta.code_url, &l->code);

    if (r == 0)
        l->c.code = l->code.found.body;
    if (r == 1)
        r = cr_err_end(&l->why, CAPRUN_OUTCOME_NOT_FOUND,
                       "the registry has to be corrected by its operator",
                       "the metadata of '%s' says that its code is at '%s', but nothing is there",
                       l->c.meta.fqdn.full, l->code.want.url);
    return r;
}

static int load_from_directory(struct cr_registry_load *l, const char *path)
{
    struct cr_err owned = {0};
    bool is_dev = l->dev[l->at];
    int r = cr_directory_load(&l->job, path, &l->want, &l->c.meta, &l->c.code,
                              is_dev ? &owned : NULL, &l->why);

    if (r == 0 && is_dev) {
        l->c.in_development = !owned.code;
        (void)snprintf(l->c.not_own, sizeof(l->c.not_own), "%.*s", (int)sizeof(l->c.not_own) - 1,
                       owned.text);
    }
    return r;
}

static int load_from(struct cr_registry_load *l, const char *source)
{
    int r = 0;

    if (!strstr(source, "://"))
        return load_from_directory(l, source);
    if (!l->metadata.is_there)
        r = fetch_metadata(l, source);
    if (r == 0 && l->c.meta.type == CR_METADATA_CODE)
        r = fetch_code(l, source);
    return r;
}

/* Keeps what was fetched in the cache, after all checks. */
static void cache_result(const struct cr_registry_load *l)
{
    if (l->metadata.url.len)
        cr_cache_keep(&l->cache, &l->metadata.want, &l->metadata.found, &l->c.meta.text);
    if (l->code.url.len)
        cr_cache_keep(&l->cache, &l->code.want, &l->code.found, &l->c.code);
}

/* Was something used from the cache without asking the server, which may have a newer version? */
static bool used_fresh_cache(const struct cr_registry_load *l)
{
    return !l->offline && !l->cache.always_ask &&
           ((l->metadata.url.len && l->metadata.found.source == CR_CACHE_KEPT) ||
            (l->code.url.len && l->code.found.source == CR_CACHE_KEPT));
}

/* --- checks -------------------------------------------------------------------------------- */

static int check_integrity(const struct cr_capability *c, struct cr_err *why)
{
    char promised[CR_LOCKFILE_HASH + 1];

    if (!c->meta.has_integrity)
        return 0;
    cr_lockfile_show(c->meta.integrity, promised);
    if (strcmp(promised, c->pin.code) == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH,
                      "its author has to publish code and \"integrity\" that fit; until then "
                      "do not run it",
                      "the code of '%s' is not what its metadata promises\n"
                      "  integrity: %s\n"
                      "  the code:  %s",
                      c->meta.fqdn.full, promised, c->pin.code);
}

static int take_pin(struct cr_capability *c, struct cr_err *why)
{
    cr_autobuf struct cr_buf essence = CR_BUF(2u * CR_METADATA_MAX);

    cr_metadata_essence(&c->meta, &essence);
    if (cr_buf_err(&essence))
        return cr_err_memory(why);
    memcpy(c->pin.fqdn, c->meta.fqdn.full, sizeof(c->pin.fqdn));
    cr_lockfile_hash(c->code.data, c->code.len, c->pin.code);
    cr_lockfile_hash(essence.data, essence.len, c->pin.metadata);
    return 0;
}

/* --- unknown names ------------------------------------------------------------------------- */

/* Lists cached metadata: its URL ends with the name of a capability, a URL of code does not. */
static void list_kept(void *data, const char *rest)
{
    const struct cr_registry_reader *reader = data;
    struct cr_fqdn name;

    if (cr_fqdn_parse(rest + (rest[0] == '/'), &name, NULL) == 0)
        reader->each(reader->data, &name);
}

static int list_names(const char *const *sources, size_t count, const struct cr_cache *cache,
                      struct cr_registry_reader reader, struct cr_err *why)
{
    int r = 0;

    for (size_t i = 0; i < count; i++) {
        if (strstr(sources[i], "://"))
            cr_cache_list(cache, sources[i], list_kept, &reader);
        else if (cr_directory_list(sources[i], reader.each, reader.stray, reader.data, why) < 0)
            r = CAPRUN_E_INVAL;
    }
    return r;
}

struct meant {
    const struct cr_job *job;
    const char *want;
    unsigned left;              /* names that may still be compared */
    char name[CR_FQDN_MAX + 1]; /* the most similar so far, or "" */
};

static void compare_name(void *data, const struct cr_fqdn *name)
{
    struct meant *meant = data;
    const char *both[2] = {meant->name, name->name};

    if (!meant->left || meant->job->abandoned)
        return;
    meant->left--;
    if (cr_nearest(meant->want, both, 2) == name->name)
        memcpy(meant->name, name->name, sizeof(meant->name));
}

static int report_no_registry(struct cr_registry_load *l)
{
    (void)cr_err_end(&l->why, CAPRUN_OUTCOME_NOT_FOUND, NULL,
                     "there is no registry to look for '%s' in", l->want.full);
    return cr_err_hint(&l->why, "name one %s: {\"registries\": [\"./registry\"]}",
                       cr_words[CR_WORD_REGISTRY]);
}

/* Reports that the name is unknown, and which name may have been meant. */
static int report_not_found(struct cr_registry_load *l)
{
    struct meant meant = {.job = &l->job, .want = l->want.name, .left = MOST_COMPARED};
    struct cr_err *why = &l->why, unused;

    if (l->count == 0)
        return report_no_registry(l);
    (void)cr_err_end(why, CAPRUN_OUTCOME_NOT_FOUND, "caprun config shows the registries",
                     "'%s' is in none of the %zu registries", l->want.full, l->count);
    if (l->count == 1)
        (void)cr_err_end(why, CAPRUN_OUTCOME_NOT_FOUND, "caprun config shows the registries",
                         "'%s' is not in the registry '%s'", l->want.full, l->sources[0]);
    (void)list_names((const char *const *)l->sources, l->count, &l->cache,
                     (struct cr_registry_reader){.each = compare_name, .data = &meant}, &unused);
    if (meant.name[0])
        (void)cr_err_hint(why,
                          strcmp(meant.name, l->want.name) == 0 ? "there is '%s', with another hash"
                                                                : "did you mean '%s'?",
                          meant.name);
    return CAPRUN_E_INVAL;
}

/* --- the work of the helper ------------------------------------------------------------------ */

static void clear_fetched(struct fetched *f)
{
    cr_buf_clear(&f->url);
    cr_cache_kept_clear(&f->kept);
    f->is_there = false;
}

static int search_registries(struct cr_registry_load *l)
{
    for (; l->at < l->count; l->at++) {
        int r = load_from(l, l->sources[l->at]);

        if (r != 1)
            return r;
        clear_fetched(&l->metadata);
    }
    return report_not_found(l);
}

static int find_and_check(struct cr_registry_load *l)
{
    struct cr_capability *c = &l->c;
    int r = search_registries(l);

    if (r == 0 && !(c->source = strdup(l->sources[l->at])))
        r = cr_err_memory(&l->why);
    if (r == 0 && c->meta.type == CR_METADATA_HTTP && !l->is_for_display)
        r = cr_err_end(&l->why, CAPRUN_OUTCOME_METADATA_INVALID,
                       "what can be run has the type \"js\", \"deno\" or \"stdio\"",
                       "'%s' is a remote MCP server, which this version of caprun does not support",
                       c->meta.fqdn.full);
    if (r == 0)
        r = take_pin(c, &l->why);
    if (r == 0 && c->meta.type == CR_METADATA_CODE)
        r = check_integrity(c, &l->why);
    if (r == 0)
        cache_result(l);
    return r;
}

static void clear_capability(struct cr_registry_load *l)
{
    char note[sizeof(l->c.cache_note)];

    memcpy(note, l->c.cache_note, sizeof(note));
    cr_capability_clear(&l->c);
    memset(&l->c, 0, sizeof(l->c));
    memcpy(l->c.cache_note, note, sizeof(note));
    cr_buf_init(&l->c.code, CAPRUN_MAX_CODE);
}

/* Prepares a second pass that asks the servers about everything. */
static void restart_without_cache(struct cr_registry_load *l)
{
    clear_capability(l);
    clear_fetched(&l->metadata);
    clear_fetched(&l->code);
    l->cache.always_ask = true;
    l->at = 0;
}

/* Opens the cache only if a registry is a URL: directories are not cached. */
static void open_cache(struct cr_registry_load *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (cr_url_is_http(l->sources[i])) {
            cr_cache_open(&l->cache, l->cache_dir, l->c.cache_note);
            return;
        }
}

static void work(struct cr_job *job)
{
    struct cr_registry_load *l = cr_container(job, struct cr_registry_load, job);

    open_cache(l);
    l->r = find_and_check(l);
    if (l->r < 0 && used_fresh_cache(l)) {
        restart_without_cache(l);
        l->r = find_and_check(l);
    }
    cr_cache_close(&l->cache); /* hold no descriptor while waiting for a server */
}

/* --- the loop ------------------------------------------------------------------------------- */

static void discard(struct cr_job *job)
{
    struct cr_registry_load *l = cr_container(job, struct cr_registry_load, job);

    free(l->sources);
    free(l->dev);
    free(l->cache_dir);
    clear_fetched(&l->metadata);
    clear_fetched(&l->code);
    if (l->has_answer)
        cr_buf_clear(&l->answer.body);
    cr_capability_clear(&l->c);
    cr_cache_close(&l->cache);
    free(l);
}

static void fetch_ended(void *data, struct cr_http_answer *answer, const struct cr_err *why)
{
    struct cr_registry_load *l = data;

    l->request = NULL;
    l->has_answer = answer != NULL;
    if (answer)
        l->answer = *answer;
    else
        l->why = *why;
    cr_helper_submit(l->helper, &l->job);
}

static void report_progress(void *data, const char *url, uint64_t got, uint64_t total)
{
    struct cr_registry_load *l = data;

    l->listener.progress(l->listener.data, url, got, total);
}

static bool start_fetch(struct cr_registry_load *l)
{
    struct cr_http_ask ask = {
        .progress = l->listener.progress ? report_progress : NULL, .done = fetch_ended, .data = l};

    cr_cache_ask(&l->asks->want, &l->asks->kept, &ask);
    l->request = cr_http_start(l->http, &ask);
    return l->request != NULL;
}

static void worked(struct cr_job *job)
{
    struct cr_registry_load *l = cr_container(job, struct cr_registry_load, job);
    struct cr_registry_listener listener = l->listener;
    struct cr_capability c;
    struct cr_err why;
    int r = l->r;

    if (r == ASK && start_fetch(l))
        return;
    if (r == ASK)
        r = cr_err_memory(&l->why);
    why = l->why;
    if (r == 0) {
        c = l->c;
        memset(&l->c, 0, sizeof(l->c));
    }
    discard(job);
    listener.done(listener.data, r == 0 ? &c : NULL, &why);
}

/* Copies pointers and texts into one block of memory. */
static char **copy_sources(const struct cr_registry *registry)
{
    size_t bytes = (registry->count + 1) * sizeof(char *);
    char **copy, *at;

    for (size_t i = 0; i < registry->count; i++)
        bytes += strlen(registry->sources[i]) + 1;
    copy = calloc(1, bytes);
    if (!copy)
        return NULL;
    at = (char *)(copy + registry->count + 1);
    for (size_t i = 0; i < registry->count; i++) {
        size_t len = strlen(registry->sources[i]) + 1;

        copy[i] = memcpy(at, registry->sources[i], len);
        at += len;
    }
    return copy;
}

static bool copy_places(struct cr_registry_load *l, const struct cr_registry *registry)
{
    l->sources = copy_sources(registry);
    l->dev = calloc(registry->count + 1, sizeof(*l->dev));
    l->count = registry->count;
    if (l->dev && registry->dev)
        memcpy(l->dev, registry->dev, registry->count * sizeof(*l->dev));
    if (registry->cache_dir)
        l->cache_dir = strdup(registry->cache_dir);
    return l->sources && l->dev && (!registry->cache_dir || l->cache_dir);
}

/* Values and locks do not wait for registries, unless there is no thread for these. */
static struct cr_helper *choose_helper(struct cr_loop *loop)
{
    return cr_helper_start(&loop->slow) ? &loop->slow : &loop->disk;
}

struct cr_registry_load *cr_registry_load(const struct cr_registry *registry,
                                          const struct cr_fqdn *want,
                                          const struct cr_registry_listener *listener)
{
    struct cr_registry_load *l = calloc(1, sizeof(*l));

    if (!l)
        return NULL;
    l->job = (struct cr_job){.work = work, .done = worked, .discard = discard, .name = "registry"};
    l->job.bytes = CR_METADATA_MAX; /* lets the helper do small jobs before loads */
    l->http = registry->http;
    l->helper = choose_helper(registry->http->loop);
    l->listener = *listener;
    l->want = *want;
    l->cache = (struct cr_cache){.dir = -1, .always_ask = registry->always_ask};
    l->offline = registry->offline;
    l->is_for_display = registry->is_for_display;
    l->metadata.want = (struct cr_cache_want){.accept = METADATA_ACCEPT, .max = CR_METADATA_MAX};
    l->code.want = (struct cr_cache_want){.accept = CODE_ACCEPT, .max = CAPRUN_MAX_CODE};
    cr_buf_init(&l->metadata.url, MAX_URL);
    cr_buf_init(&l->code.url, MAX_URL);
    cr_buf_init(&l->c.code, CAPRUN_MAX_CODE);
    if (!copy_places(l, registry)) {
        discard(&l->job);
        return NULL;
    }
    cr_helper_submit(l->helper, &l->job);
    return l;
}

void cr_registry_cancel(struct cr_registry_load *l, struct cr_err *why)
{
    if (why)
        (void)cr_err_end(why, CAPRUN_OUTCOME_CANCELLED, NULL, "Cancelled");
    if (l->request)
        cr_http_cancel(l->request, why);
    cr_helper_abandon(l->helper, &l->job);
}

void cr_capability_clear(struct cr_capability *c)
{
    cr_metadata_clear(&c->meta);
    cr_buf_clear(&c->code);
    free(c->source);
}

int cr_registry_list(const struct cr_registry *registry, const struct cr_registry_reader *reader,
                     struct cr_err *why)
{
    struct cr_cache cache = {.dir = -1};
    char note[256];
    int r;

    for (size_t i = 0; i < registry->count && cache.dir < 0; i++)
        if (cr_url_is_http(registry->sources[i]))
            cr_cache_open(&cache, registry->cache_dir, note);
    r = list_names(registry->sources, registry->count, &cache, *reader, why);
    cr_cache_close(&cache);
    return r;
}
