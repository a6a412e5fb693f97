/*
 * test_tool_list.c - the list of tools that a run may call: exact names and aliases, order, limits,
 * and the cost of a look-up in a long list.
 */
#include "fake_runs.h"

#include "base/pattern.h"
#include "counting.h"
#include "failing.h"
#include "policy/tool_list.h"

#define LOOK_UPS 1024u
/* A binary search in 10,000 names takes 14 steps of two comparisons. */
#define COMPARISONS 32u

static struct cr_tool_list list;

static int set(const char *const *names, size_t n)
{
    cr_tool_list_clear(&list);
    for (size_t i = 0; i < n; i++)
        cr_tool_list_add(&list, names[i]);
    return cr_tool_list_set(&list);
}

/* --- names -------------------------------------------------------------------------------- */

TEST(names_stay_in_their_order)
{
    static const char *const names[] = {"z:b", "a:a-b", "m:x", "a:a_b", "z:b"};
    const char *name = NULL;

    CHECK(set(names, COUNT(names)) == 0 && list.is_set && list.count == COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++) {
        name = cr_tool_list_next(&list, name);
        CHECK(name && strcmp(name, names[i]) == 0);
        CHECK(cr_tool_list_has(&list, names[i]));
    }
    CHECK(!cr_tool_list_next(&list, name));
}

TEST(an_empty_list_is_set_and_has_nothing)
{
    cr_tool_list_clear(&list);
    CHECK(!list.is_set && !cr_tool_list_next(&list, NULL) && !cr_tool_list_has(&list, "a:b"));
    CHECK(set(NULL, 0) == 0 && list.is_set && list.count == 0);
    CHECK(!cr_tool_list_next(&list, NULL));
    CHECK(!cr_tool_list_has(&list, "a:b") && !cr_tool_list_has_alias(&list, "a:b"));
}

TEST(a_name_is_found_exactly_or_by_its_alias)
{
    static const char *const names[] = {"my-files:read.file", "s:a_b", "s:a-c", "s:a.c"};

    CHECK(set(names, COUNT(names)) == 0);
    CHECK(cr_tool_list_has(&list, "my-files:read.file"));
    CHECK(!cr_tool_list_has(&list, "my_files:read_file"));
    CHECK(cr_tool_list_has_alias(&list, "my_files:read_file"));
    CHECK(cr_tool_list_has_alias(&list, "my-files:read/file"));
    CHECK(!cr_tool_list_has(&list, "s:a-b") && cr_tool_list_has_alias(&list, "s:a-b"));
    CHECK(!cr_tool_list_has(&list, "s:a_c") && !cr_tool_list_has(&list, "s:a/c"));
    CHECK(cr_tool_list_has(&list, "s:a-c") && cr_tool_list_has(&list, "s:a.c"));
    CHECK(!cr_tool_list_has_alias(&list, "s:ac") && !cr_tool_list_has_alias(&list, "s:a_c_"));
    CHECK(!cr_tool_list_has_alias(&list, "s") && !cr_tool_list_has_alias(&list, ""));
}

TEST(there_are_no_patterns_in_a_list)
{
    static const char *const names[] = {"s:*", "s:a?", "*:x", "*", "t"};

    CHECK(set(names, COUNT(names)) == 0);
    CHECK(!cr_tool_list_has(&list, "s:a") && !cr_tool_list_has_alias(&list, "s:a"));
    CHECK(!cr_tool_list_has_alias(&list, "s:ab") && !cr_tool_list_has_alias(&list, "s:x"));
    CHECK(!cr_tool_list_has_alias(&list, "t:x"));
}

/* A name with up to four characters on each side of the ":". */
static void make_name(unsigned *seed, char ret[12])
{
    size_t len = 0;

    for (int side = 0; side < 2; side++) {
        for (int n = 1 + rand_r(seed) % 4; n > 0; n--)
            ret[len++] = (side ? "ab_-./" : "ab_-")[rand_r(seed) % (side ? 6 : 4)];
        ret[len++] = side ? '\0' : ':';
    }
}

TEST(a_look_up_says_what_a_walk_with_patterns_says)
{
    char names[40][12], method[12];
    unsigned seed = 1;

    cr_tool_list_clear(&list);
    for (size_t i = 0; i < COUNT(names); i++) {
        make_name(&seed, names[i]);
        cr_tool_list_add(&list, names[i]);
    }
    CHECK(cr_tool_list_set(&list) == 0);
    for (int n = 0; n < 20000; n++) {
        bool has = false, has_alias = false;

        make_name(&seed, method);
        for (size_t i = 0; i < COUNT(names); i++) {
            has = has || strcmp(names[i], method) == 0;
            has_alias = has_alias || cr_pattern_matches_alias(names[i], method);
        }
        CHECK(cr_tool_list_has(&list, method) == has);
        CHECK(cr_tool_list_has_alias(&list, method) == has_alias);
    }
}

/* --- limits ------------------------------------------------------------------------------- */

