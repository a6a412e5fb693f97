/*
 * identity.h - what an object is called: its constructor's name, its tag, and the words that stand
 * before its bracket or for the whole of it.
 */
#ifndef CRW_IDENTITY_H
#define CRW_IDENTITY_H

#include "view.h"

#define CRW_IDENTITY_CHARACTERS 1000u /* of a name, at most; the rest is not looked at */

/* Names that are looked up; the engine keeps them. */
enum crw_identity_name {
    CRW_IDENTITY_CONSTRUCTOR,
    CRW_IDENTITY_NAME,
    CRW_IDENTITY_PROTOTYPE,
    CRW_IDENTITY_MESSAGE,
    CRW_IDENTITY_STACK,
    CRW_IDENTITY_CAUSE,
    CRW_IDENTITY_ERRORS,
    CRW_IDENTITY_NAMES,
};

JSAtom crw_identity_name(JSContext *ctx, enum crw_identity_name name);

/* Finds out |constructor| and |tag|; crw_identity_forget() frees them. */
void crw_identity_find(struct crw_view *v, struct crw_view_object *o);
void crw_identity_forget(struct crw_view *v, struct crw_view_object *o);

/* Appends the words before a bracket, with a space behind them, or nothing for a plain object. */
void crw_identity_prefix(struct crw_view *v, const struct crw_view_object *o);

/* The same in the form that stands for a whole object which is not shown: "[Foo]". */
void crw_identity_placeholder(struct crw_view *v, const struct crw_view_object *o);

/*
 * Appends what stands for a function, an error, a date, a regular expression or a boxed value,
 * whether or not properties follow. Returns false for other kinds, of which it appends nothing.
 */
bool crw_identity_base(struct crw_view *v, const struct crw_view_object *o);

/*
 * Takes |value|. Returns its text, of |max| characters at most, if it is a string with something in
 * it, else NULL. JS_FreeCString frees it.
 */
const char *crw_identity_text(struct crw_view *v, JSValue value, size_t max);

/* The same of the first property |name| of the chain of prototypes that begins with |object|. */
const char *crw_identity_inherited(struct crw_view *v, JSValueConst object, JSAtom name,
                                   size_t max);

#endif
