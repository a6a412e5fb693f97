/* registry.c - ask one registry after the other, then check what came. */
#include "registry/registry.h"

#include <string.h>

#include "base/nearest.h"
#include "registry/directory.h"

#define MAX_URL 4096
static int refuse_other(const char *where, const struct cr_fqdn *want, const struct cr_fqdn *got,
                        struct cr_problem *why)
{
    return cr_problem_set(
        why, CAPRUN_OUTCOME_METADATA_INVALID, "the registry has to be mended: tell who runs it",
        "'%s' is about \"%s\", and \"%s\" was asked for", where, got->full, want->full);
}

#define METADATA_ACCEPT "application/json"
#define CODE_ACCEPT "*/*"

/* Something that came from a URL. */
struct fetched {
    struct cr_buf url; /* "" if nothing was asked for */
    struct cr_cache_found found;
};

struct load {
    const struct cr_registry *registry;
    const struct cr_fqdn *want;
    struct fetched metadata, code;
    struct cr_capability *c;
    struct cr_problem *why;
};

/* Gets |reference| from the registry |base|. Returns as cr_cache_get() does. */
static int fetch(struct load *l, const char *base, const char *reference, const char *accept,
                 size_t max, struct fetched *ret)
{
    struct cr_http *http = l->registry->http;
    int r = cr_http_resolve(http, base, reference, &ret->url, l->why);

    if (r == 0 && !cr_buf_text(&ret->url))
        r = cr_problem_memory(l->why);
    if (r == 0)
        r = cr_cache_get(l->registry->cache, http, cr_buf_text(&ret->url), accept, max, &ret->found,
                         l->why);
    if (r == 0 && ret->found.source == CR_CACHE_OFFLINE)
        memcpy(l->c->offline_reason, ret->found.offline_reason, sizeof(l->c->offline_reason));
    return r;
}

static int fetch_metadata(struct load *l, const char *base)
{
    struct cr_metadata *meta = &l->c->meta;
    int r = fetch(l, base, l->want->full, METADATA_ACCEPT, CR_METADATA_MAX, &l->metadata);
    const char *url = cr_buf_text(&l->metadata.url);

    if (r == 0)
        r = cr_metadata_parse(&l->metadata.found.body, url, meta, l->why);
    if (r == 0 && !cr_fqdn_finds(l->want, &meta->fqdn))
        r = refuse_other(url, l->want, &meta->fqdn, l->why);
    if (r == 0 && meta->type == CR_METADATA_CODE && !meta->code_url)
        r = cr_problem_set(l->why, CAPRUN_OUTCOME_METADATA_INVALID,
                           "the metadata has to be mended where it is published",
                           "the metadata '%s' is not valid: it has no \"codeUrl\"", url);
    return r;
}

static int fetch_code(struct load *l, const char *base)
{
    int r = fetch(l, base, l->c->meta.code_url, CODE_ACCEPT, CAPRUN_MAX_CODE, &l->code);

    if (r == 0)
        l->c->code = l->code.found.body;
    if (r > 0)
        r = cr_problem_set(l->why, CAPRUN_OUTCOME_NOT_FOUND,
                           "the registry has to be mended: tell who runs it",
                           "the metadata of '%s' says that its code is at '%s', and there is none",
                           l->c->meta.fqdn.full, cr_buf_text(&l->code.url));
    return r;
}

static int load_from(struct load *l, const char *source)
{
    int r;

    if (!strstr(source, "://"))
        return cr_directory_load(source, l->want, &l->c->meta, &l->c->code, l->why);
    r = fetch_metadata(l, source);
    if (r == 0 && l->c->meta.type == CR_METADATA_CODE)
        r = fetch_code(l, source);
    return r;
}

/* All is well with it, so that it may be used again. */
static void keep(const struct load *l)
{
    struct cr_cache *cache = l->registry->cache;

    if (l->metadata.url.len)
        cr_cache_keep(cache, (const char *)l->metadata.url.data, METADATA_ACCEPT,
                      &l->metadata.found, &l->c->meta.text);
    if (l->code.url.len)
        cr_cache_keep(cache, (const char *)l->code.url.data, CODE_ACCEPT, &l->code.found,
                      &l->c->code);
}

/* Did something come from the cache without a question? Then the server may have better. */
static bool was_kept(const struct load *l)
{
    return !l->registry->cache->always_ask &&
           ((l->metadata.url.len && l->metadata.found.source == CR_CACHE_KEPT) ||
            (l->code.url.len && l->code.found.source == CR_CACHE_KEPT));
}

/* --- what came ----------------------------------------------------------------------------- */

static int check_integrity(const struct cr_capability *c, struct cr_problem *why)
{
    char promised[CR_LOCKFILE_HASH + 1];

    if (!c->meta.has_integrity)
        return 0;
    cr_lockfile_show(c->meta.integrity, promised);
    if (strcmp(promised, c->pin.code) == 0)
        return 0;
    return cr_problem_set(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH,
                          "its author has to publish code and \"integrity\" that fit; until then "
                          "do not run it",
                          "the code of '%s' is not what its metadata promises\n"
                          "  integrity: %s\n"
                          "  the code:  %s",
                          c->meta.fqdn.full, promised, c->pin.code);
}

