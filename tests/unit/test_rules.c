/*
 * test_rules.c - which of many rules and patterns decides about a call. Whether conditions hold is
 * given here; test_conditions.c finds it out.
 */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "counting.h"
#include "policy/rules.h"

static struct cr_patterns patterns;
static struct cr_rules rules;
static struct cr_budgets budgets;
static struct cr_verdict v;
static struct cr_err err;
static uint8_t truths[16];
static int64_t now_us;

static bool begin(void)
{
    cr_patterns_init(&patterns);
    rules = (struct cr_rules){0};
    memset(truths, CR_TRUTH_NO, sizeof(truths));
    now_us = 1000;
    return true;
}

static bool end(void)
{
    cr_patterns_clear(&patterns);
    cr_rules_clear(&rules);
    cr_budgets_clear(&budgets);
    return true;
}

#define ALLOW CR_POLICY_ALLOW
#define ASK CR_POLICY_ASK
#define DENY CR_POLICY_DENY

static bool pattern(enum cr_policy_answer answer, const char *text, bool forbids)
{
    enum cr_patterns_source source = forbids ? CR_PATTERNS_COMMAND_LINE : CR_PATTERNS_PROJECT;

    return cr_patterns_add(&patterns, answer, text, source, &err) == 0;
}

static bool add(struct cr_rule_spec spec)
{
    return cr_rules_add(&rules, &patterns, &spec, "/", &err) == 0;
}

static enum cr_policy_answer judge(const char *method, const char *caller, bool by_alias)
{
    cr_rules_judge(&patterns,
                   &(struct cr_facts){.method = method,
                                      .by_alias = by_alias,
                                      .caller = caller,
                                      .truths = truths,
                                      .truth_count = 16,
                                      .budgets = &budgets,
                                      .now_us = now_us},
                   &v);
    return v.answer;
}

static enum cr_policy_answer ask(const char *method)
{
    return judge(method, "exec", false);
}

/* Judges, and counts the call if it is allowed. */
static enum cr_policy_answer call(const char *method)
{
    if (ask(method) == ALLOW && v.rule &&
        cr_budgets_count(&budgets, &rules, v.rule) +
                cr_budgets_time(&budgets, &rules, v.rule, now_us) <
            0)
        return DENY;
    return v.answer;
}

/* --- a table of precedence ------------------------------------------------------------------- */

