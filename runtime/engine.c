/*
 * engine.c - compiles the engine and our changes to it as one translation unit. The files in
 * engine/ are part of this unit, because they need the engine's internals. The engine's source is
 * the one from Debian, changed only by third_party/edits.
 *
 * The engine's headers come first, so that the macros below apply to its code and not to the C
 * library's declarations. The macros remove its clock (Date shows the time given to
 * crw_engine_set_date), its time zone (always UTC) and its random seed.
 */
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "cutils.h"
#include "quickjs.h"

static int64_t engine_date_us;

/* Long arrays without references that are not freed yet: see put_off(). */
struct JSRuntime;
static size_t put_off_count;
static bool put_off(struct JSRuntime *rt, void *object);
static void catch_up(struct JSRuntime *rt);

/* What the engine says in errors: engine/wording.c. */
static void word_error(JSContext *ctx, char *buf, size_t size, const char *format, va_list ap);
static void atom_for_message(JSContext *ctx, char *buf, size_t size, JSAtom atom);
static void blame(JSValueConst value);
static void blame_key(JSValueConst key);
static void blame_name(JSAtom name);
static void blame_nothing(void);
static bool words_are_v8(void);

#define js__gettimeofday_us() (engine_date_us)
#define js__hrtime_ns() ((uint64_t)engine_date_us * 1000u)
#define localtime_r(when, out) ((void)(when), memset((out), 0, sizeof(*(out))))

#include "quickjs.c"
#include "libregexp.c"
#include "libunicode.c"
#include "dtoa.c"

#include "arena.h"
#include "run_limits.h"
#include "wire.h"
#include "engine.h"
#include "engine/marks.h"

#include "engine/layout.c"
#include "engine/expression.c"
#include "engine/blame.c"
#include "engine/wording.c"
#include "engine/ending.c"
#include "engine/source.c"
#include "engine/stack.c"
#include "engine/compile.c"
#include "engine/promise.c"
#include "engine/plain.c"
#include "engine/decode_number.c"
#include "engine/decode_string.c"
#include "engine/decode.c"
#include "engine/encode_text.c"
#include "engine/encode.c"
#include "engine/peek.c"
#include "engine/marks.c"

/*
 * When a run's function returns, its variables are freed. Freeing a long array takes as long as
 * making it, and is useless just before the process ends. So a long array waits, and is freed when
 * the next object (where the engine may collect garbage) or a long string is made. If memory is
 * short it is freed at once, because growing an array does not free the waiting ones.
 */
#define LONG_ARRAY 512

static struct list_head put_off_list;

static bool put_off(JSRuntime *rt, void *object)
{
    JSObject *p = object;

    (void)rt;
    if (p->class_id != JS_CLASS_ARRAY || !p->fast_array || p->u.array.count < LONG_ARRAY ||
        crw_arena_used() > crw_arena_size() / 8)
        return false;
    list_del(&p->header.link);
    list_add_tail(&p->header.link, &put_off_list);
    put_off_count++;
    return true;
}

static no_inline void catch_up(JSRuntime *rt)
{
    while (put_off_count) {
        struct list_head *first = put_off_list.next;

        put_off_count--;
        list_del(first);
        list_add(first, &rt->gc_zero_ref_count_list);
        free_zero_refcount(rt);
    }
}

void crw_engine_set_date(int64_t date_us)
{
    engine_date_us = date_us;
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

/* Removes the parts of the engine that a capability may not have. */
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
    static const char *const of_function[] = {"fileName", "lineNumber", "columnNumber", NULL};
    JSValue global = JS_GetGlobalObject(ctx);
    JSValue error = JS_GetPropertyStr(ctx, global, "Error");
    int failed = delete_all(ctx, global, globals) | delete_all(ctx, error, of_error) |
                 delete_all(ctx, ctx->function_proto, of_function) |
                 delete_all(ctx, ctx->class_proto[JS_CLASS_ARRAY_BUFFER], of_buffer);

    JS_FreeValue(ctx, error);
    JS_FreeValue(ctx, global);
    return failed;
}

/*
 * The engine calls the `next` of an iterator helper without a stack check: a chain of ten thousand
 * `map`s would overflow the stack. These functions check first.
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

/* A DOMException has its stack as an own property, so no getter can remove our frames from it. */
static JSValue new_dom_exception(JSContext *ctx, JSValueConst new_target, int argc,
                                 JSValueConst *argv)
{
    JSValue made = js_domexception_constructor(ctx, new_target, argc, argv);

    clean_own_stack(ctx, made);
    return made;
}

static JSValue with_clean_exception(JSContext *ctx, JSValue value)
{
    if (JS_IsException(value))
        clean_own_stack(ctx, ctx->rt->current_exception);
    return value;
}

static JSValue checked_atob(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    return with_clean_exception(ctx, js_atob(ctx, this_val, argc, argv));
}

static JSValue checked_btoa(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    return with_clean_exception(ctx, js_btoa(ctx, this_val, argc, argv));
}

/*
 * JSON.parse. Text without a reviver goes to our decoder. For invalid JSON the engine parses again,
 * to throw the right error.
 */
static JSValue parse_json(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    const char *text;
    size_t len;
    JSValue value;

    if (!JS_IsString(argv[0]) || (argc > 1 && JS_IsFunction(ctx, argv[1])))
        return js_json_parse(ctx, this_val, argc, argv);
    text = JS_ToCStringLen(ctx, &len, argv[0]);
    value = crw_decode_json(ctx, text, len);
    JS_FreeCString(ctx, text);
    return JS_IsException(value) ? js_json_parse(ctx, this_val, argc, argv) : value;
}

