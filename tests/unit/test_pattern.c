/* test_pattern.c - patterns for tools: valid patterns, and which names they match. */
#include "tap.h"

#include <time.h>

#include "base/pattern.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MANY 128

/* Writes |one| |count| times to |into|. */
static const char *repeat(char *into, const char *one, size_t count)
{
    size_t len = strlen(one);

    for (size_t i = 0; i < count; i++)
        memcpy(into + i * len, one, len + 1);
    return into;
}

TEST(names_globs_and_namespaces_are_patterns)
{
    static const char *const good[] = {
        "ns:action",   "ns",      "*",    "?",    "*:*",     "n?:*",  "-:-",  "_:_", "9:9",
        "a-b:c.d/e-f", "*ns*:a*", "ns:.", "ns:/", "ns:..//", "ns:**", "A_-9", "ns:?"};

    for (size_t i = 0; i < COUNT(good); i++)
        CHECK(cr_pattern_is(good[i]));
}

TEST(everything_else_is_not_a_pattern)
{
    static const char *const bad[] = {"",       ":",       "ns:",   ":a",    "a:b:c",
                                      "a b",    "a.b:c",   "a/b",   "ns::",  "ns:a b",
                                      "ns:a\n", "[a]:b",   "a:{b}", "a:\\*", "ns:\xc3\xa9",
                                      "$:a",    "ns:${X}", " ns",   "ns "};

    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK(!cr_pattern_is(bad[i]));
}

TEST(a_namespace_has_64_characters_at_most_and_an_action_128)
{
    char text[300], half[200];

    CHECK(cr_pattern_is(repeat(text, "n", 64)));
    CHECK(!cr_pattern_is(repeat(text, "n", 65)));
    repeat(text, "n", 64);
    (void)snprintf(text + 64, sizeof(text) - 64, ":%s", repeat(half, "a", 128));
    CHECK(cr_pattern_is(text));
    (void)snprintf(text + 64, sizeof(text) - 64, ":%s", repeat(half, "a", 129));
    CHECK(!cr_pattern_is(text));
    CHECK(cr_pattern_is_action(repeat(half, "*", 128)) && !cr_pattern_is_action(""));
    CHECK(!cr_pattern_is_action("a:b"));
}

TEST(a_pattern_means_these_tools)
{
    static const char *const pairs[][2] = {
        {"ns:a", "ns:a"},
        {"*", "ns:a"},
        {"*", "ns:a/b.c-d"},
        {"*:*", "ns:a"},
        {"ns", "ns:a"},
        {"ns", "ns:a/b.c"},
        {"ns:*", "ns:a/b.c"},
        {"n*", "ns:a"},
        {"n?", "ns:a"},
        {"ns:read_*", "ns:read_file"},
        {"ns:read_*", "ns:read_"},
        {"ns:read_*", "ns:read_a/b.c"},
        {"ns:*_file", "ns:read_file"},
        {"ns:*a*b*c*", "ns:xaxbxcx"},
        {"ns:a*a", "ns:aa"},
        {"ns:*ab", "ns:aab"},
        {"ns:*aab*", "ns:aaaaab"},
        {"ns:a?c", "ns:a.c"},
        {"ns:??", "ns://"},
        {"*:read", "other:read"},
        {"*s:a", "ns:a"},
        {"ns:**", "ns:a"},
        {"ns:a**", "ns:a"},
    };

    for (size_t i = 0; i < COUNT(pairs); i++)
        CHECK(cr_pattern_matches(pairs[i][0], pairs[i][1]));
}

