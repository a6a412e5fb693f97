/* server_calls.c - queues, sends, cancels and fails calls of a server, and handles the answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/locate.h"
#include "base/unescape.h"
#include "mcp/server_parts.h"

#define MAX_UNREAD (1u << 20)              /* bytes that wait for the server to read them */
#define MAX_WAITING_BYTES (64u << 20)      /* of args of calls that were not sent */
#define MAX_ALL_WAITING_BYTES (256u << 20) /* for all servers together */
/* What each server may have although all servers together have too much: no run can stop all. */
#define OWN_PLACES 4u
#define OWN_WAITING_BYTES (1u << 20)
#define MAX_WORDS (6u << 10) /* of an error's message, as written: 800 characters are shown */
#define MAX_NOTE (64u << 10) /* of a progress notification, or an error, to be looked at */

/* --- queues ------------------------------------------------------------------------------------
 */

/* Adds to the counts; to subtract, callers pass negative numbers as unsigned. */
static void add_counts(struct cr_server_queue *q, uint32_t calls, size_t bytes)
{
    q->count += calls;
    q->bytes += bytes;
    if (q->sum)
        *q->sum += bytes;
}

static void append(struct cr_server_queue *q, struct cr_server_call *call)
{
    call->queue = q;
    call->prev = q->last;
    call->next = NULL;
    *(q->last ? &q->last->next : &q->first) = call;
    q->last = call;
    if (!q->unreported)
        q->unreported = call;
    add_counts(q, 1, call->len);
}

/* Puts |call| back to the front of the queue, where it was taken from. */
static void put_back(struct cr_server_queue *q, struct cr_server_call *call, bool unreported)
{
    call->queue = q;
    call->prev = NULL;
    call->next = q->first;
    *(q->first ? &q->first->prev : &q->last) = call;
    q->first = call;
    if (unreported)
        q->unreported = call;
    add_counts(q, 1, call->len);
}

static void take_out(struct cr_server_call *call)
{
    struct cr_server_queue *q = call->queue;

    *(call->prev ? &call->prev->next : &q->first) = call->next;
    *(call->next ? &call->next->prev : &q->last) = call->prev;
    if (q->unreported == call)
        q->unreported = call->next;
    add_counts(q, (uint32_t)-1, 0 - call->len);
    call->queue = NULL;
}

/* Frees places for calls in flight, and wakes the servers that may wait for such a place. */
static void free_places(struct cr_server *s, uint32_t count)
{
    struct cr_servers *all = s->all;
    bool was_full = all->in_flight >= all->most;

    all->in_flight -= count;
    for (struct cr_server *each = all->first; was_full && each; each = each->next)
        cr_server_wake(each);
    cr_server_wake(s);
}

static void take_out_sent(struct cr_server *s, struct cr_server_call *call)
{
    take_out(call);
    free_places(s, 1);
}

int cr_server_call(struct cr_server *s, struct cr_server_call *call, struct cr_err *err)
{
    if (s->waiting->count && s->waiting->bytes + call->len > MAX_WAITING_BYTES)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "Too much waits for the server \"%s\"", s->name);
    if (s->all->waiting_bytes && s->all->waiting_bytes + call->len > MAX_ALL_WAITING_BYTES &&
        s->waiting->bytes + call->len > OWN_WAITING_BYTES)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "Too much waits for servers");
    call->id = 0;
    append(s->waiting, call);
    cr_server_wake(s);
    return 0;
}

void cr_server_cancel(struct cr_server *s, struct cr_server_call *call, const char *reason)
{
    const struct cr_transport_label label = {.method = "notifications/cancelled",
                                             .version = s->version,
                                             .is_modern = s->era == CR_ERA_MODERN};
    const struct cr_buf *line;

    if (call->queue != s->sent) {
        take_out(call);
        return;
    }
    take_out_sent(s, call);
    if (!s->transport || s->state == CR_SERVER_ENDING ||
        s->transport->ops->drop(s->transport, call->id) ||
        s->transport->ops->waiting(s->transport) > MAX_UNREAD)
        return;
    cr_rpc_cancelled(cr_server_new_line(s), call->id, reason);
    line = &s->line;
    if (!cr_buf_err(line)) /* without a cancellation, the late answer is ignored */
        (void)s->transport->ops->send(
            s->transport, &label, &(struct cr_outbox_part){.bytes = line->data, .len = line->len},
            1, NULL);
}

/* --- calls that fail ---------------------------------------------------------------------------
 */

static void fail_one(struct cr_server *s, struct cr_server_call *call, const struct cr_err *why)
{
    if (call->queue == s->sent)
        take_out_sent(s, call);
    else
        take_out(call);
    call->ops->failed(call, why);
}

/* The server was lost: nothing has answered the call. */
static void lose_one(struct cr_server *s, struct cr_server_call *call, const struct cr_err *why)
{
    call->is_lost = true;
    fail_one(s, call, why);
}

/*
 * Fails calls of |q| until the turn is over; each callback may cancel other calls. Returns true
 * when the queue is empty.
 */
