/*
 * test_policy.c - is a call allowed? The capability's list of tools, the patterns, and a person,
 * who answers later. test_patterns.c tests which of many patterns wins.
 */
#include "tap.h"

#include <stdlib.h>

#include "base/loop.h"
#include "policy/lookup.h"
#include "policy/policy.h"

static struct cr_policy policy;
static struct cr_tool_list tools;
static struct cr_ruling ruling;
static struct cr_pending pending;
static struct cr_err err;

static bool begin(const char *allow, const char *ask, const char *deny)
{
    policy = (struct cr_policy){0};
    cr_tool_list_init(&tools);
    return (!allow || cr_patterns_add(&policy.patterns, CR_POLICY_ALLOW, allow, CR_PATTERNS_PROJECT,
                                      &err) == 0) &&
           (!ask || cr_patterns_add(&policy.patterns, CR_POLICY_ASK, ask, CR_PATTERNS_PROJECT,
                                    &err) == 0) &&
           (!deny || cr_patterns_add(&policy.patterns, CR_POLICY_DENY, deny, CR_PATTERNS_PROJECT,
                                     &err) == 0);
}

static bool end(void)
{
    cr_policy_clear(&policy);
    cr_tool_list_clear(&tools);
    return true;
}

static enum cr_ruling_answer ask(const char *called, const char *tool)
{
    struct cr_question q = {.run = "r",
                            .method = called,
                            .called = called,
                            .tool = tool,
                            .tools = &tools,
                            .args = "{}",
                            .args_len = 2};

    cr_policy_ask(&policy, &q, &pending, &ruling);
    return ruling.answer;
}

TEST(a_tool_that_is_not_allowed_is_denied_and_the_message_says_how_to_allow_it)
{
    CHECK(begin(NULL, NULL, NULL));
    CHECK(ask("files:read", NULL) == CR_RULING_DENIED && strcmp(ruling.by, "no_channel") == 0);
    CHECK(strstr(ruling.why.hint, "caprun_permit(): files:read") && !ruling.rule);
    CHECK(strcmp(ruling.grant, "{\"permissions\": {\"allow\": [\"files:read\"]}}") == 0);
    CHECK(ask("files:read", "files:read") == CR_RULING_DENIED && end());
    CHECK(begin("files:read", NULL, NULL));
    CHECK(ask("files:read", NULL) == CR_RULING_ALLOWED && strcmp(ruling.rule, "files:read") == 0);
    CHECK(ask("files:read", "files:read") == CR_RULING_ALLOWED && !ruling.why.text[0] && end());
}

TEST(the_exact_name_decides_and_an_alias_may_only_begin)
{
    CHECK(begin("files:read-all", NULL, NULL));
    CHECK(ask("files:read_all", NULL) == CR_RULING_ALLOWED);
    CHECK(ask("files:read_all", "files:read-all") == CR_RULING_ALLOWED);
    CHECK(ask("files:read_all", "files:read_all") == CR_RULING_DENIED && end());
    CHECK(begin("files:*", NULL, "files:read_all"));
    CHECK(ask("files:read_all", NULL) == CR_RULING_DENIED);
    CHECK(ask("files:read_all", "files:read-all") == CR_RULING_DENIED);
    CHECK(strstr(ruling.why.text, "is denied by") && strcmp(ruling.rule, "files:read_all") == 0);
    CHECK(ask("files:write", "files:write") == CR_RULING_ALLOWED && end());
}

TEST(the_list_of_the_capability_comes_before_all_patterns)
{
    CHECK(begin("*", NULL, NULL));
    cr_tool_list_add(&tools, "files:read-all");
    CHECK(cr_tool_list_set(&tools) == 0);
    CHECK(cr_policy_may_be_listed(&tools, "files:read_all", true));
    CHECK(!cr_policy_may_be_listed(&tools, "files:read_all", false));
    CHECK(ask("files:read_all", "files:read-all") == CR_RULING_ALLOWED);
    CHECK(ask("files:read_all", "files:read.all") == CR_RULING_DENIED);
    CHECK(strcmp(ruling.by, "rule:tools") == 0 && strstr(ruling.why.text, "(\"files:read-all\")"));
    CHECK(end());
}

/* --- a person ------------------------------------------------------------------------------- */

static const char *asked_tool;
static bool is_there;

static bool can_ask(struct cr_asker *asker, const struct cr_question *q)
{
    (void)asker;
    return is_there && !q->tool;
}

static bool ask_person(struct cr_asker *asker, const struct cr_question *q, struct cr_pending *p,
                       struct cr_ruling *ret)
{
    (void)asker;
    asked_tool = q->tool;
    ret->answer = CR_RULING_LATER;
    return is_there && p == &pending && q->args_len == 2 && q->about.because[0];
}

