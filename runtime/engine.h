/*
 * engine.h - QuickJS, as caprun needs it: one runtime and one context per process, with time,
 * zone and chance taken out of its hands.
 *
 * The engine is built as one translation unit (engine.c), because what we need is behind
 * its public interface: whether compiled code is one function from end to end, taking the compiler
 * away, the stack of code that is still running, objects and strings as they are in memory.
 *
 * Nothing here fails half-way: memory that runs out ends the process (arena.h), so a NULL or an
 * exception means that the engine itself refused.
 */
#ifndef CRW_ENGINE_H
#define CRW_ENGINE_H

#include <stdbool.h>
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

/*
 * Before fork: what is there now is left as it is. Whatever is allocated later goes to slabs of its
 * own, so that it does not cost the copy of a page that workers share.
 */
void crw_engine_settle_down(JSContext *ctx);

/*
 * After fork, before there is a job: does a little of what every run does, so that the pages that
 * each one writes to are this process's own when the job comes. Leaves nothing behind.
 */
void crw_engine_touch_pages(JSContext *ctx);

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

/*
 * The same, but code that does not parse as a body may be a module with a default export: then the
 * module is returned, which JS_IsModule() tells apart. A SyntaxError has its place in its message,
 * and the line itself in its stack.
 */
JSValue crw_engine_compile(JSContext *ctx, const char *code, size_t len, const char *name);

/* What a module that was evaluated exports as its default. */
JSValue crw_engine_default_export(JSContext *ctx, JSValueConst module);

/* What is called instead: each throws. |api| is "eval", or the name of a constructor. */
struct crw_engine_denied {
    void (*compile)(JSContext *ctx, const char *api);
    void (*import)(JSContext *ctx, const char *specifier);
};

/* No other module is ever loaded: |functions|->import is called for it. */
void crw_engine_set_denied(JSContext *ctx, const struct crw_engine_denied *functions);

/* From now on |functions|->compile is called for eval and every function constructor. */
void crw_engine_close_compiler(JSContext *ctx);

/* A promise that nothing settles but crw_engine_settle(), which looks for no `then`. */
JSValue crw_engine_new_promise(JSContext *ctx);
void crw_engine_settle(JSContext *ctx, JSValueConst promise, JSValueConst value, bool is_error);

/* Throws a DOMException, with a stack that has no frames of ours. */
void crw_engine_throw_dom(JSContext *ctx, const char *name, const char *message);

/* A place in the capability's code. |function| is the holder's to free. */
struct crw_engine_place {
    JSValue function; /* undefined: nowhere */
    const uint8_t *at;
};

/* The code that is running now. */
void crw_engine_place(JSContext *ctx, struct crw_engine_place *ret);

/* Makes |place| the whole stack of |error|. */
void crw_engine_set_place(JSContext *ctx, JSValueConst error, const struct crw_engine_place *place);

/* Returns the stack of the code that is running now, without frames of ours, as a string. */
JSValue crw_engine_running_stack(JSContext *ctx);

/* Is |value| an Error, or a DOMException, which the engine does not count as one? */
bool crw_engine_is_error(JSValueConst value);

/* Returns the stack that an error carries, without frames of ours, or undefined. */
JSValue crw_engine_error_stack(JSContext *ctx, JSValueConst error);

#endif
