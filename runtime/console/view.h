/*
 * view.h - the state shared by the files that format a value, and the text of primitive values.
 *
 * inspect.c walks over objects. identity.c gives the name of an object, error.c the text of an
 * error, members.c and url.c the contents that are special to a kind of object.
 */
#ifndef CRW_VIEW_H
#define CRW_VIEW_H

#include "inspect.h"
#include "layout.h"
#include "engine/peek.h"

#define CRW_VIEW_DEPTH_MAX 30
#define CRW_VIEW_REFS_MAX 64u

struct crw_view {
    JSContext *ctx;
    struct crw_out *out; /* when it is full, all formatting stops */
    struct crw_layout layout;
    struct crw_inspect_how how;
    const void *seen[CRW_VIEW_DEPTH_MAX + 2]; /* the objects that contain the current one */
    unsigned seen_count;
    const void *refs[CRW_VIEW_REFS_MAX]; /* the object of each [Circular *n] */
    unsigned ref_count;
};

/* An object that is being shown. The engine owns the texts of constructor and tag. */
struct crw_view_object {
    JSValueConst value;
    enum crw_peek_kind kind;
    const char *constructor; /* NULL: none, or not readable without running code */
    const char *tag;         /* Symbol.toStringTag, or NULL if not worth showing */
    JSPropertyEnum *names;   /* its enumerable own properties */
    uint32_t name_count;
    uint32_t name_from; /* names before this are items of an array */
    uint32_t elements;  /* items from index 0 on without holes */
    int64_t length;     /* of an array, Map or Set; of a URL, the number of lines to show */
};

/* Calls crw_work_charge(); when the budget is used up, sets |out| to full. */
void crw_view_charge(struct crw_view *v, size_t units);
void crw_view_charge_text(struct crw_view *v, size_t characters);

/* Appends |text| with the current indentation after each line break. */
void crw_view_indented(struct crw_view *v, const char *text, size_t len);

/* Appends "... n more things". */
void crw_view_more(struct crw_view *v, uint64_t count, const char *what);

/* Appends a primitive value; strings are quoted. */
void crw_view_plain(struct crw_view *v, JSValueConst value);

/* Appends a property's name as shown before a colon: in quotes if necessary. */
void crw_view_key(struct crw_view *v, JSAtom name);

/* Appends a primitive value unchanged: a string without quotes, a bigint without its n. */
void crw_view_bare(JSContext *ctx, struct crw_out *out, JSValueConst value);

/* Appends a property's name unchanged. */
void crw_view_name(JSContext *ctx, struct crw_out *out, JSAtom name);

/*
 * Takes |string|. Returns its first |max| characters as valid UTF-8; free with JS_FreeCString. The
 * rest of a long text costs nothing.
 */
const char *crw_view_head(JSContext *ctx, JSValue string, size_t max, size_t *ret_len);

#endif
