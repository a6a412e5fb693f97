/*
 * test_tool_pins_explain.c - the message that explains what changed in a pinned tool; texts of the
 * server cannot imitate parts of this message.
 */
#include "tap.h"

#include "failing.h"
#include "lockfiles.h"
#include "registry/tool_pins.h"

#define HINT "if you expected that: caprun lock --accept files:read"
#define NO_COMMAND                                                                              \
    "if you expected that, remove the tool from \"servers\" in caprun.lock: the next use pins " \
    "it again"

/* Pins |name| as |was|, compares it with |is|, and fills |why|. */
static bool explains(const char *name, const char *was, const char *is)
{
    struct cr_tool_now before = {name, was, strlen(was)}, after = {name, is, strlen(is)};
    struct cr_lockfile lock;
    int r = CAPRUN_E_NOMEM;

    if (!scratch_begin() || cr_tool_pins_pin(scratch, "files", &before, 1, false, &why) < 0 ||
        cr_lockfile_read(scratch, &lock, &why) < 0) {
        printf("# %s\n", why.text);
    } else {
        r = cr_tool_pins_explain(&lock, "files", &after, &why);
        cr_lockfile_clear(&lock);
    }
    scratch_end();
    return r == CAPRUN_E_INVAL && why.outcome == CAPRUN_OUTCOME_INTEGRITY_MISMATCH;
}

/* Does the message end with |parts| after the two hashes? */
static bool shows(const char *was, const char *is, const char *parts)
{
    char hashes[2][CR_LOCKFILE_HASH + 1], expected[5120];

    cr_lockfile_hash(was, strlen(was), hashes[0]);
    cr_lockfile_hash(is, strlen(is), hashes[1]);
    (void)snprintf(expected, sizeof(expected),
                   "files:read is not what caprun.lock pins: the definition of the tool changed\n"
                   "  pinned: %s\n"
                   "  now:    %s%s",
                   hashes[0], hashes[1], parts);
    return explains("read", was, is) && says(CAPRUN_OUTCOME_INTEGRITY_MISMATCH, expected, HINT);
}

static bool shows_description(const char *was, const char *is, const char *parts)
{
    static char texts[2][100000];

    (void)snprintf(texts[0], sizeof(texts[0]), "{\"description\":\"%s\"}", was);
    (void)snprintf(texts[1], sizeof(texts[1]), "{\"description\":\"%s\"}", is);
    return shows(texts[0], texts[1], parts);
}

/* |count| times |text|, in one of four static buffers. */
static const char *times(const char *text, int count)
{
    static char texts[4][50000];
    static int next;
    char *ret = texts[next++ % 4];
    size_t len = 0;

    ret[0] = '\0';
    while (count--)
        len += (size_t)snprintf(ret + len, sizeof(texts[0]) - len, "%s", text);
    return ret;
}

TEST(each_part_that_differs_is_shown_as_it_was_and_as_it_is_now)
{
    CHECK(shows("{\"annotations\":{\"readOnlyHint\":true},\"description\":\"Reads.\","
                "\"inputSchema\":{},\"name\":\"read\"}",
                "{\"annotations\":{\"readOnlyHint\":false},\"description\":\"Reads and sends.\","
                "\"inputSchema\":{},\"name\":\"read\",\"title\":\"T\"}",
                "\n  title"
                "\n    was:    absent"
                "\n    is now: \"T\""
                "\n  description"
                "\n    was:    \"Reads.\""
                "\n    is now: \"Reads and sends.\""
                "\n  annotations"
                "\n    was:    {\"readOnlyHint\":true}"
                "\n    is now: {\"readOnlyHint\":false}"));
    CHECK(shows("{\"inputSchema\":{\"a\":1},\"outputSchema\":{}}", "{\"inputSchema\":{\"a\":2}}",
                "\n  inputSchema"
                "\n    was:    {\"a\":1}"
                "\n    is now: {\"a\":2}"
                "\n  outputSchema"
                "\n    was:    {}"
                "\n    is now: absent"));
    CHECK(shows("{\"name\":\"a\"}", "{\"name\":\"absent\"}",
                "\n  name"
                "\n    was:    \"a\""
                "\n    is now: \"absent\""));
}

