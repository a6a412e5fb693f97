/* policy.c - `caprun policy`: the list of patterns and rules, the strongest first, with places. */
#include "cli/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "capability/host.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/policy_parts.h"
#include "cli/remember.h"
#include "cli/servers.h"
#include "cli/settings.h"

#define MAX_TEXT (64u << 20)
#define ANSWER_WIDTH 7u
#define WIDEST_TOOLS 40u

/* --- where an entry comes from ---------------------------------------------------------------- */

const char *cr_cli_policy_answer(enum cr_policy_answer answer)
{
    static const char *const words[] = {
        [CR_POLICY_ALLOW] = "allow", [CR_POLICY_ASK] = "ask", [CR_POLICY_DENY] = "deny"};

    return words[answer];
}

const char *cr_cli_policy_name(const struct cr_patterns_one *one)
{
    return one->rule ? one->rule->name : one->text;
}

/* How many patterns of the same list were added before |one|? */
static size_t index_of(const struct cr_policy *policy, const struct cr_patterns_one *one)
{
    size_t n = 0;

    for (size_t i = 0; i < policy->patterns.total && policy->patterns.list[i] != one; i++) {
        const struct cr_patterns_one *other = policy->patterns.list[i];

        n += !other->rule && other->answer == one->answer && other->source == one->source;
    }
    return n;
}

void cr_cli_policy_place(const struct cr_cli_policy *p, const struct cr_patterns_one *one,
                         struct cr_cli_place *ret)
{
    static const char *const options[] = {
        [CR_POLICY_ALLOW] = "--allow", [CR_POLICY_ASK] = "--ask", [CR_POLICY_DENY] = "--deny"};
    size_t at = one->rule ? one->rule->place : index_of(p->policy, one), unused;
    const struct cJSON *permissions;

    *ret = (struct cr_cli_place){0};
    if (one->source == CR_PATTERNS_COMMAND_LINE) {
        ret->option = options[one->answer];
        return;
    }
    ret->file = one->source == CR_PATTERNS_USER && p->config->user ? p->config->user : p->config;
    if (one->rule && one->rule->is_own)
        ret->file = p->config->remembered;
    permissions = cr_json_get(ret->file->doc.root, "permissions");
    ret->value = cr_json_first(
        cr_json_get(permissions, one->rule ? "rules" : cr_cli_policy_answer(one->answer)));
    while (ret->value && at-- > 0)
        ret->value = cr_json_next(ret->value);
    if (ret->value)
        cr_json_line_of(&ret->file->doc, cr_json_place_of(&ret->file->doc, ret->value).at,
                        &ret->line, &unused);
}

void cr_cli_policy_say_place(const struct cr_cli_place *place, char *ret, size_t size)
{
    cr_autofree char *here = getcwd(NULL, 0);
    size_t len = here ? strlen(here) : 0;
    const char *path = place->file ? place->file->path : NULL;

    if (!path) {
        (void)snprintf(ret, size, "%s", place->option ? place->option : "");
        return;
    }
    if (len && strncmp(path, here, len) == 0 && path[len] == '/')
        path += len + 1;
    (void)snprintf(ret, size, "%s:%zu", path, place->line);
}

/* --- one entry -------------------------------------------------------------------------------- */

/* The rule's own key, as it is written: with ${NAME}, not with the value. */
static const struct cJSON *written(const struct cr_cli_place *place, const char *key)
{
    return cr_json_get(place->value, key);
}

static void add_member(struct cr_buf *out, const struct cr_cli_place *place, const char *key)
{
    const struct cJSON *value = written(place, key);

    if (!value)
        return;
    cr_buf_fmt(out, ",\"%s\":", key);
    cr_json_print(out, value);
}

void cr_cli_policy_add_json(const struct cr_cli_policy *p, const struct cr_patterns_one *one,
                            struct cr_buf *out)
{
    static const char *const levels[] = {[CR_LEVEL_EVERYTHING] = "everything",
                                         [CR_LEVEL_NAMESPACE] = "namespace",
                                         [CR_LEVEL_BEGINNING] = "beginning",
                                         [CR_LEVEL_EXACT] = "exact",
                                         [CR_LEVEL_FORBIDDEN] = "forbidden"};
    static const char *const keys[] = {"for", "when", "maxCalls", "rate"};
    struct cr_cli_place place;

