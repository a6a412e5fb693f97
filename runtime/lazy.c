/* lazy.c - the table of modules, the table of globals, and the accessors that load a module. */
#include "lazy.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "deny.h"
#include "engine.h"
#include "web.h"

/* generated: url_bytecode[] and so on */
#include "web/clone.h"
#include "web/denied.h"
#include "web/events.h"
#include "web/idna.h"
#include "web/legacy.h"
#include "web/text.h"
#include "web/url.h"

#define HIDDEN (JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE)
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum lazy_module {
    LAZY_URL,
    LAZY_IDNA,
    LAZY_TEXT,
    LAZY_LEGACY,
    LAZY_CLONE,
    LAZY_EVENTS,
    LAZY_DENIED,
    LAZY_MODULES,
};

struct module {
    const char *name; /* the argument of `native.load` */
    const uint8_t *bytecode;
    size_t len;
    const JSCFunctionListEntry *natives; /* JS_CFUNC_DEF and JS_CFUNC_MAGIC_DEF */
    int count;
};

static const struct module modules[LAZY_MODULES] = {
    [LAZY_URL] = {"url", url_bytecode, sizeof(url_bytecode), crw_web_natives,
                  COUNT(crw_web_natives)},
    [LAZY_IDNA] = {"idna", idna_bytecode, sizeof(idna_bytecode), NULL, 0},
    [LAZY_TEXT] = {"text", text_bytecode, sizeof(text_bytecode), crw_web_natives,
                   COUNT(crw_web_natives)},
    [LAZY_LEGACY] = {"legacy", legacy_bytecode, sizeof(legacy_bytecode), crw_web_natives,
                     COUNT(crw_web_natives)},
    [LAZY_CLONE] = {"clone", clone_bytecode, sizeof(clone_bytecode), crw_web_natives,
                    COUNT(crw_web_natives)},
    [LAZY_DENIED] = {"denied", denied_bytecode, sizeof(denied_bytecode), crw_deny_natives,
                     COUNT(crw_deny_natives)},
    [LAZY_EVENTS] = {"events", events_bytecode, sizeof(events_bytecode), NULL, 0},
};

static const struct {
    const char *name;
    enum lazy_module module;
} globals[] = {
    {"URL", LAZY_URL},
    {"URLSearchParams", LAZY_URL},
    {"TextDecoder", LAZY_TEXT},
    {"TextEncoder", LAZY_TEXT},
    {"structuredClone", LAZY_CLONE},
    {"AbortController", LAZY_EVENTS},
    {"AbortSignal", LAZY_EVENTS},
    {"CustomEvent", LAZY_EVENTS},
    {"Event", LAZY_EVENTS},
    {"EventTarget", LAZY_EVENTS},
    {"Bun", LAZY_DENIED},
    {"Deno", LAZY_DENIED},
    {"EventSource", LAZY_DENIED},
    {"WebSocket", LAZY_DENIED},
    {"Worker", LAZY_DENIED},
    {"XMLHttpRequest", LAZY_DENIED},
    {"fetch", LAZY_DENIED},
    {"process", LAZY_DENIED},
    {"require", LAZY_DENIED},
};

static JSValue exports[LAZY_MODULES]; /* an object for each loaded module */
static JSClassID accessor_class;
static JSValue accessors[COUNT(globals)];

static JSValue load_module(JSContext *ctx, enum lazy_module module);

/* `native.load(name)`: returns the exports of another module. */
static JSValue load_by_name(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    const char *name = JS_ToCString(ctx, argv[0]);
    JSValue found = JS_UNDEFINED;

    (void)this_val;
    (void)argc;
    if (!name)
        return JS_EXCEPTION;
    for (int i = 0; i < LAZY_MODULES; i++) {
        if (strcmp(modules[i].name, name) == 0)
            found = load_module(ctx, (enum lazy_module)i);
    }
    JS_FreeCString(ctx, name);
    return found;
}

/* Adds a function with a name that keeps it out of stack traces, as for the prelude's functions. */
static void add_native(JSContext *ctx, JSValueConst native, const JSCFunctionListEntry *entry)
{
    char label[64];
    JSValue function;

    (void)snprintf(label, sizeof(label), "%s (" CRW_ENGINE_OURS, entry->name);
    function = JS_NewCFunction2(ctx, entry->u.func.cfunc.generic, label, entry->u.func.length,
                                (JSCFunctionEnum)entry->u.func.cproto, entry->magic);
    JS_SetPropertyStr(ctx, native, entry->name, function);
}

static JSValue make_native(JSContext *ctx, const struct module *m)
{
    static const JSCFunctionListEntry loader = JS_CFUNC_DEF("load", 1, load_by_name);
    JSValue native = JS_NewObjectProto(ctx, JS_NULL);

    add_native(ctx, native, &loader);
    for (int i = 0; i < m->count; i++)
        add_native(ctx, native, &m->natives[i]);
    return native;
}

/*
 * Returns the exports of |module|, an object that is made once. If the module throws while it
 * loads, returns the exception, and the next call tries again.
 */
