/*
 * policy_test.c - `caprun policy test CASES`: calls, and what the permissions should say of them.
 *
 *     {"cases": [{"name": "reports stay below out", "call": "files:write_file",
 *                 "args": {"path": "/etc/passwd"}, "for": "acme.tools.report.weekly",
 *                 "expect": "ask", "by": null}]}
 *
 * Prints TAP. All of the file is checked before the first case.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "cli/input.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/policy_parts.h"
#include "config/text.h"

#define MAX_FILE (16u << 20)
#define MAX_TEXT (64u << 20)
#define STATUS_DIFFERED 8

struct cases {
    const struct cr_cli_policy *p;
    const char *path;
    struct cr_json_doc doc;
    struct cr_buf out;
    size_t count, failed;
};

/* --- checking the file ------------------------------------------------------------------------ */

/* An error about |value|, with the place in the file. */
static int __attribute__((format(printf, 4, 5)))
refuse(const struct cases *c, const struct cJSON *value, struct cr_err *why, const char *fmt, ...)
{
    struct cr_json_place place = cr_json_place_of(&c->doc, value);
    size_t line, column;
    char words[512];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    cr_json_line_of(&c->doc, place.key_at, &line, &column);
    return cr_err_end(why, CAPRUN_OUTCOME_VALIDATION_ERROR, NULL, "%s:%zu:%zu: %s", c->path, line,
                      column, words);
}

