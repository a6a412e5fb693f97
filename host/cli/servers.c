/* servers.c - asks servers for their tools, waits for all answers, and looks tools up in them. */
#include "cli/servers.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caprun.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/settings.h"
#include "mcp/tools.h"

#define MAX_ANSWER (65u << 20)
#define MAX_VALUES (4u << 20) /* an answer joins all pages of a list, each of which is limited */

static void store_answer(void *data, const char *json, size_t len)
{
    struct cr_cli_servers *servers = data;
    struct cr_cli_server *s = &servers->list[servers->answered++];

    cr_buf_init(&s->text, MAX_ANSWER);
    cr_buf_add(&s->text, json, len);
    if (cr_buf_err(&s->text) ||
        cr_json_parse_within(s->text.data, s->text.len, MAX_VALUES, &s->doc, NULL) < 0)
        memset(&s->doc, 0, sizeof(s->doc));
}

static int by_place(const void *a, const void *b)
{
    const struct cr_cli_server *x = a, *y = b;

    return x->place < y->place ? -1 : x->place > y->place;
}

/* Sorts the answers, which came in any order, as in the configuration. */
static void sort_answers(struct cr_cli_servers *servers, const struct cr_config *config)
{
    for (size_t i = 0; i < servers->answered; i++) {
        const char *name = cr_cli_servers_text(servers->list[i].doc.root, "name");
        size_t place = 0;

        while (place < config->server_count && strcmp(config->servers[place].name, name) != 0)
            place++;
        servers->list[i].place = place;
    }
    qsort(servers->list, servers->answered, sizeof(*servers->list), by_place);
}

const char *cr_cli_servers_text(const struct cJSON *object, const char *key)
{
    const struct cJSON *value = cr_json_get(object, key);

    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : "";
}

static bool wait_for_all(struct caprun_runtime *rt, struct cr_signals *signals, bool quiet,
                         struct cr_cli_servers *servers)
{
    struct pollfd fds[] = {{.fd = caprun_fd(rt), .events = POLLIN},
                           {.fd = signals->fd, .events = POLLIN}};
    struct cr_progress progress;
    char text[80];

    cr_progress_init(&progress, quiet);
    while (servers->answered < servers->count && !cr_signals_take(signals)) {
        (void)snprintf(text, sizeof(text), "caprun: %zu of %zu servers have answered",
                       servers->answered, servers->count);
        cr_progress_set_text(&progress, text);
        (void)poll(fds, 2, CR_PROGRESS_MS);
        caprun_step(rt);
    }
    cr_progress_end(&progress);
    return servers->answered == servers->count;
}

int cr_cli_servers_ask(struct caprun_runtime *rt, const char *server,
                       const struct cr_config *config, struct cr_signals *signals, bool quiet,
                       struct cr_cli_servers *ret, struct cr_err *why)
{
    int asked = 0;

    *ret = (struct cr_cli_servers){.list = calloc(config->server_count + 1, sizeof(*ret->list))};
    if (!ret->list)
        return cr_err_memory(why);
    if (config->server_count)
        asked = caprun_list_tools(rt, server, store_answer, ret);
    ret->count = asked > 0 ? (size_t)asked : 0;
    if (asked < 0) {
        (void)cr_err_end(why, CAPRUN_OUTCOME_INTERNAL, NULL, "%s", caprun_error(rt));
    } else if (!wait_for_all(rt, signals, quiet, ret)) {
        (void)cr_err_end(why, CAPRUN_OUTCOME_CANCELLED, NULL, "Cancelled");
    } else {
        sort_answers(ret, config);
        return 0;
    }
    cr_cli_servers_clear(ret);
    return CAPRUN_E_INVAL;
}

const struct cr_config_server *cr_cli_servers_find(const struct cr_config *config, const char *name,
                                                   size_t len)
{
    char alias[80];

    for (size_t i = 0; i < config->server_count; i++)
        if (strlen(config->servers[i].name) == len &&
            memcmp(config->servers[i].name, name, len) == 0)
            return &config->servers[i];
    if (len >= sizeof(alias))
        return NULL;
    (void)snprintf(alias, sizeof(alias), "%.*s", (int)len, name);
    for (size_t i = 0; i < config->server_count; i++)
        if (cr_tools_is_alias(alias, config->servers[i].name))
            return &config->servers[i];
    return NULL;
}

static const struct cJSON *find_named(const struct cJSON *list, const char *name)
{
    const struct cJSON *v = cr_json_first(list);

    while (v && strcmp(cr_cli_servers_text(v, "name"), name) != 0)
        v = cr_json_next(v);
    return v;
}

const char *cr_cli_servers_state(const struct cr_cli_servers *servers, const char *server,
                                 const char *tool, const char **ret_message, const char **ret_hint)
{
    const struct cJSON *root = NULL, *changed;

    *ret_message = *ret_hint = "";
    for (size_t i = 0; i < servers->answered && !root; i++)
        if (strcmp(cr_cli_servers_text(servers->list[i].doc.root, "name"), server) == 0)
            root = servers->list[i].doc.root;
    if (!root)
        return "unknown";
    if (strcmp(cr_cli_servers_text(root, "state"), "ok") != 0) {
        *ret_message = cr_cli_servers_text(root, "error");
        *ret_hint = cr_cli_servers_text(root, "hint");
        return "unreachable";
    }
    changed = find_named(cr_json_get(root, "changed"), tool);
    if (changed) {
        *ret_message = cr_cli_servers_text(changed, "message");
        *ret_hint = cr_cli_servers_text(changed, "hint");
        return "changed";
    }
    return find_named(cr_json_get(root, "tools"), tool) ? "ok" : "missing";
}

void cr_cli_servers_clear(struct cr_cli_servers *servers)
{
    for (size_t i = 0; i < servers->answered; i++) {
        cr_json_clear(&servers->list[i].doc);
        cr_buf_clear(&servers->list[i].text);
    }
    free(servers->list);
}

int cr_cli_servers_command(struct caprun_runtime *rt, struct caprun_run *run,
                           const struct cr_options *o, cr_cli_servers_fn *command, int *ret_signal)
{
    struct cr_signals signals;
    struct cr_err why;
    const struct cr_config *config = cr_settings_use(o, rt, &why);
    int r;

    if (!config)
        return cr_launch_reject(run, &why);
    if (!config->server_count && !o->quiet)
        cr_output_note("there are no servers: \"mcpServers\" in %s",
                       config->path ? config->path : CR_CONFIG_NAME);
    cr_signals_begin(&signals);
    r = command(rt, config, o, &signals, &why);
    cr_signals_end(&signals);
    *ret_signal = signals.taken;
    return r < 0 ? cr_launch_reject(run, &why) : r;
}
