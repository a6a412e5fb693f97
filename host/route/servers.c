/* servers.c - creates the configured servers, finds them by name, and stops them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "mcp/remote.h"
#include "mcp/stdio.h"
#include "mcp/tools.h"
#include "route/route_parts.h"

#define MAX_PLACE (64u << 20)
#define END_MS 5000 /* more than the timeouts after which a server is killed */

/* --- making ----------------------------------------------------------------------------------- */

/* The variables that every server gets from the environment, unless its configuration sets them. */
static const char *const passed_on[] = {"PATH",  "HOME", "USER", "LOGNAME",
                                        "SHELL", "TERM", "LANG", "TMPDIR"};
#define PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

static bool sets_variable(char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (; *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return true;
    return false;
}

static size_t count_of(char *const *list)
{
    size_t count = 0;

    while (list[count])
        count++;
    return count;
}

static void free_env(char **env, size_t own)
{
    for (size_t i = 0; i < own; i++)
        free(env[i]);
    free(env);
}

/*
 * Returns a list whose first |*ret_own| strings the caller frees; |env| owns the rest. NULL: no
 * memory.
 */
static char **full_env(char *const *env, size_t *ret_own)
{
    char **all = calloc(PASSED_ON + count_of(env) + 1, sizeof(*all));
    size_t n = 0;

    for (size_t i = 0; all && i < PASSED_ON; i++) {
        const char *value = getenv(passed_on[i]);

        if (!value || sets_variable(env, passed_on[i]))
            continue;
        if (asprintf(&all[n], "%s=%s", passed_on[i], value) < 0) {
            free_env(all, n);
            return NULL;
        }
        n++;
    }
    if (all)
        memcpy(all + n, env, count_of(env) * sizeof(*env));
    *ret_own = n;
    return all;
}

static enum cr_era era_of(enum cr_config_era era)
{
    return era == CR_CONFIG_ERA_MODERN   ? CR_ERA_MODERN
           : era == CR_CONFIG_ERA_LEGACY ? CR_ERA_LEGACY
                                         : CR_ERA_UNKNOWN;
}

static void server_listed(void *data, struct cr_server *server)
{
    (void)server;
    cr_route_forget_pins(data);
}

/* Returns what a person sees of the server, as JSON; the caller frees it. NULL: no memory. */
static char *place_of(const struct cr_config_server *c)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_PLACE);
    const char *text;

    if (c->url) {
        cr_buf_str(&out, "{\"url\":");
        cr_escape_json_str(&out, c->url);
    } else {
        cr_buf_str(&out, "{\"command\":[");
        for (char *const *word = c->argv; *word; word++) {
            cr_buf_str(&out, word == c->argv ? "" : ",");
            cr_escape_json_str(&out, *word);
        }
        cr_buf_str(&out, "]");
        cr_escape_member(&out, "cwd", c->cwd);
    }
    cr_buf_str(&out, "}");
    text = cr_buf_text(&out);
    return text ? strdup(text) : NULL;
}

/* Returns how the server is reached; NULL: no memory. */
static struct cr_endpoint *endpoint_of(const struct cr_config_server *c, const char *guard)
{
    struct cr_endpoint *endpoint;
    size_t own;
    char **env;

    if (c->url)
        return cr_remote_new(&(struct cr_remote_spec){
            .url = c->url, .headers = c->headers, .ca_file = c->ca_file, .proxy = c->proxy});
    env = full_env(c->env, &own);
    if (!env)
        return NULL;
    endpoint = cr_stdio_new(&(struct cr_child_spec){.guard = guard,
                                                    .argv = (const char *const *)c->argv,
                                                    .envp = (const char *const *)env,
                                                    .cwd = c->cwd});
    free_env(env, own);
    return endpoint;
}

