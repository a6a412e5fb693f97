/*
 * bridge.c - calls out, failures back, logs, clock.
 *
 * An error made from the host's answer is remembered in a WeakMap that only this file can reach,
 * with the functions of WeakMap as they were before a stranger's code ran. That is the private
 * mark: an error dressed up like ours is not in the map, and one of ours stays in it whatever is
 * done to its properties.
 */
#include "bridge.h"

#include <stdbool.h>
#include <string.h>

#include "arena.h"
#include "engine.h"
#include "link.h"
#include "prelude.h" /* generated: prelude_bytecode[] */
#include "values.h"

/* The two functions that settle the promise of a call in flight. */
struct pending {
    uint32_t id;
    JSValue settle[2]; /* resolve, reject */
};

static struct {
    int64_t now_us;
    uint32_t calls;
    struct pending *pending;
    size_t pending_count, pending_cap;
    size_t log_bytes, log_lines;
    bool log_ended;
    JSValue marks, marks_get, marks_set;
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

/* Sends a line, as much of it as the whole log may have. */
static void log_line(const char *text, size_t len)
{
    struct wire_part part = {text, len < LIMIT_LOG_BYTES ? len : LIMIT_LOG_BYTES};
    bool cut = part.len < len;

    crw_link_put(WIRE_LOG, cut, &part, 1);
    bridge.log_lines++;
    bridge.log_bytes += part.len;
    /* the host cuts the log by the same numbers; what comes after that need not be sent */
    bridge.log_ended =
        cut || bridge.log_lines >= LIMIT_LOG_LINES || bridge.log_bytes > LIMIT_LOG_BYTES;
}

/* A text of several lines is several lines of the log. */
static void log_text(const char *text, size_t len)
{
    while (!bridge.log_ended) {
        const char *end = memchr(text, '\n', len);

        log_line(text, end ? (size_t)(end - text) : len);
        if (!end)
            break;
        len -= (size_t)(end - text) + 1;
        text = end + 1;
    }
    /* at once: a line that says what code was about to do must not be lost with it */
    crw_link_flush();
}

static JSValue js_log(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, argv[0]);

    (void)this_val;
    (void)argc;
    if (!text)
        return JS_EXCEPTION;
    crw_values_mend(text, len);
    log_text(text, len);
    JS_FreeCString(ctx, text);
    return JS_UNDEFINED;
}

static JSValue js_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    (void)argv;
    return JS_NewFloat64(ctx, (double)bridge.now_us / 1000.0);
}

/* A promise that is rejected with the exception that was just thrown. */
static JSValue rejected(JSContext *ctx)
{
    JSValue error = JS_GetException(ctx);
    JSValue promise = JS_NewSettledPromise(ctx, true, error);

    JS_FreeValue(ctx, error);
    return promise;
}

static JSValue remember_call(JSContext *ctx, uint32_t id)
{
    struct pending p = {.id = id};
    JSValue promise = JS_NewPromiseCapability(ctx, p.settle);

    if (JS_IsException(promise))
        return promise;
    if (bridge.pending_count == bridge.pending_cap) {
        bridge.pending_cap = bridge.pending_cap ? bridge.pending_cap * 2 : 16;
        bridge.pending =
            crw_arena_realloc(NULL, bridge.pending, bridge.pending_cap * sizeof(*bridge.pending));
    }
    bridge.pending[bridge.pending_count++] = p;
    return promise;
}

static JSValue send_call(JSContext *ctx, const char *ns, size_t ns_len, const char *action,
                         size_t action_len, JSValueConst args)
{
    struct crw_text json;
    JSValue promise;

    if (!wire_is_namespace(ns, ns_len))
        return JS_ThrowTypeError(ctx, "not the name of a namespace");
    if (!wire_is_action(action, action_len))
        return JS_ThrowTypeError(ctx, "not the name of an action");
    if (crw_values_encode_args(ctx, args, &json) < 0)
        return JS_EXCEPTION;
    if (json.len > LIMIT_ARGS_BYTES) {
        crw_values_release(ctx, &json);
        return JS_ThrowRangeError(ctx, "the args of a call are over %u MiB",
                                  LIMIT_ARGS_BYTES / LIMIT_MIB);
    }
    promise = remember_call(ctx, bridge.calls + 1);
    if (!JS_IsException(promise)) {
        struct wire_call call = {(uint32_t)ns_len, (uint32_t)action_len};
        struct wire_part parts[] = {
            {&call, sizeof(call)},
            {ns, ns_len},
            {action, action_len},
            {json.bytes, json.len},
        };

        crw_link_put(WIRE_CALL, ++bridge.calls, parts, 4);
    }
    crw_values_release(ctx, &json);
    return promise;
}

