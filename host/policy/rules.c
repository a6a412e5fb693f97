/* rules.c - keeps rules and their budgets, and ranks what matches a call. */
#include "policy/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* --- the list ------------------------------------------------------------------------------- */

static void free_rule(struct cr_rule *rule)
{
    free(rule->name);
    free(rule->tool);
    free(rule->caller);
    free(rule->code_pin);
    free(rule->tool_pin);
    free(rule->server_pin);
    cr_conditions_free(rule->when);
    free(rule);
}

void cr_rules_clear(struct cr_rules *rules)
{
    while (rules->list) {
        struct cr_rule *rule = rules->list;

        rules->list = rule->next;
        free_rule(rule);
    }
    *rules = (struct cr_rules){0};
}

static bool copy_texts(struct cr_rule *rule, const struct cr_rule_spec *spec)
{
    if (spec->id)
        rule->name = strdup(spec->id);
    else if (asprintf(&rule->name, "#%zu", rule->index + 1) < 0)
        rule->name = NULL;
    rule->tool = strdup(spec->tool);
    rule->caller = spec->caller ? strdup(spec->caller) : NULL;
    return rule->name && rule->tool && (rule->caller || !spec->caller);
}

/* Copies the pins. Returns false without memory. */
static bool copy_pins(struct cr_rule *rule, const struct cr_pins *pins)
{
    if (!pins->code)
        return true;
    rule->code_pin = strdup(pins->code);
    rule->tool_pin = strdup(pins->tool);
    rule->server_pin = strdup(pins->server);
    return rule->code_pin && rule->tool_pin && rule->server_pin;
}

static int fill(struct cr_rule *rule, const struct cr_rule_spec *spec, const char *dir,
                struct cr_err *err)
{
    rule->then = spec->then;
    rule->source = spec->source;
    rule->place = spec->place;
    rule->max_calls = (uint32_t)spec->max_calls;
    rule->rate_calls = (uint32_t)spec->rate_calls;
    rule->rate_us = (int64_t)spec->rate_ms * 1000;
    rule->is_own = spec->is_own;
    if (!copy_texts(rule, spec) || !copy_pins(rule, &spec->pins))
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a rule");
    if (spec->then == CR_POLICY_DENY && (spec->max_calls || spec->rate_calls))
        return cr_err_set(err, CAPRUN_E_INVAL,
                          "a rule that denies cannot have \"maxCalls\" or \"rate\"");
    return spec->when ? cr_conditions_new(spec->when, dir, &rule->when, err) : 0;
}

/* FNV-1a */
static size_t choose_chain(const char *name)
{
    uint32_t hash = 2166136261u;

    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash % CR_RULES_CHAINS;
}

const struct cr_rule *cr_rules_find(const struct cr_rules *rules, const char *name)
{
    const struct cr_rule *rule;

    if (strnlen(name, rules->longest_name + 1) > rules->longest_name)
        return NULL;
    rule = rules->chains[choose_chain(name)];
    while (rule && strcmp(rule->name, name) != 0)
        rule = rule->next_in_chain;
    return rule;
}

static void add_to_list(struct cr_rules *rules, struct cr_rule *rule)
{
    const char *name = rule->name ? rule->name : "";
    struct cr_rule **chain = &rules->chains[choose_chain(name)];
    size_t len = strlen(name);

    rule->next = rules->list;
    rules->list = rule;
    rules->count++;
    rules->has_conditions = rules->has_conditions || rule->when;
    rules->has_pins = rules->has_pins || rule->code_pin;
    if (rule->is_own)
        return; /* cr_rules_find() does not find it */
    rule->next_in_chain = *chain;
    *chain = rule;
    rules->longest_name = len > rules->longest_name ? len : rules->longest_name;
}