/* Each row: patterns and rules in any order, and the answer about "a:read_x". */
static const struct row {
    const char *given; /* words: allow:PAT, ask:PAT, deny:PAT; --deny:PAT; when-ANSWER:PAT for a
                          rule whose conditions hold, else-ANSWER:PAT for one whose do not,
                          maybe-ANSWER:PAT for one where that is unclear, rule-ANSWER:PAT for one
                          without conditions */
    enum cr_policy_answer answer;
} table[] = {
    {"", ASK},
    /* a rule without conditions ranks as a pattern */
    {"rule-allow:a:read_x", ALLOW},
    {"rule-allow:a:read_y", ASK},
    {"rule-allow:a deny:*", ALLOW},
    {"allow:a rule-deny:*", ALLOW},
    {"rule-allow:a deny:a", DENY},
    {"allow:a rule-deny:a", DENY},
    {"rule-allow:a:read_* deny:a", ALLOW},
    {"rule-allow:a deny:a:read_*", DENY},
    {"rule-ask:a allow:a", ASK},
    {"rule-ask:a allow:a:read_*", ALLOW},
    {"rule-allow:a:read_x --deny:a:read_x", DENY},
    {"rule-allow:a:read_x --deny:*", DENY},
    /* a rule with conditions is above all patterns */
    {"when-deny:* allow:a:read_x", DENY},
    {"when-ask:* allow:a:read_x", ASK},
    {"when-allow:* ask:a:read_x", ALLOW},
    {"when-allow:*", ALLOW},
    {"else-allow:*", ASK},
    {"else-deny:* allow:a:read_x", ALLOW},
    {"else-ask:* allow:a:read_x", ALLOW},
    {"when-allow:a:read_x --deny:*", DENY},
    {"when-ask:a:read_x --deny:*", DENY},
    /* unclear: only what is strict applies */
    {"maybe-allow:a:read_x", ASK},
    {"maybe-allow:a:read_x deny:a", DENY},
    {"maybe-deny:* allow:a:read_x", DENY},
    {"maybe-ask:* allow:a:read_x", ASK},
    {"maybe-ask:a:read_x deny:a", DENY},
    {"maybe-ask:* when-allow:a:read_x", ASK},
    /* an allow with conditions beats a deny only if its tools rank above the deny's */
    {"when-allow:a:read_x deny:a:read_*", ALLOW},
    {"when-allow:a:read_x deny:a:read_x", DENY},
    {"when-allow:a:read_* deny:a", ALLOW},
    {"when-allow:a:read_* deny:a:read_*", DENY},
    {"when-allow:a:read_* deny:a:read_x", DENY},
    {"when-allow:a deny:*", ALLOW},
    {"when-allow:a deny:a", DENY},
    {"when-allow:a deny:a:*", DENY},
    {"when-allow:* deny:*", DENY},
    {"when-allow:a rule-deny:a", DENY},
    {"when-allow:a:read_x rule-deny:a", ALLOW},
    {"when-allow:a deny:a:read_* allow:a:read_x", ALLOW}, /* by the exact name */
    {"when-allow:a deny:a:read_* ask:a:read_x", ASK},
    /* the same for a rule that asks */
    {"when-ask:a:read_x deny:a", ASK},
    {"when-ask:a:read_x deny:a:read_x", DENY},
    {"when-ask:a deny:a", DENY},
    {"when-ask:a deny:a:read_* allow:a:read_x", ASK},
    /* among rules with conditions deny beats ask beats allow, whatever their tools */
    {"when-allow:a:read_x when-deny:*", DENY},
    {"when-allow:a:read_x when-ask:*", ASK},
    {"when-ask:a:read_x when-deny:*", DENY},
    {"when-allow:a:read_x else-deny:*", ALLOW},
    {"when-allow:a:read_x else-ask:*", ALLOW},
    {"when-allow:a:read_x when-ask:* deny:a", DENY},
    {"when-allow:a:read_x when-allow:* deny:a", ALLOW},
    {"when-allow:* when-allow:a:read_x deny:a", ALLOW},
    /* other tools */
    {"when-allow:b deny:a", DENY},
    {"when-deny:b allow:a", ALLOW},
    {"when-deny:a:read_y allow:a", ALLOW},
};

