/*
 * route.c - the gate of runs (run/gate.h): finds the target of a call, and decides if it is
 * allowed.
 *
 * This is the only place where targets get permission: cr_target_may_start() before anything is
 * started for a call, and cr_target_may_call() when the exact name of the tool is known. Nothing is
 * sent before both allow it. A call also waits here while a ruling is made.
 */
#include "route/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "route/route_parts.h"
#include "run/calls.h"
#include "run/decide.h"
#include "run/prompter.h"

#define MOST_IN_FLIGHT 1024u
#define MAX_NAMES 1000u             /* of servers, for suggestions */
#define MAX_ASKED_BYTES (64u << 20) /* of args of calls that wait for a ruling */
#define OWN_ASKED_BYTES (1u << 20)  /* each run may have so many, whatever the others have */

/* --- the ends of a call ----------------------------------------------------------------------- */

void cr_target_fail(struct cr_target_call *call, enum caprun_outcome outcome, const char *words,
                    const char *hint)
{
    struct cr_err unused;

    cr_calls_release(call->run, call->number);
    if (hint[0])
        cr_calls_hint(call->run, call->number, hint);
    (void)cr_calls_fail(call->run, call->number, outcome, words, strlen(words), &unused);
    call->ops->free(call);
}

static void deny(struct cr_target_call *call, const struct cr_ruling *ruling)
{
    cr_calls_release(call->run, call->number);
    cr_decide_deny(call->run, call->number, ruling);
    call->ops->free(call);
}

/* --- may the call be made? -------------------------------------------------------------------- */

/* The exact tool; |name| is NULL if it is not known yet. */
struct tool {
    const char *name;
    const char *definition;
    size_t len;
};

static const char *show_hash(const char *bytes, size_t len, char ret[CR_HASH_DIGITS + 1])
{
    uint8_t hash[CR_HASH_BYTES];

    cr_hash_take(bytes, len, hash);
    cr_hash_show(hash, ret);
    return ret;
}

/* Returns what remembered rules are compared with. Without such rules, nothing. */
static struct cr_pins find_pins(struct cr_target_call *call, const struct tool *tool)
{
    if (!call->route->policy.rules.has_pins)
        return (struct cr_pins){0};
    cr_hash_show(cr_asked_code_hash(call->run), call->pins.code);
    return (struct cr_pins){
        .code = call->pins.code,
        .server = show_hash(call->place, strlen(call->place), call->pins.server),
        .tool = tool->name ? show_hash(tool->definition, tool->len, call->pins.tool) : NULL};
}

static void ask_policy(struct cr_target_call *call, const struct tool *tool, struct cr_ruling *ret)
{
    const struct cr_spec *spec = cr_run_spec(call->run);
    const struct cr_question q = {
        .run = spec->id,
        .method = call->method,
        .called = call->called,
        .tool = tool->name,
        .tools = &spec->tools,
        .args = call->args,
        .args_len = call->args_len,
        .caller = spec->caller[0] ? spec->caller : CR_RULES_FOR_EXEC,
        .dir = call->dir,
        .budgets = call->route->policy.rules.count ? cr_run_budgets(call->run) : NULL,
        .counted = &call->counted,
        .allow_declared = spec->allow_declared,
        .pins = find_pins(call, tool),
        .about = {.run = call->run,
                  .number = call->number,
                  .server = call->place,
                  .definition = tool->definition,
                  .definition_len = tool->len}};

    cr_policy_ask(&call->route->policy, &q, &call->pending, ret);
}

static void stop_waiting(struct cr_target_call *call)
{
    call->awaits_ruling = false;
    call->route->asked_bytes -= call->args_len;
    cr_run_budgets(call->run)->asked_bytes -= call->args_len;
}

static bool may_wait(const struct cr_target_call *call)
{
    return call->route->asked_bytes + call->args_len <= MAX_ASKED_BYTES ||
           cr_run_budgets(call->run)->asked_bytes + call->args_len <= OWN_ASKED_BYTES;
}

/* Says in the run who has decided. */
static void keep_decider(struct cr_target_call *call, const struct cr_ruling *ruling)
{
    if (call->person)
        cr_decide_rule(call->run, call->number, &(struct cr_ruling){.by = call->person});
    else
        cr_decide_rule(call->run, call->number, ruling);
}