static int take_pin(struct cr_capability *c, struct cr_problem *why)
{
    struct cr_buf essence;

    cr_buf_init(&essence, 2u * CR_METADATA_MAX);
    cr_metadata_essence(&c->meta, &essence);
    if (cr_buf_err(&essence)) {
        cr_buf_clear(&essence);
        return cr_problem_memory(why);
    }
    memcpy(c->pin.fqdn, c->meta.fqdn.full, sizeof(c->pin.fqdn));
    cr_lockfile_hash(c->code.data, c->code.len, c->pin.code);
    cr_lockfile_hash(essence.data, essence.len, c->pin.metadata);
    cr_buf_clear(&essence);
    return 0;
}

/* --- what did not -------------------------------------------------------------------------- */

struct meant {
    const char *want;
    char name[CR_FQDN_MAX + 1]; /* the nearest so far, or "" */
};

static void compare_name(void *data, const struct cr_fqdn *name)
{
    struct meant *meant = data;
    const char *both[2] = {meant->name, name->name};

    if (cr_nearest(meant->want, both, 2) == name->name)
        memcpy(meant->name, name->name, sizeof(meant->name));
}

/* Says so, and which name may have been meant. */
static int not_found(const struct cr_registry *registry, const struct cr_fqdn *want,
                     struct cr_problem *why)
{
    struct meant meant = {.want = want->name};

    if (registry->count == 0)
        return cr_problem_set(why, CAPRUN_OUTCOME_NOT_FOUND,
                              "name one with --registry DIR|URL, or in .caprun.json: "
                              "{\"registries\": [\"./registry\"]}",
                              "there is no registry to look for '%s' in", want->full);
    (void)cr_problem_set(why, CAPRUN_OUTCOME_NOT_FOUND, "caprun config shows the registries",
                         "'%s' is in none of the %zu registries", want->full, registry->count);
    if (registry->count == 1)
        (void)cr_problem_set(why, CAPRUN_OUTCOME_NOT_FOUND, "caprun config shows the registries",
                             "'%s' is not in the registry '%s'", want->full, registry->sources[0]);
    cr_registry_list(registry, compare_name, &meant);
    if (meant.name[0])
        (void)cr_problem_hint(why,
                              strcmp(meant.name, want->name) == 0
                                  ? "there is '%s', with another hash"
                                  : "did you mean '%s'?",
                              meant.name);
    return CAPRUN_E_INVAL;
}

/* -------------------------------------------------------------------------------------------- */

static int find(struct load *l)
{
    const struct cr_registry *registry = l->registry;

    for (size_t i = 0; i < registry->count; i++) {
        int r = load_from(l, registry->sources[i]);

        l->c->source = registry->sources[i];
        if (r <= 0)
            return r;
        cr_buf_clear(&l->metadata.url);
    }
    return not_found(registry, l->want, l->why);
}

static int find_and_check(struct load *l)
{
    struct cr_capability *c = l->c;
    int r = find(l);

    if (r == 0 && c->meta.type == CR_METADATA_HTTP)
        r = cr_problem_set(
            l->why, CAPRUN_OUTCOME_METADATA_INVALID,
            "what can be run has the type \"js\", \"deno\" or \"stdio\"",
            "'%s' is a remote MCP server, to which this version of caprun has no way",
            c->meta.fqdn.full);
    if (r == 0)
        r = take_pin(c, l->why);
    if (r == 0 && c->meta.type == CR_METADATA_CODE)
        r = check_integrity(c, l->why);
    if (r == 0)
        keep(l);
    return r;
}

/* Returns as cr_registry_load() does, or 1 if it is worth asking again without the cache. */
static int try_load(const struct cr_registry *registry, const struct cr_fqdn *want,
                    struct cr_capability *ret, struct cr_problem *why)
{
    struct cr_capability c = {0};
    struct load l = {.registry = registry, .want = want, .c = &c, .why = why};
    int r;

    cr_buf_init(&c.code, CAPRUN_MAX_CODE);
    cr_buf_init(&l.metadata.url, MAX_URL);
    cr_buf_init(&l.code.url, MAX_URL);
    r = find_and_check(&l);
    if (r < 0) {
        cr_capability_clear(&c);
        if (was_kept(&l))
            r = 1;
    } else {
        *ret = c;
    }
    cr_buf_clear(&l.metadata.url);
    cr_buf_clear(&l.code.url);
    return r;
}

int cr_registry_load(const struct cr_registry *registry, const struct cr_fqdn *want,
                     struct cr_capability *ret, struct cr_problem *why)
{
    int r = try_load(registry, want, ret, why);

    if (r > 0) {
        registry->cache->always_ask = true;
        r = try_load(registry, want, ret, why);
        registry->cache->always_ask = false;
    }
    return r;
}

void cr_capability_clear(struct cr_capability *c)
{
    cr_metadata_clear(&c->meta);
    cr_buf_clear(&c->code);
}

struct listing {
    void (*each)(void *data, const struct cr_fqdn *name);
    void *data;
};

/* Of what was kept, metadata has the name of a capability; code is called otherwise. */
static void list_kept(void *data, const char *rest)
{
    const struct listing *listing = data;
    struct cr_fqdn name;
    struct cr_err unused;

    if (cr_fqdn_parse(rest + (rest[0] == '/'), &name, &unused) == 0)
        listing->each(listing->data, &name);
}

void cr_registry_list(const struct cr_registry *registry,
                      void (*each)(void *data, const struct cr_fqdn *name), void *data)
{
    struct listing listing = {each, data};

    for (size_t i = 0; i < registry->count; i++) {
        if (strstr(registry->sources[i], "://"))
            cr_cache_list(registry->cache, registry->sources[i], list_kept, &listing);
        else
            cr_directory_list(registry->sources[i], each, data);
    }
}