static bool add_word(char *word)
{
    static const struct {
        const char *prefix;
        enum cr_truth truth;
    } kinds[] = {{"when-", CR_TRUTH_YES}, {"else-", CR_TRUTH_NO}, {"maybe-", CR_TRUTH_UNCLEAR}};
    static const char *const names[] = {"allow:", "ask:", "deny:"};
    struct cr_rule_spec spec = {0};
    bool is_rule = strncmp(word, "rule-", 5) == 0, forbids = strncmp(word, "--", 2) == 0;

    word += is_rule ? 5 : forbids ? 2 : 0;
    for (size_t i = 0; i < 3; i++)
        if (strncmp(word, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) {
            word += strlen(kinds[i].prefix);
            spec.when = "{\"/x\": {\"absent\": true}}";
            truths[rules.count] = (uint8_t)kinds[i].truth;
        }
    for (int i = 0; i < 3; i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0) {
            spec.then = (enum cr_policy_answer)i;
            spec.tool = word + strlen(names[i]);
        }
    if (!spec.tool)
        return false;
    return is_rule || spec.when ? add(spec) : pattern(spec.then, spec.tool, forbids);
}

/* Adds the words of |given|, in the given or the other order. */
static bool add_all(const char *given, bool backwards)
{
    char copy[256], *words[8], *rest = NULL;
    int count = 0;

    (void)snprintf(copy, sizeof(copy), "%s", given);
    for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
        words[count++] = w;
    for (int i = 0; i < count; i++)
        if (!add_word(words[backwards ? count - 1 - i : i]))
            return false;
    return true;
}

TEST(the_order_of_rules_and_patterns_is_the_documented_one)
{
    bool right = true;

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        for (int backwards = 0; backwards < 2; backwards++) {
            CHECK(begin() && add_all(table[i].given, backwards));
            if (ask("a:read_x") != table[i].answer) {
                (void)fprintf(stderr, "# %s: %d\n", table[i].given, (int)v.answer);
                right = false;
            }
            CHECK(end());
        }
    CHECK(right);
}

TEST(the_verdict_names_the_rule)
{
    CHECK(begin() && pattern(DENY, "*", false));
    CHECK(add((struct cr_rule_spec){.id = "mine", .tool = "a:x", .then = ALLOW}));
    CHECK(add((struct cr_rule_spec){.tool = "a:y", .then = ALLOW}));
    CHECK(ask("a:x") == ALLOW && strcmp(v.rule->name, "mine") == 0);
    CHECK(ask("a:y") == ALLOW && strcmp(v.rule->name, "#2") == 0);
    CHECK(ask("a:z") == DENY && !v.rule && strcmp(v.pattern, "*") == 0);
    CHECK(end());
}

TEST(a_rule_may_be_for_one_capability)
{
    CHECK(begin());
    CHECK(add((struct cr_rule_spec){.tool = "a", .then = ALLOW, .caller = "acme.tools.a.b"}));
    CHECK(add((struct cr_rule_spec){.tool = "b", .then = ALLOW, .caller = "exec"}));
    CHECK(judge("a:x", "acme.tools.a.b", false) == ALLOW);
    CHECK(judge("a:x", "acme.tools.a.c", false) == ASK && judge("a:x", "exec", false) == ASK);
    CHECK(judge("a:x", NULL, false) == ASK);
    CHECK(judge("b:x", "exec", false) == ALLOW && judge("b:x", "acme.tools.a.b", false) == ASK);
    CHECK(end());
}

/* The answer of a remembered rule to a call with these hashes; early: before the tool is known. */
static enum cr_policy_answer judge_pins(const char *code, const char *tool, const char *server,
                                        bool is_early)
{
    cr_rules_judge(&patterns,
                   &(struct cr_facts){.method = "s:t",
                                      .budgets = &budgets,
                                      .pins = {code, tool, server},
                                      .is_early = is_early},
                   &v);
    return v.answer;
}

TEST(a_remembered_rule_is_bound_to_code_tool_and_server)
{
    CHECK(begin());
    CHECK(add((struct cr_rule_spec){
        .id = "1", .tool = "s:t", .pins = {"code", "tool", "server"}, .is_own = true}));
    CHECK(rules.has_pins);
    CHECK(judge_pins("code", "tool", "server", false) == CR_POLICY_ALLOW && v.rule->is_own);
    CHECK(judge_pins("other", "tool", "server", false) == CR_POLICY_ASK);
    CHECK(judge_pins("code", "other", "server", false) == CR_POLICY_ASK);
    CHECK(judge_pins("code", "tool", "other", false) == CR_POLICY_ASK);
    CHECK(judge_pins(NULL, NULL, NULL, false) == CR_POLICY_ASK);
    CHECK(judge_pins("code", NULL, "server", true) == CR_POLICY_ALLOW);
    CHECK(judge_pins("other", NULL, "server", true) == CR_POLICY_ASK);
    /* such rules have ids of their own */
    CHECK(!cr_rules_find(&rules, "1"));
    CHECK(add((struct cr_rule_spec){.id = "1", .tool = "s:u"}));
    CHECK(end());
}

TEST(tools_of_a_rule_can_be_read_by_alias)
{
    CHECK(begin() && add((struct cr_rule_spec){.tool = "my-a:read-x", .then = ALLOW}));
    CHECK(judge("my_a:read_x", "exec", true) == ALLOW &&
          judge("my_a:read_x", "exec", false) == ASK);
    CHECK(judge("my-a:read-x", "exec", false) == ALLOW && end());
}

/* --- budgets --------------------------------------------------------------------------------- */

TEST(a_spent_allow_asks_and_never_becomes_a_weaker_allow)
{
    CHECK(begin() && pattern(ALLOW, "a", false) && pattern(ALLOW, "*", false));
    CHECK(add((struct cr_rule_spec){.tool = "a:x", .then = ALLOW, .max_calls = 2}));
    CHECK(call("a:x") == ALLOW && !v.is_spent && call("a:x") == ALLOW);
    CHECK(call("a:x") == ASK && v.is_spent && v.rule && call("a:x") == ASK);
    CHECK(call("a:y") == ALLOW && end());
}

TEST(the_same_holds_for_a_rule_with_conditions)
{
    CHECK(begin() && pattern(ALLOW, "a:x", false) && pattern(DENY, "*", false));
    CHECK(add((struct cr_rule_spec){
        .tool = "a", .then = ALLOW, .max_calls = 1, .when = "{\"/x\": {\"min\": 1}}"}));
    truths[0] = CR_TRUTH_YES;
    CHECK(call("a:x") == ALLOW && call("a:x") == ASK && call("a:y") == ASK);
    truths[0] = CR_TRUTH_NO;
    CHECK(call("a:x") == ALLOW && call("a:y") == DENY);
    CHECK(pattern(DENY, "a:y", false)); /* a deny that is stronger than the rule stays */
    truths[0] = CR_TRUTH_YES;
    CHECK(call("a:y") == DENY && end());
}

TEST(a_spent_ask_denies)
{
    CHECK(begin() && pattern(ALLOW, "*", false));
    CHECK(add((struct cr_rule_spec){.id = "few", .tool = "a", .then = ASK, .max_calls = 1}));
    CHECK(ask("a:x") == ASK && cr_budgets_count(&budgets, &rules, v.rule) == 0);
    CHECK(ask("a:x") == DENY && v.is_spent && end());
}

TEST(a_call_that_was_counted_is_not_refused_by_its_own_budget)
{
    CHECK(begin() && add((struct cr_rule_spec){.tool = "a", .then = ALLOW, .max_calls = 1}));
    CHECK(call("a:x") == ALLOW);
    cr_rules_judge(&patterns,
                   &(struct cr_facts){
                       .method = "a:x", .budgets = &budgets, .counted = v.rule, .now_us = now_us},
                   &v);
    CHECK(v.answer == ALLOW && call("a:x") == ASK && end());
}

TEST(calls_before_a_resume_count_once_for_their_rules)
{
    struct cr_budgets_earlier list[] = {{"b", 1}, {"a", 1}, {"b", 1}, {"gone", 1}};

    CHECK(begin());
    CHECK(add((struct cr_rule_spec){.id = "a", .tool = "a:x", .then = ALLOW, .max_calls = 2}));
    CHECK(add((struct cr_rule_spec){.id = "b", .tool = "a:y", .then = ALLOW, .max_calls = 2}));
    CHECK(add((struct cr_rule_spec){.id = "c", .tool = "a:z", .then = ALLOW, .max_calls = 1}));
    budgets.earlier = list;
    budgets.earlier_count = cr_budgets_sum_earlier(list, 4);
    CHECK(budgets.earlier_count == 3);
    CHECK(cr_budgets_begin(&budgets, &rules, now_us) == 0);
    CHECK(cr_budgets_begin(&budgets, &rules, now_us) == 0);
    CHECK(call("a:x") == ALLOW && call("a:x") == ASK);
    CHECK(call("a:y") == ASK && call("a:z") == ALLOW && end());
}

TEST(a_rate_is_about_every_span_of_that_length)
{
    struct cr_rule_spec spec = {.tool = "a", .then = ALLOW, .rate_calls = 3, .rate_ms = 10};

    CHECK(begin() && add(spec));
    for (int i = 0; i < 3; i++, now_us += 3000)
        CHECK(call("a:x") == ALLOW);
    CHECK(call("a:x") == ASK); /* 9 ms after the first */
    now_us += 999;
    CHECK(call("a:x") == ASK);
    now_us += 1;
    CHECK(call("a:x") == ALLOW && call("a:x") == ASK);
    now_us += 3000;
    CHECK(call("a:x") == ALLOW && call("a:x") == ASK);
    now_us += 100000;
    for (int i = 0; i < 3; i++)
        CHECK(call("a:x") == ALLOW);
    CHECK(call("a:x") == ASK && end());
}

TEST(each_rule_has_a_budget_of_its_own)
{
    CHECK(begin() && add((struct cr_rule_spec){.tool = "a", .then = ALLOW, .max_calls = 1}));
    CHECK(add((struct cr_rule_spec){.tool = "b", .then = ALLOW, .max_calls = 2}));
    CHECK(call("a:x") == ALLOW && call("b:x") == ALLOW && call("b:x") == ALLOW);
    CHECK(call("a:x") == ASK && call("b:x") == ASK && end());
}

TEST(a_rule_that_could_not_work_is_refused)
{
    CHECK(begin());
    CHECK(!add((struct cr_rule_spec){.tool = "a", .then = DENY, .max_calls = 1}));
    CHECK(strstr(err.text, "cannot have \"maxCalls\""));
    CHECK(!add((struct cr_rule_spec){.tool = "a", .then = DENY, .rate_calls = 1, .rate_ms = 1}));
    CHECK(!add((struct cr_rule_spec){.tool = "a:", .then = ALLOW}));
    CHECK(add((struct cr_rule_spec){.id = "x", .tool = "c", .then = ALLOW}));
    CHECK(!add((struct cr_rule_spec){.id = "x", .tool = "d", .then = ALLOW}));
    CHECK(strstr(err.text, "another rule has the id \"x\""));
    CHECK(!add((struct cr_rule_spec){.tool = "a", .then = ALLOW, .when = "{\"/a\": {\"x\": 1}}"}));
    CHECK(rules.count == 1 && ask("a:x") == ASK && end());
}

/* --- any of them ------------------------------------------------------------------------------ */

static unsigned seed = 1;

static unsigned chance(unsigned below)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % below;
}