static JSValue js_call(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    size_t ns_len = 0, action_len = 0;
    const char *ns = JS_ToCStringLen(ctx, &ns_len, argv[0]);
    const char *action = JS_ToCStringLen(ctx, &action_len, argv[1]);
    JSValue promise = JS_EXCEPTION;

    (void)this_val;
    (void)argc;
    if (ns && action)
        promise = send_call(ctx, ns, ns_len, action, action_len, argv[2]);
    if (JS_IsException(promise))
        promise = rejected(ctx);
    JS_FreeCString(ctx, ns);
    JS_FreeCString(ctx, action);
    return promise;
}

static int take_pending(uint32_t id, struct pending *ret)
{
    for (size_t i = 0; i < bridge.pending_count; i++) {
        if (bridge.pending[i].id == id) {
            *ret = bridge.pending[i];
            bridge.pending[i] = bridge.pending[--bridge.pending_count];
            return 0;
        }
    }
    return -1;
}

static JSValue make_error(JSContext *ctx, uint32_t id, const char *code, size_t code_len,
                          const char *message, size_t message_len)
{
    const int hidden = JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE;
    JSValue error = JS_NewError(ctx);
    JSValue number = JS_NewUint32(ctx, id);
    JSValueConst pair[] = {error, number};

    JS_DefinePropertyValueStr(ctx, error, "message", JS_NewStringLen(ctx, message, message_len),
                              hidden);
    JS_DefinePropertyValueStr(ctx, error, "code", JS_NewStringLen(ctx, code, code_len), hidden);
    JS_FreeValue(ctx, JS_Call(ctx, bridge.marks_set, bridge.marks, 2, pair));
    return error;
}

void crw_bridge_fail(JSContext *ctx, uint32_t id, const uint8_t *payload, size_t len)
{
    struct wire_fail fail;
    struct pending p;
    JSValue error;
    const char *text = (const char *)payload + sizeof(fail);

    memcpy(&fail, payload, sizeof(fail));
    if ((uint64_t)fail.code_len + fail.message_len + sizeof(fail) != len ||
        take_pending(id, &p) < 0)
        crw_link_leave(WIRE_EXIT_FRAME);
    error = make_error(ctx, id, text, fail.code_len, text + fail.code_len, fail.message_len);
    JS_FreeValue(ctx, JS_Call(ctx, p.settle[1], JS_UNDEFINED, 1, (JSValueConst *)&error));
    JS_FreeValue(ctx, error);
    JS_FreeValue(ctx, p.settle[0]);
    JS_FreeValue(ctx, p.settle[1]);
}

uint32_t crw_bridge_call_of(JSContext *ctx, JSValueConst error)
{
    JSValue number = JS_Call(ctx, bridge.marks_get, bridge.marks, 1, &error);
    uint32_t id = 0;

    if (JS_IsNumber(number))
        (void)JS_ToUint32(ctx, &id, number);
    JS_FreeValue(ctx, number);
    return id;
}

static int make_marks(JSContext *ctx, JSValueConst global)
{
    JSValue constructor = JS_GetPropertyStr(ctx, global, "WeakMap");

    bridge.marks = JS_CallConstructor(ctx, constructor, 0, NULL);
    bridge.marks_get = JS_GetPropertyStr(ctx, bridge.marks, "get");
    bridge.marks_set = JS_GetPropertyStr(ctx, bridge.marks, "set");
    JS_FreeValue(ctx, constructor);
    return JS_IsFunction(ctx, bridge.marks_get) && JS_IsFunction(ctx, bridge.marks_set) ? 0 : -1;
}

JSValue crw_bridge_install(JSContext *ctx)
{
    JSValue global = JS_GetGlobalObject(ctx);
    JSValue native = JS_NewObject(ctx);
    JSValue prelude = crw_engine_load(ctx, prelude_bytecode, sizeof(prelude_bytecode));
    JSValue mcp = JS_EXCEPTION;

    /* no capability gets hold of `call` and `log`; their names keep them out of its stack traces */
    JS_SetPropertyStr(ctx, native, "call",
                      JS_NewCFunction(ctx, js_call, "call (" CRW_ENGINE_OURS, 3));
    JS_SetPropertyStr(ctx, native, "log", JS_NewCFunction(ctx, js_log, "log (" CRW_ENGINE_OURS, 1));
    JS_SetPropertyStr(ctx, native, "now", JS_NewCFunction(ctx, js_now, "now", 0));
    if (make_marks(ctx, global) == 0 && JS_IsFunction(ctx, prelude))
        mcp = JS_Call(ctx, prelude, JS_UNDEFINED, 1, (JSValueConst *)&native);
    JS_FreeValue(ctx, prelude);
    JS_FreeValue(ctx, native);
    JS_FreeValue(ctx, global);
    return mcp;
}