int cr_rules_add(struct cr_rules *rules, struct cr_patterns *patterns,
                 const struct cr_rule_spec *spec, const char *dir, struct cr_err *err)
{
    struct cr_rule *rule = calloc(1, sizeof(*rule));
    int r;

    if (!rule)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a rule");
    rule->index = rules->count;
    r = spec->id && !spec->is_own && cr_rules_find(rules, spec->id)
            ? cr_err_set(err, CAPRUN_E_INVAL, "another rule has the id \"%s\" already", spec->id)
            : fill(rule, spec, dir, err);
    if (r == 0)
        r = cr_patterns_add_rule(patterns, spec->then, rule->tool, spec->source, rule, err);
    if (r < 0) {
        free_rule(rule);
        return r;
    }
    add_to_list(rules, rule);
    return 0;
}

/* --- budgets -------------------------------------------------------------------------------- */

struct cr_budget {
    uint32_t calls;      /* in all, for |max_calls| */
    uint32_t timed;      /* in all, for |rate_calls| */
    struct cr_buf times; /* int64_t: the last of these, a ring of at most |rate_calls| */
};

/* Returns when the oldest of the last |rule->rate_calls| calls was made. */
static int64_t oldest_of(const struct cr_budget *b, const struct cr_rule *rule)
{
    int64_t at;

    memcpy(&at, b->times.data + b->timed % rule->rate_calls * sizeof(at), sizeof(at));
    return at;
}

bool cr_rule_is_too_fast(const struct cr_rule *rule, const struct cr_budgets *budgets,
                         int64_t now_us)
{
    const struct cr_budget *b = rule->index < budgets->count ? &budgets->list[rule->index] : NULL;

    return b && rule->rate_calls && b->timed >= rule->rate_calls &&
           now_us - oldest_of(b, rule) < rule->rate_us;
}

bool cr_rule_is_spent(const struct cr_rule *rule, const struct cr_budgets *budgets, int64_t now_us)
{
    const struct cr_budget *b = rule->index < budgets->count ? &budgets->list[rule->index] : NULL;

    return (b && rule->max_calls && b->calls >= rule->max_calls) ||
           cr_rule_is_too_fast(rule, budgets, now_us);
}

static int remember_time(struct cr_budget *b, const struct cr_rule *rule, int64_t now_us)
{
    if (b->times.max == 0)
        cr_buf_init(&b->times, rule->rate_calls * sizeof(now_us));
    if (b->timed < rule->rate_calls)
        cr_buf_add(&b->times, &now_us, sizeof(now_us));
    else
        memcpy(b->times.data + b->timed % rule->rate_calls * sizeof(now_us), &now_us,
               sizeof(now_us));
    return cr_buf_err(&b->times);
}

/* Returns the budget of |rule|, or NULL without memory. */
static struct cr_budget *find_budget(struct cr_budgets *budgets, const struct cr_rules *rules,
                                     const struct cr_rule *rule)
{
    if (budgets->list && rule->index >= budgets->count)
        return NULL; /* added later; such rules have no budgets */
    if (!budgets->list) {
        budgets->list = calloc(rules->count, sizeof(*budgets->list));
        if (!budgets->list)
            return NULL;
        budgets->count = rules->count;
    }
    return &budgets->list[rule->index];
}

int cr_budgets_count(struct cr_budgets *budgets, const struct cr_rules *rules,
                     const struct cr_rule *rule)
{
    struct cr_budget *b = rule->max_calls ? find_budget(budgets, rules, rule) : NULL;

    if (b)
        b->calls++;
    return b || !rule->max_calls ? 0 : CAPRUN_E_NOMEM;
}

int cr_budgets_time(struct cr_budgets *budgets, const struct cr_rules *rules,
                    const struct cr_rule *rule, int64_t now_us)
{
    struct cr_budget *b = rule->rate_calls ? find_budget(budgets, rules, rule) : NULL;

    if (!rule->rate_calls)
        return 0;
    if (!b || remember_time(b, rule, now_us) < 0)
        return CAPRUN_E_NOMEM;
    b->timed++;
    return 0;
}

static void forget_all(struct cr_budgets *budgets)
{
    for (size_t i = 0; i < budgets->count; i++)
        cr_buf_clear(&budgets->list[i].times);
    free(budgets->list);
    budgets->list = NULL;
    budgets->count = 0;
}

/* --- calls before a resume ------------------------------------------------------------------ */

