/*
 * lookup.h - finds out which conditions of rules hold for one call: at once for short args, in a
 * helper thread for long ones and where files are looked up.
 *
 *     cr_lookup_new -> cr_lookup_now                             -> cr_lookup_free
 *                   -> cr_lookup_later -> done(), in a later step -> cr_lookup_free
 *                                      -> cr_lookup_abandon
 */
#ifndef CR_LOOKUP_H
#define CR_LOOKUP_H

#include "base/helper.h"
#include "policy/policy.h"

struct cr_lookup {
    struct cr_job job;
    void (*done)(struct cr_lookup *l);
    struct cr_policy *policy;
    struct cr_pending *pending;
    struct cr_question q; /* its texts must stay valid until done(), except |tool| */
    uint8_t *truths;      /* for struct cr_facts */
    size_t truth_count;   /* of them: the rules that there were when the lookup began */
    /* What the thread uses. It owns all of it. */
    struct cr_conditions **conditions; /* of |rules[i]| */
    size_t *rules;                     /* indexes */
    size_t count;
    size_t weight; /* of all conditions: steps for each byte of the args, roughly */
    const char *args;
    char *own_args, *dir, *tool;
    struct cr_lookup *prev, *next; /* of the same run, waiting for the helper */
};

/*
 * Looks for rules with conditions that are about the call of |q|. Returns 0, and *|ret|, NULL if
 * there are no such rules; or CAPRUN_E_NOMEM.
 */
int cr_lookup_new(struct cr_policy *policy, const struct cr_question *q, struct cr_lookup **ret);
void cr_lookup_free(struct cr_lookup *l);

/* Does the lookup take so long that it must not be done in the loop's thread? */
bool cr_lookup_is_long(const struct cr_lookup *l);

/* Fills |l->truths|. */
void cr_lookup_now(struct cr_lookup *l);

/*
 * Fills |l->truths| in a thread of |l->policy->helper|; done() is called in a later step. Copies
 * the args. The helper has one lookup of each run, |q.budgets|, at a time, so that runs with many
 * lookups do not delay the others. Returns 0 or CAPRUN_E_NOMEM.
 */
int cr_lookup_later(struct cr_lookup *l, void (*done)(struct cr_lookup *l));

/* Frees |l|, now or when the thread is ready; done() is not called. */
void cr_lookup_abandon(struct cr_lookup *l);

#endif
