/*
 * rules.h - "rules" of the permissions: decisions that look at the args of a call, hold for one
 * capability, or have a budget.
 *
 * A rule without conditions ranks by the pattern of its tools, as a pattern does (patterns.h). A
 * rule with conditions ranks above all patterns, with one exception: where it allows or asks, a
 * deny of the same rank as its own tools, or of a higher rank, is stronger. Among rules with
 * conditions, too, deny beats ask, and ask beats allow.
 *
 * A budget counts the calls of one root run that the rule allowed (or asked about). When it is
 * used up, a rule that allows asks, and a rule that asks denies: no weaker rule can then allow the
 * call.
 */
#ifndef CR_RULES_H
#define CR_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/conditions.h"
#include "policy/patterns.h"

#define CR_RULES_CHAINS 1024u
#define CR_RULES_FOR_EXEC "exec" /* "for": code that is in no registry */

/*
 * What a remembered rule is bound to, as hashes in hexadecimal digits: the code that calls, the
 * definition of the tool, and where its server is. A rule counts only if all are the same.
 */
struct cr_pins {
    const char *code, *tool, *server;
};

/* A rule as the configuration has it. All texts are copied. */
struct cr_rule_spec {
    const char *id;     /* NULL: none */
    const char *tool;   /* a pattern */
    const char *caller; /* a four-part name, or CR_RULES_FOR_EXEC; NULL: any */
    const char *when;   /* JSON of its conditions; NULL: none */
    enum cr_policy_answer then;
    enum cr_patterns_source source;
    size_t place;                 /* its index in the list of its file */
    uint64_t max_calls;           /* 0: any number */
    uint64_t rate_calls, rate_ms; /* at most so many calls in so many ms; 0: any number */
    struct cr_pins pins;          /* all NULL, or none: then the rule is a remembered one */
    bool is_own;                  /* a remembered one of the user's own, which are counted apart */
};

struct cr_rule {
    struct cr_rule *next;          /* added before this one */
    struct cr_rule *next_in_chain; /* its name is in the same chain */
    size_t index;                  /* 0 for the first that was added */
    char *name; /* its id; without one "#1" for the first that was added, and so on */
    char *tool, *caller;
    enum cr_policy_answer then;
    enum cr_patterns_source source;
    size_t place; /* as in its spec */
    struct cr_conditions *when;
    uint32_t max_calls, rate_calls;
    int64_t rate_us;
    char *code_pin, *tool_pin, *server_pin; /* as in struct cr_pins; NULL: not bound */
    bool is_own;                            /* as in its spec */
};

struct cr_rules {
    struct cr_rule *list;
    size_t count;
    bool has_conditions; /* at least one rule has */
    bool has_pins;       /* the same */
    size_t longest_name;
    struct cr_rule *chains[CR_RULES_CHAINS]; /* of names: a hash table */
};

/* How often a resumed run has sent a call that a rule allowed: each time it was sent counts. */
struct cr_budgets_earlier {
    const char *rule; /* its name */
    uint32_t count;
};

/*
 * What the rules know about a run: its calls that count against budgets, and its calls that wait
 * for a lookup or a ruling; all zeros at first.
 */
struct cr_budgets {
    struct cr_budget *list; /* one for each rule, or NULL: nothing has been counted */
    size_t count;
    const struct cr_budgets_earlier *earlier; /* belongs to the player of the run; or NULL */
    size_t earlier_count;
    bool has_begun;     /* |earlier| has been counted */
    size_t asked_bytes; /* of args of calls that wait for a ruling */
    /* One lookup of a run is in the helper's queue; the others wait here, in their order. */
    struct cr_lookup *working, *first, *last;
};

/*
 * Adds a rule, and its tools to |patterns|. Relative directories start in |dir|. Returns 0;
 * CAPRUN_E_INVAL with the reason, without the rule's name; CAPRUN_E_NOMEM.
 */
int cr_rules_add(struct cr_rules *rules, struct cr_patterns *patterns,
                 const struct cr_rule_spec *spec, const char *dir, struct cr_err *err);
void cr_rules_clear(struct cr_rules *rules);

/* Returns the rule with this name, its id or "#1", but no remembered one of the user; or NULL. */
const struct cr_rule *cr_rules_find(const struct cr_rules *rules, const char *name);

/* Does the rule have a budget that |budgets| has used up at the time |now_us|? */
bool cr_rule_is_spent(const struct cr_rule *rule, const struct cr_budgets *budgets, int64_t now_us);

/* The same for the rate alone. */
bool cr_rule_is_too_fast(const struct cr_rule *rule, const struct cr_budgets *budgets,
                         int64_t now_us);

/*
 * Count a call for |rule|, one of |rules|: for its "maxCalls", when the call is allowed; and for
 * its "rate", when the call is about to be sent. They do nothing for a rule without that budget.
 * Return 0 or CAPRUN_E_NOMEM, and the call is not counted.
 */
int cr_budgets_count(struct cr_budgets *budgets, const struct cr_rules *rules,
                     const struct cr_rule *rule);
int cr_budgets_time(struct cr_budgets *budgets, const struct cr_rules *rules,
                    const struct cr_rule *rule, int64_t now_us);

/* Sorts |list|, and adds up entries of the same rule. Returns the number of the entries left. */
size_t cr_budgets_sum_earlier(struct cr_budgets_earlier *list, size_t count);

/*
 * Counts, once, what |budgets|->earlier has, as if those calls were made at |now_us|. Returns 0 or
 * CAPRUN_E_NOMEM, and no call may be decided.
 */
int cr_budgets_begin(struct cr_budgets *budgets, const struct cr_rules *rules, int64_t now_us);
void cr_budgets_clear(struct cr_budgets *budgets);

/* --- which rule or pattern decides ---------------------------------------------------------- */

/* What rules look at. */
struct cr_facts {
    const char *method;    /* "ns:action" */
    bool by_alias;         /* names are read as cr_patterns_judge_alias() does */
    const char *caller;    /* as in a rule */
    const uint8_t *truths; /* enum cr_truth of the conditions of each rule, by its index; NULL: no
                              rule with conditions is about this call */
    size_t truth_count;    /* rules that were added later are unclear */
    struct cr_pins pins;   /* of the call; NULL: not known */
    bool is_early;         /* a pin that is not known yet may be any; later it is not the same */
    const struct cr_budgets *budgets;
    const struct cr_rule *counted; /* the call has been counted for this rule; NULL: for none */
    int64_t now_us;
};

/*
 * Decides. The result names the pattern, or the rule, that decided; with neither, nothing matched
 * and the answer is ask.
 */
void cr_rules_judge(const struct cr_patterns *patterns, const struct cr_facts *facts,
                    struct cr_verdict *ret);

#endif
