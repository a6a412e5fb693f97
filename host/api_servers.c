/* api_servers.c - public functions: configuration, servers, capabilities, facts about calls. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "capability/loader.h"
#include "config/config.h"
#include "run/envelope.h"
#include "route/route.h"

/* Writes the path of |program|, in the directory of the worker, to |ret|. */
static int find_program(struct caprun_runtime *rt, const char *program, char ret[PATH_MAX])
{
    const char *worker = rt->pool.stock.program;
    int folder = (int)(strrchr(worker, '/') - worker);

    if (snprintf(ret, PATH_MAX, "%.*s/%s", folder, worker, program) >= PATH_MAX)
        return cr_err_set(&rt->err, CAPRUN_E_INVAL, "the path of '%s' is too long", program);
    return 0;
}

static int make_route(struct caprun_runtime *rt)
{
    char guard[PATH_MAX];
    int r;

    if (find_program(rt, "caprun-guard", guard) < 0)
        return CAPRUN_E_INVAL;
    r = cr_route_new(&rt->loop, rt->config, guard, rt->cache, &rt->route, &rt->err);
    if (r == 0)
        cr_route_policy(rt->route)->asker = &rt->people.asker;
    rt->people.timeout_ms = rt->config->approval_ms;
    return r;
}

static int refuse_second_config(struct caprun_runtime *rt)
{
    if (!rt->config)
        return 0;
    return cr_err_set(&rt->err, CAPRUN_E_STATE, "the servers have been configured already");
}

int caprun_set_cache(struct caprun_runtime *rt, const char *dir)
{
    char *copy;

    if (refuse_second_config(rt) < 0)
        return CAPRUN_E_STATE;
    copy = strdup(dir);
    if (!copy)
        return cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory");
    free(rt->cache);
    rt->cache = copy;
    return 0;
}

static void lock_is_good(void *data)
{
    const struct caprun_runtime *rt = data;

    if (rt->route)
        cr_route_trust_lock(rt->route);
}

/*
 * Takes ownership of |config|. Returns 0, CAPRUN_E_STATE, CAPRUN_E_NOMEM, or CAPRUN_E_INVAL if the
 * path of caprun-fetch is too long.
 */
static int keep_config(struct caprun_runtime *rt, struct cr_config *config)
{
    struct cr_config *copy = refuse_second_config(rt) < 0 ? NULL : malloc(sizeof(*copy));

    if (!copy) {
        cr_config_clear(config);
        return rt->config ? CAPRUN_E_STATE : cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory");
    }
    *copy = *config;
    rt->config = copy;
    rt->capabilities.config = copy;
    rt->capabilities.cache_dir = rt->cache;
    rt->capabilities.lock_is_good = lock_is_good;
    rt->capabilities.data = rt;
    return find_program(rt, "caprun-fetch", rt->capabilities.http.program);
}

static void forget_config(struct caprun_runtime *rt)
{
    cr_config_clear(rt->config);
    free(rt->config);
    rt->config = NULL;
    rt->capabilities.config = NULL;
}

/* Nothing is audited without a file: the library has no directory of its own. */
static int begin_audit(struct caprun_runtime *rt)
{
    const struct cr_config_audit *audit = &rt->config->audit;

    if (!audit->is_set || rt->audit)
        return 0;
    if (!audit->file)
        return cr_err_set(&rt->err, CAPRUN_E_INVAL,
                          "'%s': \"audit\" has no \"file\", and the application has named none",
                          rt->config->path);
    return caprun_set_audit(rt, audit->file, cr_config_audit_flags(audit));
}

int caprun_set_config(struct caprun_runtime *rt, const char *path)
{
    struct cr_config config;
    struct cr_err why;
    int r = refuse_second_config(rt);

    if (r < 0)
        return r;
    if (cr_config_load(path, &config, &why) < 0)
        return cr_err_set(&rt->err, CAPRUN_E_INVAL, "%s", why.text);
    r = keep_config(rt, &config);
    if (r < 0)
        return r;
    r = begin_audit(rt);
    if (r == 0)
        r = make_route(rt);
    if (r < 0)
        forget_config(rt);
    return r;
}

