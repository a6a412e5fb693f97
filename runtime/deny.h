/*
 * deny.h - what happens when code reaches for what it may not have.
 *
 * It gets an error of name PermissionDenied, which it may catch; the host gets a record of the
 * attempt, at once. What is denied, and in what words, is in js/web/denied.js; here are only the
 * compiler and import, which the engine itself would reach.
 */
#ifndef CRW_DENY_H
#define CRW_DENY_H

#include "quickjs.h"

/* Once, in the zygote: from now on the engine denies through this file. */
void crw_deny_install(JSContext *ctx);

/*
 * Throws `Requires |access| access to "|target|"; |use|` and records it as an attempt on |api|.
 * |target| may be NULL. Texts over their limits are cut.
 */
void crw_deny(JSContext *ctx, const char *api, const char *access, const char *target,
              const char *use);

/*
 * For js/web/denied.js: `deny(api, access, target, use)` throws, `refuse(…)` returns a rejected
 * promise, `proxy(target, handler)` is `new Proxy`, `isDenied(error)` says whether it is one of
 * these.
 */
extern const JSCFunctionListEntry crw_deny_natives[4];

#endif
