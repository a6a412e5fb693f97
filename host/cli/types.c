/* types.c - `caprun types`: asks the servers for their tools, and prints declarations. */
#include "cli/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/pattern.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/servers.h"
#include "cli/settings.h"
#include "types/declare.h"
#include "types/text.h"

#define MAX_TEXT (256u << 20)

/* Writes the name with "_" that code may use for the server. Returns false if there is none. */
static bool alias_of(const struct cr_config *config, const char *name, char *ret, size_t size)
{
    const struct cr_config_server *found;

    if ((size_t)snprintf(ret, size, "%s", name) >= size)
        return false;
    for (char *at = ret; *at; at++)
        *at = cr_pattern_alias(*at);
    found = cr_cli_servers_find(config, ret, strlen(ret));
    return strcmp(ret, name) != 0 && found && strcmp(found->name, name) == 0 &&
           cr_types_is_identifier(ret);
}

static void add_server(struct cr_types *types, const struct cr_config *config,
                       const struct cJSON *root)
{
    const char *name = cr_cli_servers_text(root, "name");
    const struct cJSON *info = cr_json_get(root, "serverInfo");
    char alias[80], about[256];

    (void)snprintf(about, sizeof(about), "%s %s", cr_cli_servers_text(info, "name"),
                   cr_cli_servers_text(info, "version"));
    cr_types_server(types, name, alias_of(config, name, alias, sizeof(alias)) ? alias : NULL, about,
                    cr_json_get(root, "tools"));
}

/* Adds the servers that have answered. Returns false if one of them has failed. */
static bool add_servers(struct cr_types *types, const struct cr_config *config,
                        const struct cr_cli_servers *servers)
{
    bool all = true;

    for (size_t i = 0; i < servers->answered; i++) {
        const struct cJSON *root = servers->list[i].doc.root;
        const char *hint = cr_cli_servers_text(root, "hint");

        if (strcmp(cr_cli_servers_text(root, "state"), "ok") == 0) {
            add_server(types, config, root);
            continue;
        }
        cr_output_note("%s is left out: %s%s%s%s", cr_cli_servers_text(root, "name"),
                       cr_cli_servers_text(root, "error"), hint[0] ? " (" : "", hint,
                       hint[0] ? ")" : "");
        all = false;
    }
    return all;
}

/* Asks |server|, or all servers. Returns 0, 1 if one has failed, or an error. */
static int ask(struct caprun_runtime *rt, const struct cr_config *config, const char *server,
               struct cr_signals *signals, bool quiet, struct cr_types *types, struct cr_err *why)
{
    struct cr_cli_servers servers;
    int r = cr_cli_servers_ask(rt, server, config, signals, quiet, &servers, why);

    if (r < 0)
        return r;
    r = add_servers(types, config, &servers) ? 0 : 1;
    cr_cli_servers_clear(&servers);
    return r;
}

static int refuse_server(const struct cr_config *config, const char *name, struct cr_err *why)
{
    const char *near;
    const char **names = calloc(config->server_count + 1, sizeof(*names));

    if (!names)
        return cr_err_memory(why);
    for (size_t i = 0; i < config->server_count; i++)
        names[i] = config->servers[i].name;
    near = cr_nearest(name, names, config->server_count);
    free(names);
    (void)cr_err_end(why, CAPRUN_OUTCOME_NOT_FOUND, "caprun tools lists the servers",
                     "there is no server \"%s\" in mcpServers", name);
    return near ? cr_err_hint(why, "did you mean %s?", near) : CAPRUN_E_INVAL;
}

/* Asks the servers that the words name, each once. Returns as ask() does. */
static int ask_named(struct caprun_runtime *rt, const struct cr_config *config,
                     const struct cr_options *o, struct cr_signals *signals, struct cr_types *types,
                     struct cr_err *why)
{
    const struct cr_config_server *found[CR_OPTIONS_WORDS];
    int status = 0;

    for (int i = 1; i < o->word_count; i++) {
        found[i] = cr_cli_servers_find(config, o->words[i], strlen(o->words[i]));
        if (!found[i])
            return refuse_server(config, o->words[i], why);
    }
    for (int i = 1; i < o->word_count; i++) {
        int before = 1, r;

        while (found[before] != found[i])
            before++;
        if (before < i)
            continue;
        r = ask(rt, config, found[i]->name, signals, o->quiet, types, why);
        if (r < 0)
            return r;
        status |= r;
    }
    return status;
}

static int write_types(struct caprun_runtime *rt, const struct cr_config *config,
                       const struct cr_options *o, struct cr_signals *signals, struct cr_err *why)
{
    struct cr_types types;
    int r;

    cr_types_begin(&types, MAX_TEXT);
    r = o->word_count > 1 ? ask_named(rt, config, o, signals, &types, why)
                          : ask(rt, config, NULL, signals, o->quiet, &types, why);
    if (r >= 0 && (!cr_types_end(&types) || cr_output_text(&types.out) < 0))
        r = caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    else if (r > 0)
        r = caprun_outcome_status(CAPRUN_OUTCOME_RPC_ERROR);
    cr_types_clear(&types);
    return r;
}

int cr_cli_types(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                 int *ret_signal)
{
    return cr_cli_servers_command(rt, run, o, write_types, ret_signal);
}
