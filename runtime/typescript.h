/*
 * typescript.h - erases the types of TypeScript, in the worker, before the code is compiled.
 *
 * Types become spaces, so lines and columns stay the same. Code with something that is more than a
 * type, such as `enum`, is rejected: nothing is translated.
 */
#ifndef CRW_TYPESCRIPT_H
#define CRW_TYPESCRIPT_H

#include "quickjs.h"

/* Like crw_engine_compile(), for code that is TypeScript. */
JSValue crw_typescript_compile(JSContext *ctx, const char *code, size_t len, const char *name);

/* A crw_engine_erase_fn. */
JSValue crw_typescript_erase(JSContext *ctx, const char *code, size_t len, const char *name,
                             int line, int column);

#endif