TEST(where_a_person_has_to_be_asked_the_answer_comes_later_and_is_about_the_exact_name)
{
    struct cr_asker asker = {.can_ask = can_ask, .ask = ask_person};

    CHECK(begin(NULL, "files:*", "files:write"));
    policy.asker = &asker;
    is_there = true;
    asked_tool = NULL;
    CHECK(ask("files:read_all", NULL) == CR_RULING_ALLOWED && !asked_tool); /* asked later */
    CHECK(ask("files:read_all", "files:read-all") == CR_RULING_LATER);
    CHECK(asked_tool && strcmp(asked_tool, "files:read-all") == 0);
    asked_tool = NULL;
    CHECK(ask("files:write", NULL) == CR_RULING_DENIED);
    CHECK(ask("files:write", "files:write") == CR_RULING_DENIED && !asked_tool);
    is_there = false;
    CHECK(ask("files:read", "files:read") == CR_RULING_DENIED && asked_tool);
    CHECK(strcmp(ruling.by, "no_channel") == 0 && end());
}

/* Would a call with |args_len| bytes of args and one rule with |when| be decided in the loop? */
static bool is_decided_at_once(const char *when, size_t args_len)
{
    struct cr_rule_spec spec = {.tool = "a", .when = when, .then = CR_POLICY_ALLOW};
    struct cr_question q = {.called = "a:x", .tools = &tools, .args_len = args_len};
    struct cr_lookup *l = NULL;
    bool is_long = true;

    if (begin(NULL, NULL, NULL) &&
        cr_rules_add(&policy.rules, &policy.patterns, &spec, "/", &err) == 0 &&
        cr_lookup_new(&policy, &q, &l) == 0 && l)
        is_long = cr_lookup_is_long(l);
    cr_lookup_free(l);
    return end() && !is_long;
}

TEST(long_args_and_slow_conditions_are_not_judged_in_the_loop)
{
    static const char glob[] =
        "{\"/a\": {\"glob\": "
        "\"*????????????????????????????????????????????????????????????????\"}}";

    CHECK(is_decided_at_once("{\"/a\": {\"min\": 1}}", 16384));
    CHECK(!is_decided_at_once("{\"/a\": {\"min\": 1}}", 16385));
    CHECK(is_decided_at_once(glob, 1000) && !is_decided_at_once(glob, 16384));
    CHECK(!is_decided_at_once("{\"/a\": {\"under\": \"x\"}}", 10));
}

/* --- lookups of many runs ------------------------------------------------------------------- */

static char order[8]; /* of the rulings */
static size_t ruled_count;

struct waiting_call {
    struct cr_pending pending;
    char run;
};

static void note_order(struct cr_pending *p, const struct cr_ruling *r)
{
    struct waiting_call *call = (struct waiting_call *)p;

    (void)r;
    order[ruled_count++] = call->run;
}

static bool look_up(struct waiting_call *call, char run, struct cr_budgets *budgets)
{
    static const char args[] = "{\"a\": \"x\"}";
    const struct cr_rule *counted = NULL;
    struct cr_question q = {.run = "r",
                            .method = "a:x",
                            .called = "a:x",
                            .tools = &tools,
                            .args = args,
                            .args_len = sizeof(args) - 1,
                            .budgets = budgets,
                            .counted = &counted};

    *call = (struct waiting_call){.pending = {.ruled = note_order}, .run = run};
    cr_policy_ask(&policy, &q, &call->pending, &ruling);
    return ruling.answer == CR_RULING_LATER;
}

/* A run has one lookup in the helper's queue: its next one comes after those of the other runs. */
TEST(a_run_with_many_lookups_does_not_delay_the_lookup_of_another_run)
{
    struct cr_rule_spec spec = {
        .tool = "a", .when = "{\"/a\": {\"under\": \"x\"}}", .then = CR_POLICY_ALLOW};
    struct cr_budgets mine = {0}, theirs = {0};
    struct waiting_call calls[6];
    struct cr_loop loop;

    CHECK(begin(NULL, NULL, NULL) && cr_loop_init(&loop, &err) == 0);
    loop.rules.is_threadless = true; /* so that the order is always the same */
    policy.helper = &loop.rules;
    CHECK(cr_rules_add(&policy.rules, &policy.patterns, &spec, "/", &err) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(look_up(&calls[i], 'm', &mine));
    CHECK(look_up(&calls[4], 't', &theirs) && look_up(&calls[5], 't', &theirs));
    cr_policy_forget(&policy, &calls[1].pending); /* one that waits */
    for (int i = 0; i < 100 && ruled_count < 5; i++)
        cr_loop_step(&loop, 0);
    order[ruled_count] = '\0';
    CHECK(strcmp(order, "mtmtm") == 0 && !mine.working && !theirs.working && !mine.first);
    CHECK(look_up(&calls[0], 'm', &mine) && look_up(&calls[1], 'm', &mine));
    cr_policy_forget(&policy,
                     &calls[0].pending); /* one that is in the queue: the next one goes on */
    for (int i = 0; i < 100 && ruled_count < 6; i++)
        cr_loop_step(&loop, 0);
    CHECK(ruled_count == 6 && !mine.working);
    cr_loop_clear(&loop);
    CHECK(end());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
