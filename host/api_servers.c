/* api_servers.c - the public functions about MCP servers and the calls to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "config/config.h"
#include "run/envelope.h"
#include "route/route.h"

int caprun_set_cache(struct caprun_runtime *rt, const char *dir)
{
    char *copy;

    if (rt->route)
        return cr_err_set(&rt->err, CAPRUN_E_STATE, "the servers have been configured already");
    copy = strdup(dir);
    if (!copy)
        return cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory");
    free(rt->cache);
    rt->cache = copy;
    return 0;
}

/* The guard is beside the worker. */
static int find_guard(struct caprun_runtime *rt, char **ret)
{
    const char *worker = rt->pool.stock.program;
    int folder = (int)(strrchr(worker, '/') - worker);

    if (asprintf(ret, "%.*s/caprun-guard", folder, worker) < 0)
        return cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory");
    return 0;
}

int caprun_set_config(struct caprun_runtime *rt, const char *path)
{
    char *guard;
    struct cr_config config;
    struct cr_problem why;
    int r;

    if (rt->route)
        return cr_err_set(&rt->err, CAPRUN_E_STATE, "the servers have been configured already");
    if (cr_config_load(path, &config, &why) < 0)
        return cr_err_set(&rt->err, CAPRUN_E_INVAL, "%s", why.text);
    r = find_guard(rt, &guard);
    if (r == 0) {
        r = cr_route_new(&rt->loop, &config, guard, rt->cache, &rt->route, &rt->err);
        free(guard);
    }
    cr_config_clear(&config);
    return r;
}

static int refuse_without_config(struct caprun_runtime *rt)
{
    if (rt->route)
        return 0;
    return cr_err_set(&rt->err, CAPRUN_E_STATE, "no servers have been configured");
}

int caprun_set_frozen(struct caprun_runtime *rt, int on)
{
    if (refuse_without_config(rt) < 0)
        return CAPRUN_E_STATE;
    cr_route_freeze(rt->route, on != 0);
    return 0;
}

int caprun_permit(struct caprun_runtime *rt, enum caprun_permission what, const char *pattern)
{
    enum cr_policy_answer answer = what == CAPRUN_ALLOW ? CR_POLICY_ALLOW
                                   : what == CAPRUN_ASK ? CR_POLICY_ASK
                                                        : CR_POLICY_DENY;

    if (refuse_without_config(rt) < 0)
        return CAPRUN_E_STATE;
    return cr_policy_add(cr_route_policy(rt->route), answer, pattern, true, &rt->err);
}

int caprun_accept_tool(struct caprun_runtime *rt, const char *method)
{
    if (refuse_without_config(rt) < 0)
        return CAPRUN_E_STATE;
    return cr_route_accept(rt->route, method, &rt->err);
}

int caprun_list_tools(struct caprun_runtime *rt, const char *server,
                      void (*each)(void *data, const char *json, size_t len), void *data)
{
    if (refuse_without_config(rt) < 0)
        return CAPRUN_E_STATE;
    return cr_route_list(rt->route, server, each, data, &rt->err);
}

/* --- calls ---------------------------------------------------------------------------------- */

void caprun_run_set_progress(struct caprun_run *run,
                             void (*progress)(void *data, struct caprun_run *run, uint32_t call,
                                              const char *json, size_t len),
                             void *data)
{
    run->on_progress = progress;
    run->progress_data = data;
}

static const struct cr_call *find(const struct caprun_run *run, uint32_t call)
{
    return call && call <= run->call_count ? &run->calls[call - 1] : NULL;
}

uint64_t caprun_get_call(const struct caprun_run *run, uint32_t call, enum caprun_call_fact fact)
{
    const struct cr_call *c = find(run, call);
    uint64_t all_us, queue_us;

    if (!c)
        return 0;
    all_us = c->state == CR_CALL_OPEN ? (uint64_t)(cr_loop_now() - c->started_us) : c->us;
    queue_us = c->sent_us ? (uint64_t)(c->sent_us - c->started_us) : all_us;
    switch ((int)fact) {
    case CAPRUN_CALL_QUEUE_US:
        return queue_us;
    case CAPRUN_CALL_SERVER_US:
        return all_us - queue_us;
    case CAPRUN_CALL_ARGS_BYTES:
        return c->args_len;
    case CAPRUN_CALL_ANSWER_BYTES:
        return c->answer_len;
    default:
        return 0;
    }
}

const char *caprun_get_call_method(const struct caprun_run *run, uint32_t call)
{
    const struct cr_call *c = find(run, call);

    return c ? c->method : "";
}

const char *caprun_get_call_state(const struct caprun_run *run, uint32_t call)
{
    const struct cr_call *c = find(run, call);

    return c ? cr_envelope_call_state(c) : "";
}

const char *caprun_get_call_message(const struct caprun_run *run, uint32_t call)
{
    const struct cr_call *c = find(run, call);

    return c && c->message ? c->message : "";
}

const char *caprun_get_call_hint(const struct caprun_run *run, uint32_t call)
{
    const struct cr_call *c = find(run, call);

    return c && c->hint ? c->hint : "";
}
