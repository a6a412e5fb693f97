/* auditing.c - passes calls to the auditor, and holds the calls that wait for their line. */
#include "run/auditing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/calls.h"
#include "run/decide.h"

static struct cr_call *call_at(struct caprun_run *run, uint32_t number)
{
    return &run->calls[number - 1];
}

static void free_ticket(struct cr_audit_ticket *ticket)
{
    if (ticket->block)
        cr_helper_free(&ticket->run->loop->helper, ticket->block, ticket->args_len);
    ticket->block = NULL;
    ticket->run->auditor->forget(ticket->run->auditor, ticket);
}

/* The code learns only that there is no audit; path and details go to the user's hint. */
static int refuse(struct caprun_run *run, uint32_t number, const struct cr_err *why)
{
    static const char words[] = "The call was not made, because the audit cannot be written";
    struct cr_err unused;
    char hint[sizeof(why->hint)];

    (void)snprintf(hint, sizeof(hint), "%.300s; %.200s", why->text,
                   why->hint[0] ? why->hint : "\"audit\" in .caprun.json can name another file");
    cr_calls_hint(run, number, hint);
    (void)cr_calls_fail(run, number, CAPRUN_OUTCOME_CONFIG_ERROR, words, strlen(words), &unused);
    return CAPRUN_E_STATE;
}

/* Was the line that is written the line of this tool? The server's tools may have changed. */
static bool is_written_for(const struct cr_call *call, const char *tool)
{
    return call->is_audited &&
           strcmp(call->audited_tool ? call->audited_tool : call->method, tool) == 0;
}

/* The audit has the line of the call, for |tool|, which is taken over; NULL: as it was called. */
static void note_written(struct cr_call *call, char *tool)
{
    call->is_audited = true;
    free(call->audited_tool);
    call->audited_tool = tool;
}

int cr_auditing_before(struct caprun_run *run, uint32_t number, const char *tool, const char *args,
                       size_t len)
{
    struct cr_auditor *a = run->auditor;
    struct cr_call *call = call_at(run, number);
    struct cr_audit_ticket *ticket = NULL;
    struct cr_err err;
    int r;

    if (!run->is_audited || is_written_for(call, tool))
        return 0;
    if (call->ticket && strcmp(call->ticket->tool, tool) == 0)
        return CR_AUDITOR_LATER;
    if (call->ticket)
        free_ticket(call->ticket);
    call->ticket = NULL;
    r = a->before(a, run, number, tool, args, len, &ticket, &err);
    call->ticket = ticket;
    if (r == 0)
        note_written(call, strcmp(tool, call->method) == 0 ? NULL : strdup(tool));
    return r < 0 ? refuse(run, number, &err) : r;
}

bool cr_auditing_hold(struct caprun_run *run, uint32_t number, uint8_t **block)
{
    struct cr_audit_ticket *ticket = call_at(run, number)->ticket;

    uint8_t *copy = *block;

    *block = NULL;
    if (!copy) {
        copy = malloc(ticket->args_len);
        if (!copy)
            return false;
        memcpy(copy, ticket->args, ticket->args_len);
        ticket->args = (const char *)copy;
    }
    ticket->block = copy;
    return true;
}

void cr_auditing_written(struct cr_audit_ticket *ticket, const struct cr_err *why)
{
    struct caprun_run *run = ticket->run;
    uint32_t number = ticket->number;
    struct cr_call *call = call_at(run, number);

    call->ticket = NULL;
    if (why) {
        (void)refuse(run, number, why);
    } else {
        note_written(call, ticket->tool);
        ticket->tool = NULL;
        if (call->handle)
            run->gate->resume(run->gate, call->handle);
        else
            cr_decide_audited(run, number, ticket->args, ticket->args_len);
    }
    free_ticket(ticket);
}

void cr_auditing_after(struct caprun_run *run, uint32_t number)
{
    struct cr_call *call = call_at(run, number);

    if (call->ticket)
        free_ticket(call->ticket);
    call->ticket = NULL;
    if (run->is_audited)
        run->auditor->after(run->auditor, run, number, call->is_audited);
}

void cr_auditing_begin(struct caprun_run *run, bool is_resumed)
{
    run->is_audited = run->auditor != NULL;
    if (run->is_audited)
        run->auditor->begin(run->auditor, run, is_resumed);
}

/* A call that was never sent, and had no line, has none now. */
void cr_auditing_end(struct caprun_run *run)
{
    if (!run->is_audited)
        return;
    for (uint32_t n = 1; run->calls_open && n <= run->call_count; n++) {
        struct cr_call *call = call_at(run, n);

        if (call->state == CR_CALL_OPEN && (call->is_audited || call->ticket))
            cr_auditing_after(run, n);
    }
    run->auditor->end(run->auditor, run);
    run->is_audited = false;
}
