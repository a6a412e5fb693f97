/* values.c - the rules for JSON that leaves the worker, and the repair of invalid UTF-8. */
#include "values.h"

#include <stdint.h>
#include <string.h>

#include "run_limits.h"

#define HALF_BEGINS 0xed

int crw_values_encode_args(JSContext *ctx, JSValueConst value, struct crw_text *ret)
{
    static const struct crw_encode_rules rules = {"args", "{}", LIMIT_ARGS_BYTES, true};
    int r = crw_encode_json(ctx, value, &rules, ret);

    if (r <= 0)
        return r;
    crw_encode_release(ret);
    JS_ThrowRangeError(ctx, "the args of a call are over %u MiB", LIMIT_ARGS_BYTES / LIMIT_MIB);
    return -1;
}

int crw_values_encode_result(JSContext *ctx, JSValueConst value, size_t max, struct crw_text *ret)
{
    const struct crw_encode_rules rules = {"result", "null", max, false};

    return crw_encode_json(ctx, value, &rules, ret);
}

JSValue crw_values_own(JSContext *ctx, JSValueConst object, const char *name)
{
    JSPropertyDescriptor d;
    JSAtom atom;
    int found;

    if (!JS_IsObject(object))
        return JS_UNDEFINED;
    atom = JS_NewAtom(ctx, name);
    found = JS_GetOwnProperty(ctx, &d, object, atom);
    JS_FreeAtom(ctx, atom);
    if (found <= 0)
        return JS_UNDEFINED;
    JS_FreeValue(ctx, d.getter);
    JS_FreeValue(ctx, d.setter);
    return d.value; /* undefined for a getter */
}

/* Are the bytes at |at| the three bytes that the engine writes for a lone surrogate? */
static int is_half(const char *at, size_t left)
{
    return left >= 3 && (uint8_t)at[0] == HALF_BEGINS && ((uint8_t)at[1] & 0xe0) == 0xa0;
}

void crw_values_replace_surrogates(const char *text, size_t len)
{
    char *at = (char *)(uintptr_t)text, *end = at + len;

    while (at < end && (at = memchr(at, HALF_BEGINS, (size_t)(end - at)))) {
        if (is_half(at, (size_t)(end - at)))
            memcpy(at, "\xef\xbf\xbd", 3);
        at++;
    }
}
