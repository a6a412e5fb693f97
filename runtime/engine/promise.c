/*
 * promise.c - promises that only the host's answer settles.
 *
 * The engine's resolving functions call a `then` of the value, which a capability may have put on
 * Object.prototype. An answer is data, so here it settles the promise without a look at `then`.
 */
JSValue crw_engine_new_promise(JSContext *ctx)
{
    JSValue unused[2];
    JSValue promise = js_promise_new(ctx, JS_UNDEFINED, unused);

    if (!JS_IsException(promise)) {
        JS_FreeValue(ctx, unused[0]);
        JS_FreeValue(ctx, unused[1]);
    }
    return promise;
}

void crw_engine_settle(JSContext *ctx, JSValueConst promise, JSValueConst value, bool is_error)
{
    fulfill_or_reject_promise(ctx, promise, value, is_error);
}
