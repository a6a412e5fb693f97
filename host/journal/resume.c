/* resume.c - makes a resumed run live, and decides which open calls are made (again). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal/replay_parts.h"
#include "journal/summary.h"
#include "run/calls.h"
#include "run/decide.h"

int cr_replay_retry(struct caprun_run *run, uint32_t number)
{
    struct cr_replay *p = cr_replay_find(run);

    if (!p)
        return 0; /* nothing has been sent */
    if (!number)
        p->retries_all = true;
    else
        cr_buf_add(&p->retries, &number, sizeof(number));
    return cr_buf_err(&p->retries);
}

static bool is_idempotent(const struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    const struct cr_replay_call *call = &p->calls[number - 1];

    return call->tool_at && !call->has_unclear_tool &&
           cr_decide_may_repeat(run, (const char *)p->texts.data + call->tool_at);
}

/* A call that was sent is sent again only to the same tool, whatever the code's name means now. */
static void expect_same_tool(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    const struct cr_replay_call *call = &p->calls[number - 1];
    bool is_clear = call->tool_at && !call->has_unclear_tool;

    if (!call->is_sent)
        return;
    cr_replay_set_decider(p, run, number);
    cr_calls_expect(run, number, is_clear ? (const char *)p->texts.data + call->tool_at : NULL);
}

static bool may_repeat(const struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    uint32_t listed;

    for (size_t at = 0; at + sizeof(listed) <= p->retries.len; at += sizeof(listed)) {
        memcpy(&listed, p->retries.data + at, sizeof(listed));
        if (listed == number)
            return true;
    }
    return p->retries_all || is_idempotent(p, run, number);
}

bool cr_replay_is_unknown(struct caprun_run *run, uint32_t number)
{
    const struct cr_replay *p = cr_replay_find(run);

    return p && number && number <= p->journal.calls && p->calls[number - 1].sent &&
           !p->calls[number - 1].answer && !is_idempotent(p, run, number);
}

struct cr_replay_lines cr_replay_lines_of(const struct caprun_run *run, uint32_t number)
{
    const struct cr_replay_call *call = &cr_replay_find(run)->calls[number - 1];

    return (struct cr_replay_lines){call->made, call->sent, call->answer};
}

static enum cr_call_state state_of(const struct cr_journal_line *answer)
{
    const char *state;

    if (!answer)
        return CR_CALL_OPEN;
    if (answer->kind == CR_JOURNAL_REPLY)
        return CR_CALL_DONE;
    state = cr_summary_fail_state(answer);
    return strcmp(state, "denied") == 0   ? CR_CALL_DENIED
           : strcmp(state, "failed") == 0 ? CR_CALL_FAILED
                                          : CR_CALL_UNKNOWN;
}

static void show_call(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    const struct cr_replay_call *call = &p->calls[number - 1];
    struct cr_buf method;
    const char *text, *colon;

    cr_buf_init(&method, LIMIT_ERROR_MESSAGE_BYTES);
    cr_journal_text(call->made, "method", &method);
    text = cr_buf_text(&method);
    colon = text ? strchr(text, ':') : NULL;
    if (colon && cr_calls_add(run, text, (int)(colon - text), colon + 1, (int)strlen(colon + 1), 0))
        cr_calls_show(run, number, state_of(call->answer), call->is_sent,
                      call->answer ? (uint64_t)(call->answer->at_us - call->made->at_us) : 0);
    cr_buf_clear(&method);
    cr_replay_set_decider(p, run, number);
}

void cr_replay_show_calls(struct caprun_run *run)
{
    struct cr_replay *p = cr_replay_find(run);

    for (uint32_t n = 1; n <= p->journal.calls && cr_run_look(run).call_count == n - 1; n++)
        show_call(p, run, n);
}

static void report_unknown(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    const char *method = cr_calls_at(run, number)->method;
    struct cr_err unused;
    char words[512];

    (void)snprintf(words, sizeof(words),
                   "It is not known whether %s was carried out: caprun ended while it was under "
                   "way, and has not called it again",
                   method);
    cr_replay_set_decider(p, run, number);
    (void)cr_calls_end(run, number, CR_CALL_UNKNOWN, CAPRUN_OUTCOME_RPC_ERROR, words, strlen(words),
                       &unused);
}