static bool fail_some(struct cr_server *s, struct cr_server_queue *q, const struct cr_err *why)
{
    bool is_over = false;

    while (q->first && !is_over) {
        lose_one(s, q->first, why);
        is_over = cr_loop_turn_is_over(s->all->loop);
    }
    return !q->first;
}

/* Moves the calls of |*queue| to |s->failing|. Returns false if there is no memory. */
static bool fail_later(struct cr_server *s, struct cr_server_queue **queue,
                       const struct cr_err *why)
{
    struct cr_server_queue *empty = calloc(1, sizeof(*empty));
    struct cr_server_failing *failing = malloc(sizeof(*failing)), **at = &s->failing;

    if (!empty || !failing) {
        free(empty);
        free(failing);
        return false;
    }
    empty->sum = (*queue)->sum;
    *failing = (struct cr_server_failing){.calls = *queue, .why = *why};
    if (*queue == s->sent)
        free_places(s, s->sent->count);
    *queue = empty;
    while (*at)
        at = &(*at)->next;
    *at = failing;
    cr_loop_defer_busy(s->all->loop, &s->busy);
    return true;
}

/* Without memory, all calls fail in one long turn: that is better than calls that never end. */
void cr_server_fail_queue(struct cr_server *s, struct cr_server_queue **queue,
                          const struct cr_err *why)
{
    bool is_done = !(*queue)->first || (!s->failing && fail_some(s, *queue, why));

    if (is_done || fail_later(s, queue, why))
        return;
    while ((*queue)->first)
        lose_one(s, (*queue)->first, why);
}

void cr_server_end_failing(struct cr_server *s)
{
    struct cr_server_failing *failing;

    while ((failing = s->failing)) {
        if (!fail_some(s, failing->calls, &failing->why)) {
            cr_loop_defer_busy(s->all->loop, &s->busy);
            return;
        }
        s->failing = failing->next;
        free(failing->calls);
        free(failing);
    }
}

void cr_server_free_queues(struct cr_server *s)
{
    struct cr_server_failing *failing;

    while ((failing = s->failing)) {
        s->failing = failing->next;
        free(failing->calls);
        free(failing);
    }
    free(s->waiting);
    free(s->sent);
}

/* --- sending -----------------------------------------------------------------------------------
 */

static bool is_full(const struct cr_server *s)
{
    return s->sent->count == s->at_once ||
           (s->all->in_flight >= s->all->most && s->sent->count >= OWN_PLACES);
}

static bool has_place(const struct cr_server *s)
{
    return s->state == CR_SERVER_READY && !s->transport->ops->is_ending(s->transport) &&
           !is_full(s) && s->transport->ops->waiting(s->transport) <= MAX_UNREAD;
}

/*
 * Calls queued() for waiting calls if no place is free, but not if the server just does not read.
 * Returns false if the turn ended before the last one.
 */
static bool report_queued(struct cr_server *s)
{
    struct cr_server_call *call;

    while (s->state == CR_SERVER_READY && is_full(s) && (call = s->waiting->unreported)) {
        s->waiting->unreported = call->next;
        call->ops->queued(call);
        if (cr_loop_turn_is_over(s->all->loop))
            return false;
    }
    return true;
}

const char cr_server_later[] = "later";

/* Returns false if the call has to wait, and all calls behind it. */
static bool send_first(struct cr_server *s)
{
    struct cr_server_call *call = s->waiting->first;
    bool unreported = s->waiting->unreported == call;
    const char *tool;
    size_t args_at;

    take_out(call);
    tool = call->ops->admit(call, &s->tools);
    if (tool == cr_server_later)
        put_back(s->waiting, call, unreported);
    if (!tool || tool == cr_server_later)
        return !tool;
    call->id = ++s->last_id;
    args_at = cr_rpc_call(cr_server_new_line(s), s->era, call->id, tool);
    append(s->sent, call);
    s->all->in_flight++;
    if (cr_server_send_line_with_args(s, args_at, tool, call))
        call->ops->sent(call);
    return true;
}

void cr_server_continue(struct cr_server *s)
{
    cr_server_wake(s);
}

void cr_server_send_calls(struct cr_server *s)
{
    bool is_over = false;

    while (s->waiting->first && has_place(s) && !is_over) {
        if (!send_first(s))
            return;
        is_over = cr_loop_turn_is_over(s->all->loop);
    }
    if (is_over || !report_queued(s))
        cr_loop_defer_busy(s->all->loop, &s->busy);
}

/* --- answers -----------------------------------------------------------------------------------
 */

