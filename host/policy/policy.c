/*
 * policy.c - decides about a call: by the capability's list, then patterns and rules, then a
 * person.
 */
#include "policy/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/words.h"
#include "policy/denial.h"
#include "policy/lookup.h"

#define NAMED_TOOLS 3u

void cr_policy_clear(struct cr_policy *policy)
{
    cr_patterns_clear(&policy->patterns);
    cr_rules_clear(&policy->rules);
    free(policy->grant);
    policy->grant = NULL;
}

/* Does not clear the large buffers for messages: this function runs for each call. */
static void set(struct cr_ruling *ret, enum cr_ruling_answer answer, const char *by,
                const char *rule)
{
    ret->answer = answer;
    ret->by = by;
    ret->rule = rule;
    ret->why.text[0] = ret->why.hint[0] = '\0';
    ret->grant = NULL;
}

/* --- the capability's own list of tools ----------------------------------------------------- */

static bool is_listed(const struct cr_tool_list *tools, const char *method)
{
    return !tools->is_set || cr_tool_list_has(tools, method);
}

bool cr_policy_may_be_listed(const struct cr_tool_list *tools, const char *method, bool has_aliases)
{
    return is_listed(tools, method) || (has_aliases && cr_tool_list_has_alias(tools, method));
}

/* ' ("text:upper", "text:lower" and 7 more)', or ', which is empty'. */
static void list_tools(const struct cr_tool_list *tools, struct cr_buf *out)
{
    const char *name = cr_tool_list_next(tools, NULL);

    for (size_t i = 0; name && i < NAMED_TOOLS; i++, name = cr_tool_list_next(tools, name))
        cr_buf_fmt(out, "%s\"%s\"", i == 0 ? " (" : ", ", name);
    if (name)
        cr_buf_fmt(out, " and %zu more", tools->count - NAMED_TOOLS);
    cr_buf_str(out, tools->count ? ")" : ", which is empty");
}

void cr_policy_deny_unlisted(const struct cr_tool_list *tools, const char *method,
                             struct cr_ruling *ret)
{
    struct cr_buf list;

    set(ret, CR_RULING_DENIED, "rule:tools", NULL);
    cr_buf_init(&list, sizeof(ret->why.text));
    list_tools(tools, &list);
    (void)cr_err_end(&ret->why, CAPRUN_OUTCOME_PERMISSION_DENIED, NULL,
                     "%s is not in the capability's list of tools%s; its author has to add it to "
                     "\"tools\" in the metadata",
                     method, cr_buf_text(&list) ? cr_buf_text(&list) : "");
    cr_buf_clear(&list);
}

/* --- patterns and rules --------------------------------------------------------------------- */

/* A question, with what has been found out for it. */
struct inquiry {
    const struct cr_policy *policy;
    const struct cr_question *q;
    const uint8_t *truths;
    size_t truth_count;
    int64_t now_us;
};

static void judge_as(const struct inquiry *in, const char *name, bool by_alias,
                     struct cr_verdict *ret)
{
    const struct cr_question *q = in->q;

    cr_rules_judge(&in->policy->patterns,
                   &(struct cr_facts){.method = name,
                                      .by_alias = by_alias,
                                      .caller = q->caller,
                                      .truths = in->truths,
                                      .truth_count = in->truth_count,
                                      .pins = q->pins,
                                      .is_early = !q->tool,
                                      .budgets = q->budgets,
                                      .counted = q->budgets ? *q->counted : NULL,
                                      .now_us = in->now_us},
                   ret);
}

/*
 * Deny and ask rules also match aliases; else code that is denied "a_b" could call "a-b".
 * Exception: a pattern allows this exact name. A deny of the command line or of the user's file
 * always wins.
 */
static void apply_aliases(const struct inquiry *in, const char *name, struct cr_verdict *v)
{
    struct cr_verdict alias;
    bool forbidden;

    judge_as(in, name, true, &alias);
    forbidden = alias.answer == CR_POLICY_DENY && alias.source != CR_PATTERNS_PROJECT;
    if (alias.answer != CR_POLICY_ALLOW && (forbidden || strcmp(v->pattern, name) != 0))
        *v = alias;
}

static void judge(const struct inquiry *in, const char *name, struct cr_verdict *ret)
{
    judge_as(in, name, false, ret);
    if (ret->answer == CR_POLICY_ALLOW)
        apply_aliases(in, name, ret);
}

/* --- rulings -------------------------------------------------------------------------------- */