static int compare_earlier(const void *a, const void *b)
{
    return strcmp(((const struct cr_budgets_earlier *)a)->rule,
                  ((const struct cr_budgets_earlier *)b)->rule);
}

size_t cr_budgets_sum_earlier(struct cr_budgets_earlier *list, size_t count)
{
    size_t kept = 0;

    qsort(list, count, sizeof(*list), compare_earlier);
    for (size_t i = 0; i < count; i++) {
        if (kept && compare_earlier(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].count += list[i].count;
        else
            list[kept++] = list[i];
    }
    return kept;
}

/* If the budget is exceeded, it does not matter by how much. */
static int count_earlier(struct cr_budgets *budgets, const struct cr_rules *rules,
                         const struct cr_rule *rule, uint32_t count, int64_t now_us)
{
    struct cr_budget *b = find_budget(budgets, rules, rule);
    int r = b ? 0 : CAPRUN_E_NOMEM;

    if (r == 0)
        b->calls += count;
    for (uint32_t i = 0; r == 0 && i < count && i < rule->rate_calls; i++)
        r = cr_budgets_time(budgets, rules, rule, now_us);
    return r;
}

int cr_budgets_begin(struct cr_budgets *budgets, const struct cr_rules *rules, int64_t now_us)
{
    const struct cr_rule *rule = budgets->has_begun || !budgets->earlier ? NULL : rules->list;
    const struct cr_budgets_earlier *found;
    int r = 0;

    for (; r == 0 && rule; rule = rule->next) {
        if (!rule->max_calls && !rule->rate_calls)
            continue;
        found = bsearch(&(struct cr_budgets_earlier){.rule = rule->name}, budgets->earlier,
                        budgets->earlier_count, sizeof(*found), compare_earlier);
        if (found)
            r = count_earlier(budgets, rules, rule, found->count, now_us);
    }
    if (r == 0)
        budgets->has_begun = true;
    else
        forget_all(budgets);
    return r;
}

void cr_budgets_clear(struct cr_budgets *budgets)
{
    forget_all(budgets);
    *budgets = (struct cr_budgets){0};
}

/* --- which one decides ---------------------------------------------------------------------- */

/* The strongest of the patterns and plain rules, and of each kind of rule with conditions. */
struct ranking {
    const struct cr_patterns_one *plain;
    enum cr_policy_answer plain_answer;
    const struct cr_patterns_one *plain_deny; /* of the highest level */
    const struct cr_patterns_one *deny, *ask, *allow;
    const struct cr_patterns_one *doubt; /* asks, but it is unclear whether it should */
    const struct cr_rule *missed;        /* allows, but its conditions do not hold */
};

static bool may_be(const char *pin, const char *of_call, bool is_early)
{
    return of_call ? strcmp(pin, of_call) == 0 : is_early;
}

static bool is_for(const struct cr_rule *rule, const struct cr_facts *facts)
{
    const struct cr_pins *pins = &facts->pins;

    if (rule->caller && (!facts->caller || strcmp(rule->caller, facts->caller) != 0))
        return false;
    return !rule->code_pin || (may_be(rule->code_pin, pins->code, facts->is_early) &&
                               may_be(rule->tool_pin, pins->tool, facts->is_early) &&
                               may_be(rule->server_pin, pins->server, facts->is_early));
}

static enum cr_truth truth_of(const struct cr_rule *rule, const struct cr_facts *facts)
{
    return facts->truths && rule->index < facts->truth_count
               ? (enum cr_truth)facts->truths[rule->index]
               : CR_TRUTH_UNCLEAR;
}

/* The answer of |one|, with its budget. */
static enum cr_policy_answer answer_of(const struct cr_patterns_one *one,
                                       const struct cr_facts *facts)
{
    const struct cr_rule *rule = one->rule;

    if (!rule || rule == facts->counted || !facts->budgets ||
        !cr_rule_is_spent(rule, facts->budgets, facts->now_us))
        return one->answer;
    return one->answer == CR_POLICY_ALLOW ? CR_POLICY_ASK : CR_POLICY_DENY;
}

/* On a tie the earliest wins. */
static void rank_plain(struct ranking *r, const struct cr_patterns_one *one,
                       enum cr_policy_answer answer)
{
    if (!r->plain || one->level > r->plain->level ||
        (one->level == r->plain->level && answer > r->plain_answer)) {
        r->plain = one;
        r->plain_answer = answer;
    }
    if (answer == CR_POLICY_DENY && (!r->plain_deny || one->level > r->plain_deny->level))
        r->plain_deny = one;
}

/* Is |one|, which allows or asks, stronger than the deny |other|, which may be NULL? */
static bool beats(const struct cr_patterns_one *one, const struct cr_patterns_one *other)
{
    return !other || one->level > other->level;
}

static void keep_stronger(const struct cr_patterns_one **kept, const struct cr_patterns_one *one)
{
    if (!*kept || one->level > (*kept)->level)
        *kept = one;
}

/* |truth| is not NO. */
static void rank_conditional(struct ranking *r, const struct cr_patterns_one *one,
                             enum cr_policy_answer answer, enum cr_truth truth)
{
    if (answer == CR_POLICY_DENY)
        keep_stronger(&r->deny, one);
    else if (truth == CR_TRUTH_YES)
        keep_stronger(answer == CR_POLICY_ASK ? &r->ask : &r->allow, one);
    else if (one->answer == CR_POLICY_ASK)
        keep_stronger(&r->doubt, one);
}

static void set(struct cr_verdict *ret, enum cr_policy_answer answer,
                const struct cr_patterns_one *one)
{
    *ret = (struct cr_verdict){.answer = answer,
                               .pattern = one->text,
                               .level = one->level,
                               .source = one->source,
                               .rule = one->rule,
                               .is_spent = answer != one->answer};
}

/*
 * A rule with conditions that asks is weaker only than a deny that would decide without it. One
 * that allows is weaker than each ask, and than each deny that its tools do not outrank, even if a
 * pattern outranks that deny.
 */
static void decide(const struct ranking *r, struct cr_verdict *ret)
{
    const struct cr_patterns_one *deciding_deny =
        r->plain && r->plain_answer == CR_POLICY_DENY ? r->plain : NULL;

    if (deciding_deny && deciding_deny->level == CR_LEVEL_FORBIDDEN)
        set(ret, CR_POLICY_DENY, deciding_deny);
    else if (r->deny)
        set(ret, CR_POLICY_DENY, r->deny);
    else if (r->ask && beats(r->ask, deciding_deny))
        set(ret, CR_POLICY_ASK, r->ask);
    else if (r->doubt && !deciding_deny)
        set(ret, CR_POLICY_ASK, r->doubt);
    else if (!r->ask && !r->doubt && r->allow && beats(r->allow, r->plain_deny))
        set(ret, CR_POLICY_ALLOW, r->allow);
    else if (r->plain)
        set(ret, r->plain_answer, r->plain);
    else
        *ret = (struct cr_verdict){.answer = CR_POLICY_ASK};
}

void cr_rules_judge(const struct cr_patterns *patterns, const struct cr_facts *facts,
                    struct cr_verdict *ret)
{
    const struct cr_patterns_name name = cr_patterns_name(facts->method, facts->by_alias);
    const struct cr_patterns_one *one;
    struct ranking r = {0};

    for (size_t at = 0; (one = cr_patterns_next(patterns, &at, &name)) != NULL;) {
        if (!one->rule) {
            rank_plain(&r, one, one->answer);
        } else if (!is_for(one->rule, facts)) {
            continue;
        } else if (!one->rule->when) {
            rank_plain(&r, one, answer_of(one, facts));
        } else if (one->rule->then == CR_POLICY_ALLOW &&
                   truth_of(one->rule, facts) != CR_TRUTH_YES) {
            r.missed = r.missed ? r.missed : one->rule;
        } else if (truth_of(one->rule, facts) != CR_TRUTH_NO) {
            rank_conditional(&r, one, answer_of(one, facts), truth_of(one->rule, facts));
        }
    }
    decide(&r, ret);
    ret->missed = r.missed;
}
