/* people.c - keeps the calls that wait for a person, asks one question about them, and decides. */
#include "people/people.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "base/watchdog.h"
#include "base/words.h"
#include "people/people_parts.h"
#include "run/calls.h"
#include "run/run.h"

#define MAX_QUESTION (64u << 20)

static void work(struct cr_task *task);
static void time_is_over(struct cr_timer *timer);

/* --- what is asked in one run --------------------------------------------------------------- */

/* Returns what is asked in |run|; NULL without memory. */
static struct cr_asking *asking_of(struct cr_people *people, struct caprun_run *run)
{
    struct cr_asking *a = cr_asked_data(run);

    if (a)
        return a;
    a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    *a = (struct cr_asking){.people = people,
                            .run = run,
                            .last = &a->first,
                            .limit = {.when_us = -1, .due = time_is_over, .name = "people"},
                            .task = {.run = work, .name = "people"}};
    cr_asked_set_data(run, a);
    return a;
}

static void free_waiting(struct cr_waiting *w)
{
    if (w)
        free((char *)(uintptr_t)w->call.tool);
    if (w)
        free(w->because);
    if (w)
        free(w->grant);
    free(w);
}

static void append(struct cr_asking *a, struct cr_waiting *w)
{
    *a->last = w;
    a->last = &w->next;
}

/* Takes |*at| out of the list. */
static struct cr_waiting *take_out(struct cr_asking *a, struct cr_waiting **at)
{
    struct cr_waiting *w = *at;

    *at = w->next;
    if (a->last == &w->next)
        a->last = at;
    return w;
}

static void close_question(struct cr_asking *a)
{
    a->is_open = false;
    cr_loop_unset(a->people->loop, &a->limit);
}

/* --- decisions ------------------------------------------------------------------------------ */

/* Says what is true: only a person's no is called one. */
static void say_denied(const struct cr_people *people, const char *tool, const char *by,
                       struct cr_err *why)
{
    char amount[32], words[160] = "a person said no";

    cr_units_show_duration(people->timeout_ms, amount);
    if (strcmp(by, "timeout") == 0 && people->timeout_ms)
        (void)snprintf(words, sizeof(words), "nobody decided about it within %s", amount);
    else if (strcmp(by, "timeout") == 0)
        (void)snprintf(words, sizeof(words), "nobody decided about it in time");
    else if (strcmp(by, "no_channel") == 0)
        (void)snprintf(words, sizeof(words),
                       "a person has to decide about it, and nobody can be asked");
    else if (strcmp(by, "script") == 0)
        (void)snprintf(words, sizeof(words), "a script decided so");
    (void)cr_err_end(why, CAPRUN_OUTCOME_PERMISSION_DENIED, NULL, "%s is denied: %s", tool, words);
}

static void rule(const struct cr_people *people, const char *tool, const struct cr_known *known,
                 struct cr_ruling *ret)
{
    ret->answer = known->is_allowed ? CR_RULING_ALLOWED : CR_RULING_DENIED;
    ret->by = known->by;
    ret->rule = ret->grant = NULL;
    ret->why.text[0] = ret->why.hint[0] = '\0';
    if (!known->is_allowed)
        say_denied(people, tool, known->by, &ret->why);
}

/* Lets decided calls go on, until the turn is over. Returns false if it is. */
static bool apply_decisions(struct cr_asking *a)
{
    struct cr_waiting **at = &a->first;
    struct cr_ruling ruling;

    while (*at && cr_run_look(a->run).state == CR_RUN_RUNNING) {
        struct cr_waiting *w = *at;

        if (!w->known) {
            at = &w->next;
            continue;
        }
        if (cr_loop_turn_is_over(a->people->loop))
            return false;
        (void)take_out(a, at);
        rule(a->people, w->call.tool, w->known, &ruling);
        cr_asked_stop(a->run, w->call.number);
        w->pending->ruled(w->pending, &ruling);
        free_waiting(w);
        at = &a->first;
    }
    return true;
}

static int refuse_decision(struct cr_err *err)
{
    return cr_err_set(err, CAPRUN_E_STATE, "the run does not wait for a decision of this question");
}

static bool is_in_question(const struct cr_asking *a, const struct cr_waiting *w)
{
    return w->question == a->question && !w->known;
}

static bool is_chosen(const struct cr_people_answer *answer, uint32_t number)
{
    for (size_t i = 0; answer->calls && i < answer->count; i++)
        if (answer->calls[i] == number)
            return true;
    return !answer->calls;
}