/* ArrayBuffer without resizable buffers: ignores the options. */
static JSValue new_array_buffer(JSContext *ctx, JSValueConst new_target, int argc,
                                JSValueConst *argv)
{
    return js_array_buffer_constructor(ctx, new_target, argc > 1 ? 1 : argc, argv);
}

static int replace_json_parse(JSContext *ctx)
{
    JSValue json = JS_GetPropertyStr(ctx, ctx->global_obj, "JSON");
    JSValue function = JS_GetPropertyStr(ctx, json, "parse");
    JSObject *p = JS_VALUE_GET_OBJ(function);
    int found = JS_GetClassID(function) == JS_CLASS_C_FUNCTION &&
                p->u.cfunc.c_function.generic == js_json_parse;

    if (found)
        p->u.cfunc.c_function.generic = parse_json;
    JS_FreeValue(ctx, function);
    JS_FreeValue(ctx, json);
    return !found;
}

typedef JSValue constructor_function(JSContext *ctx, JSValueConst new_target, int argc,
                                     JSValueConst *argv);

static int replace_constructor(JSContext *ctx, const char *name, constructor_function *old,
                               constructor_function *ours)
{
    JSValue function = JS_GetPropertyStr(ctx, ctx->global_obj, name);
    JSObject *p = JS_VALUE_GET_OBJ(function);
    int found =
        JS_GetClassID(function) == JS_CLASS_C_FUNCTION && p->u.cfunc.c_function.constructor == old;

    if (found)
        p->u.cfunc.c_function.constructor = ours;
    JS_FreeValue(ctx, function);
    return !found;
}

static int replace_functions(JSContext *ctx)
{
    static const JSCFunctionListEntry base64[] = {
        JS_CFUNC_DEF("atob", 1, checked_atob),
        JS_CFUNC_DEF("btoa", 1, checked_btoa),
    };

    return JS_SetPropertyFunctionList(ctx, ctx->global_obj, base64, countof(base64)) ||
           replace_constructor(ctx, "DOMException", js_domexception_constructor,
                               new_dom_exception) ||
           replace_constructor(ctx, "ArrayBuffer", js_array_buffer_constructor, new_array_buffer) ||
           replace_json_parse(ctx);
}

static int add_intrinsics(JSContext *ctx)
{
    return JS_AddIntrinsicBaseObjects(ctx) || JS_AddIntrinsicDate(ctx) ||
           JS_AddIntrinsicEval(ctx) || JS_AddIntrinsicRegExp(ctx) || JS_AddIntrinsicJSON(ctx) ||
           JS_AddIntrinsicProxy(ctx) || JS_AddIntrinsicMapSet(ctx) ||
           JS_AddIntrinsicTypedArrays(ctx) || JS_AddIntrinsicPromise(ctx) ||
           JS_AddIntrinsicDOMException(ctx);
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
    put_off_count = 0;
    init_list_head(&put_off_list);
    JS_SetMaxStackSize(rt, LIMIT_JS_STACK_BYTES);
    JS_SetCanBlock(rt, false);
    engine_date_us = (int64_t)(entropy >> 1);
    ctx = JS_NewContextRaw(rt);
    engine_date_us = 0;
    if (!ctx || add_intrinsics(ctx) || replace_functions(ctx) || check_iterator_helpers(ctx) ||
        replace_stack_property(ctx) < 0 || remove_denied(ctx))
        return NULL;
    return ctx;
}

JSValue crw_engine_load(JSContext *ctx, const uint8_t *bytecode, size_t len)
{
    JSValue function = JS_ReadObject(ctx, bytecode, len, JS_READ_OBJ_BYTECODE);

    return JS_IsException(function) ? function : JS_EvalFunction(ctx, function);
}

/* Makes each element a separate list, so that removing it again does nothing. */
static void empty_list(struct list_head *list)
{
    while (!list_empty(list)) {
        struct list_head *el = list->next;

        list_del(el);
        init_list_head(el);
    }
}

void crw_engine_settle_down(JSContext *ctx)
{
    JSArenaState *slabs = &ctx->rt->arena_state;

    for (int i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; i++) {
        empty_list(&slabs->free_arena_list[i]);
        empty_list(&slabs->arena_list[i]);
    }
}

/* With less memory than this, skip the rehearsal: it might itself run out of memory. */
#define REHEARSAL_BYTES (64u * LIMIT_KIB)

static void write_same(uint32_t *at)
{
    *(volatile uint32_t *)at |= 0;
}

void crw_engine_touch_pages(JSContext *ctx)
{
    JSRuntime *rt = ctx->rt;

    if (crw_arena_size() < REHEARSAL_BYTES)
        return;
    crw_engine_begin(ctx, 1);
    write_same(&rt->atom_hash[0]);
    write_same(&rt->atom_hash[rt->atom_hash_size - 1]);
    JS_FreeAtom(ctx, JS_NewAtom(ctx, CRW_ENGINE_OURS " rehearses"));
    JS_FreeValue(ctx, JS_AtomToValue(ctx, JS_ATOM_undefined));
    JS_FreeValue(ctx, JS_NewObject(ctx));
    JS_FreeValue(ctx, crw_engine_new_promise(ctx));
}

void crw_engine_begin(JSContext *ctx, uint64_t seed)
{
    JS_UpdateStackTop(ctx->rt);
    ctx->random_state = seed ? seed : 1;
}
