/*
 * job.c - compile, run, wait, answer.
 *
 * The loop: run every job that the engine has; if the code's promise is settled, answer and leave;
 * run a timer if the last wake-up has one left; otherwise tell the host that there is nothing to
 * do, and read its next frame. The promise's state is asked of the engine directly, so that no
 * `then` of anybody's is involved.
 *
 * Time is limited by the host, which kills. The interrupt handler below is there for the stack of
 * code that runs too long. It does not return 1 as the engine offers, because that error can be
 * caught in a dozen ways: it sends its frame and leaves.
 */
#include "job.h"

#include <string.h>
#include <time.h>

#include "arena.h"
#include "bridge.h"
#include "console/inspect.h"
#include "console/work.h"
#include "engine.h"
#include "link.h"
#include "engine/marks.h"
#include "random.h"
#include "report.h"
#include "timers.h"
#include "values.h"

static struct {
    JSContext *ctx;
    bool has_clock;
    int64_t deadline_us; /* on this process's clock; 0: there is none */
} job;

static int64_t clock_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

_Noreturn static void leave_late(JSContext *ctx)
{
    JSValue stack = crw_engine_running_stack(ctx);
    size_t len = 0;
    const char *text = JS_IsString(stack) ? JS_ToCStringLen(ctx, &len, stack) : NULL;
    struct wire_part part = {text, least(len, LIMIT_ERROR_STACK_BYTES)};

    crw_link_put(WIRE_LATE, 0, &part, text ? 1 : 0);
    crw_link_linger();
}

static int on_interrupt(JSRuntime *rt, void *opaque)
{
    (void)rt;
    (void)opaque;
    if (crw_link_waiting())
        crw_link_flush();
    if (job.deadline_us && clock_us() >= job.deadline_us) {
        job.deadline_us = 0;
        leave_late(job.ctx);
    }
    return 0;
}

/* Takes |value|; gives its text, or "". Getters and toString are a stranger's, and may throw. */
static const char *text_of(JSContext *ctx, JSValue value, size_t *ret_len)
{
    const char *text = NULL;

    if (!JS_IsException(value) && !JS_IsSymbol(value))
        text = JS_ToCStringLen(ctx, ret_len, value);
    JS_FreeValue(ctx, value);
    if (text) {
        crw_values_mend(text, *ret_len);
        return text;
    }
    JS_FreeValue(ctx, JS_GetException(ctx));
    *ret_len = 0;
    return "";
}

/* What was thrown and is no Error: an object as JSON, anything else as text. */
static const char *text_of_other(JSContext *ctx, JSValueConst value, size_t *ret_len)
{
    struct crw_text json = {0};
    struct crw_out out = {.max = LIMIT_ERROR_MESSAGE_BYTES};

    if (JS_IsSymbol(value)) {
        crw_work_begin();
        crw_inspect(ctx, &out, value, CRW_INSPECT_HOW(0));
        *ret_len = out.len;
        return out.text;
    }
    if (JS_IsObject(value) && crw_values_encode_result(ctx, value, &json) >= 0) {
        *ret_len = json.len;
        return json.bytes;
    }
    return text_of(ctx, JS_DupValue(ctx, value), ret_len);
}

/* The stack, and what caused it. */
static void append_stack(JSContext *ctx, struct crw_out *out, JSValueConst error)
{
    size_t len;
    const char *stack = text_of(ctx, crw_engine_error_stack(ctx, error), &len);

    crw_out_put(out, stack, len);
    crw_report_causes(ctx, out, error);
}

