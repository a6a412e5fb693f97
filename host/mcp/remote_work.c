/*
 * remote_work.c - sends the messages of a connection, several at the same time, and reads the
 * answers.
 *
 * An exchange with something to do is stirred. One busy task handles the stirred exchanges, each in
 * turn, until the turn of the loop is over; never inside of libcurl.
 *
 * Only one answer at a time may grow over BIG bytes. Other answers wait where they are, in the
 * sockets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/remote_parts.h"
#include "mcp/judge.h"

#define BIG (1u << 20)
#define KEPT_MAX (64u << 20) /* bytes of large messages that are kept to be sent again */
#define NOTES_AT_ONCE 8      /* messages without an answer that are sent at the same time */
#define NOTE_US 30000000     /* time for a message without an answer */
#define GRACE_US 1000000     /* for a stream to end after its answer */
#define EXPIRED_US 1000000   /* for other answers, when the session is lost */

/* --- exchanges -------------------------------------------------------------------------------- */

/* May be called by libcurl. */
static void stir(struct cr_exchange *x)
{
    struct cr_remote *c = x->owner;

    cr_loop_defer_busy(c->loop, &c->busy);
    if (x->is_stirred)
        return;
    x->is_stirred = true;
    x->next_stirred = NULL;
    if (c->stirred)
        c->stirred_last->next_stirred = x;
    else
        c->stirred = x;
    c->stirred_last = x;
}

void cr_remote_transfer_done(void *transfer, CURLcode code)
{
    struct cr_exchange *x = transfer;

    x->is_done = true;
    x->code = code;
    stir(x);
}

static void timer_due(struct cr_timer *timer);

void cr_remote_add(struct cr_remote *c, struct cr_exchange *x)
{
    x->owner = c;
    x->stirred = stir;
    x->timer = (struct cr_timer){.when_us = -1, .due = timer_due, .name = "http"};
    x->next = NULL;
    x->at = c->last;
    *c->last = x;
    c->last = &x->next;
    c->waits++;
    c->notes += !x->id;
    if (x->step == CR_EXCHANGE_INITIALIZED)
        c->gate = x;
}

static void enter_state(struct cr_remote *c, struct cr_exchange *x, enum cr_exchange_state state)
{
    c->waits += state == CR_EXCHANGE_WAITS;
    c->waits -= x->state == CR_EXCHANGE_WAITS;
    if (!x->id) {
        c->sent_notes += state == CR_EXCHANGE_RUNS;
        c->sent_notes -= x->state == CR_EXCHANGE_RUNS;
    }
    x->state = state;
}

void cr_remote_kill(struct cr_remote *c, struct cr_exchange *x)
{
    if (x->state == CR_EXCHANGE_DEAD)
        return;
    enter_state(c, x, CR_EXCHANGE_DEAD);
    cr_loop_unset(c->loop, &x->timer);
    if (x->easy) /* its memory stays: the message that is being handled may lie in it */
        cr_http_multi_remove(x->multi, x->easy);
    if (c->gate == x)
        c->gate = NULL;
    stir(x);
}

/* --- sending ---------------------------------------------------------------------------------- */

static bool may_start(const struct cr_remote *c, const struct cr_exchange *x)
{
    return x->state == CR_EXCHANGE_WAITS && (x->id || c->sent_notes < NOTES_AT_ONCE) &&
           (!c->gate || c->gate == x);
}

static void start_exchange(struct cr_remote *c, struct cr_exchange *x)
{
    enter_state(c, x, CR_EXCHANGE_RUNS);
    if (!cr_exchange_start(x, &c->multi, &c->endpoint->site, c->session)) {
        x->fault = CR_EXCHANGE_NO_MEMORY;
        x->is_done = true;
        stir(x);
    }
    if (!x->id)
        cr_loop_set(c->loop, &x->timer, cr_loop_now() + NOTE_US);
}

