/*
 * peek.h - reads the contents of a value through the engine's internals, without running any code:
 * no trap, no getter, no toString.
 *
 * peek.c is part of engine.c's translation unit. A returned JSValueConst is borrowed from the
 * object: it is valid until code runs.
 */
#ifndef CRW_PEEK_H
#define CRW_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

enum crw_peek_kind {
    CRW_PEEK_OBJECT, /* and all kinds that are not listed here */
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

/* Returns the kind of |value|, which must be an object. */
enum crw_peek_kind crw_peek_kind(JSContext *ctx, JSValueConst value);

/* Returns the target of a proxy, or undefined if it is revoked. */
JSValueConst crw_peek_target(JSValueConst proxy);

/* Returns the prototype, or null. Not for a proxy. */
JSValueConst crw_peek_prototype(JSValueConst object);

/* Returns the primitive value of a CRW_PEEK_BOXED. */
JSValueConst crw_peek_boxed(JSValueConst object);

/*
 * Gets the name and the message that a DOMException was made with. Returns false if |error| is not
 * a DOMException.
 */
bool crw_peek_dom_exception(JSValueConst error, JSValueConst *ret_name, JSValueConst *ret_message);

/* Returns the value of the private field `#impl` of a CRW_PEEK_URL. */
JSValueConst crw_peek_impl(JSValueConst url);

/* Return text: an ISO time or "Invalid Date"; the pattern between slashes, and the flags. */
JSValue crw_peek_date(JSContext *ctx, JSValueConst date);
JSValue crw_peek_regexp(JSContext *ctx, JSValueConst regexp);

/* The kind of a function, as flags. */
#define CRW_PEEK_IS_CLASS 1u
#define CRW_PEEK_IS_GENERATOR 2u
#define CRW_PEEK_IS_ASYNC 4u
unsigned crw_peek_function(JSValueConst function);

/* Returns how many elements from index 0 on are plain data, without holes and getters. */
uint32_t crw_peek_elements(JSValueConst object);

/* Returns how many properties the engine has to read to list them. */
size_t crw_peek_effort(JSValueConst object);

/*
 * Lists the enumerable own properties except the elements above: indexes in order, then strings,
 * then symbols. Free with JS_FreePropertyEnum. Not for a proxy. Returns 0, or -1 with an exception.
 */
int crw_peek_names(JSContext *ctx, JSValueConst object, JSPropertyEnum **ret, uint32_t *ret_count);

/* Is the name an index of an array? */
bool crw_peek_index(JSContext *ctx, JSAtom name, uint32_t *ret);

/* Is the name a symbol? */
bool crw_peek_is_symbol(JSContext *ctx, JSAtom name);

/* Returns the engine's atom of `Symbol.toStringTag`; never free it. */
JSAtom crw_peek_tag_name(void);

/* A walk over the entries of a Map or a Set, or over the remaining ones of such an iterator. */
struct crw_peek_walk {
    const void *at, *end; /* the engine's */
    bool pairs;           /* an iterator over [key, value] */
    bool values;          /* an iterator over the values of a Map */
};

/* Begins a walk. Returns the number of entries; 0 for an iterator, where it is not known. */
uint32_t crw_peek_walk(JSValueConst object, struct crw_peek_walk *ret);
bool crw_peek_next(struct crw_peek_walk *walk, JSValueConst *ret_key, JSValueConst *ret_value);

/* Returns the first |max| characters of |string|, and its length in UTF-16 units. */
JSValue crw_peek_head(JSContext *ctx, JSValueConst string, uint32_t max, uint32_t *ret_length);

/* Returns the size of a bigint in bits; the time to print it grows with the square of that. */
size_t crw_peek_bits(JSValueConst bigint);

/* Returns parseInt or parseFloat of |value|, which must not be an object or a symbol. */
JSValue crw_peek_parse(JSContext *ctx, JSValueConst value, bool as_integer);

/* Returns the buffer of a DataView, and gets its offset and length. */
JSValueConst crw_peek_dataview(JSValueConst view, uint32_t *ret_offset, uint32_t *ret_length);

#endif
