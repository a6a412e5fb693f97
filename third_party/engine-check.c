/*
 * engine-check.c - tests, during the build, that the compiled engine does what caprun relies on.
 *
 * It checks the effect of each edit, that the decoder and the engine's own parser make the same
 * values, and the results of peek.h for each kind of object. If a check fails, it prints which,
 * returns 1, and the build stops.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LLVMFuzzerTestOneInput decodes_as_the_engine
#include "../tests/fuzz/fuzz_decode.c"
#undef LLVMFuzzerTestOneInput

#include "engine/peek.h"

static const char *at_work;
static int failed;

static void report_failure(const char *what, const char *words)
{
    (void)fprintf(stderr, "engine-check: %s: %s\n", what, words);
    failed = 1;
}

/* --- the edits ------------------------------------------------------------------------------ */

static void run_jobs(JSContext *ctx)
{
    while (JS_ExecutePendingJob(JS_GetRuntime(ctx), &(JSContext *){NULL}) > 0)
        ;
}

static JSValue evaluate(JSContext *ctx, const char *script)
{
    return JS_Eval(ctx, script, strlen(script), "check.js", JS_EVAL_TYPE_GLOBAL);
}

/* Runs |script|, which leaves a string in |found|, and all its jobs. */
static void expect(JSContext *ctx, const char *edit, const char *script, const char *expected)
{
    JSValue global = JS_GetGlobalObject(ctx), done = evaluate(ctx, script), found;
    const char *text;

    run_jobs(ctx);
    found = JS_GetPropertyStr(ctx, global, "found");
    text = JS_IsException(done) ? NULL : JS_ToCString(ctx, found);
    if (!text || !strstr(text, expected))
        report_failure(edit, text ? text : "the script throws");
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, found);
    JS_FreeValue(ctx, done);
    JS_FreeValue(ctx, global);
}

static void check_edits(JSContext *ctx)
{
    size_t before;

    expect(ctx, "async-generator-ends",
           "var found = 'requests that wait for ever'; async function* g() { yield 1 }\n"
           "{ const it = g(); Promise.all([it.return(5), it.next(), it.return(7), it.next()])\n"
           "  .then((all) => { found = JSON.stringify(all.map((one) => one.value ?? 0)) }) }",
           "[5,0,7,0]");
    expect(ctx, "call-place",
           "var found; function f() { throw new Error('x') } function one() { return 1 }\n"
           "function g() {\n"
           "  f(\n"
           "    2,\n"
           "    one());\n"
           "}\n"
           "try { g() } catch (error) { found = error.stack }",
           "g (check.js:3:");
    expect(ctx, "shape-table-grows",
           "{ const all = []; for (let i = 0; i < 3e4; i++) { const o = {a: 1}; o['k' + i] = i; "
           "all.push(o) }\n"
           "  found = String(all.every((o, i) => o.a === 1 && o['k' + i] === i)) }",
           "true");
    expect(ctx, "small-first-slab, slabs-cut-late",
           "{ let all = []; for (let turn = 0; turn < 5; turn++) {\n"
           "    all = all.filter((o, i) => i % 3 === 0); for (let i = 0; i < 2e4; i++) "
           "all.push({turn, i}) }\n"
           "  found = String(all.every((o) => o.turn >= 0 && o.i >= 0)) }",
           "true");
    before = crw_arena_used();
    expect(ctx, "long-arrays-freed-later",
           "for (let turn = 0; turn < 200; turn++) Array.from({length: 5000}, (_, i) => ({i}));\n"
           "found = 'freed'",
           "freed");
    if (crw_arena_used() > before + (64u << 20))
        report_failure("long-arrays-freed-later", "long arrays are not freed");
}

/* --- the decoder ---------------------------------------------------------------------------- */

static void say_where(int number)
{
    (void)number;
    (void)!write(STDERR_FILENO, "engine-check: the decoder differs from the engine for ", 54);
    (void)!write(STDERR_FILENO, at_work, strlen(at_work));
    (void)!write(STDERR_FILENO, "\n", 1);
    _exit(1);
}

