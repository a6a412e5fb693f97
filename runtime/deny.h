/*
 * deny.h - denies APIs that are not available in the sandbox, and reports each attempt.
 *
 * The code gets an error named PermissionDenied, which it may catch; the host gets a record of the
 * attempt at once. js/web/denied.js lists the denied APIs and their messages; this file handles
 * only the compiler and import, which are parts of the engine.
 */
#ifndef CRW_DENY_H
#define CRW_DENY_H

#include "quickjs.h"

/* Called once, in the zygote: from now on the engine denies the compiler and import. */
void crw_deny_install(JSContext *ctx);

/*
 * Throws `Requires |access| access to "|target|"; |use|` and records it as an attempt on |api|.
 * |target| may be NULL. Texts longer than their limits are cut.
 */
void crw_deny(JSContext *ctx, const char *api, const char *access, const char *target,
              const char *use);

/*
 * For js/web/denied.js: `deny(api, access, target, use)` throws, `refuse(…)` returns a rejected
 * promise, `proxy(target, handler)` is `new Proxy`, `isDenied(error)` says whether this file made
 * |error|.
 */
extern const JSCFunctionListEntry crw_deny_natives[4];

#endif
