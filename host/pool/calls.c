/* calls.c - a table of calls by number, of which the open ones are few. */
#include "pool/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "base/units.h"
#include "pool/envelope.h"

#define KEPT_WORDS 1000u

static struct cr_call *add_call(struct caprun_run *run, const char *ns, int ns_len,
                                const char *action, int action_len)
{
    struct cr_call *call;

    if (run->call_count == run->call_cap) {
        size_t cap = run->call_cap ? run->call_cap * 2 : 8;
        struct cr_call *calls = realloc(run->calls, cap * sizeof(*calls));

        if (!calls)
            return NULL;
        run->calls = calls;
        run->call_cap = cap;
    }
    call = &run->calls[run->call_count];
    *call = (struct cr_call){.started_us = cr_loop_now()};
    if (asprintf(&call->method, "%.*s:%.*s", ns_len, ns, action_len, action) < 0)
        return NULL;
    run->call_count++;
    run->calls_open++;
    return call;
}

/* An open call, or NULL. */
static struct cr_call *find_open(struct caprun_run *run, uint32_t number, struct cr_err *err)
{
    struct cr_call *call;

    if (run->state == CR_RUN_RUNNING && number > 0 && number <= run->call_count) {
        call = &run->calls[number - 1];
        if (call->state == CR_CALL_OPEN)
            return call;
    }
    (void)cr_err_set(err, CAPRUN_E_STATE, "call %u waits for no answer", number);
    return NULL;
}

static void close_call(struct caprun_run *run, struct cr_call *call, enum cr_call_state state)
{
    call->state = state;
    call->us = (uint64_t)(cr_loop_now() - call->started_us);
    run->calls_open--;
}

/* A run that had no memory for a frame has ended, and so has one whose worker does not read. */
static int was_sent(const struct caprun_run *run, struct cr_err *err)
{
    if (run->state != CR_RUN_ENDED)
        return 0;
    if (run->outcome != CAPRUN_OUTCOME_INTERNAL)
        return cr_err_set(err, CAPRUN_E_STATE, "the run has ended: its worker reads no answers");
    return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the answer, so that the run has ended");
}

/* Ends an open call without an answer: |state| is FAILED or DENIED. */
static int end_call(struct caprun_run *run, uint32_t number, enum cr_call_state state,
                    enum caprun_outcome outcome, const char *message, size_t len,
                    struct cr_err *err)
{
    struct cr_call *call = find_open(run, number, err);
    const char *code = cr_envelope_code(outcome);
    size_t shown = len < LIMIT_ERROR_MESSAGE_BYTES ? len : LIMIT_ERROR_MESSAGE_BYTES;
    struct wire_fail fail = {(uint32_t)strlen(code), (uint32_t)shown};

    if (!call)
        return CAPRUN_E_STATE;
    /* of ten thousand messages one may end the run: its beginning is enough */
    if (asprintf(&call->message, "%.*s", (int)(shown < KEPT_WORDS ? shown : KEPT_WORDS), message) <
        0)
        call->message = NULL;
    call->outcome = outcome;
    close_call(run, call, state);
    cr_run_send(
        run, (struct wire_header){.type = WIRE_FAIL, .id = number},
        (struct wire_part[]){{&fail, sizeof(fail)}, {code, fail.code_len}, {message, shown}}, 3);
    if (outcome == CAPRUN_OUTCOME_RPC_TIMEOUT)
        cr_run_tell(run, CAPRUN_EVENT_CALL_LOST, number);
    else
        cr_run_tell_call_done(run, number);
    return was_sent(run, err);
}

int cr_calls_fail(struct caprun_run *run, uint32_t number, enum caprun_outcome outcome,
                  const char *message, size_t len, struct cr_err *err)
{
    return end_call(run, number, CR_CALL_FAILED, outcome, message, len, err);
}

static void fail_text(struct caprun_run *run, enum caprun_outcome outcome, const char *message)
{
    struct cr_err unused;

    (void)cr_calls_fail(run, (uint32_t)run->call_count, outcome, message, strlen(message), &unused);
}

