/* unattended.c - suspends runs that need a person, or decides what the command line says. */
#include "cli/unattended.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "people/people.h"

#define MAX_SHOWN (64u << 20)

static bool is_denial(const struct cr_options *o)
{
    return strcmp(o->words[0], "deny") == 0;
}

static bool is_chosen(const struct cr_options *o, const char *number)
{
    char listed[16];

    for (int i = 0; i < o->decided_count; i++) {
        (void)snprintf(listed, sizeof(listed), "%u", o->decided_calls[i]);
        if (strcmp(listed, number) == 0)
            return true;
    }
    return !o->decided_count;
}

static const char *text_of(const struct cJSON *object, const char *key)
{
    const struct cJSON *value = cr_json_get(object, key);
    const char *text = value ? cr_json_text(value) : NULL;

    return text ? text : "";
}

/* Shows one call, with its args in full: "caprun: denied: call 3, s:write {…}". */
static void show_call(const struct cr_options *o, struct caprun_run *run, const char *tool,
                      const struct cJSON *call, struct cr_buf *out)
{
    const char *number = text_of(call, "n"), *args;
    uint64_t n = 0;
    size_t len = 0;

    (void)cr_json_number(cr_json_get(call, "n"), UINT32_MAX, &n);
    args = caprun_get_asked_args(run, (uint32_t)n, &len);
    cr_buf_fmt(out, "caprun: %s: call %s, ",
               !is_chosen(o, number) ? "left to decide"
               : is_denial(o)        ? "denied"
                                     : "approved",
               number);
    cr_escape_terminal(out, tool, strlen(tool));
    cr_buf_str(out, " ");
    cr_escape_terminal(out, args ? args : "", len);
    cr_buf_str(out, "\n");
}

static void show_question(const struct cr_options *o, struct caprun_run *run, const char *json,
                          size_t len)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_SHOWN);
    struct cr_json_doc doc = {0};
    struct cr_err unused;

    if (o->quiet || cr_json_parse(json, len, &doc, &unused) < 0)
        return;
    for (const struct cJSON *tool = cr_json_first(cr_json_get(doc.root, "tools")); tool;
         tool = cr_json_next(tool))
        for (const struct cJSON *call = cr_json_first(cr_json_get(tool, "calls")); call;
             call = cr_json_next(call))
            show_call(o, run, text_of(tool, "tool"), call, &out);
    cr_json_clear(&doc);
    cr_output_error_text(&out);
}

static void decide(void *data, struct caprun_run *run, uint32_t question, const char *json,
                   size_t len)
{
    struct cr_unattended *u = data;
    const struct cr_options *o = u->options;
    const struct cr_people_answer answer = {
        .is_allowed = !is_denial(o),
        .for_run = o->for_run,
        /* who types a command at a terminal has decided; a program has no terminal */
        .by = is_denial(o) && cr_terminal_is_there() ? "human:tty" : "script",
        .calls = o->decided_count ? o->decided_calls : NULL,
        .count = (size_t)o->decided_count,
    };
    struct cr_err err;

    if (!json)
        return;
    if (!u->has_decided) {
        u->has_decided = true;
        show_question(o, run, json, len);
        if (cr_people_decide(run, question, &answer, &err) == 0)
            return;
        cr_output_note("nothing is decided: %s", err.text);
    }
    (void)caprun_suspend(run);
}

void cr_unattended_begin(struct cr_unattended *u, struct caprun_runtime *rt,
                         const struct cr_options *o)
{
    *u = (struct cr_unattended){.options = o};
    if (o->word_count && (is_denial(o) || o->yes))
        caprun_set_ask(rt, decide, u);
    else if (o->no_input || !cr_terminal_is_there())
        caprun_set_ask(rt, caprun_ask_later, NULL);
}
