/*
 * values.h - values to bytes, by the rules of JSON.stringify, whatever a capability has done to
 * its own JSON object.
 */
#ifndef CRW_VALUES_H
#define CRW_VALUES_H

#include <stddef.h>

#include "engine/encode.h"
#include "quickjs.h"

/*
 * Writes |value| as JSON, up to the ceiling that run_limits.h has for args, or up to |max| bytes,
 * and returns what crw_encode_json() does. The two differ in what they make of `undefined` (`{}`
 * for the args of a call, `null` for a result), of half a surrogate pair (a TypeError, U+FFFD) and
 * of text over the ceiling: args are never 1, but a RangeError.
 */
int crw_values_encode_args(JSContext *ctx, JSValueConst value, struct crw_text *ret);
int crw_values_encode_result(JSContext *ctx, JSValueConst value, size_t max, struct crw_text *ret);

/*
 * Own property |name| of |object|, if it is plain data, else undefined. Runs no code; |object| must
 * not be a proxy, and may be no object at all.
 */
JSValue crw_values_own(JSContext *ctx, JSValueConst object, const char *name);

/*
 * The engine writes half of a surrogate pair as three bytes that are not UTF-8. Puts U+FFFD, which
 * takes three too, in the place of each in |text|, which JS_ToCStringLen() gave: text that has one
 * is a copy.
 */
void crw_values_replace_surrogates(const char *text, size_t len);

#endif
