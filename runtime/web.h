/*
 * web.h - the part of the web's APIs that is C: UTF-8 for the modules of js/web, and `crypto`.
 */
#ifndef CRW_WEB_H
#define CRW_WEB_H

#include "quickjs.h"

/*
 * What a module finds in `native`:
 *
 *     utf8Encode(text)            a Uint8Array; half of a surrogate pair becomes U+FFFD
 *     utf8EncodeInto(text, view)  {read, written}; |view| has to be a Uint8Array
 *     utf8Decode(view, fatal)     a string; undefined if |fatal| and |view| is not valid UTF-8
 *     utf8Unfinished(view)        how many bytes at its end begin a sequence and do not end it
 *     classOf(value)              the engine's number for the kind of object that |value| is
 */
extern const JSCFunctionListEntry crw_web_natives[5];

/* Adds `crypto` to |global|. Returns 0, or -1 with an exception. */
int crw_web_install(JSContext *ctx, JSValueConst global);

#endif
