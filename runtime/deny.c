/* deny.c - the error, and the record. */
#include "deny.h"

#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "link.h"
#include "marks.h"
#include "values.h"
#include "wire.h"

static uint32_t attempts;

/* The length of |text| up to |max| bytes, not in the middle of a character. */
static size_t length(const char *text, size_t max)
{
    size_t len = strnlen(text, max + 1);

    if (len <= max)
        return len;
    while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
        max--;
    return max;
}

static void record(const char *api, const char *access, const char *target, const char *message,
                   const char *use)
{
    struct wire_blocked blocked = {
        .api_len = (uint32_t)length(api, LIMIT_DENIED_API_BYTES),
        .access_len = (uint32_t)length(access, LIMIT_DENIED_ACCESS_BYTES),
        .target_len = (uint32_t)length(target, LIMIT_DENIED_TARGET_BYTES),
        .message_len = (uint32_t)strlen(message),
        .use_len = (uint32_t)strlen(use),
    };
    struct wire_part parts[] = {
        {&blocked, sizeof(blocked)},  {api, blocked.api_len},         {access, blocked.access_len},
        {target, blocked.target_len}, {message, blocked.message_len},
    };

    if (attempts <= LIMIT_BLOCKED)
        attempts++;
    if (attempts > LIMIT_BLOCKED)
        return;
    crw_link_put(WIRE_BLOCKED, attempts, parts, 5);
    /* at once, as a line of the log: it must not be lost with what comes next */
    crw_link_flush();
}

static JSValue make_error(JSContext *ctx, const char *api, const char *access, const char *target,
                          const char *use)
{
    char message[LIMIT_DENIED_MESSAGE_BYTES];

    if (!target)
        target = "";
    if (*target)
        (void)snprintf(message, sizeof(message), "Requires %.*s access to \"%.*s\"; %s",
                       (int)LIMIT_DENIED_ACCESS_BYTES, access,
                       (int)length(target, LIMIT_DENIED_TARGET_BYTES), target, use);
    else
        (void)snprintf(message, sizeof(message), "Requires %.*s access; %s",
                       (int)LIMIT_DENIED_ACCESS_BYTES, access, use);
    record(api, access, target, message, use);
    return crw_marks_new_error(ctx, "PermissionDenied", "PERMISSION_DENIED",
                               JS_NewString(ctx, message), (struct crw_mark){.blocked = attempts});
}

void crw_deny(JSContext *ctx, const char *api, const char *access, const char *target,
              const char *use)
{
    (void)JS_Throw(ctx, make_error(ctx, api, access, target, use));
}

static void deny_compile(JSContext *ctx, const char *api)
{
    crw_deny(ctx, api, "eval", NULL, "use code that is written out: only pinned code runs");
}

static void deny_import(JSContext *ctx, const char *specifier)
{
    crw_deny(ctx, "import", "import", specifier, "use mcp.<server>.<tool>()");
}

void crw_deny_install(JSContext *ctx)
{
    static const struct crw_engine_denied denied = {deny_compile, deny_import};

    crw_engine_set_denied(ctx, &denied);
}

/* --- natives of js/denied.js -------------------------------------------------------------- */

enum { THROWN, REJECTED };

static JSValue js_deny(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int how)
{
    const char *texts[4];
    JSValue error, promise;
    size_t len;

    (void)this_val;
    (void)argc;
    for (int i = 0; i < 4; i++) {
        texts[i] = JS_IsUndefined(argv[i]) ? NULL : JS_ToCStringLen(ctx, &len, argv[i]);
        if (texts[i])
            crw_values_mend(texts[i], len);
    }
    error = make_error(ctx, texts[0], texts[1], texts[2], texts[3]);
    for (int i = 0; i < 4; i++)
        JS_FreeCString(ctx, texts[i]);
    if (how == THROWN)
        return JS_Throw(ctx, error);
    promise = JS_NewSettledPromise(ctx, true, error);
    JS_FreeValue(ctx, error);
    return promise;
}

static JSValue js_is_denied(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    return JS_NewBool(ctx, JS_IsObject(argv[0]) && crw_marks_get(ctx, argv[0]).blocked);
}

static JSValue js_proxy(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    return JS_NewProxy(ctx, argv[0], argv[1]);
}

const JSCFunctionListEntry crw_deny_natives[4] = {
    JS_CFUNC_MAGIC_DEF("deny", 4, js_deny, THROWN),
    JS_CFUNC_MAGIC_DEF("refuse", 4, js_deny, REJECTED),
    JS_CFUNC_DEF("isDenied", 1, js_is_denied),
    JS_CFUNC_DEF("proxy", 2, js_proxy),
};