/* The target calls cr_target_may_call() again: its tools may have changed. */
static void ruled(struct cr_pending *pending, const struct cr_ruling *ruling)
{
    struct cr_target_call *call = cr_container(pending, struct cr_target_call, pending);

    stop_waiting(call);
    if (ruling->answer != CR_RULING_ALLOWED) {
        deny(call, ruling);
        return;
    }
    keep_decider(call, ruling);
    cr_calls_start(call->run, call->number);
    cr_run_schedule(call->run);
    call->ops->resume(call);
}

/* Meanwhile the timeout of the call is stopped, and other calls go on. */
static enum cr_ruling_answer await_ruling(struct cr_target_call *call, const struct tool *tool)
{
    struct cr_route *route = call->route;

    free(call->ruled_tool);
    call->ruled_tool = tool->name ? strdup(tool->name) : NULL;
    call->ruled_patterns = route->policy.patterns.total;
    cr_hash_take(tool->definition, tool->len, call->ruled_hash);
    if ((call->ruled_tool || !tool->name) && may_wait(call)) {
        call->awaits_ruling = true;
        route->asked_bytes += call->args_len;
        cr_run_budgets(call->run)->asked_bytes += call->args_len;
        cr_calls_queued(call->run, call->number);
        return CR_RULING_LATER;
    }
    cr_policy_forget(&route->policy, &call->pending);
    cr_target_fail(call, CAPRUN_OUTCOME_RPC_ERROR, "Too many calls wait for a decision", "");
    return CR_RULING_DENIED;
}

/* The call is freed if the answer is DENIED. */
static enum cr_ruling_answer ask(struct cr_target_call *call, const struct tool *tool)
{
    struct cr_ruling ruling;

    ask_policy(call, tool, &ruling);
    if (ruling.answer == CR_RULING_LATER)
        return await_ruling(call, tool);
    if (ruling.answer == CR_RULING_DENIED)
        deny(call, &ruling);
    else
        keep_decider(call, &ruling);
    return ruling.answer;
}

enum cr_ruling_answer cr_target_may_start(struct cr_target_call *call)
{
    return ask(call, &(struct tool){0});
}

/* Counts the call for the rate of the rule that allows it. Returns false if that is too fast. */
static bool may_send(struct cr_target_call *call, const char *tool)
{
    struct cr_ruling ruling;

    if (!call->counted || call->is_timed)
        return true;
    if (!cr_policy_may_send(&call->route->policy, tool, cr_run_budgets(call->run), call->counted,
                            &ruling)) {
        deny(call, &ruling);
        return false;
    }
    call->is_timed = true;
    return true;
}

/* Did ruled() resume the call for this very tool? */
static bool is_ruled(const struct cr_target_call *call, const struct tool *tool)
{
    uint8_t hash[CR_HASH_BYTES];

    if (!call->ruled_tool || strcmp(call->ruled_tool, tool->name) != 0)
        return false;
    cr_hash_take(tool->definition, tool->len, hash);
    return memcmp(hash, call->ruled_hash, sizeof(hash)) == 0;
}

/*
 * Asks again, since there are new permissions. A person who has allowed the call, and made a rule
 * of that, is still the one who has decided.
 */
static bool is_still_allowed(struct cr_target_call *call, const struct tool *tool)
{
    const char *by = cr_calls_at(call->run, call->number)->by;

    call->person = by && strncmp(by, "human:", 6) == 0 ? by : NULL;
    return ask(call, tool) == CR_RULING_ALLOWED;
}

bool cr_target_may_call(struct cr_target_call *call, const char *name, const char *definition,
                        size_t definition_len)
{
    const struct tool tool = {.name = name, .definition = definition, .len = definition_len};

    if (!is_ruled(call, &tool)) {
        call->person = NULL;
        if (ask(call, &tool) != CR_RULING_ALLOWED)
            return false;
    } else if (call->ruled_patterns != call->route->policy.patterns.total &&
               !is_still_allowed(call, &tool)) {
        return false;
    }
    return may_send(call, name);
}

/* --- the gate --------------------------------------------------------------------------------- */

void cr_target_init(struct cr_target_call *call, const struct cr_target_ops *ops,
                    const struct cr_gate_call *from, struct cr_route *route, const char *name)
{
    call->ops = ops;
    call->route = route;
    call->run = from->run;
    call->number = from->number;
    call->method = cr_calls_at(from->run, from->number)->method;
    call->pending.ruled = ruled;
    (void)snprintf(call->called, sizeof(call->called), "%s:%s", name, cr_target_action(call));
}

