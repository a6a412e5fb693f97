/*
 * engine_alone.c - the lower bound for a cold `caprun exec`: the same engine, without sandbox and
 * host, starts, reads a file of code, runs it and prints its result.
 */
#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "engine.h"
#include "run_limits.h"

static void full(void)
{
    exit(5);
}

int main(int argc, char **argv)
{
    static char code[LIMIT_CODE_BYTES];
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    JSContext *ctx, *unused;
    JSValue function, args, argv_js[2], promise, text;
    size_t len;

    if (!f)
        return 2;
    len = fread(code, 1, sizeof(code), f);
    (void)fclose(f);
    if (crw_arena_init(64u << 20, full) < 0 || !(ctx = crw_engine_new(1)))
        return 70;
    function = crw_engine_compile_body(ctx, code, len, "cap:bench");
    args = JS_NewObject(ctx);
    argv_js[0] = JS_UNDEFINED;
    argv_js[1] = args;
    promise = JS_Call(ctx, function, JS_UNDEFINED, 2, (JSValueConst *)argv_js);
    while (JS_ExecutePendingJob(JS_GetRuntime(ctx), &unused) > 0)
        ;
    if (JS_PromiseState(ctx, promise) != JS_PROMISE_FULFILLED)
        return 1;
    text = JS_JSONStringify(ctx, JS_PromiseResult(ctx, promise), JS_UNDEFINED, JS_UNDEFINED);
    printf("%s\n", JS_ToCString(ctx, text));
    return 0;
}
