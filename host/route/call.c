/*
 * call.c - the way of a call behind the gate: policy, a place at the server, policy again, the pin,
 * the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "base/nearest.h"
#include "base/pattern.h"
#include "pool/calls.h"
#include "pool/decide.h"
#include "route/route_parts.h"

struct call {
    struct cr_server_call at; /* the server */
    struct cr_route_server *rs;
    struct caprun_run *run;
    uint32_t number;
    char *args;
    char method[]; /* as it was called */
};

static struct call *of(struct cr_server_call *at)
{
    return cr_container(at, struct call, at);
}

static void free_call(struct call *c)
{
    free(c->args);
    free(c);
}

static const char *action_of(const char *method)
{
    return strchr(method, ':') + 1;
}

/* --- policy -------------------------------------------------------------------------------------
 */

/* |method| is the server's name, and the action. */
static void say_denied(const char *method, const struct cr_verdict *v, struct cr_ruling *ret)
{
    const char *list = v->answer == CR_POLICY_DENY ? "deny" : "ask";
    char by[400] = "nothing in \"permissions\" allows it";

    if (v->pattern && v->from_command_line)
        (void)snprintf(by, sizeof(by), "--%s %s", list, v->pattern);
    else if (v->pattern)
        (void)snprintf(by, sizeof(by), "\"permissions\": {\"%s\": [\"%s\"]} of .caprun.json", list,
                       v->pattern);
    if (v->answer == CR_POLICY_DENY)
        (void)snprintf(ret->message, sizeof(ret->message), "%s is denied by %s", method, by);
    else if (!cr_pattern_is(method) || strpbrk(method, "*?")) /* a server's word: in no command */
        (void)snprintf(ret->message, sizeof(ret->message),
                       "%s is denied: nothing in \"permissions\" allows it", method);
    else
        (void)snprintf(ret->message, sizeof(ret->message),
                       "%s is denied: %s%s, and this version of caprun cannot ask; to allow it, "
                       "add \"permissions\": {\"allow\": [\"%s\"]} to .caprun.json, or "
                       "--allow %s to the command%s",
                       method, v->pattern ? "a person has to be asked because of " : "", by, method,
                       method,
                       strchr(method, '_') ? "; if the \"_\" is for another character of the name, "
                                             "write that"
                                           : "");
}

/*
 * A name that is denied or asked about is so however it is written, or who is denied "a_b" would
 * call "a-b": but what the configuration allows by its very name.
 */
static void heed_aliases(struct cr_route *route, const char *method, struct cr_verdict *v)
{
    struct cr_verdict alias;
    bool forbidden;

    cr_policy_judge_alias(&route->policy, method, &alias);
    forbidden = alias.answer == CR_POLICY_DENY && alias.from_command_line;
    if (alias.answer != CR_POLICY_ALLOW && (forbidden || strcmp(v->pattern, method) != 0))
        *v = alias;
}

/* Returns true if |method| is allowed, by a pattern as it is. */
static bool judge_exactly(struct cr_route *route, const char *method, struct cr_ruling *ret)
{
    struct cr_verdict v;

    cr_policy_judge(&route->policy, method, &v);
    if (v.answer == CR_POLICY_ALLOW)
        heed_aliases(route, method, &v);
    ret->answer = v.answer == CR_POLICY_ALLOW ? CR_RULING_ALLOWED : CR_RULING_DENIED;
    ret->by = v.answer == CR_POLICY_ASK ? "no_channel" : "rule:";
    ret->rule = v.answer == CR_POLICY_ASK ? NULL : v.pattern;
    if (v.answer != CR_POLICY_ALLOW)
        say_denied(method, &v, ret);
    return v.answer == CR_POLICY_ALLOW;
}

static void say_no_target(const struct cr_route_server *rs, const char *method,
                          struct cr_ruling *ret)
{
    *ret = (struct cr_ruling){.answer = CR_RULING_NO_TARGET};
    (void)snprintf(ret->message, sizeof(ret->message),
                   rs ? "No target for %s: the server \"%.*s\" has a URL, and this version of "
                        "caprun talks to commands only"
                      : "No target for %s: there is no \"%.*s\" in mcpServers",
                   method, (int)strcspn(method, ":"), method);
}

/* The method with the server's own name before it. */
static void exact(const struct cr_route_server *rs, const char *action, char *ret, size_t size)
{
    (void)snprintf(ret, size, "%s:%s", rs->name, action);
}