static void finish_calls(struct cr_replay *p, struct caprun_run *run, uint32_t number);

static void args_blob_read(struct cr_blob_job *b)
{
    struct cr_replay *p = b->data;
    struct caprun_run *run = p->run;
    uint32_t number = p->finish_at;

    if (!cr_replay_is_blob_usable(p, p->blob_line, b))
        return;
    if (cr_calls_is_open(run, number))
        cr_decide_again(run, number, (const char *)b->read.data, b->read.len, &b->verdict);
    finish_calls(p, run, number + 1);
}

/*
 * Makes a recorded call that has no recorded answer. Long args have to be read from a blob first.
 */
static void repeat_recorded_call(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    const struct cr_journal_line *line = p->calls[number - 1].made;
    char name[CR_HASH_DIGITS + 1];
    struct cr_err why;
    struct cr_buf args;
    size_t len;
    int r = cr_journal_blob(&p->journal, line, "args", name, &len, &why);

    if (r > 0) {
        p->finish_at = number;
        (void)cr_replay_read_blob(p, line, name, len, true, args_blob_read);
        return;
    }
    cr_buf_init(&args, LIMIT_ARGS_BYTES);
    if (r < 0 || cr_journal_json(&p->journal, line, "args", &args, &why) < 0)
        cr_replay_fail_run(run, &why);
    else
        cr_decide_again(run, number, (const char *)args.data, args.len, NULL);
    cr_buf_clear(&args);
}

/* Makes a new call. |new_args| is in the order of the calls' numbers. */
static void make_new_call(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    static const char too_much[] = "Too much waits for the run to go on";
    struct cr_replay_args *args = p->new_args;
    bool is_open = cr_calls_at(run, number)->state == CR_CALL_OPEN;
    struct cr_err unused;

    p->new_args = args->next;
    if (is_open && (args->len || args->is_judged))
        cr_decide_again(run, number, (const char *)args->bytes, args->len,
                        args->is_judged ? &args->verdict : NULL);
    else if (is_open)
        (void)cr_calls_fail(run, number, CAPRUN_OUTCOME_RPC_ERROR, too_much, strlen(too_much),
                            &unused);
    cr_helper_free(&p->loop->helper, args, sizeof(*args) + args->len);
}

static void finish_call(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    if (number > p->journal.calls) {
        make_new_call(p, run, number);
    } else if (cr_calls_at(run, number)->state != CR_CALL_OPEN) {
        return;
    } else if (p->calls[number - 1].is_sent && !may_repeat(p, run, number)) {
        report_unknown(p, run, number);
    } else {
        expect_same_tool(p, run, number);
        repeat_recorded_call(p, run, number);
    }
}

/* Finishes calls from |number| on, until a blob has to be read or the turn is over. */
static void finish_calls(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    for (; number <= p->finish_count && cr_run_look(run).state == CR_RUN_RUNNING && !p->reading;
         number++) {
        if (cr_loop_turn_is_over(p->loop)) {
            p->finish_at = number;
            cr_loop_defer_busy(p->loop, &p->rest);
            return;
        }
        finish_call(p, run, number);
    }
}

void cr_replay_finish_calls_later(struct cr_task *task)
{
    struct cr_replay *p = cr_container(task, struct cr_replay, rest);

    finish_calls(p, p->run, p->finish_at);
}

void cr_replay_go_live(struct cr_replay *p, struct caprun_run *run)
{
    p->finish_count = (uint32_t)cr_run_look(run).call_count;
    cr_run_budgets(run)->earlier = p->earlier;
    cr_run_budgets(run)->earlier_count = p->earlier_count;
    if (cr_replay_recall(p, run) < 0) {
        struct cr_err why;

        (void)cr_err_memory(&why);
        cr_replay_fail_run(run, &why);
    } else if (cr_run_go_live(run, p->journal.last_at_us)) {
        finish_calls(p, run, 1);
    }
}
