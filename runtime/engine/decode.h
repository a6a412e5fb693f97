/*
 * decode.h - JSON.parse without a reviver, from UTF-8 and in one pass.
 *
 * It accepts the same text as JSON.parse and makes the same values: own properties, including
 * `__proto__`, where the last of equal keys wins; exact numbers; strings with lone surrogates if
 * these are escaped. It reads nothing that code could have replaced, and runs no code. It may
 * collect garbage, like any function that makes objects.
 *
 * engine/decode.c, decode_string.c and decode_number.c are parts of engine.c, because they make
 * objects and strings with the engine's internals.
 */
#ifndef CRW_DECODE_H
#define CRW_DECODE_H

#include <stddef.h>

#include "quickjs.h"

#define CRW_DECODE_DEPTH 100000

/*
 * Returns the value of the |len| bytes at |json|, which must be followed by a NUL that |len| does
 * not count. Returns JS_EXCEPTION, without a pending exception, if they are not JSON, longer than a
 * string can be, or nested deeper than CRW_DECODE_DEPTH.
 */
JSValue crw_decode_json(JSContext *ctx, const char *json, size_t len);

#endif
