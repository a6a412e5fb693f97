/*
 * inspect.h - formats a value for a person, like Node's util.inspect.
 *
 * No code of the capability runs: a getter is shown as a getter and not called, a proxy as its
 * target. Changed prototypes affect only the names that are shown. Time, memory and text are
 * limited for any value; text over the limit ends in " … cut".
 */
#ifndef CRW_INSPECT_H
#define CRW_INSPECT_H

#include "out.h"
#include "quickjs.h"

struct crw_inspect_how {
    int depth;      /* objects inside that many others are only named; -1: all objects are */
    unsigned items; /* most items shown of an array, Map or Set; at most 100 */
    size_t width;   /* of a line */
};

/* The settings of console.log, but with |depth_| instead of 2. */
#define CRW_INSPECT_HOW(depth_) ((struct crw_inspect_how){(depth_), 100, 80})

/* Appends |value|; strings are quoted. Never throws. */
void crw_inspect(JSContext *ctx, struct crw_out *out, JSValueConst value,
                 struct crw_inspect_how how);

/*
 * Gets own property |name| of |object|, which must not be a proxy. Returns 1 and the value, which
 * the caller frees; 0 if the property is missing; -1 if it is a getter, which would run code.
 */
int crw_inspect_own(JSContext *ctx, JSValueConst object, JSAtom name, JSValue *ret);

/*
 * Returns the target of |value| if |value| is a proxy, else |value|. Returns undefined if the proxy
 * is revoked, or if more than a thousand proxies are nested.
 */
JSValueConst crw_inspect_unwrap(JSContext *ctx, JSValueConst value);

/* --- for the files that inspect.c calls (view.h) --- */

struct crw_view;

/* Appends |value|, nested in |depth| objects, as a part of the value that is being shown. */
void crw_inspect_nested(struct crw_view *v, JSValueConst value, int depth);

/* Appends the value of an own property, or what kind of accessor it is. */
void crw_inspect_property(struct crw_view *v, JSValueConst object, JSAtom name, int depth);

#endif
