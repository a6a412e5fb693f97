/* resume.c - a run that was brought to where it was, and goes on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal/replay_parts.h"
#include "pool/calls.h"
#include "pool/decide.h"

int cr_replay_retry(struct caprun_run *run, uint32_t number)
{
    struct cr_replay *p = run->prompter ? cr_replay_of(run->prompter) : NULL;

    if (!p)
        return 0; /* nothing has been sent */
    if (!number)
        p->retries_all = true;
    else
        cr_buf_add(&p->retries, &number, sizeof(number));
    return cr_buf_err(&p->retries);
}

static bool may_be_made_again(const struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    uint32_t listed;

    for (size_t at = 0; at + sizeof(listed) <= p->retries.len; at += sizeof(listed)) {
        memcpy(&listed, p->retries.data + at, sizeof(listed));
        if (listed == number)
            return true;
    }
    if (p->retries_all)
        return true;
    return !run->on_call && run->gate &&
           run->gate->is_idempotent(run->gate, run->calls[number - 1].method);
}

static void say_unknown(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    const char *method = run->calls[number - 1].method;
    struct cr_err unused;
    char words[512];

    (void)snprintf(words, sizeof(words),
                   "It is not known whether %s was carried out: caprun ended while it was under "
                   "way, and has not called it again",
                   method);
    cr_replay_show_who(p, run, number);
    (void)cr_calls_end(run, number, CR_CALL_UNKNOWN, CAPRUN_OUTCOME_RPC_ERROR, words, strlen(words),
                       &unused);
}

/* A call that the journal has, and no answer to it. */
static void make_recorded(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    struct cr_problem why;
    struct cr_buf args;

    cr_buf_init(&args, LIMIT_ARGS_BYTES);
    if (cr_journal_json(&p->journal, p->calls[number - 1].made, "args", &args, &why) < 0) {
        cr_run_say(run, "%s", why.text);
        cr_run_end(run, why.outcome);
    } else {
        cr_decide_again(run, number, (const char *)args.data, args.len);
    }
    cr_buf_clear(&args);
}

static void make_new(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    static const char too_much[] = "Too much waits for the run to go on";
    const uint8_t *at = p->new_args.data;
    struct cr_err unused;
    uint32_t len;

    memcpy(&len, at, sizeof(len));
    for (uint32_t n = p->journal.calls + 1; n < number; n++) {
        at += sizeof(len) + len;
        memcpy(&len, at, sizeof(len));
    }
    if (len)
        cr_decide_again(run, number, (const char *)at + sizeof(len), len);
    else
        (void)cr_calls_fail(run, number, CAPRUN_OUTCOME_RPC_ERROR, too_much, strlen(too_much),
                            &unused);
}

static void settle(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    bool is_new = number > p->journal.calls;

    if (is_new)
        make_new(p, run, number);
    else if (p->calls[number - 1].is_sent && !may_be_made_again(p, run, number))
        say_unknown(p, run, number);
    else
        make_recorded(p, run, number);
}

void cr_replay_go_live(struct cr_replay *p, struct caprun_run *run)
{
    size_t count = run->call_count;
    struct cr_err err;

    cr_run_go_live(run, p->journal.last_at_us);
    if (run->recorder && run->recorder->resume(run->recorder, run, &err) < 0) {
        (void)cr_run_end_unrecorded(run, &err);
        return;
    }
    for (uint32_t n = 1; n <= count && run->state == CR_RUN_RUNNING; n++)
        if (run->calls[n - 1].state == CR_CALL_OPEN)
            settle(p, run, n);
}