static JSValue load_module(JSContext *ctx, enum lazy_module module)
{
    const struct module *m = &modules[module];
    JSValue function, native, made;

    if (JS_IsObject(exports[module]))
        return JS_DupValue(ctx, exports[module]);
    function = crw_engine_load(ctx, m->bytecode, m->len);
    if (JS_IsException(function))
        return function;
    native = make_native(ctx, m);
    made = JS_Call(ctx, function, JS_UNDEFINED, 1, (JSValueConst *)&native);
    JS_FreeValue(ctx, native);
    JS_FreeValue(ctx, function);
    if (JS_IsException(made))
        return made;
    /* untrusted code that ran while the module was loading may have loaded it already */
    if (JS_IsObject(exports[module]))
        JS_FreeValue(ctx, made);
    else
        exports[module] = made;
    return JS_DupValue(ctx, exports[module]);
}

/* Is the global |i| still our accessor? */
static bool is_untouched(JSContext *ctx, JSValueConst global, JSAtom name, int i)
{
    JSPropertyDescriptor found;
    bool same;

    if (JS_GetOwnProperty(ctx, &found, global, name) <= 0)
        return false;
    same = JS_IsStrictEqual(ctx, found.getter, accessors[i]);
    JS_FreeValue(ctx, found.value);
    JS_FreeValue(ctx, found.getter);
    JS_FreeValue(ctx, found.setter);
    return same;
}

/* Makes the globals of a loaded module plain properties, except those that code has changed. */
static void settle(JSContext *ctx, JSValueConst made, enum lazy_module module)
{
    JSValue global = JS_GetGlobalObject(ctx);

    for (int i = 0; i < COUNT(globals); i++) {
        JSAtom name;

        if (globals[i].module != module)
            continue;
        name = JS_NewAtom(ctx, globals[i].name);
        if (is_untouched(ctx, global, name, i))
            JS_DefinePropertyValue(ctx, global, name, JS_GetProperty(ctx, made, name), HIDDEN);
        JS_FreeAtom(ctx, name);
    }
    JS_FreeValue(ctx, global);
}

static JSValue get_global(JSContext *ctx, int i)
{
    JSValue made = load_module(ctx, globals[i].module);
    JSValue value;

    if (JS_IsException(made))
        return made;
    settle(ctx, made, globals[i].module);
    value = JS_GetPropertyStr(ctx, made, globals[i].name);
    JS_FreeValue(ctx, made);
    return value;
}

static JSValue set_global(JSContext *ctx, JSValueConst this_val, JSValueConst value, int i)
{
    JSValue global = JS_GetGlobalObject(ctx);
    bool own = JS_IsUndefined(this_val) || JS_IsStrictEqual(ctx, this_val, global);
    int r = JS_DefinePropertyValueStr(ctx, own ? global : this_val, globals[i].name,
                                      JS_DupValue(ctx, value),
                                      (own ? HIDDEN : JS_PROP_C_W_E) | JS_PROP_THROW);

    JS_FreeValue(ctx, global);
    return r < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

/* Both the getter and the setter of the global whose index the accessor carries. */
static JSValue call_accessor(JSContext *ctx, JSValueConst accessor, JSValueConst this_val, int argc,
                             JSValueConst *argv, int flags)
{
    int i = (int)(intptr_t)JS_GetOpaque(accessor, accessor_class);

    (void)flags;
    return argc == 0 ? get_global(ctx, i) : set_global(ctx, this_val, argv[0], i);
}

static int define_global(JSContext *ctx, JSValueConst global, int i)
{
    JSAtom name = JS_NewAtom(ctx, globals[i].name);
    int r;

    accessors[i] = JS_NewObjectClass(ctx, accessor_class);
    JS_SetOpaque(accessors[i], (void *)(intptr_t)i);
    r = JS_DefinePropertyGetSet(ctx, global, name, JS_DupValue(ctx, accessors[i]),
                                JS_DupValue(ctx, accessors[i]), JS_PROP_CONFIGURABLE);
    JS_FreeAtom(ctx, name);
    return r;
}

/* Makes a class of functions without properties: a quarter of the cost of ordinary functions. */
static int make_class(JSContext *ctx)
{
    static const JSClassDef accessor = {.class_name = "Function", .call = call_accessor};

    JS_NewClassID(JS_GetRuntime(ctx), &accessor_class);
    if (JS_NewClass(JS_GetRuntime(ctx), accessor_class, &accessor) < 0)
        return -1;
    JS_SetClassProto(ctx, accessor_class, JS_GetFunctionProto(ctx));
    return 0;
}

int crw_lazy_install(JSContext *ctx)
{
    JSValue global = JS_GetGlobalObject(ctx);
    int r = make_class(ctx) < 0 ? -1 : crw_web_install(ctx, global);

    for (int i = 0; r >= 0 && i < COUNT(globals); i++)
        r = define_global(ctx, global, i);
    JS_FreeValue(ctx, global);
    return r < 0 ? -1 : 0;
}