/* Writes the chosen calls to |calls|. Returns their number, or CAPRUN_E_INVAL. */
static int choose(const struct cr_asking *a, const struct cr_people_answer *answer,
                  struct cr_asked_call *calls, struct cr_err *err)
{
    size_t n = 0;

    for (const struct cr_waiting *w = a->first; w; w = w->next)
        if (is_in_question(a, w) && is_chosen(answer, w->call.number))
            calls[n++] = w->call;
    if (!n || (answer->calls && n != answer->count))
        return cr_err_set(err, CAPRUN_E_INVAL,
                          "\"calls\" has no call, the same call twice, or one that is not in this "
                          "question");
    return (int)n;
}

/*
 * The decision is in the journal before it has any effect. |calls| has room for all calls that
 * wait.
 */
static int decide_calls(struct cr_asking *a, const struct cr_people_answer *answer,
                        struct cr_asked_call *calls, struct cr_err *err)
{
    struct cr_decision d = {.question = a->question,
                            .is_allowed = answer->is_allowed,
                            .for_run = answer->for_run,
                            .max_calls = answer->max_calls,
                            .by = answer->by};
    struct cr_known *list;
    int n = choose(a, answer, calls, err);

    if (n < 0)
        return n;
    d.calls = calls;
    d.count = (size_t)n;
    list = cr_known_make(&d);
    if (!list)
        return cr_err_memory(err);
    cr_known_add(a, list);
    if (!cr_asked_record_decision(a->run, &d))
        return refuse_decision(err); /* the run has ended: its journal cannot be written */
    for (struct cr_waiting *w = a->first; w; w = w->next)
        if (is_in_question(a, w) && is_chosen(answer, w->call.number))
            w->known = cr_known_find(a, &w->call);
    close_question(a);
    cr_loop_defer(a->people->loop, &a->task);
    return 0;
}

static int decide(struct cr_asking *a, const struct cr_people_answer *answer, struct cr_err *err)
{
    struct cr_asked_call *calls;
    size_t room = 1;
    int r;

    for (const struct cr_waiting *w = a->first; w; w = w->next)
        room++;
    calls = calloc(room, sizeof(*calls));
    if (!calls)
        return cr_err_memory(err);
    r = decide_calls(a, answer, calls, err);
    free(calls);
    return r;
}

int cr_people_decide(struct caprun_run *run, uint32_t question,
                     const struct cr_people_answer *answer, struct cr_err *err)
{
    struct cr_asking *a = cr_asked_data(run);
    int r;

    if (!a || !a->is_open || a->question != question)
        return refuse_decision(err);
    r = decide(a, answer, err);
    if (r == 0)
        a->is_shown = false;
    return r;
}

/* Denies all calls of the question. Without memory for that, ends the run. */
static void deny_all(struct cr_asking *a, const char *by)
{
    struct cr_err err;

    if (decide(a, &(struct cr_people_answer){.by = by}, &err) == 0)
        return;
    cr_run_set_message(a->run, "%s", err.text);
    cr_run_end(a->run, CAPRUN_OUTCOME_INTERNAL);
}

static void time_is_over(struct cr_timer *timer)
{
    deny_all(cr_container(timer, struct cr_asking, limit), "timeout");
}

/* --- suspension ----------------------------------------------------------------------------- */

int cr_people_suspend(struct caprun_run *run, struct cr_err *err)
{
    struct cr_asking *a = cr_asked_data(run);

    if (!a || !a->is_open)
        return cr_err_set(err, CAPRUN_E_STATE, "the run does not wait for a decision");
    a->is_suspending = true;
    a->is_shown = false;
    close_question(a);
    cr_loop_defer(a->people->loop, &a->task);
    return 0;
}

static void explain_suspension(const struct cr_asking *a)
{
    const char *id = cr_run_spec(a->run)->id;
    size_t count = 0;
    char hint[256];

    for (const struct cr_waiting *w = a->first; w; w = w->next)
        count++;
    cr_run_set_message(a->run, "A person has to decide about %s%s%s", a->first->call.tool,
                       count > 1 ? " and other calls" : "", "");
    (void)snprintf(hint, sizeof(hint), "%s%s", cr_words[CR_WORD_APPROVE], id);
    cr_run_hint(a->run, hint);
}

/* If other calls are under way, the run is suspended when they are answered. */
static void suspend(struct cr_asking *a)
{
    if (!cr_asked_can_suspend(a->run)) {
        a->is_suspending = false;
        deny_all(a, "no_channel");
    } else if (cr_asked_is_paused(a->run)) {
        explain_suspension(a);
        cr_asked_suspend(a->run, a->first->call.number, a->first->grant);
    }
}

