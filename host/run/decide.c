/*
 * decide.c - decides whether a call is made. Every call of a run passes decide(), and no other way
 * leads to a handler or a server.
 */
#include "run/decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "base/watchdog.h"
#include "run/auditing.h"
#include "run/calls.h"
#include "run/run_parts.h"

void cr_decide_fail(struct caprun_run *run, uint32_t number, const char *message)
{
    struct cr_err unused;

    (void)cr_calls_fail(run, number, CAPRUN_OUTCOME_RPC_ERROR, message, strlen(message), &unused);
}

static void refuse_args(struct caprun_run *run, uint32_t number, const struct cr_err *why)
{
    char message[1024];

    (void)snprintf(message, sizeof(message), "The args of %s are refused: %.500s",
                   run->calls[number - 1].method, why->text);
    cr_decide_fail(run, number, message);
}

/* --- denials --------------------------------------------------------------------------------- */

static void end_as_denied(struct caprun_run *run, uint32_t number, const char *message, size_t len)
{
    struct cr_err unused;
    const struct cr_call *call = &run->calls[number - 1];

    (void)cr_calls_end(run, number, CR_CALL_DENIED, CAPRUN_OUTCOME_PERMISSION_DENIED, message, len,
                       &unused);
    if (run->spec.stop_when_denied && run->state == CR_RUN_RUNNING) {
        run->error.tool = strdup(call->method);
        cr_run_set_message(run, "%s", call->message ? call->message : "A call was denied");
        if (call->hint)
            cr_run_hint(run, call->hint);
        run->error.grant = call->grant;
        cr_run_end(run, CAPRUN_OUTCOME_PERMISSION_DENIED);
    }
}

void cr_decide_rule(struct caprun_run *run, uint32_t number, const struct cr_ruling *ruling)
{
    struct cr_call *call = &run->calls[number - 1];

    call->by = ruling->by;
    call->rule = ruling->rule;
}

void cr_decide_deny(struct caprun_run *run, uint32_t number, const struct cr_ruling *ruling)
{
    if (!cr_calls_is_open(run, number))
        return;
    if (!cr_calls_is_doubtful(&run->calls[number - 1])) /* else what let it be sent stays */
        cr_decide_rule(run, number, ruling);
    if (ruling->why.hint[0])
        cr_calls_hint(run, number, ruling->why.hint);
    if (ruling->grant)
        cr_calls_grant(run, number, ruling->grant);
    end_as_denied(run, number, ruling->why.text, strlen(ruling->why.text));
}

/* --- the way of a call ---------------------------------------------------------------------- */

/*
 * For a server, "_" may stand for another character of the tool's name; for a handler it may not.
 */
static bool may_be_listed(const struct caprun_run *run, const char *method)
{
    return cr_policy_may_be_listed(&run->spec.tools, method, !run->on_call);
}

static void deny_unlisted(struct caprun_run *run, uint32_t number)
{
    struct cr_ruling ruling;

    cr_policy_deny_unlisted(&run->spec.tools, run->calls[number - 1].method, &ruling);
    cr_decide_deny(run, number, &ruling);
}

/* The args of a call, and whether they were scanned. */
struct args {
    const char *json;
    size_t len;
    struct cr_arriving *arriving; /* the scan of their frame; NULL: they are not in a frame */
    const struct cr_err *verdict; /* of the strict scanner; NULL: not scanned yet */
};

static int check_args(const struct args *args, struct cr_err *err)
{
    if (args->verdict) {
        *err = *args->verdict;
        return err->code;
    }
    if (args->arriving)
        return cr_arriving_finish(args->arriving, CR_SCAN_STRICT, (const uint8_t *)args->json,
                                  args->len, err);
    return cr_scan_json((const uint8_t *)args->json, args->len, CR_SCAN_STRICT, err);
}

/*
 * A server may read messages as lines, and a line break in the args could forge a second message.
 * The prelude never sends line breaks between values.
 */
static bool has_line_breaks(const struct args *args)
{
    return memchr(args->json, '\n', args->len) || memchr(args->json, '\r', args->len);
}

static void pass_gate(struct caprun_run *run, uint32_t number, const struct args *args)
{
    uint8_t *block;
    void *handle;

    if (has_line_breaks(args)) {
        cr_decide_fail(run, number, "The args have line breaks between their values");
        return;
    }
    block = args->arriving ? cr_worker_take_frame(run->worker) : NULL;
    cr_calls_start(run, number);
    handle = run->gate->take(run->gate, &(struct cr_gate_call){.run = run,
                                                               .number = number,
                                                               .args = args->json,
                                                               .args_len = args->len,
                                                               .block = &block});
    run->calls[number - 1].handle = handle;
    free(block);
}

/* The handler's args are in a frame, which is gone when the audit has been written. */
static void hold_for_audit(struct caprun_run *run, uint32_t number, const struct args *args)
{
    uint8_t *block = args->arriving ? cr_worker_take_frame(run->worker) : NULL;

    if (!cr_auditing_hold(run, number, &block))
        cr_decide_fail(run, number, "No memory for the call");
}

void cr_decide_audited(struct caprun_run *run, uint32_t number, const char *args, size_t len)
{
    struct cr_call *call = &run->calls[number - 1];

    if (cr_calls_send(run, number, NULL, args, len) != 0)
        return;
    call->is_with_handler = true;
    cr_watchdog_leave();
    run->on_call(run->call_data, run, number, call->method, args, len);
    cr_watchdog_return();
}

