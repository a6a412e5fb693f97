/* denial.c - words and grants for calls that policy denies. */
#include "policy/denial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/words.h"
#include "policy/grant.h"

#define MAX_GRANT 8192u
#define MAX_RULE 240u      /* of a rule in a hint: a longer one is only in the grant */
#define MOST_CALLS 100000u /* of a budget in the configuration */

static const enum caprun_outcome denied = CAPRUN_OUTCOME_PERMISSION_DENIED;

/* --- the message ------------------------------------------------------------------------------ */

void cr_policy_say_where(const struct cr_verdict *v, char *ret, size_t size)
{
    static const char *const lists[] = {
        [CR_POLICY_ALLOW] = "allow", [CR_POLICY_ASK] = "ask", [CR_POLICY_DENY] = "deny"};
    const char *list = lists[v->answer];
    const char *file = v->source == CR_PATTERNS_USER ? "the user's config.json" : ".caprun.json";

    if (!v->pattern)
        (void)snprintf(ret, size, "nothing in \"permissions\" allows it");
    else if (v->rule)
        (void)snprintf(ret, size, "the rule \"%s\" of %s%s", v->rule->name, file,
                       v->is_spent ? ", whose budget is used up" : "");
    else if (v->source == CR_PATTERNS_COMMAND_LINE)
        (void)snprintf(ret, size, "%s%s %s", cr_words[CR_WORD_PATTERN], list, v->pattern);
    else
        (void)snprintf(ret, size, "\"permissions\": {\"%s\": [\"%s\"]} of %s", list, v->pattern,
                       file);
}

static void say_what(const char *name, const struct cr_verdict *v, struct cr_err *why)
{
    char where[400];

    cr_policy_say_where(v, where, sizeof(where));
    if (v->is_spent || (!v->pattern && !v->missed))
        (void)cr_err_end(why, denied, NULL, "%s is denied: %s", name, where);
    else if (v->answer == CR_POLICY_DENY)
        (void)cr_err_end(why, denied, NULL, "%s is denied by %s%s%s%s", name, where,
                         v->missed ? "; the rule \"" : "", v->missed ? v->missed->name : "",
                         v->missed ? "\" allows it, but not with these args" : "");
    else if (v->missed)
        (void)cr_err_end(why, denied, NULL,
                         "%s is denied: the rule \"%s\" allows it, but not with these args", name,
                         v->missed->name);
    else
        (void)cr_err_end(why, denied, NULL,
                         "%s is denied: a person has to be asked because of %s, and caprun "
                         "cannot ask one now",
                         name, where);
}

/* --- what would allow it ---------------------------------------------------------------------- */

static bool is_catch_all(const struct cr_verdict *v)
{
    return v->source == CR_PATTERNS_PROJECT && !v->rule &&
           (strcmp(v->pattern, "*") == 0 || strcmp(v->pattern, "*:*") == 0);
}

/* May something be added at all? If so, is a pattern strong enough, or only a rule? */
static bool may_grant(const struct cr_verdict *v, bool *ret_needs_rule)
{
    *ret_needs_rule = v->missed != NULL;
    if (!v->pattern)
        return true;
    if ((v->rule && v->rule->when) || (v->answer == CR_POLICY_DENY && !is_catch_all(v)))
        return false;
    *ret_needs_rule = v->missed || v->level >= CR_LEVEL_EXACT;
    return true;
}

bool cr_denial_may_allow(const struct cr_verdict *v)
{
    bool needs_rule;

    return may_grant(v, &needs_rule) && !needs_rule;
}

static void add_item(struct cr_buf *out, enum cr_grant_kind kind, const char *json)
{
    cr_buf_fmt(out, "{\"%s\": [%s]}", kind == CR_GRANT_TOOL ? "allow" : "rules", json);
}

/*
 * Chooses at most two proposals. People mostly want the pattern, so it comes first. Where rules
 * look at the args of this tool, a new rule comes first, and no pattern: it would undo those rules.
 */
static void choose(const struct cr_grants *all, const struct cr_question *q, bool needs_rule,
                   enum cr_grant_kind *first, enum cr_grant_kind *second)
{
    bool has_caller = q->caller && strcmp(q->caller, CR_RULES_FOR_EXEC) != 0;
    enum cr_grant_kind narrow = all->json[CR_GRANT_PLACE] ? CR_GRANT_PLACE
                                : has_caller              ? CR_GRANT_CALLER
                                                          : CR_GRANT_TOOL;

    *first = *second = CR_GRANT_TOOL;
    if (needs_rule)
        *first = *second = narrow == CR_GRANT_PLACE ? CR_GRANT_PLACE : CR_GRANT_ARGS;
    else
        *second = narrow;
}

