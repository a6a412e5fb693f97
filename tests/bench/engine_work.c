/*
 * engine_work.c - measures the worker's engine, with its own C library, without sandbox and host:
 * the lower bound for scripts that compute, and the engine's JSON functions compared with ours.
 *
 *     engine_work cpu                  prints "NAME µs" of each script of `caprun bench cpu`
 *     engine_work json ROUNDS FILE...  prints for each file the bytes, then the microseconds of
 *                                      JS_ParseJSON, our decoder, JSON.stringify and our encoder
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "bench_scripts.h"
#include "engine.h"
#include "engine/decode.h"
#include "engine/encode.h"
#include "run_limits.h"

#define MEMORY ((size_t)2 << 30)
#define MOST_ROUNDS 100
#define MOST_BYTES (64u * LIMIT_MIB)

_Noreturn static void exit_with_error(const char *what)
{
    (void)fprintf(stderr, "engine_work: %s\n", what);
    exit(1);
}

static void full(void)
{
    exit_with_error("no memory");
}

static double now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static JSContext *new_engine(void)
{
    JSContext *ctx;

    if (crw_arena_init(MEMORY, full) < 0 || !(ctx = crw_engine_new(1)))
        exit_with_error("no engine");
    return ctx;
}

/* --- scripts --------------------------------------------------------------------------------- */

static void run_script(const struct cr_bench_script *script)
{
    JSContext *ctx = new_engine(), *unused;
    double start = now_us();
    JSValue function =
        crw_engine_compile_body(ctx, script->code, strlen(script->code), "cap:bench");
    JSValue promise = JS_Call(ctx, function, JS_UNDEFINED, 0, NULL);

    while (JS_ExecutePendingJob(JS_GetRuntime(ctx), &unused) > 0)
        ;
    if (JS_PromiseState(ctx, promise) != JS_PROMISE_FULFILLED)
        exit_with_error(script->name);
    printf("%s %.1f\n", script->name, now_us() - start);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), by_size);
    return values[count / 2];
}

static JSValue theirs(JSContext *ctx, const char *text, size_t len, double *ret_us)
{
    double start = now_us();
    JSValue value = JS_ParseJSON(ctx, text, len, "bench");

    *ret_us = now_us() - start;
    return value;
}

static JSValue ours(JSContext *ctx, const char *text, size_t len, double *ret_us)
{
    double start = now_us();
    JSValue value = crw_decode_json(ctx, text, len);

    *ret_us = now_us() - start;
    return value;
}

static double their_text(JSContext *ctx, JSValueConst value)
{
    double start = now_us();
    JSValue text = JS_JSONStringify(ctx, value, JS_UNDEFINED, JS_UNDEFINED);
    const char *bytes = JS_ToCString(ctx, text); /* the output must be UTF-8 */

    start = now_us() - start;
    JS_FreeCString(ctx, bytes);
    JS_FreeValue(ctx, text);
    return start;
}

static double our_text(JSContext *ctx, JSValueConst value)
{
    static const struct crw_encode_rules rules = {"value", "null", MOST_BYTES, false};
    double start = now_us();
    struct crw_text text;

    if (crw_encode_json(ctx, value, &rules, &text) != 0)
        exit_with_error("it cannot be written");
    start = now_us() - start;
    crw_encode_release(&text);
    return start;
}

/* A long array is freed when the next object is made (engine.c): do that here, unmeasured. */
static void free_now(JSContext *ctx, JSValue value)
{
    JS_FreeValue(ctx, value);
    JS_FreeValue(ctx, JS_NewObject(ctx));
}

static void measure_file(JSContext *ctx, const char *path, int rounds)
{
    static char text[MOST_BYTES + 1];
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(text, 1, MOST_BYTES, file) : 0;
    double us[4][MOST_ROUNDS];

    if (!len)
        exit_with_error(path);
    (void)fclose(file);
    text[len] = '\0';
    for (int i = -1; i < rounds; i++) { /* round -1 only touches the memory */
        int at = i < 0 ? 0 : i;
        JSValue value = theirs(ctx, text, len, &us[0][at]);

        free_now(ctx, value);
        value = ours(ctx, text, len, &us[1][at]);
        if (JS_IsException(value))
            exit_with_error("it is not JSON");
        us[2][at] = their_text(ctx, value);
        us[3][at] = our_text(ctx, value);
        free_now(ctx, value);
    }
    printf("%zu %.1f %.1f %.1f %.1f\n", len, median(us[0], rounds), median(us[1], rounds),
           median(us[2], rounds), median(us[3], rounds));
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "cpu") == 0) {
        for (size_t i = 0; i < cr_bench_script_count; i++)
            run_script(&cr_bench_scripts[i]);
    } else if (argc > 3 && strcmp(argv[1], "json") == 0) {
        int rounds = (int)strtol(argv[2], NULL, 10);
        JSContext *ctx = new_engine();

        if (rounds < 1 || rounds > MOST_ROUNDS)
            exit_with_error("rounds are from 1 to 100");
        for (int i = 3; i < argc; i++)
            measure_file(ctx, argv[i], rounds);
    } else {
        exit_with_error("see the top of its source for how it is called");
    }
    return 0;
}
