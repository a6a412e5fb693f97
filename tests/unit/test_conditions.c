/* test_conditions.c - what rules say about args: the predicates, one table each. */
#include "tap.h"

#include <stdbool.h>

#include "base/json.h"
#include "policy/conditions.h"

static struct cr_err err;

#define YES CR_TRUTH_YES
#define NO CR_TRUTH_NO
#define UNCLEAR CR_TRUTH_UNCLEAR
#define REFUSED ((enum cr_truth)9)

/* Returns whether the conditions |when| hold for |args|; REFUSED if |when| is not accepted. */
static enum cr_truth holds(const char *when, const char *args)
{
    struct cr_conditions *c;
    struct cr_json_doc doc;
    enum cr_truth truth;

    if (cr_conditions_new(when, "/srv", &c, &err) < 0)
        return REFUSED;
    truth = (enum cr_truth)8;
    if (cr_json_parse(args, strlen(args), &doc, &err) == 0) {
        truth = cr_conditions_hold(c, doc.root, "/srv");
        cr_json_clear(&doc);
    }
    cr_conditions_free(c);
    return truth;
}

struct row {
    const char *when, *args;
    enum cr_truth truth;
};

static bool all_are_right(const struct row *rows, size_t count)
{
    bool right = true;

    for (size_t i = 0; i < count; i++) {
        enum cr_truth found = holds(rows[i].when, rows[i].args);

        if (found == rows[i].truth)
            continue;
        (void)fprintf(stderr, "# %s of %s: %d %s\n", rows[i].when, rows[i].args, (int)found,
                      found == REFUSED ? err.text : "");
        right = false;
    }
    return right;
}

#define CHECK_ROWS(rows) CHECK(all_are_right(rows, sizeof(rows) / sizeof((rows)[0])))

TEST(a_pointer_finds_one_value)
{
    static const struct row rows[] = {
        {"{\"/a\": {\"equals\": 1}}", "{\"a\": 1}", YES},
        {"{\"/a\": {\"equals\": 1}}", "{\"a\": 2}", NO},
        {"{\"/a\": {\"equals\": 1}}", "{\"A\": 1}", UNCLEAR},
        {"{\"/a\": {\"equals\": 1}}", "{}", NO},
        {"{\"/a/b\": {\"equals\": 1}}", "{\"a\": {\"b\": 1}}", YES},
        {"{\"/a/b\": {\"equals\": 1}}", "{\"a\": 1}", NO},
        {"{\"/a/1\": {\"equals\": 2}}", "{\"a\": [1, 2]}", YES},
        {"{\"/a/2\": {\"equals\": 2}}", "{\"a\": [1, 2]}", NO},
        {"{\"/a/01\": {\"equals\": 2}}", "{\"a\": [1, 2]}", NO},
        {"{\"/a/-\": {\"equals\": 2}}", "{\"a\": [1, 2]}", NO},
        {"{\"/a/+1\": {\"equals\": 2}}", "{\"a\": [1, 2]}", NO},
        {"{\"/a/1\": {\"equals\": 2}}", "{\"a\": {\"1\": 2}}", YES},
        {"{\"/a~1b\": {\"equals\": 1}}", "{\"a/b\": 1}", YES},
        {"{\"/a~0b\": {\"equals\": 1}}", "{\"a~b\": 1}", YES},
        {"{\"/a~01\": {\"equals\": 1}}", "{\"a~1\": 1}", YES},
        {"{\"/a~01\": {\"equals\": 1}}", "{\"a/\": 1}", NO},
        {"{\"/\": {\"equals\": 1}}", "{\"\": 1}", YES},
        {"{\"\": {\"equals\": {}}}", "{}", YES},
        {"{\"/\\u0061\": {\"equals\": 1}}", "{\"\\u0061\": 1}", YES},
    };

    CHECK_ROWS(rows);
}

TEST(all_conditions_have_to_hold)
{
    static const struct row rows[] = {
        {"{\"/a\": {\"min\": 1, \"max\": 3}, \"/b\": {\"equals\": true}}",
         "{\"a\": 2, \"b\": true}", YES},
        {"{\"/a\": {\"min\": 1, \"max\": 3}, \"/b\": {\"equals\": true}}",
         "{\"a\": 4, \"b\": true}", NO},
        {"{\"/a\": {\"min\": 1, \"max\": 3}, \"/b\": {\"equals\": true}}",
         "{\"a\": 2, \"b\": false}", NO},
        {"{\"/a\": {\"min\": 1}, \"/b\": {\"equals\": true}}", "{\"a\": \"2\", \"b\": true}",
         UNCLEAR},
        {"{\"/a\": {\"min\": 1}, \"/b\": {\"equals\": true}}", "{\"a\": \"2\", \"b\": false}", NO},
    };

    CHECK_ROWS(rows);
}

