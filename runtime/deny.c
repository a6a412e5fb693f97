/* deny.c - throws PermissionDenied errors, and sends the host a record of each. */
#include "deny.h"

#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "link.h"
#include "engine/marks.h"
#include "values.h"
#include "wire.h"

static uint32_t attempts;

/* A text for the record: cut to |max| bytes, at the end of a character, and without a NUL. */
struct text {
    char bytes[LIMIT_DENIED_TARGET_BYTES + 1];
    size_t len;
};

static void set_text(struct text *t, const char *bytes, size_t len, size_t max)
{
    if (len > max)
        for (len = max; len > 0 && ((unsigned char)bytes[len] & 0xc0) == 0x80;)
            len--;
    for (size_t i = 0; i < len; i++)
        t->bytes[i] = bytes[i] ? bytes[i] : '?';
    t->bytes[len] = '\0';
    t->len = len;
}

static void record(const struct text *api, const struct text *access, const struct text *target,
                   const char *message, const struct text *use)
{
    struct wire_blocked blocked = {
        .api_len = (uint32_t)api->len,
        .access_len = (uint32_t)access->len,
        .target_len = (uint32_t)target->len,
        .message_len = (uint32_t)strlen(message),
        .use_len = (uint32_t)use->len,
    };
    struct wire_part parts[] = {
        {&blocked, sizeof(blocked)},  {api->bytes, api->len},         {access->bytes, access->len},
        {target->bytes, target->len}, {message, blocked.message_len},
    };

    if (attempts <= LIMIT_BLOCKED)
        attempts++;
    if (attempts > LIMIT_BLOCKED)
        return;
    crw_link_put(WIRE_BLOCKED, attempts, parts, 5);
    /* at once: the record must not be lost if the worker is killed right after */
    crw_link_flush();
}

/* A text as shown between quotes: escaped so that it cannot close them, and cut if too long. */
struct quoted {
    char bytes[LIMIT_DENIED_TARGET_BYTES + LIMIT_DENIED_TARGET_BYTES / 2];
};

static struct quoted quote(const struct text *t)
{
    struct quoted ret;
    size_t len = 0;

    for (size_t i = 0; i < t->len; i++) {
        if (len + sizeof("\\1234") > sizeof(ret.bytes) &&
            ((unsigned char)t->bytes[i] & 0xc0) != 0x80)
            break;
        if (t->bytes[i] == '"' || t->bytes[i] == '\\')
            ret.bytes[len++] = '\\';
        ret.bytes[len++] = t->bytes[i];
    }
    ret.bytes[len] = '\0';
    return ret;
}

static JSValue make_error(JSContext *ctx, const struct text *api, const struct text *access,
                          const struct text *target, const struct text *use)
{
    struct quoted shown = quote(target);
    char message[LIMIT_DENIED_MESSAGE_BYTES];

    (void)snprintf(message, sizeof(message), "Requires %.16s access%s%s%s; %.128s", access->bytes,
                   target->len ? " to \"" : "", shown.bytes, target->len ? "\"" : "", use->bytes);
    record(api, access, target, message, use);
    return crw_marks_new_error(ctx, "PermissionDenied", "PERMISSION_DENIED",
                               JS_NewString(ctx, message), (struct crw_mark){.blocked = attempts});
}

/* The sum of these, quoted, and the words between fit into LIMIT_DENIED_MESSAGE_BYTES. */
static const size_t most[] = {LIMIT_DENIED_API_BYTES, LIMIT_DENIED_ACCESS_BYTES,
                              LIMIT_DENIED_TARGET_BYTES, LIMIT_DENIED_API_BYTES};

void crw_deny(JSContext *ctx, const char *api, const char *access, const char *target,
              const char *use)
{
    const char *given[] = {api, access, target ? target : "", use};
    struct text texts[4];

    for (int i = 0; i < 4; i++)
        set_text(&texts[i], given[i], strlen(given[i]), most[i]);
    (void)JS_Throw(ctx, make_error(ctx, &texts[0], &texts[1], &texts[2], &texts[3]));
}

static void deny_compile(JSContext *ctx, const char *api)
{
    crw_deny(ctx, api, "eval", NULL, "use code that is written out: only pinned code runs");
}

static void deny_import(JSContext *ctx, const char *specifier)
{
    crw_deny(ctx, "import", "import", specifier,
             "use mcp.<server>.<tool>(), or put the code into the capability");
}

void crw_deny_install(JSContext *ctx)
{
    static const struct crw_engine_denied denied = {deny_compile, deny_import};

    crw_engine_set_denied(ctx, &denied);
}

/* --- natives of js/web/denied.js -------------------------------------------------------------- */

enum { THROWN, REJECTED };

static JSValue js_deny(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int how)
{
    struct text texts[4] = {0};
    JSValue error, promise;

    (void)this_val;
    (void)argc;
    for (int i = 0; i < 4; i++) {
        size_t len;
        const char *given = JS_IsUndefined(argv[i]) ? NULL : JS_ToCStringLen(ctx, &len, argv[i]);

        if (given) {
            crw_values_replace_surrogates(given, len);
            set_text(&texts[i], given, len, most[i]);
        }
        JS_FreeCString(ctx, given);
    }
    error = make_error(ctx, &texts[0], &texts[1], &texts[2], &texts[3]);
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
