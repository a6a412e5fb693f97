/* test_problem.c - an outcome, words and a hint in one statement. */
#include "tap.h"

#include <stdlib.h>

#include "base/problem.h"

static struct cr_problem why;

TEST(setting_fills_all_three_and_is_an_error)
{
    CHECK(cr_problem_set(&why, CAPRUN_OUTCOME_NOT_FOUND, "try --registry", "'%s' is in no %s", "a",
                         "registry") == CAPRUN_E_INVAL);
    CHECK(why.outcome == CAPRUN_OUTCOME_NOT_FOUND);
    CHECK(strcmp(why.text, "'a' is in no registry") == 0);
    CHECK(strcmp(why.hint, "try --registry") == 0);
}

TEST(without_a_hint_an_old_one_is_forgotten)
{
    (void)cr_problem_set(&why, CAPRUN_OUTCOME_NOT_FOUND, "old", "old");
    (void)cr_problem_set(&why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "new");
    CHECK(why.outcome == CAPRUN_OUTCOME_CONFIG_ERROR);
    CHECK(strcmp(why.text, "new") == 0 && strcmp(why.hint, "") == 0);
}

TEST(a_hint_may_be_put_together_later)
{
    (void)cr_problem_set(&why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH, NULL, "changed");
    CHECK(cr_problem_hint(&why, "caprun lock --accept %s", "a.b.c.d") == CAPRUN_E_INVAL);
    CHECK(strcmp(why.text, "changed") == 0);
    CHECK(strcmp(why.hint, "caprun lock --accept a.b.c.d") == 0);
}

TEST(a_hint_is_no_format)
{
    (void)cr_problem_set(&why, CAPRUN_OUTCOME_CONFIG_ERROR, "100%s %n", "x");
    CHECK(strcmp(why.hint, "100%s %n") == 0);
}

TEST(what_is_too_long_is_cut)
{
    static char text[100000];

    memset(text, 'x', sizeof(text) - 1);
    (void)cr_problem_set(&why, CAPRUN_OUTCOME_CONFIG_ERROR, text, "%s", text);
    CHECK(strlen(why.text) == sizeof(why.text) - 1 && strlen(why.hint) == sizeof(why.hint) - 1);
    (void)cr_problem_hint(&why, "%s", text);
    CHECK(strlen(why.hint) == sizeof(why.hint) - 1);
}

TEST(no_memory_is_an_internal_error)
{
    (void)cr_problem_set(&why, CAPRUN_OUTCOME_NOT_FOUND, "old", "old");
    CHECK(cr_problem_memory(&why) == CAPRUN_E_NOMEM);
    CHECK(why.outcome == CAPRUN_OUTCOME_INTERNAL);
    CHECK(strcmp(why.text, "no memory") == 0 && strcmp(why.hint, "") == 0);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
