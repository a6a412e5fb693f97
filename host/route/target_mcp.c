/*
 * target_mcp.c - a call of a tool of an MCP server, from the gate to the answer:
 *
 * 1. Does policy allow the name as called?
 * 2. Can the lockfile be read? (lockfile_wait.c)
 * 3. The call enters the queue of the server. When the tools are known: which tool is called?
 * 4. Does policy allow the exact name? Perhaps a person is asked first.
 * 5. Is the tool the pinned one? (pins.c)
 * 6. The call is written to the journal, and sent. The answer comes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "route/route_parts.h"
#include "run/auditor.h"
#include "run/calls.h"
#include "run/decide.h"

static struct cr_mcp_call *call_of(struct cr_server_call *at)
{
    return cr_container(at, struct cr_mcp_call, at);
}

static void free_call(struct cr_target_call *target)
{
    struct cr_mcp_call *c = cr_container(target, struct cr_mcp_call, target);

    if (c->at.block)
        cr_helper_free(&target->route->all.loop->helper, c->at.block, c->at.len);
    free(target->ruled_tool);
    free(c->sent_as);
    free(c);
}

/*
 * The untrusted code learns only that the lockfile failed; path and details go to the user's hint.
 */
void cr_mcp_fail(struct cr_mcp_call *c, const struct cr_err *why)
{
    bool is_ours = why->outcome == CAPRUN_OUTCOME_CONFIG_ERROR;
    char hint[512];

    (void)snprintf(hint, sizeof(hint), "%.300s%s%.200s", is_ours ? why->text : "",
                   is_ours && why->hint[0] ? "; " : "", why->hint);
    cr_target_fail(&c->target, why->outcome,
                   is_ours ? "caprun.lock cannot be read or written" : why->text, hint);
}

/* --- when the server's tools are known ----------------------------------------------------------
 */

