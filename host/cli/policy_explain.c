/* policy_explain.c - `caprun policy explain`: which rule decides, and why each other one does not.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/scan.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/input.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/policy_parts.h"
#include "config/text.h"

#define MAX_TEXT (64u << 20)
#define INDENT 9u       /* of a reason */
#define MOST_OTHERS 10u /* patterns and rules for other tools that are shown */

/* --- input ------------------------------------------------------------------------------------ */

/* As for `caprun call`. No ARGS: leaves |out| empty. */
static int read_args(const char *word, struct cr_buf *out, struct cr_err *why)
{
    static const char hint[] = "ARGS is a path, - or JSON that starts with {";
    struct cr_err err;

    if (word && word[0] == '{')
        cr_buf_str(out, word);
    else if (word && cr_input_read(word, out, &err) < 0)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, hint, "%s", err.text);
    if (word && (cr_buf_err(out) || cr_scan_json(out->data, out->len, CR_SCAN_STRICT, &err) < 0))
        return cr_err_end(why, CAPRUN_OUTCOME_VALIDATION_ERROR, hint, "the args are refused: %s",
                          cr_buf_err(out) ? "they are too long" : err.text);
    return 0;
}

static int check(const struct cr_options *o, struct cr_err *why)
{
    if (o->caller && !cr_text_caller.is(o->caller))
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "--for has to be %s",
                          cr_text_caller.what);
    return cr_cli_policy_check_call(o->words[2], why);
}

/* --- output ----------------------------------------------------------------------------------- */

static void add_reason(const struct cr_cli_policy *p, const struct cr_reason *reason, size_t width,
                       struct cr_buf *out)
{
    const char *code =
        cr_colour_code(STDOUT_FILENO, reason->decides ? CR_COLOUR_GOOD : CR_COLOUR_DIM);

    cr_cli_policy_add_text(p, reason->one, width, out);
    cr_columns_fill(out, INDENT);
    cr_buf_str(out, code);
    cr_buf_str(out, reason->decides ? "=> " : "");
    cr_columns_wrap(out, reason->why, strlen(reason->why), INDENT + (reason->decides ? 3 : 0),
                    INDENT, cr_columns_available(STDOUT_FILENO));
    cr_buf_fmt(out, "%s\n", *code ? cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE) : "");
}

static void write_text(const struct cr_cli_policy *p, const char *tool, const char *caller,
                       const struct cr_explanation *e, struct cr_buf *out)
{
    const struct cr_verdict *v = &e->verdict;
    cr_autobuf struct cr_buf head = CR_BUF(MAX_TEXT);
    size_t width = cr_cli_policy_width(p), others = 0;

    cr_buf_fmt(&head, "%s, called by %s: %s, because %s", tool, caller,
               cr_cli_policy_answer(v->answer),
               v->rule      ? "of the rule "
               : v->pattern ? "of the pattern "
                            : "no pattern and no rule applies");
    cr_buf_str(&head, v->rule ? v->rule->name : v->pattern ? v->pattern : "");
    if (cr_buf_text(&head))
        cr_columns_wrap(out, cr_buf_text(&head), head.len, 0, 2,
                        cr_columns_available(STDOUT_FILENO));
    cr_buf_str(out, "\n");
    for (size_t i = 0; i < e->count; i++) {
        if (!e->list[i].is_other || others++ < MOST_OTHERS)
            add_reason(p, &e->list[i], width, out);
    }
    if (others > MOST_OTHERS)
        cr_buf_fmt(out, "  and %zu more for other tools\n", others - MOST_OTHERS);
}

static void write_json(const struct cr_cli_policy *p, const char *tool, const char *caller,
                       const struct cr_explanation *e, struct cr_buf *out)
{
    const struct cr_verdict *v = &e->verdict;

    cr_buf_str(out, "{\"call\":");
    cr_escape_json_str(out, tool);
    cr_escape_member(out, "for", caller);
    cr_escape_member(out, "answer", cr_cli_policy_answer(v->answer));
    if (v->pattern)
        cr_escape_member(out, "by", v->rule ? v->rule->name : v->pattern);
    else
        cr_buf_str(out, ",\"by\":null");
    cr_buf_str(out, ",\"rules\":[");
    for (size_t i = 0; i < e->count; i++) {
        cr_buf_str(out, i ? ",{" : "{");
        cr_cli_policy_add_json(p, e->list[i].one, out);
        cr_buf_fmt(out, ",\"decides\":%s", e->list[i].decides ? "true" : "false");
        cr_escape_member(out, "why", e->list[i].why);
        cr_buf_str(out, "}");
    }
    cr_buf_str(out, "]}\n");
}

static void note(const char *tool, bool has_server, const struct cr_explanation *e)
{
    if (!has_server)
        cr_output_note("there is no server \"%.*s\" in mcpServers: such a call fails, whatever is "
                       "permitted",
                       (int)strcspn(tool, ":"), tool);
    if (e->by_alias)
        cr_output_note("no server was asked: this is about a tool that has exactly this name; if "
                       "its name has another character instead of a \"_\", write that");
}

static int show(const struct cr_cli_policy *p, const struct cr_buf *args)
{
    const char *call = p->options->words[2];
    const char *caller = p->options->caller ? p->options->caller : CR_RULES_FOR_EXEC;
    cr_autobuf struct cr_buf out = CR_BUF(MAX_TEXT);
    char tool[CR_PATTERNS_NAME_MAX + 80];
    struct cr_explanation e;
    bool has_server;
    int r;

    if (cr_cli_policy_judge(p, call, args, caller, tool, &has_server, &e) < 0)
        return caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    if (p->options->json)
        write_json(p, tool, caller, &e, &out);
    else
        write_text(p, tool, caller, &e, &out);
    r = p->options->json ? cr_output_json(&out) : cr_output_text(&out);
    if (!p->options->quiet)
        note(tool, has_server, &e);
    cr_explain_clear(&e);
    return r < 0 ? caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL) : 0;
}

int cr_cli_policy_explain(const struct cr_cli_policy *p, struct caprun_run *run)
{
    cr_autobuf struct cr_buf args = CR_BUF(CAPRUN_MAX_ARGS);
    struct cr_err why;

    if (check(p->options, &why) < 0 || read_args(p->options->words[3], &args, &why) < 0)
        return cr_launch_reject(run, &why);
    return show(p, &args);
}
