/*
 * test_scan_feed.c - scanning JSON that arrives in pieces gives the same result as the whole text.
 *
 * Each text is cut at every place, and fed byte by byte, in memory that moves each time.
 */
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/scan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const texts[] = {
    "{\"a\":[1,-2.5e+10,true,false,null,\"x\"],\"b\":{\"a\":{}, \"c\" : [ ] }}",
    " \n{\"\\u0061\":1,\n\t\"b\\\"\\\\\":\"\\ud83c\\udf89 \xc3\xa9 \xf0\x9f\x8e\x89\"}\r\n ",
    "12345678901234567890.5e-3",
    "[-0.25,0,-7E+2,10e5]",
    "-0",
    "-x",
    "0.x",
    "1.5e+",
    "1.5ex",
    "[1.5.2]",
    "1e5.2",
    "--1",
    "\"\\ud800\\ud800\"",
    "{\"a\":1,\n \"b\":{\"a\":1},\n \"a\":2}",
    "{\"a\":1,\"\\u0061\":2}",
    "[1,2,]",
    "[1 2]",
    "{\"a\" 1}",
    "{\"a\":1}}",
    "tru",
    "trux",
    "nul",
    "01",
    "1.",
    "-",
    "1e",
    "\"\xc3\"",
    "\"\xed\xa0\x80\"",
    "\"\\u00\"",
    "\"\\x\"",
    "\"\n\"",
    "\"open",
    "\xef\xbb\xbf[]",
    "\xef\xbb",
    "",
    "  ",
    "[[[[]]]",
};

static char *copy_of(const void *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);

    if (copy && len)
        memcpy(copy, bytes, len);
    return copy;
}

/* Feeds a copy of the first |len| bytes, so that a sanitizer notices a read past them. */
static int feed(struct cr_scan *s, const char *text, size_t len, bool is_last, struct cr_err *err)
{
    char *copy = copy_of(text, len);
    int r = is_last ? cr_scan_finish(s, (const uint8_t *)copy, len, err)
                    : cr_scan_feed(s, (const uint8_t *)copy, len, err);

    free(copy);
    return r;
}

/* Returns the result of the whole scan, whichever feed reports it. */
static int scan_pieces(const char *text, size_t len, size_t first, size_t step,
                       enum cr_scan_rules rules, struct cr_err *err)
{
    struct cr_scan s;
    int r = 0;

    cr_scan_begin(&s, rules);
    for (size_t at = first; r == 0 && at < len; at += step)
        r = feed(&s, text, at, false, err);
    if (r == 0)
        return feed(&s, text, len, true, err);
    cr_scan_clear(&s);
    return r;
}

static bool is_same_in_pieces(const char *text, size_t len, enum cr_scan_rules rules)
{
    struct cr_err whole = {0}, err;
    int r = cr_scan_json((const uint8_t *)text, len, rules, &whole);

    for (size_t first = 0; first <= len; first++) {
        for (size_t step = 1; step <= len + 1; step += len + !len) {
            err = (struct cr_err){0};
            if (scan_pieces(text, len, first, step, rules, &err) == r && err.code == whole.code &&
                strcmp(err.text, whole.text) == 0)
                continue;
            printf("# \"%.60s\" from %zu by %zu: \"%s\", not \"%s\"\n", text, first, step, err.text,
                   whole.text);
            return false;
        }
    }
    return true;
}

TEST(every_cut_gives_the_same_verdict_and_the_same_words)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        CHECK(is_same_in_pieces(texts[i], strlen(texts[i]), CR_SCAN_STRICT));
        CHECK(is_same_in_pieces(texts[i], strlen(texts[i]), CR_SCAN_PASS));
    }
}

TEST(a_mistake_is_reported_before_the_text_is_complete)
{
    struct cr_err err = {0}, other = {0};
    struct cr_scan s;

    cr_scan_begin(&s, CR_SCAN_STRICT);
    CHECK(feed(&s, "{\"a\":1,", 7, false, &err) == 0);
    CHECK(feed(&s, "{\"a\":1,\"a\":2,", 13, false, &err) == CAPRUN_E_INVAL);
    CHECK(strcmp(err.text, "line 1, column 8: duplicate key \"a\"") == 0);
    CHECK(feed(&s, "{\"a\":1,\"a\":2,\"b\":3}", 19, true, &other) == CAPRUN_E_INVAL);
    CHECK(other.code == 0);
}

/* Scanning earlier pieces again would take minutes. */
TEST(a_number_of_megabytes_is_looked_at_once)
{
    struct cr_buf b;

    cr_buf_init(&b, 1 << 24);
    for (int i = 0; i < 1 << 22; i++)
        cr_buf_str(&b, "7");
    CHECK(cr_scan_json(b.data, b.len, CR_SCAN_PASS, NULL) == 0);
    CHECK(scan_pieces((const char *)b.data, b.len, 1, 4096, CR_SCAN_PASS, NULL) == 0);
    cr_buf_clear(&b);
}

/* Enough keys to need the table, in nested objects, with or without a duplicate. */
static void add_objects(struct cr_buf *b, int keys, int depth, bool twice)
{
    for (int level = 0; level < depth; level++) {
        cr_buf_str(b, "{");
        for (int i = 0; i < keys; i++)
            cr_buf_fmt(b, "\"%s%d\":%d,", i % 7 ? "k" : "\\u006b", i, level);
        cr_buf_fmt(b, "\"%s%d\":", twice && level == depth - 1 ? "k" : "inner", keys / 2);
    }
    cr_buf_str(b, "0");
    for (int level = 0; level < depth; level++)
        cr_buf_str(b, "}");
}

TEST(large_objects_within_each_other_are_told_apart)
{
    struct cr_buf b;

    cr_buf_init(&b, 1 << 20);
    for (int keys = 14; keys < 40; keys++) {
        b.len = 0;
        add_objects(&b, keys, 4, false);
        CHECK(scan_pieces((const char *)b.data, b.len, 1, 7, CR_SCAN_STRICT, NULL) == 0);
        b.len = 0;
        add_objects(&b, keys, 4, true);
        CHECK(scan_pieces((const char *)b.data, b.len, 1, 7, CR_SCAN_STRICT, NULL) ==
              CAPRUN_E_INVAL);
    }
    cr_buf_clear(&b);
}

TEST(a_scan_that_is_given_up_leaves_nothing)
{
    struct cr_scan s;
    struct cr_buf b;

    cr_buf_init(&b, 1 << 20);
    add_objects(&b, 100, 2, false);
    cr_scan_begin(&s, CR_SCAN_STRICT);
    CHECK(cr_scan_feed(&s, b.data, b.len / 2, NULL) == 0);
    cr_scan_clear(&s);
    cr_scan_clear(&s);
    cr_buf_clear(&b);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