static void check_decoder(void)
{
    static const char *const texts[] = {
        "null",
        "true",
        "-0",
        "1e308",
        "4294967295",
        "9007199254740993",
        "0.1",
        "5e-324",
        "\"\"",
        "\"abc\"",
        "\"\\u00e9\\ud83d\\ude00\"",
        "\"\\ud800\"",
        "\"\xc3\xa9\"",
        "\"\xf0\x9f\x98\x80\"",
        "[]",
        "[1,2,3]",
        "[1.5,\"a\",null,[],{}]",
        "{}",
        "{\"a\":1}",
        "{\"a\":1,\"b\":[{\"a\":2}]}",
        "{\"a\":1,\"a\":2}",
        "{\"__proto__\":1,\"then\":2}",
        "{\"1\":1,\"0\":2,\"x\":3}",
        "[{\"id\":1,\"n\":\"x\"},{\"id\":2,\"n\":\"y\"},{\"id\":3,\"n\":\"z\",\"o\":1}]",
        "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":[[[[1]]]]}}}}}",
        "[1,]",
        "{\"a\":01}",
        "\"\\x\"",
        " [ 1 ] ",
        "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9}",
    };

    (void)signal(SIGABRT, say_where);
    for (int turn = 0; turn < 3; turn++) /* known shapes take another path in the decoder */
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
            at_work = texts[i];
            (void)decodes_as_the_engine((const uint8_t *)texts[i], strlen(texts[i]));
        }
    (void)signal(SIGABRT, SIG_DFL);
}

/* --- peek ------------------------------------------------------------------------------------ */

static void check_kinds(JSContext *ctx)
{
    static const struct {
        const char *script;
        enum crw_peek_kind kind;
    } kinds[] = {
        {"({})", CRW_PEEK_OBJECT},
        {"[1]", CRW_PEEK_ARRAY},
        {"(function () { return arguments })(1)", CRW_PEEK_ARGUMENTS},
        {"new TypeError('x')", CRW_PEEK_ERROR},
        {"Object('x')", CRW_PEEK_BOXED},
        {"new Date(0)", CRW_PEEK_DATE},
        {"(() => 1)", CRW_PEEK_FUNCTION},
        {"(class {})", CRW_PEEK_FUNCTION},
        {"/x/g", CRW_PEEK_REGEXP},
        {"new ArrayBuffer(8)", CRW_PEEK_BUFFER},
        {"new Uint8Array(8)", CRW_PEEK_TYPED_ARRAY},
        {"new DataView(new ArrayBuffer(8))", CRW_PEEK_DATAVIEW},
        {"new Map()", CRW_PEEK_MAP},
        {"new Set()", CRW_PEEK_SET},
        {"new WeakMap()", CRW_PEEK_WEAK},
        {"new Map().entries()", CRW_PEEK_MAP_ITERATOR},
        {"new Set().values()", CRW_PEEK_SET_ITERATOR},
        {"Promise.resolve()", CRW_PEEK_PROMISE},
        {"new Proxy({}, {})", CRW_PEEK_PROXY},
        {"new (class { #impl = 1 })()", CRW_PEEK_URL},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        JSValue value = evaluate(ctx, kinds[i].script);

        if (!JS_IsObject(value) || crw_peek_kind(ctx, value) != kinds[i].kind)
            report_failure("peek, wrong kind of object", kinds[i].script);
        JS_FreeValue(ctx, value);
    }
}

/* Is |value| the whole number |expected|? */
static bool is_number(JSContext *ctx, JSValueConst value, int expected)
{
    int32_t number = -1;

    return JS_IsNumber(value) && JS_ToInt32(ctx, &number, value) == 0 && number == expected;
}