static int refuse_answer(struct caprun_run *run, uint32_t number, const char *why,
                         struct cr_err *err)
{
    (void)cr_calls_fail(run, number, CAPRUN_OUTCOME_RPC_ERROR, why, strlen(why), err);
    return cr_err_set(err, CAPRUN_E_TOOBIG, "%s", why);
}

int cr_calls_reply(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                   const char *json, size_t len, struct cr_err *err)
{
    struct cr_call *call = find_open(run, number, err);
    struct wire_reply reply = {.kind = kind};
    struct cr_err why;

    if (!call)
        return CAPRUN_E_STATE;
    if (len > LIMIT_ANSWER_BYTES)
        return refuse_answer(run, number, "The answer is over 64 MiB", err);
    if (!cr_worker_has_room(run->worker, sizeof(struct wire_header) + sizeof(reply) + len))
        return refuse_answer(run, number, "Too much waits for the worker to read it", err);
    if (cr_scan_json((const uint8_t *)json, len, CR_SCAN_PASS, &why) < 0)
        return cr_err_set(err, CAPRUN_E_INVAL, "the answer is not acceptable JSON: %s", why.text);
    if (kind == WIRE_REPLY_TOOL)
        call->outcome = CAPRUN_OUTCOME_TOOL_ERROR; /* if it comes to that */
    close_call(run, call, CR_CALL_DONE);
    cr_run_send(run, (struct wire_header){.type = WIRE_REPLY, .id = number},
                (struct wire_part[]){{&reply, sizeof(reply)}, {json, len}}, 2);
    cr_run_tell_call_done(run, number);
    return was_sent(run, err);
}

static void refuse_args(struct caprun_run *run, const struct cr_call *call,
                        const struct cr_err *why)
{
    char message[1024];

    (void)snprintf(message, sizeof(message), "The args of %s are refused: %s", call->method,
                   why->text);
    fail_text(run, CAPRUN_OUTCOME_RPC_ERROR, message);
}

/* --- the capability's own list of tools ----------------------------------------------------- */

#define NAMED_TOOLS 3u

/* The name after |name|, or the first one; NULL at the end. */
static const char *next_tool(const struct caprun_run *run, const char *name)
{
    const char *next = name ? name + strlen(name) + 1 : (const char *)run->tools.data;

    return run->tools.len && next < (const char *)run->tools.data + run->tools.len ? next : NULL;
}

static bool is_in_tools(const struct caprun_run *run, const char *method)
{
    const char *name = next_tool(run, NULL);

    while (name && strcmp(name, method) != 0)
        name = next_tool(run, name);
    return name != NULL;
}

/* ' ("text:upper", "text:lower" and 7 more)', or ', which is empty'. */
static void list_tools(const struct caprun_run *run, struct cr_buf *out)
{
    size_t count = 0;

    for (const char *name = next_tool(run, NULL); name; name = next_tool(run, name))
        if (++count <= NAMED_TOOLS)
            cr_buf_fmt(out, "%s\"%s\"", count == 1 ? " (" : ", ", name);
    if (count > NAMED_TOOLS)
        cr_buf_fmt(out, " and %zu more", count - NAMED_TOOLS);
    cr_buf_str(out, count ? ")" : ", which is empty");
}

static void deny(struct caprun_run *run, struct cr_call *call)
{
    struct cr_err unused;
    struct cr_buf message;

    cr_buf_init(&message, KEPT_WORDS);
    cr_buf_fmt(&message, "%s is not in the capability's list of tools", call->method);
    list_tools(run, &message);
    cr_buf_str(&message, "; its author has to add it to \"tools\" in the metadata");
    call->by = "rule:tools";
    (void)end_call(run, (uint32_t)run->call_count, CR_CALL_DENIED, CAPRUN_OUTCOME_PERMISSION_DENIED,
                   (const char *)message.data, message.len, &unused);
    cr_buf_clear(&message);
    if (run->stop_when_denied && run->state == CR_RUN_RUNNING) {
        run->error.tool = strdup(call->method);
        cr_run_say(run, "%s", call->message ? call->message : "A call was denied");
        cr_run_end(run, CAPRUN_OUTCOME_PERMISSION_DENIED);
    }
}

/* --- the way of a call ---------------------------------------------------------------------- */

