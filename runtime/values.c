/* values.c - the engine's own JSON, less what UTF-8 cannot carry. */
#include "values.h"

#include <stdint.h>
#include <string.h>

#define HALF_BEGINS 0xed

/* Is |at|, of which |left| bytes are there, \uXXXX with a hex number from |low| to |high|? */
static int is_escape(const char *at, size_t left, unsigned low, unsigned high)
{
    unsigned value = 0;

    if (left < 6 || at[0] != '\\' || at[1] != 'u')
        return 0;
    for (int i = 2; i < 6; i++) {
        char c = at[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 16;
        if (digit > 15)
            return 0;
        value = value * 16 + digit;
    }
    return value >= low && value <= high;
}

/* Is |at| the three bytes that the engine makes of half a surrogate pair? */
static int is_half(const char *at, size_t left)
{
    return left >= 3 && (uint8_t)at[0] == HALF_BEGINS && ((uint8_t)at[1] & 0xe0) == 0xa0;
}

void crw_values_mend(const char *text, size_t len)
{
    char *at = (char *)(uintptr_t)text, *end = at + len;

    while (at < end && (at = memchr(at, HALF_BEGINS, (size_t)(end - at)))) {
        if (is_half(at, (size_t)(end - at)))
            memcpy(at, "\xef\xbf\xbd", 3);
        at++;
    }
}

/* Does the escape, or the half itself, at |at| stand for half a pair? How long is it? */
static size_t lone_surrogate(const char *at, size_t left)
{
    if ((uint8_t)*at == HALF_BEGINS)
        return is_half(at, left) ? 3 : 0;
    if (is_escape(at, left, 0xd800, 0xdbff) && is_escape(at + 6, left - 6, 0xdc00, 0xdfff))
        return 0;
    return is_escape(at, left, 0xd800, 0xdfff) ? 6 : 0;
}

/* How far to go on from a backslash, or the byte that surrogates begin with, that is no half. */
static size_t step_over(const char *at, size_t left)
{
    if (*at != '\\')
        return 1;
    return is_escape(at, left, 0xd800, 0xdbff) ? 12 : 2;
}

/*
 * JSON.stringify writes half of a surrogate pair as an escape, and what JSON.rawJSON was given as
 * it is. U+FFFD takes its place. Returns how many there were.
 */
static size_t replace_lone_surrogates(char *text, size_t len)
{
    size_t count = 0;

    for (size_t at = 0; at < len;) {
        size_t half;

        if (text[at] != '\\' && (uint8_t)text[at] != HALF_BEGINS) {
            at++;
            continue;
        }
        half = lone_surrogate(text + at, len - at);
        if (half)
            memcpy(text + at, half == 3 ? "\xef\xbf\xbd" : "\\ufffd", half);
        count += half != 0;
        at += half ? half : step_over(text + at, len - at);
    }
    return count;
}

static const char *kind(JSValueConst value)
{
    return JS_IsSymbol(value) ? "a symbol" : JS_IsObject(value) ? "a function" : "a value";
}

static int encode(JSContext *ctx, JSValueConst value, struct crw_text *ret)
{
    JSValue text = JS_JSONStringify(ctx, value, JS_UNDEFINED, JS_UNDEFINED);
    const char *bytes;

    if (JS_IsException(text))
        return -1;
    if (!JS_IsString(text)) {
        JS_FreeValue(ctx, text);
        JS_ThrowTypeError(ctx, "%s has no JSON", kind(value));
        return -1;
    }
    bytes = JS_ToCStringLen(ctx, &ret->len, text);
    JS_FreeValue(ctx, text);
    if (!bytes)
        return -1;
    /* nobody else holds the text that JSON.stringify has just made */
    ret->bytes = (char *)(uintptr_t)bytes;
    ret->lone_surrogates = replace_lone_surrogates(ret->bytes, ret->len);
    return 0;
}

/* What stands for `undefined`. */
static int constant(JSContext *ctx, const char *json, struct crw_text *ret)
{
    JSValue text = JS_NewString(ctx, json);

    ret->bytes = (char *)(uintptr_t)JS_ToCStringLen(ctx, &ret->len, text);
    JS_FreeValue(ctx, text);
    return ret->bytes ? 0 : -1;
}

int crw_values_encode_result(JSContext *ctx, JSValueConst value, struct crw_text *ret)
{
    return JS_IsUndefined(value) ? constant(ctx, "null", ret) : encode(ctx, value, ret);
}

int crw_values_encode_args(JSContext *ctx, JSValueConst value, struct crw_text *ret)
{
    if (JS_IsUndefined(value))
        return constant(ctx, "{}", ret);
    if (encode(ctx, value, ret) < 0)
        return -1;
    if (!ret->lone_surrogates)
        return 0;
    crw_values_release(ctx, ret);
    JS_ThrowTypeError(ctx, "the args have half of a surrogate pair");
    return -1;
}

void crw_values_release(JSContext *ctx, struct crw_text *text)
{
    JS_FreeCString(ctx, text->bytes);
    text->bytes = NULL;
}