    cr_cli_policy_place(p, one, &place);
    cr_buf_fmt(out, "\"answer\":\"%s\",\"tools\":", cr_cli_policy_answer(one->answer));
    cr_escape_json_str(out, one->text);
    cr_buf_fmt(out, ",\"level\":\"%s\"", levels[one->level]);
    if (one->rule) {
        cr_escape_member(out, "rule", one->rule->name);
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
            add_member(out, &place, keys[i]);
    }
    if (place.option) {
        cr_escape_member(out, "option", place.option);
        return;
    }
    cr_escape_member(out, "file", place.file->path ? place.file->path : "");
    cr_buf_fmt(out, ",\"line\":%zu", place.line);
}

/* Appends what a rule says beside its tools: "for x, if {...}, at most 3 calls". */
static void add_details(const struct cr_rule *rule, const struct cr_cli_place *place,
                        struct cr_buf *out)
{
    const struct cJSON *when = written(place, "when");

    cr_buf_fmt(out, "%s %s", rule->code_pin ? "remembered rule" : "rule", rule->name);
    if (rule->caller)
        cr_buf_fmt(out, ", only for %s", rule->caller);
    if (rule->max_calls)
        cr_buf_fmt(out, ", %u call%s in a run", rule->max_calls, rule->max_calls == 1 ? "" : "s");
    if (rule->rate_calls)
        cr_buf_fmt(out, ", %u call%s in %lld ms", rule->rate_calls,
                   rule->rate_calls == 1 ? "" : "s", (long long)rule->rate_us / 1000);
    if (when) {
        cr_buf_str(out, ", when ");
        cr_json_print(out, when);
    }
}

static void add_wrapped(struct cr_buf *out, const char *text)
{
    cr_columns_fill(out, ANSWER_WIDTH + 2);
    cr_columns_wrap(out, text, strlen(text), ANSWER_WIDTH + 2, ANSWER_WIDTH + 2,
                    cr_columns_available(STDOUT_FILENO));
    cr_buf_str(out, "\n");
}

void cr_cli_policy_add_text(const struct cr_cli_policy *p, const struct cr_patterns_one *one,
                            size_t width, struct cr_buf *out)
{
    static const enum cr_colour colours[] = {[CR_POLICY_ALLOW] = CR_COLOUR_GOOD,
                                             [CR_POLICY_ASK] = CR_COLOUR_HINT,
                                             [CR_POLICY_DENY] = CR_COLOUR_BAD};
    cr_autobuf struct cr_buf details = CR_BUF(MAX_TEXT);
    struct cr_cli_place place;
    char from[PATH_MAX + 32];

    cr_cli_policy_place(p, one, &place);
    cr_cli_policy_say_place(&place, from, sizeof(from));
    cr_buf_fmt(out, "  %s", cr_colour_code(STDOUT_FILENO, colours[one->answer]));
    cr_columns_left(out, cr_cli_policy_answer(one->answer), ANSWER_WIDTH);
    cr_buf_str(out, cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    cr_columns_left(out, one->text, width + 2);
    cr_escape_terminal(out, from, strlen(from));
    cr_buf_str(out, "\n");
    if (!one->rule)
        return;
    add_details(one->rule, &place, &details);
    add_wrapped(out, cr_buf_text(&details) ? cr_buf_text(&details) : one->rule->name);
}

size_t cr_cli_policy_width(const struct cr_cli_policy *p)
{
    size_t width = strlen("everything else");

    for (size_t i = 0; i < p->policy->patterns.total; i++) {
        size_t n = strlen(p->policy->patterns.list[i]->text);

        width = n > width && n <= WIDEST_TOOLS ? n : width;
    }
    return width;
}

/* --- one call --------------------------------------------------------------------------------- */

int cr_cli_policy_check_call(const char *call, struct cr_err *why)
{
    if (strchr(call, ':') && cr_pattern_is(call) && !strpbrk(call, "*?") &&
        strlen(call) <= CR_PATTERNS_NAME_MAX)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun tools lists the tools",
                      "'%.100s' is not the name of a tool with its server, NS:ACTION", call);
}

int cr_cli_policy_judge(const struct cr_cli_policy *p, const char *call, const struct cr_buf *args,
                        const char *caller, char ret_tool[CR_PATTERNS_NAME_MAX + 80],
                        bool *ret_has_server, struct cr_explanation *ret)
{
    size_t len = strcspn(call, ":");
    const struct cr_config_server *server = cr_cli_servers_find(p->config, call, len);
    struct cr_question q = {.method = call,
                            .called = ret_tool,
                            .tool = ret_tool,
                            .args = args->len ? (const char *)args->data : "{}",
                            .args_len = args->len ? args->len : 2,
                            .caller = caller,
                            .dir = server ? server->cwd : NULL};

    (void)snprintf(ret_tool, CR_PATTERNS_NAME_MAX + 80, "%.*s%s", server ? 80 : (int)len,
                   server ? server->name : call, call + len);
    *ret_has_server = server != NULL;
    return cr_explain(p->policy, &q, ret);
}

