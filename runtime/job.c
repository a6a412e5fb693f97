/*
 * job.c - compiles and runs the code of a job, waits for its promise, and sends the result.
 *
 * The loop: run every pending job of the engine. If the code's promise is settled, send the result
 * and exit. Run a timer if the last wake-up has one left. Otherwise tell the host that the worker
 * is idle, and read the next frame. The promise's state is read from the engine directly, so that
 * no `then` that untrusted code has replaced is called.
 *
 * The host limits the time, by killing the worker. The interrupt handler below only exists to
 * report the stack of code that runs too long. It does not return 1, as the engine allows, because
 * code can catch that error in many ways: it sends its frame and exits.
 */
#include "job.h"

#include <string.h>
#include <time.h>

#include "arena.h"
#include "bridge.h"
#include "console/inspect.h"
#include "console/work.h"
#include "engine.h"
#include "engine/decode.h"
#include "link.h"
#include "engine/marks.h"
#include "random.h"
#include "report.h"
#include "schema.h"
#include "timers.h"
#include "typescript.h"
#include "values.h"

static struct {
    JSContext *ctx;
    bool has_clock;
    int64_t deadline_us; /* on this process's clock; 0: no deadline */
    JSValue program;     /* a function, or a module */
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

static uint32_t memory_taken(void)
{
    return (uint32_t)(crw_arena_peak() / LIMIT_KIB);
}

_Noreturn static void leave_late(JSContext *ctx)
{
    JSValue stack = crw_engine_running_stack(ctx);
    size_t len = 0;
    const char *text = JS_IsString(stack) ? JS_ToCStringLen(ctx, &len, stack) : NULL;
    struct wire_part part = {text, least(len, LIMIT_ERROR_STACK_BYTES)};

    crw_link_put(WIRE_LATE, 0, &part, text ? 1 : 0);
    crw_link_wait_for_close();
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

/* Takes |value|; returns its text, or "". Getters and toString are untrusted, and may throw. */
static const char *text_of(JSContext *ctx, JSValue value, size_t *ret_len)
{
    const char *text = NULL;

    if (!JS_IsException(value) && !JS_IsSymbol(value))
        text = JS_ToCStringLen(ctx, ret_len, value);
    JS_FreeValue(ctx, value);
    if (text) {
        crw_values_replace_surrogates(text, *ret_len);
        return text;
    }
    JS_FreeValue(ctx, JS_GetException(ctx));
    *ret_len = 0;
    return "";
}

/* The text of a thrown value that is not an Error: an object as JSON, anything else as text. */
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
    if (JS_IsObject(value) &&
        crw_values_encode_result(ctx, value, LIMIT_DEFAULT_RESULT_BYTES, &json) >= 0) {
        *ret_len = json.len;
        return json.bytes;
    }
    return text_of(ctx, JS_DupValue(ctx, value), ret_len);
}

/* Appends the stack of |error|, and its causes. */
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
    crw_link_put(WIRE_THREW, memory_taken(), parts, 4);
    crw_link_wait_for_close();
}

_Noreturn static void leave_with_exception(JSContext *ctx, enum wire_why why)
{
    leave_without_result(ctx, why, JS_GetException(ctx));
}

_Noreturn void crw_job_uncaught(JSContext *ctx)
{
    leave_with_exception(ctx, WIRE_WHY_THREW);
}

/* Returns the bits for DONE that say why a run without a value may be a mistake. */
static uint32_t likely_mistake(JSContext *ctx, JSValueConst value)
{
    if (!JS_IsUndefined(value) || crw_bridge_waiting())
        return 0; /* crw_report_leftovers() reports waiting calls */
    if (crw_timers_next() >= 0)
        return WIRE_DONE_TIMER;
    return crw_engine_drops_value(ctx, job.program) ? WIRE_DONE_DROPPED : 0;
}