static void rule(struct cr_policy *policy, const struct cr_question *q, const char *name,
                 const struct cr_verdict *v, struct cr_ruling *ret)
{
    set(ret, v->answer == CR_POLICY_ALLOW ? CR_RULING_ALLOWED : CR_RULING_DENIED,
        v->answer == CR_POLICY_ASK   ? "no_channel"
        : v->rule && v->rule->is_own ? "remembered:"
                                     : "rule:",
        v->answer == CR_POLICY_ASK ? NULL
        : v->rule                  ? v->rule->name
                                   : v->pattern);
    if (v->answer != CR_POLICY_ALLOW)
        cr_denial_explain(policy, q, name, v, ret);
}

/* --- questions ------------------------------------------------------------------------------ */

/* |name| may be the alias of a tool that is allowed: its exact name is judged later. */
static void judge_early(const struct inquiry *in, const char *name, struct cr_verdict *ret)
{
    struct cr_verdict alias;

    judge(in, name, ret);
    if (ret->answer == CR_POLICY_ALLOW)
        return;
    judge_as(in, name, true, &alias);
    if (alias.answer == CR_POLICY_ALLOW)
        *ret = alias;
}

bool cr_policy_foresee(const struct cr_policy *policy, const char *called, const char *caller,
                       struct cr_verdict *ret)
{
    const struct cr_question q = {.called = called, .caller = caller};
    cr_autofree uint8_t *truths = calloc(policy->rules.count + 1, 1); /* no condition holds */
    const struct inquiry in = {policy, &q, truths, policy->rules.count, cr_loop_now()};
    const struct cr_rule *one = policy->rules.list;

    judge_early(&in, called, ret);
    while (one &&
           !((one->when || one->code_pin) && (!one->caller || strcmp(one->caller, caller) == 0) &&
             cr_pattern_matches_alias(one->tool, called)))
        one = one->next;
    return !one;
}

void cr_policy_judge(const struct cr_policy *policy, const struct cr_question *q,
                     const uint8_t *truths, struct cr_verdict *ret)
{
    const struct inquiry in = {policy, q, truths, policy->rules.count, cr_loop_now()};

    judge(&in, q->tool, ret);
}

/*
 * The user has allowed all calls that the capability declares. That is no more than a yes to each
 * question: a deny stays a deny, and a budget that is used up still asks.
 */
static void allow_declared(const struct cr_question *q, struct cr_verdict *v)
{
    if (q->allow_declared && q->tools->is_set && v->answer == CR_POLICY_ASK && !v->is_spent)
        *v = (struct cr_verdict){.answer = CR_POLICY_ALLOW, .pattern = "--allow-declared"};
}

static void answer_early(struct cr_policy *policy, const struct inquiry *in, struct cr_ruling *ret)
{
    const char *name = in->q->called;
    struct cr_verdict v;

    judge_early(in, name, &v);
    allow_declared(in->q, &v);
    if (v.answer == CR_POLICY_ASK && in->policy->asker &&
        in->policy->asker->can_ask(in->policy->asker, in->q))
        set(ret, CR_RULING_ALLOWED, NULL, NULL); /* a person is asked about the exact name */
    else
        rule(policy, in->q, name, &v, ret);
}

static void refuse_without_memory(struct cr_ruling *ret)
{
    set(ret, CR_RULING_DENIED, "rule:", NULL);
    (void)cr_err_memory(&ret->why);
}

/* Counts the call, once, for the budget of the rule that decided. Returns false without memory. */
static bool count(const struct inquiry *in, const struct cr_verdict *v)
{
    const struct cr_question *q = in->q;

    if (!v->rule || !q->budgets || *q->counted == v->rule)
        return true;
    *q->counted = v->rule;
    return cr_budgets_count(q->budgets, &in->policy->rules, v->rule) == 0;
}

/* Returns false if nobody can be asked. */
static bool ask_person(struct cr_policy *policy, const struct inquiry *in, const char *name,
                       const struct cr_verdict *v, struct cr_pending *pending,
                       struct cr_ruling *ret)
{
    struct cr_asker *asker = policy->asker;
    struct cr_question q = *in->q;
    char because[400];

    if (!asker)
        return false;
    cr_policy_say_where(v, because, sizeof(because));
    q.about.because = because;
    q.about.from = in->policy->dir;
    q.about.may_add = !(v->rule && v->rule->when);
    q.about.may_add_any_args = q.about.may_add && (!v->pattern || v->level < CR_LEVEL_EXACT);
    if (asker->wants_grant) {
        rule(policy, in->q, name, v, ret);
        q.about.grant = ret->grant;
    }
    set(ret, CR_RULING_LATER, NULL, NULL);
    return asker->ask(asker, &q, pending, ret);
}

