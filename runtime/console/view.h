/*
 * view.h - what the files that make text of a value share: inspect.c (values, properties, objects),
 * identity.c (what an object is called) and members.c (what is special to a kind).
 */
#ifndef CRW_VIEW_H
#define CRW_VIEW_H

#include "inspect.h"
#include "layout.h"
#include "peek.h"

#define CRW_VIEW_DEPTH_MAX 30
#define CRW_VIEW_REFS_MAX 64u

struct crw_view {
    JSContext *ctx;
    struct crw_out *out; /* when it is full, everything comes to its end */
    struct crw_layout layout;
    struct crw_inspect_how how;
    const void *seen[CRW_VIEW_DEPTH_MAX + 2]; /* the objects that this one is inside of */
    unsigned seen_count;
    const void *refs[CRW_VIEW_REFS_MAX]; /* what a [Circular *n] means */
    unsigned ref_count;
};

/* An object that is being shown. Its constructor and tag are texts of the engine. */
struct crw_thing {
    JSValueConst value;
    enum crw_kind kind;
    const char *constructor; /* NULL: it has none that can be told without running code */
    const char *tag;         /* Symbol.toStringTag, NULL if there is none worth showing */
    JSPropertyEnum *names;   /* its enumerable own properties */
    uint32_t name_count;
    uint32_t name_from; /* names before this are items of an array */
    uint32_t elements;  /* items side by side, from 0 on */
    int64_t length;     /* of an array, Map or Set */
};

/* --- inspect.c --- */

/* crw_inspect_charge(); when all is spent, |out| counts as full. */
void crw_view_charge(struct crw_view *v, size_t n);

/* Appends |value|, which is inside |depth| objects, as something inside of what is being shown. */
void crw_view_nested(struct crw_view *v, JSValueConst value, int depth);

/* Appends the value of an own property, or what kind of accessor it is. */
void crw_view_own(struct crw_view *v, JSValueConst object, JSAtom name, int depth);

/* Appends with the present indentation after each line break. */
void crw_view_indented(struct crw_view *v, const char *text, size_t len);

/* Appends "... n more things". */
void crw_view_more(struct crw_view *v, uint64_t count, const char *what);

/* --- identity.c --- */

/* Names that are looked up; the engine keeps them. */
enum crw_view_name {
    CRW_NAME_CONSTRUCTOR,
    CRW_NAME_NAME,
    CRW_NAME_PROTOTYPE,
    CRW_NAME_MESSAGE,
    CRW_NAME_STACK,
    CRW_NAME_CAUSE,
    CRW_NAME_ERRORS,
    CRW_NAMES,
};

JSAtom crw_view_name(JSContext *ctx, enum crw_view_name name);

/* Finds out |constructor| and |tag|; crw_view_forget() frees them. */
void crw_view_identify(struct crw_view *v, struct crw_thing *t);
void crw_view_forget(struct crw_view *v, struct crw_thing *t);

/* Appends the words before a bracket, with a space behind them, or nothing for a plain object. */
void crw_view_prefix(struct crw_view *v, const struct crw_thing *t);

/* The same in the form that stands for a whole object which is not shown: "[Foo]". */
void crw_view_placeholder(struct crw_view *v, const struct crw_thing *t);

/*
 * Appends what stands for a function, an error, a date, a regular expression or a boxed value,
 * whether or not properties follow. Returns false for other kinds, of which it appends nothing.
 */
bool crw_view_base(struct crw_view *v, const struct crw_thing *t);

/* --- members.c --- */

/* Does it have anything to show besides its properties? */
bool crw_view_has_members(const struct crw_thing *t);

/* Appends an entry for each of them. */
void crw_view_members(struct crw_view *v, const struct crw_thing *t, int depth);

#endif
