/*
 * target_mcp.c - a call that goes to an MCP server, from the gate to the answer:
 *
 * 1. May it be called by that name?
 * 2. Can the lockfile be read? (lockfile_wait.c)
 * 3. It gets a place in the queue of the server. When the tools are known: which one is it?
 * 4. May that be called? Perhaps a person is asked first.
 * 5. Is it as it was pinned? (pins.c)
 * 6. It is written down, and sent. The answer comes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "route/route_parts.h"
#include "run/calls.h"
#include "run/decide.h"

#define SUGGESTIONS 3u /* for a run; a comparison with hundreds of names is long work */
#define MAX_ASKED_BYTES (64u << 20) /* of args of calls about which a person is asked */

static struct cr_mcp_call *of(struct cr_server_call *at)
{
    return cr_container(at, struct cr_mcp_call, at);
}

static void free_call(struct cr_mcp_call *c)
{
    if (c->at.block)
        cr_helper_free(&c->rs->route->all.loop->helper, c->at.block, c->at.len);
    free(c->permitted);
    free(c);
}

static const char *action_of(const char *method)
{
    return strchr(method, ':') + 1;
}

/* The server's own name, and |action|. */
static void exact(const struct cr_route_server *rs, const char *action, char *ret, size_t size)
{
    (void)snprintf(ret, size, "%s:%s", rs->name, action);
}

/* --- its end without an answer ------------------------------------------------------------------
 */