static void add_file(struct cr_buf *out, const struct cr_policy *policy,
                     enum cr_patterns_source source)
{
    const char *file = source == CR_PATTERNS_USER ? policy->user_file : policy->file;

    cr_buf_str(out, "{");
    if (!file)
        return;
    cr_buf_str(out, "\"file\": ");
    cr_escape_json_str(out, file);
    cr_buf_str(out, ", ");
}

/* Keeps the grant in |policy| for the ruling. */
static void keep(struct cr_policy *policy, struct cr_buf *out, struct cr_ruling *ret)
{
    if (!cr_buf_text(out))
        return;
    free(policy->grant);
    ret->grant = policy->grant = (char *)out->data;
    *out = (struct cr_buf){0};
}

/* An option for the pattern, and words for the rule that is narrower. */
static void hint_pattern(const char *name, const char *narrower, struct cr_err *why)
{
    bool has_both = narrower && strlen(narrower) <= MAX_RULE;

    (void)cr_err_hint(why, "%s%.200s%s%s", cr_words[CR_WORD_ALLOW], name,
                      has_both ? "\nor only such calls, with a rule: " : "",
                      has_both ? narrower : "");
}

static void grant_call(struct cr_policy *policy, const struct cr_question *q, const char *name,
                       bool needs_rule, struct cr_ruling *ret)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_GRANT);
    struct cr_question named = *q;
    enum cr_grant_kind first, second;
    struct cr_grants all;

    named.tool = name;
    if (cr_grants_make(&named, policy->dir, &all) < 0)
        return;
    choose(&all, q, needs_rule, &first, &second);
    if (all.json[first]) {
        add_file(&out, policy, CR_PATTERNS_PROJECT);
        cr_buf_str(&out, "\"permissions\": ");
        add_item(&out, first, all.json[first]);
        if (second != first && all.json[second]) {
            cr_buf_str(&out, ", \"narrower\": ");
            add_item(&out, second, all.json[second]);
        }
        cr_buf_str(&out, "}");
        keep(policy, &out, ret);
    }
    if (first == CR_GRANT_TOOL && all.json[first])
        hint_pattern(name, second != first ? all.json[second] : NULL, &ret->why);
    cr_grants_clear(&all);
}

static uint32_t doubled(uint32_t calls)
{
    return calls < MOST_CALLS / 2 ? 2 * calls : MOST_CALLS;
}

/* Doubles the budget that is used up. */
static void grant_budget(struct cr_policy *policy, const struct cr_question *q,
                         const struct cr_verdict *v, struct cr_ruling *ret)
{
    const struct cr_rule *rule = v->rule;
    bool is_rate = rule->rate_calls && (!rule->max_calls || !q->budgets ||
                                        cr_rule_is_too_fast(rule, q->budgets, cr_loop_now()));
    uint32_t now = is_rate ? rule->rate_calls : rule->max_calls;
    cr_autobuf struct cr_buf out = CR_BUF(MAX_GRANT);

    if (now == MOST_CALLS)
        return;
    (void)cr_err_hint(&ret->why, "a larger \"%s\" in that rule allows more",
                      is_rate ? "rate" : "maxCalls");
    add_file(&out, policy, v->source);
    cr_buf_str(&out, "\"permissions\": {\"rules\": [");
    if (is_rate)
        cr_buf_fmt(&out, "{\"rate\": {\"calls\": %u, \"perMs\": %lld}}", doubled(now),
                   (long long)rule->rate_us / 1000);
    else
        cr_buf_fmt(&out, "{\"maxCalls\": %u}", doubled(now));
    cr_buf_fmt(&out, "]}, \"at\": \"/permissions/rules/%zu\"}", rule->place);
    keep(policy, &out, ret);
}

/* A deny of the project that is stronger than anything that can be added. */
static void hint_deny(const struct cr_verdict *v, struct cr_err *why)
{
    if (v->source == CR_PATTERNS_PROJECT && v->answer == CR_POLICY_DENY)
        (void)cr_err_hint(why,
                          "it is forbidden on purpose: only without that %s of .caprun.json "
                          "could it be allowed",
                          v->rule ? "rule" : "line");
}

void cr_denial_explain(struct cr_policy *policy, const struct cr_question *q, const char *name,
                       const struct cr_verdict *v, struct cr_ruling *ret)
{
    bool needs_rule;

    say_what(name, v, &ret->why);
    if (v->is_spent)
        grant_budget(policy, q, v, ret);
    else if (!may_grant(v, &needs_rule))
        hint_deny(v, &ret->why);
    else
        grant_call(policy, q, name, needs_rule, ret);
}