/* --- the list --------------------------------------------------------------------------------- */

static void list_text(const struct cr_cli_policy *p, const struct cr_patterns_one **order,
                      struct cr_buf *out)
{
    size_t width = cr_cli_policy_width(p);

    cr_buf_fmt(out, "%sthe strongest first%s\n", cr_colour_code(STDOUT_FILENO, CR_COLOUR_HEAD),
               cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    for (size_t i = 0; i < p->policy->patterns.total; i++)
        cr_cli_policy_add_text(p, order[i], width, out);
    cr_buf_str(out, "  ");
    cr_columns_left(out, "ask", ANSWER_WIDTH);
    cr_columns_left(out, "everything else", width + 2);
    cr_buf_str(out, "default\n");
}

static void list_json(const struct cr_cli_policy *p, const struct cr_patterns_one **order,
                      struct cr_buf *out)
{
    cr_buf_str(out, "{\"rules\":[");
    for (size_t i = 0; i < p->policy->patterns.total; i++) {
        cr_buf_str(out, i ? ",{" : "{");
        cr_cli_policy_add_json(p, order[i], out);
        cr_buf_str(out, "}");
    }
    cr_buf_str(out, "],\"default\":\"ask\"}\n");
}

static int list(const struct cr_cli_policy *p, struct caprun_run *run)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_TEXT);
    const struct cr_patterns_one **order;
    struct cr_err why;

    if (cr_explain_order(p->policy, &order) < 0) {
        (void)cr_err_memory(&why);
        return cr_launch_reject(run, &why);
    }
    if (p->options->json)
        list_json(p, order, &out);
    else
        list_text(p, order, &out);
    free(order);
    if ((p->options->json ? cr_output_json(&out) : cr_output_text(&out)) < 0)
        return caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    return 0;
}

/* --- the command ------------------------------------------------------------------------------ */

static int refuse(struct caprun_run *run, const char *words)
{
    caprun_reject(run, CAPRUN_OUTCOME_USAGE, words,
                  "caprun policy, caprun policy explain NS:ACTION [ARGS], caprun policy test "
                  "CASES, or caprun policy withdraw N");
    return -1;
}

/* Takes back a remembered rule: a number is one of the user's own, any other id the project's. */
static int withdraw(const struct cr_cli_policy *p, struct caprun_run *run)
{
    const char *id = p->options->words[2];
    bool is_own = strspn(id, "0123456789") == strlen(id);
    struct cr_err why;

    if (!is_own && !p->config->path) {
        (void)cr_err_end(&why, CAPRUN_OUTCOME_USAGE, "caprun policy lists the rules",
                         "no rule is remembered as \"%.100s\"", id);
        return cr_launch_reject(run, &why);
    }
    if (cr_remember_withdraw(id, is_own ? NULL : p->config, &why) < 0)
        return cr_launch_reject(run, &why);
    if (!p->options->quiet)
        cr_output_note("withdrawn: %s", id);
    return 0;
}

static int choose(const struct cr_cli_policy *p, struct caprun_run *run)
{
    const struct cr_options *o = p->options;
    const char *what = o->words[1];

    if (o->caller && (!what || strcmp(what, "explain") != 0))
        return refuse(run, "--for is for caprun policy explain");
    if (!what)
        return list(p, run);
    if (strcmp(what, "explain") == 0)
        return o->word_count > 2 ? cr_cli_policy_explain(p, run)
                                 : refuse(run, "policy explain needs a tool, NS:ACTION");
    if (strcmp(what, "test") == 0)
        return o->word_count == 3 ? cr_cli_policy_test(p, run)
                                  : refuse(run, "policy test needs one file of CASES");
    if (strcmp(what, "withdraw") == 0)
        return o->word_count == 3 ? withdraw(p, run)
                                  : refuse(run, "policy withdraw needs the number of a rule");
    return refuse(run, "policy can do three things: explain, test and withdraw");
}

int cr_cli_policy(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
{
    struct cr_cli_policy p = {.options = o};
    struct cr_err why;

    p.config = cr_settings_use(o, rt, &why);
    if (!p.config)
        return cr_launch_reject(run, &why);
    p.policy = cr_capability_host_policy(rt);
    return choose(&p, run);
}
