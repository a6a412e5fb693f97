/* questions.c - passes questions of the library to the terminal, and decisions back. */
#include "cli/questions.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "capability/host.h"
#include "cli/remember.h"
#include "people/people.h"

#define BY "human:tty"

static struct cr_questions *questions_of(struct cr_dialogue *d)
{
    return d->data;
}

/* --- decisions -------------------------------------------------------------------------------- */

static int apply(const struct cr_dialogue_answer *a, struct cr_err *err)
{
    cr_autofree uint32_t *calls = calloc(a->count, sizeof(*calls));
    const struct cr_people_answer answer = {.is_allowed = a->allows,
                                            .for_run = a->scope == CR_DIALOGUE_RUN,
                                            .by = BY,
                                            .calls = calls,
                                            .count = a->count};

    if (!calls)
        return cr_err_memory(err);
    for (size_t i = 0; i < a->count; i++)
        calls[i] = a->tool->calls[a->first + i].number;
    return cr_people_decide(a->question->run, a->question->number, &answer, err);
}

/* Writes the rule into its file, and uses it from now on. */
static int remember(struct cr_questions *q, const struct cr_dialogue_answer *a, struct cr_buf *out,
                    struct cr_err *err)
{
    const char *json = a->in_project ? a->rule->project : a->rule->own;
    const struct cr_remember_rule rule = {
        .json = json,
        .len = strlen(json),
        .by = BY,
        .pins = {.code = a->question->q.pin, .tool = a->tool->pin, .server = a->tool->server_pin}};
    struct cr_config file = {0};
    char id[80];
    int r = cr_remember_write(&rule, a->in_project ? q->config : NULL, id, &file, err);

    if (r < 0)
        return r;
    r = cr_capability_host_remember(q->rt, &file, id, !a->in_project, err);
    cr_buf_fmt(out, "caprun: remembered as %s; to take it back: caprun policy withdraw %s\n", id,
               id);
    if (a->in_project && r == 0) {
        cr_config_clear(&q->changed);
        q->changed = file;
        q->config = &q->changed;
    } else {
        cr_config_clear(&file);
    }
    return r;
}

static bool decide(struct cr_dialogue *d, const struct cr_dialogue_answer *answer,
                   struct cr_buf *out)
{
    struct cr_err err;
    int r = 0;

    if (answer->scope == CR_DIALOGUE_RULE)
        r = remember(questions_of(d), answer, out, &err);
    if (r == 0)
        r = apply(answer, &err);
    if (r < 0) {
        cr_buf_str(out, "caprun: nothing is decided: ");
        cr_escape_terminal(out, err.text, strlen(err.text));
        cr_buf_str(out, "\n");
    }
    return r == 0;
}

static void lost(struct cr_dialogue *d, const struct cr_dialogue_question *question,
                 const char *why)
{
    cr_output_note("nobody can be asked any longer: %s", why);
    questions_of(d)->is_lost = true;
    (void)caprun_suspend(question->run);
}

/* --- questions -------------------------------------------------------------------------------- */

static int begin_dialogue(struct cr_questions *q, struct cr_err *err)
{
    static const struct cr_dialogue_ops ops = {.decide = decide, .lost = lost};
    int r;

    if (q->has_dialogue)
        return 0;
    r = cr_dialogue_begin(&q->dialogue, &ops, err);
    if (r < 0)
        return r;
    q->has_dialogue = true;
    q->dialogue.data = q;
    q->config = cr_capability_host_of(q->rt)->config;
    q->dialogue.project = q->config->path && !q->config->is_users ? q->config->path : NULL;
    cr_remember_file(q->grants);
    q->dialogue.grants = q->grants[0] ? q->grants : NULL;
    return 0;
}

static void asked(void *data, struct caprun_run *run, uint32_t question, const char *json,
                  size_t len)
{
    struct cr_questions *q = data;
    struct cr_err err;

    if (!json) {
        if (q->has_dialogue)
            cr_dialogue_withdraw(&q->dialogue, run);
        return;
    }
    if (q->is_lost) {
        (void)caprun_suspend(run);
        return;
    }
    if (begin_dialogue(q, &err) < 0 ||
        cr_dialogue_ask(&q->dialogue, run, question, json, len, &err) < 0) {
        cr_output_note("a person has to decide, but cannot be asked: %s", err.text);
        (void)caprun_suspend(run);
    }
}

/* --- for the command's loop ------------------------------------------------------------------- */

void cr_questions_begin(struct cr_questions *q, struct caprun_runtime *rt,
                        const struct cr_options *o)
{
    memset(q, 0, sizeof(*q));
    q->rt = rt;
    if (!o->no_input && cr_terminal_is_there())
        caprun_set_ask(rt, asked, q);
}

void cr_questions_end(struct cr_questions *q)
{
    caprun_set_ask(q->rt, NULL, NULL);
    if (q->has_dialogue)
        cr_dialogue_end(&q->dialogue);
    cr_config_clear(&q->changed);
    q->has_dialogue = false;
    cr_output_hold(false);
}

int cr_questions_fd(const struct cr_questions *q)
{
    return q->has_dialogue ? cr_terminal_fd(&q->dialogue.terminal) : -1;
}

void cr_questions_step(struct cr_questions *q)
{
    if (!q->has_dialogue)
        return;
    cr_terminal_step(&q->dialogue.terminal);
    cr_output_hold(cr_dialogue_is_asking(&q->dialogue));
}

bool cr_questions_hang_up(struct cr_questions *q)
{
    if (!q->has_dialogue || !q->dialogue.list || !q->dialogue.list->q.can_suspend)
        return false;
    cr_terminal_hang_up(&q->dialogue.terminal);
    return true;
}
