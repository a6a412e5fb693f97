/*
 * inspect.h - a value as a person wants to read it: the text that Node's util.inspect would give.
 *
 * Nothing of the capability runs: a getter is shown as one and not called, a proxy as its target,
 * and no prototype that was changed can change what is shown, but for names. Whatever the value is,
 * time, memory and text have a ceiling; past it, the text ends in " … cut".
 */
#ifndef CRW_INSPECT_H
#define CRW_INSPECT_H

#include "out.h"
#include "quickjs.h"

struct crw_inspect_how {
    int depth;      /* objects inside of that many others are only named; -1: all are */
    unsigned items; /* of an array, Map or Set, at most; 100 is the most */
    size_t width;   /* where lines end */
};

/* What console.log uses, with another |depth| than 2. */
#define CRW_INSPECT_HOW(depth_) ((struct crw_inspect_how){(depth_), 100, 80})

/* Appends |value|; strings are quoted. Never throws. */
void crw_inspect(JSContext *ctx, struct crw_out *out, JSValueConst value,
                 struct crw_inspect_how how);

/*
 * Own property |name| of |object|, which is no proxy. Returns 1 and the value, which the caller
 * frees; 0 if there is none; -1 if there is no value without running code: a getter.
 */
int crw_inspect_own(JSContext *ctx, JSValueConst object, JSAtom name, JSValue *ret);

/*
 * Returns what is behind |value| if that is a proxy, else |value|; undefined if it is
 * revoked, or a proxy of a proxy a thousand times over.
 */
JSValueConst crw_inspect_unwrap(JSContext *ctx, JSValueConst value);

/* --- for those that inspect.c asks (view.h) --- */

struct crw_view;

/* Appends |value|, which is inside |depth| objects, as something inside of what is being shown. */
void crw_inspect_nested(struct crw_view *v, JSValueConst value, int depth);

/* Appends the value of an own property, or what kind of accessor it is. */
void crw_inspect_property(struct crw_view *v, JSValueConst object, JSAtom name, int depth);

#endif
