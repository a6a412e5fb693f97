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
    for (size_t i = 0; i < p->total; i++)
        free(p->list[i]);
    free(p->list);
    free(p->keys);
    cr_patterns_init(p);
}

/* --- keys ----------------------------------------------------------------------------------- */

/* FNV-1a of the alias of a namespace; never 0. */
static uint64_t hash_namespace(const char *text, size_t len)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)cr_pattern_alias(text[i])) * 0x100000001b3u;
    return hash | 1;
}

static struct cr_patterns_key key_of(const char *text, bool is_pattern)
{
    size_t len = strcspn(text, ":");
    const char *action = text[len] ? text + len + 1 : "";
    struct cr_patterns_key key = {0};

    if (!is_pattern || strcspn(text, "*?") >= len)
        key.namespace = hash_namespace(text, len);
    for (int i = 0; i < 8 && *action && !(is_pattern && is_wild(*action)); i++, action++) {
        key.action |= (uint64_t)(unsigned char)cr_pattern_alias(*action) << 8 * i;
        key.mask |= (uint64_t)0xff << 8 * i;
    }
    return key;
}

static bool may_match(const struct cr_patterns_key *pattern, const struct cr_patterns_key *name)
{
    return (!pattern->namespace || pattern->namespace == name->namespace) &&
           !((pattern->action ^ name->action) & pattern->mask);
}

/* --- adding --------------------------------------------------------------------------------- */

static bool make_room(struct cr_patterns *p)
{
    size_t room = p->room ? 2 * p->room : 16;
    void *list, *keys;

    if (p->total < p->room)
        return true;
    list = realloc(p->list, room * sizeof(struct cr_patterns_one *));
    if (list)
        p->list = list;
    keys = realloc(p->keys, room * sizeof(*p->keys));
    if (keys)
        p->keys = keys;
    if (list && keys)
        p->room = room;
    return list && keys;
}

int cr_patterns_add_rule(struct cr_patterns *p, enum cr_policy_answer answer, const char *pattern,
                         enum cr_patterns_source source, const struct cr_rule *rule,
                         struct cr_err *err)
{
    struct cr_patterns_one *one;
    size_t len = strlen(pattern);

    if (!cr_pattern_is(pattern))
        return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not " CR_PATTERN_WHAT, pattern);
    one = make_room(p) ? malloc(sizeof(*one) + len + 1) : NULL;
    if (!one)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the pattern '%s'", pattern);
    one->rule = rule;
    one->answer = answer;
    one->level = source != CR_PATTERNS_PROJECT && answer == CR_POLICY_DENY ? CR_LEVEL_FORBIDDEN
                                                                           : level_of(pattern);
    one->source = source;
    memcpy(one->text, pattern, len + 1);
    p->keys[p->total] = key_of(pattern, true);
    p->list[p->total++] = one;
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

/* --- comparing ------------------------------------------------------------------------------ */

/* Within a level, the safer answer is stronger. */
static bool is_stronger(const struct cr_patterns_one *a, const struct cr_patterns_one *b)
{
    return a->level != b->level ? a->level > b->level : a->answer > b->answer;
}

struct cr_patterns_name cr_patterns_name(const char *method, bool by_alias)
{
    bool is_long = strnlen(method, CR_PATTERNS_NAME_MAX + 1) > CR_PATTERNS_NAME_MAX;

    return (struct cr_patterns_name){.method = is_long ? NULL : method,
                                     .by_alias = by_alias,
                                     .key = key_of(is_long ? "" : method, false)};
}

static bool matches(const char *pattern, const struct cr_patterns_name *name)
{
    return name->by_alias ? cr_pattern_matches_alias(pattern, name->method)
                          : cr_pattern_matches(pattern, name->method);
}

const struct cr_patterns_one *cr_patterns_next(const struct cr_patterns *p, size_t *at,
                                               const struct cr_patterns_name *name)
{
    while (name->method && *at < p->total) {
        size_t i = (*at)++;

        if (may_match(&p->keys[i], &name->key) && matches(p->list[i]->text, name))
            return p->list[i];
    }
    return NULL;
}

/* On a tie the earliest wins. */
static void judge(const struct cr_patterns *p, const char *method, bool by_alias,
                  struct cr_verdict *ret)
{
    const struct cr_patterns_name name = cr_patterns_name(method, by_alias);
    const struct cr_patterns_one *best = NULL, *one;

    for (size_t at = 0; (one = cr_patterns_next(p, &at, &name)) != NULL;)
        if (!best || is_stronger(one, best))
            best = one;
    *ret = (struct cr_verdict){.answer = CR_POLICY_ASK};
    if (best)
        *ret = (struct cr_verdict){.answer = best->answer,
                                   .pattern = best->text,
                                   .level = best->level,
                                   .source = best->source};
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