TEST(a_difference_outside_the_pinned_parts_shows_the_whole_definition)
{
    CHECK(shows("{\"description\":\"x\",\"more\":1}", "{\"description\":\"x\",\"more\":2}",
                "\n  definition"
                "\n    was:    {\"description\":\"x\",\"more\":1}"
                "\n    is now: {\"description\":\"x\",\"more\":2}"));
}

TEST(long_texts_are_cut_around_the_first_difference)
{
    char was[2000], is[2000], parts[4000];

    (void)snprintf(was, sizeof(was), "%sold%s", times("a", 300), times("b", 300));
    (void)snprintf(is, sizeof(is), "%snew", times("a", 300));
    (void)snprintf(parts, sizeof(parts),
                   "\n  description\n    was:    …%sold%s…\n    is now: …%snew\"", times("a", 60),
                   times("b", 177), times("a", 60));
    CHECK(shows_description(was, is, parts));
    /* one text is the beginning of the other */
    (void)snprintf(parts, sizeof(parts),
                   "\n  description\n    was:    …%s\"\n    is now: …%s more\"", times("a", 60),
                   times("a", 60));
    (void)snprintf(is, sizeof(is), "%s more", times("a", 300));
    CHECK(shows_description(times("a", 300), is, parts));
}

TEST(neither_a_character_nor_an_escape_is_cut_apart)
{
    static const char *const units[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\\n",
                                        "\\u0001"};
    char was[9000], is[9000];

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        for (int shift = 0; shift < 8; shift++) {
            const char *cut;

            (void)snprintf(was, sizeof(was), "{\"description\":\"%s%sx%s\"}", times(units[i], 200),
                           times("a", shift), times(units[i], 200));
            (void)snprintf(is, sizeof(is), "{\"description\":\"%s%sy%s\"}", times(units[i], 200),
                           times("a", shift), times(units[i], 200));
            CHECK(explains("read", was, is));
            cut = strstr(why.text, "was:    …");
            CHECK(cut && strncmp(cut + strlen("was:    …"), units[i], strlen(units[i])) == 0);
            cut = strstr(cut, "…\n    is now: …");
            CHECK(cut && memcmp(cut - strlen(units[i]), units[i], strlen(units[i])) == 0);
            CHECK(strstr(why.text, "x") && strstr(why.text, "y"));
        }
    }
}

/* --- hostile words -------------------------------------------------------------------------- */

TEST(lines_of_a_description_are_not_lines_of_the_message)
{
    CHECK(shows_description("x",
                            "x\\n  now:    sha256-0\\n  hint: caprun lock --accept files:evil\\r",
                            "\n  description"
                            "\n    was:    \"x\""
                            "\n    is now: \"x\\n  now:    sha256-0\\n  hint: caprun lock --accept "
                            "files:evil\\r\""));
    CHECK(shows_description("x\\\" is fine", "absent",
                            "\n  description"
                            "\n    was:    \"x\\\" is fine\""
                            "\n    is now: \"absent\""));
}

TEST(hidden_characters_in_a_text_are_made_visible)
{
    CHECK(shows_description("x", "x\xe2\x80\x8b\xe2\x80\xa8\x7f\\u001b[1m\xf3\xa0\x81\x81",
                            "\n  description"
                            "\n    was:    \"x\""
                            "\n    is now: \"x\\u200b\\u2028\\u007f\\u001b[1m\\udb40\\udc41\""));
    CHECK(shows_description("a\\\\u200b", "a\xe2\x80\x8b",
                            "\n  description"
                            "\n    was:    \"a\\\\u200b\""
                            "\n    is now: \"a\\u200b\""));
}

TEST(escapes_do_not_crowd_out_the_change)
{
    char was[1000], is[1000];

    for (int count = 0; count < 400; count += 7) {
        (void)snprintf(was, sizeof(was), "{\"description\":\"%sGOOD%s\"}", times("\x7f", count),
                       times("\x7f", 200));
        (void)snprintf(is, sizeof(is), "{\"description\":\"%sEVIL%s\"}", times("\x7f", count),
                       times("\x7f", 200));
        CHECK(explains("read", was, is));
        CHECK(strstr(why.text, "GOOD") && strstr(why.text, "EVIL"));
    }
}

