/*
 * marks.c - a WeakMap from errors to their origin.
 *
 * The map's C functions are called directly: a JavaScript call could fail because the stack is
 * full, and the mark would be lost.
 */
static JSValue marks_map;

int crw_marks_install(JSContext *ctx)
{
    JSValue constructor = JS_GetPropertyStr(ctx, ctx->global_obj, "WeakMap");

    marks_map = JS_CallConstructor(ctx, constructor, 0, NULL);
    JS_FreeValue(ctx, constructor);
    return JS_IsObject(marks_map) ? 0 : -1;
}

/* Stores both numbers in one integer: each is far below 2^20. */
static void set_mark(JSContext *ctx, JSValueConst error, struct crw_mark mark)
{
    JSValueConst pair[] = {error, JS_NewInt64(ctx, ((int64_t)mark.call << 20) | mark.blocked)};

    JS_FreeValue(ctx, js_map_set(ctx, marks_map, 2, pair, MAGIC_WEAK));
}

struct crw_mark crw_marks_get(JSContext *ctx, JSValueConst error)
{
    JSValue number = js_map_get(ctx, marks_map, 1, &error, MAGIC_WEAK);
    int64_t both = 0;

    if (JS_IsNumber(number))
        (void)JS_ToInt64(ctx, &both, number);
    JS_FreeValue(ctx, number);
    return (struct crw_mark){(uint32_t)(both >> 20), (uint32_t)(both & 0xfffff)};
}

static void define_hidden(JSContext *ctx, JSValueConst error, const char *name, JSValue value)
{
    JS_DefinePropertyValueStr(ctx, error, name, value, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

JSValue crw_marks_new_error(JSContext *ctx, const char *name, const char *code, JSValue message,
                            struct crw_mark mark)
{
    JSValue error = JS_NewError(ctx);

    if (name)
        define_hidden(ctx, error, "name", JS_NewString(ctx, name));
    define_hidden(ctx, error, "message", message);
    define_hidden(ctx, error, "code", JS_NewString(ctx, code));
    set_mark(ctx, error, mark);
    return error;
}