_Noreturn static void leave_without_result(JSContext *ctx, enum wire_why why, JSValueConst error)
{
    struct crw_mark mark = crw_marks_get(ctx, error);
    struct wire_threw threw = {.why = (uint32_t)why, .call = mark.call, .blocked = mark.blocked};
    struct crw_out stack = {.max = LIMIT_ERROR_STACK_BYTES};
    size_t name_len = 0, message_len;
    const char *name = "", *message;
    struct wire_part parts[4];

    if (crw_engine_is_error(error)) {
        name = text_of(ctx, JS_GetPropertyStr(ctx, error, "name"), &name_len);
        message = text_of(ctx, JS_GetPropertyStr(ctx, error, "message"), &message_len);
        append_stack(ctx, &stack, error);
    } else {
        message = text_of_other(ctx, error, &message_len);
    }
    threw.name_len = (uint32_t)least(name_len, LIMIT_ERROR_NAME_BYTES);
    threw.message_len = (uint32_t)least(message_len, LIMIT_ERROR_MESSAGE_BYTES);
    threw.stack_len = (uint32_t)stack.len;
    parts[0] = (struct wire_part){&threw, sizeof(threw)};
    parts[1] = (struct wire_part){name, threw.name_len};
    parts[2] = (struct wire_part){message, threw.message_len};
    parts[3] = (struct wire_part){stack.text, threw.stack_len};
    crw_link_put(WIRE_THREW, 0, parts, 4);
    crw_link_linger();
}

_Noreturn static void leave_with_exception(JSContext *ctx, enum wire_why why)
{
    leave_without_result(ctx, why, JS_GetException(ctx));
}

_Noreturn void crw_job_uncaught(JSContext *ctx)
{
    leave_with_exception(ctx, WIRE_WHY_THREW);
}

_Noreturn static void leave_with_result(JSContext *ctx, JSValueConst value)
{
    struct crw_text json = {0};
    struct wire_part part;
    int r = crw_values_encode_result(ctx, value, &json);

    if (r < 0)
        leave_with_exception(ctx, WIRE_WHY_NOT_JSON);
    if (r > 0)
        leave_without_result(ctx, WIRE_WHY_TOO_LONG, JS_UNDEFINED);
    crw_report_leftovers(ctx, value);
    part = (struct wire_part){json.bytes, json.len};
    crw_link_put(WIRE_DONE, 0, &part, 1);
    crw_link_linger();
}

static uint8_t *read_frame(struct wire_header *ret_header)
{
    uint8_t *payload = crw_link_read(ret_header);

    crw_bridge_set_time(ret_header);
    if (job.has_clock)
        job.deadline_us = clock_us() + (int64_t)ret_header->left_ms * 1000;
    return payload;
}

static void handle_frame(JSContext *ctx)
{
    struct wire_header header;
    uint8_t *payload = read_frame(&header);

    if (header.type == WIRE_REPLY)
        crw_bridge_reply(ctx, header.id, payload, header.length);
    else if (header.type == WIRE_FAIL)
        crw_bridge_fail(ctx, header.id, payload, header.length);
    else if (header.type == WIRE_WAKE)
        crw_timers_wake(header.now_us);
    else
        crw_link_leave(WIRE_EXIT_FRAME);
    crw_arena_free(NULL, payload);
}

static void say_idle(void)
{
    struct wire_idle idle = {crw_timers_next()};
    struct wire_part part = {&idle, sizeof(idle)};

    crw_link_put(WIRE_IDLE, crw_link_frames_read(), &part, 1);
    crw_link_flush();
}

/* Runs until |promise| is settled. Returns its value; leaves if it is rejected. */
static JSValue wait_for(JSContext *ctx, JSValueConst promise)
{
    for (;;) {
        JSContext *unused;
        int r;

        while ((r = JS_ExecutePendingJob(JS_GetRuntime(ctx), &unused)) > 0)
            ;
        if (r < 0)
            crw_job_uncaught(ctx);
        if (JS_PromiseState(ctx, promise) == JS_PROMISE_FULFILLED)
            return JS_PromiseResult(ctx, promise);
        if (JS_PromiseState(ctx, promise) == JS_PROMISE_REJECTED)
            leave_without_result(ctx, WIRE_WHY_THREW, JS_PromiseResult(ctx, promise));
        if (crw_timers_run_one(ctx))
            continue;
        say_idle();
        handle_frame(ctx);
    }
}

