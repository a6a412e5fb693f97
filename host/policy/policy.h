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
 * checks the name that the code uses before it scans the args), and a pattern or a rule must allow
 * it (policy/patterns.h, policy/rules.h). The answer is LATER while a rule needs files to be looked
 * up, or reads long args, and while a person is asked. If a person has to be asked and no asker
 * (struct cr_asker) can do that, the call is denied.
 */
#ifndef CR_POLICY_H
#define CR_POLICY_H

#include "policy/patterns.h"
#include "policy/rules.h"
#include "policy/tool_list.h"

/* What only the asker needs to know of a call. Stays valid until the answer. */
struct cr_asked {
    struct caprun_run *run;
    uint32_t number;        /* of the call */
    const char *server;     /* JSON: what the configuration says of the server */
    const char *definition; /* of the tool, as it is pinned; valid during the call of ask() */
    size_t definition_len;
    /* Policy sets these; valid during the call of ask(). */
    const char *because;   /* why a person is asked */
    const char *from;      /* where relative paths of the configuration start, or NULL */
    bool may_add;          /* a new rule with conditions would allow the call */
    bool may_add_any_args; /* so would one without conditions */
    const char *grant;     /* if the asker wants it: JSON of what would allow it, or NULL */
};

struct cr_question {
    const char *run;                  /* the id of the run that makes the call */
    const char *method;               /* "ns:action", as the code wrote it */
    const char *called;               /* the same with the server's own name before the action */
    const char *tool;                 /* "server:tool", the exact name; NULL: not known yet */
    const struct cr_tool_list *tools; /* of the capability */
    const char *args;                 /* JSON that the strict scanner has accepted */
    size_t args_len;
    const char *caller;             /* four-part name, or CR_RULES_FOR_EXEC */
    const char *dir;                /* where the server's relative paths start; NULL: unknown */
    struct cr_budgets *budgets;     /* of the root run; NULL: nothing is counted */
    const struct cr_rule **counted; /* the rule for which this call was counted, or NULL; is set */
    bool allow_declared;            /* calls in |tools| that would ask are allowed */
    struct cr_pins pins;            /* of the call, for remembered rules; NULL: not known */
    struct cr_asked about;          /* for the asker; all zeros: it is not needed */
};

enum cr_ruling_answer {
    CR_RULING_ALLOWED,
    CR_RULING_DENIED,
    CR_RULING_LATER, /* ruled() is called once, from the loop; or cr_policy_forget() by the caller
                      */
};

struct cr_ruling {
    enum cr_ruling_answer answer;
    const char *by; /* for the envelope: "rule:", "rule:tools", "no_channel", or who decided; valid
                       as long as the run */
    const char *rule;  /* what follows "rule:", valid as long as the policy; or NULL */
    struct cr_err why; /* of a denial: the message, and what to change */
    const char *grant; /* of a denial: JSON of what would allow it, as in docs/envelope.md; NULL:
                          nothing does. Valid until the policy denies another call */
};

struct cr_lookup;

/* Waits for an answer. A member of its owner's struct. */
struct cr_pending {
    void (*ruled)(struct cr_pending *pending, const struct cr_ruling *ruling);
    struct cr_lookup *lookup; /* of rules; NULL: a person is asked */
    void *asked;              /* of the asker */
};

/* Asks a person. */
struct cr_asker {
    /*
     * Is it worth starting something for |q|, because a person can be asked, or has decided about
     * the call before? Asks nobody.
     */
    bool (*can_ask)(struct cr_asker *asker, const struct cr_question *q);
    /*
     * Returns false if nobody can be asked. Otherwise sets |ret|: to ALLOWED or DENIED if that was
     * decided before; or to LATER, then ruled() of |pending| is called, once, and not before this
     * returns. |q| is only valid during the call, but its args stay until the answer.
     */
    bool (*ask)(struct cr_asker *asker, const struct cr_question *q, struct cr_pending *pending,
                struct cr_ruling *ret);
    /* The caller does not need the answer any longer. */
    void (*forget)(struct cr_asker *asker, struct cr_pending *pending);
    bool wants_grant;
};

/* All zeros: nothing is allowed, and no person can be asked. */
struct cr_policy {
    struct cr_patterns patterns;
    struct cr_rules rules;
    struct cr_helper *helper; /* looks up files; NULL: the caller's thread does */
    struct cr_asker *asker;   /* NULL: no person can be asked */
    /* For denials, which say what to add where. The caller keeps them; each may be NULL. */
    const char *file, *user_file; /* the project's configuration, and the user's own */
    const char *dir;              /* where relative paths of |file| start */
    char *grant;                  /* of the last denial; the policy's own */
};

void cr_policy_clear(struct cr_policy *policy);

/*
 * Answers |q|. |pending| is needed for an answer that comes later; what |q| points to, except for
 * the args and the exact name, has to stay until then. If |q| has no exact name, ALLOWED only means
 * that nothing denies the call yet. With an exact name, ALLOWED counts the call for the budget of
 * the rule that allows it.
 */
void cr_policy_ask(struct cr_policy *policy, const struct cr_question *q,
                   struct cr_pending *pending, struct cr_ruling *ret);

/*
 * A call of |name| that |rule| has allowed is about to be sent: counts it for the rule's rate.
 * Returns false, with the ruling, if that would be too fast now: calls that were allowed one after
 * the other may have waited, and come together.
 */
bool cr_policy_may_send(struct cr_policy *policy, const char *name, struct cr_budgets *budgets,
                        const struct cr_rule *rule, struct cr_ruling *ret);

/* The answer to |pending|, which was to come LATER, is not needed any longer. */
void cr_policy_forget(struct cr_policy *policy, struct cr_pending *pending);

/*
 * Tells what the policy says of a call whose exact name is |q->tool|. |truths|: as in struct
 * cr_facts. Counts nothing, and asks nobody.
 */
void cr_policy_judge(const struct cr_policy *policy, const struct cr_question *q,
                     const uint8_t *truths, struct cr_verdict *ret);

/*
 * Tells what the policy says of a call of |called|, "server:action", by |caller|, before args and
 * the exact name of the tool are known: an allow of a tool with this alias counts; conditions of
 * rules do not hold. Returns false if a rule with conditions is about this call: it may decide
 * otherwise.
 */
bool cr_policy_foresee(const struct cr_policy *policy, const char *called, const char *caller,
                       struct cr_verdict *ret);

/*
 * Writes where |verdict| comes from: an option or caprun_permit(), a rule, or a line of the
 * configuration.
 */
void cr_policy_say_where(const struct cr_verdict *verdict, char *ret, size_t size);

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
