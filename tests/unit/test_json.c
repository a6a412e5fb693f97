/*
 * test_json.c - JSON trees: building them, the position of each value, and the two printed forms.
 * Invalid JSON is the scanner's task, tested in test_scan.c.
 */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "base/locate.h"
#include "base/unescape.h"
#include "base/scan.h"
#include "failing.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct cr_json_doc doc;
static char *bytes; /* of |doc|, without a NUL, so that a sanitizer notices a read past the end */

static int parse_bytes(const char *text, size_t len)
{
    cr_json_clear(&doc);
    free(bytes);
    bytes = malloc(len ? len : 1);
    if (!bytes)
        return 1;
    memcpy(bytes, text, len);
    return cr_json_parse(bytes, len, &doc, NULL);
}

static const struct cJSON *parse(const char *text)
{
    return parse_bytes(text, strlen(text)) == 0 ? doc.root : NULL;
}

static size_t at_of(const struct cJSON *value)
{
    return cr_json_place_of(&doc, value).at;
}

static size_t key_at_of(const struct cJSON *value)
{
    return cr_json_place_of(&doc, value).key_at;
}

static size_t len_of(const struct cJSON *value)
{
    return cr_json_place_of(&doc, value).len;
}

static bool is_text(const struct cJSON *value, const char *text)
{
    return value && cr_json_type(value) == CR_JSON_STRING && strcmp(cr_json_text(value), text) == 0;
}

static bool has_bytes(const struct cJSON *value, const char *text)
{
    return value && len_of(value) == strlen(text) &&
           memcmp(bytes + at_of(value), text, len_of(value)) == 0;
}

static bool canonical_is(const struct cJSON *value, const char *wanted)
{
    struct cr_buf out;
    bool same;

    cr_buf_init(&out, 1 << 20);
    if (value)
        cr_json_canonical(&out, value);
    same = value && cr_buf_text(&out) && strcmp((char *)out.data, wanted) == 0;
    if (!same)
        printf("# got %.*s, wanted %s\n", (int)out.len, out.data ? (char *)out.data : "", wanted);
    cr_buf_clear(&out);
    return same;
}

static bool pointer_is(const struct cJSON *value, const char *wanted)
{
    struct cr_buf out;
    bool same;

    cr_buf_init(&out, 1 << 20);
    if (value)
        cr_json_pointer(&out, &doc, value);
    same = value && cr_buf_text(&out) && strcmp((char *)out.data, wanted) == 0;
    cr_buf_clear(&out);
    return same;
}

static bool unescapes_to(const char *text, const char *wanted, size_t len)
{
    struct cr_buf out;
    bool same;

    cr_buf_init(&out, 1 << 20);
    cr_unescape(&out, text, strlen(text));
    same = out.len == len && (!len || memcmp(out.data, wanted, len) == 0);
    if (!same)
        printf("# %s: got %.*s\n", text, (int)out.len, out.data ? (char *)out.data : "");
    cr_buf_clear(&out);
    return same;
}

/* --- values ------------------------------------------------------------------------------- */

TEST(each_type_is_known)
{
    static const struct {
        const char *text;
        enum cr_json_type type;
        const char *name;
    } all[] = {
        {"null", CR_JSON_NULL, "null"},        {" false ", CR_JSON_FALSE, "false"},
        {"true\n", CR_JSON_TRUE, "true"},      {"-1.5e+3", CR_JSON_NUMBER, "a number"},
        {"\"\"", CR_JSON_STRING, "a string"},  {"[ ]", CR_JSON_ARRAY, "an array"},
        {"{\t}", CR_JSON_OBJECT, "an object"},
    };

    for (size_t i = 0; i < COUNT(all); i++) {
        const struct cJSON *root = parse(all[i].text);

        CHECK(root && cr_json_type(root) == all[i].type);
        CHECK(strcmp(cr_json_type_name(cr_json_type(root)), all[i].name) == 0);
        CHECK(!cr_json_key(root) && !cr_json_parent(&doc, root) && !cr_json_first(root) &&
              !cr_json_next(root) && cr_json_count(root) == 0);
        CHECK(cr_json_is_bool(root) == (i == 1 || i == 2));
    }
}

