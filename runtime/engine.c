/*
 * engine.c - the engine in one translation unit, and the few lines that need its insides.
 *
 * The engine's headers come first, so that the replacements below apply to its code and not to the
 * C library's declarations. They leave it without a clock (Date shows what crw_engine_set_date was
 * told), without a time zone (always UTC) and without a seed of its own.
 */
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "cutils.h"

static int64_t engine_date_us;

#define js__gettimeofday_us() (engine_date_us)
#define js__hrtime_ns() ((uint64_t)engine_date_us * 1000u)
#define localtime_r(when, out) ((void)(when), memset((out), 0, sizeof(*(out))))

#include "quickjs.c"
#include "libregexp.c"
#include "libunicode.c"
#include "dtoa.c"

#include "arena.h"
#include "run_limits.h"
#include "engine.h"

#define BODY_HEAD "(async function (mcp, args) {\"use strict\";\n"
#define BODY_TAIL "\n})"

void crw_engine_set_date(int64_t date_us)
{
    engine_date_us = date_us;
}

/* If |line| ends in ":0:COLUMN)", returns what is before that, else 0. */
static size_t before_line_zero(const char *line, size_t len)
{
    size_t at = len;

    if (at == 0 || line[--at] != ')')
        return 0;
    while (at > 0 && line[at - 1] >= '0' && line[at - 1] <= '9')
        at--;
    return at > 3 && memcmp(line + at - 3, ":0:", 3) == 0 ? at - 3 : 0;
}

/* Line 0 is the head that a body gets: whoever is there is at the code's beginning. */
static void put_frame(DynBuf *out, const char *line, size_t len)
{
    size_t kept = before_line_zero(line, len);

    dbuf_put(out, (const uint8_t *)line, kept ? kept : len);
    if (kept)
        dbuf_putstr(out, ":1:1)");
}

/* Copies |text| without the lines that name code of ours. */
static JSValue without_our_frames(JSContext *ctx, const char *text)
{
    static const char ours[] = " (" CRW_ENGINE_OURS;
    DynBuf kept;
    JSValue result;

    js_dbuf_init(ctx, &kept);
    while (*text) {
        size_t len = strcspn(text, "\n");

        if (!memmem(text, len, ours, sizeof(ours) - 1)) {
            if (kept.size)
                dbuf_putc(&kept, '\n');
            put_frame(&kept, text, len);
        }
        text += len + (text[len] == '\n');
    }
    result = JS_NewStringLen(ctx, (const char *)kept.buf, kept.size);
    dbuf_free(&kept);
    return result;
}

JSValue crw_engine_error_stack(JSContext *ctx, JSValueConst error)
{
    JSValue stack, clean;
    const char *text;

    if (!JS_IsError(error))
        return JS_UNDEFINED;
    stack = js_error_get_stack(ctx, error);
    if (!JS_IsString(stack))
        return stack;
    text = JS_ToCString(ctx, stack);
    clean = text ? without_our_frames(ctx, text) : JS_EXCEPTION;
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, stack);
    return clean;
}

JSValue crw_engine_running_stack(JSContext *ctx)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    JSValue error, stack;

    /* a function that has called nothing yet is shown where it begins */
    if (sf && !sf->cur_pc && js_class_has_bytecode(JS_VALUE_GET_OBJ(sf->cur_func)->class_id))
        sf->cur_pc = JS_VALUE_GET_OBJ(sf->cur_func)->u.func.function_bytecode->byte_code_buf + 1;
    error = JS_NewError(ctx);
    stack = crw_engine_error_stack(ctx, error);
    JS_FreeValue(ctx, error);
    return stack;
}

static JSValue get_stack(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    if (!JS_IsObject(this_val))
        return JS_ThrowTypeError(ctx, "not an object");
    return crw_engine_error_stack(ctx, this_val);
}

static JSValue set_stack(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    return js_error_set_stack(ctx, this_val, argc > 0 ? argv[0] : JS_UNDEFINED);
}

static int replace_stack_property(JSContext *ctx)
{
    return JS_DefinePropertyGetSet(ctx, ctx->class_proto[JS_CLASS_ERROR], JS_ATOM_stack,
                                   JS_NewCFunction(ctx, get_stack, "get stack", 0),
                                   JS_NewCFunction(ctx, set_stack, "set stack", 1),
                                   JS_PROP_CONFIGURABLE);
}

static int delete_all(JSContext *ctx, JSValueConst from, const char *const *names)
{
    int failed = 0;

    for (; *names; names++) {
        JSAtom name = JS_NewAtom(ctx, *names);

        failed |= JS_DeleteProperty(ctx, from, name, 0) < 0;
        JS_FreeAtom(ctx, name);
    }
    return failed;
}

/* What the engine brings along and a capability may not have. */
static int remove_denied(JSContext *ctx)
{
    static const char *const globals[] = {
        "SharedArrayBuffer",    "Atomics",     "WeakRef", "FinalizationRegistry", "DisposableStack",
        "AsyncDisposableStack", "performance", NULL,
    };
    static const char *const of_error[] = {"prepareStackTrace", "captureStackTrace", NULL};
    static const char *const of_buffer[] = {
        "resize",           "resizable", "maxByteLength",         "transfer",
        "immutable",        "detached",  "transferToFixedLength", "transferToImmutable",
        "sliceToImmutable", NULL,
    };
    JSValue global = JS_GetGlobalObject(ctx);
    JSValue error = JS_GetPropertyStr(ctx, global, "Error");
    int failed = delete_all(ctx, global, globals) | delete_all(ctx, error, of_error) |
                 delete_all(ctx, ctx->class_proto[JS_CLASS_ARRAY_BUFFER], of_buffer);

    JS_FreeValue(ctx, error);
    JS_FreeValue(ctx, global);
    return failed;
}

