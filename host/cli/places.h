/*
 * places.h - the registries that a command looks in, with what is kept of them.
 */
#ifndef CR_PLACES_H
#define CR_PLACES_H

#include "cli/progress.h"
#include "config/config.h"
#include "registry/registry.h"

struct cr_places {
    struct cr_registry registry;
    struct cr_http http;
    struct cr_cache cache;
    char cache_note[256]; /* why nothing is kept, or "" */
};

/* |config| must outlive it. Ends with cr_places_clear(). */
void cr_places_init(struct cr_places *p, const struct cr_config *config);
void cr_places_clear(struct cr_places *p);

/* cr_registry_load(), with a line that says how far it is unless |quiet|; |signals| end it. */
int cr_places_load(struct cr_places *p, const struct cr_fqdn *want, struct cr_signals *signals,
                   bool quiet, struct cr_capability *ret, struct cr_problem *why);

#endif
