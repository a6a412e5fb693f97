/*
 * policy_parts.h - what the files of `caprun policy` share: policy.c (the list), policy_explain.c,
 * policy_test.c.
 */
#ifndef CR_CLI_POLICY_PARTS_H
#define CR_CLI_POLICY_PARTS_H

#include "base/json.h"
#include "caprun.h"
#include "cli/options.h"
#include "config/config.h"
#include "policy/explain.h"

struct cr_cli_policy {
    const struct cr_config *config;
    struct cr_policy *policy;
    const struct cr_options *options;
};

/* Where a pattern or a rule comes from. */
struct cr_cli_place {
    const char *option;           /* "--deny"; NULL: a file */
    const struct cr_config *file; /* NULL: an option */
    size_t line;
    const struct cJSON *value; /* in the file: as it is written there */
};

void cr_cli_policy_place(const struct cr_cli_policy *p, const struct cr_patterns_one *one,
                         struct cr_cli_place *ret);

/* Writes "--deny", or ".caprun.json:12", a path that is relative to the working directory. */
void cr_cli_policy_say_place(const struct cr_cli_place *place, char *ret, size_t size);

const char *cr_cli_policy_answer(enum cr_policy_answer answer);

/* What an envelope or a test calls it: the name of a rule, or a pattern. */
const char *cr_cli_policy_name(const struct cr_patterns_one *one);

/* Appends an entry as members of a JSON object, without braces. */
void cr_cli_policy_add_json(const struct cr_cli_policy *p, const struct cr_patterns_one *one,
                            struct cr_buf *out);

/* Appends an entry as lines of text: answer, tools, place; then what else the rule says. */
void cr_cli_policy_add_text(const struct cr_cli_policy *p, const struct cr_patterns_one *one,
                            size_t width, struct cr_buf *out);

/* The widest tools of all entries. */
size_t cr_cli_policy_width(const struct cr_cli_policy *p);

/*
 * Explains a call of |call|, "ns:action", with |args|, JSON that was checked, by |caller|.
 * |ret_tool| is the name with the server's own name; without such a server, the given name, and
 * *|ret_has_server| is false. Returns 0 or CAPRUN_E_NOMEM.
 */
int cr_cli_policy_judge(const struct cr_cli_policy *p, const char *call, const struct cr_buf *args,
                        const char *caller, char ret_tool[CR_PATTERNS_NAME_MAX + 80],
                        bool *ret_has_server, struct cr_explanation *ret);

/* Returns 0, or USAGE with a hint if |call| is not the name of one tool. */
int cr_cli_policy_check_call(const char *call, struct cr_err *why);

/* `caprun policy explain` and `caprun policy test`: as cr_cli_policy(). */
int cr_cli_policy_explain(const struct cr_cli_policy *p, struct caprun_run *run);
int cr_cli_policy_test(const struct cr_cli_policy *p, struct caprun_run *run);

#endif
