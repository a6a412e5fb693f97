/* test_patterns.c - which of several matching patterns decides about a tool. */
#include "tap.h"

#include <time.h>

#include "failing.h"
#include "policy/patterns.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const enum cr_policy_answer answers[] = {CR_POLICY_ALLOW, CR_POLICY_ASK, CR_POLICY_DENY};

/* Patterns that all match "files:read_all", from the strongest level to the weakest. */
static const char *const levels[][4] = {
    {"files:read_all"},
    {"files:read_*", "files:r?ad_all", "files:read_al?"},
    {"files:*", "files", "files:*_all", "files:?ead_all"},
    {"*", "f*", "?iles:read_all", "*:read_all"},
};

struct given {
    enum cr_policy_answer answer;
    const char *pattern;
    enum cr_patterns_source source;
};

static void give(struct cr_patterns *p, struct given g)
{
    struct cr_err err;

    if (cr_patterns_add(p, g.answer, g.pattern, g.source, &err) < 0) {
        printf("# %s\n", err.text);
        tap_failed = 1;
    }
}

static bool says(const struct cr_patterns *p, const char *method, struct given wanted)
{
    struct cr_verdict v;

    cr_patterns_judge(p, method, &v);
    if (v.answer == wanted.answer && v.source == wanted.source &&
        (wanted.pattern ? v.pattern && strcmp(v.pattern, wanted.pattern) == 0 : !v.pattern))
        return true;
    printf("# %s: answer %d by %s, wanted %d by %s\n", method, v.answer,
           v.pattern ? v.pattern : "-", wanted.answer, wanted.pattern ? wanted.pattern : "-");
    return false;
}

/* Does |winner| win over |loser|, whichever was given first? */
static bool wins(struct given winner, struct given loser)
{
    struct cr_patterns p;
    bool both = true;

    for (int order = 0; order < 2; order++) {
        cr_patterns_init(&p);
        give(&p, order ? winner : loser);
        give(&p, order ? loser : winner);
        both = says(&p, "files:read_all", winner) && both;
        cr_patterns_clear(&p);
    }
    return both;
}

/* Does |stronger| win over |weaker| with every pair of answers? */
static bool every_answer_wins(const char *stronger, const char *weaker)
{
    bool all = true;

    for (size_t a = 0; a < COUNT(answers); a++)
        for (size_t b = 0; b < COUNT(answers); b++) {
            struct given winner = {answers[a], stronger, CR_PATTERNS_PROJECT},
                         loser = {answers[b], weaker, CR_PATTERNS_PROJECT};

            all = wins(winner, loser) && all;
            winner.source = CR_PATTERNS_COMMAND_LINE;
            all = wins(winner, loser) && all;
            loser.source = loser.answer != CR_POLICY_DENY ? CR_PATTERNS_USER : CR_PATTERNS_PROJECT;
            all = wins(winner, loser) && all;
        }
    return all;
}

TEST(every_level_wins_over_every_weaker_one_in_both_orders)
{
    for (size_t i = 0; i < COUNT(levels); i++)
        for (size_t j = i + 1; j < COUNT(levels); j++)
            for (size_t a = 0; a < 4 && levels[i][a]; a++)
                for (size_t b = 0; b < 4 && levels[j][b]; b++)
                    CHECK(every_answer_wins(levels[i][a], levels[j][b]));
}

TEST(within_a_level_deny_beats_ask_and_ask_beats_allow)
{
    for (size_t i = 0; i < COUNT(levels); i++)
        for (size_t a = 0; a < 4 && levels[i][a]; a++)
            for (size_t b = 0; b < 4 && levels[i][b]; b++) {
                struct given allow = {CR_POLICY_ALLOW, levels[i][a], CR_PATTERNS_PROJECT};
                struct given ask = {CR_POLICY_ASK, levels[i][b], CR_PATTERNS_PROJECT};
                struct given deny = {CR_POLICY_DENY, levels[i][b], CR_PATTERNS_PROJECT};

                CHECK(wins(ask, allow) && wins(deny, allow));
                ask.pattern = levels[i][a];
                CHECK(wins(deny, ask));
                /* an option that allows does not override a file that denies */
                allow.source = ask.source = CR_PATTERNS_COMMAND_LINE;
                CHECK(wins(deny, allow) && wins(deny, ask));
            }
}