static void refuse_unlisted(struct cr_mcp_call *c, const struct cr_tools *tools)
{
    const char *action = cr_target_action(&c->target), *near = NULL;
    char words[512];

    if (cr_calls_count_missing(c->target.run) <= CR_ROUTE_SUGGESTIONS)
        near = cr_tools_nearest(tools, action);
    (void)snprintf(words, sizeof(words), "The server \"%s\" has no tool \"%s\"%s%.128s%s",
                   c->rs->name, action, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
    cr_target_fail(&c->target, CAPRUN_OUTCOME_RPC_ERROR, words,
                   "caprun tools lists the tools of each server");
}

static void refuse_ambiguous(struct cr_mcp_call *c, const struct cr_tool *a,
                             const struct cr_tool *b)
{
    char words[512];

    (void)snprintf(words, sizeof(words),
                   "\"%s\" could be \"%.128s\" or \"%.128s\" of the server \"%s\"; call it by its "
                   "exact name, in brackets",
                   cr_target_action(&c->target), a->name, b->name, c->rs->name);
    cr_target_fail(&c->target, CAPRUN_OUTCOME_RPC_ERROR, words, "");
}

static const struct cr_tool *find_tool(struct cr_mcp_call *c, const struct cr_tools *tools)
{
    const struct cr_tool *first = NULL, *second = NULL;
    const struct cr_tool *tool =
        cr_tools_find(tools, cr_target_action(&c->target), &first, &second);

    if (!tool && first)
        refuse_ambiguous(c, first, second);
    else if (!tool)
        refuse_unlisted(c, tools);
    return tool;
}

/*
 * The call was sent, and was not carried out. Policy, a person and the journal know of it already;
 * only its tool and its pin are checked again.
 */
static bool may_be_repeated(struct cr_mcp_call *c, const char *name)
{
    if (c->sent_as && strcmp(c->sent_as, name) == 0)
        return true;
    cr_target_fail(&c->target, CAPRUN_OUTCOME_RPC_ERROR,
                   "The server has ended the session, and its tools are others now", "");
    return false;
}

/* Audit and journal record that the call is sent. Returns what cr_calls_send() returns. */
static int begin_sending(struct cr_mcp_call *c, const char *name)
{
    free(c->sent_as);
    c->sent_as = strdup(name);
    c->at.is_repeatable = cr_route_is_idempotent(c->rs->route, name);
    return cr_calls_send(c->target.run, c->target.number, name, c->at.args, c->at.len);
}

static const char *admit(struct cr_server_call *at, const struct cr_tools *tools)
{
    struct cr_mcp_call *c = call_of(at);
    const struct cr_tool *tool = find_tool(c, tools);
    struct cr_err why;
    char name[1024];
    int r;

    if (!tool)
        return NULL;
    (void)snprintf(name, sizeof(name), "%s:%s", c->rs->name, tool->name);
    if (at->is_again ? !may_be_repeated(c, name)
                     : !cr_target_may_call(&c->target, name, tool->essence, tool->essence_len))
        return NULL;
    r = cr_route_check_pin(c->rs, tool, &why);
    if (r == CR_ROUTE_LATER)
        return cr_server_later;
    if (r < 0) {
        cr_mcp_fail(c, &why);
        return NULL;
    }
    r = at->is_again ? 0 : begin_sending(c, name);
    if (r == CR_AUDITOR_LATER)
        return cr_server_later;
    if (r < 0) {
        cr_calls_release(c->target.run, c->target.number); /* needed when the run is LATE */
        free_call(&c->target);
        return NULL;
    }
    return tool->name;
}

static void queued(struct cr_server_call *at)
{
    cr_calls_queued(call_of(at)->target.run, call_of(at)->target.number);
}

static void sent(struct cr_server_call *at)
{
    struct cr_mcp_call *c = call_of(at);

    free(c->at.block);
    c->at.block = NULL;
}

/* --- the answer ---------------------------------------------------------------------------------
 */

static void progress(struct cr_server_call *at, const char *json, size_t len)
{
    cr_calls_progress(call_of(at)->target.run, call_of(at)->target.number, json, len);
}

static void result(struct cr_server_call *at, const char *json, size_t len, uint8_t **block)
{
    struct cr_target_call *target = &call_of(at)->target;

    cr_calls_release(target->run, target->number);
    (void)cr_calls_reply_scanned(target->run, target->number, WIRE_REPLY_TOOL, json, len, block);
    free_call(target);
}

static void failed(struct cr_server_call *at, const struct cr_err *why)
{
    if (at->is_lost)
        cr_calls_lose(call_of(at)->target.run, call_of(at)->target.number);
    cr_target_fail(&call_of(at)->target, why->outcome, why->text, why->hint);
}

static const struct cr_server_call_ops ops = {.admit = admit,
                                              .queued = queued,
                                              .sent = sent,
                                              .progress = progress,
                                              .result = result,
                                              .failed = failed};

static void cancel(struct cr_target_call *target, const char *why)
{
    struct cr_mcp_call *c = cr_container(target, struct cr_mcp_call, target);

    if (c->is_held)
        cr_route_remove_waiting(target->route, c);
    else
        cr_server_cancel(c->rs->server, &c->at, why);
}

void cr_mcp_continue(struct cr_mcp_call *c)
{
    struct cr_err err;

    if (cr_server_call(c->rs->server, &c->at, &err) < 0)
        cr_target_fail(&c->target, CAPRUN_OUTCOME_RPC_ERROR, err.text, "");
}

/* The call may start the server, or go on. Returns false if it has ended. */
static bool enter_queue(struct cr_mcp_call *c)
{
    struct cr_err err;
    int r = c->target.route->has_read_lock ? cr_server_call(c->rs->server, &c->at, &err)
                                           : cr_route_hold(c->target.route, c, &err);

    if (r < 0)
        cr_target_fail(&c->target, CAPRUN_OUTCOME_RPC_ERROR, err.text, "");
    return r >= 0;
}

static void resume(struct cr_target_call *target)
{
    (void)enter_queue(cr_container(target, struct cr_mcp_call, target));
}

static void try_again(struct cr_target_call *target)
{
    cr_server_continue(cr_container(target, struct cr_mcp_call, target)->rs->server);
}

static const struct cr_target_ops target_ops = {
    .cancel = cancel, .resume = resume, .send = try_again, .free = free_call};

/* --- from the gate ------------------------------------------------------------------------------
 */

/* Takes over the memory of the args, or copies them. */
static bool take_args(struct cr_server_call *at, const struct cr_gate_call *from)
{
    at->len = from->args_len;
    at->args = from->args;
    at->block = *from->block;
    *from->block = NULL;
    if (at->block)
        return true;
    at->block = malloc(from->args_len);
    if (at->block)
        at->args = memcpy(at->block, from->args, from->args_len);
    return at->block != NULL;
}

static struct cr_mcp_call *new_call(struct cr_route_server *rs, const struct cr_gate_call *from)
{
    struct cr_mcp_call *c = calloc(1, sizeof(*c));

    if (!c || !take_args(&c->at, from)) {
        free(c);
        return NULL;
    }
    cr_target_init(&c->target, &target_ops, from, rs->route, rs->name);
    c->target.args = c->at.args;
    c->target.args_len = c->at.len;
    c->target.dir = rs->dir;
    c->target.place = rs->place;
    c->rs = rs;
    c->at.ops = &ops;
    return c;
}

struct cr_target_call *cr_mcp_take(struct cr_route_server *rs, const struct cr_gate_call *from)
{
    struct cr_mcp_call *c = new_call(rs, from);

    if (!c) {
        cr_decide_fail(from->run, from->number, "No memory for the call");
        return NULL;
    }
    switch (cr_target_may_start(&c->target)) {
    case CR_RULING_DENIED:
        return NULL;
    case CR_RULING_LATER:
        return &c->target;
    case CR_RULING_ALLOWED:
        break;
    }
    return enter_queue(c) ? &c->target : NULL;
}