static int check_keys(const struct cases *c, const struct cJSON *object, const char *const *known,
                      size_t count, struct cr_err *why)
{
    if (cr_json_type(object) != CR_JSON_OBJECT)
        return refuse(c, object, why, "this has to be an object");
    for (const struct cJSON *v = cr_json_first(object); v; v = cr_json_next(v)) {
        const char *near;
        size_t i = 0;

        while (i < count && strcmp(known[i], cr_json_key(v)) != 0)
            i++;
        if (i < count)
            continue;
        near = cr_nearest(cr_json_key(v), known, count);
        return refuse(c, v, why, "unknown key \"%.60s\"%s%s%s", cr_json_key(v),
                      near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    return 0;
}

static const char *text_of(const struct cJSON *one, const char *key)
{
    const struct cJSON *value = cr_json_get(one, key);

    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : NULL;
}

/* A text with a check; |is| may be NULL. */
static int check_text(const struct cases *c, const struct cJSON *one, const char *key,
                      bool is_required, const struct cr_text *kind, struct cr_err *why)
{
    const struct cJSON *value = cr_json_get(one, key);

    if (!value && is_required)
        return refuse(c, one, why, "a case needs \"%s\"", key);
    if (value && (!text_of(one, key) || !kind->is(text_of(one, key))))
        return refuse(c, value, why, "\"%s\" has to be %s", key, kind->what);
    return 0;
}

static int check_case(const struct cases *c, const struct cJSON *one, struct cr_err *why)
{
    static const char *const known[] = {"name", "call", "args", "for", "expect", "by"};
    const struct cJSON *args = cr_json_get(one, "args"), *by = cr_json_get(one, "by");
    struct cr_err err;

    if (check_keys(c, one, known, sizeof(known) / sizeof(known[0]), why) < 0 ||
        check_text(c, one, "name", false, &cr_text_filled, why) < 0 ||
        check_text(c, one, "call", true, &cr_text_filled, why) < 0 ||
        check_text(c, one, "for", false, &cr_text_caller, why) < 0 ||
        check_text(c, one, "expect", true, &cr_text_then, why) < 0)
        return CAPRUN_E_INVAL;
    if (cr_cli_policy_check_call(text_of(one, "call"), &err) < 0)
        return refuse(c, cr_json_get(one, "call"), why, "%.300s", err.text);
    if (args && cr_json_type(args) != CR_JSON_OBJECT)
        return refuse(c, args, why, "\"args\" has to be an object");
    if (by && cr_json_type(by) != CR_JSON_STRING && cr_json_type(by) != CR_JSON_NULL)
        return refuse(c, by, why, "\"by\" has to be a pattern, the name of a rule, or null");
    return 0;
}

static int check_file(struct cases *c, struct cr_err *why)
{
    static const char *const known[] = {"cases"};
    const struct cJSON *list = cr_json_get(c->doc.root, "cases");

    if (check_keys(c, c->doc.root, known, 1, why) < 0)
        return CAPRUN_E_INVAL;
    if (!list || cr_json_type(list) != CR_JSON_ARRAY || !cr_json_count(list))
        return refuse(c, list ? list : c->doc.root, why,
                      "\"cases\" has to be an array with at least one case");
    for (const struct cJSON *one = cr_json_first(list); one; one = cr_json_next(one), c->count++)
        if (check_case(c, one, why) < 0)
            return CAPRUN_E_INVAL;
    return 0;
}

/* --- running it ------------------------------------------------------------------------------- */

/* A # would begin a directive of TAP. */
static void add_name(struct cr_buf *out, const struct cJSON *one)
{
    cr_autobuf struct cr_buf name = CR_BUF(MAX_TEXT);

    if (text_of(one, "name")) {
        cr_buf_str(&name, text_of(one, "name"));
    } else {
        cr_buf_fmt(&name, "%s", text_of(one, "call"));
        if (cr_json_get(one, "args")) {
            cr_buf_str(&name, " ");
            cr_json_print(&name, cr_json_get(one, "args"));
        }
    }
    for (const char *at = cr_buf_text(&name); at && *at;) {
        size_t plain = strcspn(at, "#");

        cr_escape_terminal(out, at, plain);
        at += plain;
        if (*at == '#') {
            cr_buf_str(out, "\\#");
            at++;
        }
    }
}

static void add_answer(struct cr_buf *out, const char *label, const char *answer, const char *by)
{
    cr_buf_fmt(out, "# %s %s", label, answer);
    cr_buf_str(out, by ? " by " : ", because nothing matches");
    if (by)
        cr_escape_terminal(out, by, strlen(by));
    cr_buf_str(out, "\n");
}

static void add_tap(struct cases *c, const struct cJSON *one, size_t number, bool is_ok,
                    const struct cr_explanation *e, const char *by)
{
    const struct cJSON *wanted = cr_json_get(one, "by");

    cr_buf_fmt(&c->out, "%sok %zu - ", is_ok ? "" : "not ", number);
    add_name(&c->out, one);
    cr_buf_str(&c->out, "\n");
    if (is_ok)
        return;
    if (wanted)
        add_answer(&c->out, "expected", text_of(one, "expect"), text_of(one, "by"));
    else
        cr_buf_fmt(&c->out, "# expected %s\n", text_of(one, "expect"));
    add_answer(&c->out, "got", cr_cli_policy_answer(e->verdict.answer), by);
}

static void add_json(struct cases *c, const struct cJSON *one, size_t number, bool is_ok,
                     const struct cr_explanation *e, const char *by)
{
    cr_buf_str(&c->out, number > 1 ? ",{\"case\":" : "{\"case\":");
    cr_json_print(&c->out, one);
    cr_buf_fmt(&c->out, ",\"ok\":%s,\"answer\":\"%s\",\"by\":", is_ok ? "true" : "false",
               cr_cli_policy_answer(e->verdict.answer));
    if (by)
        cr_escape_json_str(&c->out, by);
    else
        cr_buf_str(&c->out, "null");
    cr_buf_str(&c->out, "}");
}

static bool is_as_expected(const struct cJSON *one, const struct cr_explanation *e, const char *by)
{
    const struct cJSON *wanted = cr_json_get(one, "by");
    const char *text = text_of(one, "by"), *expected = text_of(one, "expect");

    if (!expected || strcmp(cr_cli_policy_answer(e->verdict.answer), expected) != 0)
        return false;
    return !wanted || (text && by ? strcmp(text, by) == 0 : text == by);
}

static int run_case(struct cases *c, const struct cJSON *one, size_t number)
{
    cr_autobuf struct cr_buf args = CR_BUF(MAX_FILE);
    const char *caller = text_of(one, "for") ? text_of(one, "for") : CR_RULES_FOR_EXEC, *by;
    char tool[CR_PATTERNS_NAME_MAX + 80];
    struct cr_explanation e;
    bool is_ok, has_server;

    if (cr_json_get(one, "args"))
        cr_json_print(&args, cr_json_get(one, "args"));
    if (cr_buf_err(&args) ||
        cr_cli_policy_judge(c->p, text_of(one, "call"), &args, caller, tool, &has_server, &e) < 0)
        return CAPRUN_E_NOMEM;
    by = e.verdict.rule ? e.verdict.rule->name : e.verdict.pattern;
    is_ok = is_as_expected(one, &e, by);
    c->failed += !is_ok;
    if (c->p->options->json)
        add_json(c, one, number, is_ok, &e, by);
    else
        add_tap(c, one, number, is_ok, &e, by);
    cr_explain_clear(&e);
    return 0;
}

static int run_all(struct cases *c)
{
    bool json = c->p->options->json;
    size_t number = 0;
    int r = 0;

    if (json)
        cr_buf_str(&c->out, "{\"cases\":[");
    else
        cr_buf_fmt(&c->out, "1..%zu\n", c->count);
    for (const struct cJSON *one = cr_json_first(cr_json_get(c->doc.root, "cases")); one && r == 0;
         one = cr_json_next(one))
        r = run_case(c, one, ++number);
    if (json)
        cr_buf_fmt(&c->out, "],\"failed\":%zu}\n", c->failed);
    if (r < 0 || (json ? cr_output_json(&c->out) : cr_output_text(&c->out)) < 0)
        return caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    return c->failed ? STATUS_DIFFERED : 0;
}

int cr_cli_policy_test(const struct cr_cli_policy *p, struct caprun_run *run)
{
    cr_autobuf struct cr_buf text = CR_BUF(MAX_FILE);
    struct cases c = {.p = p, .path = p->options->words[2], .out = {.max = MAX_TEXT}};
    struct cr_err err, why;
    int r;

    if (cr_input_read(c.path, &text, &err) < 0)
        r = cr_err_end(&why, CAPRUN_OUTCOME_USAGE, "CASES is the path of a JSON file, or -", "%s",
                       err.text);
    else if (cr_json_parse(text.data, text.len, &c.doc, &err) < 0)
        r = cr_err_end(&why, CAPRUN_OUTCOME_VALIDATION_ERROR, NULL, "%s: %s", c.path, err.text);
    else
        r = check_file(&c, &why);
    r = r < 0 ? cr_launch_reject(run, &why) : run_all(&c);
    cr_json_clear(&c.doc);
    cr_buf_clear(&c.out);
    return r;
}