TEST(children_are_linked_in_the_order_of_the_text)
{
    const struct cJSON *root = parse("[1, [], {\"a\": {}, \"b\": [true]}, \"x\"]"), *v;

    CHECK(root && cr_json_count(root) == 4);
    v = cr_json_first(root);
    CHECK(cr_json_parent(&doc, v) == root && strcmp(cr_json_text(v), "1") == 0 && !cr_json_key(v));
    v = cr_json_next(v);
    CHECK(cr_json_type(v) == CR_JSON_ARRAY && cr_json_count(v) == 0 && !cr_json_first(v));
    v = cr_json_next(v);
    CHECK(cr_json_type(v) == CR_JSON_OBJECT && cr_json_count(v) == 2 &&
          strcmp(cr_json_key(cr_json_first(v)), "a") == 0);
    CHECK(cr_json_type(cr_json_first(v)) == CR_JSON_OBJECT &&
          cr_json_type(cr_json_first(cr_json_next(cr_json_first(v)))) == CR_JSON_TRUE);
    CHECK(!cr_json_next(cr_json_next(cr_json_first(v))));
    v = cr_json_next(v);
    CHECK(is_text(v, "x") && !cr_json_next(v));
}

TEST(a_refusal_leaves_the_document_alone_and_has_the_scanners_words)
{
    struct cr_json_doc untouched = {.len = 7};
    struct cr_err err;

    CHECK(cr_json_parse("{\"a\":1,\"a\":2}", 13, &untouched, &err) == CAPRUN_E_INVAL);
    CHECK(strcmp(err.text, "line 1, column 8: duplicate key \"a\"") == 0);
    CHECK(cr_json_parse(NULL, 0, &untouched, &err) == CAPRUN_E_INVAL);
    CHECK(cr_json_parse("\"\\u0000\"", 8, &untouched, NULL) == CAPRUN_E_INVAL);
    CHECK(cr_json_parse("[1", 2, &untouched, NULL) == CAPRUN_E_INVAL);
    CHECK(untouched.len == 7 && !untouched.root);
}

TEST(a_document_can_be_cleared_twice)
{
    CHECK(parse("[1]"));
    cr_json_clear(&doc);
    CHECK(!doc.root);
    cr_json_clear(&doc);
}

/* --- strings ------------------------------------------------------------------------------ */

TEST(escapes_become_what_they_mean)
{
    CHECK(is_text(parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "\"\\/\b\f\n\r\t"));
    CHECK(is_text(parse("\"\\u0041\\u00e9\\u20AC\\uffff\""), "A\xc3\xa9\xe2\x82\xac\xef\xbf\xbf"));
    CHECK(is_text(parse("\"\\u0001\\u007f\\u0080\\u07ff\\u0800\""),
                  "\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80"));
    CHECK(is_text(parse("\"\\\\u0041 \\\\\\\\\""), "\\u0041 \\\\"));
    CHECK(is_text(parse("\"a\xc3\xa9\xf0\x9f\x8e\x89z\""), "a\xc3\xa9\xf0\x9f\x8e\x89z"));
}

TEST(surrogate_pairs_become_one_character)
{
    CHECK(is_text(parse("\"\\ud83c\\udf89\""), "\xf0\x9f\x8e\x89"));
    CHECK(is_text(parse("\"\\ud800\\udc00\""), "\xf0\x90\x80\x80"));
    CHECK(is_text(parse("\"\\uDBFF\\uDFFFx\""), "\xf4\x8f\xbf\xbfx"));
    CHECK(is_text(parse("\"\\ud83c\\udf89\\ud83c\\udf89\""), "\xf0\x9f\x8e\x89\xf0\x9f\x8e\x89"));
    CHECK(!parse("\"\\ud83c\""));
}