TEST(a_deny_of_the_command_line_or_of_the_users_file_beats_everything)
{
    for (size_t d = 0; d < COUNT(levels); d++)
        for (size_t i = 0; i < COUNT(levels); i++)
            for (size_t a = 0; a < 2; a++) {
                struct given deny = {CR_POLICY_DENY, levels[d][0], CR_PATTERNS_COMMAND_LINE};
                struct given other = {answers[a], levels[i][0], CR_PATTERNS_PROJECT};

                CHECK(wins(deny, other));
                other.source = CR_PATTERNS_COMMAND_LINE;
                CHECK(wins(deny, other));
                other = (struct given){CR_POLICY_DENY, levels[i][0], CR_PATTERNS_PROJECT};
                CHECK(wins(deny, other));
                deny.source = CR_PATTERNS_USER;
                CHECK(wins(deny, other));
                other = (struct given){answers[a], levels[i][0], CR_PATTERNS_COMMAND_LINE};
                CHECK(wins(deny, other));
            }
}

TEST(a_tool_that_no_pattern_matches_is_asked_about)
{
    struct cr_patterns p;

    cr_patterns_init(&p);
    CHECK(says(&p, "files:read_all", (struct given){CR_POLICY_ASK, NULL, CR_PATTERNS_PROJECT}));
    give(&p, (struct given){CR_POLICY_ALLOW, "files:read", CR_PATTERNS_COMMAND_LINE});
    give(&p, (struct given){CR_POLICY_DENY, "file", CR_PATTERNS_COMMAND_LINE});
    give(&p, (struct given){CR_POLICY_ALLOW, "files:read_all_*", CR_PATTERNS_PROJECT});
    CHECK(says(&p, "files:read_all", (struct given){CR_POLICY_ASK, NULL, CR_PATTERNS_PROJECT}));
    CHECK(says(&p, "files:read",
               (struct given){CR_POLICY_ALLOW, "files:read", CR_PATTERNS_COMMAND_LINE}));
    cr_patterns_clear(&p);
    cr_patterns_clear(&p);
    CHECK(says(&p, "files:read", (struct given){CR_POLICY_ASK, NULL, CR_PATTERNS_PROJECT}));
}

TEST(of_two_equal_patterns_the_first_is_reported)
{
    struct cr_patterns p;

    cr_patterns_init(&p);
    give(&p, (struct given){CR_POLICY_ALLOW, "files:*", CR_PATTERNS_PROJECT});
    give(&p, (struct given){CR_POLICY_ALLOW, "files", CR_PATTERNS_COMMAND_LINE});
    CHECK(says(&p, "files:x", (struct given){CR_POLICY_ALLOW, "files:*", CR_PATTERNS_PROJECT}));
    cr_patterns_clear(&p);
}

TEST(the_pattern_is_a_copy)
{
    struct cr_patterns p;
    char text[] = "files:read";

    cr_patterns_init(&p);
    give(&p, (struct given){CR_POLICY_ALLOW, text, CR_PATTERNS_PROJECT});
    memset(text, '*', strlen(text));
    CHECK(
        says(&p, "files:read", (struct given){CR_POLICY_ALLOW, "files:read", CR_PATTERNS_PROJECT}));
    cr_patterns_clear(&p);
}

TEST(an_invalid_pattern_is_refused_and_changes_nothing)
{
    struct cr_patterns p;
    struct cr_err err;

    cr_patterns_init(&p);
    give(&p, (struct given){CR_POLICY_ALLOW, "a", CR_PATTERNS_PROJECT});
    CHECK(cr_patterns_add(&p, CR_POLICY_DENY, "a b", false, &err) == CAPRUN_E_INVAL);
    CHECK(strstr(err.text, "'a b' is not a pattern like \"ns:action\""));
    CHECK(cr_patterns_add(&p, CR_POLICY_DENY, "", true, &err) == CAPRUN_E_INVAL);
    CHECK(cr_patterns_add(&p, CR_POLICY_DENY, "${A}:b", true, NULL) == CAPRUN_E_INVAL);
    CHECK(p.count == 1 &&
          says(&p, "a:b", (struct given){CR_POLICY_ALLOW, "a", CR_PATTERNS_PROJECT}));
    cr_patterns_clear(&p);
}