/* This may end the run. */
static void fail(struct cr_mcp_call *c, enum caprun_outcome outcome, const char *words,
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
void cr_mcp_fail(struct cr_mcp_call *c, const struct cr_err *why)
{
    bool is_ours = why->outcome == CAPRUN_OUTCOME_CONFIG_ERROR;
    char hint[512];

    (void)snprintf(hint, sizeof(hint), "%.300s%s%.200s", is_ours ? why->text : "",
                   is_ours && why->hint[0] ? "; " : "", why->hint);
    fail(c, why->outcome, is_ours ? "caprun.lock cannot be read or written" : why->text, hint);
}

static void deny(struct cr_mcp_call *c, const struct cr_ruling *ruling)
{
    cr_calls_release(c->run, c->number);
    cr_decide_deny(c->run, c->number, ruling);
    free_call(c);
}

/* --- may it be called? --------------------------------------------------------------------------
 */

static const struct cr_policy *policy_of(const struct cr_mcp_call *c)
{
    return &c->rs->route->policy;
}

/* |tool| is its exact name, or NULL if that is not known yet. */
static void ask_policy(struct cr_mcp_call *c, const char *tool, struct cr_ruling *ret)
{
    const struct cr_spec *spec = cr_run_spec(c->run);
    char called[256];
    struct cr_question q = {.run = spec->id,
                            .method = c->method,
                            .called = called,
                            .tool = tool,
                            .tools = &spec->tools,
                            .args = c->at.args,
                            .args_len = c->at.len};

    exact(c->rs, action_of(c->method), called, sizeof(called));
    cr_policy_ask(policy_of(c), &q, &c->pending, ret);
}

static void stop_asking(struct cr_mcp_call *c)
{
    c->is_asked = false;
    c->rs->route->asked_bytes -= c->at.len;
}

/* Somebody has answered. The server may have another list by now: it is admitted once more. */
static void ruled(struct cr_pending *pending, const struct cr_ruling *ruling)
{
    struct cr_mcp_call *c = cr_container(pending, struct cr_mcp_call, pending);

    stop_asking(c);
    if (ruling->answer != CR_RULING_ALLOWED) {
        deny(c, ruling);
        return;
    }
    cr_decide_rule(c->run, c->number, ruling);
    cr_calls_start(c->run, c->number);
    cr_run_schedule(c->run);
    cr_mcp_go(c);
}

/* The time that a person takes is not the call's, and other calls do not wait for them. */
static void wait_for_person(struct cr_mcp_call *c, const char *name)
{
    struct cr_route *route = c->rs->route;

    free(c->permitted);
    c->permitted = strdup(name);
    if (c->permitted && route->asked_bytes + c->at.len <= MAX_ASKED_BYTES) {
        c->is_asked = true;
        route->asked_bytes += c->at.len;
        cr_calls_queued(c->run, c->number);
        return;
    }
    policy_of(c)->asker->forget(policy_of(c)->asker, &c->pending);
    fail(c, CAPRUN_OUTCOME_RPC_ERROR, "Too much waits for a person to answer", "");
}

/* Returns true if the tool may be called; else the call has ended, or waits for a person. */
static bool is_permitted(struct cr_mcp_call *c, const char *name)
{
    struct cr_ruling ruling;

    if (c->permitted && strcmp(c->permitted, name) == 0)
        return true; /* a person has said so */
    ask_policy(c, name, &ruling);
    if (ruling.answer == CR_RULING_LATER) {
        wait_for_person(c, name);
        return false;
    }
    if (ruling.answer == CR_RULING_DENIED) {
        deny(c, &ruling);
        return false;
    }
    cr_decide_rule(c->run, c->number, &ruling);
    return true;
}

/* --- at the server, whose tools are known -------------------------------------------------------
 */

static void refuse_unlisted(struct cr_mcp_call *c, const struct cr_tools *tools)
{
    const char *action = action_of(c->method), *near = NULL;
    char words[512];

    if (cr_calls_miss(c->run) <= SUGGESTIONS)
        near = cr_tools_nearest(tools, action);
    (void)snprintf(words, sizeof(words), "The server \"%s\" has no tool \"%s\"%s%.128s%s",
                   c->rs->name, action, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
    fail(c, CAPRUN_OUTCOME_RPC_ERROR, words, "caprun tools lists the tools of each server");
}

static void refuse_ambiguous(struct cr_mcp_call *c, const struct cr_tool *a,
                             const struct cr_tool *b)
{
    char words[512];

    (void)snprintf(words, sizeof(words),
                   "\"%s\" could be \"%.128s\" or \"%.128s\" of the server \"%s\"; call it by its "
                   "exact name, in brackets",
                   action_of(c->method), a->name, b->name, c->rs->name);
    fail(c, CAPRUN_OUTCOME_RPC_ERROR, words, "");
}

static const struct cr_tool *find_tool(struct cr_mcp_call *c, const struct cr_tools *tools)
{
    const struct cr_tool *first = NULL, *second = NULL;
    const struct cr_tool *tool = cr_tools_find(tools, action_of(c->method), &first, &second);

    if (!tool && first)
        refuse_ambiguous(c, first, second);
    else if (!tool)
        refuse_unlisted(c, tools);
    return tool;
}

static const char *admit(struct cr_server_call *at, const struct cr_tools *tools)
{
    struct cr_mcp_call *c = of(at);
    const struct cr_tool *tool = find_tool(c, tools);
    struct cr_err why;
    char name[1024];
    int r;

    if (!tool)
        return NULL;
    exact(c->rs, tool->name, name, sizeof(name));
    if (!is_permitted(c, name))
        return NULL;
    r = cr_route_check_pin(c->rs, tool, &why);
    if (r == CR_ROUTE_LATER)
        return cr_server_later;
    if (r < 0) {
        cr_mcp_fail(c, &why);
        return NULL;
    }
    if (cr_calls_send(c->run, c->number, name) < 0) {
        cr_calls_release(c->run, c->number); /* needed when the run is LATE */
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
    struct cr_mcp_call *c = of(at);

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
    struct cr_mcp_call *c = of(at);

    cr_calls_release(c->run, c->number);
    (void)cr_calls_reply_scanned(c->run, c->number, WIRE_REPLY_TOOL, json, len, block);
    free_call(c);
}

static void failed(struct cr_server_call *at, const struct cr_err *why)
{
    fail(of(at), why->outcome, why->text, why->hint);
}

static const struct cr_server_call_ops ops = {.admit = admit,
                                              .queued = queued,
                                              .sent = sent,
                                              .progress = progress,
                                              .result = result,
                                              .failed = failed};

static void lost(struct cr_target_call *target, const char *why)
{
    struct cr_mcp_call *c = cr_container(target, struct cr_mcp_call, target);

    if (c->is_asked) {
        policy_of(c)->asker->forget(policy_of(c)->asker, &c->pending);
        stop_asking(c);
    } else if (c->is_held) {
        cr_route_let_go(c->rs->route, c);
    } else {
        cr_server_cancel(c->rs->server, &c->at, why);
    }
    free_call(c);
}

/* --- from the gate ------------------------------------------------------------------------------
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

static struct cr_mcp_call *new_call(struct cr_route_server *rs, struct caprun_run *run,
                                    uint32_t number, const char *args, size_t len, uint8_t **block)
{
    const char *method = cr_calls_at(run, number)->method;
    struct cr_mcp_call *c = calloc(1, sizeof(*c) + strlen(method) + 1);

    if (!c || !take_args(&c->at, args, len, block)) {
        free(c);
        return NULL;
    }
    memcpy(c->method, method, strlen(method));
    c->target.lost = lost;
    c->rs = rs;
    c->run = run;
    c->number = number;
    c->at.ops = &ops;
    c->pending.ruled = ruled;
    return c;
}

struct cr_target_call *cr_mcp_take(struct cr_route_server *rs, struct caprun_run *run,
                                   uint32_t number, const char *args, size_t len, uint8_t **block)
{
    struct cr_mcp_call *c = new_call(rs, run, number, args, len, block);
    struct cr_route *route = rs->route;
    struct cr_ruling ruling;
    struct cr_err err;
    int r;

    if (!c) {
        cr_decide_fail(run, number, "No memory for the call");
        return NULL;
    }
    ask_policy(c, NULL, &ruling);
    if (ruling.answer == CR_RULING_DENIED) {
        deny(c, &ruling);
        return NULL;
    }
    cr_decide_rule(run, number, &ruling);
    if (!route->has_read_lock)
        r = cr_route_hold(route, c, &err);
    else
        r = cr_server_call(rs->server, &c->at, &err);
    if (r < 0)
        fail(c, CAPRUN_OUTCOME_RPC_ERROR, err.text, "");
    return r < 0 ? NULL : &c->target;
}

void cr_mcp_go(struct cr_mcp_call *c)
{
    struct cr_err err;

    if (cr_server_call(c->rs->server, &c->at, &err) < 0)
        fail(c, CAPRUN_OUTCOME_RPC_ERROR, err.text, "");
}