TEST(a_pattern_does_not_mean_these_tools)
{
    static const char *const pairs[][2] = {
        {"ns:a", "ns:b"},         {"ns:a", "ns:aa"},
        {"ns:aa", "ns:a"},        {"ns:a", "ns2:a"},
        {"ns", "ns2:a"},          {"ns", "n:a"},
        {"ns", "other:ns"},       {"n?", "n:a"},
        {"*x", "ns:x"},           {"n*x", "ns:x"},
        {"ns:read_*", "ns:read"}, {"ns:?", "ns:ab"},
        {"ns:a?", "ns:a"},        {"ns:*ab", "ns:aba"},
        {"NS:a", "ns:a"},         {"ns:a-b", "ns:a_b"},
        {"n-s:a", "n_s:a"},       {"*:read", "ns:write"},
        {"ns:*", "ns"},           {"*:*", "ns"},
        {"ns:a*b*", "ns:ba"},     {"ns:a", "ns:A"},
        {"?:a", "ns:a"},          {"ns:??", "ns:a"},
    };

    for (size_t i = 0; i < COUNT(pairs); i++)
        CHECK(!cr_pattern_matches(pairs[i][0], pairs[i][1]));
}

TEST(an_alias_has_an_underscore_for_characters_not_allowed_in_identifiers)
{
    CHECK(cr_pattern_matches_alias("my-files:read.file", "my_files:read_file"));
    CHECK(cr_pattern_matches_alias("my-files:read.file", "my-files:read_file"));
    CHECK(cr_pattern_matches_alias("my_files:a/b-c.d", "my-files:a.b_c/d"));
    CHECK(cr_pattern_matches_alias("my-*:read-*", "my_files:read_file"));
    CHECK(cr_pattern_matches_alias("my-files", "my_files:x"));
    CHECK(cr_pattern_matches_alias("a:x", "a:x"));
    CHECK(!cr_pattern_matches_alias("a:x", "a:_"));
    CHECK(!cr_pattern_matches_alias("a:-", "a:x"));
    CHECK(!cr_pattern_matches_alias("a-b:c", "a_bb:c"));
    CHECK(!cr_pattern_matches_alias("a-b", "a:b"));
    CHECK(!cr_pattern_matches_alias("a:b-", "a:b"));
    CHECK(!cr_pattern_matches_alias("a:b", "a:b-"));
}

/* Tries every possible match: slow, but simple. */
static bool tried(const char *pattern, const char *text)
{
    if (*pattern == '*')
        return tried(pattern + 1, text) || (*text && tried(pattern, text + 1));
    if (!*text || !*pattern)
        return *text == *pattern;
    return (*pattern == '?' || *pattern == *text) && tried(pattern + 1, text + 1);
}

/* The |number|th text made of |letters|, shorter texts first. */
static void spell(unsigned number, const char *letters, char *out)
{
    unsigned base = (unsigned)strlen(letters);

    while (number) {
        *out++ = letters[(number - 1) % base];
        number = (number - 1) / base;
    }
    *out = '\0';
}

TEST(every_short_glob_matches_what_trying_everything_says)
{
    char pattern[16] = "n:", text[16] = "n:";

    for (unsigned i = 1; i < 1365; i++)      /* up to five of four letters */
        for (unsigned j = 0; j < 127; j++) { /* up to six of two letters */
            spell(i, "ab*?", pattern + 2);
            spell(j, "ab", text + 2);
            CHECK(cr_pattern_matches(pattern, text) == tried(pattern + 2, text + 2));
        }
}

TEST(the_worst_globs_take_no_time)
{
    static const char *const worst[] = {"*a", "a*", "*?", "**", "*a*b", "?*"};
    char pattern[600] = "ns:", text[600] = "ns:";
    clock_t start = clock();

    for (int round = 0; round < 100; round++)
        for (size_t i = 0; i < COUNT(worst); i++) {
            size_t len = strlen(worst[i]), times = MANY / len;

            repeat(pattern + 3, worst[i], times);
            memcpy(pattern + 3 + times * len - 1, "x", 2);
            repeat(text + 3, "a", MANY);
            CHECK(!cr_pattern_matches(pattern, text));
            CHECK(!cr_pattern_matches_alias(pattern, text));
        }
    /* 1,200 times about 10,000 steps; trying every possible match would take for ever */
    CHECK(clock() - start < 20 * CLOCKS_PER_SEC);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