int cr_capability_host_configure(struct caprun_runtime *rt, struct cr_config *config)
{
    int r = keep_config(rt, config);

    return r < 0 ? r : make_route(rt);
}

struct cr_policy *cr_capability_host_policy(struct caprun_runtime *rt)
{
    return cr_route_policy(rt->route);
}

int cr_capability_host_remember(struct caprun_runtime *rt, const struct cr_config *file,
                                const char *id, bool is_own, struct cr_err *err)
{
    return cr_route_remember(rt->route, file, id, is_own, err);
}

static int refuse_without_config(struct caprun_runtime *rt)
{
    if (rt->config)
        return 0;
    return cr_err_set(&rt->err, CAPRUN_E_STATE, "no servers have been configured");
}

static int refuse_without_route(struct caprun_runtime *rt)
{
    if (rt->route)
        return 0;
    return cr_err_set(&rt->err, CAPRUN_E_STATE, "no servers have been configured");
}

int caprun_set_frozen(struct caprun_runtime *rt, int on)
{
    if (refuse_without_config(rt) < 0)
        return CAPRUN_E_STATE;
    rt->capabilities.frozen = on != 0;
    if (rt->route)
        cr_route_freeze(rt->route, on != 0);
    return 0;
}

int caprun_permit(struct caprun_runtime *rt, enum caprun_permission what, const char *pattern)
{
    enum cr_policy_answer answer = what == CAPRUN_ALLOW ? CR_POLICY_ALLOW
                                   : what == CAPRUN_ASK ? CR_POLICY_ASK
                                                        : CR_POLICY_DENY;

    if (refuse_without_route(rt) < 0)
        return CAPRUN_E_STATE;
    return cr_patterns_add(&cr_route_policy(rt->route)->patterns, answer, pattern,
                           CR_PATTERNS_COMMAND_LINE, &rt->err);
}

int caprun_accept_tool(struct caprun_runtime *rt, const char *method)
{
    if (refuse_without_route(rt) < 0)
        return CAPRUN_E_STATE;
    return cr_route_accept(rt->route, method, &rt->err);
}

int caprun_list_tools(struct caprun_runtime *rt, const char *server, caprun_tools_fn *each,
                      void *data)
{
    if (refuse_without_route(rt) < 0)
        return CAPRUN_E_STATE;
    return cr_route_list(rt->route, server, each, data, &rt->err);
}

/* --- capabilities --------------------------------------------------------------------------- */

struct cr_capability_host *cr_capability_host_of(struct caprun_runtime *rt)
{
    return &rt->capabilities;
}

int caprun_run_load(struct caprun_run *run, const char *name)
{
    struct caprun_runtime *rt = run->runtime;

    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (!rt->config)
        return cr_err_set(&rt->err, CAPRUN_E_STATE,
                          "there is no configuration that names registries");
    if (cr_loader_new(run, &rt->capabilities, name) < 0)
        return cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory");
    return 0;
}

void caprun_run_set_loading(struct caprun_run *run, caprun_loading_fn *loading, void *data)
{
    run->on_loading = loading;
    run->loading_data = data;
}

/* --- calls ---------------------------------------------------------------------------------- */

void caprun_run_set_progress(struct caprun_run *run, caprun_progress_fn *progress, void *data)
{
    run->on_progress = progress;
    run->progress_data = data;
}

static const struct cr_call *find_call(const struct caprun_run *run, uint32_t call)
{
    return call && call <= run->call_count ? &run->calls[call - 1] : NULL;
}

uint64_t caprun_get_call(const struct caprun_run *run, uint32_t call, enum caprun_call_fact fact)
{
    const struct cr_call *c = find_call(run, call);
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
    const struct cr_call *c = find_call(run, call);

    return c ? c->method : "";
}

const char *caprun_get_call_state(const struct caprun_run *run, uint32_t call)
{
    const struct cr_call *c = find_call(run, call);

    return c ? cr_envelope_call_state(c) : "";
}

const char *caprun_get_call_message(const struct caprun_run *run, uint32_t call)
{
    const struct cr_call *c = find_call(run, call);

    return c && c->message ? c->message : "";
}

const char *caprun_get_call_hint(const struct caprun_run *run, uint32_t call)
{
    const struct cr_call *c = find_call(run, call);

    return c && c->hint ? c->hint : "";
}
