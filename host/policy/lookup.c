/* lookup.c - evaluates the conditions of all rules that are about one call. */
#include "policy/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/loop.h"

#define SHORT_ARGS (16u << 10)   /* are parsed in the loop's thread */
#define MOST_AT_ONCE (1u << 20)  /* steps, roughly, in the loop's thread */
#define MOST (1u << 30)          /* with more, every condition is unclear */
#define MAX_VALUES (100u * 1000) /* in args; with more, every condition is unclear */

/* An alias stands for the exact name, too, so patterns are compared by alias. */
static bool is_wanted(const struct cr_patterns_one *one, const struct cr_question *q)
{
    const struct cr_rule *rule = one->rule;

    return rule && rule->when &&
           (!rule->caller || (q->caller && strcmp(rule->caller, q->caller) == 0));
}

/* Marks the rules about |method|: their truth is NO until it is looked up. */
static void mark(struct cr_lookup *l, const struct cr_policy *policy, const char *method)
{
    const struct cr_patterns_name name = cr_patterns_name(method, true);
    const struct cr_patterns_one *one;

    for (size_t at = 0; (one = cr_patterns_next(&policy->patterns, &at, &name)) != NULL;) {
        if (!is_wanted(one, &l->q) || l->truths[one->rule->index] != CR_TRUTH_UNCLEAR)
            continue;
        l->truths[one->rule->index] = CR_TRUTH_NO;
        l->count++;
    }
}

/* The exact name of a tool may have characters that no alias has: both names count. */
static int collect(struct cr_lookup *l, const struct cr_policy *policy)
{
    const struct cr_rule *rule = policy->rules.list;
    size_t n = 0, marked;

    l->truths = malloc(policy->rules.count);
    if (!l->truths)
        return CAPRUN_E_NOMEM;
    memset(l->truths, CR_TRUTH_UNCLEAR, policy->rules.count);
    l->truth_count = policy->rules.count;
    mark(l, policy, l->q.called);
    if (l->q.tool)
        mark(l, policy, l->q.tool);
    marked = l->count;
    l->count = 0;
    if (!marked)
        return 0;
    l->rules = calloc(marked, sizeof(*l->rules));
    l->conditions = calloc(marked, sizeof(struct cr_conditions *));
    if (!l->rules || !l->conditions)
        return CAPRUN_E_NOMEM;
    for (; rule && n < marked; rule = rule->next) {
        if (!rule->when || l->truths[rule->index] != CR_TRUTH_NO)
            continue;
        l->rules[n] = rule->index;
        l->conditions[n++] = cr_conditions_share(rule->when);
        l->weight += cr_conditions_weight(rule->when);
    }
    l->count = n;
    return 0;
}

int cr_lookup_new(struct cr_policy *policy, const struct cr_question *q, struct cr_lookup **ret)
{
    struct cr_lookup *l;
    int r;

    *ret = NULL;
    if (!policy->rules.has_conditions)
        return 0;
    l = calloc(1, sizeof(*l));
    if (!l)
        return CAPRUN_E_NOMEM;
    l->policy = policy;
    l->q = *q;
    l->args = q->args;
    r = collect(l, policy);
    if (r == 0 && l->count)
        *ret = l;
    else
        cr_lookup_free(l);
    return r;
}

void cr_lookup_free(struct cr_lookup *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++)
        cr_conditions_free(l->conditions[i]);
    free(l->conditions);
    free(l->rules);
    free(l->truths);
    free(l->own_args);
    free(l->dir);
    free(l->tool);
    free(l);
}

bool cr_lookup_is_long(const struct cr_lookup *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (cr_conditions_need_files(l->conditions[i]))
            return true;
    return l->q.args_len > SHORT_ARGS || l->weight * l->q.args_len > MOST_AT_ONCE;
}

void cr_lookup_now(struct cr_lookup *l)
{
    struct cr_json_doc doc = {0};
    struct cr_err unused;

    if (l->weight * l->q.args_len <= MOST)
        (void)cr_json_parse_within(l->args, l->q.args_len, MAX_VALUES, &doc, &unused);
    for (size_t i = 0; i < l->count; i++)
        l->truths[l->rules[i]] =
            (uint8_t)cr_conditions_hold(l->conditions[i], doc.root, l->dir ? l->dir : l->q.dir);
    cr_json_clear(&doc);
}

/* --- in the helper thread ------------------------------------------------------------------- */

static void work(struct cr_job *job)
{
    cr_lookup_now(cr_container(job, struct cr_lookup, job));
}

static void append(struct cr_budgets *run, struct cr_lookup *l)
{
    l->prev = run->last;
    l->next = NULL;
    *(run->last ? &run->last->next : &run->first) = l;
    run->last = l;
}

static void take_out(struct cr_budgets *run, struct cr_lookup *l)
{
    *(l->prev ? &l->prev->next : &run->first) = l->next;
    *(l->next ? &l->next->prev : &run->last) = l->prev;
}

static void start_next(struct cr_budgets *run)
{
    struct cr_lookup *l = run->first;

    run->working = l;
    if (!l)
        return;
    take_out(run, l);
    cr_helper_submit(l->policy->helper, &l->job);
}

static void worked(struct cr_job *job)
{
    struct cr_lookup *l = cr_container(job, struct cr_lookup, job);

    if (l->q.budgets)
        start_next(l->q.budgets);
    l->done(l);
}

static void discard(struct cr_job *job)
{
    cr_lookup_free(cr_container(job, struct cr_lookup, job));
}

int cr_lookup_later(struct cr_lookup *l, void (*done)(struct cr_lookup *l))
{
    const struct cr_question *q = &l->q;

    l->own_args = malloc(q->args_len + 1);
    l->dir = q->dir ? strdup(q->dir) : NULL;
    l->tool = q->tool ? strdup(q->tool) : NULL;
    if (!l->own_args || (q->dir && !l->dir) || (q->tool && !l->tool))
        return CAPRUN_E_NOMEM;
    memcpy(l->own_args, q->args, q->args_len);
    l->args = l->own_args;
    l->q.tool = l->tool;
    l->done = done;
    l->job = (struct cr_job){.work = work,
                             .done = worked,
                             .discard = discard,
                             .name = "rules",
                             .bytes = l->weight * q->args_len};
    if (!q->budgets) {
        cr_helper_submit(l->policy->helper, &l->job);
        return 0;
    }
    append(q->budgets, l);
    if (!q->budgets->working)
        start_next(q->budgets);
    return 0;
}

void cr_lookup_abandon(struct cr_lookup *l)
{
    struct cr_budgets *run = l->q.budgets;

    if (run && run->working != l) {
        take_out(run, l);
        cr_lookup_free(l);
        return;
    }
    cr_helper_abandon(l->policy->helper, &l->job);
    if (run)
        start_next(run);
}
