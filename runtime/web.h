/*
 * web.h - the web APIs that are written in C: UTF-8 for the modules of js/web, and `crypto`.
 */
#ifndef CRW_WEB_H
#define CRW_WEB_H

#include "quickjs.h"

/*
 * The functions that a module gets in `native`:
 *
 *     utf8Encode(text)            a Uint8Array; a lone surrogate becomes U+FFFD
 *     utf8EncodeInto(text, view)  {read, written}; |view| must be a Uint8Array
 *     utf8Decode(view, fatal)     a string; undefined if |fatal| and |view| is not valid UTF-8
 *     utf8Unfinished(view)        the number of bytes in an incomplete sequence at its end
 *     classOf(value)              the engine's class number of |value|
 */
extern const JSCFunctionListEntry crw_web_natives[5];

/* Adds `crypto` to |global|. Returns 0, or -1 with an exception. */
int crw_web_install(JSContext *ctx, JSValueConst global);

#endif
