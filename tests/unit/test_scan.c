/*
 * test_scan.c - the JSON scanner and its two rules, strict and pass: what is accepted, what is
 * refused, and what it costs.
 *
 * Three lists, as in the usual JSON parsing suites: what both rules accept, what both refuse, and
 * what only strict refuses. Each kind of refusal has accepted twins in the first list.
 */
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/scan.h"

#define T(text)                                   \
    {                                             \
        (const uint8_t *)(text), sizeof(text) - 1 \
    }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum verdict { YES, NO, PASS_ONLY };

struct text {
    const uint8_t *bytes;
    size_t len;
};

static const struct text accepted[] = {
    /* structure */
    T("[]"),
    T("{}"),
    T(" [ ] "),
    T("\t\n\r {\n}\r\n"),
    T("[[],[[]],{}]"),
    T("{\"a\":[],\"b\":{\"a\":null}}"),
    T("[null, 1, \"1\", {}]"),
    T("null"),
    T("true"),
    T("false"),
    T("\"\""),
    T("{\"\":0}"),
    T("{\"__proto__\":1,\"constructor\":2}"),
    /* numbers */
    T("0"),
    T("-0"),
    T("10"),
    T("-123"),
    T("0.0"),
    T("1.25"),
    T("0e1"),
    T("0E+1"),
    T("1e-99"),
    T("1.5E00"),
    T("1e99999"),
    T("-1e-99999"),
    T("9007199254740993"),
    T("123456789012345678901234567890123456789012345678901234567890"),
    T("[1,2 , 3\n]"),
    /* strings and escapes */
    T("\"plain\""),
    T("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
    T("\"\\u0061\\u00e9\\uFFFF\\uabCD\""),
    T("\"\\ud83c\\udf89\""),
    T("\"\\uDBFF\\uDFFF\""),
    T("\"\\ud800\\udc00\""),
    T("\"\\\\u0000\""),
    T("\"\x7f\""),
    T("\"\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x8e\x89 \xf4\x8f\xbf\xbf\""),
    T("\"\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\xef\xbf\xbf\""),
    T("\"a\xef\xbb\xbf\""),
    /* almost what strict refuses, but valid */
    T("{\"ID\":1,\"id\":2}"),
    T("{\"a\":1,\"A\":2,\"\":3,\"aa\":4}"),
    T("{\"a\":{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]}},\"b\":{\"a\":1}}"),
    T("{\"a\":\"a\",\"b\":\"a\"}"),
    T("{\"a\":1,\"\\\\u0061\":2}"),
    T("{\"\\u0061\":1,\"\\u0062\":2}"),
    T("{\"\\u0001\":1,\"\\\\u0001\":2}"),
    T("{\"e\xcc\x81\":1,\"\xc3\xa9\":2}"),
    T("\"\\ud83c\\udf89\\ud83c\\udf89\""),
};

static const struct text refused[] = {
    /* structure */
    T(""),
    T(" "),
    T("\0"),
    T("["),
    T("]"),
    T("{"),
    T("}"),
    T("[1"),
    T("[1,]"),
    T("[,1]"),
    T("[,]"),
    T("[1,,2]"),
    T("[1 2]"),
    T("[1;2]"),
    T("[1:2]"),
    T("[1}"),
    T("{\"a\":1]"),
    T("[[1}]"),
    T("[{]}"),
    T("{\"a\"}"),
    T("{\"a\":}"),
    T("{:1}"),
    T("{,}"),
    T("{\"a\":1,}"),
    T("{\"a\":1,,\"b\":2}"),
    T("{\"a\":1 \"b\":2}"),
    T("{\"a\" 1}"),
    T("{\"a\"::1}"),
    T("{\"a\",1}"),
    T("{a:1}"),
    T("{'a':1}"),
    T("{1:1}"),
    T("{null:1}"),
    T("{[]:1}"),
    T("{{}:1}"),
    T("[]]"),
    T("[][]"),
    T("{}{}"),
    T("{}x"),
    T("1 2"),
    T("[]\0"),
    T("[],"),
    T("//x\n[]"),
    T("[]/**/"),
    T("[1]#"),
    T("[\f]"),
    T("[\v]"),
    T("[\xc2\xa0]"),
    T("[\xe2\x81\xa0]"),
    T("\xef\xbb\xbf{}"),
    T("\xef\xbb\xbf"),
    T("\xef\xbb"),
    T("\xff\xfe[\0]\0"),
    T("[\xff]"),
    T("*"),
    T("<null>"),
    /* words */
    T("nul"),
    T("tru"),
    T("fals"),
    T("nulL"),
    T("True"),
    T("TRUE"),
    T("truex"),
    T("[truefalse]"),
    T("undefined"),
    T("NaN"),
    T("[Infinity]"),
    T("[-Infinity]"),
    T("[-NaN]"),
    T("nan"),
    /* numbers */
    T("01"),
    T("-01"),
    T("00"),
    T("-"),
    T("--1"),
    T("- 1"),
    T("+1"),
    T("1."),
    T("[1.]"),
    T(".5"),
    T("-.5"),
    T("1.e1"),
    T("1.2.3"),
    T("1e"),
    T("1e+"),
    T("1E-"),
    T("1e1.5"),
    T("1ee1"),
    T("1e+-1"),
    T("1-1"),
    T("0x1f"),
    T("1_000"),
    T("1n"),
    T("1f"),
    T("1 000"),
    T("\xef\xbc\x91"),
    /* strings and escapes */
    T("\""),
    T("\"abc"),
    T("\"abc\\\""),
    T("\"\\"),
    T("\"\\\""),
    T("'a'"),
    T("`a`"),
    T("\"a\"\"b\""),
    T("\"\\a\""),
    T("\"\\x41\""),
    T("\"\\0\""),
    T("\"\\'\""),
    T("\"\\v\""),
    T("\"\\U0061\""),
    T("\"\\\n\""),
    T("\"\\\0\""),
    T("\"\\\xc3\xa9\""),
    T("\"\\u\""),
    T("\"\\u00\""),
    T("\"\\u006\""),
    T("\"\\u00g0\""),
    T("\"\\u+061\""),
    T("\"\\u{61}\""),
    T("\"\\u00`0\""),
    T("\"\\u00@0\""),
    T("\"\\u00:0\""),
    T("\"\\ud83c\\u12\""),
    T("\"\\ud83c\\x\""),
    T("\"a\nb\""),
    T("\"a\tb\""),
    T("\"a\0b\""),
    T("\"\x1f\""),
    T("{\"a\0\":1}"),
    /* UTF-8 */
    T("\"\x80\""),
    T("\"\xc3\""),
    T("\"\xc0\xaf\""),
    T("\"\xc1\xbf\""),
    T("\"\xe0\x80\xaf\""),
    T("\"\xed\xa0\x80\""),
    T("\"\xed\xbf\xbf\""),
    T("\"\xf0\x80\x80\xaf\""),
    T("\"\xf4\x90\x80\x80\""),
    T("\"\xf5\x80\x80\x80\""),
    T("\"\xfc\x80\x80\x80\x80\x80\""),
    T("\"\xff\""),
    T("\"\xe9\""),
    T("\"\xf0\x9f\x8e\""),
    T("{\"\xff\":1}"),
};

/* What only the strict rules refuse. */
static const struct text passed[] = {
    T("{\"a\":1,\"a\":2}"),
    T("{\"a\":1,\"a\":1}"),
    T("{\"\":1,\"\":2}"),
    T("{\"a\":1,\"\\u0061\":2}"),
    T("{\"\\u0061\":1,\"\\u0061\":2}"),
    T("{\"\\n\":1,\"\\u000A\":2}"),
    T("{\"/\":1,\"\\/\":2}"),
    T("{\"\xc3\xa9\":1,\"\\u00e9\":2}"),
    T("{\"\xf0\x9f\x8e\x89\":1,\"\\ud83c\\udf89\":2}"),
    T("{\"a\":1,\"b\":{\"x\":[]},\"a\":2}"),
    T("[0,{\"b\":[{\"c\":{\"d\":1,\"d\":2}}]}]"),
    T("\"x\\u0000y\""),
    T("{\"\\u0000\":1}"),
    T("\"\\ud800\""),
    T("\"\\udfff\""),
    T("\"\\ud800\\ud800\""),
    T("\"\\ud83c\\u0041\""),
    T("\"\\udf89\\ud83c\""),
    T("\"\\ud83cx\\udf89\""),
    T("{\"\\udc00\":1}"),
    T("[\"\\ud800\\n\"]"),
};

static int strict(const char *text)
{
    return cr_scan_json((const uint8_t *)text, strlen(text), CR_SCAN_STRICT, NULL);
}

static int strict_buf(const struct cr_buf *b)
{
    return cr_scan_json(b->data, b->len, CR_SCAN_STRICT, NULL);
}

/* Do both rules give the expected answer? The copy has exact size, so that overreads show. */
static bool answers(enum verdict verdict, const void *bytes, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    int strict_r, pass_r;

    if (!copy)
        return false;
    memcpy(copy, bytes, len);
    strict_r = cr_scan_json(copy, len, CR_SCAN_STRICT, NULL);
    pass_r = cr_scan_json(copy, len, CR_SCAN_PASS, NULL);
    free(copy);
    return strict_r == (verdict == YES ? 0 : CAPRUN_E_INVAL) &&
           pass_r == (verdict == NO ? CAPRUN_E_INVAL : 0);
}

static bool all_answer(enum verdict verdict, const struct text *texts, size_t n)
{
    bool all = true;

    for (size_t i = 0; i < n; i++) {
        if (!answers(verdict, texts[i].bytes, texts[i].len)) {
            printf("# text %zu: %.*s\n", i, (int)texts[i].len, (const char *)texts[i].bytes);
            all = false;
        }
    }
    return all;
}

/* The same with each text as a member of an array in an object. */
static bool all_answer_inside(enum verdict verdict, const struct text *texts, size_t n)
{
    bool all = true;
    struct cr_buf b;

    cr_buf_init(&b, 4096);
    for (size_t i = 0; i < n; i++) {
        b.len = 0;
        cr_buf_str(&b, "{\"k\":[ ");
        cr_buf_add(&b, texts[i].bytes, texts[i].len);
        cr_buf_str(&b, "\n, 1]}");
        all = all && !cr_buf_err(&b) && answers(verdict, b.data, b.len);
    }
    cr_buf_clear(&b);
    return all;
}

static bool says(const char *text, const char *words)
{
    struct cr_err err = {0};
    int r = cr_scan_json((const uint8_t *)text, strlen(text), CR_SCAN_STRICT, &err);

    if (r == CAPRUN_E_INVAL && err.code == r && strcmp(err.text, words) == 0)
        return true;
    printf("# %d: %s\n", r, err.text);
    return false;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const char sample[] =
    " {\"name\" : \"caf\xc3\xa9 \xf0\x9f\x8e\x89 \\ud83c\\udf89 \\n\", \"n\":[0,-1.5e+3, 20 "
    ",1E9],\r\n"
    "\t\"deep\":{\"a\":[[],{},[{\"\\u0061b\":null}]]},\"t\":true,\"f\":false,\"long\":"
    "\"sixteen bytes and then some more of them, so that words are skipped\"}";

TEST(good_json_is_accepted_by_both_rules)
{
    CHECK(all_answer(YES, accepted, COUNT(accepted)));
    CHECK(all_answer_inside(YES, accepted, COUNT(accepted)));
}

TEST(bad_json_is_refused_by_both_rules)
{
    CHECK(all_answer(NO, refused, COUNT(refused)));
    CHECK(all_answer_inside(NO, refused, COUNT(refused)));
}

TEST(json_that_parsers_read_differently_is_refused_by_strict_only)
{
    CHECK(all_answer(PASS_ONLY, passed, COUNT(passed)));
    CHECK(all_answer_inside(PASS_ONLY, passed, COUNT(passed)));
}

TEST(a_list_is_no_value_but_may_be_part_of_one)
{
    CHECK(answers(NO, "1,000", 5));
    CHECK(answers(YES, "[1,0]", 5));
}

TEST(no_bytes_at_all_may_be_a_null_pointer)
{
    CHECK(cr_scan_json(NULL, 0, CR_SCAN_STRICT, NULL) == CAPRUN_E_INVAL);
    CHECK(cr_scan_json(NULL, 0, CR_SCAN_PASS, NULL) == CAPRUN_E_INVAL);
}

TEST(a_document_cut_anywhere_is_refused_and_the_whole_is_accepted)
{
    size_t len = sizeof(sample) - 1;

    for (size_t cut = 0; cut < len; cut++)
        CHECK(answers(NO, sample, cut));
    CHECK(answers(YES, sample, len));
}

TEST(a_special_byte_is_seen_at_every_offset_of_a_word)
{
    static const struct text bad[] = {T("\x01"), T("\x1f"), T("\xff"), T("\""), T("\\q"), T("\0")};
    static const struct text good[] = {T("\xc3\xa9"), T("\\n"), T("\x7f"), T(" !#[]")};
    uint8_t text[64];

    for (size_t i = 0; i < COUNT(bad) + COUNT(good); i++) {
        bool is_bad = i < COUNT(bad);
        struct text in = is_bad ? bad[i] : good[i - COUNT(bad)];

        for (size_t at = 1; at + in.len < sizeof(text); at++) {
            memset(text, 'x', sizeof(text));
            text[0] = text[sizeof(text) - 1] = '"';
            memcpy(text + at, in.bytes, in.len);
            CHECK(answers(is_bad ? NO : YES, text, sizeof(text)));
        }
    }
}

TEST(depth_at_the_limit_is_accepted_and_one_more_is_too_big)
{
    static char text[2 * CR_SCAN_MAX_DEPTH + 2];
    const size_t max = CR_SCAN_MAX_DEPTH;

    for (size_t depth = max; depth <= max + 1; depth++) {
        int expected = depth == max ? 0 : CAPRUN_E_TOOBIG;

        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        CHECK(cr_scan_json((uint8_t *)text, 2 * depth, CR_SCAN_STRICT, NULL) == expected);
        CHECK(cr_scan_json((uint8_t *)text, 2 * depth, CR_SCAN_PASS, NULL) == expected);
    }
    CHECK(strict("[[],[],[[],[]]]") == 0);
}

TEST(objects_count_as_levels_and_a_million_brackets_are_refused_early)
{
    struct cr_buf b;

    cr_buf_init(&b, 1 << 24);
    for (int i = 0; i < CR_SCAN_MAX_DEPTH / 2; i++)
        cr_buf_str(&b, "[{\"a\":");
    cr_buf_str(&b, "1");
    for (int i = 0; i < CR_SCAN_MAX_DEPTH / 2; i++)
        cr_buf_str(&b, "}]");
    CHECK(strict_buf(&b) == 0);
    b.len = 0;
    for (int i = 0; i < 1000000; i++)
        cr_buf_str(&b, "{\"a\":");
    CHECK(strict_buf(&b) == CAPRUN_E_TOOBIG);
    CHECK(cr_scan_json(b.data, b.len, CR_SCAN_PASS, NULL) == CAPRUN_E_TOOBIG);
    cr_buf_clear(&b);
}

/* Makes an object of |n| keys, each with its number between |before| and |after|. */
static void make_object(struct cr_buf *b, int n, const char *before, const char *after)
{
    b->len = 0;
    for (int i = 0; i < n; i++)
        cr_buf_fmt(b, "%c\"%s%d%s\":0", i ? ',' : '{', before, i, after);
    cr_buf_str(b, "}");
}

TEST(a_million_keys_are_accepted_in_n_log_n_and_one_more_is_too_big)
{
    double start = seconds(), took;
    struct cr_buf b;

    cr_buf_init(&b, 1 << 26);
    make_object(&b, CR_SCAN_MAX_KEYS, "key-", "");
    CHECK(!cr_buf_err(&b));
    CHECK(strict_buf(&b) == 0);
    took = seconds() - start;
    CHECK(took < 60); /* under valgrind too; n squared would take hours */
    make_object(&b, CR_SCAN_MAX_KEYS + 1, "key-", "");
    CHECK(strict_buf(&b) == CAPRUN_E_TOOBIG);
    CHECK(cr_scan_json(b.data, b.len, CR_SCAN_PASS, NULL) == 0);
    cr_buf_clear(&b);
}

TEST(keys_are_counted_over_all_objects_together)
{
    struct cr_buf b;

    cr_buf_init(&b, 1 << 24);
    for (int i = 0; i < CR_SCAN_MAX_KEYS / 2; i++)
        cr_buf_str(&b, i ? ",{\"a\":1,\"b\":2}" : "[{\"a\":1,\"b\":2}");
    cr_buf_str(&b, "]");
    CHECK(strict_buf(&b) == 0);
    b.len--;
    cr_buf_str(&b, ",{\"a\":1}]");
    CHECK(strict_buf(&b) == CAPRUN_E_TOOBIG);
    cr_buf_clear(&b);
}

TEST(one_duplicate_among_many_keys_is_found_wherever_it_is)
{
    static const int sizes[] = {2, 3, 15, 16, 17, 18, 31, 32, 33, 100, 1000, 1025};
    struct cr_buf b;

    cr_buf_init(&b, 1 << 20);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        int n = sizes[i], step = n > 50 ? 37 : 1;

        make_object(&b, n, "k", "");
        CHECK(strict_buf(&b) == 0);
        for (int twice = 0; twice < n; twice += step) {
            make_object(&b, n, "k", "");
            b.len--;
            cr_buf_fmt(&b, ",\"\\u006b%d\":0}", twice);
            CHECK(strict_buf(&b) == CAPRUN_E_INVAL);
        }
    }
    cr_buf_clear(&b);
}

TEST(a_key_equals_its_escape_at_every_length_of_utf8)
{
    CHECK(answers(PASS_ONLY, "{\"\x7f\":1,\"\\u007f\":2}", 18));
    CHECK(answers(PASS_ONLY, "{\"\xc2\x80\":1,\"\\u0080\":2}", 19));
    CHECK(answers(PASS_ONLY, "{\"\xdf\xbf\":1,\"\\u07ff\":2}", 19));
    CHECK(answers(PASS_ONLY, "{\"\xe0\xa0\x80\":1,\"\\u0800\":2}", 20));
    CHECK(answers(PASS_ONLY, "{\"\xef\xbf\xbf\":1,\"\\uffff\":2}", 20));
    CHECK(answers(PASS_ONLY, "{\"\xf0\x90\x80\x80\":1,\"\\ud800\\udc00\":2}", 27));
}

TEST(of_two_equal_keys_the_later_one_is_reported_also_among_many)
{
    struct cr_err err = {0};
    struct cr_buf b;

    cr_buf_init(&b, 1 << 16);
    make_object(&b, 100, "k", "");
    b.len--;
    cr_buf_str(&b, ",\n\"k7\":0}");
    CHECK(cr_scan_json(b.data, b.len, CR_SCAN_STRICT, &err) == CAPRUN_E_INVAL);
    CHECK(strcmp(err.text, "line 2, column 1: duplicate key \"k7\"") == 0);
    cr_buf_clear(&b);
}

TEST(keys_with_long_equal_beginnings_cost_no_more_than_n_log_n)
{
    static char prefix[1001];
    double start = seconds();
    struct cr_buf b;

    memset(prefix, 'p', sizeof(prefix) - 1);
    cr_buf_init(&b, 1 << 26);
    make_object(&b, 10000, prefix, "");
    CHECK(strict_buf(&b) == 0);
    for (size_t i = 0; i < 996; i++)
        prefix[i] = "\\u0070"[i % 6];
    make_object(&b, 10000, prefix, "");
    CHECK(!cr_buf_err(&b));
    CHECK(strict_buf(&b) == 0);
    CHECK(seconds() - start < 60);
    cr_buf_clear(&b);
}

/* Scans what make_object() makes three times. |ret_least| is the CPU time of the fastest. */
static bool time_object(int n, const char *before, double *ret_least)
{
    bool good = true;
    struct cr_buf b;

    *ret_least = 1e9;
    cr_buf_init(&b, 1 << 26);
    make_object(&b, n, before, "");
    for (int i = 0; i < 3; i++) {
        double start = seconds(), took;

        good = good && strict_buf(&b) == 0;
        took = seconds() - start;
        *ret_least = took < *ret_least ? took : *ret_least;
    }
    cr_buf_clear(&b);
    return good;
}

TEST(a_key_may_be_so_long_and_no_longer)
{
    static char text[CR_SCAN_MAX_KEY + 8];

    for (int more = 0; more < 2; more++) {
        size_t len = CR_SCAN_MAX_KEY + (size_t)more;

        memcpy(text, "{\"", 2);
        memset(text + 2, 'k', len);
        memcpy(text + 2 + len, "\":1}", 5);
        CHECK(cr_scan_json((const uint8_t *)text, len + 6, CR_SCAN_STRICT, NULL) ==
              (more ? CAPRUN_E_TOOBIG : 0));
        CHECK(cr_scan_json((const uint8_t *)text, len + 6, CR_SCAN_PASS, NULL) == 0);
    }
}

TEST(keys_with_escapes_cost_little_more_than_keys_without)
{
    static const struct {
        int n, len;
    } objects[] = {{20000, 64}, {4000, 1000}, {100, 60000}};
    static char prefix[60001];

    /* each key is unescaped once; unescaping at each comparison would take forty times as long */
    for (size_t i = 0; i < COUNT(objects); i++) {
        double plain, escaped;

        memset(prefix, 'p', sizeof(prefix));
        prefix[objects[i].len] = '\0';
        CHECK(time_object(objects[i].n, prefix, &plain));
        memcpy(prefix, "\\n", 2);
        CHECK(time_object(objects[i].n, prefix, &escaped));
        printf("# %d keys: %.2f ms, with escapes %.2f ms\n", objects[i].n, plain * 1e3,
               escaped * 1e3);
        CHECK(escaped < 20 * plain);
    }
}

TEST(keys_with_escapes_are_told_apart_and_found_at_every_depth)
{
    CHECK(strict("{\"\\n\":{\"\\n\":{\"\\n\":1,\"\\r\":2},\"\\r\":3},\"\\r\":{\"\\n\":4}}") == 0);
    CHECK(strict("{\"\\n\":{\"\\n\":{},\"a\":[{\"\\t\":1}]},\"b\":2,\"\\u000a\":3}") ==
          CAPRUN_E_INVAL);
    CHECK(strict("{\"a\":{\"\\n\":1,\"b\":{\"\\t\":1},\"\\u000a\":2}}") == CAPRUN_E_INVAL);
    CHECK(strict("{\"a\":{\"\\n\":1},\"\\t\":2,\"\\u0009\":2}") == CAPRUN_E_INVAL);
    CHECK(strict("{\"\\ud83c\\udf89x\":1,\"\\ud83c\\udf89y\":2,\"\\ud83c\\udf8ax\":3}") == 0);
    CHECK(says("{\"\\n\":1,\"\\u000A\":2}", "line 1, column 9: duplicate key \"\\u000A\""));
}

TEST(keys_that_collide_in_common_hashes_are_still_told_apart)
{
    /* "Aa" and "BB" collide under h * 31 + c: 2^16 strings made of them have one hash */
    struct cr_buf b;

    cr_buf_init(&b, 1 << 24);
    for (unsigned v = 0; v < 1 << 16; v++) {
        cr_buf_str(&b, v ? ",\"" : "{\"");
        for (unsigned bit = 0; bit < 16; bit++)
            cr_buf_str(&b, v >> bit & 1 ? "Aa" : "BB");
        cr_buf_str(&b, "\":0");
    }
    cr_buf_str(&b, "}");
    CHECK(strict_buf(&b) == 0);
    b.len--;
    cr_buf_str(&b, ",\"AaBBAaBBAaBBAaBBAaBBAaBBAaBBAaBB\":0}");
    CHECK(strict_buf(&b) == CAPRUN_E_INVAL);
    cr_buf_clear(&b);
}

TEST(inner_objects_do_not_disturb_the_keys_of_outer_ones)
{
    struct cr_buf b;

    cr_buf_init(&b, 1 << 20);
    cr_buf_str(&b, "{");
    for (int i = 0; i < 100; i++)
        cr_buf_fmt(&b, "\"k%d\":{\"k0\":0,\"k%d\":[{\"k1\":{}}]},", i, i + 1);
    cr_buf_str(&b, "\"k\":0}");
    CHECK(strict_buf(&b) == 0);
    b.len--;
    cr_buf_str(&b, ",\"k50\":0}");
    CHECK(strict_buf(&b) == CAPRUN_E_INVAL);
    cr_buf_clear(&b);
}

TEST(errors_say_what_is_wrong_and_where)
{
    CHECK(says("{\n  \"a\": 1,\n      \"a\": 2}", "line 3, column 7: duplicate key \"a\""));
    CHECK(says("", "line 1, column 1: the text ends where a value should be"));
    CHECK(says("[1,\n2 x]", "line 2, column 3: expected ',' or ']', not 'x'"));
    CHECK(says("{\"\xc3\xa9\" 1}", "line 1, column 7: expected ':', not '1'"));
    CHECK(says("{}\n\xff", "line 2, column 1: expected the end of the text, not the byte 0xff"));
    CHECK(says("{a:1}", "line 1, column 2: expected a key in quotes, not 'a'"));
    CHECK(says("01", "line 1, column 2: expected the end of the text, not '1'"));
    CHECK(says("[1.]", "line 1, column 4: expected a digit, not ']'"));
    CHECK(says("\"a\tb\"", "line 1, column 3: the control character 0x09 in a string"));
    CHECK(says("[\"abc", "line 1, column 2: a string without an end"));
    CHECK(says("\"\\u0000\"", "line 1, column 2: the character NUL in a string"));
    CHECK(says("\"\\udc00\"", "line 1, column 2: a surrogate without its other half"));
    CHECK(says("\"\\q\"", "line 1, column 2: not an escape that JSON has"));
    CHECK(says("\"\xc3\"", "line 1, column 2: not valid UTF-8"));
    CHECK(says("\xef\xbb\xbf{}", "line 1, column 1: a byte-order mark"));
    CHECK(says("nil", "line 1, column 1: a word that is not true, false or null"));
}

TEST(a_quoted_key_is_printable_and_cut)
{
    CHECK(says("{\"\xc3\xa9\x7f\":1,\"\xc3\xa9\x7f\":1}",
               "line 1, column 10: duplicate key \"\\xc3\\xa9\\x7f\""));
    CHECK(says("{\"0123456789012345678901234567890123456789x\":1,"
               "\"0123456789012345678901234567890123456789x\":1}",
               "line 1, column 48: duplicate key \"0123456789012345678901234567890123456789\"..."));
}

TEST(a_length_over_the_limit_is_too_big)
{
    struct cr_err err = {0};

    CHECK(cr_scan_json((const uint8_t *)"1", CR_SCAN_MAX_LEN + 1ull, CR_SCAN_PASS, &err) ==
          CAPRUN_E_TOOBIG);
    CHECK(err.code == CAPRUN_E_TOOBIG);
}

TEST(mutations_of_a_document_never_lead_it_out_of_bounds_and_strict_implies_pass)
{
    static const char likely[] = "\"\\{}[]:,0-.eu\0\n \xc3\xa9\xff";
    uint32_t seed = 42;
    int good = 0;

    for (int round = 0; round < 200000; round++) {
        size_t len = sizeof(sample) - 1 - next_random(&seed) % 4;
        uint8_t *copy = malloc(len);
        int r;

        CHECK(copy != NULL);
        memcpy(copy, sample, len);
        for (uint32_t n = next_random(&seed) % 4; n > 0; n--)
            copy[next_random(&seed) % len] =
                next_random(&seed) % 2 ? (uint8_t)likely[next_random(&seed) % (sizeof(likely) - 1)]
                                       : (uint8_t)next_random(&seed);
        r = cr_scan_json(copy, len, CR_SCAN_STRICT, NULL);
        if (r == 0 && cr_scan_json(copy, len, CR_SCAN_PASS, NULL) != 0)
            r = 1;
        free(copy);
        CHECK(r <= 0);
        good += r == 0;
    }
    CHECK(good > 0);
}

TEST(an_error_is_a_place_and_words)
{
    size_t line, column;
    struct cr_err err;

    CHECK(cr_scan_json((const uint8_t *)"{\n  1", 5, CR_SCAN_STRICT, &err) < 0);
    CHECK(strncmp(cr_scan_place(&err, &line, &column), "line", 4) != 0);
    CHECK(line == 2 && column == 3 && strstr(err.text, cr_scan_place(&err, &line, &column)));
    (void)cr_err_set(&err, CAPRUN_E_NOMEM, "line up");
    CHECK(strcmp(cr_scan_place(&err, &line, &column), "line up") == 0 && line == 1 && column == 1);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
