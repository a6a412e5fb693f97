/* schema.c - loads the schema validator for one check, and runs it. */
#include "schema.h"

#include "engine.h"
#include "wire.h"

#include "web/schema.h" /* generated: schema_bytecode[] */

/* More memory than the validator and a small schema need. */
#define ROOM_BYTES (1u * LIMIT_MIB)

/*
 * Delays the next garbage collection. A collection writes to every object, and so copies each page
 * that this worker shares with other workers; the garbage of the validator is not worth that.
 */
static void put_off_collection(JSRuntime *rt)
{
    JS_SetGCThreshold(rt, JS_GetGCThreshold(rt) + ROOM_BYTES);
}

/* Returns the validator's function `check`, or an exception. */
static JSValue load(JSContext *ctx)
{
    JSValue module = crw_engine_load(ctx, schema_bytecode, sizeof(schema_bytecode));
    JSValue exports = JS_Call(ctx, module, JS_UNDEFINED, 0, NULL);
    JSValue check = JS_GetPropertyStr(ctx, exports, "check");

    JS_FreeValue(ctx, module);
    JS_FreeValue(ctx, exports);
    return check;
}

/* Returns the pending exception of the validator as the error message. */
static int return_exception(JSContext *ctx, JSValue *ret_lines)
{
    JSValue error = JS_GetException(ctx);

    *ret_lines = JS_GetPropertyStr(ctx, error, "message");
    JS_FreeValue(ctx, error);
    return WIRE_WHY_SCHEMA;
}

int crw_schema_check(JSContext *ctx, JSValueConst schema, JSValueConst args, JSValue *ret_lines)
{
    JSValue check, found;
    int why = 0;

    put_off_collection(JS_GetRuntime(ctx));
    check = load(ctx);
    found = JS_Call(ctx, check, JS_UNDEFINED, 2, (JSValueConst[]){schema, args});
    JS_FreeValue(ctx, check);
    if (JS_IsException(found))
        return return_exception(ctx, ret_lines);
    if (!JS_IsUndefined(found)) {
        JSValue broken = JS_GetPropertyStr(ctx, found, "isBroken");

        why = JS_ToBool(ctx, broken) ? WIRE_WHY_SCHEMA : WIRE_WHY_ARGS;
        *ret_lines = JS_GetPropertyStr(ctx, found, "lines");
        JS_FreeValue(ctx, found);
    }
    return why;
}

int crw_schema_check_env(JSContext *ctx, JSValueConst args, JSValue *ret_lines)
{
    JSAtom name = JS_NewAtom(ctx, "env");
    bool is_object = JS_IsObject(args) && !JS_IsArray(args);
    bool is_taken = is_object && JS_GetOwnProperty(ctx, NULL, args, name) > 0;

    JS_FreeAtom(ctx, name);
    if (is_object && !is_taken)
        return 0;
    *ret_lines = JS_NewString(ctx, is_taken ? "/env: is where granted variables go; leave it out"
                                            : "/: expected object, because granted variables go "
                                              "into its \"env\"");
    return WIRE_WHY_ARGS;
}