TEST(a_string_without_a_tree_is_unescaped)
{
    CHECK(unescapes_to("", "", 0));
    CHECK(unescapes_to("plain \xc3\xa9", "plain \xc3\xa9", 8));
    CHECK(unescapes_to("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8));
    CHECK(unescapes_to("a\\u0000b\\u00e9\\u20AC", "a\0b\xc3\xa9\xe2\x82\xac", 8));
    CHECK(unescapes_to("\\ud83d\\ude00\\\\u0041", "\xf0\x9f\x98\x80\\u0041", 10));
}

TEST(half_of_a_surrogate_pair_is_unescaped_to_a_replacement)
{
    CHECK(unescapes_to("\\ud800", "\xef\xbf\xbd", 3));
    CHECK(unescapes_to("\\ude00x", "\xef\xbf\xbdx", 4));
    CHECK(unescapes_to("\\ud83dx", "\xef\xbf\xbdx", 4));
    CHECK(unescapes_to("\\ud83d\\n", "\xef\xbf\xbd\n", 4));
    CHECK(unescapes_to("\\ud83d\\u0041",
                       "\xef\xbf\xbd"
                       "A",
                       4));
    CHECK(unescapes_to("\\ud83d\\ud83d\\ude00", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7));
}

/* The scanner rejects all of these. An escape cut at the end must not be read past the end. */
TEST(what_is_cut_off_is_unescaped_up_to_there)
{
    static const char whole[] = "ab\\ud83d\\ude00";

    for (size_t len = 0; len < sizeof(whole); len++) {
        char *part = malloc(len ? len : 1);
        struct cr_buf out;

        CHECK(part != NULL);
        memcpy(part, whole, len);
        cr_buf_init(&out, 100);
        cr_unescape(&out, part, len);
        CHECK(out.len >= (len < 2 ? len : 2) && out.len <= len);
        cr_buf_clear(&out);
        free(part);
    }
}

TEST(keys_are_unescaped_and_found)
{
    const struct cJSON *root = parse("{\"a\\u0062\": 1, \"\": 2, \"\\ud83c\\udf89\": 3}");

    CHECK(root && strcmp(cr_json_text(cr_json_get(root, "ab")), "1") == 0);
    CHECK(strcmp(cr_json_text(cr_json_get(root, "")), "2") == 0);
    CHECK(strcmp(cr_json_text(cr_json_get(root, "\xf0\x9f\x8e\x89")), "3") == 0);
    CHECK(!cr_json_get(root, "a") && !cr_json_get(root, "AB") && !cr_json_get(root, "abc"));
    CHECK(!cr_json_get(NULL, "ab") && !cr_json_get(cr_json_first(root), "ab"));
    root = parse("[{\"ab\": 1}]");
    CHECK(root && !cr_json_get(root, "ab") && cr_json_get(cr_json_first(root), "ab"));
}

TEST(brackets_and_commas_in_strings_are_no_structure)
{
    const struct cJSON *root = parse("{\"[,{\": \"}],:\", \"b\": \"\\\"]\"}");

    CHECK(root && cr_json_count(root) == 2);
    CHECK(is_text(cr_json_get(root, "[,{"), "}],:") && is_text(cr_json_get(root, "b"), "\"]"));
}

/* --- positions ---------------------------------------------------------------------------- */

TEST(each_value_knows_its_own_bytes)
{
    const struct cJSON *root = parse(" {\"a\" : [1 , \"\\u0041\"] ,\n\"b\":{ } , \"c\":true}\n");
    const struct cJSON *a, *b, *c;

    CHECK(root);
    a = cr_json_get(root, "a");
    b = cr_json_get(root, "b");
    c = cr_json_get(root, "c");
    CHECK(at_of(root) == 1 && len_of(root) == doc.len - 2 && key_at_of(root) == 1);
    CHECK(has_bytes(a, "[1 , \"\\u0041\"]") && has_bytes(cr_json_first(a), "1"));
    CHECK(has_bytes(cr_json_next(cr_json_first(a)), "\"\\u0041\"") && has_bytes(b, "{ }") &&
          has_bytes(c, "true"));
    CHECK(bytes[key_at_of(a)] == '"' && bytes[key_at_of(a) + 1] == 'a');
    CHECK(bytes[key_at_of(b) + 1] == 'b' && key_at_of(cr_json_first(a)) == at_of(cr_json_first(a)));
}

static bool stands_at(size_t at, size_t line, size_t column)
{
    size_t got_line = 0, got_column = 0;

    cr_json_line_of(&doc, at, &got_line, &got_column);
    return got_line == line && got_column == column;
}

TEST(lines_and_columns_count_from_one_and_columns_are_bytes)
{
    const struct cJSON *root = parse("{\n  \"\xc3\xa9\": 1,\r\n\n\t\"b\": [\n2]}");

    CHECK(root);
    CHECK(stands_at(0, 1, 1) && stands_at(key_at_of(cr_json_first(root)), 2, 3));
    CHECK(stands_at(at_of(cr_json_first(root)), 2, 9));
    CHECK(stands_at(key_at_of(cr_json_next(cr_json_first(root))), 4, 2) &&
          stands_at(at_of(cr_json_next(cr_json_first(root))), 4, 7));
    CHECK(stands_at(at_of(cr_json_first(cr_json_next(cr_json_first(root)))), 5, 1));
    CHECK(stands_at(doc.len, 5, 4));
}

TEST(the_pointer_of_a_late_item_is_found_quickly)
{
    static char text[200004];
    clock_t start = clock();
    const struct cJSON *value;

    text[0] = '[';
    for (size_t i = 0; i < 100000; i++)
        memcpy(text + 1 + 2 * i, i < 99999 ? "0," : "0]", 2);
    value = cr_json_first(parse(text));
    for (size_t i = 0; i < 99999; i++)
        value = cr_json_next(value);
    for (int i = 0; i < 20; i++)
        CHECK(pointer_is(value, "/99999"));
    CHECK(clock() - start < 2 * CLOCKS_PER_SEC);
}

TEST(pointers_name_the_way_to_a_value)
{
    const struct cJSON *root = parse("{\"a\": [0, {\"b/c~d\": [[], 1]}], \"\": {\"~1\": 2}}");
    const struct cJSON *deep;

    CHECK(root && pointer_is(root, ""));
    deep = cr_json_get(cr_json_next(cr_json_first(cr_json_get(root, "a"))), "b/c~d");
    CHECK(pointer_is(deep, "/a/1/b~1c~0d") &&
          pointer_is(cr_json_next(cr_json_first(deep)), "/a/1/b~1c~0d/1"));
    CHECK(pointer_is(cr_json_get(cr_json_get(root, ""), "~1"), "//~01"));
}

/* --- numbers ------------------------------------------------------------------------------ */

static int number(const char *text, uint64_t max, uint64_t *ret)
{
    const struct cJSON *root = parse(text);

    return root ? cr_json_number(root, max, ret) : 1;
}

TEST(whole_numbers_are_read_up_to_the_ceiling)
{
    uint64_t n = 7;

    CHECK(number("0", 0, &n) == 0 && n == 0);
    CHECK(number("10", 10, &n) == 0 && n == 10);
    CHECK(number("9007199254740992", UINT64_MAX, &n) == 0 && n == UINT64_C(1) << 53);
    CHECK(number("4294967294", UINT32_MAX - 1, &n) == 0 && n == UINT32_MAX - 1);
    CHECK(number("9", 9, &n) == 0 && n == 9);
}

TEST(numbers_over_the_ceiling_are_too_big_however_long)
{
    uint64_t n = 7;

    CHECK(number("1", 0, &n) == CAPRUN_E_TOOBIG);
    CHECK(number("9", 8, &n) == CAPRUN_E_TOOBIG);
    CHECK(number("11", 10, &n) == CAPRUN_E_TOOBIG);
    CHECK(number("100", 10, &n) == CAPRUN_E_TOOBIG);
    CHECK(number("9007199254740993", UINT64_MAX, &n) == CAPRUN_E_TOOBIG); /* no double */
    CHECK(number("18446744073709551616", UINT64_MAX, &n) == CAPRUN_E_TOOBIG);
    CHECK(number("18446744073709551620", UINT64_MAX, &n) == CAPRUN_E_TOOBIG);
    CHECK(number("99999999999999999999999999999999999999", UINT64_MAX, &n) == CAPRUN_E_TOOBIG);
    CHECK(n == 7);
}

TEST(a_number_that_is_not_whole_is_refused)
{
    static const char *const others[] = {"-1",    "-0",   "1.0", "1e2",  "0.0", "1E+0",
                                         "\"1\"", "null", "[1]", "true", "{}"};
    uint64_t n = 7;

    for (size_t i = 0; i < COUNT(others); i++)
        CHECK(number(others[i], UINT64_MAX, &n) == CAPRUN_E_INVAL);
    CHECK(n == 7);
}

/* --- the canonical form ------------------------------------------------------------------- */

TEST(equal_values_have_one_form)
{
    static const char wanted[] = "{\"\":[],\"A\":1,\"a\":{\"x\":null,\"y\":[1,\"\xc3\xa9\\n\"]}}";

    CHECK(canonical_is(parse(" {\"a\": {\"y\": [1, \"\\u00e9\\u000a\"], \"x\": null},\n"
                             "\"A\": 1, \"\": [ ]}"),
                       wanted));
    CHECK(canonical_is(parse(wanted), wanted));
}

TEST(the_canonical_form_keeps_order_in_arrays_and_numbers_as_they_are_written)
{
    CHECK(canonical_is(parse("[2, 1, 1.0, 1e0, -0, true, false]"), "[2,1,1.0,1e0,-0,true,false]"));
    CHECK(canonical_is(parse("\"\\/\\u0022\\\\\\u001f\\u007f\""), "\"/\\\"\\\\\\u001f\x7f\""));
    CHECK(canonical_is(parse("{}"), "{}") && canonical_is(parse("7"), "7"));
}

TEST(keys_are_ordered_by_their_bytes)
{
    CHECK(canonical_is(parse("{\"\xf0\x9f\x8e\x89\": 1, \"\\uffff\": 2, \"b\": 3, \"ab\": 4, "
                             "\"B\": 5}"),
                       "{\"B\":5,\"ab\":4,\"b\":3,\"\xef\xbf\xbf\":2,\"\xf0\x9f\x8e\x89\":1}"));
}

TEST(a_part_of_a_document_has_a_form_too)
{
    const struct cJSON *root = parse("{\"a\": {\"c\": 1, \"b\": 2}}");

    CHECK(root && canonical_is(cr_json_first(root), "{\"b\":2,\"c\":1}"));
}

/* --- deep, wide and long ------------------------------------------------------------------ */

/* |depth| nested arrays and objects, alternating. */
static size_t nest(char *text, int depth)
{
    size_t len = 0;

    for (int i = 0; i < depth; i++)
        len += (size_t)sprintf(text + len, "%s", i % 2 ? "{\"k\":" : "[");
    text[len++] = '1';
    while (depth--)
        text[len++] = depth % 2 ? '}' : ']';
    text[len] = '\0';
    return len;
}

TEST(a_thousand_levels_are_built_printed_and_named)
{
    static char text[8192], wanted[8192];
    const struct cJSON *v;
    size_t len = nest(text, CR_SCAN_MAX_DEPTH);
    int depth = 0;

    CHECK(parse_bytes(text, len) == 0);
    for (v = doc.root; cr_json_first(v); v = cr_json_first(v)) {
        CHECK(cr_json_count(v) == 1 && !cr_json_next(v) && at_of(v) + len_of(v) <= len);
        depth++;
    }
    CHECK(depth == CR_SCAN_MAX_DEPTH && strcmp(cr_json_text(v), "1") == 0);
    CHECK(canonical_is(doc.root, text));
    for (size_t i = 0; i < (size_t)depth; i++)
        memcpy(wanted + 2 * i, i % 2 ? "/k" : "/0", 3);
    CHECK(pointer_is(v, wanted));
    len = nest(text, CR_SCAN_MAX_DEPTH + 1);
    CHECK(parse_bytes(text, len) == CAPRUN_E_TOOBIG);
}

TEST(a_hundred_thousand_values_side_by_side_are_built)
{
    enum { N = 100000 };
    char *text = malloc(N * 16);
    const struct cJSON *v;
    size_t len = 0, n = 0;
    int r;

    CHECK(text);
    for (int i = 0; i < N; i++)
        len += (size_t)snprintf(text + len, 16, "%s\"k%d\":%d", i ? "," : "{", i, i % 10);
    text[len++] = '}';
    r = parse_bytes(text, len);
    free(text);
    CHECK(r == 0 && cr_json_count(doc.root) == N);
    for (v = cr_json_first(doc.root); v; v = cr_json_next(v))
        n++;
    CHECK(n == N && strcmp(cr_json_text(cr_json_get(doc.root, "k99999")), "9") == 0);
}

/* Is the number of values in |text| exactly |count|? */
static bool has_values(const char *text, size_t count)
{
    struct cr_json_doc made = {0};
    struct cr_err err = {0};
    bool fits = cr_json_parse_within(text, strlen(text), count, &made, &err) == 0;

    cr_json_clear(&made);
    return fits &&
           (count == 1 ||
            (cr_json_parse_within(text, strlen(text), count - 1, &made, &err) == CAPRUN_E_TOOBIG &&
             err.code == CAPRUN_E_TOOBIG && strstr(err.text, "values") && !made.root));
}

TEST(each_value_counts_and_nothing_else_does)
{
    CHECK(has_values("1", 1) && has_values(" \"a,[{\" ", 1) && has_values("\"\\\",[\"", 1));
    CHECK(has_values("[]", 1) && has_values("[ ]", 1) && has_values("{\n}", 1));
    CHECK(has_values("[0]", 2) && has_values("[[]]", 2) && has_values("[ { } ]", 2));
    CHECK(has_values("[[],[],{}]", 4) && has_values("[[[[]]]]", 4));
    CHECK(has_values("{\"a,b\":1,\"[\":[\"]\",2]}", 5));
    CHECK(has_values("[\"[\", \"{\", [\"\\\"\"]]", 5));
}

TEST(what_is_cut_off_is_counted_up_to_there_and_is_still_no_json)
{
    static const char *const cut[] = {"\"", "\"\\", "[\"a\\", "[,", "{\"a\":[", "]", ""};

    for (size_t i = 0; i < COUNT(cut); i++)
        CHECK(parse_bytes(cut[i], strlen(cut[i])) == CAPRUN_E_INVAL);
}

/* Parses an array of |count| - 1 zeros. */
static int parse_zeros(size_t count)
{
    char *text = malloc(2 * count);
    int r = 1;

    if (text) {
        for (size_t i = 0; i < count; i++)
            memcpy(text + 2 * i, ",0", 2);
        text[0] = '[';
        text[2 * count - 2] = ']';
        r = parse_bytes(text, 2 * count - 1);
    }
    free(text);
    return r;
}

TEST(a_tree_has_a_ceiling_of_values_which_is_found_before_memory_is_taken)
{
    struct cr_err err = {0};

    CHECK(parse_zeros(CR_JSON_MAX_VALUES) == 0 &&
          cr_json_count(doc.root) == CR_JSON_MAX_VALUES - 1);
    CHECK(parse_zeros(CR_JSON_MAX_VALUES + 1) == CAPRUN_E_TOOBIG);
    failing_after(0);
    CHECK(cr_json_parse(bytes, 2 * CR_JSON_MAX_VALUES + 1, &doc, &err) == CAPRUN_E_TOOBIG);
    failing_stop();
    CHECK(!failing_failed && strstr(err.text, "more than 1048576 values"));
}

TEST(short_texts_fit_to_the_byte)
{
    static const char *const texts[] = {"1",      "12",          "[1]",         "[1,2]", "\"\"",
                                        "[\"\"]", "{\"\":1}",    "[1 ]",        "true",  "[null]",
                                        "[[],1]", "[\"\",\"\"]", "{\"\":\"\"}", "-1",    " 1"};

    for (size_t i = 0; i < COUNT(texts); i++)
        CHECK(parse(texts[i]));
}

/* --- without a tree ------------------------------------------------------------------------ */

/* Returns what cr_locate_member() finds in a copy of exact size, or NULL. */
static bool peeks(const char *text, const char *key, const char *wanted)
{
    size_t len = strlen(text), found_len = 0;
    char *copy = malloc(len ? len : 1);
    const char *found;
    bool same = false;

    if (copy) {
        memcpy(copy, text, len);
        found = cr_locate_member(copy, len, key, &found_len);
        same = wanted
                   ? found && found_len == strlen(wanted) && memcmp(found, wanted, found_len) == 0
                   : !found;
        if (!same)
            printf("# \"%s\" of %s is %.*s\n", key, text, (int)found_len, found ? found : "");
    }
    free(copy);
    return same;
}

TEST(a_member_is_found_at_every_position_without_a_tree)
{
    const char *text = "{\"a\":1,\"bb\":\"x\",\"c\":[1,{\"d\":2}],\"e\":{\"a\":3},\"f\":null}";

    CHECK(peeks(text, "a", "1") && peeks(text, "bb", "\"x\"") && peeks(text, "f", "null"));
    CHECK(peeks(text, "c", "[1,{\"d\":2}]") && peeks(text, "e", "{\"a\":3}"));
    CHECK(peeks(text, "d", NULL) && peeks(text, "b", NULL) && peeks(text, "bbb", NULL));
    CHECK(peeks(text, "", NULL) && peeks("{\"\":7}", "", "7") && peeks("{}", "a", NULL));
}

TEST(spaces_and_brackets_in_strings_do_not_mislead_a_peek)
{
    const char *text =
        " {\n\t\"x\" :  \"]},{\\\"a\\\":1\" ,\r\n \"y\": [ \"}\" , { } ] , \"a\" : -1.5e3 } ";

    CHECK(peeks(text, "x", "\"]},{\\\"a\\\":1\"") && peeks(text, "a", "-1.5e3"));
    CHECK(peeks(text, "y", "[ \"}\" , { } ]"));
    CHECK(peeks("{\"b\":\"\\\\\",\"a\":true}", "a", "true"));
    CHECK(peeks("{\"b\":\"a\",\"c\":\"a\"}", "a", NULL));
}

TEST(a_peek_ignores_keys_with_escapes_and_takes_the_first_of_equal_keys)
{
    CHECK(peeks("{\"\\u0061\":1,\"a\":2}", "a", "2") && peeks("{\"\\u0061\":1}", "a", NULL));
    CHECK(peeks("{\"a\\\"\":1,\"b\":2}", "a", NULL) && peeks("{\"a\\\"\":1,\"b\":2}", "b", "2"));
    CHECK(peeks("{\"a\":1,\"a\":2}", "a", "1"));
}

TEST(what_is_no_object_has_no_members_for_a_peek)
{
    static const char *const texts[] = {"1", "\"a\"", "[\"a\",1]", "null", "[{\"a\":1}]", " "};

    for (size_t i = 0; i < COUNT(texts); i++)
        CHECK(peeks(texts[i], "a", NULL));
}

static unsigned dice(unsigned sides)
{
    static uint32_t state = 1;

    state = state * 1664525u + 1013904223u;
    return (state >> 16) % sides;
}

static void add_spaces(struct cr_buf *out)
{
    while (dice(4) == 0)
        cr_buf_add(out, &" \t\n\r"[dice(4)], 1);
}

static void add_value(struct cr_buf *out, unsigned depth)
{
    static const char *const plain[] = {
        "0",        "-1.5e+7",      "true",        "null",  "\"\"",      "\"k1\"",
        "\"\\\\\"", "\"{\\\"[,:\"", "\"\\u005d\"", "false", "\"a\\/b\"", "12345678901234567890"};
    unsigned kind = dice(depth ? 4 : 2), count = dice(5);

    if (kind < 2) {
        cr_buf_str(out, plain[dice(COUNT(plain))]);
        return;
    }
    cr_buf_str(out, kind == 2 ? "[" : "{");
    for (unsigned i = 0; i < count; i++) {
        add_spaces(out);
        if (kind == 3)
            cr_buf_fmt(out, "\"k%u\"", i * 2 + dice(2));
        add_spaces(out);
        cr_buf_str(out, kind == 3 ? ":" : "");
        add_spaces(out);
        add_value(out, depth - 1);
        add_spaces(out);
        cr_buf_str(out, i + 1 < count ? "," : "");
    }
    add_spaces(out);
    cr_buf_str(out, kind == 2 ? "]" : "}");
}

TEST(a_member_is_found_where_the_tree_says_it_is)
{
    int found = 0;

    for (int i = 0; i < 20000; i++) {
        struct cr_buf out;
        bool ok;

        cr_buf_init(&out, 1 << 20);
        add_spaces(&out);
        add_value(&out, 4);
        ok = parse_bytes((const char *)out.data, out.len) == 0;
        for (unsigned k = 0; ok && k < 11; k++) {
            char key[8];
            size_t len = 0;
            const struct cJSON *value;
            const char *peeked;

            (void)snprintf(key, sizeof(key), "k%u", k);
            value = cr_json_get(doc.root, key);
            peeked = cr_locate_member(bytes, doc.len, key, &len);
            ok = value ? peeked == bytes + at_of(value) && len == len_of(value) : !peeked;
            found += value != NULL;
        }
        if (!ok)
            printf("# %.*s\n", (int)out.len, (char *)out.data);
        cr_buf_clear(&out);
        CHECK(ok);
    }
    CHECK(found > 5000);
}

/* --- no memory ---------------------------------------------------------------------------- */

static const char some[] = "{\"a\\u0062\":[1,{\"c\":\"d\"}],\"e\":{\"f\":null}}";

TEST(each_allocation_of_the_parser_that_fails_is_an_error)
{
    struct cr_json_doc made = {0};
    struct cr_err err;
    int failed = 0;

    while (failing_more()) {
        int r = cr_json_parse(some, sizeof(some) - 1, &made, &err);

        failing_stop();
        CHECK((r < 0) == failing_failed);
        CHECK(r == 0 || (r == CAPRUN_E_NOMEM && err.code == r && err.text[0] && !made.root));
        failed += r < 0;
    }
    CHECK(!FAILING || made.root);
    CHECK(!failing_works() || failed >= 3);
    cr_json_clear(&made);
}

TEST(each_allocation_of_the_canonical_form_that_fails_is_an_error)
{
    struct cr_buf out;
    int failed = 0;

    CHECK(parse_bytes(some, sizeof(some) - 1) == 0);
    while (failing_more()) {
        cr_buf_init(&out, 4096);
        cr_json_canonical(&out, doc.root);
        failing_stop();
        CHECK(cr_buf_err(&out) == (failing_failed ? CAPRUN_E_NOMEM : 0));
        CHECK(failing_failed || out.len > 0);
        cr_buf_clear(&out);
        failed += failing_failed;
    }
    CHECK(!failing_works() || failed >= 4);
}

int main(int argc, char **argv)
{
    int status = tap_main(argc, argv);

    cr_json_clear(&doc);
    free(bytes);
    return status;
}
