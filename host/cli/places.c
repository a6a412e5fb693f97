/* places.c - registries from the settings, the cache from where XDG says. */
#include "cli/places.h"

#include "cli/settings.h"

#define MAX_PATH 4096

/* Only what came from a URL is kept, so that others need no directory for it. */
static bool has_url(const struct cr_config *config)
{
    for (size_t i = 0; i < config->registry_count; i++)
        if (cr_http_is_url(config->registries[i]))
            return true;
    return false;
}

void cr_places_init(struct cr_places *p, const struct cr_config *config)
{
    struct cr_buf path;

    *p = (struct cr_places){.registry = {.sources = (const char *const *)config->registries,
                                         .count = config->registry_count,
                                         .http = &p->http,
                                         .cache = &p->cache},
                            .cache = {.dir = -1}};
    cr_http_init(&p->http);
    if (!has_url(config))
        return;
    cr_buf_init(&path, MAX_PATH);
    cr_settings_cache_dir(&path);
    cr_cache_open(&p->cache, path.len ? cr_buf_text(&path) : NULL, p->cache_note);
    cr_buf_clear(&path);
}

void cr_places_clear(struct cr_places *p)
{
    cr_cache_close(&p->cache);
    cr_http_clear(&p->http);
}

int cr_places_load(struct cr_places *p, const struct cr_fqdn *want, struct cr_signals *signals,
                   bool quiet, struct cr_capability *ret, struct cr_problem *why)
{
    struct cr_progress progress;
    int r;

    cr_progress_init(&progress, signals, quiet);
    p->http.tick = cr_progress_tick;
    p->http.tick_data = &progress;
    r = cr_registry_load(&p->registry, want, ret, why);
    p->http.tick = NULL;
    p->http.tick_data = NULL;
    cr_progress_end(&progress);
    return r;
}