static int add_server(struct cr_route *route, const struct cr_config_server *c, const char *guard,
                      const char *eras_dir, struct cr_err *err)
{
    static const struct cr_server_owner owner = {.listed = server_listed};
    struct cr_route_server *rs = &route->servers[route->count];
    struct cr_server_spec spec = {.name = c->name,
                                  .era = era_of(c->era),
                                  .at_once = (uint32_t)c->max_concurrent,
                                  .eras_dir = eras_dir};
    char *place;

    route->count++;
    rs->route = route;
    rs->pins.again = (struct cr_timer){.when_us = -1, .due = cr_route_check_again, .name = "pins"};
    rs->pins.list_again =
        (struct cr_timer){.when_us = -1, .due = cr_route_list_again, .name = "pins"};
    (void)snprintf(rs->name, sizeof(rs->name), "%s", c->name);
    place = place_of(c);
    rs->place = place;
    if (!place)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the server '%s'", c->name);
    rs->dir = c->cwd;
    spec.endpoint = endpoint_of(c, guard);
    return cr_server_new(&route->all, &spec, &owner, rs, &rs->server, err);
}

static int add_idempotent(struct cr_route *route, const struct cr_config_server *c,
                          struct cr_err *err)
{
    char pattern[400];
    int r = 0;

    for (char **glob = c->idempotent; r == 0 && *glob; glob++) {
        (void)snprintf(pattern, sizeof(pattern), "%s:%s", c->name, *glob);
        r = cr_patterns_add(&route->idempotent, CR_POLICY_ALLOW, pattern, CR_PATTERNS_PROJECT, err);
    }
    return r;
}

int cr_route_add_servers(struct cr_route *route, const struct cr_config *config, const char *guard,
                         const char *cache, struct cr_err *err)
{
    char *eras_dir = NULL;
    int r = 0;

    route->servers = calloc(config->server_count + 1, sizeof(*route->servers));
    if (!route->servers || (cache && asprintf(&eras_dir, "%s/eras", cache) < 0))
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the servers");
    for (size_t i = 0; r == 0 && i < config->server_count; i++)
        if ((r = add_server(route, &config->servers[i], guard, eras_dir, err)) == 0)
            r = add_idempotent(route, &config->servers[i], err);
    free(eras_dir);
    return r;
}

/* --- by name ---------------------------------------------------------------------------------- */

static bool is_named(const char *name, const char *method, size_t len)
{
    return strlen(name) == len && memcmp(name, method, len) == 0;
}

/* The configuration is checked: no two servers have the same alias. */
struct cr_route_server *cr_route_find(struct cr_route *route, const char *method)
{
    size_t len = strcspn(method, ":");
    char alias[80];

    for (size_t i = 0; i < route->count; i++)
        if (is_named(route->servers[i].name, method, len))
            return &route->servers[i];
    if (len >= sizeof(alias))
        return NULL;
    (void)snprintf(alias, sizeof(alias), "%.*s", (int)len, method);
    for (size_t i = 0; i < route->count; i++)
        if (cr_tools_is_alias(alias, route->servers[i].name))
            return &route->servers[i];
    return NULL;
}

int cr_route_accept(struct cr_route *route, const char *method, struct cr_err *err)
{
    struct cr_route_server *rs = cr_route_find(route, method);
    const char *colon = strchr(method, ':');

    /* only by exact name: a person must accept exactly the tool that was shown */
    if (!rs || !colon || strncmp(rs->name, method, (size_t)(colon - method)) != 0 ||
        strlen(colon + 1) > CR_ROUTE_TOOL)
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' is no tool of a configured server", method);
    (void)snprintf(rs->accept, sizeof(rs->accept), "%s", colon + 1);
    return 0;
}

/* --- the end ---------------------------------------------------------------------------------- */

static bool all_are_off(const struct cr_route *route)
{
    for (size_t i = 0; i < route->count; i++)
        if (route->servers[i].server && !cr_server_is_off(route->servers[i].server))
            return false;
    return true;
}

void cr_route_end_servers(struct cr_route *route)
{
    int64_t until = cr_loop_now() + END_MS * 1000;

    for (size_t i = 0; i < route->count; i++)
        if (route->servers[i].server)
            cr_server_stop(route->servers[i].server);
    while (!all_are_off(route) && cr_loop_now() < until)
        cr_loop_step(route->all.loop, END_MS);
}

void cr_route_free_servers(struct cr_route *route)
{
    for (size_t i = 0; i < route->count; i++) {
        cr_route_end_pins(&route->servers[i]);
        cr_server_free(route->servers[i].server);
        free(route->servers[i].place);
    }
    free(route->servers);
}
