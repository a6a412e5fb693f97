/*
 * fuzz_decode.c - fuzzes the worker's JSON decoder, and compares it with the engine's parser.
 *
 * What must hold: both accept the same texts and make the same values, to the last bit of a number
 * and the order of keys; and the encoder writes these values as JSON.stringify does. Only the
 * engine gives up on deep nesting.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "engine.h"
#include "engine/decode.h"
#include "engine/encode.h"
#include "run_limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert() that -DNDEBUG does not remove. */
static void must(int condition)
{
    if (!condition)
        abort();
}

static JSContext *context(void)
{
    static JSContext *ctx;

    if (!ctx) {
        must(crw_arena_init((size_t)1 << 30, abort) == 0);
        ctx = crw_engine_new(1);
        must(ctx != NULL);
    }
    crw_engine_begin(ctx, 1);
    return ctx;
}

static void compare(JSContext *ctx, JSValueConst a, JSValueConst b);

static void compare_numbers(JSContext *ctx, JSValueConst a, JSValueConst b)
{
    union {
        double number;
        uint64_t bits;
    } x, y;

    must(JS_ToFloat64(ctx, &x.number, a) == 0 && JS_ToFloat64(ctx, &y.number, b) == 0);
    must(x.bits == y.bits);
}

static void compare_properties(JSContext *ctx, JSValueConst a, JSValueConst b)
{
    const int flags = JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK | JS_GPN_SET_ENUM;
    JSPropertyEnum *of_a, *of_b;
    uint32_t count_a, count_b;

    must(JS_GetOwnPropertyNames(ctx, &of_a, &count_a, a, flags) == 0);
    must(JS_GetOwnPropertyNames(ctx, &of_b, &count_b, b, flags) == 0);
    must(count_a == count_b);
    for (uint32_t i = 0; i < count_a; i++) {
        JSPropertyDescriptor x, y;

        must(of_a[i].atom == of_b[i].atom);
        must(JS_GetOwnProperty(ctx, &x, a, of_a[i].atom) == 1);
        must(JS_GetOwnProperty(ctx, &y, b, of_b[i].atom) == 1);
        must(x.flags == y.flags);
        compare(ctx, x.value, y.value);
        JS_FreeValue(ctx, x.value);
        JS_FreeValue(ctx, y.value);
    }
    JS_FreePropertyEnum(ctx, of_a, count_a);
    JS_FreePropertyEnum(ctx, of_b, count_b);
}

static void compare_prototypes(JSContext *ctx, JSValueConst a, JSValueConst b)
{
    JSValue of_a = JS_GetPrototype(ctx, a), of_b = JS_GetPrototype(ctx, b);

    must(JS_IsStrictEqual(ctx, of_a, of_b));
    JS_FreeValue(ctx, of_a);
    JS_FreeValue(ctx, of_b);
}

static void compare_objects(JSContext *ctx, JSValueConst a, JSValueConst b)
{
    must(JS_IsObject(b) && JS_IsArray(a) == JS_IsArray(b));
    compare_prototypes(ctx, a, b);
    compare_properties(ctx, a, b);
}

static void compare(JSContext *ctx, JSValueConst a, JSValueConst b)
{
    must(JS_IsNumber(a) == JS_IsNumber(b));
    if (JS_IsObject(a))
        compare_objects(ctx, a, b);
    else if (JS_IsNumber(a))
        compare_numbers(ctx, a, b);
    else
        must(JS_IsStrictEqual(ctx, a, b));
}

/* Did the engine run out of stack? Its answer is then not compared. */
static int is_too_deep(JSContext *ctx)
{
    JSValue error = JS_GetException(ctx);
    const char *words = JS_ToCString(ctx, error);
    int too_deep = words && strstr(words, "call stack");

    JS_FreeCString(ctx, words);
    JS_FreeValue(ctx, error);
    return too_deep;
}

static void compare_texts(JSContext *ctx, JSValueConst value)
{
    static const struct crw_encode_rules rules = {"value", "null", 16u * LIMIT_MIB, false};
    JSValue theirs = JS_JSONStringify(ctx, value, JS_UNDEFINED, JS_UNDEFINED);
    struct crw_text ours;
    int r = crw_encode_json(ctx, value, &rules, &ours);
    size_t len = 0;
    const char *text = JS_IsException(theirs) ? NULL : JS_ToCStringLen(ctx, &len, theirs);

    must((text && r == 0) || is_too_deep(ctx));
    /* JSON.stringify escapes half of a surrogate pair; our encoder writes U+FFFD */
    if (text && r == 0 && !strstr(text, "\\ud"))
        must(ours.len == len && memcmp(ours.bytes, text, len) == 0);
    if (r >= 0)
        crw_encode_release(&ours);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JSContext *ctx = context();
    char *text = malloc(size + 1);
    JSValue theirs, ours;

    must(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    theirs = JS_ParseJSON(ctx, text, size, "fuzz");
    ours = crw_decode_json(ctx, text, size);
    must(!JS_HasException(ctx) || JS_IsException(theirs));
    if (!JS_IsException(theirs) || !is_too_deep(ctx))
        must(JS_IsException(ours) == JS_IsException(theirs));
    if (!JS_IsException(theirs)) {
        compare(ctx, theirs, ours);
        compare_texts(ctx, ours);
    }
    JS_FreeValue(ctx, theirs);
    JS_FreeValue(ctx, ours);
    free(text);
    return 0;
}
