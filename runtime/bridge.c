/* bridge.c - sends calls to the host, settles their promises with the answers, keeps the clock. */
#include "bridge.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "arena.h"
#include "engine.h"
#include "engine/decode.h"
#include "link.h"
#include "engine/marks.h"
#include "prelude.h" /* generated: prelude_bytecode[] */
#include "values.h"

/* A call that has no answer yet. */
struct pending {
    uint32_t id;
    bool raw;
    JSValue promise;
    JSValue tool;                  /* "ns:action" */
    struct crw_engine_place place; /* where it was made */
};

/* A call that is not sent yet, because too many calls wait for an answer. */
struct held {
    uint32_t id;
    size_t len;
    uint8_t *payload;
};

static struct {
    int64_t now_us;
    struct wire_limits limits;
    uint32_t calls;
    struct pending *pending;
    size_t pending_count, pending_cap;
    struct held *held; /* held[held_from..held_to) */
    size_t held_from, held_to, held_cap;
} bridge;

void crw_bridge_set_time(const struct wire_header *header)
{
    bridge.now_us = header->now_us;
    crw_engine_set_date(header->date_us);
}

int64_t crw_bridge_now_us(void)
{
    return bridge.now_us;
}

void crw_bridge_set_limits(const struct wire_limits *limits)
{
    bridge.limits = *limits;
}

const struct wire_limits *crw_bridge_limits(void)
{
    return &bridge.limits;
}

/* Returns a promise that is rejected with the pending exception. */
static JSValue rejected(JSContext *ctx)
{
    JSValue error = JS_GetException(ctx);
    JSValue promise = JS_NewSettledPromise(ctx, true, error);

    JS_FreeValue(ctx, error);
    return promise;
}

/* --- calls out ---------------------------------------------------------------------------- */

static void *grown(void *list, size_t count, size_t *cap, size_t size)
{
    if (count < *cap)
        return list;
    *cap = *cap ? *cap * 2 : 16;
    return crw_arena_realloc(NULL, list, *cap * size);
}

static JSValue remember_call(JSContext *ctx, JSValueConst tool, bool raw)
{
    struct pending p = {.id = bridge.calls, .raw = raw, .promise = crw_engine_new_promise(ctx)};

    if (JS_IsException(p.promise))
        return p.promise;
    p.tool = JS_DupValue(ctx, tool);
    crw_engine_place(ctx, &p.place);
    bridge.pending = grown(bridge.pending, bridge.pending_count, &bridge.pending_cap, sizeof(p));
    bridge.pending[bridge.pending_count++] = p;
    return JS_DupValue(ctx, p.promise);
}

/* Queues a call to be sent later: too many calls wait for an answer. */
static void hold_back(const struct wire_part *parts, size_t count)
{
    struct held held = {.id = bridge.calls};
    size_t at = 0;

    for (size_t i = 0; i < count; i++)
        held.len += parts[i].len;
    held.payload = crw_arena_malloc(NULL, held.len);
    for (size_t i = 0; i < count; at += parts[i++].len)
        memcpy(held.payload + at, parts[i].bytes, parts[i].len);
    bridge.held = grown(bridge.held, bridge.held_to, &bridge.held_cap, sizeof(held));
    bridge.held[bridge.held_to++] = held;
}

static void send_held(void)
{
    struct held held;
    struct wire_part part;

    if (bridge.held_from == bridge.held_to)
        return;
    held = bridge.held[bridge.held_from++];
    part = (struct wire_part){held.payload, held.len};
    crw_link_put(WIRE_CALL, held.id, &part, 1);
    crw_arena_free(NULL, held.payload);
}

static JSValue send_call(JSContext *ctx, JSValueConst tool, const char *ns, const char *action,
                         JSValueConst args, bool raw)
{
    struct wire_call call = {(uint32_t)strlen(ns), (uint32_t)strlen(action)};
    struct wire_part parts[4] = {
        {&call, sizeof(call)}, {ns, call.namespace_len}, {action, call.action_len}};
    struct crw_text json;
    JSValue promise;

    if (crw_values_encode_args(ctx, args, &json) < 0)
        return JS_EXCEPTION;
    bridge.calls++;
    promise = remember_call(ctx, tool, raw);
    parts[3] = (struct wire_part){json.bytes, json.len};
    if (bridge.pending_count <= bridge.limits.calls_at_once || bridge.calls > bridge.limits.calls)
        crw_link_put(WIRE_CALL, bridge.calls, parts, 4);
    else
        hold_back(parts, 4);
    crw_encode_release(&json);
    return promise;
}

/* `mcp.ns.action`, or its `raw`. |names|: the namespace, the action, and "ns:action". */
static JSValue js_call(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int raw,
                       JSValueConst *names)
{
    size_t ns_len = 0, action_len = 0;
    const char *ns = JS_ToCStringLen(ctx, &ns_len, names[0]);
    const char *action = JS_ToCStringLen(ctx, &action_len, names[1]);
    JSValueConst args = argc > 0 ? argv[0] : JS_UNDEFINED;
    JSValue promise;

    (void)this_val;
    if (!wire_is_namespace(ns, ns_len))
        promise = JS_ThrowTypeError(ctx, "not the name of a namespace");
    else if (!wire_is_action(action, action_len))
        promise = JS_ThrowTypeError(ctx, "not the name of an action");
    else
        promise = send_call(ctx, names[2], ns, action, args, raw);
    if (JS_IsException(promise))
        promise = rejected(ctx);
    JS_FreeCString(ctx, ns);
    JS_FreeCString(ctx, action);
    return promise;
}

