/*
 * patterns.h - patterns for tool names, and which of them wins.
 *
 * From strongest to weakest: a deny of the command line or of the user's file; exact names; globs
 * with a literal beginning of the action; "ns:*", "ns", and other patterns with a literal namespace
 * but no literal beginning of the action;
 * "*", and other patterns with a wildcard in the namespace. Within one level deny beats ask, and
 * ask beats allow. If no pattern matches, the answer is ask.
 *
 * A pattern is a glob over "ns:action": * is any text, ? any one character.
 */
#ifndef CR_PATTERNS_H
#define CR_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pattern.h"

enum cr_policy_answer { CR_POLICY_ALLOW, CR_POLICY_ASK, CR_POLICY_DENY };

/* Where a pattern comes from. A deny is strongest unless it is the project's. */
enum cr_patterns_source { CR_PATTERNS_PROJECT, CR_PATTERNS_COMMAND_LINE, CR_PATTERNS_USER };

/* From weakest to strongest. */
enum cr_pattern_level {
    CR_LEVEL_EVERYTHING,
    CR_LEVEL_NAMESPACE,
    CR_LEVEL_BEGINNING,
    CR_LEVEL_EXACT,
    CR_LEVEL_FORBIDDEN,
};

/* A longer name, "ns:action", matches no pattern: comparing takes name times pattern steps. */
#define CR_PATTERNS_NAME_MAX 193

struct cr_rule;

/* One pattern of a list. */
struct cr_patterns_one {
    const struct cr_rule *rule; /* the rule (rules.h) whose tools these are; NULL: no rule */
    enum cr_policy_answer answer;
    enum cr_pattern_level level;
    enum cr_patterns_source source;
    char text[];
};

/*
 * The beginning of a pattern or of a name, for a fast comparison: most patterns of a long list do
 * not match. Aliases have the same key.
 */
struct cr_patterns_key {
    uint64_t namespace; /* a hash; of a pattern with a wildcard: 0 */
    uint64_t action;    /* its first characters */
    uint64_t mask;      /* of a pattern: which of them are literal */
};

struct cr_patterns {
    struct cr_patterns_one **list; /* in the order in which they were added */
    struct cr_patterns_key *keys;  /* of each */
    size_t total, room;
    size_t count; /* without those of rules */
};

struct cr_verdict {
    enum cr_policy_answer answer;
    const char *pattern;         /* the pattern that decided, as given; NULL: none matched */
    enum cr_pattern_level level; /* of that pattern, or of the rule's tools */
    enum cr_patterns_source source;
    const struct cr_rule *rule; /* the rule that decided (rules.h); NULL: a pattern, or nothing */
    bool is_spent;              /* its budget is used up */
    const struct cr_rule
        *missed; /* a rule that would allow the tool, but with other args; or NULL */
};

void cr_patterns_init(struct cr_patterns *p);
void cr_patterns_clear(struct cr_patterns *p);

/* Copies |pattern|. Returns 0; CAPRUN_E_INVAL if it is not a pattern; CAPRUN_E_NOMEM. */
int cr_patterns_add(struct cr_patterns *p, enum cr_policy_answer answer, const char *pattern,
                    enum cr_patterns_source source, struct cr_err *err);

/* The same for the tools of |rule|, which has to stay as long as |p|; rules are not counted. */
int cr_patterns_add_rule(struct cr_patterns *p, enum cr_policy_answer answer, const char *pattern,
                         enum cr_patterns_source source, const struct cr_rule *rule,
                         struct cr_err *err);

/* The name of a tool, prepared for comparing. */
struct cr_patterns_name {
    const char *method; /* "ns:action"; NULL: too long, and matches nothing */
    bool by_alias;      /* it is read as cr_patterns_judge_alias() does */
    struct cr_patterns_key key;
};

struct cr_patterns_name cr_patterns_name(const char *method, bool by_alias);

/*
 * Returns the next pattern that matches |name|, in the order in which they were added, and moves
 * *|at|, which is 0 at first, past it; NULL at the end.
 */
const struct cr_patterns_one *cr_patterns_next(const struct cr_patterns *p, size_t *at,
                                               const struct cr_patterns_name *name);

/*
 * Decides about a call of |method|, "ns:action", as if no rule had conditions or a budget.
 *
 * A tool can also be called by an alias, with "_" for each character that an identifier cannot
 * have. cr_patterns_judge() reads names as they are. cr_patterns_judge_alias() reads every pattern
 * as if it were written with "_", too. A call that it allows still needs an allow from
 * cr_patterns_judge() for the exact name. A deny or ask from it counts, unless the exact name is
 * allowed (policy.c).
 */
void cr_patterns_judge(const struct cr_patterns *p, const char *method, struct cr_verdict *ret);
void cr_patterns_judge_alias(const struct cr_patterns *p, const char *method,
                             struct cr_verdict *ret);

#endif
