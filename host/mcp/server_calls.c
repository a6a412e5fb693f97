/* server_calls.c - calls that wait, calls that were sent, and what comes back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "mcp/server_parts.h"

#define MAX_UNREAD (1u << 20)         /* bytes that wait for the server to read them */
#define MAX_WAITING_BYTES (64u << 20) /* of args of calls that were not sent */
#define MAX_NOTE (64u << 10)          /* of a progress notification, or an error, to be looked at */

/* --- queues ------------------------------------------------------------------------------------
 */

static void append(struct cr_server_queue *q, struct cr_server_call *call)
{
    call->prev = q->last;
    call->next = NULL;
    *(q->last ? &q->last->next : &q->first) = call;
    q->last = call;
    q->count++;
    q->bytes += call->len;
}

static void take_out(struct cr_server_queue *q, struct cr_server_call *call)
{
    *(call->prev ? &call->prev->next : &q->first) = call->next;
    *(call->next ? &call->next->prev : &q->last) = call->prev;
    q->count--;
    q->bytes -= call->len;
}

/* Others may wait for the place that has become free among all calls. */
static void take_out_sent(struct cr_server *s, struct cr_server_call *call)
{
    struct cr_servers *all = s->all;

    take_out(&s->sent, call);
    all->in_flight--;
    if (all->in_flight + 1 == all->most)
        for (struct cr_server *each = all->first; each; each = each->next)
            cr_server_wake(each);
    else
        cr_server_wake(s);
}

int cr_server_call(struct cr_server *s, struct cr_server_call *call, struct cr_err *err)
{
    if (s->waiting.count && s->waiting.bytes + call->len > MAX_WAITING_BYTES)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "Too much waits for the server \"%s\"", s->name);
    call->id = 0;
    call->is_queued = false;
    append(&s->waiting, call);
    cr_server_wake(s);
    return 0;
}

void cr_server_cancel(struct cr_server *s, struct cr_server_call *call, const char *reason)
{
    struct cr_buf *line;

    if (!call->id) {
        take_out(&s->waiting, call);
        return;
    }
    take_out_sent(s, call);
    if (!s->child || s->state == CR_SERVER_ENDING || cr_child_waiting(s->child) > MAX_UNREAD)
        return;
    line = cr_server_new_line(s);
    cr_rpc_cancelled(line, call->id, reason);
    if (!cr_buf_err(line)) /* who cannot be told will answer in vain */
        (void)cr_child_send(s->child, line->data, line->len, NULL);
}

/* Whom a failure tells may cancel others, so that each is looked for anew. */
void cr_server_fail_queue(struct cr_server *s, struct cr_server_queue *queue,
                          const struct cr_server_failure *why)
{
    while (queue->first) {
        struct cr_server_call *call = queue->first;

        if (call->id)
            take_out_sent(s, call);
        else
            take_out(queue, call);
        call->ops->failed(call, why);
    }
}

/* --- there -------------------------------------------------------------------------------------
 */

static bool is_full(const struct cr_server *s)
{
    return s->sent.count == s->at_once || s->all->in_flight == s->all->most;
}

static bool has_place(const struct cr_server *s)
{
    return s->state == CR_SERVER_READY && !cr_child_is_ending(s->child) && !is_full(s) &&
           cr_child_waiting(s->child) <= MAX_UNREAD;
}

/* Those who came last have not heard yet. A server that does not read is another matter. */
static void tell_queued(struct cr_server *s)
{
    if (s->state != CR_SERVER_READY || !is_full(s))
        return;
    for (struct cr_server_call *c = s->waiting.last; c && !c->is_queued; c = c->prev) {
        c->is_queued = true;
        c->ops->queued(c);
    }
}

void cr_server_send_calls(struct cr_server *s)
{
    while (s->waiting.first && has_place(s)) {
        struct cr_server_call *call = s->waiting.first;
        const char *tool;

        take_out(&s->waiting, call);
        tool = call->ops->admit(call, &s->tools);
        if (!tool)
            continue;
        call->id = ++s->last_id;
        cr_rpc_call(cr_server_new_line(s), s->era, call->id, tool, call->args, call->len);
        append(&s->sent, call);
        s->all->in_flight++;
        if (cr_server_send_line(s))
            call->ops->sent(call);
    }
    tell_queued(s);
}

/* --- and back ----------------------------------------------------------------------------------
 */

