/*
 * compile.c - compiles our JavaScript to bytecode, at build time, with the same engine.
 *
 *     compile NAME FILE.js > NAME.h      gives NAME_bytecode[]
 *
 * The bytecode keeps line numbers, but not the source. The worker runs only bytecode from this
 * program: the engine trusts bytecode like native code.
 */
#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "engine.h"

_Noreturn static void full(void)
{
    (void)fprintf(stderr, "compile: no memory\n");
    exit(1);
}

static char *read_script(const char *path, size_t *ret_len)
{
    FILE *f = fopen(path, "rb");
    static char text[1024 * 1024];

    if (!f) {
        perror(path);
        exit(1);
    }
    *ret_len = fread(text, 1, sizeof(text) - 1, f);
    if (ferror(f) || !feof(f)) {
        (void)fprintf(stderr, "compile: '%s' is too long, or cannot be read\n", path);
        exit(1);
    }
    (void)fclose(f);
    text[*ret_len] = '\0';
    return text;
}

static void exit_with_exception(JSContext *ctx)
{
    JSValue error = JS_GetException(ctx);
    JSValue stack = crw_engine_error_stack(ctx, error);
    const char *words = JS_ToCString(ctx, error);
    const char *where = JS_ToCString(ctx, stack);

    (void)fprintf(stderr, "compile: %s\n%s", words ? words : "?", where ? where : "");
    exit(1);
}

int main(int argc, char **argv)
{
    JSContext *ctx;
    JSValue script;
    uint8_t *bytes;
    size_t len;
    char *text;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: compile NAME FILE.js > NAME.h\n");
        return 2;
    }
    text = read_script(argv[2], &len);
    if (crw_arena_init(64u << 20, full) < 0 || !(ctx = crw_engine_new(1)))
        full();
    script = JS_Eval(ctx, text, len, CRW_ENGINE_OURS,
                     JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY | JS_EVAL_FLAG_STRICT);
    if (JS_IsException(script))
        exit_with_exception(ctx);
    bytes = JS_WriteObject(ctx, &len, script, JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE);
    if (!bytes)
        exit_with_exception(ctx);
    printf("/* made by js/compile.c */\n");
    printf("static const unsigned char %s_bytecode[] = {", argv[1]);
    for (size_t i = 0; i < len; i++)
        printf("%s%u,", i % 20 ? "" : "\n    ", bytes[i]);
    printf("\n};\n");
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
