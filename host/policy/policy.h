/*
 * policy.h - decides whether a call may happen, for all calls that go through the gate. (In a run
 * whose application has a handler for calls, only the capability's list of tools counts.)
 *
 * Each call is checked twice. First, before anything is started, by the name that the code used,
 * with the server's own name: a call that cannot be allowed starts nothing. Then, when the tools of
 * the server are known, by the exact tool name, with the args as they will be sent; that answer
 * counts.
 *
 * A call must be in the capability's own list of tools, if the capability has a list (run/decide.c
 * checks the name that the code uses before it scans the args), and a pattern must allow it
 * (policy/patterns.h). If a person has to be asked, the answer is LATER if there is an asker
 * (struct cr_asker); else the call is denied.
 */
#ifndef CR_POLICY_H
#define CR_POLICY_H

#include "policy/patterns.h"
#include "policy/tool_list.h"

struct cr_question {
    const char *run;                  /* the id of the run that makes the call */
    const char *method;               /* "ns:action", as the code wrote it */
    const char *called;               /* the same with the server's own name before the action */
    const char *tool;                 /* "server:tool", the exact name; NULL: not known yet */
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
    const char *rule;  /* what follows "rule:", valid as long as the policy; or NULL */
    struct cr_err why; /* of a denial: the message, and what to change */
};

/* Waits for an answer. A member of its owner's struct. */
struct cr_pending {
    void (*ruled)(struct cr_pending *pending, const struct cr_ruling *ruling);
};

/* Asks a person. */
struct cr_asker {
    /*
     * Returns true if it asks: then ruled() of |pending| is called, once, and not before this
     * returns. |q| is only valid during the call.
     */
    bool (*ask)(struct cr_asker *asker, const struct cr_question *q, struct cr_pending *pending);
    /* The caller does not need the answer any longer. */
    void (*forget)(struct cr_asker *asker, struct cr_pending *pending);
};

/* All zeros: nothing is allowed, and no person can be asked. */
struct cr_policy {
    struct cr_patterns patterns;
    struct cr_asker *asker; /* NULL: no person can be asked */
};

void cr_policy_clear(struct cr_policy *policy);

/*
 * Answers |q|. |pending| is needed for an answer that comes later. If |q| has no exact name, the
 * answer is never LATER, and ALLOWED only means that nothing denies the call yet.
 */
void cr_policy_ask(const struct cr_policy *policy, const struct cr_question *q,
                   struct cr_pending *pending, struct cr_ruling *ret);

/*
 * The part of the first question that needs no configuration: may |method| be in the capability's
 * list? |has_aliases|: "_" may stand for another character of the name.
 */
bool cr_policy_may_be_listed(const struct cr_tool_list *tools, const char *method,
                             bool has_aliases);

/* Denies |method|, which is not in the list. */
void cr_policy_deny_unlisted(const struct cr_tool_list *tools, const char *method,
                             struct cr_ruling *ret);

#endif