void cr_route_judge(struct cr_gate *gate, const char *method, struct cr_ruling *ret)
{
    struct cr_route *route = cr_container(gate, struct cr_route, gate);
    struct cr_route_server *rs = cr_route_find(route, method);
    struct cr_verdict alias;
    char name[256];

    if (!rs || rs->is_remote) {
        say_no_target(rs, method, ret);
        return;
    }
    exact(rs, action_of(method), name, sizeof(name));
    if (judge_exactly(route, name, ret))
        return;
    /* it may be the alias of a tool that is allowed: its exact name will be judged */
    cr_policy_judge_alias(&route->policy, name, &alias);
    if (alias.answer == CR_POLICY_ALLOW) {
        ret->answer = CR_RULING_ALLOWED;
        ret->by = "rule:";
        ret->rule = alias.pattern;
    }
}

/* --- to the server ------------------------------------------------------------------------------
 */

/* Ends with the call; what is told to its run may end that too. */
static void end(struct call *c, enum caprun_outcome outcome, const char *words, const char *hint)
{
    struct cr_err unused;

    cr_calls_release(c->run, c->number);
    if (hint[0])
        cr_calls_hint(c->run, c->number, hint);
    (void)cr_calls_fail(c->run, c->number, outcome, words, strlen(words), &unused);
    free_call(c);
}

/* What is wrong with the lockfile, and where that is, is for the user and not for the code. */
static const char *words_for_code(const struct cr_problem *why)
{
    return why->outcome == CAPRUN_OUTCOME_CONFIG_ERROR ? "caprun.lock cannot be read or written"
                                                       : why->text;
}

static void hint_for_user(const struct cr_problem *why, char *ret, size_t size)
{
    bool is_ours = why->outcome == CAPRUN_OUTCOME_CONFIG_ERROR;

    (void)snprintf(ret, size, "%.300s%s%.200s", is_ours ? why->text : "",
                   is_ours && why->hint[0] ? "; " : "", why->hint);
}