const char *cr_target_action(const struct cr_target_call *call)
{
    return strchr(call->method, ':') + 1;
}

/* Suggests a server for the first few calls only: comparing with a thousand names takes long. */
static void refuse_unknown(const struct cr_route *route, const struct cr_gate_call *call,
                           const char *method)
{
    const char *names[MAX_NAMES], *near = NULL;
    char server[80], words[512];
    size_t count = 0;

    (void)snprintf(server, sizeof(server), "%.*s", (int)strcspn(method, ":"), method);
    if (cr_calls_count_missing(call->run) <= CR_ROUTE_SUGGESTIONS) {
        while (count < route->count && count < MAX_NAMES) {
            names[count] = route->servers[count].name;
            count++;
        }
        near = cr_nearest(server, names, count);
    }
    if (!near) {
        cr_decide_no_target(call->run, call->number);
        return;
    }
    (void)snprintf(words, sizeof(words),
                   "No target for %s: there is no \"%s\" in mcpServers; did you mean \"%s\"?",
                   method, server, near);
    cr_decide_fail(call->run, call->number, words);
}

static void *take(struct cr_gate *gate, const struct cr_gate_call *call)
{
    struct cr_route *route = cr_container(gate, struct cr_route, gate);
    const char *method = cr_calls_at(call->run, call->number)->method;
    struct cr_route_server *rs = cr_route_find(route, method);

    if (rs)
        return cr_mcp_take(rs, call);
    refuse_unknown(route, call, method);
    return NULL;
}

static void resume(struct cr_gate *gate, void *handle)
{
    struct cr_target_call *call = handle;

    (void)gate;
    call->ops->send(call);
}

static void cancel(struct cr_gate *gate, void *handle, const char *why)
{
    struct cr_target_call *call = handle;

    (void)gate;
    if (call->awaits_ruling) {
        cr_policy_forget(&call->route->policy, &call->pending);
        stop_waiting(call);
    } else {
        call->ops->cancel(call, why);
    }
    call->ops->free(call);
}

/*
 * The server's name must match exactly, not by alias: a call is never repeated at another server.
 */
bool cr_route_is_idempotent(struct cr_route *route, const char *tool)
{
    size_t len = strcspn(tool, ":");
    const struct cr_route_server *rs = tool[len] ? cr_route_find(route, tool) : NULL;
    struct cr_verdict v;

    if (!rs || strlen(rs->name) != len || memcmp(rs->name, tool, len) != 0)
        return false;
    cr_patterns_judge(&route->idempotent, tool, &v);
    return v.answer == CR_POLICY_ALLOW;
}

static bool is_idempotent(struct cr_gate *gate, const char *tool)
{
    return cr_route_is_idempotent(cr_container(gate, struct cr_route, gate), tool);
}

/* --- from the configuration to the end -------------------------------------------------------- */

static int add_list(struct cr_route *route, char *const *list, enum cr_policy_answer answer,
                    enum cr_patterns_source source, struct cr_err *err)
{
    int r = 0;

    for (; r == 0 && list && *list; list++)
        r = cr_patterns_add(&route->policy.patterns, answer, *list, source, err);
    return r;
}

/* Adds one rule of |file|. An error has its place in the file. */
static int add_rule(struct cr_route *route, const struct cr_config *file,
                    const struct cr_config_rule *from, enum cr_patterns_source source, bool is_own,
                    struct cr_err *err)
{
    static const enum cr_policy_answer answers[] = {[CAPRUN_ALLOW] = CR_POLICY_ALLOW,
                                                    [CAPRUN_ASK] = CR_POLICY_ASK,
                                                    [CAPRUN_DENY] = CR_POLICY_DENY};
    const struct cr_rule_spec spec = {.id = from->id,
                                      .tool = from->tool,
                                      .caller = from->caller,
                                      .when = from->when,
                                      .then = answers[from->then],
                                      .source = source,
                                      .place = (size_t)(from - file->rules),
                                      .max_calls = from->max_calls,
                                      .rate_calls = from->rate_calls,
                                      .rate_ms = from->rate_ms,
                                      .pins = {from->pin, from->tool_pin, from->server_pin},
                                      .is_own = is_own};
    struct cr_err why;
    int r = cr_rules_add(&route->policy.rules, &route->policy.patterns, &spec, file->dir, &why);

