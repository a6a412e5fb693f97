/* complete.c - `caprun complete-names`: prints names from the registries, caprun.lock and the runs.
 */
#include "cli/complete.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/pattern.h"
#include "cli/inspect.h"
#include "cli/settings.h"
#include "journal/index.h"
#include "registry/registry.h"
#include "registry/tool_pins.h"

#define MAX_PATH 4096
#define MAX_NAME 512
#define MAX_RUNS 200u

static void print_name(void *data, const struct cr_fqdn *name)
{
    (void)data;
    (void)puts(name->name);
}

static void print_capabilities(const struct cr_config *config)
{
    cr_autobuf struct cr_buf cache = CR_BUF(MAX_PATH);
    struct cr_registry registry;
    struct cr_err unused;

    cr_settings_cache_dir(&cache);
    registry = (struct cr_registry){.sources = (const char *const *)config->registries,
                                    .count = config->registry_count,
                                    .cache_dir = cache.len ? cr_buf_text(&cache) : NULL};
    (void)cr_registry_list(&registry, &(struct cr_registry_reader){.each = print_name}, &unused);
}

struct server_tools {
    const char *server;
    size_t count;
};

/* Prints the name if `caprun call` takes it as it is. */
static void print_tool(void *data, const char *server, const char *tool, const char *hash)
{
    struct server_tools *of = data;
    char name[MAX_NAME];

    (void)hash;
    if (strcmp(server, of->server) != 0 ||
        snprintf(name, sizeof(name), "%s:%s", server, tool) >= (int)sizeof(name) ||
        !cr_pattern_is(name) || strpbrk(name, "*?"))
        return;
    (void)puts(name);
    of->count++;
}

static void print_tools(const struct cr_config *config)
{
    struct cr_lockfile lock = {0};
    struct cr_err unused;
    bool has_lock = cr_lockfile_read(config->dir, &lock, &unused) == 0;

    for (size_t i = 0; i < config->server_count; i++) {
        struct server_tools of = {.server = config->servers[i].name};

        if (has_lock)
            cr_tool_pins_each(&lock, print_tool, &of);
        if (!of.count)
            (void)printf("%s:\n", of.server);
    }
    if (has_lock)
        cr_lockfile_clear(&lock);
}

static void print_runs(void)
{
    struct cr_index_list list = {0};
    struct cr_err unused;
    char dir[PATH_MAX];

    cr_settings_state_dir(dir);
    if (!dir[0] || cr_index_list(dir, MAX_RUNS, &list, &unused) < 0)
        return;
    for (size_t i = 0; i < list.count; i++)
        (void)puts(list.runs[i].id + CR_STORE_ID - CR_INSPECT_SHORT_ID);
    cr_index_clear(&list);
}

void cr_cli_complete(const struct cr_options *o)
{
    const char *what = o->words[1];
    struct cr_config config;
    struct cr_err unused;

    if (what && strcmp(what, "runs") == 0) {
        print_runs();
    } else if (cr_settings_load(o, CR_TRUST_NEED_REFUSE, &config, &unused) == 0) {
        if (!what)
            print_capabilities(&config);
        else if (strcmp(what, "tools") == 0)
            print_tools(&config);
        cr_config_clear(&config);
    }
    (void)fflush(stdout);
}
