/* route.c - the servers of a configuration, from its table to the end of the last process. */
#include "route/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/stdio.h"
#include "mcp/tools.h"
#include "route/route_parts.h"
#include "run/calls.h"
#include "run/decide.h"

#define MOST_IN_FLIGHT 1024u
#define END_MS 5000 /* longer than a server is given to end */

/* What a server gets of the environment, beside what is configured for it. */
static const char *const passed_on[] = {"PATH",  "HOME", "USER", "LOGNAME",
                                        "SHELL", "TERM", "LANG", "TMPDIR"};
#define PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

/* --- making ------------------------------------------------------------------------------------
 */

static bool sets(char *const *env, const char *name)
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

/* The first |*ret_own| of them are to be freed, the others are |env|'s. NULL: no memory. */
static char **full_env(char *const *env, size_t *ret_own)
{
    char **all = calloc(PASSED_ON + count_of(env) + 1, sizeof(*all));
    size_t n = 0;

    for (size_t i = 0; all && i < PASSED_ON; i++) {
        const char *value = getenv(passed_on[i]);

        if (!value || sets(env, passed_on[i]))
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

static int add_server(struct cr_route *route, const struct cr_config_server *c, const char *guard,
                      const char *eras_dir, struct cr_err *err)
{
    static const struct cr_server_owner owner = {.listed = server_listed};
    struct cr_route_server *rs = &route->servers[route->count];
    struct cr_server_spec spec = {.name = c->name,
                                  .era = era_of(c->era),
                                  .at_once = (uint32_t)c->max_concurrent,
                                  .eras_dir = eras_dir};
    size_t own;
    char **env;

    route->count++;
    rs->route = route;
    rs->is_remote = c->url != NULL;
    rs->pins.again = (struct cr_timer){.when_us = -1, .due = cr_route_check_again, .name = "pins"};
    rs->pins.list_again =
        (struct cr_timer){.when_us = -1, .due = cr_route_list_again, .name = "pins"};
    (void)snprintf(rs->name, sizeof(rs->name), "%s", c->name);
    if (rs->is_remote)
        return 0;
    env = full_env(c->env, &own);
    if (!env)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the server '%s'", c->name);
    spec.endpoint = cr_stdio_new(&(struct cr_child_spec){.guard = guard,
                                                         .argv = (const char *const *)c->argv,
                                                         .envp = (const char *const *)env,
                                                         .cwd = c->cwd});
    free_env(env, own);
    return cr_server_new(&route->all, &spec, &owner, rs, &rs->server, err);
}

static int add_patterns(struct cr_route *route, char *const *list, enum cr_policy_answer answer,
                        struct cr_err *err)
{
    int r = 0;

    for (; r == 0 && list && *list; list++)
        r = cr_patterns_add(&route->policy.patterns, answer, *list, false, err);
    return r;
}

static int add_idempotent(struct cr_route *route, const struct cr_config_server *c,
                          struct cr_err *err)
{
    char pattern[400];
    int r = 0;

    for (char **glob = c->idempotent; r == 0 && *glob; glob++) {
        (void)snprintf(pattern, sizeof(pattern), "%s:%s", c->name, *glob);
        r = cr_patterns_add(&route->idempotent, CR_POLICY_ALLOW, pattern, false, err);
    }
    return r;
}

static int fill(struct cr_route *route, const struct cr_config *config, const char *guard,
                const char *cache, struct cr_err *err)
{
    char *eras_dir = NULL;
    int r = 0;

    route->dir = strdup(config->dir);
    route->servers = calloc(config->server_count + 1, sizeof(*route->servers));
    if (!route->dir || !route->servers || (cache && asprintf(&eras_dir, "%s/eras", cache) < 0))
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the servers");
    for (size_t i = 0; r == 0 && i < config->server_count; i++)
        if ((r = add_server(route, &config->servers[i], guard, eras_dir, err)) == 0)
            r = add_idempotent(route, &config->servers[i], err);
    free(eras_dir);
    if (r == 0)
        r = add_patterns(route, config->allow, CR_POLICY_ALLOW, err);
    if (r == 0)
        r = add_patterns(route, config->ask, CR_POLICY_ASK, err);
    if (r == 0)
        r = add_patterns(route, config->deny, CR_POLICY_DENY, err);
    return r;
}

/* --- as the gate of runs ------------------------------------------------------------------------
 */

static void refuse_remote(struct caprun_run *run, uint32_t number, const char *method)
{
    char words[512];

    (void)snprintf(words, sizeof(words),
                   "No target for %s: the server \"%.*s\" has a URL, and this version of caprun "
                   "talks to commands only",
                   method, (int)strcspn(method, ":"), method);
    cr_decide_fail(run, number, words);
}

/* Each kind of target has a file of its own: target_….c. */
static void *take(struct cr_gate *gate, struct caprun_run *run, uint32_t number, const char *args,
                  size_t len, uint8_t **block)
{
    struct cr_route *route = cr_container(gate, struct cr_route, gate);
    const char *method = cr_calls_at(run, number)->method;
    struct cr_route_server *rs = cr_route_find(route, method);

    if (rs && !rs->is_remote)
        return cr_mcp_take(rs, run, number, args, len, block);
    if (rs)
        refuse_remote(run, number, method);
    else
        cr_decide_no_target(run, number);
    return NULL;
}

static void lost(struct cr_gate *gate, void *taken, const char *why)
{
    struct cr_target_call *call = taken;

    (void)gate;
    call->lost(call, why);
}

/* Also the server has to be called exactly so: the call is not repeated at another one. */
static bool is_idempotent(struct cr_gate *gate, const char *tool)
{
    struct cr_route *route = cr_container(gate, struct cr_route, gate);
    size_t len = strcspn(tool, ":");
    const struct cr_route_server *rs = tool[len] ? cr_route_find(route, tool) : NULL;
    struct cr_verdict v;

    if (!rs || strlen(rs->name) != len || memcmp(rs->name, tool, len) != 0)
        return false;
    cr_patterns_judge(&route->idempotent, tool, &v);
    return v.answer == CR_POLICY_ALLOW;
}

/* --- from the configuration ---------------------------------------------------------------------
 */

int cr_route_new(struct cr_loop *loop, const struct cr_config *config, const char *guard,
                 const char *cache, struct cr_route **ret, struct cr_err *err)
{
    struct cr_route *route = calloc(1, sizeof(*route));
    int r;

    if (!route)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the servers");
    route->gate = (struct cr_gate){.take = take, .is_idempotent = is_idempotent, .lost = lost};
    route->all = (struct cr_servers){.loop = loop, .most = MOST_IN_FLIGHT};
    route->remote = (struct cr_task){.run = cr_route_tell_remote, .name = "route"};
    route->release = (struct cr_task){.run = cr_route_release_held, .name = "route"};
    route->held_last = &route->held;
    r = fill(route, config, guard, cache, err);
    if (r < 0) {
        cr_route_free(route);
        return r;
    }
    *ret = route;
    return 0;
}

/* --- what it is asked ---------------------------------------------------------------------------
 */

struct cr_gate *cr_route_gate(struct cr_route *route)
{
    return &route->gate;
}

struct cr_policy *cr_route_policy(struct cr_route *route)
{
    return &route->policy;
}

void cr_route_freeze(struct cr_route *route, bool frozen)
{
    route->frozen = frozen;
}

static bool is_called(const char *name, const char *method, size_t len)
{
    return strlen(name) == len && memcmp(name, method, len) == 0;
}

/* No two servers have names that become the same: the configuration was checked for that. */
struct cr_route_server *cr_route_find(struct cr_route *route, const char *method)
{
    size_t len = strcspn(method, ":");
    char alias[80];

    for (size_t i = 0; i < route->count; i++)
        if (is_called(route->servers[i].name, method, len))
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

    /* by exact names only: what is accepted is what is shown */
    if (!rs || !colon || rs->is_remote ||
        strncmp(rs->name, method, (size_t)(colon - method)) != 0 ||
        strlen(colon + 1) > CR_ROUTE_TOOL)
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' is no tool of a configured server", method);
    (void)snprintf(rs->accept, sizeof(rs->accept), "%s", colon + 1);
    return 0;
}

/* --- the end ------------------------------------------------------------------------------------
 */

static bool are_off(const struct cr_route *route)
{
    for (size_t i = 0; i < route->count; i++)
        if (route->servers[i].server && !cr_server_is_off(route->servers[i].server))
            return false;
    return true;
}

static void end_servers(struct cr_route *route)
{
    int64_t until = cr_loop_now() + END_MS * 1000;

    for (size_t i = 0; i < route->count; i++)
        if (route->servers[i].server)
            cr_server_stop(route->servers[i].server);
    while (!are_off(route) && cr_loop_now() < until)
        cr_loop_step(route->all.loop, END_MS);
}

void cr_route_free(struct cr_route *route)
{
    if (!route)
        return;
    route->each = NULL; /* who waits for a listing is not told: his data may be gone */
    end_servers(route);
    cr_loop_forget(route->all.loop, &route->remote);
    cr_route_end_hold(route);
    for (size_t i = 0; i < route->count; i++) {
        cr_route_end_pins(&route->servers[i]);
        cr_server_free(route->servers[i].server);
    }
    free(route->servers);
    cr_policy_clear(&route->policy);
    cr_patterns_clear(&route->idempotent);
    free(route->dir);
    free(route);
}
