/* test_config_edit.c - additions to a configuration, in files of many forms. */
#include <stdbool.h>

#include "tap.h"

#include "config/edit.h"

#define PATTERN "\"s:t\""
#define RULE "{\"tool\": \"s:t\", \"then\": \"allow\"}"

static struct cr_buf out;
static struct cr_err err;

static bool is(const char *want)
{
    bool same = strcmp(cr_buf_text(&out) ? cr_buf_text(&out) : "", want) == 0;

    if (!same)
        (void)fprintf(stderr, "# got\n%s\n# not\n%s\n", cr_buf_text(&out), want);
    cr_buf_clear(&out);
    return same;
}

static bool add(const char *text, const char *list, const char *item, size_t count,
                const char *want)
{
    const char *items[] = {item, "\"s:u\""};

    cr_buf_init(&out, 1u << 20);
    return cr_edit_add(text, strlen(text), list, items, count, &out, &err) == 0 && is(want);
}

static const struct {
    const char *text, *allow, *rule; /* before; after a pattern; after a rule */
} files[] = {
    {"", "{\n  \"permissions\": {\n    \"allow\": [\"s:t\"]\n  }\n}\n",
     "{\n  \"permissions\": {\n    \"rules\": [\n      " RULE "\n    ]\n  }\n}\n"},
    {"{}", "{\n  \"permissions\": {\n    \"allow\": [\"s:t\"]\n  }\n}",
     "{\n  \"permissions\": {\n    \"rules\": [\n      " RULE "\n    ]\n  }\n}"},
    {"{\n}\n", "{\n  \"permissions\": {\n    \"allow\": [\"s:t\"]\n  }\n}\n",
     "{\n  \"permissions\": {\n    \"rules\": [\n      " RULE "\n    ]\n  }\n}\n"},
    /* one line */
    {"{\"record\":\"all\"}", "{\"record\":\"all\",\"permissions\":{\"allow\":[\"s:t\"]}}",
     "{\"record\":\"all\",\"permissions\":{\"rules\":[" RULE "]}}"},
    {"{\"permissions\": {\"allow\": [\"a\", \"b\"], \"rules\": [{}]}}\n",
     "{\"permissions\": {\"allow\": [\"a\", \"b\", \"s:t\"], \"rules\": [{}]}}\n",
     "{\"permissions\": {\"allow\": [\"a\", \"b\"], \"rules\": [{}, " RULE "]}}\n"},
    {"{\"permissions\": {}}", "{\"permissions\": {\"allow\": [\"s:t\"]}}",
     "{\"permissions\": {\"rules\": [" RULE "]}}"},
    /* tabs, and no line feed at the end */
    {"{\n\t\"record\": \"all\",\n\t\"permissions\": {\n\t\t\"deny\": []\n\t}\n}",
     "{\n\t\"record\": \"all\",\n\t\"permissions\": {\n\t\t\"deny\": [],\n\t\t\"allow\": "
     "[\"s:t\"]\n\t}\n}",
     "{\n\t\"record\": \"all\",\n\t\"permissions\": {\n\t\t\"deny\": [],\n\t\t\"rules\": [\n"
     "\t\t\t" RULE "\n\t\t]\n\t}\n}"},
    /* CRLF, four spaces */
    {"{\r\n    \"record\": \"all\"\r\n}\r\n",
     "{\r\n    \"record\": \"all\",\r\n    \"permissions\": {\r\n        \"allow\": [\"s:t\"]\r\n"
     "    }\r\n}\r\n",
     "{\r\n    \"record\": \"all\",\r\n    \"permissions\": {\r\n        \"rules\": [\r\n"
     "            " RULE "\r\n        ]\r\n    }\r\n}\r\n"},
    /* empty objects and lists in a file with lines */
    {"{\n  \"permissions\": {}\n}\n", "{\n  \"permissions\": {\n    \"allow\": [\"s:t\"]\n  }\n}\n",
     "{\n  \"permissions\": {\n    \"rules\": [\n      " RULE "\n    ]\n  }\n}\n"},
    {"{\n  \"permissions\": {\"allow\": [], \"rules\": [ ]}\n}\n",
     "{\n  \"permissions\": {\"allow\": [\"s:t\"], \"rules\": [ ]}\n}\n",
     "{\n  \"permissions\": {\"allow\": [], \"rules\": [\n    " RULE "\n  ]}\n}\n"},
    /* items on lines of their own */
    {"{\n  \"permissions\": {\n    \"allow\": [\n      \"a\"\n    ],\n    \"rules\": [\n      {},\n"
     "      {}\n    ]\n  }\n}\n",
     "{\n  \"permissions\": {\n    \"allow\": [\n      \"a\",\n      \"s:t\"\n    ],\n"
     "    \"rules\": [\n      {},\n      {}\n    ]\n  }\n}\n",
     "{\n  \"permissions\": {\n    \"allow\": [\n      \"a\"\n    ],\n    \"rules\": [\n      {},\n"
     "      {},\n      " RULE "\n    ]\n  }\n}\n"},
};

