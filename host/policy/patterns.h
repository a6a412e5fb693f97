/*
 * patterns.h - patterns for names of tools, and which of them wins.
 *
 * From strongest to weakest: a --deny; exact names; globs with a literal beginning of the action;
 * "ns:*" or "ns", and what else has the whole namespace but no beginning of the action; "*", and
 * what else has a wildcard in the namespace. Within one level deny beats ask beats allow. Where
 * nothing matches, ask.
 *
 * A pattern is a glob over "ns:action": * is any text, ? any one character.
 */
#ifndef CR_PATTERNS_H
#define CR_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pattern.h"

enum cr_policy_answer { CR_POLICY_ALLOW, CR_POLICY_ASK, CR_POLICY_DENY };

struct cr_patterns_one;

struct cr_patterns {
    struct cr_patterns_one *list;
    size_t count;
};

struct cr_verdict {
    enum cr_policy_answer answer;
    const char *pattern;    /* that decided, as it was given; NULL: none matched */
    bool from_command_line; /* where it was given */
};

void cr_patterns_init(struct cr_patterns *p);
void cr_patterns_clear(struct cr_patterns *p);

/* |pattern| is copied. Returns 0; CAPRUN_E_INVAL for what is no pattern; CAPRUN_E_NOMEM. */
int cr_patterns_add(struct cr_patterns *p, enum cr_policy_answer answer, const char *pattern,
                    bool from_command_line, struct cr_err *err);

/*
 * What is to be done with a call of |method|, "ns:action".
 *
 * A tool can also be called by an alias, with "_" for each character that an identifier cannot
 * have. cr_patterns_judge() reads names as they are. cr_patterns_judge_alias() reads every pattern
 * as if it were written with "_" too. What it allows may be allowed, once cr_patterns_judge() has
 * allowed the exact name. What it denies or sends to a person is so, unless the exact name is
 * allowed (policy.c).
 */
void cr_patterns_judge(const struct cr_patterns *p, const char *method, struct cr_verdict *ret);
void cr_patterns_judge_alias(const struct cr_patterns *p, const char *method,
                             struct cr_verdict *ret);

#endif
