/*
 * call.c - the way of a call behind the gate: policy, a place at the server, policy again, the pin,
 * the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "base/pattern.h"
#include "run/calls.h"
#include "run/decide.h"
#include "route/route_parts.h"

#define MAX_HELD_BYTES (64u << 20) /* of args of calls that wait for the lockfile */
#define SUGGESTIONS 3u             /* for a run; a comparison with hundreds of names is long work */

struct cr_route_call {
    struct cr_server_call at;              /* the server */
    bool is_held;                          /* not there yet: the lockfile is being read */
    struct cr_route_call *next, **held_at; /* in the list of held ones; what points to this one */
    struct cr_route_server *rs;
    struct caprun_run *run;
    uint32_t number;
    char method[]; /* as it was called */
};

static struct cr_route_call *of(struct cr_server_call *at)
{
    return cr_container(at, struct cr_route_call, at);
}

static void free_call(struct cr_route_call *c)
{
    free(c->at.block);
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
static void end(struct cr_route_call *c, enum caprun_outcome outcome, const char *words,
                const char *hint)
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

static void refuse_unlisted(struct cr_route_call *c, const struct cr_tools *tools)
{
    const char *action = action_of(c->method), *near = NULL;
    char words[512];

    if (c->run->misses++ < SUGGESTIONS)
        near = cr_tools_nearest(tools, action);
    (void)snprintf(words, sizeof(words), "The server \"%s\" has no tool \"%s\"%s%.128s%s",
                   c->rs->name, action, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
    end(c, CAPRUN_OUTCOME_RPC_ERROR, words, "caprun tools lists the tools of each server");
}

static void refuse_ambiguous(struct cr_route_call *c, const struct cr_tool *a,
                             const struct cr_tool *b)
{
    char words[512];

    (void)snprintf(words, sizeof(words),
                   "\"%s\" could be \"%.128s\" or \"%.128s\" of the server \"%s\"; call it by its "
                   "exact name, in brackets",
                   action_of(c->method), a->name, b->name, c->rs->name);
    end(c, CAPRUN_OUTCOME_RPC_ERROR, words, "");
}

/* Now that its exact name is known, may |tool| be called? If not, the call has ended. */
static bool is_permitted(struct cr_route_call *c, const struct cr_tool *tool)
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
    struct cr_route_call *c = of(at);
    const struct cr_tool *first = NULL, *second = NULL;
    const struct cr_tool *tool = cr_tools_find(tools, action_of(c->method), &first, &second);
    struct cr_problem why;
    char hint[512], name[1024];
    int r;

    if (!tool) {
        if (first)
            refuse_ambiguous(c, first, second);
        else
            refuse_unlisted(c, tools);
        return NULL;
    }
    if (!is_permitted(c, tool))
        return NULL;
    r = cr_route_check_pin(c->rs, tool, &why);
    if (r == CR_ROUTE_LATER)
        return cr_server_later;
    if (r < 0) {
        hint_for_user(&why, hint, sizeof(hint));
        end(c, why.outcome, words_for_code(&why), hint);
        return NULL;
    }
    exact(c->rs, tool->name, name, sizeof(name));
    if (cr_calls_send(c->run, c->number, name) < 0) {
        cr_calls_release(c->run, c->number); /* also of a run that is late */
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
    struct cr_route_call *c = of(at);

    free(c->at.block);
    c->at.block = NULL;
}

/* --- and back -----------------------------------------------------------------------------------
 */

static void progress(struct cr_server_call *at, const char *json, size_t len)
{
    cr_calls_progress(of(at)->run, of(at)->number, json, len);
}

static void result(struct cr_server_call *at, const char *json, size_t len, uint8_t **block)
{
    struct cr_route_call *c = of(at);

    cr_calls_release(c->run, c->number);
    (void)cr_calls_reply_scanned(c->run, c->number, WIRE_REPLY_TOOL, json, len, block);
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

/* --- before a server is started: can the lockfile be read? ---------------------------------------
 */

/* A job: the lockfile is read for once, and only whether that can be done is of interest. */
struct cr_route_read {
    struct cr_job job;
    struct cr_route *route; /* not for the helper */
    char *dir;
    int code;
    struct cr_problem why;
};

static void read_lock(struct cr_job *job)
{
    struct cr_route_read *read = cr_container(job, struct cr_route_read, job);
    struct cr_lockfile lock;

    read->code = cr_lockfile_read(read->dir, &lock, &read->why);
    if (read->code == 0)
        cr_lockfile_clear(&lock);
}

static void discard_read(struct cr_job *job)
{
    struct cr_route_read *read = cr_container(job, struct cr_route_read, job);

    free(read->dir);
    free(read);
}

static void lock_was_read(struct cr_job *job)
{
    struct cr_route_read *read = cr_container(job, struct cr_route_read, job);
    struct cr_route *route = read->route;

    route->read = NULL;
    route->has_read_lock = read->code == 0;
    free(route->lock_problem);
    route->lock_problem = read->code < 0 ? malloc(sizeof(*route->lock_problem)) : NULL;
    if (route->lock_problem)
        *route->lock_problem = read->why;
    discard_read(job);
    cr_loop_defer_busy(route->all.loop, &route->release);
}

static bool start_reading(struct cr_route *route)
{
    struct cr_route_read *read = calloc(1, sizeof(*read));

    if (read)
        read->dir = strdup(route->dir);
    if (!read || !read->dir) {
        free(read);
        return false;
    }
    read->job = (struct cr_job){
        .work = read_lock, .done = lock_was_read, .discard = discard_read, .name = "lockfile"};
    read->route = route;
    route->read = read;
    cr_helper_submit(&route->all.loop->disk, &read->job);
    return true;
}

static void end_by_problem(struct cr_route_call *c, const struct cr_problem *why)
{
    char hint[512];

    hint_for_user(why, hint, sizeof(hint));
    end(c, why->outcome, words_for_code(why), hint);
}

static void go_to_server(struct cr_route_call *c)
{
    struct cr_err err;

    if (cr_server_call(c->rs->server, &c->at, &err) < 0)
        end(c, CAPRUN_OUTCOME_RPC_ERROR, err.text, "");
}

static void let_go_of(struct cr_route *route, struct cr_route_call *c)
{
    *c->held_at = c->next;
    if (c->next)
        c->next->held_at = c->held_at;
    else
        route->held_last = c->held_at;
    c->is_held = false;
    route->held_bytes -= c->at.len;
}

void cr_route_release_held(struct cr_task *task)
{
    struct cr_route *route = cr_container(task, struct cr_route, release);
    struct cr_problem why;

    (void)cr_problem_memory(&why);
    while (route->held && !route->read && !cr_loop_turn_is_over(route->all.loop)) {
        struct cr_route_call *c = route->held, *next = c->next;

        let_go_of(route, c);
        route->held = next; /* let_go_of() did this; the analyser cannot see it */
        if (route->has_read_lock)
            go_to_server(c);
        else
            end_by_problem(c, route->lock_problem ? route->lock_problem : &why);
    }
    if (route->held && !route->read)
        cr_loop_defer_busy(route->all.loop, task);
}

/* What cannot be held against the lockfile is not started. Returns NULL, or why it cannot wait. */
static const char *hold(struct cr_route *route, struct cr_route_call *c)
{
    if (route->held && route->held_bytes + c->at.len > MAX_HELD_BYTES)
        return "Too much waits for caprun.lock to be read";
    if (!route->read && !route->held && !start_reading(route))
        return "No memory for the call";
    route->held_bytes += c->at.len;
    c->is_held = true;
    c->next = NULL;
    c->held_at = route->held_last;
    *route->held_last = c;
    route->held_last = &c->next;
    return NULL;
}

void cr_route_end_calls(struct cr_route *route)
{
    cr_loop_forget_busy(route->all.loop, &route->release);
    if (route->read)
        cr_helper_abandon(&route->all.loop->disk, &route->read->job);
    free(route->lock_problem);
}

/* --- the way there -------------------------------------------------------------------------------
 */

/* Takes *|block|, or copies |args|. */
static bool take_args(struct cr_server_call *at, const char *args, size_t len, uint8_t **block)
{
    at->len = len;
    at->args = args;
    at->block = *block;
    *block = NULL;
    if (at->block)
        return true;
    at->block = malloc(len);
    if (at->block)
        at->args = memcpy(at->block, args, len);
    return at->block != NULL;
}

static struct cr_route_call *new_call(struct caprun_run *run, uint32_t number, const char *method,
                                      const char *args, size_t len, uint8_t **block)
{
    struct cr_route_call *c = calloc(1, sizeof(*c) + strlen(method) + 1);

    if (!c || !take_args(&c->at, args, len, block)) {
        free(c);
        return NULL;
    }
    memcpy(c->method, method, strlen(method));
    c->run = run;
    c->number = number;
    c->at.ops = &ops;
    return c;
}

void *cr_route_send(struct cr_gate *gate, struct caprun_run *run, uint32_t number,
                    const char *method, const char *args, size_t len, uint8_t **block)
{
    struct cr_route *route = cr_container(gate, struct cr_route, gate);
    struct cr_route_call *c = new_call(run, number, method, args, len, block);
    const char *why = NULL;
    struct cr_err err;

    if (!c)
        return refuse(run, number, "No memory for the call");
    c->rs = cr_route_find(route, method);
    if (!route->has_read_lock)
        why = hold(route, c);
    else if (cr_server_call(c->rs->server, &c->at, &err) < 0)
        why = err.text;
    if (!why)
        return c;
    free_call(c);
    return refuse(run, number, why);
}

/* Also the server has to be called exactly so: the call is not repeated at another one. */
bool cr_route_is_idempotent(struct cr_gate *gate, const char *tool)
{
    struct cr_route *route = cr_container(gate, struct cr_route, gate);
    size_t len = strcspn(tool, ":");
    const struct cr_route_server *rs = tool[len] ? cr_route_find(route, tool) : NULL;
    struct cr_verdict v;

    if (!rs || strlen(rs->name) != len || memcmp(rs->name, tool, len) != 0)
        return false;
    cr_policy_judge(&route->idempotent, tool, &v);
    return v.answer == CR_POLICY_ALLOW;
}

void cr_route_lost(struct cr_gate *gate, void *call, const char *why)
{
    struct cr_route_call *c = call;

    if (c->is_held)
        let_go_of(cr_container(gate, struct cr_route, gate), c);
    else
        cr_server_cancel(c->rs->server, &c->at, why);
    free_call(c);
}