static void refuse_unlisted(struct call *c, const struct cr_tools *tools)
{
    const char *action = action_of(c->method), *near = NULL;
    const char **names = calloc(tools->count + 1, sizeof(*names));
    char words[512];

    for (size_t i = 0; names && i < tools->count; i++)
        names[i] = tools->list[i].name;
    if (names)
        near = cr_nearest(action, names, tools->count);
    (void)snprintf(words, sizeof(words), "The server \"%s\" has no tool \"%s\"%s%.128s%s",
                   c->rs->name, action, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
    free(names);
    end(c, CAPRUN_OUTCOME_RPC_ERROR, words, "caprun tools lists the tools of each server");
}

static void refuse_ambiguous(struct call *c, const struct cr_tool *a, const struct cr_tool *b)
{
    char words[512];

    (void)snprintf(words, sizeof(words),
                   "\"%s\" could be \"%.128s\" or \"%.128s\" of the server \"%s\"; call it by its "
                   "exact name, in brackets",
                   action_of(c->method), a->name, b->name, c->rs->name);
    end(c, CAPRUN_OUTCOME_RPC_ERROR, words, "");
}

/* Now that its exact name is known, may |tool| be called? If not, the call has ended. */
static bool is_permitted(struct call *c, const struct cr_tool *tool)
{
    struct cr_ruling ruling;
    char name[1024];
    bool listed, allowed;

    exact(c->rs, tool->name, name, sizeof(name));
    listed = cr_decide_is_listed(c->run, c->method) || cr_decide_is_listed(c->run, name);
    allowed = listed && judge_exactly(c->rs->route, name, &ruling);
    if (allowed && !cr_pattern_is(name)) {
        /* no pattern can spell it, so that what it was called counts as well */
        exact(c->rs, action_of(c->method), name, sizeof(name));
        allowed = judge_exactly(c->rs->route, name, &ruling);
    }
    if (allowed) {
        cr_decide_rule(c->run, c->number, &ruling);
        return true;
    }
    cr_calls_release(c->run, c->number);
    if (listed)
        cr_decide_deny(c->run, c->number, &ruling);
    else
        cr_decide_deny_unlisted(c->run, c->number);
    free_call(c);
    return false;
}

static const char *admit(struct cr_server_call *at, const struct cr_tools *tools)
{
    struct call *c = of(at);
    const struct cr_tool *first = NULL, *second = NULL;
    const struct cr_tool *tool = cr_tools_find(tools, action_of(c->method), &first, &second);
    struct cr_problem why;
    char hint[512];

    if (!tool) {
        if (first)
            refuse_ambiguous(c, first, second);
        else
            refuse_unlisted(c, tools);
        return NULL;
    }
    if (!is_permitted(c, tool))
        return NULL;
    if (cr_route_check_pin(c->rs, tool, &why) < 0) {
        hint_for_user(&why, hint, sizeof(hint));
        end(c, why.outcome, words_for_code(&why), hint);
        return NULL;
    }
    if (cr_calls_send(c->run, c->number) < 0) {
        free_call(c);
        return NULL;
    }
    return tool->name;
}

static void queued(struct cr_server_call *at)
{
    cr_calls_queued(of(at)->run, of(at)->number);
}

static void sent(struct cr_server_call *at)
{
    struct call *c = of(at);

    free(c->args);
    c->args = NULL;
}

/* --- and back -----------------------------------------------------------------------------------
 */

static void progress(struct cr_server_call *at, const char *json, size_t len)
{
    cr_calls_progress(of(at)->run, of(at)->number, json, len);
}

static void result(struct cr_server_call *at, const char *json, size_t len, uint8_t **block)
{
    struct call *c = of(at);

    cr_calls_release(c->run, c->number);
    (void)cr_calls_reply_scanned(c->run, c->number, json, len, block);
    free_call(c);
}

static void failed(struct cr_server_call *at, const struct cr_server_failure *why)
{
    end(of(at), CAPRUN_OUTCOME_RPC_ERROR, why->text, why->hint);
}

static const struct cr_server_call_ops ops = {.admit = admit,
                                              .queued = queued,
                                              .sent = sent,
                                              .progress = progress,
                                              .result = result,
                                              .failed = failed};

static void *refuse(struct caprun_run *run, uint32_t number, const char *words)
{
    struct cr_err unused;

    (void)cr_calls_fail(run, number, CAPRUN_OUTCOME_RPC_ERROR, words, strlen(words), &unused);
    return NULL;
}

/* What cannot be held against the lockfile need not be started. */
static bool has_lockfile(struct cr_route *route, struct caprun_run *run, uint32_t number)
{
    struct cr_lockfile lock;
    struct cr_problem why;
    struct cr_err unused;
    const char *words;
    char hint[512];

    if (route->has_read_lock)
        return true;
    if (cr_lockfile_read(route->dir, &lock, &why) < 0) {
        words = words_for_code(&why);
        hint_for_user(&why, hint, sizeof(hint));
        cr_calls_hint(run, number, hint);
        (void)cr_calls_fail(run, number, why.outcome, words, strlen(words), &unused);
        return false;
    }
    cr_lockfile_clear(&lock);
    route->has_read_lock = true;
    return true;
}

void *cr_route_send(struct cr_gate *gate, struct caprun_run *run, uint32_t number,
                    const char *method, const char *args, size_t len)
{
    struct cr_route *route = cr_container(gate, struct cr_route, gate);
    struct call *c;
    struct cr_err err;

    if (!has_lockfile(route, run, number))
        return NULL;
    c = calloc(1, sizeof(*c) + strlen(method) + 1);
    if (c)
        c->args = malloc(len);
    if (!c || !c->args) {
        free(c);
        return refuse(run, number, "No memory for the call");
    }
    memcpy(c->method, method, strlen(method));
    memcpy(c->args, args, len);
    c->rs = cr_route_find(route, method);
    c->run = run;
    c->number = number;
    c->at = (struct cr_server_call){.ops = &ops, .args = c->args, .len = len};
    if (cr_server_call(c->rs->server, &c->at, &err) < 0) {
        free_call(c);
        return refuse(run, number, err.text);
    }
    return c;
}

/* By the name of the action as it was called: an alias is no glob's. */
bool cr_route_is_idempotent(struct cr_gate *gate, const char *method)
{
    struct cr_route *route = cr_container(gate, struct cr_route, gate);
    const struct cr_route_server *rs = cr_route_find(route, method);
    struct cr_verdict v;
    char name[256];

    if (!rs)
        return false;
    exact(rs, action_of(method), name, sizeof(name));
    cr_policy_judge(&route->idempotent, name, &v);
    return v.answer == CR_POLICY_ALLOW;
}

void cr_route_lost(struct cr_gate *gate, void *call, const char *why)
{
    struct call *c = call;

    (void)gate;
    cr_server_cancel(c->rs->server, &c->at, why);
    free_call(c);
}
