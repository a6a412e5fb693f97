/*
 * denial.h - what a denial says: what was attempted, what forbids it, and what would allow it.
 *
 * What would allow it is JSON for the envelope ("grant" in docs/envelope.md), and a hint with an
 * option. There is none where a denial is on purpose: a deny, except for the pattern "*", which
 * only sets the default; and none if nothing that can be added would win.
 */
#ifndef CR_DENIAL_H
#define CR_DENIAL_H

#include "policy/policy.h"

/*
 * Fills |ret->why| and |ret->grant| for the call of |name|, which |v| does not allow. |q| is its
 * question.
 */
void cr_denial_explain(struct cr_policy *policy, const struct cr_question *q, const char *name,
                       const struct cr_verdict *v, struct cr_ruling *ret);

/* May an "allow" with the exact name be proposed against |v|, and would it win? */
bool cr_denial_may_allow(const struct cr_verdict *v);

#endif
