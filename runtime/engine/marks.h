/*
 * marks.h - which errors the host or the sandbox made.
 *
 * They are remembered in a map that only this file can reach, with the map's own functions as they
 * were before a stranger's code ran. That is the private mark by which a failure is classified: an
 * error dressed up like ours is not in the map, and one of ours stays in it whatever is done to its
 * properties.
 */
#ifndef CRW_MARKS_H
#define CRW_MARKS_H

#include <stdint.h>

#include "quickjs.h"

/* Where an error comes from: a call, or a refusal; 0 is neither. */
struct crw_mark {
    uint32_t call;
    uint32_t blocked;
};

/* Once, before any code of a stranger. Returns 0, or -1 if the engine has no WeakMap. */
int crw_marks_install(JSContext *ctx);

/* All zero if |error| is none of ours. */
struct crw_mark crw_marks_get(JSContext *ctx, JSValueConst error);

/* Makes an Error with a name and a code of ours, and marks it. NULL for |name| leaves "Error". */
JSValue crw_marks_new_error(JSContext *ctx, const char *name, const char *code, JSValue message,
                            struct crw_mark mark);

#endif