static bool add_any(const char *first)
{
    static const char *const kinds[] = {"", "--", "rule-", "when-", "else-", "maybe-"};
    static const char *const tools[] = {"a:x", "a:y", "a:*", "a", "*", "*:x", "b", "a:?"};
    static const char *const names[] = {"allow", "ask", "deny"};
    char word[64];

    (void)snprintf(word, sizeof(word), "%s%s:%s", kinds[chance(6)],
                   first ? first : names[chance(3)], tools[chance(8)]);
    return add_word(word);
}

TEST(one_more_deny_never_allows_more)
{
    for (int round = 0; round < 20000; round++) {
        enum cr_policy_answer before;

        CHECK(begin());
        for (unsigned i = chance(6); i; i--)
            CHECK(add_any(NULL));
        before = ask("a:x");
        CHECK(add_any("deny"));
        CHECK(ask("a:x") >= before); /* ALLOW < ASK < DENY */
        CHECK(end());
    }
}

TEST(what_is_unclear_never_allows_more_than_what_is_clear)
{
    for (int round = 0; round < 20000; round++) {
        enum cr_policy_answer before;
        unsigned changed;

        CHECK(begin());
        for (unsigned i = 1 + chance(6); i; i--)
            CHECK(add_any(NULL));
        changed = rules.count ? chance((unsigned)rules.count) : 0;
        before = ask("a:x");
        truths[changed] = CR_TRUTH_UNCLEAR;
        CHECK(ask("a:x") >= before);
        CHECK(end());
    }
}

/* A resume looks for the rule of each call that was made before. */
TEST(a_rule_is_found_among_a_thousand_with_few_comparisons)
{
    char name[200];

    CHECK(begin());
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof(name), "rule-%d", i);
        CHECK(add((struct cr_rule_spec){.id = i % 2 ? name : NULL, .tool = "a", .then = ALLOW}));
    }
    counting_comparisons = 0;
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof(name), i % 2 ? "rule-%d" : "#%d", i % 2 ? i : i + 1);
        CHECK(cr_rules_find(&rules, name) && cr_rules_find(&rules, name)->index == (size_t)i);
        (void)snprintf(name, sizeof(name), "server:read_%d*", i); /* a pattern is no rule */
        CHECK(!cr_rules_find(&rules, name));
    }
    printf("# %zu comparisons\n", counting_comparisons);
    CHECK(counting_comparisons < 3000 * 3 && end());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
