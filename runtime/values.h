/*
 * values.h - values to bytes, by the rules of JSON.stringify, whatever a capability has done to
 * its own JSON object.
 */
#ifndef CRW_VALUES_H
#define CRW_VALUES_H

#include <stddef.h>

#include "quickjs.h"

/* JSON text that the engine holds. */
struct crw_text {
    char *bytes;
    size_t len;
    size_t lone_surrogates;
};

/*
 * Writes |value| as JSON. Returns 0, and the caller releases |ret|; or -1 with an exception
 * pending: what JSON.stringify throws, or a TypeError for a value that has no JSON (a function, a
 * symbol). The two differ in what they make of `undefined` and of half a surrogate pair: for the
 * args of a call that is `{}` and a TypeError, for a result `null` and U+FFFD.
 */
int crw_values_encode_args(JSContext *ctx, JSValueConst value, struct crw_text *ret);
int crw_values_encode_result(JSContext *ctx, JSValueConst value, struct crw_text *ret);
void crw_values_release(JSContext *ctx, struct crw_text *text);

/*
 * The engine writes half of a surrogate pair as three bytes that are not UTF-8. Puts U+FFFD, which
 * takes three too, in the place of each in |text|, which JS_ToCStringLen() gave: text that has one
 * is a copy.
 */
void crw_values_mend(const char *text, size_t len);

#endif
