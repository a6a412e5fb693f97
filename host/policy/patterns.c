/*
 * patterns.c - a list of patterns, each with its level; the strongest pattern that matches decides.
 */
#include "policy/patterns.h"

#include <stdlib.h>
#include <string.h>

/* From weakest to strongest. */
enum level { EVERYTHING, NAMESPACE, BEGINNING, EXACT, FORBIDDEN };

struct cr_patterns_one {
    struct cr_patterns_one *next; /* the pattern added before this one */
    enum cr_policy_answer answer;
    enum level level;
    enum cr_patterns_source source;
    char text[];
};

typedef bool matcher(const char *pattern, const char *method);

static bool is_wild(char c)
{
    return c == '*' || c == '?';
}

/* Returns the level of |pattern|: how much of a name it spells out. */
static enum level level_of(const char *pattern)
{
    size_t len = strcspn(pattern, ":");
    const char *action = pattern[len] ? pattern + len + 1 : "*";

    if (strcspn(pattern, "*?") < len)
        return EVERYTHING;
    if (is_wild(*action))
        return NAMESPACE;
    return action[strcspn(action, "*?")] ? BEGINNING : EXACT;
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

int cr_patterns_add(struct cr_patterns *p, enum cr_policy_answer answer, const char *pattern,
                    enum cr_patterns_source source, struct cr_err *err)
{
    struct cr_patterns_one *one;
    size_t len = strlen(pattern);

    if (p->count == CR_PATTERNS_MAX)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "'%.60s' is one pattern too many: %d are allowed",
                          pattern, CR_PATTERNS_MAX);
    if (!cr_pattern_is(pattern))
        return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not " CR_PATTERN_WHAT, pattern);
    one = malloc(sizeof(*one) + len + 1);
    if (!one)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the pattern '%s'", pattern);
    one->answer = answer;
    one->level =
        source != CR_PATTERNS_PROJECT && answer == CR_POLICY_DENY ? FORBIDDEN : level_of(pattern);
    one->source = source;
    memcpy(one->text, pattern, len + 1);
    one->next = p->list;
    p->list = one;
    p->count++;
    return 0;
}

/* Within a level, the safer answer is stronger. */
static bool is_weaker(const struct cr_patterns_one *a, const struct cr_patterns_one *b)
{
    return a->level != b->level ? a->level < b->level : a->answer < b->answer;
}

/* On a tie the earliest wins: the list is newest first. */
static void judge(const struct cr_patterns *p, const char *method, matcher *matches,
                  struct cr_verdict *ret)
{
    bool is_short = strnlen(method, CR_PATTERNS_NAME_MAX + 1) <= CR_PATTERNS_NAME_MAX;
    const struct cr_patterns_one *best = NULL;

    for (const struct cr_patterns_one *one = is_short ? p->list : NULL; one; one = one->next)
        if ((!best || !is_weaker(one, best)) && matches(one->text, method))
            best = one;
    *ret = best ? (struct cr_verdict){best->answer, best->text, best->source}
                : (struct cr_verdict){.answer = CR_POLICY_ASK};
}

void cr_patterns_judge(const struct cr_patterns *p, const char *method, struct cr_verdict *ret)
{
    judge(p, method, cr_pattern_matches, ret);
}

void cr_patterns_judge_alias(const struct cr_patterns *p, const char *method,
                             struct cr_verdict *ret)
{
    judge(p, method, cr_pattern_matches_alias, ret);
}