static void answer_exactly(struct cr_policy *policy, const struct inquiry *in,
                           struct cr_pending *pending, struct cr_ruling *ret)
{
    const struct cr_question *q = in->q;
    const char *name = q->tool;
    struct cr_verdict v;

    judge(in, name, &v);
    if (v.answer == CR_POLICY_ALLOW && (!cr_pattern_is(name) || strpbrk(name, "*?"))) {
        /* no pattern can name this tool exactly, so the name that the code used counts as well */
        name = q->called;
        judge(in, name, &v);
    }
    allow_declared(q, &v);
    if (v.answer != CR_POLICY_DENY && !count(in, &v))
        refuse_without_memory(ret);
    else if (v.answer != CR_POLICY_ASK || !ask_person(policy, in, name, &v, pending, ret))
        rule(policy, in->q, name, &v, ret);
}

/* |l|: the conditions of rules; NULL: no rule with conditions is about the call. */
static void answer(struct cr_policy *policy, const struct cr_question *q, const struct cr_lookup *l,
                   struct cr_pending *pending, struct cr_ruling *ret)
{
    const struct inquiry in = {policy, q, l ? l->truths : NULL, l ? l->truth_count : 0,
                               cr_loop_now()};

    if (!q->tool)
        answer_early(policy, &in, ret);
    else
        answer_exactly(policy, &in, pending, ret);
}

/* The conditions of rules are known. */
static void looked_up(struct cr_lookup *l)
{
    struct cr_pending *pending = l->pending;
    struct cr_ruling ruling;

    pending->lookup = NULL;
    answer(l->policy, &l->q, l, pending, &ruling);
    cr_lookup_free(l);
    if (ruling.answer != CR_RULING_LATER)
        pending->ruled(pending, &ruling);
}

/* Answers with the conditions of rules in |l|. */
static void answer_with(struct cr_policy *policy, struct cr_lookup *l, struct cr_pending *pending,
                        struct cr_ruling *ret)
{
    if (!policy->helper || !cr_lookup_is_long(l)) {
        cr_lookup_now(l);
        answer(policy, &l->q, l, pending, ret);
        cr_lookup_free(l);
    } else if (cr_lookup_later(l, looked_up) < 0) {
        refuse_without_memory(ret);
        cr_lookup_free(l);
    } else {
        l->pending = pending;
        pending->lookup = l;
        set(ret, CR_RULING_LATER, NULL, NULL);
    }
}

void cr_policy_ask(struct cr_policy *policy, const struct cr_question *q,
                   struct cr_pending *pending, struct cr_ruling *ret)
{
    struct cr_lookup *l = NULL;

    if (q->tool && !is_listed(q->tools, q->method) && !is_listed(q->tools, q->tool))
        cr_policy_deny_unlisted(q->tools, q->method, ret);
    else if ((q->budgets && cr_budgets_begin(q->budgets, &policy->rules, cr_loop_now()) < 0) ||
             cr_lookup_new(policy, q, &l) < 0)
        refuse_without_memory(ret);
    else if (l)
        answer_with(policy, l, pending, ret);
    else
        answer(policy, q, NULL, pending, ret);
}

bool cr_policy_may_send(struct cr_policy *policy, const char *name, struct cr_budgets *budgets,
                        const struct cr_rule *rule, struct cr_ruling *ret)
{
    const struct cr_question q = {.called = name, .caller = CR_RULES_FOR_EXEC, .budgets = budgets};
    const struct cr_verdict v = {.answer = CR_POLICY_ASK,
                                 .pattern = rule->tool,
                                 .source = rule->source,
                                 .rule = rule,
                                 .is_spent = true};
    int64_t now_us = cr_loop_now();

    if (!cr_rule_is_too_fast(rule, budgets, now_us) &&
        cr_budgets_time(budgets, &policy->rules, rule, now_us) == 0)
        return true;
    set(ret, CR_RULING_DENIED, "no_channel", NULL);
    cr_denial_explain(policy, &q, name, &v, ret);
    return false;
}

void cr_policy_forget(struct cr_policy *policy, struct cr_pending *pending)
{
    if (pending->lookup)
        cr_lookup_abandon(pending->lookup);
    else
        policy->asker->forget(policy->asker, pending);
    pending->lookup = NULL;
}