static void fail_one(struct cr_server *s, struct cr_server_call *call,
                     const struct cr_server_failure *why)
{
    take_out_sent(s, call);
    call->ops->failed(call, why);
}

static void fail_by_error(struct cr_server *s, struct cr_server_call *call,
                          const struct cr_message *m)
{
    struct cr_server_failure why = {.hint = ""};
    struct cr_json_doc doc = {0};
    const struct cr_json *code, *words;

    if (m->error.len > MAX_NOTE || cr_json_parse(m->error.at, m->error.len, &doc, NULL) < 0)
        doc.root = NULL;
    code = cr_json_get(doc.root, "code");
    words = cr_json_get(doc.root, "message");
    (void)snprintf(why.text, sizeof(why.text), "%.800s (JSON-RPC error %.20s of the server \"%s\")",
                   words && words->type == CR_JSON_STRING ? words->text : "It failed",
                   code && code->type == CR_JSON_NUMBER ? code->text : "without a code", s->name);
    cr_json_clear(&doc);
    fail_one(s, call, &why);
}

/* In the modern era a result may be a question. Without a type it is complete. */
static bool is_complete(const struct cr_server *s, const struct cr_message *m,
                        struct cr_server_failure *why)
{
    static const char complete[] = "\"complete\"";
    const char *type = NULL;
    size_t len = 0;

    if (s->era == CR_ERA_MODERN)
        type = cr_json_peek(m->result.at, m->result.len, "resultType", &len);
    if (!type || (len == sizeof(complete) - 1 && memcmp(type, complete, len) == 0))
        return true;
    (void)snprintf(why->text, sizeof(why->text),
                   "The server \"%s\" answered with %.*s, and not with a result; this version of "
                   "caprun has no answer to that",
                   s->name, len > 100 ? 100 : (int)len, type);
    return false;
}

static void pass_result(struct cr_server *s, struct cr_server_call *call,
                        const struct cr_message *m)
{
    struct cr_server_failure why = {.hint = ""};

    if (!is_complete(s, m, &why)) {
        fail_one(s, call, &why);
        return;
    }
    s->failures = 0; /* it works */
    take_out_sent(s, call);
    call->ops->result(call, m->result.at, m->result.len, m->block);
}

static struct cr_server_call *find_sent(const struct cr_server *s, uint64_t id)
{
    struct cr_server_call *call = s->sent.first;

    while (call && call->id != id)
        call = call->next;
    return call;
}

void cr_server_answer(struct cr_server *s, const struct cr_message *m)
{
    struct cr_server_failure why = {.hint = ""};
    struct cr_server_call *call = m->id ? find_sent(s, m->id) : NULL;

    if (m->kind == CR_MESSAGE_TOO_LONG) {
        (void)snprintf(why.text, sizeof(why.text),
                       "The answer of the server \"%s\" cannot be taken: %s; it may have 64 MiB, "
                       "and 1,000 levels",
                       s->name, m->why);
        if (call)
            fail_one(s, call, &why);
    } else if (call && m->kind == CR_MESSAGE_RESULT) {
        pass_result(s, call, m);
    } else if (call) {
        fail_by_error(s, call, m);
    }
    /* an answer to nobody: to a call that was given up on, or twice, or made up */
}

void cr_server_progress(struct cr_server *s, const struct cr_message *m)
{
    const char *token;
    size_t len;
    struct cr_server_call *call;

    if (!m->params.at || m->params.len > MAX_NOTE)
        return;
    token = cr_json_peek(m->params.at, m->params.len, "progressToken", &len);
    call = token && len < 20 ? find_sent(s, strtoull(token, NULL, 10)) : NULL;
    if (call)
        call->ops->progress(call, m->params.at, m->params.len);
}

/* --- those who want the list -------------------------------------------------------------------
 */

void cr_server_list(struct cr_server *s, struct cr_server_waiter *waiter)
{
    waiter->next = s->waiters;
    s->waiters = waiter;
    cr_server_wake(s);
}

void cr_server_end_waiters(struct cr_server *s, const struct cr_server_failure *why)
{
    struct cr_server_waiter *waiter, *waiters = s->waiters;

    s->waiters = NULL; /* who is told may ask again: that is another turn's */
    while ((waiter = waiters)) {
        waiters = waiter->next;
        waiter->done(waiter, s, why);
    }
}
