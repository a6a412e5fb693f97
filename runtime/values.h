/*
 * values.h - converts values to JSON text by the rules of JSON.stringify, even if a capability has
 * changed its own JSON object.
 */
#ifndef CRW_VALUES_H
#define CRW_VALUES_H

#include <stddef.h>

#include "engine/encode.h"
#include "quickjs.h"

/*
 * Writes |value| as JSON, up to the limit for args in run_limits.h, or up to |max| bytes. Returns
 * what crw_encode_json() returns. The two differ in three ways. `undefined` becomes `{}` in the
 * args of a call, `null` in a result. A lone surrogate is a TypeError in args, U+FFFD in a result.
 * Text that is too long is a RangeError for args, which never return 1.
 */
int crw_values_encode_args(JSContext *ctx, JSValueConst value, struct crw_text *ret);
int crw_values_encode_result(JSContext *ctx, JSValueConst value, size_t max, struct crw_text *ret);

/*
 * Returns own property |name| of |object| if it is plain data, else undefined. Runs no code.
 * |object| must not be a proxy; it need not be an object.
 */
JSValue crw_values_own(JSContext *ctx, JSValueConst object, const char *name);

/*
 * The engine writes a lone surrogate as three bytes that are not valid UTF-8. Replaces each in
 * |text| with U+FFFD, also three bytes. |text| is const, but comes from JS_ToCStringLen(), which
 * returns a private copy of any text with a lone surrogate.
 */
void crw_values_replace_surrogates(const char *text, size_t len);

#endif
