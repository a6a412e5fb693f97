/*
 * engine.h - QuickJS, as caprun needs it: one runtime and one context per process, with time,
 * zone and chance taken out of its hands.
 *
 * The engine is built as one translation unit (engine.c), because three things that we need are
 * behind its public interface: whether compiled code is one function from end to end, taking the
 * compiler away, and the stack of code that is still running.
 *
 * Nothing here fails half-way: memory that runs out ends the process (arena.h), so a NULL or an
 * exception means that the engine itself refused.
 */
#ifndef CRW_ENGINE_H
#define CRW_ENGINE_H

#include <stdint.h>

#include "quickjs.h"

/* What stack traces call code of ours; frames with this name are never shown. */
#define CRW_ENGINE_OURS "caprun:prelude"

/*
 * Makes the runtime and the context, with everything removed that a capability may not have.
 * |entropy| seeds the engine's hash tables. Returns NULL if the engine will not start.
 */
JSContext *crw_engine_new(uint64_t entropy);

/* Runs bytecode of our own making (js/compile.c). Returns its value, or an exception. */
JSValue crw_engine_load(JSContext *ctx, const uint8_t *bytecode, size_t len);

/* After fork: the stack begins here, and Math.random starts from |seed|. */
void crw_engine_begin(JSContext *ctx, uint64_t seed);

/* The time that Date shows from now on, in microseconds since 1970. */
void crw_engine_set_date(int64_t date_us);

/*
 * Compiles |code| as the body of an async strict function of `mcp` and `args`, named |name| in
 * stack traces, with its own line and column numbers. Returns the function, or an exception: code
 * that closes the function early to get out of it does not parse.
 */
JSValue crw_engine_compile_body(JSContext *ctx, const char *code, size_t len, const char *name);

/* From now on eval and every function constructor throw. */
void crw_engine_close_compiler(JSContext *ctx);

/* Returns the stack of the code that is running now, without frames of ours, as a string. */
JSValue crw_engine_running_stack(JSContext *ctx);

/* Returns the stack that an Error carries, without frames of ours, or undefined. */
JSValue crw_engine_error_stack(JSContext *ctx, JSValueConst error);

#endif
