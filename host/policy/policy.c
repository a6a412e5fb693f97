/* policy.c - decides about a call: by the capability's list, then the patterns, then a person. */
#include "policy/policy.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/pattern.h"
#include "base/words.h"

#define NAMED_TOOLS 3u

void cr_policy_clear(struct cr_policy *policy)
{
    cr_patterns_clear(&policy->patterns);
}

/* Does not clear the large buffers for messages: this function runs for each call. */
static void set(struct cr_ruling *ret, enum cr_ruling_answer answer, const char *by,
                const char *rule)
{
    ret->answer = answer;
    ret->by = by;
    ret->rule = rule;
    ret->why.text[0] = ret->why.hint[0] = '\0';
}

/* --- the capability's own list of tools ----------------------------------------------------- */

static bool is_listed(const struct cr_tool_list *tools, const char *method)
{
    return !tools->is_set || cr_tool_list_has(tools, method);
}

bool cr_policy_may_be_listed(const struct cr_tool_list *tools, const char *method, bool has_aliases)
{
    return is_listed(tools, method) || (has_aliases && cr_tool_list_has_alias(tools, method));
}

/* ' ("text:upper", "text:lower" and 7 more)', or ', which is empty'. */
static void list_tools(const struct cr_tool_list *tools, struct cr_buf *out)
{
    const char *name = cr_tool_list_next(tools, NULL);

    for (size_t i = 0; name && i < NAMED_TOOLS; i++, name = cr_tool_list_next(tools, name))
        cr_buf_fmt(out, "%s\"%s\"", i == 0 ? " (" : ", ", name);
    if (name)
        cr_buf_fmt(out, " and %zu more", tools->count - NAMED_TOOLS);
    cr_buf_str(out, tools->count ? ")" : ", which is empty");
}

void cr_policy_deny_unlisted(const struct cr_tool_list *tools, const char *method,
                             struct cr_ruling *ret)
{
    struct cr_buf list;

    set(ret, CR_RULING_DENIED, "rule:tools", NULL);
    cr_buf_init(&list, sizeof(ret->why.text));
    list_tools(tools, &list);
    (void)cr_err_end(&ret->why, CAPRUN_OUTCOME_PERMISSION_DENIED, NULL,
                     "%s is not in the capability's list of tools%s; its author has to add it to "
                     "\"tools\" in the metadata",
                     method, cr_buf_text(&list) ? cr_buf_text(&list) : "");
    cr_buf_clear(&list);
}

/* --- patterns ------------------------------------------------------------------------------- */

/*
 * Deny and ask rules also match aliases; else code that is denied "a_b" could call "a-b".
 * Exception: a pattern allows this exact name. A deny of the command line or of the user's file
 * always wins.
 */
static void apply_aliases(const struct cr_policy *policy, const char *name, struct cr_verdict *v)
{
    struct cr_verdict alias;
    bool forbidden;

    cr_patterns_judge_alias(&policy->patterns, name, &alias);
    forbidden = alias.answer == CR_POLICY_DENY && alias.source != CR_PATTERNS_PROJECT;
    if (alias.answer != CR_POLICY_ALLOW && (forbidden || strcmp(v->pattern, name) != 0))
        *v = alias;
}

static void judge(const struct cr_policy *policy, const char *name, struct cr_verdict *ret)
{
    cr_patterns_judge(&policy->patterns, name, ret);
    if (ret->answer == CR_POLICY_ALLOW)
        apply_aliases(policy, name, ret);
}

/* Writes where |v| comes from: an option or caprun_permit(), or a line of the configuration. */
static void say_where(const struct cr_verdict *v, char *ret, size_t size)
{
    const char *list = v->answer == CR_POLICY_DENY ? "deny" : "ask";

    if (!v->pattern)
        (void)snprintf(ret, size, "nothing in \"permissions\" allows it");
    else if (v->source == CR_PATTERNS_COMMAND_LINE)
        (void)snprintf(ret, size, "%s%s %s", cr_words[CR_WORD_PATTERN], list, v->pattern);
    else
        (void)snprintf(ret, size, "\"permissions\": {\"%s\": [\"%s\"]} of %s", list, v->pattern,
                       v->source == CR_PATTERNS_USER ? "the user's config.json" : ".caprun.json");
}

