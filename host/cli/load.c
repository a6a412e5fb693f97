/* load.c - loads a capability from the registries, and waits for the result. */
#include "cli/load.h"

#include <poll.h>

#include "cli/progress.h"

struct loading {
    struct cr_progress progress;
    bool is_done;
    int r;
    struct cr_capability *c;
    struct cr_err *why;
};

static void show_progress(void *data, const char *url, uint64_t got, uint64_t total)
{
    cr_progress_show(&((struct loading *)data)->progress, url, got, total);
}

static void store_result(void *data, struct cr_capability *capability, const struct cr_err *why)
{
    struct loading *l = data;

    l->is_done = true;
    if (capability) {
        *l->c = *capability;
    } else {
        *l->why = *why;
        l->r = CAPRUN_E_INVAL;
    }
}

static void wait_and_step(struct caprun_runtime *rt, const struct cr_signals *signals)
{
    struct pollfd fds[] = {{.fd = caprun_fd(rt), .events = POLLIN},
                           {.fd = signals->fd, .events = POLLIN}};

    (void)poll(fds, 2, -1);
    caprun_step(rt);
}

int cr_cli_load(struct caprun_runtime *rt, const struct cr_registry *registry,
                const struct cr_fqdn *want, struct cr_signals *signals, bool quiet,
                struct cr_capability *ret, struct cr_err *why)
{
    struct loading l = {.c = ret, .why = why};
    struct cr_registry_listener listener = {
        .progress = show_progress, .done = store_result, .data = &l};
    struct cr_registry_load *load;

    load = cr_registry_load(registry, want, &listener);
    if (!load)
        return cr_err_memory(why);
    cr_progress_init(&l.progress, quiet);
    while (!l.is_done && !cr_signals_take(signals))
        wait_and_step(rt, signals);
    cr_progress_end(&l.progress);
    if (l.is_done)
        return l.r;
    cr_registry_cancel(load, why);
    return CAPRUN_E_INVAL;
}
