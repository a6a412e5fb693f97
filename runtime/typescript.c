/* typescript.c - loads js/web/typescript.js for one use, and throws what it reports. */
#include "typescript.h"

#include "engine.h"
#include "run_limits.h"

#include "web/typescript.h" /* generated: typescript_bytecode[] */

/* More memory than the parser and the tree of a short program need. */
#define ROOM_BYTES (8u * LIMIT_MIB)

/* Returns the function `erase`, or an exception. */
static JSValue load(JSContext *ctx)
{
    JSValue module, exports, erase;

    /* a collection copies the pages that this worker shares, and finds little: the parser stays */
    JS_SetGCThreshold(JS_GetRuntime(ctx), JS_GetGCThreshold(JS_GetRuntime(ctx)) + ROOM_BYTES);
    module = crw_engine_load(ctx, typescript_bytecode, sizeof(typescript_bytecode));
    exports = JS_Call(ctx, module, JS_UNDEFINED, 0, NULL);
    erase = JS_GetPropertyStr(ctx, exports, "erase");
    JS_FreeValue(ctx, module);
    JS_FreeValue(ctx, exports);
    return erase;
}

static int get_number(JSContext *ctx, JSValueConst object, const char *name)
{
    JSValue value = JS_GetPropertyStr(ctx, object, name);
    int number = 0;

    (void)JS_ToInt32(ctx, &number, value);
    return number;
}

/* |failed|: undefined if the code is certainly TypeScript. */
static JSValue erase(JSContext *ctx, const char *code, size_t len, const char *name,
                     JSValueConst failed)
{
    JSValue function = load(ctx), text = JS_NewStringLen(ctx, code, len);
    JSValue found = JS_Call(ctx, function, JS_UNDEFINED, 2, (JSValueConst[]){text, failed});
    JSValue erased, message;

    JS_FreeValue(ctx, function);
    JS_FreeValue(ctx, text);
    if (!JS_IsObject(found))
        return found; /* undefined, or an exception */
    message = JS_GetPropertyStr(ctx, found, "message");
    erased = JS_IsUndefined(message) ? JS_GetPropertyStr(ctx, found, "text")
                                     : crw_engine_throw_syntax(ctx, message, code, len, name,
                                                               get_number(ctx, found, "line"),
                                                               get_number(ctx, found, "column"));
    JS_FreeValue(ctx, message);
    JS_FreeValue(ctx, found);
    return erased;
}

JSValue crw_typescript_erase(JSContext *ctx, const char *code, size_t len, const char *name,
                             int line, int column)
{
    JSValue failed = JS_NewObject(ctx), erased;

    JS_SetPropertyStr(ctx, failed, "line", JS_NewInt32(ctx, line));
    JS_SetPropertyStr(ctx, failed, "column", JS_NewInt32(ctx, column));
    erased = erase(ctx, code, len, name, failed);
    JS_FreeValue(ctx, failed);
    return erased;
}

JSValue crw_typescript_compile(JSContext *ctx, const char *code, size_t len, const char *name)
{
    return crw_engine_compile_erased(ctx, erase(ctx, code, len, name, JS_UNDEFINED), name);
}