static void say_denied(const char *name, const struct cr_verdict *v, struct cr_ruling *ret)
{
    static const enum caprun_outcome denied = CAPRUN_OUTCOME_PERMISSION_DENIED;
    char where[400];

    say_where(v, where, sizeof(where));
    if (v->answer == CR_POLICY_DENY)
        (void)cr_err_end(&ret->why, denied, NULL, "%s is denied by %s", name, where);
    else if (!cr_pattern_is(name) || strpbrk(name, "*?")) /* a server's text: in no command */
        (void)cr_err_end(&ret->why, denied, NULL,
                         "%s is denied: nothing in \"permissions\" allows it", name);
    else
        (void)cr_err_end(&ret->why, denied, NULL,
                         "%s is denied: %s%s, and this version of caprun cannot ask; to allow it, "
                         "add \"permissions\": {\"allow\": [\"%s\"]} to .caprun.json, or "
                         "%s%s%s%s",
                         name, v->pattern ? "a person has to be asked because of " : "", where,
                         name, cr_words[CR_WORD_ALLOW], name, cr_words[CR_WORD_ALLOW_END],
                         strchr(name, '_') ? "; if the \"_\" stands for another character of "
                                             "the name, write that character"
                                           : "");
}

static void rule(const char *name, const struct cr_verdict *v, struct cr_ruling *ret)
{
    set(ret, v->answer == CR_POLICY_ALLOW ? CR_RULING_ALLOWED : CR_RULING_DENIED,
        v->answer == CR_POLICY_ASK ? "no_channel" : "rule:",
        v->answer == CR_POLICY_ASK ? NULL : v->pattern);
    if (v->answer != CR_POLICY_ALLOW)
        say_denied(name, v, ret);
}

/* --- questions ------------------------------------------------------------------------------ */

/* |q->called| may be the alias of a tool that is allowed: its exact name is judged later. */
static void ask_early(const struct cr_policy *policy, const struct cr_question *q,
                      struct cr_ruling *ret)
{
    struct cr_verdict v, alias;

    judge(policy, q->called, &v);
    if (v.answer != CR_POLICY_ALLOW) {
        cr_patterns_judge_alias(&policy->patterns, q->called, &alias);
        if (alias.answer == CR_POLICY_ALLOW)
            v = alias;
    }
    rule(q->called, &v, ret);
    if (v.answer == CR_POLICY_ASK && policy->asker)
        set(ret, CR_RULING_ALLOWED, NULL, NULL); /* a person is asked about the exact name */
}

static void ask_exactly(const struct cr_policy *policy, const struct cr_question *q,
                        struct cr_pending *pending, struct cr_ruling *ret)
{
    const char *name = q->tool;
    struct cr_verdict v;

    judge(policy, name, &v);
    if (v.answer == CR_POLICY_ALLOW && !cr_pattern_is(name)) {
        /* no pattern can name this tool exactly, so the name that the code used counts as well */
        name = q->called;
        judge(policy, name, &v);
    }
    rule(name, &v, ret);
    if (v.answer == CR_POLICY_ASK && policy->asker && policy->asker->ask(policy->asker, q, pending))
        set(ret, CR_RULING_LATER, NULL, NULL);
}

void cr_policy_ask(const struct cr_policy *policy, const struct cr_question *q,
                   struct cr_pending *pending, struct cr_ruling *ret)
{
    if (!q->tool)
        ask_early(policy, q, ret);
    else if (!is_listed(q->tools, q->method) && !is_listed(q->tools, q->tool))
        cr_policy_deny_unlisted(q->tools, q->method, ret);
    else
        ask_exactly(policy, q, pending, ret);
}