/*
 * The engine calls the `next` of an iterator helper without looking at the stack, so that a chain
 * of ten thousand `map`s ran over its end. These look first.
 */
static JSValue helper_next(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                           int *pdone, int magic)
{
    *pdone = false;
    if (js_check_stack_overflow(ctx->rt, 0))
        return JS_ThrowStackOverflow(ctx);
    return js_iterator_helper_next(ctx, this_val, argc, argv, pdone, magic);
}

static JSValue wrap_next(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                         int *pdone, int magic)
{
    *pdone = false;
    if (js_check_stack_overflow(ctx->rt, 0))
        return JS_ThrowStackOverflow(ctx);
    return js_iterator_wrap_next(ctx, this_val, argc, argv, pdone, magic);
}

typedef JSValue iterator_function(JSContext *ctx, JSValueConst this_val, int argc,
                                  JSValueConst *argv, int *pdone, int magic);

static int replace_iterator_function(JSContext *ctx, JSClassID class_id, const char *name,
                                     iterator_function *checked)
{
    JSValue function = JS_GetPropertyStr(ctx, ctx->class_proto[class_id], name);
    int found = JS_GetClassID(function) == JS_CLASS_C_FUNCTION;

    if (found) {
        JSObject *p = JS_VALUE_GET_OBJ(function);

        found = p->u.cfunc.cproto == JS_CFUNC_iterator_next;
        if (found)
            p->u.cfunc.c_function.iterator_next = checked;
    }
    JS_FreeValue(ctx, function);
    return !found;
}

static int check_iterator_helpers(JSContext *ctx)
{
    return replace_iterator_function(ctx, JS_CLASS_ITERATOR_HELPER, "next", helper_next) ||
           replace_iterator_function(ctx, JS_CLASS_ITERATOR_HELPER, "return", helper_next) ||
           replace_iterator_function(ctx, JS_CLASS_ITERATOR_WRAP, "next", wrap_next) ||
           replace_iterator_function(ctx, JS_CLASS_ITERATOR_WRAP, "return", wrap_next);
}

static int add_intrinsics(JSContext *ctx)
{
    return JS_AddIntrinsicBaseObjects(ctx) || JS_AddIntrinsicDate(ctx) ||
           JS_AddIntrinsicEval(ctx) || JS_AddIntrinsicRegExp(ctx) || JS_AddIntrinsicJSON(ctx) ||
           JS_AddIntrinsicProxy(ctx) || JS_AddIntrinsicMapSet(ctx) ||
           JS_AddIntrinsicTypedArrays(ctx) || JS_AddIntrinsicPromise(ctx) ||
           JS_AddIntrinsicAToB(ctx);
}

JSContext *crw_engine_new(uint64_t entropy)
{
    static const JSMallocFunctions memory = {
        crw_arena_calloc,  crw_arena_malloc,      crw_arena_free,
        crw_arena_realloc, crw_arena_usable_size,
    };
    JSRuntime *rt = JS_NewRuntime2(&memory, NULL);
    JSContext *ctx;

    if (!rt)
        return NULL;
    JS_SetMaxStackSize(rt, LIMIT_JS_STACK_BYTES);
    JS_SetCanBlock(rt, false);
    engine_date_us = (int64_t)(entropy >> 1);
    ctx = JS_NewContextRaw(rt);
    engine_date_us = 0;
    if (!ctx || add_intrinsics(ctx) || check_iterator_helpers(ctx) ||
        replace_stack_property(ctx) < 0 || remove_denied(ctx))
        return NULL;
    return ctx;
}

JSValue crw_engine_load(JSContext *ctx, const uint8_t *bytecode, size_t len)
{
    JSValue function = JS_ReadObject(ctx, bytecode, len, JS_READ_OBJ_BYTECODE);

    return JS_IsException(function) ? function : JS_EvalFunction(ctx, function);
}

void crw_engine_begin(JSContext *ctx, uint64_t seed)
{
    JS_UpdateStackTop(ctx->rt);
    ctx->random_state = seed ? seed : 1;
}

void crw_engine_close_compiler(JSContext *ctx)
{
    ctx->eval_internal = NULL;
}

/* Is the first function of |script| the text from the first parenthesis to the last? */
static bool is_one_function(JSValueConst script, size_t text_len)
{
    const JSFunctionBytecode *b = JS_VALUE_GET_PTR(script);

    for (int i = 0; i < b->cpool_count; i++) {
        const JSFunctionBytecode *inner;

        if (JS_VALUE_GET_TAG(b->cpool[i]) != JS_TAG_FUNCTION_BYTECODE)
            continue;
        inner = JS_VALUE_GET_PTR(b->cpool[i]);
        return (size_t)inner->source_len == text_len - 2;
    }
    return false;
}

JSValue crw_engine_compile_body(JSContext *ctx, const char *code, size_t len, const char *name)
{
    size_t head = sizeof(BODY_HEAD) - 1, tail = sizeof(BODY_TAIL) - 1;
    size_t text_len = head + len + tail;
    char *text = js_malloc(ctx, text_len + 1);
    JSValue script;

    memcpy(text, BODY_HEAD, head);
    memcpy(text + head, code, len);
    memcpy(text + head + len, BODY_TAIL, tail + 1);
    /* line 0 is ours, so that the code's own lines count from 1 */
    script = JS_EvalInternal(ctx, JS_UNDEFINED, text, text_len, name, 0,
                             JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY, -1);
    js_free(ctx, text);
    if (JS_IsException(script))
        return script;
    if (!is_one_function(script, text_len)) {
        JS_FreeValue(ctx, script);
        return JS_ThrowSyntaxError(ctx, "the code closes a brace that it did not open");
    }
    return JS_EvalFunction(ctx, script);
}