/* The args are JSON that was checked: the same bytes go on. */
static void ask(struct caprun_run *run, struct cr_call *call, const char *ns, int ns_len,
                const char *args, size_t len)
{
    char message[1024];

    if (run->on_call) {
        call->by = "application";
        run->on_call(run->call_data, run, (uint32_t)run->call_count, call->method, args, len);
        return;
    }
    (void)snprintf(message, sizeof(message),
                   "No target for %s: nobody answers for \"%.*s\", and this version of caprun "
                   "starts no MCP servers",
                   call->method, ns_len, ns);
    fail_text(run, CAPRUN_OUTCOME_RPC_ERROR, message);
}

/* Every call comes this way, and in this order: args, tools, whoever answers. */
static void decide(struct caprun_run *run, struct cr_call *call, const char *ns, int ns_len,
                   const uint8_t *args, size_t args_len)
{
    struct cr_err err;

    if (cr_scan_json(args, args_len, CR_SCAN_STRICT, &err) < 0)
        refuse_args(run, call, &err);
    else if (run->has_tools && !is_in_tools(run, call->method))
        deny(run, call);
    else
        ask(run, call, ns, ns_len, (const char *)args, args_len);
}

static void start_call(struct caprun_run *run, const char *ns, const struct wire_call *names,
                       const uint8_t *args, size_t args_len)
{
    struct cr_call *call = add_call(run, ns, (int)names->namespace_len, ns + names->namespace_len,
                                    (int)names->action_len);

    if (!call) {
        cr_run_say(run, "No memory to keep a call");
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return;
    }
    cr_run_tell(run, CAPRUN_EVENT_CALL, (uint32_t)run->call_count);
    if (run->state != CR_RUN_RUNNING)
        return;
    decide(run, call, ns, (int)names->namespace_len, args, args_len);
    if (run->state == CR_RUN_RUNNING)
        cr_run_schedule(run);
}

void cr_calls_handle(struct caprun_run *run, const struct wire_header *header,
                     const uint8_t *payload)
{
    const char *ns = (const char *)payload + sizeof(struct wire_call);
    struct wire_call names;
    size_t before_args;

    memcpy(&names, payload, sizeof(names));
    before_args = sizeof(names) + (size_t)names.namespace_len + names.action_len;
    if (header->id == run->limits.most.calls + 1) {
        cr_run_end(run, CAPRUN_OUTCOME_CALL_LIMIT);
        return;
    }
    if (before_args > header->length || header->length - before_args > LIMIT_ARGS_BYTES ||
        header->id != run->call_count + 1 || run->calls_open == run->limits.most.calls_at_once ||
        !wire_is_namespace(ns, names.namespace_len) ||
        !wire_is_action(ns + names.namespace_len, names.action_len)) {
        cr_worker_fault(run->worker, "a call that is not one");
        return;
    }
    start_call(run, ns, &names, payload + before_args, header->length - before_args);
}

/* Calls are given the same time, so that the oldest open one is the first to be due. */
static struct cr_call *oldest_open(struct caprun_run *run)
{
    while (run->calls_open && run->calls[run->call_oldest].state != CR_CALL_OPEN)
        run->call_oldest++;
    return run->calls_open ? &run->calls[run->call_oldest] : NULL;
}

int64_t cr_calls_next(struct caprun_run *run)
{
    const struct cr_call *call = oldest_open(run);

    return call ? call->started_us + (int64_t)run->limits.call_ms * 1000 : INT64_MAX;
}

void cr_calls_expire(struct caprun_run *run)
{
    char amount[32], message[320];
    struct cr_err unused;

    cr_units_show_duration(run->limits.call_ms, amount);
    while (run->state == CR_RUN_RUNNING && cr_calls_next(run) <= cr_loop_now()) {
        size_t at = run->call_oldest;

        (void)snprintf(message, sizeof(message), "RPC timeout: no answer from %s after %s",
                       run->calls[at].method, amount);
        (void)cr_calls_fail(run, (uint32_t)at + 1, CAPRUN_OUTCOME_RPC_TIMEOUT, message,
                            strlen(message), &unused);
    }
}

void cr_calls_clear(struct caprun_run *run)
{
    for (size_t i = 0; i < run->call_count; i++) {
        free(run->calls[i].method);
        free(run->calls[i].message);
    }
    free(run->calls);
}
