/* question.c - writes a question as JSON (docs/approvals.md). */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "people/people_parts.h"
#include "policy/grant.h"
#include "run/calls.h"
#include "run/run.h"

#define MAX_ARGS (1u << 20) /* bytes of args in a question; longer args are not in it */

static void write_caller(const struct cr_asking *a, struct cr_buf *out)
{
    const struct cr_spec *spec = cr_run_spec(a->run);
    char pin[CR_HASH_DIGITS + 1];

    cr_hash_show(cr_asked_code_hash(a->run), pin);
    cr_buf_str(out, spec->caller[0] ? "{\"capability\":" : "{\"code\":");
    cr_escape_json_str(out, spec->caller[0] ? spec->caller : spec->code_name);
    cr_escape_member(out, "pin", pin);
    cr_buf_str(out, "}");
}

static void write_call(const struct cr_asking *a, const struct cr_waiting *w, size_t *args_left,
                       struct cr_buf *out)
{
    cr_buf_fmt(out, "{\"n\":%u", w->call.number);
    cr_escape_member(out, "method", cr_calls_at(a->run, w->call.number)->method);
    cr_buf_fmt(out, ",\"argsBytes\":%zu", w->args_len);
    if (w->args_len <= *args_left) {
        *args_left -= w->args_len;
        cr_buf_str(out, ",\"args\":");
        cr_buf_add(out, w->args, w->args_len);
    }
    cr_buf_str(out, "}");
}

static bool is_same_tool(const struct cr_waiting *a, const struct cr_waiting *b)
{
    return strcmp(a->call.binding, b->call.binding) == 0 && strcmp(a->call.tool, b->call.tool) == 0;
}

/* --- rules that would allow the calls --------------------------------------------------------- */

/* Returns the rule of |kind| for the call of |w|, which the caller frees; or NULL. */
static char *propose(const struct cr_asking *a, const struct cr_waiting *w, enum cr_grant_kind kind,
                     const char *from)
{
    const struct cr_spec *spec = cr_run_spec(a->run);
    const struct cr_question q = {.tool = w->call.tool,
                                  .args = w->args,
                                  .args_len = w->args_len,
                                  .caller = spec->caller[0] ? spec->caller : CR_RULES_FOR_EXEC,
                                  .dir = w->dir};
    struct cr_grants grants;
    char *rule;

    if (!w->may_add || (kind == CR_GRANT_CALLER && !w->may_add_any_args) ||
        cr_grants_make(&q, from, &grants) < 0)
        return NULL;
    rule = grants.json[kind];
    grants.json[kind] = NULL;
    cr_grants_clear(&grants);
    return rule;
}

/* The same if it is one rule for all calls of the question that are of the tool of |first|. */
static char *propose_for_all(const struct cr_asking *a, const struct cr_waiting *first,
                             enum cr_grant_kind kind, const char *from)
{
    char *rule = propose(a, first, kind, from);

    for (const struct cr_waiting *w = first->next; w && rule; w = w->next) {
        cr_autofree char *other = NULL;

        if (w->question != a->question || !is_same_tool(first, w))
            continue;
        other = propose(a, w, kind, from);
        if (!other || strcmp(other, rule) != 0) {
            free(rule);
            rule = NULL;
        }
    }
    return rule;
}

/* In the user's own file paths are absolute, in the project's they are relative to the file. */
static void write_rules(const struct cr_asking *a, const struct cr_waiting *first,
                        struct cr_buf *out)
{
    static const enum cr_grant_kind kinds[] = {CR_GRANT_ARGS, CR_GRANT_PLACE, CR_GRANT_CALLER};
    const char *comma = "";

    cr_buf_str(out, ",\"rules\":[");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        cr_autofree char *own = propose_for_all(a, first, kinds[i], NULL);
        cr_autofree char *project = own ? propose_for_all(a, first, kinds[i], first->from) : NULL;

        if (!own || !project)
            continue;
        cr_buf_fmt(out, "%s{\"own\":%s,\"project\":%s}", comma, own, project);
        comma = ",";
    }
    cr_buf_str(out, "]");
}

/* --- all -------------------------------------------------------------------------------------- */

/* Writes the tool of |first|, with all calls of the question that are of this tool. */
static void write_tool(const struct cr_asking *a, const struct cr_waiting *first, size_t *args_left,
                       struct cr_buf *out)
{
    const char *comma = "";

    cr_buf_str(out, "{\"tool\":");
    cr_escape_json_str(out, first->call.tool);
    cr_buf_fmt(out, ",\"server\":%s", first->server);
    cr_escape_member(out, "pin", first->definition);
    cr_escape_member(out, "because", first->because);
    write_rules(a, first, out);
    cr_buf_str(out, ",\"calls\":[");
    for (const struct cr_waiting *w = first; w; w = w->next) {
        if (w->question != a->question || !is_same_tool(first, w))
            continue;
        cr_buf_str(out, comma);
        write_call(a, w, args_left, out);
        comma = ",";
    }
    cr_buf_str(out, "]}");
}

static bool is_first_of_tool(const struct cr_asking *a, const struct cr_waiting *w)
{
    const struct cr_waiting *before = a->first;

    while (before != w && !(before->question == a->question && is_same_tool(before, w)))
        before = before->next;
    return before == w;
}

void cr_question_write(const struct cr_asking *a, struct cr_buf *out)
{
    size_t args_left = MAX_ARGS, count = 0;
    const char *comma = "";

    for (const struct cr_waiting *w = a->first; w; w = w->next)
        count += w->question == a->question;
    cr_buf_fmt(out, "{\"id\":%u,\"run\":\"%s\",\"asker\":", a->question, cr_run_spec(a->run)->id);
    write_caller(a, out);
    cr_buf_fmt(out, ",\"waiting\":%zu,\"canSuspend\":%s,\"tools\":[", count,
               cr_asked_can_suspend(a->run) ? "true" : "false");
    for (const struct cr_waiting *w = a->first; w; w = w->next) {
        if (w->question != a->question || !is_first_of_tool(a, w))
            continue;
        cr_buf_str(out, comma);
        write_tool(a, w, &args_left, out);
        comma = ",";
    }
    cr_buf_str(out, "]}");
}
