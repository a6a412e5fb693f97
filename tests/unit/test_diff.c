/* test_diff.c - finding and showing the places where two JSON texts differ. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"
#include "failing.h"
#include "journal/diff.h"

static struct cr_buf out;

static bool differ(const char *then, const char *now, const char *wanted)
{
    const char *got;

    cr_buf_clear(&out);
    cr_buf_init(&out, 1 << 20);
    cr_diff_json(&out, then, strlen(then), now, strlen(now));
    got = cr_buf_text(&out);
    if (got && strcmp(got, wanted) == 0)
        return true;
    printf("# %.300s and %.300s: got %.300s\n# wanted %.300s\n", then, now, got ? got : "nothing",
           wanted);
    return false;
}

TEST(what_means_the_same_does_not_differ)
{
    CHECK(differ("1", "1", ""));
    CHECK(differ("{\"a\":1,\"b\":[2,{}]}", " { \"b\" : [ 2 , { } ] , \"a\" : 1 } ", ""));
    CHECK(differ("\"\\u0061\"", "\"a\"", ""));
    CHECK(differ("[null,true,false]", "[null,true,false]", ""));
}

TEST(each_place_is_named_with_both_values)
{
    CHECK(differ("{\"a\":1}", "{\"a\":2}", "~ /a: 1 → 2\n"));
    CHECK(differ("[1,[2,3]]", "[1,[2,4]]", "~ /1/1: 3 → 4\n"));
    CHECK(differ("{\"a\":1,\"b\":2}", "{\"b\":3,\"c\":4}", "- /a: 1\n~ /b: 2 → 3\n+ /c: 4\n"));
    CHECK(differ("[1,2,3]", "[1]", "- /1: 2\n- /2: 3\n"));
    CHECK(differ("[]", "[{\"x\":1}]", "+ /0: {\"x\":1}\n"));
    CHECK(differ("{\"a/b\":{\"~\":1}}", "{\"a/b\":{\"~\":2}}", "~ /a~1b/~0: 1 → 2\n"));
}

TEST(values_of_different_types_differ_as_a_whole)
{
    CHECK(differ("1", "\"1\"", "~ (all of it): 1 → \"1\"\n"));
    CHECK(differ("{\"a\":{\"b\":1}}", "{\"a\":[1]}", "~ /a: {\"b\":1} → [1]\n"));
    CHECK(differ("{}", "[]", "~ (all of it): {} → []\n"));
    CHECK(differ("true", "false", "~ (all of it): true → false\n"));
    CHECK(differ("{\"a\":null}", "{}", "- /a: null\n"));
}

TEST(what_cannot_be_read_does_not_differ)
{
    CHECK(differ("{", "1", ""));
    CHECK(differ("1", "", ""));
    CHECK(differ("{\"a\":1,\"a\":2}", "{}", "")); /* a text with two equal keys is not compared */
}

TEST(of_many_places_the_first_few_are_shown)
{
    static char then[2048], now[2048];
    size_t at = 0;
    const char *text;
    int lines = 0;

    for (int i = 0; i < 100; i++)
        at += (size_t)snprintf(then + at, sizeof(then) - at, "%c%d", i ? ',' : '[', i);
    (void)snprintf(then + at, sizeof(then) - at, "]");
    memcpy(now, then, sizeof(now));
    for (char *c = now; *c; c++)
        *c = *c >= '1' && *c <= '8' ? (char)(*c + 1) : *c;
    cr_buf_clear(&out);
    cr_buf_init(&out, 1 << 20);
    cr_diff_json(&out, then, strlen(then), now, strlen(now));
    text = cr_buf_text(&out);
    CHECK(text && strstr(text, "more"));
    for (; *text; text++)
        lines += *text == '\n';
    CHECK(lines > 5 && lines < 30);
}

static bool cut_is(const char *text, size_t len, size_t shown)
{
    char tail[64] = "";

    cr_buf_clear(&out);
    cr_buf_init(&out, 1 << 20);
    cr_diff_cut(&out, text, len);
    if (shown < len)
        (void)snprintf(tail, sizeof(tail), "… (%zu bytes)", len);
    return out.len == shown + strlen(tail) && memcmp(out.data, text, shown) == 0 &&
           memcmp(out.data + shown, tail, strlen(tail)) == 0;
}

TEST(a_long_text_is_cut_between_characters)
{
    static char text[400];

    memset(text, 'a', sizeof(text));
    CHECK(cut_is(text, 300, 300));
    CHECK(cut_is(text, 301, 300));
    memcpy(text + 298, "\xf0\x9f\x98\x80", 4);
    CHECK(cut_is(text, 400, 298));
    memset(text, 'a', sizeof(text));
    memcpy(text + 296, "\xf0\x9f\x98\x80", 4);
    CHECK(cut_is(text, 400, 300));
    CHECK(cut_is("\xe2\x82\xac", 3, 3));
}

/* The two texts are equal, but finding that out would take too long. */
TEST(many_keys_in_another_order_are_not_all_looked_for)
{
    static char then[1 << 20], now[1 << 20];
    size_t a = 0, b = 0;

    for (int i = 0; i < 20000; i++) {
        a += (size_t)snprintf(then + a, sizeof(then) - a, "%c\"key%d\":1", i ? ',' : '{', i);
        b += (size_t)snprintf(now + b, sizeof(now) - b, "%c\"key%d\":1", i ? ',' : '{', 19999 - i);
    }
    (void)snprintf(then + a, sizeof(then) - a, "}");
    (void)snprintf(now + b, sizeof(now) - b, "}");
    CHECK(differ(then, now, "… and perhaps more\n"));
}

TEST(each_allocation_that_fails_leaves_a_buffer_that_says_so_or_nothing)
{
    while (failing_more()) {
        cr_buf_clear(&out);
        cr_buf_init(&out, 1 << 20);
        cr_diff_json(&out, "{\"a\":[1,2]}", 11, "{\"a\":[1,3]}", 11);
        failing_stop();
        CHECK(cr_buf_err(&out) == 0 || cr_buf_err(&out) == CAPRUN_E_NOMEM);
        CHECK(cr_buf_err(&out) || out.len == 0 || out.len == strlen("~ /a/1: 2 → 3\n"));
    }
    CHECK(differ("1", "2", "~ (all of it): 1 → 2\n"));
    cr_buf_clear(&out);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
