/*
 * engine.h - QuickJS as caprun needs it: one runtime and one context per process, which get time,
 * time zone and random seed from the host.
 *
 * The engine is built as one translation unit (engine.c), because we need things that its public
 * interface does not offer: to check that compiled code is one function from end to end, to remove
 * the compiler, to read the stack of running code, and objects and strings in memory.
 *
 * Running out of memory ends the process (arena.h), so a NULL or an exception means that the engine
 * itself rejected the operation.
 */
#ifndef CRW_ENGINE_H
#define CRW_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "quickjs.h"

/* The file name of our own JavaScript; stack frames with this name are never shown. */
#define CRW_ENGINE_OURS "caprun:prelude"

/*
 * Makes the runtime and the context, and removes everything that a capability may not have.
 * |entropy| seeds the engine's hash tables. Returns NULL if the engine cannot start.
 */
JSContext *crw_engine_new(uint64_t entropy);

/* Runs bytecode that js/compile.c made at build time. Returns its value, or an exception. */
JSValue crw_engine_load(JSContext *ctx, const uint8_t *bytecode, size_t len);

/*
 * Call before fork. Later allocations go to new slabs: writing to the existing ones would copy a
 * page that workers share.
 */
void crw_engine_settle_down(JSContext *ctx);

/*
 * Call after fork, before the job arrives: does a little of what every run does, so that this
 * process already has its own copies of the pages that a run writes to. Leaves nothing behind.
 */
void crw_engine_touch_pages(JSContext *ctx);

/* Call after fork: measures the stack from here, and seeds Math.random with |seed|. */
void crw_engine_begin(JSContext *ctx, uint64_t seed);

/* How the engine words its errors from now on: enum wire_wording. */
void crw_engine_set_wording(uint32_t wording);

/* The time that Date shows from now on, in microseconds since 1970. */
void crw_engine_set_date(int64_t date_us);

/*
 * Compiles |code| as the body of an async strict function of `mcp` and `args`, named |name| in
 * stack traces, with its own line and column numbers. Returns the function, or an exception. Code
 * that closes the function early, to escape from it, is rejected as a syntax error.
 */
JSValue crw_engine_compile_body(JSContext *ctx, const char *code, size_t len, const char *name);

/*
 * Erases the types of |code|, which is not JavaScript from |line| and |column|, in bytes, on.
 * Returns a string; undefined if types are not the reason; or an exception.
 */
typedef JSValue crw_engine_erase_fn(JSContext *ctx, const char *code, size_t len, const char *name,
                                    int line, int column);

/*
 * The same, but if the code does not parse as a body, it may be a module with a default export:
 * then returns the module (check with JS_IsModule()). If it is none either, it is compiled as
 * |erase| returns it. A SyntaxError has its position in the message, and the source line in the
 * stack.
 */
JSValue crw_engine_compile(JSContext *ctx, const char *code, size_t len, const char *name,
                           crw_engine_erase_fn *erase);

/* Takes |text|, code as a crw_engine_erase_fn returns it, and compiles that. */
JSValue crw_engine_compile_erased(JSContext *ctx, JSValue text, const char *name);

/* Throws a SyntaxError at |line| and |column|, in bytes, of |code|. */
JSValue crw_engine_throw_syntax(JSContext *ctx, JSValueConst message, const char *code, size_t len,
                                const char *name, int line, int column);

/*
 * Is the last statement of |function|, a compiled body, an expression whose value it drops? Only
 * for expressions that certainly have a value, and if nothing else in the body returns.
 */
bool crw_engine_drops_value(JSContext *ctx, JSValueConst function);

/* Returns the default export of a module that was evaluated. */
JSValue crw_engine_default_export(JSContext *ctx, JSValueConst module);

/* Functions called instead of the engine's own; each throws. |api|: "eval", or a constructor. */
struct crw_engine_denied {
    void (*compile)(JSContext *ctx, const char *api);
    void (*import)(JSContext *ctx, const char *specifier);
};

/* From now on no other module is loaded: any import calls |functions|->import. */
void crw_engine_set_denied(JSContext *ctx, const struct crw_engine_denied *functions);

/* From now on eval and every function constructor call |functions|->compile. */
void crw_engine_close_compiler(JSContext *ctx);

/* A promise that only crw_engine_settle() settles. It never calls a `then` of the value. */
JSValue crw_engine_new_promise(JSContext *ctx);
void crw_engine_settle(JSContext *ctx, JSValueConst promise, JSValueConst value, bool is_error);

/* Throws a DOMException, whose stack has no frames of our own code. */
void crw_engine_throw_dom(JSContext *ctx, const char *name, const char *message);

/* A place in the capability's code. The owner of the struct frees |function|. */
struct crw_engine_place {
    JSValue function; /* undefined: nowhere */
    const uint8_t *at;
};

/* Sets |ret| to the place of the code that is running now. */
void crw_engine_place(JSContext *ctx, struct crw_engine_place *ret);

/* Makes |place| the whole stack of |error|. */
void crw_engine_set_place(JSContext *ctx, JSValueConst error, const struct crw_engine_place *place);

/* Returns the stack of the running code, without frames of our own code, as a string. */
JSValue crw_engine_running_stack(JSContext *ctx);

/* Is |value| an Error or a DOMException? JS_IsError() does not include DOMExceptions. */
bool crw_engine_is_error(JSValueConst value);

/* Returns the stack of |error|, without frames of our own code, or undefined. */
JSValue crw_engine_error_stack(JSContext *ctx, JSValueConst error);

#endif
