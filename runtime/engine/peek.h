/*
 * peek.h - what only the engine's insides can tell of a value, without running a line of anybody's
 * code: no trap, no getter, no toString.
 *
 * peek.c is part of engine.c's translation unit. What is returned as JSValueConst is still the
 * object's own: it is valid until code runs.
 */
#ifndef CRW_PEEK_H
#define CRW_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

enum crw_peek_kind {
    CRW_PEEK_OBJECT, /* and all that has no line of its own here */
    CRW_PEEK_ARRAY,
    CRW_PEEK_ARGUMENTS,
    CRW_PEEK_ERROR, /* and a DOMException */
    CRW_PEEK_BOXED, /* a number, string, boolean, symbol or bigint as an object */
    CRW_PEEK_DATE,
    CRW_PEEK_MODULE,
    CRW_PEEK_FUNCTION,
    CRW_PEEK_REGEXP,
    CRW_PEEK_BUFFER,
    CRW_PEEK_TYPED_ARRAY,
    CRW_PEEK_DATAVIEW,
    CRW_PEEK_MAP,
    CRW_PEEK_SET,
    CRW_PEEK_WEAK, /* WeakMap, WeakSet */
    CRW_PEEK_MAP_ITERATOR,
    CRW_PEEK_SET_ITERATOR,
    CRW_PEEK_PROMISE,
    CRW_PEEK_PROXY,
    CRW_PEEK_URL, /* URL, URLSearchParams, and classes that hide an `#impl` as these do */
    CRW_PEEK_KINDS,
};

/* What kind of object |value| is, which must be one. */
enum crw_peek_kind crw_peek_kind(JSContext *ctx, JSValueConst value);

/* Returns what a proxy stands for, or undefined if it is revoked. */
JSValueConst crw_peek_target(JSValueConst proxy);

/* Returns the prototype, or null. Not for a proxy. */
JSValueConst crw_peek_prototype(JSValueConst object);

/* Returns the value in a CRW_PEEK_BOXED. */
JSValueConst crw_peek_boxed(JSValueConst object);

/*
 * The name and the message that a DOMException was made with; either may be NULL. Returns false if
 * |error| is none.
 */
bool crw_peek_dom_exception(JSValueConst error, JSValueConst *ret_name, JSValueConst *ret_message);

/* Returns the value of the private field `#impl` of a CRW_PEEK_URL. */
JSValueConst crw_peek_impl(JSValueConst url);

/* Return text: the time in ISO form or "Invalid Date"; the pattern between slashes, and flags. */
JSValue crw_peek_date(JSContext *ctx, JSValueConst date);
JSValue crw_peek_regexp(JSContext *ctx, JSValueConst regexp);

/* What kind of function it is, as flags. */
#define CRW_PEEK_IS_CLASS 1u
#define CRW_PEEK_IS_GENERATOR 2u
#define CRW_PEEK_IS_ASYNC 4u
unsigned crw_peek_function(JSValueConst function);

/* How many elements are side by side from 0 on, all there and none of them a getter. */
uint32_t crw_peek_elements(JSValueConst object);

/* How many properties the engine has to look at to list them. */
size_t crw_peek_effort(JSValueConst object);

/*
 * Lists the enumerable own properties other than those elements: indexes in order, then strings,
 * then symbols. Freed with JS_FreePropertyEnum. Not for a proxy. Returns 0, or -1 with an
 * exception.
 */
int crw_peek_names(JSContext *ctx, JSValueConst object, JSPropertyEnum **ret, uint32_t *ret_count);

/* Is the name an index of an array? */
bool crw_peek_index(JSContext *ctx, JSAtom name, uint32_t *ret);

/* Is the name a symbol? */
bool crw_peek_is_symbol(JSContext *ctx, JSAtom name);

/* The name that `Symbol.toStringTag` has in the engine; never freed. */
JSAtom crw_peek_tag_name(void);

/* A walk over the entries of a Map or a Set, or over those that an iterator of one has left. */
struct crw_peek_walk {
    const void *at, *end; /* the engine's */
    bool pairs;           /* an iterator over [key, value] */
    bool values;          /* an iterator over the values of a Map */
};

/* Begins; returns how many entries there are, which for an iterator is not known: 0. */
uint32_t crw_peek_walk(JSValueConst object, struct crw_peek_walk *ret);
bool crw_peek_next(struct crw_peek_walk *walk, JSValueConst *ret_key, JSValueConst *ret_value);

/* Returns the first |max| characters of |string|, and how long it is in UTF-16 units. */
JSValue crw_peek_head(JSContext *ctx, JSValueConst string, uint32_t max, uint32_t *ret_length);

/* How many bits a bigint takes: the time for its decimal digits grows with the square of that. */
size_t crw_peek_bits(JSValueConst bigint);

/* parseInt or parseFloat of what is neither object nor symbol. */
JSValue crw_peek_parse(JSContext *ctx, JSValueConst value, bool as_integer);

/* Where a DataView begins, how long it is, and its buffer. */
JSValueConst crw_peek_dataview(JSValueConst view, uint32_t *ret_offset, uint32_t *ret_length);

#endif
