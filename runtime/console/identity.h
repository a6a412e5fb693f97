/*
 * identity.h - the name of an object: its constructor's name, its tag, and the text that is shown
 * before its bracket or instead of the whole object.
 */
#ifndef CRW_IDENTITY_H
#define CRW_IDENTITY_H

#include "view.h"

#define CRW_IDENTITY_CHARACTERS 1000u /* longest name; the rest is ignored */

/* Property names that are looked up; the engine keeps their atoms. */
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

/* Sets |constructor| and |tag|; crw_identity_forget() frees them. */
void crw_identity_find(struct crw_view *v, struct crw_view_object *o);
void crw_identity_forget(struct crw_view *v, struct crw_view_object *o);

/* Appends the text before a bracket and a space, or nothing for a plain object. */
void crw_identity_prefix(struct crw_view *v, const struct crw_view_object *o);

/* Appends the text that replaces an object whose contents are not shown: "[Foo]". */
void crw_identity_placeholder(struct crw_view *v, const struct crw_view_object *o);

/*
 * Appends the text of a function, an error, a date, a regular expression or a boxed value, without
 * its properties. For other kinds returns false and appends nothing.
 */
bool crw_identity_base(struct crw_view *v, const struct crw_view_object *o);

/*
 * Takes |value|. Returns its text, at most |max| characters, if it is a string and not empty, else
 * NULL. Free with JS_FreeCString.
 */
const char *crw_identity_text(struct crw_view *v, JSValue value, size_t max);

/* The same for the first property |name| in the prototype chain that begins with |object|. */
const char *crw_identity_inherited(struct crw_view *v, JSValueConst object, JSAtom name,
                                   size_t max);

#endif
