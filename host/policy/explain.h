/*
 * explain.h - says which pattern or rule decides about a call, and why each other one does not.
 * For people: it is not fast, and looks up files in the caller's thread.
 */
#ifndef CR_EXPLAIN_H
#define CR_EXPLAIN_H

#include "policy/policy.h"

/* Why a pattern or a rule decides, or does not. */
struct cr_reason {
    const struct cr_patterns_one *one;
    bool decides, is_other; /* is_other: it is for other tools */
    char *why;              /* "decides", "is for other tools" ...; may quote args and names */
};

struct cr_explanation {
    struct cr_verdict verdict;
    struct cr_reason *list; /* the strongest first */
    size_t count;
    bool by_alias; /* with "_" for another character of the tool's name, more of them would match */
};

/*
 * Lists all patterns and rules of |policy|, the strongest first. The caller frees *|ret|. Returns 0
 * or CAPRUN_E_NOMEM.
 */
int cr_explain_order(const struct cr_policy *policy, const struct cr_patterns_one ***ret);

/*
 * Explains the call of |q|, whose exact name is |q->tool|. Without |q->budgets|, no budget is used
 * up. Returns 0, and the caller calls cr_explain_clear(); or CAPRUN_E_NOMEM.
 */
int cr_explain(struct cr_policy *policy, const struct cr_question *q, struct cr_explanation *ret);
void cr_explain_clear(struct cr_explanation *e);

#endif