TEST(equal_values_are_equal_whatever_their_text)
{
    static const struct row rows[] = {
        {"{\"/a\": {\"equals\": \"x\"}}", "{\"a\": \"\\u0078\"}", YES},
        {"{\"/a\": {\"equals\": \"x\"}}", "{\"a\": \"X\"}", NO},
        {"{\"/a\": {\"equals\": 1}}", "{\"a\": 1.0}", YES},
        {"{\"/a\": {\"equals\": 100}}", "{\"a\": 1e2}", YES},
        {"{\"/a\": {\"equals\": 0}}", "{\"a\": -0}", YES},
        {"{\"/a\": {\"equals\": 1}}", "{\"a\": \"1\"}", NO},
        {"{\"/a\": {\"equals\": true}}", "{\"a\": 1}", NO},
        {"{\"/a\": {\"equals\": null}}", "{\"a\": null}", YES},
        {"{\"/a\": {\"equals\": null}}", "{}", NO},
        {"{\"/a\": {\"equals\": [1, 2]}}", "{\"a\": [1, 2]}", YES},
        {"{\"/a\": {\"equals\": [1, 2]}}", "{\"a\": [2, 1]}", NO},
        {"{\"/a\": {\"equals\": [1, 2]}}", "{\"a\": [1, 2, 3]}", NO},
        {"{\"/a\": {\"equals\": {\"x\": 1, \"y\": 2}}}", "{\"a\": {\"y\": 2, \"x\": 1}}", YES},
        {"{\"/a\": {\"equals\": {\"x\": 1, \"y\": 2}}}", "{\"a\": {\"y\": 2, \"z\": 1}}", NO},
        {"{\"/a\": {\"equals\": {\"x\": 1}}}", "{\"a\": {\"x\": 1, \"y\": 2}}", NO},
        {"{\"/a\": {\"in\": [1, \"b\", [2]]}}", "{\"a\": \"b\"}", YES},
        {"{\"/a\": {\"in\": [1, \"b\", [2]]}}", "{\"a\": [2]}", YES},
        {"{\"/a\": {\"in\": [1, \"b\", [2]]}}", "{\"a\": 2}", NO},
    };

    CHECK_ROWS(rows);
}

TEST(numbers_beyond_what_a_double_holds_never_satisfy)
{
    static const struct row rows[] = {
        {"{\"/a\": {\"max\": 10}}", "{\"a\": 10}", YES},
        {"{\"/a\": {\"max\": 10}}", "{\"a\": 10.5}", NO},
        {"{\"/a\": {\"min\": -1.5}}", "{\"a\": -1.5}", YES},
        {"{\"/a\": {\"min\": -1.5}}", "{\"a\": -2}", NO},
        {"{\"/a\": {\"min\": 10}}", "{\"a\": 9007199254740991}", YES},
        {"{\"/a\": {\"min\": 10}}", "{\"a\": 9007199254740992}", UNCLEAR},
        {"{\"/a\": {\"max\": 100}}", "{\"a\": 100.00}", YES},
        {"{\"/a\": {\"max\": 100}}", "{\"a\": 100.0000000000000000000001}", UNCLEAR},
        {"{\"/a\": {\"min\": 10}}", "{\"a\": 9007199254740994}", UNCLEAR},
        {"{\"/a\": {\"min\": 10}}", "{\"a\": 1e300}", UNCLEAR},
        {"{\"/a\": {\"min\": 10}}", "{\"a\": 1e999}", UNCLEAR},
        {"{\"/a\": {\"max\": 10}}", "{\"a\": -1e999}", UNCLEAR},
        {"{\"/a\": {\"equals\": 9007199254740991}}", "{\"a\": 9007199254740993}", UNCLEAR},
        {"{\"/a\": {\"equals\": [9007199254740991]}}", "{\"a\": [9007199254740993]}", UNCLEAR},
        {"{\"/a\": {\"in\": [1, 2]}}", "{\"a\": 1e300}", UNCLEAR},
        {"{\"/a\": {\"max\": 10}}", "{\"a\": \"5\"}", UNCLEAR},
        {"{\"/a\": {\"max\": 10}}", "{\"a\": [5]}", UNCLEAR},
        {"{\"/a\": {\"max\": 9007199254740994}}", "{\"a\": 1}", REFUSED},
        {"{\"/a\": {\"in\": [[1e300]]}}", "{\"a\": 1}", REFUSED},
    };

    CHECK_ROWS(rows);
}

