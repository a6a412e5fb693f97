/* test_escape.c - escaping untrusted text for a terminal, for JSON strings, and pretty-printed. */
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/scan.h"
#include "base/utf8.h"

#define BYTES(text) (const uint8_t *)(text), strlen(text)

static bool holds(const struct cr_buf *b, const char *text)
{
    return !cr_buf_err(b) && b->len == strlen(text) &&
           (b->len == 0 || memcmp(b->data, text, b->len) == 0);
}

static bool terminal_shows(const char *text, const char *expected)
{
    struct cr_buf out;
    bool same;

    cr_buf_init(&out, 4096);
    cr_escape_terminal(&out, text, strlen(text));
    same = holds(&out, expected);
    cr_buf_clear(&out);
    return same;
}

static bool json_of(const char *text, size_t len, const char *expected)
{
    struct cr_buf out;
    bool same;

    cr_buf_init(&out, 4096);
    cr_escape_json(&out, text, len);
    same = holds(&out, expected);
    cr_buf_clear(&out);
    return same;
}

/* Also checks that the output is valid JSON, and that pretty-printing it again changes nothing. */
static bool pretty_is(const char *json, const char *expected)
{
    struct cr_buf out, again;
    bool same;

    cr_buf_init(&out, 1 << 16);
    cr_buf_init(&again, 1 << 16);
    cr_escape_pretty(&out, BYTES(json));
    same = holds(&out, expected) && cr_scan_json(BYTES(json), CR_SCAN_PASS, NULL) == 0 &&
           cr_scan_json(out.data, out.len, CR_SCAN_PASS, NULL) == 0;
    cr_escape_pretty(&again, out.data, out.len);
    same = same && holds(&again, expected);
    cr_buf_clear(&out);
    cr_buf_clear(&again);
    return same;
}

static size_t encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/*
 * The list of the header, written a second time in another way: controls, and what Unicode calls
 * default-ignorable, except the variation selectors of emoji.
 */