/* A promise for |value|, which may be one, or may be thenable. Takes it. */
static JSValue promise_for(JSContext *ctx, JSValue value)
{
    JSValue promise, settle[2];

    if (JS_IsException(value))
        crw_job_uncaught(ctx);
    if (JS_PromiseState(ctx, value) != JS_PROMISE_NOT_A_PROMISE)
        return value;
    promise = JS_NewPromiseCapability(ctx, settle);
    JS_FreeValue(ctx, JS_Call(ctx, settle[0], JS_UNDEFINED, 1, (JSValueConst *)&value));
    return promise;
}

/* Evaluates |module|, and calls what it exports by default with (args, {mcp}). */
static JSValue call_module(JSContext *ctx, JSValue module, JSValueConst mcp, JSValueConst args)
{
    JSValue tools = JS_NewObject(ctx);
    JSValue function;

    JS_DefinePropertyValueStr(ctx, tools, "mcp", JS_DupValue(ctx, mcp), JS_PROP_C_W_E);
    (void)wait_for(ctx, promise_for(ctx, JS_EvalFunction(ctx, JS_DupValue(ctx, module))));
    function = crw_engine_default_export(ctx, module);
    if (!JS_IsFunction(ctx, function)) {
        (void)JS_ThrowTypeError(ctx, "the module's default export is not a function");
        crw_job_uncaught(ctx);
    }
    return JS_Call(ctx, function, JS_UNDEFINED, 2, (JSValueConst[]){args, tools});
}

/* Splits a job's payload; the lengths come from the host, and are still checked. */
static void split(const struct wire_header *header, const uint8_t *payload, struct wire_job *ret)
{
    if (header->type != WIRE_JOB)
        crw_link_leave(WIRE_EXIT_FRAME);
    memcpy(ret, payload, sizeof(*ret));
    if (ret->name_len > WIRE_NAME_MAX || ret->zero ||
        sizeof(*ret) + (uint64_t)ret->name_len + ret->code_len + ret->args_len != header->length)
        crw_link_leave(WIRE_EXIT_FRAME);
}

static void begin(JSContext *ctx, const uint8_t *seed)
{
    uint64_t math;

    memcpy(&math, seed, sizeof(math));
    crw_engine_begin(ctx, math);
    crw_random_seed(seed + WIRE_SEED_MATH);
}

_Noreturn void crw_job_run(JSContext *ctx, JSValueConst mcp, bool has_clock)
{
    struct wire_header header;
    struct wire_job parts;
    uint8_t *payload;
    const char *code, *args_json;
    char name[WIRE_NAME_MAX + 1];
    JSValue program, args, returned;

    job.ctx = ctx;
    job.has_clock = has_clock;
    if (has_clock)
        (void)clock_us(); /* the first call takes longer */
    payload = read_frame(&header);
    split(&header, payload, &parts);
    code = (const char *)payload + sizeof(parts) + parts.name_len;
    args_json = code + parts.code_len;
    memcpy(name, code - parts.name_len, parts.name_len);
    name[parts.name_len] = '\0';

    begin(ctx, parts.seed);
    JS_SetInterruptHandler(JS_GetRuntime(ctx), on_interrupt, NULL);
    program = crw_engine_compile(ctx, code, parts.code_len, name);
    crw_engine_close_compiler(ctx);
    if (JS_IsException(program))
        leave_with_exception(ctx, WIRE_WHY_SYNTAX);
    args = JS_ParseJSON(ctx, args_json, parts.args_len, name);
    if (JS_IsException(args))
        crw_link_leave(WIRE_EXIT_FRAME);
    crw_arena_free(NULL, payload);
    returned = JS_IsModule(program)
                   ? call_module(ctx, program, mcp, args)
                   : JS_Call(ctx, program, JS_UNDEFINED, 2, (JSValueConst[]){mcp, args});
    leave_with_result(ctx, wait_for(ctx, promise_for(ctx, returned)));
}