static void call_handler(struct caprun_run *run, uint32_t number, const struct args *args)
{
    run->calls[number - 1].by = "application";
    cr_decide_audited(run, number, args->json, args->len);
    if (cr_calls_is_open(run, number) && run->calls[number - 1].ticket)
        hold_for_audit(run, number, args);
}

void cr_decide_no_target(struct caprun_run *run, uint32_t number)
{
    const char *method = run->calls[number - 1].method;
    char message[1024];

    (void)snprintf(message, sizeof(message), "No target for %s: there is no \"%.*s\" in mcpServers",
                   method, (int)strcspn(method, ":"), method);
    cr_decide_fail(run, number, message);
}

/*
 * Decides about a call, in the documented order: the capability's list of tools, the args, then the
 * application's handler or the gate (target, policy, server). A call that is not in the list costs
 * no scan of its args. The bytes that were checked are the bytes that are sent.
 */
static void decide(struct caprun_run *run, uint32_t number, const struct args *args)
{
    struct cr_err err;

    if (!may_be_listed(run, run->calls[number - 1].method))
        deny_unlisted(run, number);
    else if (check_args(args, &err) < 0)
        refuse_args(run, number, &err);
    else if (run->on_call)
        call_handler(run, number, args);
    else if (run->gate)
        pass_gate(run, number, args);
    else
        cr_decide_no_target(run, number);
    if (run->state == CR_RUN_RUNNING)
        cr_run_schedule(run);
}

void cr_decide_again(struct caprun_run *run, uint32_t number, const char *args, size_t len,
                     const struct cr_err *verdict)
{
    decide(run, number, &(struct args){.json = args, .len = len, .verdict = verdict});
}

bool cr_decide_verdict(struct caprun_run *run, const uint8_t *args, size_t len,
                       struct cr_err *ret_verdict)
{
    if (!run->arriving.text)
        return false;
    if (cr_arriving_finish(&run->arriving, CR_SCAN_STRICT, args, len, ret_verdict) == 0)
        ret_verdict->code = 0;
    return true;
}

bool cr_decide_may_repeat(const struct caprun_run *run, const char *tool)
{
    return !run->on_call && run->gate && run->gate->is_idempotent(run->gate, tool);
}

static void start_call(struct caprun_run *run, const char *ns, const struct wire_call *names,
                       const char *args, size_t args_len)
{
    const struct cr_call *call =
        cr_calls_add(run, ns, (int)names->namespace_len, ns + names->namespace_len,
                     (int)names->action_len, args_len);

    if (!call) {
        cr_run_set_message(run, "No memory to keep a call");
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return;
    }
    cr_run_notify(run, CAPRUN_EVENT_CALL, (uint32_t)run->call_count);
    if (run->state == CR_RUN_RUNNING && !run->is_replaying)
        decide(run, (uint32_t)run->call_count,
               &(struct args){.json = args, .len = args_len, .arriving = &run->arriving});
}

/*
 * Returns the offset of the args in a CALL frame, of which |have| bytes have come. 0: the names are
 * invalid or incomplete, or the args are too long.
 */
static size_t find_args(const struct wire_header *header, const uint8_t *payload, size_t have)
{
    const char *ns = (const char *)payload + sizeof(struct wire_call);
    struct wire_call names;
    size_t before_args;

    if (have < sizeof(names))
        return 0;
    memcpy(&names, payload, sizeof(names));
    before_args = sizeof(names) + (size_t)names.namespace_len + names.action_len;
    if (before_args > have || header->length - before_args > LIMIT_ARGS_BYTES ||
        !wire_is_namespace(ns, names.namespace_len) ||
        !wire_is_action(ns + names.namespace_len, names.action_len))
        return 0;
    return before_args;
}

void cr_decide_look(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload, size_t have)
{
    const char *ns = (const char *)payload + sizeof(struct wire_call);
    size_t before_args = find_args(header, payload, have);
    char method[LIMIT_TOOL_CHARS + 1];
    struct wire_call names;

    if (!before_args)
        return;
    memcpy(&names, payload, sizeof(names));
    (void)snprintf(method, sizeof(method), "%.*s:%.*s", (int)names.namespace_len, ns,
                   (int)names.action_len, ns + names.namespace_len);
    if (may_be_listed(run, method))
        cr_arriving_feed(&run->arriving, CR_SCAN_STRICT, payload + before_args, have - before_args);
}

void cr_decide_call(struct caprun_run *run, const struct wire_header *header,
                    const uint8_t *payload)
{
    const char *ns = (const char *)payload + sizeof(struct wire_call);
    struct wire_call names;
    size_t before_args = find_args(header, payload, header->length);

    if (header->id == run->spec.limits.most.calls + 1) {
        cr_run_end(run, CAPRUN_OUTCOME_CALL_LIMIT);
        return;
    }
    if (!before_args || header->id != run->call_count + 1 ||
        run->calls_open == run->spec.limits.most.calls_at_once) {
        cr_worker_fault(run->worker, "an invalid CALL frame");
        return;
    }
    memcpy(&names, payload, sizeof(names));
    if (cr_run_frame_received(run, header, payload))
        start_call(run, ns, &names, (const char *)payload + before_args,
                   header->length - before_args);
}