static bool should_hide(uint32_t c)
{
    if (c < 0x20)
        return c != '\t';
    return (c >= 0x7f && c <= 0x9f) || c == 0xad || c == 0x34f || c == 0x61c || c == 0x115f ||
           c == 0x1160 || c == 0x17b4 || c == 0x17b5 || (c >= 0x180b && c <= 0x180f) ||
           (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c == 0x3164 || c == 0xfeff || c == 0xffa0 ||
           (c >= 0xfff0 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

TEST(ordinary_text_is_shown_as_it_is)
{
    CHECK(terminal_shows("", ""));
    CHECK(terminal_shows("plain", "plain"));
    CHECK(terminal_shows("a\tb", "a\tb"));
    CHECK(terminal_shows("C:\\new", "C:\\new"));
    CHECK(terminal_shows("naïve – 日本語 🎉", "naïve – 日本語 🎉"));
}

TEST(controls_become_visible_on_one_line)
{
    CHECK(terminal_shows("a\nb\r\n", "a\\nb\\r\\n"));
    CHECK(terminal_shows("\x1b[2J", "\\u001b[2J"));
    CHECK(terminal_shows("\x1b]0;title\x07", "\\u001b]0;title\\u0007"));
    CHECK(terminal_shows("rub\x7f\bout", "rub\\u007f\\u0008out"));
    CHECK(terminal_shows("\xc2\x9b"
                         "31m",
                         "\\u009b31m"));
}

TEST(reordering_and_invisible_characters_become_visible)
{
    CHECK(terminal_shows("user\u202enimda", "user\\u202enimda"));
    CHECK(terminal_shows("pay\u200bpal", "pay\\u200bpal"));
    CHECK(terminal_shows("soft\u00adhyphen", "soft\\u00adhyphen"));
    CHECK(terminal_shows("\ufeffx\u2066y\u2069", "\\ufeffx\\u2066y\\u2069"));
    CHECK(terminal_shows("\u061c\u2028\ufff9", "\\u061c\\u2028\\ufff9"));
    CHECK(terminal_shows("tag\U000e0041\U000e007f", "tag\\udb40\\udc41\\udb40\\udc7f"));
}

TEST(bytes_that_are_not_utf8_become_hex)
{
    CHECK(terminal_shows("a\xff"
                         "b",
                         "a\\xffb"));
    CHECK(terminal_shows("\xc3", "\\xc3"));
    CHECK(terminal_shows("\xc0\x9b", "\\xc0\\x9b"));
    CHECK(terminal_shows("\xed\xa0\x80", "\\xed\\xa0\\x80"));
    CHECK(terminal_shows("\xf0\x9f\x8e", "\\xf0\\x9f\\x8e"));
}

TEST(every_character_is_hidden_exactly_if_it_is_on_the_list)
{
    struct cr_buf out;
    char text[4];

    cr_buf_init(&out, 64);
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        size_t len = encode(c, text);
        bool same;

        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        out.len = 0;
        cr_escape_terminal(&out, text, len);
        same = out.len == len && memcmp(out.data, text, len) == 0;
        CHECK(same != should_hide(c));
        CHECK(same || out.data[0] == '\\');
    }
    cr_buf_clear(&out);
}

TEST(whatever_the_bytes_the_terminal_gets_harmless_utf8_on_one_line)
{
    uint32_t seed = 7, c;
    struct cr_buf out;
    char text[32];

    cr_buf_init(&out, 4096);
    for (int round = 0; round < 50000; round++) {
        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = (char)(seed >> 20);
        }
        out.len = 0;
        cr_escape_terminal(&out, text, sizeof(text));
        CHECK(!cr_buf_err(&out));
        for (size_t at = 0, n; at < out.len; at += n) {
            n = cr_utf8_decode(out.data + at, out.len - at, &c);
            CHECK(n > 0 && !should_hide(c));
        }
    }
    cr_buf_clear(&out);
}

TEST(a_json_string_escapes_what_it_must_and_nothing_else)
{
    CHECK(json_of("", 0, "\"\""));
    CHECK(json_of("plain", 5, "\"plain\""));
    CHECK(json_of("a\"b\\c/", 6, "\"a\\\"b\\\\c/\""));
    CHECK(json_of("\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\""));
    CHECK(json_of("\x1b\x1f\x7f", 3, "\"\\u001b\\u001f\x7f\""));
    CHECK(json_of("x\0y", 3, "\"x\\u0000y\""));
    CHECK(json_of("é\u202e🎉", 9, "\"é\u202e🎉\""));
}

TEST(a_member_is_a_comma_a_name_and_a_json_string)
{
    struct cr_buf out;

    cr_buf_init(&out, 64);
    cr_escape_json_str(&out, "a\"");
    cr_escape_member(&out, "name", "\xff\n");
    CHECK(strcmp(cr_buf_text(&out), "\"a\\\"\",\"name\":\"\ufffd\\n\"") == 0);
    cr_buf_clear(&out);
}

TEST(each_bad_byte_in_a_json_string_becomes_one_replacement_character)
{
    CHECK(json_of("a\xff"
                  "b",
                  3, "\"a\ufffdb\""));
    CHECK(json_of("\xed\xa0\x80", 3, "\"\ufffd\ufffd\ufffd\""));
    CHECK(json_of("\xe2\x82", 2, "\"\ufffd\ufffd\""));
}

TEST(a_json_string_of_any_bytes_but_nul_passes_the_strict_scanner)
{
    uint32_t seed = 3;
    struct cr_buf out;
    char text[32];

    cr_buf_init(&out, 4096);
    for (int round = 0; round < 50000; round++) {
        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = (char)(1 + (seed >> 16) % 255);
        }
        out.len = 0;
        cr_escape_json(&out, text, sizeof(text));
        CHECK(cr_scan_json(out.data, out.len, CR_SCAN_STRICT, NULL) == 0);
    }
    cr_buf_clear(&out);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns the CPU time that |len| calls of printf() take, for comparison. */
static double seconds_of_printf(size_t len)
{
    double start = seconds();
    char text[8];

    for (size_t i = 0; i < len; i++)
        (void)snprintf(text, sizeof(text), "\\u%04x", (unsigned)(i % 0x20));
    return seconds() - start;
}

static double seconds_of(void (*escape)(struct cr_buf *, const char *, size_t), const char *text,
                         size_t len)
{
    double start = seconds(), took;
    struct cr_buf out;

    cr_buf_init(&out, 16 * len);
    escape(&out, text, len);
    took = cr_buf_err(&out) ? 1e9 : seconds() - start;
    cr_buf_clear(&out);
    return took;
}

TEST(text_of_escapes_only_costs_far_less_than_a_printf_each)
{
    static const char bytes[] = {0x01, 0x7f, '\n', '"', (char)0xff};
    static char text[1 << 20];
    double limit = seconds_of_printf(sizeof(text)) / 2;

#ifndef __OPTIMIZE__
    limit *= 8; /* without optimisation only our code is slower, not the C library */
#endif
    for (size_t i = 0; i < sizeof(bytes); i++) {
        memset(text, bytes[i], sizeof(text));
        CHECK(seconds_of(cr_escape_json, text, sizeof(text)) < limit);
        CHECK(seconds_of(cr_escape_terminal, text, sizeof(text)) < limit);
    }
}

TEST(escapes_are_the_same_however_many_there_are)
{
    static const char unit[] = "\x1b\xff\n\U000e0041";
    struct cr_buf text, out, expected;

    cr_buf_init(&text, 1 << 16);
    cr_buf_init(&out, 1 << 16);
    cr_buf_init(&expected, 1 << 16);
    for (int i = 0; i < 300; i++) {
        out.len = 0;
        cr_escape_terminal(&out, (const char *)text.data, text.len);
        CHECK(!cr_buf_err(&out) && out.len == expected.len);
        CHECK(i == 0 || memcmp(out.data, expected.data, out.len) == 0);
        cr_buf_str(&text, unit);
        cr_buf_str(&expected, "\\u001b\\xff\\n\\udb40\\udc41");
    }
    cr_buf_clear(&text);
    cr_buf_clear(&out);
    cr_buf_clear(&expected);
}

TEST(scalars_are_pretty_as_they_are)
{
    CHECK(pretty_is("1", "1"));
    CHECK(pretty_is(" -1.50E+02 \n", "-1.50E+02"));
    CHECK(pretty_is("9007199254740993", "9007199254740993"));
    CHECK(pretty_is("true", "true"));
    CHECK(pretty_is("\t\"a, [b]: {\\\"c\\\"}\"", "\"a, [b]: {\\\"c\\\"}\""));
    CHECK(pretty_is("\"\\\\\"", "\"\\\\\""));
}

TEST(members_are_on_lines_of_their_own)
{
    CHECK(pretty_is("[1,2]", "[\n  1,\n  2\n]"));
    CHECK(pretty_is("{\"a\":1,\"b\":[true,null]}",
                    "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ]\n}"));
    CHECK(pretty_is(" { \"a\" : { \"b\" : \"c\" } } ", "{\n  \"a\": {\n    \"b\": \"c\"\n  }\n}"));
}

TEST(empty_ones_stay_on_one_line)
{
    CHECK(pretty_is("{}", "{}"));
    CHECK(pretty_is("[ \n ]", "[]"));
    CHECK(pretty_is("[{},[],{\"a\":[ ]}]", "[\n  {},\n  [],\n  {\n    \"a\": []\n  }\n]"));
}

TEST(hidden_characters_in_strings_become_json_escapes_of_the_same_value)
{
    CHECK(pretty_is("\"\x7f\xc2\x9b\u202e\"", "\"\\u007f\\u009b\\u202e\""));
    CHECK(pretty_is("\"\U000e0041\"", "\"\\udb40\\udc41\""));
    CHECK(pretty_is("{\"k\ufeff\":\"\\u001b[2J\\n\"}", "{\n  \"k\\ufeff\": \"\\u001b[2J\\n\"\n}"));
    CHECK(pretty_is("\"\\ud800\\u0000é\"", "\"\\ud800\\u0000é\""));
    CHECK(pretty_is("\"\\\\\u200b\"", "\"\\\\\\u200b\""));
}

TEST(the_ceiling_stops_deep_values_from_growing)
{
    char json[2001];
    struct cr_buf out;

    memset(json, '[', 1000);
    json[1000] = '1';
    memset(json + 1001, ']', 1000);
    CHECK(cr_scan_json((const uint8_t *)json, sizeof(json), CR_SCAN_STRICT, NULL) == 0);
    cr_buf_init(&out, 100000);
    cr_escape_pretty(&out, (const uint8_t *)json, sizeof(json));
    CHECK(cr_buf_err(&out) == CAPRUN_E_TOOBIG);
    cr_buf_clear(&out);
    cr_buf_init(&out, 4000000);
    cr_escape_pretty(&out, (const uint8_t *)json, sizeof(json));
    CHECK(!cr_buf_err(&out));
    cr_buf_clear(&out);
}

TEST(bytes_that_are_not_json_do_not_lead_it_out_of_bounds)
{
    static const char *const texts[] = {"",    " ", "\"", "\"\\", "[",   "{ ",
                                        "]]]", "}", ":",  ",",    "tru", "\"\xf0"};
    struct cr_buf out;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cr_buf_init(&out, 4096);
        cr_escape_pretty(&out, BYTES(texts[i]));
        CHECK(!cr_buf_err(&out));
        cr_buf_clear(&out);
    }
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
