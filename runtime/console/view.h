/*
 * view.h - what is shared by those who make text of a value, and the text of what is no object.
 *
 * inspect.c walks over objects; identity.c says what one is called, error.c what stands for an
 * error, members.c and url.c what is special to a kind.
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
    struct crw_out *out; /* when it is full, everything comes to its end */
    struct crw_layout layout;
    struct crw_inspect_how how;
    const void *seen[CRW_VIEW_DEPTH_MAX + 2]; /* the objects that this one is inside of */
    unsigned seen_count;
    const void *refs[CRW_VIEW_REFS_MAX]; /* what a [Circular *n] means */
    unsigned ref_count;
};

/* An object that is being shown. Its constructor and tag are texts of the engine. */
struct crw_view_object {
    JSValueConst value;
    enum crw_peek_kind kind;
    const char *constructor; /* NULL: it has none that can be told without running code */
    const char *tag;         /* Symbol.toStringTag, NULL if there is none worth showing */
    JSPropertyEnum *names;   /* its enumerable own properties */
    uint32_t name_count;
    uint32_t name_from; /* names before this are items of an array */
    uint32_t elements;  /* items side by side, from 0 on */
    int64_t length;     /* of an array, Map or Set; of a URL, how many lines it has to show */
};

/* crw_work_charge(); when all is spent, |out| counts as full. */
void crw_view_charge(struct crw_view *v, size_t units);
void crw_view_charge_text(struct crw_view *v, size_t characters);

/* Appends with the present indentation after each line break. */
void crw_view_indented(struct crw_view *v, const char *text, size_t len);

/* Appends "... n more things". */
void crw_view_more(struct crw_view *v, uint64_t count, const char *what);

/* Appends what is no object; strings are quoted. */
void crw_view_plain(struct crw_view *v, JSValueConst value);

/* Appends the name of a property as it stands before a colon: in quotes if it needs some. */
void crw_view_key(struct crw_view *v, JSAtom name);

/* Appends what is no object as it is: a string without quotes, a bigint without its n. */
void crw_view_bare(JSContext *ctx, struct crw_out *out, JSValueConst value);

/* Appends a property's name as it is. */
void crw_view_name(JSContext *ctx, struct crw_out *out, JSAtom name);

/*
 * Takes |string|. Returns its first |max| characters as valid UTF-8, which JS_FreeCString frees: a
 * text of many megabytes costs no more than what is shown of it.
 */
const char *crw_view_head(JSContext *ctx, JSValue string, size_t max, size_t *ret_len);

#endif