static void fail_by_error(struct cr_server *s, struct cr_server_call *call,
                          const struct cr_message *m)
{
    static const char no_code[] = "without a code";
    size_t len = m->error.len > MAX_NOTE ? 0 : m->error.len, code_len = 0, words_len = 0;
    const char *code = len ? cr_locate_member(m->error.at, len, "code", &code_len) : NULL;
    const char *words = len ? cr_locate_member(m->error.at, len, "message", &words_len) : NULL;
    struct cr_err why;
    struct cr_buf text;

    if (!code || !strchr("-0123456789", *code)) {
        code = no_code;
        code_len = sizeof(no_code) - 1;
    }
    cr_buf_init(&text, MAX_WORDS + 1);
    if (words && *words == '"')
        cr_unescape(&text, words + 1, words_len - 2 < MAX_WORDS ? words_len - 2 : MAX_WORDS);
    (void)cr_err_end(
        &why, CAPRUN_OUTCOME_RPC_ERROR, NULL, "%.800s (JSON-RPC error %.*s of the server \"%s\")",
        words && *words == '"' && cr_buf_text(&text) ? cr_buf_text(&text) : "It failed",
        code_len < 20 ? (int)code_len : 20, code, s->name);
    cr_buf_clear(&text);
    fail_one(s, call, &why);
}

/* In the modern era a result may be a request for input. A result without a type is complete. */
static bool is_complete(const struct cr_server *s, const struct cr_message *m, struct cr_err *why)
{
    static const char complete[] = "\"complete\"";
    const char *type = NULL;
    size_t len = 0;

    if (s->era == CR_ERA_MODERN && m->has_type) {
        type = m->type.at;
        len = m->type.len;
    } else if (s->era == CR_ERA_MODERN) {
        type = cr_locate_member(m->result.at, m->result.len, "resultType", &len);
    }
    if (!type || (len == sizeof(complete) - 1 && memcmp(type, complete, len) == 0))
        return true;
    (void)cr_err_end(why, CAPRUN_OUTCOME_RPC_ERROR, NULL,
                     "The server \"%s\" answered with %.*s, and not with a result; this version of "
                     "caprun does not support that",
                     s->name, len > 100 ? 100 : (int)len, type);
    return false;
}

static void pass_result(struct cr_server *s, struct cr_server_call *call,
                        const struct cr_message *m)
{
    struct cr_err why;

    if (!is_complete(s, m, &why)) {
        fail_one(s, call, &why);
        return;
    }
    s->failures = 0; /* the server works */
    take_out_sent(s, call);
    call->ops->result(call, m->result.at, m->result.len, m->block);
}

static struct cr_server_call *find_sent(const struct cr_server *s, uint64_t id)
{
    struct cr_server_call *call = s->sent->first;

    while (call && call->id != id)
        call = call->next;
    return call;
}

void cr_server_answer(struct cr_server *s, const struct cr_message *m)
{
    struct cr_err why;
    struct cr_server_call *call = m->id ? find_sent(s, m->id) : NULL;

    if (m->kind == CR_MESSAGE_TOO_LONG) {
        (void)cr_err_end(&why, CAPRUN_OUTCOME_RPC_ERROR, NULL,
                         "The answer of the server \"%s\" cannot be accepted: %s; the limits are "
                         "64 MiB and 1,000 levels",
                         s->name, m->why);
        if (call)
            fail_one(s, call, &why);
    } else if (call && m->kind == CR_MESSAGE_RESULT) {
        pass_result(s, call, m);
    } else if (call) {
        fail_by_error(s, call, m);
    }
    /* ignore an unknown id: of a cancelled call, of a repeated answer, or invented */
}

/* The server has not carried out the call: it waits for the next session. */
static void call_again(struct cr_server *s, struct cr_server_call *call, uint8_t **block)
{
    take_out_sent(s, call);
    call->block = *block;
    *block = NULL;
    call->is_again = true;
    put_back(s->waiting, call, false);
}

void cr_server_lose(struct cr_server *s, const struct cr_transport_loss *loss)
{
    struct cr_server_call *call = find_sent(s, loss->id);
    struct cr_err why;

    if (!call)
        return;
    if (loss->has_expired && loss->block && !call->is_again) {
        call_again(s, call, loss->block);
        return;
    }
    (void)cr_err_end(&why, CAPRUN_OUTCOME_RPC_ERROR, loss->hint, "The server \"%s\" %s", s->name,
                     loss->words);
    call->is_lost = loss->may_have_effect;
    fail_one(s, call, &why);
}

void cr_server_progress(struct cr_server *s, const struct cr_message *m)
{
    const char *token;
    size_t len;
    struct cr_server_call *call;

    if (!m->params.at || m->params.len > MAX_NOTE)
        return;
    token = cr_locate_member(m->params.at, m->params.len, "progressToken", &len);
    call = token && len < 20 ? find_sent(s, strtoull(token, NULL, 10)) : NULL;
    if (call)
        call->ops->progress(call, m->params.at, m->params.len);
}

/* --- listings ----------------------------------------------------------------------------------
 */

void cr_server_list(struct cr_server *s, struct cr_server_waiter *waiter)
{
    waiter->next = s->waiters;
    s->waiters = waiter;
    cr_server_wake(s);
}

void cr_server_end_waiters(struct cr_server *s, const struct cr_err *why)
{
    struct cr_server_waiter *waiter, *waiters = s->waiters;

    s->waiters = NULL; /* done() may add a waiter, which then waits for the next turn */
    while ((waiter = waiters)) {
        waiters = waiter->next;
        waiter->done(waiter, s, why);
    }
}
