/*
 * decode.h - JSON.parse, without a reviver, of UTF-8 and in one pass.
 *
 * It takes what JSON.parse takes and makes of it what JSON.parse makes: own properties, `__proto__`
 * among them, of which the last of equal ones counts; numbers to the last bit; strings with lone
 * halves of surrogate pairs if they are escaped so. Nothing that code could have replaced is looked
 * at, and nothing of it runs. It may collect garbage, as making an object may.
 *
 * engine/decode.c, decode_string.c and decode_number.c are parts of engine.c, because they make
 * objects and strings by the engine's insides.
 */
#ifndef CRW_DECODE_H
#define CRW_DECODE_H

#include <stddef.h>

#include "quickjs.h"

#define CRW_DECODE_DEPTH 100000

/*
 * Returns the value of the |len| bytes at |json|, behind which there is a NUL that does not count;
 * or an exception if they are not JSON, are more than a string can have, or are nested deeper than
 * CRW_DECODE_DEPTH, but none is thrown then.
 */
JSValue crw_decode_json(JSContext *ctx, const char *json, size_t len);

#endif
