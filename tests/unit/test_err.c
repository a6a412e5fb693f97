/* test_err.c - struct cr_err: setting a code or outcome, a message and a hint in one statement. */
#include "tap.h"

#include <errno.h>

#include "base/err.h"

TEST(set_returns_the_code_and_writes_code_and_words)
{
    struct cr_err err = {0};

    CHECK(cr_err_set(&err, CAPRUN_E_TOOBIG, "'%s' is over %u bytes", "f", 7u) == CAPRUN_E_TOOBIG);
    CHECK(err.code == CAPRUN_E_TOOBIG);
    CHECK(strcmp(err.text, "'f' is over 7 bytes") == 0);
}

TEST(a_later_error_replaces_the_first)
{
    struct cr_err err = {0};

    (void)cr_err_set(&err, CAPRUN_E_TOOBIG, "a long first text");
    CHECK(cr_err_set(&err, CAPRUN_E_INVAL, "short") == CAPRUN_E_INVAL);
    CHECK(err.code == CAPRUN_E_INVAL && strcmp(err.text, "short") == 0);
}

TEST(a_null_error_struct_is_allowed)
{
    errno = ENOENT;
    CHECK(cr_err_set(NULL, CAPRUN_E_NOMEM, "no memory") == CAPRUN_E_NOMEM);
    CHECK(cr_err_sys(NULL, "open") == CAPRUN_E_SYS);
    CHECK(errno == ENOENT);
}

TEST(sys_adds_the_words_for_errno_and_keeps_it)
{
    struct cr_err err = {0};

    errno = ENOENT;
    CHECK(cr_err_sys(&err, "open '%s'", "x") == CAPRUN_E_SYS);
    CHECK(errno == ENOENT && err.code == CAPRUN_E_SYS);
    CHECK(strcmp(err.text, "open 'x': No such file or directory") == 0);
}

TEST(words_that_are_too_long_are_cut_and_end_in_a_nul)
{
    const size_t room = sizeof(((struct cr_err *)NULL)->text) - 1;
    struct cr_err err;

    memset(&err, 'z', sizeof(err));
    (void)cr_err_set(&err, CAPRUN_E_INVAL, "%*d", 9000, 1);
    CHECK(strnlen(err.text, sizeof(err.text)) == room);
    memset(&err, 'z', sizeof(err));
    errno = EPERM;
    (void)cr_err_sys(&err, "%*d", 9000, 1);
    CHECK(strnlen(err.text, sizeof(err.text)) == room && errno == EPERM);
}

TEST(the_words_of_errno_are_cut_at_every_length)
{
    for (int len = 480; len < 520; len++) {
        struct cr_err err;

        memset(&err, 'z', sizeof(err));
        errno = ENOENT;
        (void)cr_err_sys(&err, "%*d", len, 1);
        CHECK(strnlen(err.text, sizeof(err.text)) < sizeof(err.text));
    }
}

TEST(every_code_is_negative_and_its_number_is_never_changed)
{
    CHECK(CAPRUN_E_NOMEM == -1 && CAPRUN_E_INVAL == -2 && CAPRUN_E_TOOBIG == -3);
    CHECK(CAPRUN_E_SYS == -4 && CAPRUN_E_STATE == -5 && CAPRUN_E_SANDBOX == -6);
    CHECK(CAPRUN_E_PEER == -7);
}

/* --- what ends a run ------------------------------------------------------------------------ */

static struct cr_err why;

TEST(setting_fills_all_three_and_is_an_error)
{
    CHECK(cr_err_end(&why, CAPRUN_OUTCOME_NOT_FOUND, "try --registry", "'%s' is in no %s", "a",
                     "registry") == CAPRUN_E_INVAL);
    CHECK(why.outcome == CAPRUN_OUTCOME_NOT_FOUND);
    CHECK(strcmp(why.text, "'a' is in no registry") == 0);
    CHECK(strcmp(why.hint, "try --registry") == 0);
}

TEST(without_a_hint_an_old_one_is_forgotten)
{
    (void)cr_err_end(&why, CAPRUN_OUTCOME_NOT_FOUND, "old", "old");
    (void)cr_err_end(&why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "new");
    CHECK(why.outcome == CAPRUN_OUTCOME_CONFIG_ERROR);
    CHECK(strcmp(why.text, "new") == 0 && strcmp(why.hint, "") == 0);
}

TEST(a_hint_may_be_put_together_later)
{
    (void)cr_err_end(&why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH, NULL, "changed");
    CHECK(cr_err_hint(&why, "caprun lock --accept %s", "a.b.c.d") == CAPRUN_E_INVAL);
    CHECK(strcmp(why.text, "changed") == 0);
    CHECK(strcmp(why.hint, "caprun lock --accept a.b.c.d") == 0);
}

TEST(a_hint_is_no_format)
{
    (void)cr_err_end(&why, CAPRUN_OUTCOME_CONFIG_ERROR, "100%s %n", "x");
    CHECK(strcmp(why.hint, "100%s %n") == 0);
}

TEST(what_is_too_long_is_cut)
{
    static char text[100000];

    memset(text, 'x', sizeof(text) - 1);
    (void)cr_err_end(&why, CAPRUN_OUTCOME_CONFIG_ERROR, text, "%s", text);
    CHECK(strlen(why.text) == sizeof(why.text) - 1 && strlen(why.hint) == sizeof(why.hint) - 1);
    (void)cr_err_hint(&why, "%s", text);
    CHECK(strlen(why.hint) == sizeof(why.hint) - 1);
}

TEST(no_memory_is_an_internal_error)
{
    (void)cr_err_end(&why, CAPRUN_OUTCOME_NOT_FOUND, "old", "old");
    CHECK(cr_err_memory(&why) == CAPRUN_E_NOMEM);
    CHECK(why.outcome == CAPRUN_OUTCOME_INTERNAL);
    CHECK(strcmp(why.text, "no memory") == 0 && strcmp(why.hint, "") == 0);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
