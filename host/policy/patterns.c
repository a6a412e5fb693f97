/*
 * patterns.c - a list of patterns, each with its level; the strongest pattern that matches decides.
 */
#include "policy/patterns.h"

#include <stdlib.h>
#include <string.h>

static bool is_wild(char c)
{
    return c == '*' || c == '?';
}

/* Returns the level of |pattern|: how much of a name it spells out. */
static enum cr_pattern_level level_of(const char *pattern)
{
    size_t len = strcspn(pattern, ":");
    const char *action = pattern[len] ? pattern + len + 1 : "*";

    if (strcspn(pattern, "*?") < len)
        return CR_LEVEL_EVERYTHING;
    if (is_wild(*action))
        return CR_LEVEL_NAMESPACE;
    return action[strcspn(action, "*?")] ? CR_LEVEL_BEGINNING : CR_LEVEL_EXACT;
}

void cr_patterns_init(struct cr_patterns *p)
{
    *p = (struct cr_patterns){0};
}

void cr_patterns_clear(struct cr_patterns *p)
{
    while (p->list) {
        struct cr_patterns_one *one = p->list;

        p->list = one->next;
        free(one);
    }
    cr_patterns_init(p);
}

int cr_patterns_add_rule(struct cr_patterns *p, enum cr_policy_answer answer, const char *pattern,
                         enum cr_patterns_source source, const struct cr_rule *rule,
                         struct cr_err *err)
{
    struct cr_patterns_one *one;
    size_t len = strlen(pattern);

    if (!cr_pattern_is(pattern))
        return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not " CR_PATTERN_WHAT, pattern);
    one = malloc(sizeof(*one) + len + 1);
    if (!one)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the pattern '%s'", pattern);
    one->rule = rule;
    one->answer = answer;
    one->level = source != CR_PATTERNS_PROJECT && answer == CR_POLICY_DENY ? CR_LEVEL_FORBIDDEN
                                                                           : level_of(pattern);
    one->source = source;
    memcpy(one->text, pattern, len + 1);
    one->next = p->list;
    p->list = one;
    return 0;
}

int cr_patterns_add(struct cr_patterns *p, enum cr_policy_answer answer, const char *pattern,
                    enum cr_patterns_source source, struct cr_err *err)
{
    int r;

    if (p->count == CR_PATTERNS_MAX)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "'%.60s' is one pattern too many: %d are allowed",
                          pattern, CR_PATTERNS_MAX);
    r = cr_patterns_add_rule(p, answer, pattern, source, NULL, err);
    if (r == 0)
        p->count++;
    return r;
}

/* Within a level, the safer answer is stronger. */
static bool is_weaker(const struct cr_patterns_one *a, const struct cr_patterns_one *b)
{
    return a->level != b->level ? a->level < b->level : a->answer < b->answer;
}

const struct cr_patterns_one *cr_patterns_next(const struct cr_patterns *p,
                                               const struct cr_patterns_one *one,
                                               const char *method, bool by_alias)
{
    if (!one && strnlen(method, CR_PATTERNS_NAME_MAX + 1) > CR_PATTERNS_NAME_MAX)
        return NULL;
    for (one = one ? one->next : p->list; one; one = one->next)
        if (by_alias ? cr_pattern_matches_alias(one->text, method)
                     : cr_pattern_matches(one->text, method))
            return one;
    return NULL;
}

/* On a tie the earliest wins: the list is newest first. */
static void judge(const struct cr_patterns *p, const char *method, bool by_alias,
                  struct cr_verdict *ret)
{
    const struct cr_patterns_one *best = NULL, *one = NULL;

    while ((one = cr_patterns_next(p, one, method, by_alias)) != NULL)
        if (!best || !is_weaker(one, best))
            best = one;
    *ret = (struct cr_verdict){.answer = CR_POLICY_ASK};
    if (best)
        *ret = (struct cr_verdict){
            .answer = best->answer, .pattern = best->text, .source = best->source};
}

void cr_patterns_judge(const struct cr_patterns *p, const char *method, struct cr_verdict *ret)
{
    judge(p, method, false, ret);
}

void cr_patterns_judge_alias(const struct cr_patterns *p, const char *method,
                             struct cr_verdict *ret)
{
    judge(p, method, true, ret);
}
