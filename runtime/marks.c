/* marks.c - a WeakMap from errors to where they come from. */
#include "marks.h"

static JSValue map, map_get, map_set;

int crw_marks_install(JSContext *ctx)
{
    JSValue global = JS_GetGlobalObject(ctx);
    JSValue constructor = JS_GetPropertyStr(ctx, global, "WeakMap");

    map = JS_CallConstructor(ctx, constructor, 0, NULL);
    map_get = JS_GetPropertyStr(ctx, map, "get");
    map_set = JS_GetPropertyStr(ctx, map, "set");
    JS_FreeValue(ctx, constructor);
    JS_FreeValue(ctx, global);
    return JS_IsFunction(ctx, map_get) && JS_IsFunction(ctx, map_set) ? 0 : -1;
}

/* Both numbers in one, exactly: each is far below 2^20. */
void crw_marks_set(JSContext *ctx, JSValueConst error, struct crw_mark mark)
{
    JSValueConst pair[] = {error, JS_NewInt64(ctx, ((int64_t)mark.call << 20) | mark.blocked)};

    JS_FreeValue(ctx, JS_Call(ctx, map_set, map, 2, pair));
}

struct crw_mark crw_marks_get(JSContext *ctx, JSValueConst error)
{
    JSValue number = JS_Call(ctx, map_get, map, 1, &error);
    int64_t both = 0;

    if (JS_IsNumber(number))
        (void)JS_ToInt64(ctx, &both, number);
    JS_FreeValue(ctx, number);
    return (struct crw_mark){(uint32_t)(both >> 20), (uint32_t)(both & 0xfffff)};
}

static void define(JSContext *ctx, JSValueConst error, const char *name, JSValue value)
{
    JS_DefinePropertyValueStr(ctx, error, name, value, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

JSValue crw_marks_new_error(JSContext *ctx, const char *name, const char *code, JSValue message,
                            struct crw_mark mark)
{
    JSValue error = JS_NewError(ctx);

    if (name)
        define(ctx, error, "name", JS_NewString(ctx, name));
    define(ctx, error, "message", message);
    define(ctx, error, "code", JS_NewString(ctx, code));
    crw_marks_set(ctx, error, mark);
    return error;
}