static bool reads_map(JSContext *ctx, JSValueConst map)
{
    struct crw_peek_walk walk;
    JSValueConst key, value;

    return crw_peek_walk(map, &walk) == 2 && crw_peek_next(&walk, &key, &value) &&
           is_number(ctx, key, 1) && is_number(ctx, value, 10) &&
           crw_peek_next(&walk, &key, &value) && is_number(ctx, key, 3) &&
           is_number(ctx, value, 30) && !crw_peek_next(&walk, &key, &value);
}

static bool reads_dataview(JSContext *ctx, JSValueConst view)
{
    uint32_t offset = 0, length = 0;

    return JS_IsObject(crw_peek_dataview(view, &offset, &length)) && offset == 4 && length == 8 &&
           ctx;
}

static bool reads_boxed(JSContext *ctx, JSValueConst boxed)
{
    return is_number(ctx, crw_peek_boxed(boxed), 42);
}

static bool reads_target(JSContext *ctx, JSValueConst proxy)
{
    return JS_IsObject(crw_peek_target(proxy)) && ctx;
}

static bool reads_revoked(JSContext *ctx, JSValueConst proxy)
{
    return JS_IsUndefined(crw_peek_target(proxy)) && ctx;
}

static bool reads_impl(JSContext *ctx, JSValueConst url)
{
    return is_number(ctx, crw_peek_impl(url), 7);
}

static bool reads_elements(JSContext *ctx, JSValueConst array)
{
    return crw_peek_elements(array) == 3 && crw_peek_effort(array) > 0 && ctx;
}

static bool reads_prototype(JSContext *ctx, JSValueConst object)
{
    return JS_IsNull(crw_peek_prototype(object)) && ctx;
}

static bool reads_function(JSContext *ctx, JSValueConst function)
{
    return crw_peek_function(function) == (CRW_PEEK_IS_ASYNC | CRW_PEEK_IS_GENERATOR) && ctx;
}

static void check_reads(JSContext *ctx)
{
    static const struct {
        const char *script;
        bool (*reads)(JSContext *ctx, JSValueConst value);
    } reads[] = {
        {"{ const m = new Map([[1, 10], [2, 20], [3, 30]]); m.delete(2); m }", reads_map},
        {"new DataView(new ArrayBuffer(16), 4, 8)", reads_dataview},
        {"Object(42)", reads_boxed},
        {"new Proxy({}, {})", reads_target},
        {"{ const p = Proxy.revocable({}, {}); p.revoke(); p.proxy }", reads_revoked},
        {"new (class { #impl = 7 })()", reads_impl},
        {"[1, 2, 3]", reads_elements},
        {"Object.create(null)", reads_prototype},
        {"(async function* () {})", reads_function},
    };

    for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
        JSValue value = evaluate(ctx, reads[i].script);

        if (!JS_IsObject(value) || !reads[i].reads(ctx, value))
            report_failure("peek, wrong contents", reads[i].script);
        JS_FreeValue(ctx, value);
    }
}

static void check_words(JSContext *ctx)
{
    JSValue text = JS_NewString(ctx, "h\xc3\xa9llo w\xc3\xb6rld"), head;
    JSValue big = evaluate(ctx, "2n ** 100n");
    const char *words;
    uint32_t length = 0;

    head = crw_peek_head(ctx, text, 4, &length);
    words = JS_ToCString(ctx, head);
    if (!words || strcmp(words, "h\xc3\xa9ll") != 0 || length != 11)
        report_failure("peek", "the head of a string is wrong");
    if (crw_peek_bits(big) < 101 || crw_peek_bits(big) > 160)
        report_failure("peek", "a bigint has a wrong size");
    JS_FreeCString(ctx, words);
    JS_FreeValue(ctx, head);
    JS_FreeValue(ctx, text);
    JS_FreeValue(ctx, big);
}

int main(void)
{
    JSContext *ctx = context();

    check_edits(ctx);
    check_decoder();
    check_kinds(ctx);
    check_reads(ctx);
    check_words(ctx);
    return failed;
}