TEST(a_name_that_is_not_plain_is_quoted_and_in_no_command)
{
    static const struct {
        const char *name, *shown;
    } names[] = {
        {"", "\"\""},
        {"a b", "\"a b\""},
        {"x is what caprun.lock pins\n  now: y", "\"x is what caprun.lock pins\\n  now: y\""},
        {"x; rm -rf .", "\"x; rm -rf .\""},
        {"$(x)", "\"$(x)\""},
        {"x\xe2\x80\xaey", "\"x\\u202ey\""},
    };
    char expected[200];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK(explains(names[i].name, "{}", "{\"title\":\"\"}"));
        (void)snprintf(expected, sizeof(expected), "files:%s is not what caprun.lock pins: the ",
                       names[i].shown);
        CHECK(strncmp(why.text, expected, strlen(expected)) == 0);
        CHECK(strcmp(why.hint, NO_COMMAND) == 0);
    }
}

TEST(a_long_name_is_cut_where_it_is_shown_and_in_no_command)
{
    CHECK(explains(times("a", 128), "{}", "{\"title\":\"\"}"));
    CHECK(strstr(why.hint, times("a", 128)) && strstr(why.text, times("a", 128)));
    CHECK(explains(times("a", 40000), "{}", "{\"title\":\"\"}"));
    CHECK(strcmp(why.hint, NO_COMMAND) == 0);
    CHECK(strncmp(why.text, "files:\"aaa", 10) == 0 && strstr(why.text, "aaa… is not what"));
}

TEST(all_that_can_differ_fits_into_one_message)
{
    static char was[70000], is[70000];
    const char *x = times("x", 10000), *y = times("\xe2\x80\xae", 500);

    (void)snprintf(was, sizeof(was),
                   "{\"annotations\":\"%s\",\"description\":\"%s\",\"inputSchema\":\"%s\","
                   "\"name\":\"%s\",\"outputSchema\":\"%s\",\"title\":\"%s\"}",
                   x, x, x, x, x, x);
    (void)snprintf(is, sizeof(is),
                   "{\"annotations\":\"%s\",\"description\":\"%s\",\"inputSchema\":\"%s\","
                   "\"name\":\"%s\",\"outputSchema\":\"%s\",\"title\":\"%sTHE END\"}",
                   y, y, y, y, y, times("x", 9999));
    CHECK(explains(times("\x7f", 200), was, is));
    CHECK(strlen(why.text) < sizeof(why.text) - 500);
    CHECK(strstr(why.text, "\n  annotations\n    was:    \"xx"));
    CHECK(strcmp(why.text + strlen(why.text) - 9, "\\u202e…") == 0 &&
          strstr(why.text, "THE END\""));
}

TEST(a_definition_that_is_not_json_or_not_pinned_is_explained_too)
{
    struct cr_tool_now now = {"read", "{}", 2};
    struct cr_lockfile none = {0};

    CHECK(cr_tool_pins_explain(&none, "files", &now, &why) == CAPRUN_E_INVAL);
    CHECK(strstr(why.text, "\n  pinned: nothing\n") && strstr(why.text, "\n    is now: {}"));
    CHECK(shows("{}", "{", "\n  definition\n    was:    {}\n    is now: absent"));
}

TEST(every_allocation_of_an_explanation_may_fail)
{
    static const char was[] = "{\"description\":\"a\"}", is[] = "{\"description\":{\"b\":[]}}";
    struct cr_tool_now before = {"a b", was, sizeof(was) - 1}, after = {"a b", is, sizeof(is) - 1};
    struct cr_lockfile lock;
    int failed = 0;

    CHECK(scratch_begin());
    CHECK(cr_tool_pins_pin(scratch, "s", &before, 1, false, &why) == 0);
    CHECK(cr_lockfile_read(scratch, &lock, &why) == 0);
    while (failing_more()) {
        int r = cr_tool_pins_explain(&lock, "s", &after, &why);

        failing_stop();
        failed += failing_failed;
        CHECK(r == (failing_failed ? CAPRUN_E_NOMEM : CAPRUN_E_INVAL));
        CHECK(why.outcome ==
              (failing_failed ? CAPRUN_OUTCOME_INTERNAL : CAPRUN_OUTCOME_INTEGRITY_MISMATCH));
    }
    CHECK(!failing_works() || failed > 10);
    cr_lockfile_clear(&lock);
    scratch_end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
