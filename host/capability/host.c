/* host.c - gets the registries from the configuration, and parses names of capabilities. */
#include "capability/host.h"

#include "run/run.h"

struct cr_registry cr_capability_host_registry(struct cr_capability_host *host)
{
    return (struct cr_registry){.sources = (const char *const *)host->config->registries,
                                .count = host->config->registry_count,
                                .dev = host->config->registry_dev,
                                .http = &host->http,
                                .cache_dir = host->cache_dir};
}

void cr_capability_host_note_trust(struct caprun_run *run, const struct cr_config *config)
{
    cr_run_spec(run)->by_environment = config->by_environment;
}

int cr_capability_host_parse(const char *text, struct cr_fqdn *ret, struct cr_err *why)
{
    struct cr_err err;

    if (cr_fqdn_parse(text, ret, &err) == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_INVALID_FQDN,
                      "a name is org.project.namespace.action, then optionally .hash",
                      "'%s' is not the name of a capability: %s", text, err.text);
}