/* Name |i| of a long list, of maximal length. All names share one alias, or no two do. */
static void make_long_name(unsigned i, bool one_alias, char ret[LIMIT_TOOL_CHARS + 1])
{
    memset(ret, one_alias ? '_' : 'x', LIMIT_TOOL_CHARS);
    ret[LIMIT_NAMESPACE_CHARS] = ':';
    ret[LIMIT_TOOL_CHARS] = '\0';
    for (unsigned at = LIMIT_TOOL_CHARS - 1; i; i /= 4, at--)
        ret[at] = (one_alias ? "_-./" : "abcd")[i % 4];
}

static int set_long(unsigned count, bool one_alias)
{
    char name[LIMIT_TOOL_CHARS + 1];

    cr_tool_list_clear(&list);
    for (unsigned i = 0; i < count; i++) {
        make_long_name((i * 7919) % count, one_alias, name);
        cr_tool_list_add(&list, name);
    }
    return cr_tool_list_set(&list);
}

TEST(a_list_has_as_many_names_as_it_may_and_no_more)
{
    char name[LIMIT_TOOL_CHARS + 2];

    CHECK(set_long(LIMIT_TOOLS, false) == 0 && list.count == LIMIT_TOOLS);
    CHECK(set_long(LIMIT_TOOLS + 1, false) == CAPRUN_E_TOOBIG);
    make_long_name(7, false, name);
    CHECK(list.is_set && !cr_tool_list_has(&list, name) && !cr_tool_list_has_alias(&list, name));
    memset(name, 'x', LIMIT_TOOL_CHARS + 1);
    name[LIMIT_TOOL_CHARS + 1] = '\0';
    CHECK(set((const char *const[]){name}, 1) == CAPRUN_E_TOOBIG);
    CHECK(set((const char *const[]){name + 1}, 1) == 0);
    CHECK(cr_tool_list_has(&list, name + 1) && !cr_tool_list_has(&list, name));
}

/* Looks up all kinds of names. Returns false if a look-up costs too much. */
static bool is_cheap(bool one_alias)
{
    char name[LIMIT_TOOL_CHARS + 1];

    for (unsigned i = 0; i < LIMIT_TOOLS + LOOK_UPS; i += 7) {
        bool is_there = i < LIMIT_TOOLS;

        make_long_name(i, one_alias, name);
        counting_comparisons = 0;
        if (cr_tool_list_has(&list, name) != is_there ||
            cr_tool_list_has_alias(&list, name) != (is_there || one_alias) ||
            counting_comparisons > 2 * COMPARISONS)
            return false;
    }
    return true;
}

TEST(a_look_up_in_ten_thousand_names_takes_few_comparisons)
{
    CHECK(set_long(LIMIT_TOOLS, false) == 0 && is_cheap(false));
}

TEST(ten_thousand_names_with_one_alias_are_looked_up_as_fast)
{
    CHECK(set_long(LIMIT_TOOLS, true) == 0 && is_cheap(true));
}

TEST(each_allocation_that_fails_is_an_error_and_then_nothing_is_found)
{
    static const char *const names[] = {"a:b", "c:d"};
    int failed = 0;

    while (failing_more()) {
        int r = set(names, COUNT(names));

        failing_stop();
        CHECK(r == (failing_failed ? CAPRUN_E_NOMEM : 0));
        CHECK(list.is_set && cr_tool_list_has(&list, "a:b") == !failing_failed);
        CHECK(cr_tool_list_has_alias(&list, "c:d") == !failing_failed);
        failed += failing_failed;
    }
    CHECK(!failing_works() || failed == 3);
}

/* --- runs --------------------------------------------------------------------------------- */

/* A run of |scene| with the longest allowed list, without files:read. */
static struct caprun_run *new_run_with_many(const char *scene)
{
    struct caprun_run *made = new_run(scene, 0, FAKE_HONEST);
    char(*texts)[LIMIT_TOOL_CHARS + 1] = calloc(LIMIT_TOOLS, sizeof(*texts));
    const char **names = calloc(LIMIT_TOOLS, sizeof(*names));

    for (unsigned i = 0; texts && names && i < LIMIT_TOOLS; i++) {
        make_long_name(i, false, texts[i]);
        names[i] = texts[i];
    }
    if (!made || !texts || !names || caprun_run_set_tools(made, names, LIMIT_TOOLS) < 0)
        printf("# no list: %s\n", caprun_error(rt));
    free(texts);
    free(names);
    return made;
}

TEST(calls_that_are_not_in_a_long_list_are_denied_with_few_comparisons)
{
    CHECK(begin());
    run = new_run_with_many("many_calls_and_done 1024");
    counting_comparisons = 0;
    CHECK(run && caprun_start(run) == 0);
    CHECK(ended(run, CAPRUN_OUTCOME_SUCCESS, "\"n\":1024,"));
    CHECK(run->calls[LOOK_UPS - 1].state == CR_CALL_DENIED);
    CHECK(strstr(run->calls[0].message, "\" and 9997 more); its author"));
    printf("# %zu comparisons\n", counting_comparisons);
    CHECK(counting_comparisons < 4 * COMPARISONS * LOOK_UPS);
    caprun_run_free(run);
    CHECK(end());
}

int main(int argc, char **argv)
{
    int status;

    if (fake_is_wanted())
        fake_main();
    cr_tool_list_init(&list);
    status = tap_main(argc, argv);
    cr_tool_list_clear(&list);
    return status;
}