/* --- questions ------------------------------------------------------------------------------ */

static void notify(const struct cr_asking *a, const char *json, size_t len)
{
    struct cr_people *people = a->people;

    if (!people->ask)
        return;
    cr_watchdog_leave();
    people->ask(people->data, a->run, a->question, json, len);
    cr_watchdog_return();
}

/* Writes the question into the journal. Returns false if that has ended the run. */
static bool record_question(const struct cr_asking *a)
{
    struct cr_asked_call *calls;
    size_t count = 0;
    bool is_recorded;

    for (const struct cr_waiting *w = a->first; w; w = w->next)
        count++;
    calls = calloc(count + 1, sizeof(*calls));
    if (!calls) {
        cr_run_set_message(a->run, "No memory for a question");
        cr_run_end(a->run, CAPRUN_OUTCOME_INTERNAL);
        return false;
    }
    count = 0;
    for (const struct cr_waiting *w = a->first; w; w = w->next)
        if (is_in_question(a, w))
            calls[count++] = w->call;
    is_recorded = cr_asked_record_question(a->run, a->question, calls, count);
    free(calls);
    return is_recorded;
}

static void open_question(struct cr_asking *a)
{
    cr_autobuf struct cr_buf json = CR_BUF(MAX_QUESTION);
    struct cr_people *people = a->people;
    const char *text;

    a->question++;
    for (struct cr_waiting *w = a->first; w; w = w->next)
        if (!w->known)
            w->question = a->question;
    if (!record_question(a))
        return;
    cr_question_write(a, &json);
    text = cr_buf_text(&json);
    if (!text) {
        deny_all(a, "no_channel");
        return;
    }
    a->is_open = a->is_shown = true;
    if (people->timeout_ms)
        cr_loop_set(people->loop, &a->limit, cr_loop_now() + (int64_t)people->timeout_ms * 1000);
    notify(a, text, json.len);
}

static void work(struct cr_task *task)
{
    struct cr_asking *a = cr_container(task, struct cr_asking, task);

    if (a->is_shown && !a->is_open) {
        a->is_shown = false;
        notify(a, NULL, 0);
    }
    if (!apply_decisions(a))
        cr_loop_defer(a->people->loop, &a->task);
    else if (cr_run_look(a->run).state != CR_RUN_RUNNING || a->is_open || !a->first)
        return;
    else if (a->is_suspending)
        suspend(a);
    else if (cr_asked_is_time(a->run))
        open_question(a);
}

/* --- for the policy ------------------------------------------------------------------------- */

static bool has_channel(const struct cr_people *people, const struct caprun_run *run)
{
    return people->ask && (!people->only_suspends || cr_asked_can_suspend(run));
}

static bool can_ask(struct cr_asker *asker, const struct cr_question *q)
{
    const struct cr_people *people = cr_container(asker, struct cr_people, asker);
    const struct cr_asking *a = q->about.run ? cr_asked_data(q->about.run) : NULL;

    return q->about.run && (has_channel(people, q->about.run) || (a && a->known));
}

/* The hash of the tool's name and definition, and of where its server is. */
static void bind(struct cr_waiting *w, const struct cr_question *q)
{
    uint8_t hash[CR_HASH_BYTES], chain[CR_HASH_BYTES] = {0};

    cr_hash_take(q->about.definition, q->about.definition_len, hash);
    cr_hash_show(hash, w->definition);
    cr_hash_chain(chain, q->tool, strlen(q->tool));
    cr_hash_chain(chain, w->server, strlen(w->server));
    cr_hash_chain(chain, hash, sizeof(hash));
    cr_hash_show(chain, w->call.binding);
}

static struct cr_waiting *new_waiting(const struct cr_question *q, struct cr_pending *pending)
{
    struct cr_waiting *w = calloc(1, sizeof(*w));
    char *tool;

    if (!w)
        return NULL;
    tool = strdup(q->tool);
    w->call.number = q->about.number;
    w->call.tool = tool;
    w->because = strdup(q->about.because);
    w->server = q->about.server;
    w->args = q->args;
    w->args_len = q->args_len;
    w->dir = q->dir;
    w->from = q->about.from;
    w->may_add = q->about.may_add;
    w->may_add_any_args = q->about.may_add_any_args;
    w->pending = pending;
    if (tool && w->because) {
        bind(w, q);
        return w;
    }
    free_waiting(w);
    return NULL;
}

