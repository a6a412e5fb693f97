/* globals.c - calls the files that define globals, and defines two small globals itself. */
#include "globals.h"

#include "bridge.h"
#include "console/console.h"
#include "deny.h"
#include "engine/marks.h"
#include "lazy.h"
#include "report.h"
#include "timers.h"

static JSValue js_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    (void)argv;
    return JS_NewFloat64(ctx, (double)crw_bridge_now_us() / 1000.0);
}

static int install_performance_and_self(JSContext *ctx)
{
    static const JSCFunctionListEntry now[] = {JS_CFUNC_DEF("now", 0, js_now)};
    static const JSCFunctionListEntry globals[] = {
        JS_OBJECT_DEF("performance", now, 1, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE),
    };
    JSValue global = JS_GetGlobalObject(ctx);
    int r = JS_SetPropertyFunctionList(ctx, global, globals, 1);

    if (r == 0)
        r = JS_DefinePropertyValueStr(ctx, global, "self", JS_DupValue(ctx, global),
                                      JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) < 0;
    JS_FreeValue(ctx, global);
    return r ? -1 : 0;
}

int crw_globals_install(JSContext *ctx)
{
    crw_deny_install(ctx);
    crw_report_install(ctx);
    if (crw_marks_install(ctx) < 0 || crw_timers_install(ctx) < 0 || crw_console_install(ctx) < 0 ||
        crw_lazy_install(ctx) < 0)
        return -1;
    return install_performance_and_self(ctx);
}