_Noreturn static void leave_with_result(JSContext *ctx, JSValueConst value)
{
    struct crw_text json = {0};
    struct wire_part part;
    int r = crw_values_encode_result(ctx, value, crw_bridge_limits()->result_bytes, &json);

    if (r < 0)
        leave_with_exception(ctx, WIRE_WHY_NOT_JSON);
    if (r > 0)
        leave_without_result(ctx, WIRE_WHY_TOO_LONG, JS_UNDEFINED);
    crw_report_leftovers(ctx, value);
    part = (struct wire_part){json.bytes, json.len};
    crw_link_put(WIRE_DONE, memory_taken() | likely_mistake(ctx, value), &part, 1);
    crw_link_wait_for_close();
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

/* Runs until |promise| is settled. Returns its value; ends the run if it is rejected. */
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

/* Takes |value|, which may be a promise or a thenable. Returns a promise for it. */
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

/* Evaluates |module|, and calls its default export with (args, {mcp}). */
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

/* The parts of a job's payload. parse() changes the byte after a text for a moment. */
struct parts {
    struct wire_job sizes;
    char name[WIRE_NAME_MAX + 1];
    char *schema, *code, *args, *env;
};

/* Checks the lengths too, although the trusted host sent them. */
static void split(const struct wire_header *header, uint8_t *payload, struct parts *ret)
{
    struct wire_job *n = &ret->sizes;

    if (header->type != WIRE_JOB)
        crw_link_leave(WIRE_EXIT_FRAME);
    memcpy(n, payload, sizeof(*n));
    if (n->name_len > WIRE_NAME_MAX || n->wording > WIRE_WORDING_V8 ||
        n->language > WIRE_LANGUAGE_TYPESCRIPT ||
        sizeof(*n) + (uint64_t)n->name_len + n->schema_len + n->code_len + n->args_len +
                n->env_len !=
            header->length)
        crw_link_leave(WIRE_EXIT_FRAME);
    memcpy(ret->name, payload + sizeof(*n), n->name_len);
    ret->name[n->name_len] = '\0';
    ret->schema = (char *)payload + sizeof(*n) + n->name_len;
    ret->code = ret->schema + n->schema_len;
    ret->args = ret->code + n->code_len;
    ret->env = ret->args + n->args_len;
}

/* Parses JSON that the host has already validated. The decoder needs a NUL after it. */
static JSValue parse(JSContext *ctx, char *json, size_t len)
{
    char behind = json[len];
    JSValue value;

    json[len] = '\0';
    value = crw_decode_json(ctx, json, len);
    json[len] = behind;
    if (JS_IsException(value))
        crw_link_leave(WIRE_EXIT_FRAME);
    return value;
}

/* Ends the run if |args| do not fit the schema of the job, or already have an `env`. */
static void check_args(JSContext *ctx, const struct parts *parts, JSValueConst args)
{
    JSValue lines = JS_UNDEFINED;
    int why = 0;

    if (parts->sizes.schema_len) {
        JSValue schema = parse(ctx, parts->schema, parts->sizes.schema_len);

        why = crw_schema_check(ctx, schema, args, &lines);
        JS_FreeValue(ctx, schema);
    }
    if (!why && parts->sizes.env_len)
        why = crw_schema_check_env(ctx, args, &lines);
    if (why)
        leave_without_result(ctx, (enum wire_why)why, lines);
}

static JSValue compile(JSContext *ctx, const struct parts *parts)
{
    const char *code = parts->code, *name = parts->name;
    size_t len = parts->sizes.code_len;

    if (parts->sizes.language == WIRE_LANGUAGE_TYPESCRIPT)
        return crw_typescript_compile(ctx, code, len, name);
    return crw_engine_compile(ctx, code, len, name,
                              parts->sizes.language == WIRE_LANGUAGE_AUTO ? crw_typescript_erase
                                                                          : NULL);
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
    struct parts parts;
    uint8_t *payload;
    JSValue program, args, returned;

    job.ctx = ctx;
    job.has_clock = has_clock;
    if (has_clock)
        (void)clock_us(); /* the first call is slow */
    payload = read_frame(&header);
    split(&header, payload, &parts);

    begin(ctx, parts.sizes.seed);
    crw_engine_set_wording(parts.sizes.wording);
    crw_bridge_set_limits(&parts.sizes.limits);
    JS_SetInterruptHandler(JS_GetRuntime(ctx), on_interrupt, NULL);
    args = parse(ctx, parts.args, parts.sizes.args_len);
    check_args(ctx, &parts, args);
    program = compile(ctx, &parts);
    crw_engine_close_compiler(ctx);
    if (JS_IsException(program))
        leave_with_exception(ctx, WIRE_WHY_SYNTAX);
    job.program = program;
    if (parts.sizes.env_len)
        JS_DefinePropertyValueStr(ctx, args, "env", parse(ctx, parts.env, parts.sizes.env_len),
                                  JS_PROP_C_W_E);
    crw_arena_free(NULL, payload);
    returned = JS_IsModule(program)
                   ? call_module(ctx, program, mcp, args)
                   : JS_Call(ctx, program, JS_UNDEFINED, 2, (JSValueConst[]){mcp, args});
    leave_with_result(ctx, wait_for(ctx, promise_for(ctx, returned)));
}