/* Returns the two names joined by |between|. */
static JSValue joined(JSContext *ctx, const char *before, JSValueConst *names, const char *between)
{
    const char *ns = JS_ToCString(ctx, names[0]), *action = JS_ToCString(ctx, names[1]);
    char text[LIMIT_NAMESPACE_CHARS + LIMIT_ACTION_CHARS + 8];

    (void)snprintf(text, sizeof(text), "%s%s%s%s", before, ns, between, action);
    JS_FreeCString(ctx, ns);
    JS_FreeCString(ctx, action);
    return JS_NewString(ctx, text);
}

/* For the prelude: `tool(namespace, action)` returns the function that calls this tool. */
static JSValue js_tool(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    JSValue names[] = {JS_DupValue(ctx, argv[0]), JS_DupValue(ctx, argv[1]),
                       joined(ctx, "", argv, ":")};
    JSValue shown = joined(ctx, "mcp.", argv, ".");
    JSValue functions[2];

    (void)this_val;
    (void)argc;
    for (int raw = 0; raw < 2; raw++) {
        functions[raw] = JS_NewCFunctionData(ctx, js_call, 1, raw, 3, (JSValueConst *)names);
        JS_DefinePropertyValueStr(ctx, functions[raw], "name", JS_DupValue(ctx, shown),
                                  JS_PROP_CONFIGURABLE);
    }
    JS_DefinePropertyValueStr(ctx, functions[0], "raw", functions[1], JS_PROP_CONFIGURABLE);
    JS_FreeValue(ctx, shown);
    for (int i = 0; i < 3; i++)
        JS_FreeValue(ctx, names[i]);
    return functions[0];
}

/* --- answers ------------------------------------------------------------------------------ */

static struct pending take_pending(uint32_t id)
{
    for (size_t i = 0; i < bridge.pending_count; i++) {
        struct pending p = bridge.pending[i];

        if (p.id == id) {
            bridge.pending[i] = bridge.pending[--bridge.pending_count];
            return p;
        }
    }
    crw_link_leave(WIRE_EXIT_FRAME);
}

/* Settles the promise of |p| with |value|. Takes |value| and frees |p|. */
static void settle(JSContext *ctx, struct pending *p, JSValue value, bool is_error)
{
    if (is_error)
        crw_engine_set_place(ctx, value, &p->place);
    crw_engine_settle(ctx, p->promise, value, is_error);
    JS_FreeValue(ctx, value);
    JS_FreeValue(ctx, p->promise);
    JS_FreeValue(ctx, p->tool);
    JS_FreeValue(ctx, p->place.function);
    send_held();
}

static void define(JSContext *ctx, JSValueConst error, const char *name, JSValue value)
{
    JS_DefinePropertyValueStr(ctx, error, name, value, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

static JSValue call_error(JSContext *ctx, const struct pending *p, const char *name,
                          const char *code, JSValue message)
{
    JSValue error = crw_marks_new_error(ctx, name, code, message, (struct crw_mark){.call = p->id});

    define(ctx, error, "toolName", JS_DupValue(ctx, p->tool));
    return error;
}

void crw_bridge_fail(JSContext *ctx, uint32_t id, const uint8_t *payload, size_t len)
{
    struct pending p = take_pending(id);
    const char *text = (const char *)payload + sizeof(struct wire_fail);
    struct wire_fail fail;
    char code[WIRE_NAME_MAX + 1];
    JSValue error;

    memcpy(&fail, payload, sizeof(fail));
    if ((uint64_t)fail.code_len + fail.message_len + sizeof(fail) != len ||
        fail.code_len > WIRE_NAME_MAX)
        crw_link_leave(WIRE_EXIT_FRAME);
    (void)snprintf(code, sizeof(code), "%.*s", (int)fail.code_len, text);
    error = call_error(ctx, &p, NULL, code,
                       JS_NewStringLen(ctx, text + fail.code_len, fail.message_len));
    settle(ctx, &p, error, true);
}

static JSValue tool_error(JSContext *ctx, const struct pending *p, JSValueConst result)
{
    JSValue error = call_error(ctx, p, "MCPToolError", "TOOL_ERROR", crw_answer_words(ctx, result));

    define(ctx, error, "data", crw_answer_unwrap(ctx, result));
    return error;
}

void crw_bridge_reply(JSContext *ctx, uint32_t id, const uint8_t *payload, size_t len)
{
    struct pending p = take_pending(id);
    struct wire_reply reply;
    JSValue value;

    memcpy(&reply, payload, sizeof(reply));
    value = crw_decode_json(ctx, (const char *)payload + sizeof(reply), len - sizeof(reply));
    if (JS_IsException(value) || reply.kind < WIRE_REPLY_VALUE || reply.kind > WIRE_REPLY_TOOL)
        crw_link_leave(WIRE_EXIT_FRAME);
    if (reply.kind == WIRE_REPLY_TOOL && !p.raw) {
        bool is_error = crw_answer_is_error(ctx, value);
        JSValue inner = is_error ? tool_error(ctx, &p, value) : crw_answer_unwrap(ctx, value);

        JS_FreeValue(ctx, value);
        settle(ctx, &p, inner, is_error);
    } else {
        settle(ctx, &p, value, false);
    }
}

unsigned crw_bridge_waiting(void)
{
    return (unsigned)bridge.pending_count;
}

JSValue crw_bridge_install(JSContext *ctx)
{
    JSValue tool = JS_NewCFunction(ctx, js_tool, "tool", 2);
    JSValue prelude = crw_engine_load(ctx, prelude_bytecode, sizeof(prelude_bytecode));
    JSValue mcp = JS_EXCEPTION;

    if (JS_IsFunction(ctx, prelude))
        mcp = JS_Call(ctx, prelude, JS_UNDEFINED, 1, (JSValueConst *)&tool);
    JS_FreeValue(ctx, prelude);
    JS_FreeValue(ctx, tool);
    return mcp;
}
