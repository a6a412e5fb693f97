/*
 * test_decode.c - the worker's JSON decoder, compared with the engine's parser and JSON.stringify.
 * Linked with the same objects as the worker.
 */
#include "tap.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LLVMFuzzerTestOneInput same_as_the_engine
#include "../fuzz/fuzz_decode.c"
#undef LLVMFuzzerTestOneInput

#define PAGE 4096

/* --- texts ----------------------------------------------------------------------------------- */

static char text[1 << 20];
static size_t text_len;
static uint64_t seed = 88172645463325252;

static uint64_t chance(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static size_t one_of(size_t count)
{
    return (size_t)(chance() % count);
}

static void add(const char *words)
{
    size_t len = strlen(words);

    if (len < sizeof(text) - text_len) {
        memcpy(text + text_len, words, len);
        text_len += len;
    }
}

static void add_number(void)
{
    char number[64];
    union {
        uint64_t bits;
        double number;
    } any = {.bits = chance()};

    switch (one_of(6)) {
    case 0:
        (void)snprintf(number, sizeof(number), "%d", (int)one_of(1000) - 500);
        break;
    case 1:
        (void)snprintf(number, sizeof(number), "%lld", (long long)chance());
        break;
    case 2:
        (void)snprintf(number, sizeof(number), "%.*f", (int)one_of(20), (double)chance() / 1e17);
        break;
    case 3:
        (void)snprintf(number, sizeof(number), "%llu.%lluE%d", (unsigned long long)one_of(1000),
                       (unsigned long long)one_of(1u << 30), (int)one_of(660) - 330);
        break;
    case 4:
        (void)snprintf(number, sizeof(number), "%.17g", (double)one_of(1u << 30) / 1e9);
        break;
    default:
        any.bits &= ~((uint64_t)1 << 62); /* neither infinity nor NaN */
        (void)snprintf(number, sizeof(number), "%.17g", any.number);
        break;
    }
    add(number);
}

static void add_string(void)
{
    static const char *const pieces[] = {
        "a",
        "plain words and more of them",
        "\\n",
        "\\\"",
        "\\\\",
        "\\u00e9",
        "\\ud83d",
        "\\ude00",
        "\u00fc",
        "\u65e5\u672c",
        "\U0001f600",
        "\\u0000",
        "/",
        "\\/",
        "sixteen bytes ok",
        "\\u4e2dxy",
    };

    add("\"");
    for (size_t n = one_of(6); n; n--)
        add(pieces[one_of(sizeof(pieces) / sizeof(pieces[0]))]);
    add("\"");
}

static void add_blank(void)
{
    static const char *const blanks[] = {"", "", "", "", " ", "\n    ", "\t\r\n"};

    add(blanks[one_of(sizeof(blanks) / sizeof(blanks[0]))]);
}

static void add_value(int depth);

static void add_key(void)
{
    static const char *const keys[] = {
        "id",
        "name",
        "a",
        "b",
        "c",
        "d",
        "a key that is rather long",
        "10",
        "__proto__",
        "007",
        "4294967295",
        "2147483648",
        "",
        "toJSON",
        "then",
        "k\\u00e9y",
        "quo\\\"te",
        "\u00e9",
        "-1",
        "length",
    };

    add("\"");
    add(keys[one_of(sizeof(keys) / sizeof(keys[0]))]);
    add("\"");
    add_blank();
    add(":");
}

static void add_members(int depth, bool keys)
{
    size_t count = one_of(7);

    for (size_t i = 0; i < count; i++) {
        if (i)
            add(",");
        add_blank();
        if (keys)
            add_key();
        add_value(depth - 1);
        add_blank();
    }
}

/* Rows of the same shape, and sometimes one of another shape. */
static void add_rows(int depth)
{
    for (size_t i = 0, count = one_of(12); i < count; i++) {
        if (i)
            add(",");
        add("{\"id\":");
        add_number();
        if (one_of(5)) {
            add(",\"name\":");
            add_string();
        }
        add(one_of(9) ? ",\"inner\":{\"x\":" : ",\"inner\":{\"y\":");
        add_value(depth - 2);
        add(",\"z\":[1,2]}}");
    }
}

static void add_value(int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    size_t kind = one_of(depth > 0 ? 8 : 4);

    add_blank();
    if (kind == 0) {
        add(words[one_of(3)]);
    } else if (kind == 1) {
        add_string();
    } else if (kind < 4) {
        add_number();
    } else if (kind < 6) {
        add("{");
        add_members(depth, true);
        add("}");
    } else {
        add("[");
        (kind == 6 && depth > 1) ? add_rows(depth) : add_members(depth, false);
        add("]");
    }
}

static size_t times(size_t count)
{
    return getenv("CAPRUN_TORTURE") ? count * 50 : count;
}

/* --- tests ----------------------------------------------------------------------------------- */

TEST(generated_texts_are_what_the_engine_makes_of_them)
{
    for (size_t i = times(20000); i; i--) {
        text_len = 0;
        add_value(6);
        CHECK(same_as_the_engine((uint8_t *)text, text_len) == 0);
    }
}

TEST(texts_with_one_byte_changed_are_taken_or_refused_alike)
{
    for (size_t i = times(20000); i; i--) {
        text_len = 0;
        add_value(4);
        if (text_len)
            text[one_of(text_len)] = "{}[]\",:\\0e-.\x80 \x1f\xc3t"[one_of(18)];
        CHECK(same_as_the_engine((uint8_t *)text, text_len) == 0);
    }
}

TEST(numbers_are_exact)
{
    for (size_t i = times(100000); i; i--) {
        text_len = 0;
        add_number();
        CHECK(same_as_the_engine((uint8_t *)text, text_len) == 0);
    }
}

TEST(numbers_half_way_between_two_are_exact)
{
    /* numbers like 2^53 + 1: half the sum of two neighbouring doubles, in decimal digits */
    for (size_t i = times(20000); i; i--) {
        uint64_t odd = ((uint64_t)1 << 53 | chance() >> 11) * 2 + 1;

        text_len = (size_t)snprintf(text, sizeof(text), "%llu%s", (unsigned long long)odd,
                                    (const char *[]){"", "0", "e3", "e-5", ".0"}[one_of(5)]);
        CHECK(same_as_the_engine((uint8_t *)text, text_len) == 0);
    }
}

TEST(arrays_longer_than_what_may_wait)
{
    for (size_t count = 1000; count < 5000; count += 500 + one_of(100)) {
        text_len = 0;
        add("[[");
        for (size_t i = 0; i < count; i++) {
            add(i ? "," : "");
            i % 100 ? add_number() : add_value(2);
        }
        add("],{\"a\":1}]");
        CHECK(same_as_the_engine((uint8_t *)text, text_len) == 0);
    }
}

TEST(an_object_of_many_keys)
{
    char key[32];

    text_len = 0;
    add("{");
    for (int i = 0; i < 20000; i++) {
        (void)snprintf(key, sizeof(key), "%s\"k%d\":%d", i ? "," : "", i % 19000, i);
        add(key);
    }
    add("}");
    CHECK(same_as_the_engine((uint8_t *)text, text_len) == 0);
}

/* Deeper than the engine's own parser goes, and it can all be freed again. */
TEST(nesting_has_a_limit_of_its_own)
{
    JSContext *ctx = context();
    size_t depth = CRW_DECODE_DEPTH, before;
    JSValue value;

    before = crw_arena_used();
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
    value = crw_decode_json(ctx, text, 2 * depth);
    CHECK(JS_IsArray(value));
    JS_FreeValue(ctx, value);
    CHECK(crw_arena_used() < before + 64 * PAGE);
    text[2 * depth - 1] = '}';
    CHECK(JS_IsException(crw_decode_json(ctx, text, 2 * depth)));
    memset(text, '[', ++depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
    CHECK(JS_IsException(crw_decode_json(ctx, text, 2 * depth)));
    CHECK(crw_arena_used() < before + 64 * PAGE && crw_arena_check() == 0);
}

/* The size of its 16-bit form would overflow the engine's int. */
TEST(a_text_that_is_longer_than_a_string_is_not_even_looked_at)
{
    CHECK(JS_IsException(crw_decode_json(context(), "\"\"", (size_t)1 << 30)));
    CHECK(JS_IsException(crw_decode_json(context(), "\"\"", SIZE_MAX)));
}

/* The decoder reads one byte past the text, and never more. */
TEST(nothing_is_read_behind_the_end)
{
    static const char whole[] =
        "[{\"id\":12,\"name\":\"plain\",\"x\":-1.5e3,\"\\u00e9\":[true,false,null]},"
        "{\"id\":13,\"name\":\"\xc3\xbc\\n\xf0\x9f\x98\x80\",\"x\":12345678.9,\"z\":{}}]";
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    JSContext *ctx = context();

    CHECK(pages != MAP_FAILED && mprotect(pages + PAGE, PAGE, PROT_NONE) == 0);
    for (size_t from = 0; from < sizeof(whole) - 1; from++) {
        for (size_t len = 0; len < sizeof(whole) - from; len++) {
            char *at = pages + PAGE - len - 1;

            memcpy(at, whole + from, len);
            at[len] = '\0';
            JS_FreeValue(ctx, crw_decode_json(ctx, at, len));
        }
    }
    CHECK(munmap(pages, 2 * PAGE) == 0);
}

TEST(what_fuzzers_found_stays_found)
{
    const char *source = getenv("CAPRUN_SRC");
    char folder[2048], path[4096];
    struct dirent *entry;
    int count = 0;
    DIR *dir;

    (void)snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/fuzz_decode",
                   source ? source : ".");
    dir = opendir(folder);
    CHECK(dir != NULL);
    while ((entry = readdir(dir))) {
        FILE *file;

        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file)
            continue;
        text_len = fread(text, 1, sizeof(text), file);
        (void)fclose(file);
        CHECK(same_as_the_engine((uint8_t *)text, text_len) == 0);
        count++;
    }
    (void)closedir(dir);
    CHECK(count > 5);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