TEST(a_pattern_and_a_rule_are_added_in_the_form_of_the_file)
{
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        CHECK(add(files[i].text, "allow", PATTERN, 1, files[i].allow));
        CHECK(add(files[i].text, "rules", RULE, 1, files[i].rule));
    }
}

TEST(several_items_are_added_at_once)
{
    CHECK(add("{\"permissions\":{\"allow\":[\"a\"]}}", "allow", PATTERN, 2,
              "{\"permissions\":{\"allow\":[\"a\",\"s:t\",\"s:u\"]}}"));
    CHECK(add("{\n \"permissions\": {\"allow\": [\n  \"a\"]}}", "allow", PATTERN, 2,
              "{\n \"permissions\": {\"allow\": [\n  \"a\",\n  \"s:t\",\n  \"s:u\"]}}"));
    CHECK(add("{}", "allow", PATTERN, 2,
              "{\n  \"permissions\": {\n    \"allow\": [\"s:t\", \"s:u\"]\n  }\n}"));
}

TEST(a_value_is_replaced_in_its_place)
{
    const char *text = "{\"permissions\": {\"rules\": [{}, {\"rate\": {\"calls\": 2}}]}}";

    cr_buf_init(&out, 1u << 20);
    CHECK(cr_edit_set(text, strlen(text), "/permissions/rules/1/rate/calls", "40", &out, &err) ==
              0 &&
          is("{\"permissions\": {\"rules\": [{}, {\"rate\": {\"calls\": 40}}]}}"));
    CHECK(cr_edit_set(text, strlen(text), "/permissions/rules/2/rate", "1", &out, &err) ==
          CAPRUN_E_INVAL);
    CHECK(cr_edit_set(text, strlen(text), "/permissions/rule", "1", &out, &err) == CAPRUN_E_INVAL);
    CHECK(out.len == 0);
}

TEST(a_text_that_is_no_object_is_refused)
{
    static const char *const texts[] = {"[]", "{", "1", "{\"a\":1,\"a\":2}", " "};
    const char *items[] = {PATTERN};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cr_buf_init(&out, 1u << 20);
        CHECK(cr_edit_add(texts[i], strlen(texts[i]), "allow", items, 1, &out, &err) ==
                  CAPRUN_E_INVAL &&
              out.len == 0);
    }
}

static bool removes(const char *text, const char *pointer, const char *want)
{
    cr_buf_init(&out, 1u << 20);
    return cr_edit_remove(text, strlen(text), pointer, &out, &err) == 0 && is(want);
}

TEST(an_item_is_removed_with_its_comma_and_its_line)
{
    CHECK(removes("{\"a\": [1, 2, 3]}", "/a/0", "{\"a\": [2, 3]}"));
    CHECK(removes("{\"a\": [1, 2, 3]}", "/a/1", "{\"a\": [1, 3]}"));
    CHECK(removes("{\"a\": [1, 2, 3]}", "/a/2", "{\"a\": [1, 2]}"));
    CHECK(removes("{\"a\": [\n  1,\n  2\n]}\n", "/a/1", "{\"a\": [\n  1\n]}\n"));
    CHECK(removes("{\"a\": [\n  1\n], \"b\": 1}", "/a/0", "{\"a\": [], \"b\": 1}"));
}

TEST(only_an_item_of_a_list_can_be_removed)
{
    cr_buf_init(&out, 1u << 20);
    CHECK(cr_edit_remove("{\"a\": {\"b\": 1}}", 17, "/a/b", &out, &err) < 0);
    CHECK(cr_edit_remove("{\"a\": [1]}", 10, "/a/1", &out, &err) < 0);
    cr_buf_clear(&out);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