TEST(names_may_be_strange)
{
    struct cr_patterns p;
    char longest[256];

    (void)snprintf(longest, sizeof(longest), "%064d:%0128d", 1, 2);
    cr_patterns_init(&p);
    give(&p, (struct given){CR_POLICY_DENY, "-:.", CR_PATTERNS_PROJECT});
    give(&p, (struct given){CR_POLICY_ALLOW, "_:../*", CR_PATTERNS_PROJECT});
    give(&p, (struct given){CR_POLICY_DENY, "9", CR_PATTERNS_PROJECT});
    give(&p, (struct given){CR_POLICY_ALLOW, longest, CR_PATTERNS_PROJECT});
    give(&p, (struct given){CR_POLICY_ALLOW, "then:__proto__", CR_PATTERNS_PROJECT});
    CHECK(says(&p, "-:.", (struct given){CR_POLICY_DENY, "-:.", CR_PATTERNS_PROJECT}));
    CHECK(says(&p, "-:..", (struct given){CR_POLICY_ASK, NULL, CR_PATTERNS_PROJECT}));
    CHECK(says(&p, "_:../etc/passwd",
               (struct given){CR_POLICY_ALLOW, "_:../*", CR_PATTERNS_PROJECT}));
    CHECK(says(&p, "9:-", (struct given){CR_POLICY_DENY, "9", CR_PATTERNS_PROJECT}));
    CHECK(says(&p, longest, (struct given){CR_POLICY_ALLOW, longest, CR_PATTERNS_PROJECT}));
    CHECK(says(&p, "then:__proto__",
               (struct given){CR_POLICY_ALLOW, "then:__proto__", CR_PATTERNS_PROJECT}));
    longest[0] = 'x';
    CHECK(says(&p, longest, (struct given){CR_POLICY_ASK, NULL, CR_PATTERNS_PROJECT}));
    cr_patterns_clear(&p);
}

/* --- aliases ------------------------------------------------------------------------------ */

static enum cr_policy_answer alias_answer(const struct cr_patterns *p, const char *method)
{
    struct cr_verdict v;

    cr_patterns_judge_alias(p, method, &v);
    return v.answer;
}

TEST(an_alias_is_judged_as_if_patterns_had_underscores)
{
    struct cr_patterns p;
    struct cr_verdict v;

    cr_patterns_init(&p);
    give(&p, (struct given){CR_POLICY_ALLOW, "my-files:read-file", CR_PATTERNS_PROJECT});
    give(&p, (struct given){CR_POLICY_DENY, "my-files:read-*", CR_PATTERNS_PROJECT});
    give(&p, (struct given){CR_POLICY_ALLOW, "other", CR_PATTERNS_PROJECT});
    cr_patterns_judge_alias(&p, "my_files:read_file", &v);
    CHECK(v.answer == CR_POLICY_ALLOW && strcmp(v.pattern, "my-files:read-file") == 0);
    CHECK(alias_answer(&p, "my-files:read_file") == CR_POLICY_ALLOW);
    CHECK(alias_answer(&p, "my_files:read_dir") == CR_POLICY_DENY);
    CHECK(alias_answer(&p, "other:x") == CR_POLICY_ALLOW);
    CHECK(alias_answer(&p, "my_file:x") == CR_POLICY_ASK);
    /* exact names */
    CHECK(says(&p, "my_files:read_file", (struct given){CR_POLICY_ASK, NULL, CR_PATTERNS_PROJECT}));
    CHECK(says(&p, "my-files:read_file", (struct given){CR_POLICY_ASK, NULL, CR_PATTERNS_PROJECT}));
    CHECK(says(&p, "my-files:read-file",
               (struct given){CR_POLICY_ALLOW, "my-files:read-file", CR_PATTERNS_PROJECT}));
    /* two tools share an alias: a deny of either one counts until the exact tool is known */
    give(&p, (struct given){CR_POLICY_DENY, "my-files:read.file", CR_PATTERNS_PROJECT});
    CHECK(alias_answer(&p, "my_files:read_file") == CR_POLICY_DENY);
    cr_patterns_clear(&p);
}

/* --- many of them ------------------------------------------------------------------------- */

static unsigned seed = 1;

static unsigned chance(unsigned below)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % below;
}

/* A few letters only, so that many patterns match. */
static const char *spell(char *out, const char *letters, unsigned most)
{
    char *at = out;

    for (unsigned len = 1 + chance(most); len; len--)
        *at++ = letters[chance((unsigned)strlen(letters))];
    *at = '\0';
    return out;
}

static struct given any_pattern(char out[16])
{
    char ns[8], action[8];

    spell(ns, "aab-*", 2);
    if (chance(4))
        (void)snprintf(out, 16, "%s:%s", ns, spell(action, "aab._*?", 3));
    else
        (void)snprintf(out, 16, "%s", ns);
    return (struct given){answers[chance(3)], out, chance(2)};
}