static bool ask(struct cr_asker *asker, const struct cr_question *q, struct cr_pending *pending,
                struct cr_ruling *ret)
{
    struct cr_people *people = cr_container(asker, struct cr_people, asker);
    struct cr_asking *a = q->about.run ? asking_of(people, q->about.run) : NULL;
    struct cr_waiting *w = a ? new_waiting(q, pending) : NULL;
    const struct cr_known *known = w ? cr_known_use(a, &w->call) : NULL;

    if (known)
        rule(people, q->tool, known, ret);
    if (known || !w || !has_channel(people, a->run)) {
        free_waiting(w);
        return known != NULL;
    }
    if (q->about.grant && !a->first)
        w->grant = strdup(q->about.grant); /* without memory the error does not have it */
    w->asking = a;
    pending->asked = w;
    append(a, w);
    ret->answer = CR_RULING_LATER;
    cr_asked_begin(a->run, q->about.number);
    return true;
}

static void forget_call(struct cr_asker *asker, struct cr_pending *pending)
{
    struct cr_waiting *w = pending->asked;
    struct cr_asking *a = w->asking;
    struct cr_waiting **at = &a->first;

    (void)asker;
    while (*at != w)
        at = &(*at)->next;
    free_waiting(take_out(a, at));
}

/* --- for runs ------------------------------------------------------------------------------- */

static void run_waits(struct cr_prompter *prompter, struct caprun_run *run)
{
    struct cr_people *people = cr_container(prompter, struct cr_people, prompter);
    struct cr_asking *a = cr_asked_data(run);

    if (a && a->first && !a->is_open)
        cr_loop_defer(people->loop, &a->task);
}

static int recall_question(struct cr_prompter *prompter, struct caprun_run *run, uint32_t question)
{
    struct cr_asking *a = asking_of(cr_container(prompter, struct cr_people, prompter), run);

    if (a)
        a->question = question;
    return a ? 0 : CAPRUN_E_NOMEM;
}

static int recall_decision(struct cr_prompter *prompter, struct caprun_run *run,
                           const struct cr_decision *d)
{
    struct cr_asking *a = asking_of(cr_container(prompter, struct cr_people, prompter), run);
    struct cr_known *list = a && d->count ? cr_known_make(d) : NULL;

    if (!list)
        return a && !d->count ? 0 : CAPRUN_E_NOMEM;
    cr_known_add(a, list);
    return 0;
}

static bool was_decided_itself(const struct cr_asking *a, uint32_t number)
{
    const struct cr_known *k = a->known;

    while (k && k->number != number)
        k = k->next;
    return k != NULL;
}

static void recall_sent(struct cr_prompter *prompter, struct caprun_run *run, uint32_t number,
                        const char *tool, const char *by)
{
    struct cr_asking *a = cr_asked_data(run);
    struct cr_known *k = a && !was_decided_itself(a, number) ? a->known : NULL;

    (void)prompter;
    while (k && (k->number || strcmp(k->tool, tool) != 0 || strcmp(k->by, by) != 0))
        k = k->next;
    if (k && k->left)
        k->left--;
}

/* The calls are forgotten one by one. The application is told in a step. */
static void run_ended(struct cr_prompter *prompter, struct caprun_run *run)
{
    struct cr_asking *a = cr_asked_data(run);

    (void)prompter;
    if (!a)
        return;
    close_question(a);
    if (a->is_shown)
        cr_loop_defer(a->people->loop, &a->task);
}

static void forget_run(struct cr_prompter *prompter, struct caprun_run *run)
{
    struct cr_asking *a = cr_asked_data(run);

    (void)prompter;
    if (!a)
        return;
    cr_loop_unset(a->people->loop, &a->limit);
    cr_loop_forget(a->people->loop, &a->task);
    cr_asked_set_data(run, NULL);
    cr_known_free(a->known);
    free(a);
}

/* --- the rest ------------------------------------------------------------------------------- */

const char *cr_people_args(const struct caprun_run *run, uint32_t call, size_t *ret_len)
{
    const struct cr_asking *a = cr_asked_data(run);
    const struct cr_waiting *w = a ? a->first : NULL;

    while (w && w->call.number != call)
        w = w->next;
    *ret_len = w ? w->args_len : 0;
    return w ? w->args : NULL;
}

void cr_people_init(struct cr_people *people, struct cr_loop *loop)
{
    *people = (struct cr_people){.asker = {.can_ask = can_ask, .ask = ask, .forget = forget_call},
                                 .prompter = {.ask = run_waits,
                                              .recall_question = recall_question,
                                              .recall_decision = recall_decision,
                                              .recall_sent = recall_sent,
                                              .end = run_ended,
                                              .forget = forget_run},
                                 .loop = loop};
}