void cr_remote_send_waiting(struct cr_remote *c)
{
    if ((c->stage != CR_REMOTE_OPEN && c->stage != CR_REMOTE_STOPPING) || c->has_expired)
        return;
    for (struct cr_exchange *x = c->first; x && c->waits; x = x->next)
        if (may_start(c, x))
            start_exchange(c, x);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* The server has forgotten the session. For a moment, other requests may still be answered. */
static void expire(struct cr_remote *c)
{
    if (c->has_expired || c->stage > CR_REMOTE_OPEN)
        return;
    c->has_expired = true;
    (void)snprintf(c->why, sizeof(c->why), "has ended the session");
    cr_loop_set(c->loop, &c->patience, cr_loop_now() + EXPIRED_US);
}

/* The request of |x| will not be answered. */
static void lose(struct cr_remote *c, struct cr_exchange *x, const struct cr_judgement *v)
{
    struct cr_transport_loss loss = {.id = x->id,
                                     .may_have_effect = v->may_have_effect,
                                     .may_be_era = v->may_be_era,
                                     .has_expired = v->kind == CR_JUDGE_EXPIRED,
                                     .words = v->words,
                                     .hint = v->hint,
                                     .block = x->is_forgotten ? NULL : x->taken};

    cr_remote_kill(c, x);
    if (v->kind == CR_JUDGE_EXPIRED)
        expire(c);
    if (!x->id)
        return;
    (void)snprintf(c->hint, sizeof(c->hint), "%s", v->hint);
    c->owner.lost(c->data, &loss);
}

static void expire_exchange(struct cr_remote *c, struct cr_exchange *x)
{
    static const struct cr_judgement expired = {.kind = CR_JUDGE_EXPIRED,
                                                .words = "has ended the session"};

    lose(c, x, &expired);
}

static struct cr_exchange *find_asked(const struct cr_remote *c, uint64_t id)
{
    struct cr_exchange *x = c->first;

    while (x && (x->id != id || x->state == CR_EXCHANGE_DEAD))
        x = x->next;
    return x;
}

static bool is_answer(const struct cr_message *m)
{
    return m->kind == CR_MESSAGE_RESULT || m->kind == CR_MESSAGE_ERROR ||
           m->kind == CR_MESSAGE_TOO_LONG;
}

/* Can the id of a session be sent back? */
static bool is_visible(const char *session)
{
    while (*session > 0x20 && *session < 0x7f)
        session++;
    return !*session;
}

/* A request is answered. Its stream should end now, so that the connection can be used again. */
static void note_answer(struct cr_remote *c, const struct cr_exchange *from, uint64_t id)
{
    struct cr_exchange *x = find_asked(c, id);

    if (!x || !id)
        return;
    x->is_answered = true;
    c->was_reached = true;
    c->hint[0] = '\0';
    if (x->step == CR_EXCHANGE_INITIALIZE && from == x && is_visible(x->session))
        (void)snprintf(c->session, sizeof(c->session), "%s", x->session);
    cr_loop_set(c->loop, &x->timer, cr_loop_now() + GRACE_US);
}

/* Passes on a message that came in the answer to |x|. */
static void take_message(struct cr_remote *c, struct cr_exchange *x, struct cr_message *m)
{
    if (m->kind == CR_MESSAGE_NOISE) {
        if (m->bytes)
            cr_tail_add_line(&c->tail, m->bytes, m->len);
        return;
    }
    if (is_answer(m) && !m->id) {
        /* servers that do not know a session may say 400, and answer no request */
        if (m->kind == CR_MESSAGE_ERROR && x->had_session && x->head.status == 400) {
            expire_exchange(c, x);
            return;
        }
        m->id = x->id; /* it was refused before its id was read, or is too long */
    }
    if (is_answer(m))
        note_answer(c, x, m->id);
    c->owner.message(c->data, m);
}

/* May |x| read on? Only one answer at a time may be big. */
static bool may_grow(struct cr_remote *c, struct cr_exchange *x)
{
    bool is_big = cr_exchange_kept(x) > BIG;

    if (is_big && !c->big)
        c->big = x;
    return !is_big || c->big == x;
}

/* |x| is not big any longer: other answers may be. */
static void release_big(struct cr_remote *c, const struct cr_exchange *x)
{
    if (c->big != x)
        return;
    c->big = NULL;
    for (struct cr_exchange *each = c->first; each; each = each->next)
        if (each->state == CR_EXCHANGE_RUNS && cr_exchange_kept(each) > BIG)
            stir(each);
}

/*
 * Reads what has come, while the turn lasts. Returns false if there is more, or if |x| has to wait.
 */
static bool read_answer(struct cr_remote *c, struct cr_exchange *x)
{
    struct cr_message message;
    bool is_over = false;

    if (!may_grow(c, x))
        return false;
    while (!is_over && x->state == CR_EXCHANGE_RUNS && cr_exchange_next(x, &message)) {
        take_message(c, x, &message);
        is_over = cr_loop_turn_is_over(c->loop);
    }
    if (cr_exchange_kept(x) <= BIG)
        release_big(c, x);
    if (is_over)
        stir(x);
    return !is_over;
}

static void rest(struct cr_remote *c, struct cr_exchange *x, int64_t pause_ms)
{
    x->tries++;
    cr_exchange_stop(x);
    enter_state(c, x, CR_EXCHANGE_RESTS);
    cr_loop_set(c->loop, &x->timer, cr_loop_now() + pause_ms * 1000);
}

/* The endpoint keeps the new URL: the next message goes there at once. */
static void follow_redirect(struct cr_remote *c, struct cr_exchange *x, const char *url)
{
    char *copy = strdup(url);

    if (copy) {
        free(c->endpoint->site.url);
        c->endpoint->site.url = copy;
    }
    x->redirects++;
    cr_exchange_stop(x);
    enter_state(c, x, CR_EXCHANGE_WAITS);
    cr_remote_send_waiting(c);
}

/* The answer is complete, or the connection has failed. */
static void conclude(struct cr_remote *c, struct cr_exchange *x)
{
    struct cr_judgement v;

    cr_judge_exchange(x, &c->endpoint->site, c->was_reached, &v);
    switch (v.kind) {
    case CR_JUDGE_FINE:
        cr_remote_kill(c, x);
        break;
    case CR_JUDGE_AGAIN:
        rest(c, x, v.pause_ms);
        break;
    case CR_JUDGE_REDIRECT:
        follow_redirect(c, x, v.url);
        break;
    case CR_JUDGE_EXPIRED:
        expire_exchange(c, x);
        break;
    case CR_JUDGE_LOST:
        lose(c, x, &v);
        break;
    }
}

static void timer_due(struct cr_timer *timer)
{
    struct cr_exchange *x = cr_container(timer, struct cr_exchange, timer);
    struct cr_remote *c = x->owner;

    if (x->state == CR_EXCHANGE_RESTS) {
        enter_state(c, x, CR_EXCHANGE_WAITS);
        cr_remote_send_waiting(c);
    } else {
        cr_remote_kill(c, x); /* nothing is expected of it any more */
    }
}

/* A message that was sent is kept, to be sent again; unless too many large ones are kept. */
static void limit_kept(struct cr_remote *c, struct cr_exchange *x)
{
    size_t kept = 0;

    if (x->left || x->bytes <= BIG || x->is_forgotten)
        return;
    for (const struct cr_exchange *each = c->first; each; each = each->next)
        kept += each->is_forgotten ? 0 : each->bytes;
    if (kept > KEPT_MAX)
        cr_exchange_forget_message(x);
}

static void handle_exchange(struct cr_remote *c, struct cr_exchange *x)
{
    if (x->state == CR_EXCHANGE_RUNS)
        limit_kept(c, x);
    if (x->state == CR_EXCHANGE_RUNS && read_answer(c, x) && x->state == CR_EXCHANGE_RUNS) {
        if (cr_exchange_is_over(x))
            conclude(c, x);
        else
            cr_exchange_continue(x);
    }
}

static void free_exchange(struct cr_remote *c, struct cr_exchange *x)
{
    *x->at = x->next;
    *(x->next ? &x->next->at : &c->last) = x->at;
    release_big(c, x);
    c->notes -= !x->id;
    cr_exchange_free(x);
}

void cr_remote_free_exchanges(struct cr_remote *c)
{
    while (c->first)
        free_exchange(c, c->first);
}

/* --- the busy task ---------------------------------------------------------------------------- */

static struct cr_exchange *next_stirred(struct cr_remote *c)
{
    struct cr_exchange *x = c->stirred;

    if (!x)
        return NULL;
    c->stirred = x->next_stirred;
    x->is_stirred = false;
    return x;
}

/* Calls room() if messages were waiting, and are not any longer. */
static void report_room(struct cr_remote *c)
{
    if (!c->is_full)
        return;
    c->is_full = false;
    if (!cr_remote_waiting(c))
        c->owner.room(c->data);
}

/* May free the connection. */
static void end_if_finished(struct cr_remote *c)
{
    if (c->first)
        return;
    if (c->stage == CR_REMOTE_STOPPING || (c->has_expired && c->stage < CR_REMOTE_STOPPING))
        cr_remote_end(c);
    if (c->stage != CR_REMOTE_ENDING)
        return;
    c->stage = CR_REMOTE_ENDED;
    c->owner.ended(c->data);
}

void cr_remote_work(struct cr_task *task)
{
    struct cr_remote *c = cr_container(task, struct cr_remote, busy);
    struct cr_exchange *x;

    while ((x = next_stirred(c))) {
        handle_exchange(c, x);
        if (x->state == CR_EXCHANGE_DEAD && !x->is_stirred)
            free_exchange(c, x);
        if (cr_loop_turn_is_over(c->loop) && c->stirred) {
            cr_loop_defer_busy(c->loop, &c->busy);
            return;
        }
    }
    cr_remote_send_waiting(c);
    report_room(c);
    end_if_finished(c);
}