TEST(one_more_deny_never_allows_more)
{
    for (int round = 0; round < 20000; round++) {
        char pattern[16], method[16], ns[8], action[8];
        struct cr_verdict before[2], after[2];
        struct cr_patterns p;
        struct given deny;

        cr_patterns_init(&p);
        for (unsigned i = chance(6); i; i--)
            give(&p, any_pattern(pattern));
        (void)snprintf(method, sizeof(method), "%s:%s", spell(ns, "ab-", 2),
                       spell(action, "ab._", 3));
        cr_patterns_judge(&p, method, &before[0]);
        cr_patterns_judge_alias(&p, method, &before[1]);
        deny = any_pattern(pattern);
        deny.answer = CR_POLICY_DENY;
        give(&p, deny);
        cr_patterns_judge(&p, method, &after[0]);
        cr_patterns_judge_alias(&p, method, &after[1]);
        for (int i = 0; i < 2; i++)
            CHECK(after[i].answer == before[i].answer || after[i].answer == CR_POLICY_DENY);
        cr_patterns_clear(&p);
    }
}

TEST(as_many_as_there_may_be_of_the_worst_globs_take_no_time)
{
    struct cr_patterns p;
    struct cr_verdict v;
    char pattern[160] = "ns:", method[160] = "ns:";
    clock_t start;

    for (int i = 3; i < 131; i++) {
        pattern[i] = i % 2 ? '*' : 'a';
        method[i] = 'a';
    }
    pattern[130] = 'x';
    cr_patterns_init(&p);
    for (int i = 0; i < CR_PATTERNS_MAX; i++)
        give(&p, (struct given){CR_POLICY_ALLOW, pattern, CR_PATTERNS_PROJECT});
    start = clock();
    cr_patterns_judge(&p, method, &v);
    CHECK(v.answer == CR_POLICY_ASK);
    CHECK(clock() - start < 2 * CLOCKS_PER_SEC);
    cr_patterns_clear(&p);
}

TEST(without_memory_a_pattern_is_refused_and_the_others_hold)
{
    int failed = 0;

    while (failing_more()) {
        struct cr_patterns p;
        struct cr_err err;
        int first, second;

        cr_patterns_init(&p);
        first = cr_patterns_add(&p, CR_POLICY_DENY, "a", false, &err);
        second = cr_patterns_add(&p, CR_POLICY_DENY, "b", false, &err);
        failing_stop();
        CHECK((first == 0 || first == CAPRUN_E_NOMEM) && (second == 0 || second == CAPRUN_E_NOMEM));
        CHECK(p.count == (size_t)(first == 0) + (second == 0));
        CHECK(says(&p, "a:x",
                   (struct given){first ? CR_POLICY_ASK : CR_POLICY_DENY, first ? NULL : "a",
                                  CR_PATTERNS_PROJECT}));
        CHECK(says(&p, "b:x",
                   (struct given){second ? CR_POLICY_ASK : CR_POLICY_DENY, second ? NULL : "b",
                                  CR_PATTERNS_PROJECT}));
        failed += first < 0 || second < 0;
        cr_patterns_clear(&p);
    }
    CHECK(!failing_works() || failed == 4); /* the list, the keys, each pattern */
}

TEST(a_name_that_is_too_long_matches_no_pattern)
{
    char name[300] = "s:";
    struct cr_patterns p;

    cr_patterns_init(&p);
    give(&p, (struct given){CR_POLICY_ALLOW, "s:a*", CR_PATTERNS_PROJECT});
    memset(name + 2, 'a', CR_PATTERNS_NAME_MAX - 2);
    CHECK(says(&p, name, (struct given){CR_POLICY_ALLOW, "s:a*", CR_PATTERNS_PROJECT}));
    name[CR_PATTERNS_NAME_MAX] = 'a';
    CHECK(says(&p, name, (struct given){CR_POLICY_ASK, NULL, CR_PATTERNS_PROJECT}));
    cr_patterns_clear(&p);
}

TEST(there_is_room_for_a_thousand)
{
    struct cr_patterns p;
    struct cr_err err;

    cr_patterns_init(&p);
    for (int i = 0; i < CR_PATTERNS_MAX; i++)
        CHECK(cr_patterns_add(&p, CR_POLICY_DENY, "a:x", false, &err) == 0);
    CHECK(cr_patterns_add(&p, CR_POLICY_DENY, "b:x", false, &err) == CAPRUN_E_TOOBIG);
    CHECK(strstr(err.text, "'b:x' is one pattern too many: 1000 are allowed"));
    CHECK(p.count == CR_PATTERNS_MAX &&
          says(&p, "a:x", (struct given){CR_POLICY_DENY, "a:x", CR_PATTERNS_PROJECT}));
    cr_patterns_clear(&p);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
