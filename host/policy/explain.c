/* explain.c - the reasons for and against each pattern and rule, for one call. */
#include "policy/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "policy/lookup.h"

#define MAX_WHY 4096u
#define MAX_VALUES (100u * 1000) /* as in lookup.c */

/* --- the order -------------------------------------------------------------------------------- */

/* Rules with conditions are above all other entries, except for a deny that nothing overrules. */
static int group_of(const struct cr_patterns_one *one)
{
    if (one->level == CR_LEVEL_FORBIDDEN)
        return 2;
    return one->rule && one->rule->when ? 1 : 0;
}

static int is_stronger(const struct cr_patterns_one *a, const struct cr_patterns_one *b)
{
    if (group_of(a) != group_of(b))
        return group_of(a) - group_of(b);
    if (group_of(a) == 1 && a->answer != b->answer)
        return (int)a->answer - (int)b->answer;
    if (a->level != b->level)
        return (int)a->level - (int)b->level;
    return (int)a->answer - (int)b->answer;
}

int cr_explain_order(const struct cr_policy *policy, const struct cr_patterns_one ***ret)
{
    const struct cr_patterns *p = &policy->patterns;
    const struct cr_patterns_one **list = calloc(p->total + 1, sizeof(struct cr_patterns_one *));

    if (!list)
        return CAPRUN_E_NOMEM;
    for (size_t i = 0; i < p->total;
         i++) { /* at most a few thousand: an insertion sort is stable */
        size_t at = i;

        for (; at > 0 && is_stronger(p->list[i], list[at - 1]) > 0; at--)
            list[at] = list[at - 1];
        list[at] = p->list[i];
    }
    *ret = list;
    return 0;
}

/* --- reasons ---------------------------------------------------------------------------------- */

struct inquiry {
    const struct cr_question *q;
    const struct cr_verdict *verdict;
    const struct cJSON *args;
    const uint8_t *truths; /* of the conditions that were looked up, by index; NULL: none */
};

static bool is_for_caller(const struct cr_rule *rule, const struct cr_question *q)
{
    return !rule || !rule->caller || (q->caller && strcmp(rule->caller, q->caller) == 0);
}

/* Do the conditions keep the rule from deciding? What is unclear keeps only an allow from it. */
static bool is_kept_off(const struct inquiry *in, const struct cr_rule *rule)
{
    enum cr_truth truth =
        rule && rule->when && in->truths ? (enum cr_truth)in->truths[rule->index] : CR_TRUTH_YES;

    return rule && rule->when &&
           (truth == CR_TRUTH_NO || (truth == CR_TRUTH_UNCLEAR && rule->then == CR_POLICY_ALLOW));
}

static void add_weaker(const struct cr_verdict *v, struct cr_buf *out)
{
    cr_buf_fmt(out, "is weaker than %s", v->rule ? v->rule->name : v->pattern ? v->pattern : "?");
}

static void add_why(const struct inquiry *in, const struct cr_patterns_one *one, bool decides,
                    struct cr_buf *out)
{
    const char *name = in->q->tool;

    if (decides)
        cr_buf_str(out, "decides");
    else if (!cr_pattern_matches_alias(one->text, name))
        cr_buf_str(out, "is for other tools");
    else if (!is_for_caller(one->rule, in->q))
        cr_buf_fmt(out, "is only for %s", one->rule->caller);
    else if (is_kept_off(in, one->rule))
        cr_conditions_explain(one->rule->when, in->args, in->q->dir, out);
    else if (!cr_pattern_matches(one->text, name))
        cr_buf_str(out, "is for a tool with another character instead of a \"_\"");
    else
        add_weaker(in->verdict, out);
}

static bool fill(const struct inquiry *in, const struct cr_patterns_one *one, struct cr_reason *ret)
{
    struct cr_buf why;

    cr_buf_init(&why, MAX_WHY);
    ret->one = one;
    ret->decides = in->verdict->pattern == one->text;
    ret->is_other = !cr_pattern_matches_alias(one->text, in->q->tool);
    add_why(in, one, ret->decides, &why);
    if (cr_buf_err(&why) == CAPRUN_E_TOOBIG) {
        cr_buf_clear(&why);
        cr_buf_str(&why, "does not apply to these args");
    }
    ret->why = cr_buf_text(&why) ? (char *)why.data : NULL;
    if (!ret->why)
        cr_buf_clear(&why);
    return ret->why;
}

static int explain(const struct cr_policy *policy, const struct inquiry *in,
                   struct cr_explanation *ret)
{
    const struct cr_patterns_one **order;

    if (cr_explain_order(policy, &order) < 0)
        return CAPRUN_E_NOMEM;
    ret->list = calloc(policy->patterns.total + 1, sizeof(*ret->list));
    for (size_t i = 0; ret->list && i < policy->patterns.total; i++, ret->count++) {
        ret->by_alias = ret->by_alias || (cr_pattern_matches_alias(order[i]->text, in->q->tool) &&
                                          !cr_pattern_matches(order[i]->text, in->q->tool));
        if (!fill(in, order[i], &ret->list[i]))
            break;
    }
    free(order);
    return ret->list && ret->count == policy->patterns.total ? 0 : CAPRUN_E_NOMEM;
}

int cr_explain(struct cr_policy *policy, const struct cr_question *q, struct cr_explanation *ret)
{
    struct cr_json_doc doc = {0};
    struct cr_lookup *l = NULL;
    struct inquiry in = {.q = q, .verdict = &ret->verdict};
    int r;

    *ret = (struct cr_explanation){0};
    if (cr_lookup_new(policy, q, &l) < 0)
        return CAPRUN_E_NOMEM;
    if (l) {
        cr_lookup_now(l);
        in.truths = l->truths;
    }
    (void)cr_json_parse_within(q->args, q->args_len, MAX_VALUES, &doc, NULL);
    in.args = doc.root;
    cr_policy_judge(policy, q, in.truths, &ret->verdict);
    r = explain(policy, &in, ret);
    cr_json_clear(&doc);
    cr_lookup_free(l);
    if (r < 0)
        cr_explain_clear(ret);
    return r;
}

void cr_explain_clear(struct cr_explanation *e)
{
    for (size_t i = 0; i < e->count; i++)
        free(e->list[i].why);
    free(e->list);
    *e = (struct cr_explanation){0};
}
