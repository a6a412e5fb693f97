/*
 * marks.h - remembers which errors the host or the sandbox made.
 *
 * The errors are in a map that only this file can reach, through the map's original functions. A
 * failure is classified by this private mark: untrusted code cannot add an error that looks like
 * ours, and our errors stay in the map even if code changes their properties.
 */
#ifndef CRW_MARKS_H
#define CRW_MARKS_H

#include <stdint.h>

#include "quickjs.h"

/* The number of the failed call, or of the denied attempt, that an error comes from; or 0. */
struct crw_mark {
    uint32_t call;
    uint32_t blocked;
};

/* Call once, before any untrusted code. Returns 0, or -1 if the engine has no WeakMap. */
int crw_marks_install(JSContext *ctx);

/* Returns the mark of |error|; all zero if |error| is not marked. */
struct crw_mark crw_marks_get(JSContext *ctx, JSValueConst error);

/* Makes an Error with |name|, or "Error" if NULL, and |code|, and marks it. */
JSValue crw_marks_new_error(JSContext *ctx, const char *name, const char *code, JSValue message,
                            struct crw_mark mark);

#endif