TEST(a_glob_is_about_the_whole_text)
{
    static const struct row rows[] = {
        {"{\"/a\": {\"glob\": \"INV-*\"}}", "{\"a\": \"INV-1/2\"}", YES},
        {"{\"/a\": {\"glob\": \"INV-*\"}}", "{\"a\": \"xINV-1\"}", NO},
        {"{\"/a\": {\"glob\": \"a?c\"}}",
         "{\"a\": \"a\xc3\xbc"
         "c\"}",
         YES},
        {"{\"/a\": {\"glob\": \"a?c\"}}", "{\"a\": \"abbc\"}", NO},
        {"{\"/a\": {\"glob\": \"\"}}", "{\"a\": \"\"}", YES},
        {"{\"/a\": {\"glob\": \"*\"}}", "{\"a\": 1}", UNCLEAR},
        {"{\"/a\": {\"glob\": \"*\"}}", "{\"a\": [\"x\"]}", UNCLEAR},
        {"{\"/a\": {\"glob\": 1}}", "{}", REFUSED},
    };

    CHECK_ROWS(rows);
}

TEST(a_value_may_have_to_be_absent)
{
    static const struct row rows[] = {
        {"{\"/a\": {\"absent\": true}}", "{}", YES},
        {"{\"/a\": {\"absent\": true}}", "{\"a\": null}", NO},
        {"{\"/a/b\": {\"absent\": true}}", "{\"a\": {}}", YES},
        {"{\"/a\": {\"absent\": false}}", "{\"a\": null}", YES},
        {"{\"/a\": {\"absent\": false}}", "{}", NO},
        {"{\"/a\": {\"absent\": 1}}", "{}", REFUSED},
    };

    CHECK_ROWS(rows);
}

TEST(a_key_that_differs_only_in_case_makes_the_value_unclear)
{
    static const struct row rows[] = {
        {"{\"/path\": {\"equals\": 1}}", "{\"path\": 1, \"paths\": 2}", YES},
        {"{\"/path\": {\"equals\": 1}}", "{\"path\": 1, \"Path\": 2}", UNCLEAR},
        {"{\"/path\": {\"equals\": 1}}", "{\"PATH\": 2}", UNCLEAR},
        {"{\"/path\": {\"absent\": true}}", "{\"PATH\": 2}", UNCLEAR},
        {"{\"/mask\": {\"equals\": 1}}", "{\"mask\": 1, \"ma\xc5\xbf\xe2\x84\xaa\": 2}", UNCLEAR},
        {"{\"/mask\": {\"equals\": 1}}", "{\"mask\": 1, \"mas\xc3\xa9\": 2}", YES},
        {"{\"/a/path\": {\"equals\": 1}}", "{\"a\": {\"path\": 1}, \"A\": {}}", UNCLEAR},
        {"{\"/a/path\": {\"equals\": 1}}", "{\"a\": {\"path\": 1}, \"b\": {\"Path\": 2}}", YES},
        {"{\"/a\": {\"equals\": 1}, \"/b\": {\"equals\": 1}}", "{\"a\": 1, \"A\": 1, \"b\": 2}",
         NO},
    };

    CHECK_ROWS(rows);
}

TEST(a_path_and_a_host_are_about_strings)
{
    static const struct row rows[] = {
        {"{\"/a\": {\"under\": \"./out\"}}", "{\"a\": \"out/x\"}", YES},
        {"{\"/a\": {\"under\": \"out\"}}", "{\"a\": \"/srv/out/x\"}", YES},
        {"{\"/a\": {\"under\": \"/srv/out\"}}", "{\"a\": \"x\"}", NO},
        {"{\"/a\": {\"under\": \"out\"}}", "{\"a\": [\"out/x\"]}", UNCLEAR},
        {"{\"/a\": {\"under\": \"out\"}}", "{\"a\": \"out/x\\u0000\"}", (enum cr_truth)8},
        {"{\"/a\": {\"under\": \"/proc/self/cwd\"}}", "{\"a\": \"x\"}", REFUSED},
        {"{\"/a\": {\"host\": \"good.example\"}}", "{\"a\": \"https://good.example/\"}", YES},
        {"{\"/a\": {\"host\": \"good.example\"}}", "{\"a\": \"https://evil.example/\"}", NO},
        {"{\"/a\": {\"host\": \"good.example\"}}", "{\"a\": {}}", UNCLEAR},
        {"{\"/a\": {\"host\": \"https://x/\"}}", "{\"a\": \"\"}", REFUSED},
        {"{\"/a\": {\"hosts\": \"x\"}}", "{\"a\": \"\"}", REFUSED},
    };

    CHECK_ROWS(rows);
}

TEST(args_without_a_tree_are_unclear_and_only_under_needs_files)
{
    struct cr_conditions *c;

    CHECK(cr_conditions_new("{\"/a\": {\"absent\": true}}", "/", &c, &err) == 0);
    CHECK(cr_conditions_hold(c, NULL, NULL) == UNCLEAR && !cr_conditions_need_files(c));
    cr_conditions_free(c);
    CHECK(cr_conditions_new("{\"/a\": {\"min\": 1}, \"/b\": {\"under\": \"x\"}}", "/", &c, &err) ==
          0);
    CHECK(cr_conditions_need_files(c));
    cr_conditions_free(c);
    cr_conditions_free(NULL);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
