/*
 * policy.h - may this call happen? The one place that answers, for all calls that go through the
 * gate. (A run whose application has a handler for calls only has the capability's list of tools.)
 *
 * A question is asked twice. Before anything is started, by the name that the code has used, with
 * the server's own name: what cannot be allowed starts nothing. Then, when the tools of the server
 * are known, by the exact name of the tool, with the args as they will be sent; that answer counts.
 *
 * A call has to be in the capability's own list of tools, if it has one (by the name that the code
 * uses, run/decide.c asks before it scans the args), and allowed by a pattern
 * (policy/patterns.h). Where a person has to be asked the answer is LATER, if somebody asks them
 * (struct cr_asker); else it is denied.
 */
#ifndef CR_POLICY_H
#define CR_POLICY_H

#include "policy/patterns.h"
#include "policy/tool_list.h"

struct cr_question {
    const char *run;                  /* the id of the run that makes the call */
    const char *method;               /* "ns:action", as the code says */
    const char *called;               /* the same with the server's own name before the action */
    const char *tool;                 /* "server:tool", by its exact name; NULL: not known yet */
    const struct cr_tool_list *tools; /* of the capability */
    const char *args;                 /* JSON that the strict scanner has accepted */
    size_t args_len;
};

struct cr_ruling {
    enum cr_ruling_answer {
        CR_RULING_ALLOWED,
        CR_RULING_DENIED,
        CR_RULING_LATER, /* ruled() is called once, from the loop; or the caller calls forget() */
    } answer;
    const char *by;    /* for the envelope, a constant: "rule:", "rule:tools", "no_channel" */
    const char *rule;  /* what comes behind "rule:"; lives as long as the policy, or NULL */
    struct cr_err why; /* of a denial: its words, and what to change */
};

/* Who waits for an answer. A part of its owner's struct. */
struct cr_pending {
    void (*ruled)(struct cr_pending *pending, const struct cr_ruling *ruling);
};

/* Who asks a person. */
struct cr_asker {
    /*
     * Returns true if it asks: then |pending| is told, once, and not before this returns. |q| is
     * only valid during the call.
     */
    bool (*ask)(struct cr_asker *asker, const struct cr_question *q, struct cr_pending *pending);
    /* The answer is not wanted any more. */
    void (*forget)(struct cr_asker *asker, struct cr_pending *pending);
};

/* All zeros: nothing is allowed, and no person can be asked. */
struct cr_policy {
    struct cr_patterns patterns;
    struct cr_asker *asker; /* NULL: there is none */
};

void cr_policy_clear(struct cr_policy *policy);

/*
 * Answers |q|. |pending| is needed for an answer that comes later. Without an exact name none does,
 * and ALLOWED only means that nothing excludes it yet.
 */
void cr_policy_ask(const struct cr_policy *policy, const struct cr_question *q,
                   struct cr_pending *pending, struct cr_ruling *ret);

/*
 * The part of the first question that needs no configuration: may |method| be in the capability's
 * list? |has_aliases|: "_" may stand for another character of the name.
 */
bool cr_policy_may_be_listed(const struct cr_tool_list *tools, const char *method,
                             bool has_aliases);

/* The denial of a |method| that is not in there. */
void cr_policy_deny_unlisted(const struct cr_tool_list *tools, const char *method,
                             struct cr_ruling *ret);

#endif
