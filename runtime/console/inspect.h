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

/*
 * A call of console begins: there is so much work that it may do, whatever it is given. To charge
 * for |n| properties, prototypes or entries that were looked at returns false when it is spent.
 */
void crw_inspect_begin(void);
bool crw_inspect_charge(size_t n);

/* Appends |value|; strings are quoted. Never throws. */
void crw_inspect(JSContext *ctx, struct crw_out *out, JSValueConst value,
                 struct crw_inspect_how how);

/* Appends what is no object as it is: a string without quotes, a bigint without its n. */
void crw_inspect_bare(JSContext *ctx, struct crw_out *out, JSValueConst value);

/* Appends a property's name as it is. */
void crw_inspect_name(JSContext *ctx, struct crw_out *out, JSAtom name);

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

#endif