    if (r == CAPRUN_E_NOMEM)
        return cr_err_memory(err);
    return r < 0 ? cr_config_refuse_rule(file, from, err, why.text) : 0;
}

static int add_rules(struct cr_route *route, const struct cr_config *file,
                     enum cr_patterns_source source, bool is_own, struct cr_err *err)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < file->rule_count; i++)
        r = add_rule(route, file, &file->rules[i], source, is_own, err);
    return r;
}

/* Adds the patterns and rules of one file. */
static int add_permissions(struct cr_route *route, const struct cr_config *file,
                           enum cr_patterns_source source, struct cr_err *err)
{
    int r = add_list(route, file->allow, CR_POLICY_ALLOW, source, err);

    if (r == 0)
        r = add_list(route, file->ask, CR_POLICY_ASK, source, err);
    if (r == 0)
        r = add_list(route, file->deny, CR_POLICY_DENY, source, err);
    if (r == 0)
        r = add_rules(route, file, source, false, err);
    return r;
}

/* Denials name the files. A project without one gets it beside the lockfile. */
static bool keep_places(struct cr_route *route, const struct cr_config *config)
{
    const struct cr_config *user = config->user;

    route->dir = strdup(config->dir);
    if (config->path)
        route->file = strdup(config->path);
    else if (asprintf(&route->file, "%s/" CR_CONFIG_NAME,
                      strcmp(config->dir, "/") == 0 ? "" : config->dir) < 0)
        route->file = NULL;
    route->user_file = user ? strdup(user->path) : NULL;
    route->policy.dir = route->dir;
    route->policy.file = route->file;
    route->policy.user_file = route->user_file;
    return route->dir && route->file && (route->user_file || !user);
}

static int apply_config(struct cr_route *route, const struct cr_config *config, const char *guard,
                        const char *cache, struct cr_err *err)
{
    int r;

    if (!keep_places(route, config))
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the servers");
    r = cr_route_add_servers(route, config, guard, cache, err);
    if (r == 0)
        r = add_permissions(route, config, CR_PATTERNS_PROJECT, err);
    if (r == 0 && config->user)
        r = add_permissions(route, config->user, CR_PATTERNS_USER, err);
    if (r == 0 && config->remembered)
        r = add_rules(route, config->remembered, CR_PATTERNS_USER, true, err);
    return r;
}

int cr_route_remember(struct cr_route *route, const struct cr_config *file, const char *id,
                      bool is_own, struct cr_err *err)
{
    size_t i = 0;

    while (i < file->rule_count && !(file->rules[i].id && strcmp(file->rules[i].id, id) == 0))
        i++;
    if (i == file->rule_count)
        return cr_err_set(err, CAPRUN_E_INVAL, "no rule has the id '%s'", id);
    return add_rule(route, file, &file->rules[i], is_own ? CR_PATTERNS_USER : CR_PATTERNS_PROJECT,
                    is_own, err);
}

int cr_route_new(struct cr_loop *loop, const struct cr_config *config, const char *guard,
                 const char *cache, struct cr_route **ret, struct cr_err *err)
{
    struct cr_route *route = calloc(1, sizeof(*route));
    int r;

    if (!route)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the servers");
    route->policy.helper = &loop->rules;
    route->gate = (struct cr_gate){
        .take = take, .is_idempotent = is_idempotent, .resume = resume, .cancel = cancel};
    route->all = (struct cr_servers){.loop = loop, .most = MOST_IN_FLIGHT};
    route->release = (struct cr_task){.run = cr_route_release_held, .name = "route"};
    route->held_last = &route->held;
    r = apply_config(route, config, guard, cache, err);
    /* now: a server could create so many processes that no thread can be created */
    if (r == 0 && route->policy.rules.has_conditions && !cr_helper_start(&loop->rules))
        r = cr_err_set(err, CAPRUN_E_SYS, "cannot create the helper thread that rules need");
    if (r < 0) {
        cr_route_free(route);
        return r;
    }
    *ret = route;
    return 0;
}

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

void cr_route_free(struct cr_route *route)
{
    if (!route)
        return;
    route->each = NULL; /* do not report a pending listing: its owner's data may be freed */
    cr_route_end_servers(route);
    cr_route_end_hold(route);
    cr_route_free_servers(route);
    cr_policy_clear(&route->policy);
    cr_patterns_clear(&route->idempotent);
    free(route->dir);
    free(route->file);
    free(route->user_file);
    free(route);
}
