/*
 * fuzz_server.c - fuzzes the client of an MCP server: a server that writes anything at any time,
 * and a caller that calls, cancels and waits meanwhile. The transport is fake.
 *
 * The first byte is the era; then each byte is the next event (enum happening), followed by its
 * data. What must hold: a call ends once, or is cancelled, or still waits; no callback is called
 * from within a function that the caller calls; all counters stay right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/locate.h"
#include "base/scan.h"
#include "input.h"
#include "look.h"
#include "mcp/server_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_SERVER_CALLS 6
#define FUZZ_SERVER_ASKED 16
#define FUZZ_SERVER_LINE_MAX 65536
#define FUZZ_SERVER_WAITING_MAX (64u << 20)

enum happening {
    SERVER_WRITES,        /* data: a text */
    SERVER_ANSWERS,       /* data: which request, and how (honest_answers) */
    SERVER_ENDS,          /* data: 1: the server could not be started */
    SERVER_READS,         /* all that waits */
    SERVER_STOPS_READING, /* until SERVER_READS */
    SERVER_LEAVES,        /* accepts nothing any more, but has not ended */
    CALL_IS_MADE,         /* data: which call; 128: it will not be admitted */
    CALL_IS_CANCELLED,    /* data: which call */
    LIST_IS_WANTED,       /* the list of tools */
    TIMER_IS_DUE,         /* the server's timer */
    SERVER_IS_STOPPED,    /* for good */
    TIME_PASSES,          /* the list is old, the next start may be now */
    START_FAILS,          /* the next start */
    LOOP_STEPS,           /* one step of the loop */
    REQUEST_IS_LOST,      /* data: which request, and how: bits of the loss */
    HAPPENINGS,
};

struct fuzz_server_call {
    struct cr_server_call at;
    bool waits, is_refused, was_queued, was_sent;
};

static struct {
    struct cr_loop loop;
    bool has_loop;
    struct cr_servers all;
    struct cr_server *server;
    struct fuzz_server_call calls[FUZZ_SERVER_CALLS];
    struct cr_server_waiter waiter;
    bool waits;   /* |waiter| waits */
    bool is_busy; /* inside a function of the server, which must not call back */
    bool no_start;
    struct {
        uint64_t id;
        char method;    /* the first letter of the method */
        uint8_t *block; /* the memory that was taken over, or NULL */
    } asked[FUZZ_SERVER_ASKED];
    size_t asked_count;
} fuzz_server;

/* --- the fake transport ----------------------------------------------------------------------- */

struct fuzz_server_peer {
    struct cr_transport transport;
    const struct cr_transport_owner *owner;
    void *data;
    struct cr_reader reader;
    bool is_deaf, is_ending, is_missing, has_ended, has_expired;
    size_t waiting;
};

static struct fuzz_server_peer *fuzz_server_peer_of(struct cr_transport *t)
{
    return cr_container(t, struct fuzz_server_peer, transport);
}

static void fuzz_server_peer_free(struct cr_transport *t)
{
    struct fuzz_server_peer *c = fuzz_server_peer_of(t);

    cr_reader_clear(&c->reader);
    free(c);
    for (size_t i = 0; i < fuzz_server.asked_count; i++) {
        free(fuzz_server.asked[i].block);
        fuzz_server.asked[i].block = NULL;
    }
}

static uint8_t *fuzz_server_take_block(const struct cr_outbox_part *parts, size_t count)
{
    uint8_t *block = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!parts[i].block)
            continue;
        insist(!block && *parts[i].block);
        block = *parts[i].block;
        *parts[i].block = NULL;
    }
    return block;
}

/* Remembers requests, so that they can be answered. */
static int fuzz_server_peer_send(struct cr_transport *t, const struct cr_transport_label *label,
                                 const struct cr_outbox_part *parts, size_t count,
                                 struct cr_err *err)
{
    struct fuzz_server_peer *c = fuzz_server_peer_of(t);
    static char line[65536];
    size_t id_len, method_len, len = 0;
    const char *id, *method;

    for (size_t i = 0; i < count; i++) {
        insist(parts[i].len < sizeof(line) - len);
        memcpy(line + len, parts[i].bytes, parts[i].len);
        len += parts[i].len;
    }
    insist(cr_scan_json((const uint8_t *)line, len, CR_SCAN_PASS, NULL) == 0 &&
           !memchr(line, '\n', len) && memchr(label->version, '\0', 32));
    if (c->is_ending)
        return cr_err_set(err, CAPRUN_E_STATE, "it takes nothing any more");
    if (c->waiting >= FUZZ_SERVER_WAITING_MAX)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "it does not read");
    if (c->is_deaf)
        c->waiting += len + (1u << 20);
    id = cr_locate_member(line, len, "id", &id_len);
    method = cr_locate_member(line, len, "method", &method_len);
    if (id && method && fuzz_server.asked_count < FUZZ_SERVER_ASKED) {
        fuzz_server.asked[fuzz_server.asked_count].id = strtoull(id, NULL, 10);
        insist(label->id == fuzz_server.asked[fuzz_server.asked_count].id && label->method);
        insist(memcmp(method + 1, label->method, strlen(label->method)) == 0);
        insist(!label->tool == !!strcmp(label->method, "tools/call"));
        fuzz_server.asked[fuzz_server.asked_count].block = fuzz_server_take_block(parts, count);
        fuzz_server.asked[fuzz_server.asked_count++].method = method[1 + 6 * (method[1] == 't')];
    }
    return 0;
}

/* Every second request needs a notification. */
static bool fuzz_server_peer_drop(struct cr_transport *t, uint64_t id)
{
    (void)t;
    return id % 2;
}

static bool fuzz_server_peer_has_expired(struct cr_transport *t)
{
    insist(fuzz_server_peer_of(t)->has_ended);
    return fuzz_server_peer_of(t)->has_expired;
}

static void fuzz_server_peer_find_types(struct cr_transport *t)
{
    cr_reader_find_types(&fuzz_server_peer_of(t)->reader);
}

static size_t fuzz_server_peer_waiting(struct cr_transport *t)
{
    return fuzz_server_peer_of(t)->waiting;
}

static void fuzz_server_peer_stop(struct cr_transport *t)
{
    fuzz_server_peer_of(t)->is_ending = true;
}

static bool fuzz_server_peer_is_ending(struct cr_transport *t)
{
    return fuzz_server_peer_of(t)->is_ending;
}

static const char *fuzz_server_peer_why(struct cr_transport *t)
{
    insist(fuzz_server_peer_of(t)->has_ended);
    return fuzz_server_peer_of(t)->is_missing ? "could not be started" : "exited with status 1";
}

static bool fuzz_server_peer_is_missing(struct cr_transport *t)
{
    insist(fuzz_server_peer_of(t)->has_ended);
    return fuzz_server_peer_of(t)->is_missing;
}

static void fuzz_server_peer_hint(struct cr_transport *t, size_t max, struct cr_buf *out)
{
    (void)t;
    cr_buf_fmt(out, "%*s", (int)max, "|");
}

static const struct cr_transport_ops fuzz_server_peer_ops = {
    .send = fuzz_server_peer_send,
    .drop = fuzz_server_peer_drop,
    .has_expired = fuzz_server_peer_has_expired,
    .waiting = fuzz_server_peer_waiting,
    .find_types = fuzz_server_peer_find_types,
    .stop = fuzz_server_peer_stop,
    .is_ending = fuzz_server_peer_is_ending,
    .why = fuzz_server_peer_why,
    .is_missing = fuzz_server_peer_is_missing,
    .hint = fuzz_server_peer_hint,
    .free = fuzz_server_peer_free};

static int fuzz_server_start(struct cr_endpoint *endpoint, struct cr_loop *loop,
                             const struct cr_transport_owner *owner, void *data,
                             struct cr_transport **ret, struct cr_err *err)
{
    struct fuzz_server_peer *c;

    (void)loop;
    insist(endpoint->key[0] && !fuzz_server.is_busy);
    if (fuzz_server.no_start) {
        fuzz_server.no_start = false;
        return cr_err_set(err, CAPRUN_E_SYS, "the fuzzer does not want it");
    }
    c = calloc(1, sizeof(*c));
    insist(c);
    c->transport.ops = &fuzz_server_peer_ops;
    c->owner = owner;
    c->data = data;
    cr_reader_init(&c->reader, FUZZ_SERVER_LINE_MAX);
    fuzz_server.asked_count = 0;
    *ret = &c->transport;
    return 0;
}

static void fuzz_server_forget_endpoint(struct cr_endpoint *endpoint)
{
    endpoint->key = NULL; /* the endpoint is not used any more */
}

/* --- the caller ------------------------------------------------------------------------------- */

static struct fuzz_server_call *fuzz_server_of(struct cr_server_call *at)
{
    struct fuzz_server_call *call = cr_container(at, struct fuzz_server_call, at);

    insist(call->waits && !fuzz_server.is_busy);
    return call;
}

static void fuzz_server_end_call(struct fuzz_server_call *call)
{
    free(call->at.block);
    call->at.block = NULL;
    call->waits = false;
}

static const char *fuzz_server_admit(struct cr_server_call *at, const struct cr_tools *tools)
{
    struct fuzz_server_call *call = fuzz_server_of(at);

    insist(call->was_sent == at->is_again && (tools->count == 0 || tools->list[0].name));
    insist(at->block);
    if (!call->is_refused)
        return tools->count ? tools->list[tools->count - 1].name : "a \"tool\"\n";
    fuzz_server_end_call(call);
    return NULL;
}

static void fuzz_server_queued(struct cr_server_call *at)
{
    struct fuzz_server_call *call = fuzz_server_of(at);

    insist(!call->was_queued && (!call->was_sent || at->is_again));
    call->was_queued = true;
}

static void fuzz_server_sent(struct cr_server_call *at)
{
    struct fuzz_server_call *call = fuzz_server_of(at);

    insist(call->was_sent == at->is_again);
    call->was_sent = true;
    free(at->block); /* not needed any more */
    at->block = NULL;
}

static void fuzz_server_progress(struct cr_server_call *at, const char *json, size_t len)
{
    insist(fuzz_server_of(at)->was_sent);
    insist(cr_scan_json((const uint8_t *)json, len, CR_SCAN_PASS, NULL) == 0);
}

static void fuzz_server_result(struct cr_server_call *at, const char *json, size_t len,
                               uint8_t **block)
{
    struct fuzz_server_call *call = fuzz_server_of(at);

    insist(call->was_sent && cr_scan_json((const uint8_t *)json, len, CR_SCAN_PASS, NULL) == 0);
    if (block && len % 2) { /* every second call takes the block, as a worker's queue does */
        insist(json >= (const char *)*block);
        free(*block);
        *block = NULL;
    }
    fuzz_server_end_call(call);
}

static void fuzz_server_failed(struct cr_server_call *at, const struct cr_err *why)
{
    struct fuzz_server_call *call = fuzz_server_of(at);

    insist(why->text[0] && memchr(why->text, '\0', sizeof(why->text)) &&
           memchr(why->hint, '\0', sizeof(why->hint)));
    fuzz_server_end_call(call);
}

static const struct cr_server_call_ops fuzz_server_ops = {fuzz_server_admit,  fuzz_server_queued,
                                                          fuzz_server_sent,   fuzz_server_progress,
                                                          fuzz_server_result, fuzz_server_failed};

static void fuzz_server_done(struct cr_server_waiter *waiter, struct cr_server *server,
                             const struct cr_err *why)
{
    insist(fuzz_server.waits && waiter == &fuzz_server.waiter && server == fuzz_server.server);
    insist(!fuzz_server.is_busy && (!why || why->text[0]));
    fuzz_server.waits = false;
}

static void fuzz_server_listed(void *data, struct cr_server *server)
{
    insist(data == &fuzz_server && server == fuzz_server.server && !fuzz_server.is_busy);
}

/* --- events ----------------------------------------------------------------------------------- */

/* Delivers |text| as child.c does, from a copy of exact size. */
static void fuzz_server_write(struct fuzz_server_peer *c, const void *text, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    const uint8_t *bytes = copy;
    struct cr_message m;

    insist(copy);
    if (len)
        memcpy(copy, text, len);
    while (cr_reader_next(&c->reader, &bytes, &len, &m))
        if (m.kind != CR_MESSAGE_NOISE)
            c->owner->message(c->data, &m);
    free(copy);
}

static const char *const fuzz_server_answers[] = {
    "\"result\":{}",
    "\"result\":{\"supportedVersions\":[\"2026-07-28\"]}",
    "\"result\":{\"supportedVersions\":[\"2025-06-18\"]}",
    "\"result\":{\"protocolVersion\":\"2025-11-25\",\"serverInfo\":{\"name\":\"x\"}}",
    "\"result\":{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
    "\"result\":{\"tools\":[],\"nextCursor\":\"x\"}",
    "\"result\":{\"content\":[],\"resultType\":\"complete\"}",
    "\"result\":{\"resultType\":\"input_required\"}",
    "\"error\":{\"code\":-32601,\"message\":\"no\"}",
    "\"error\":{\"code\":-32022,\"data\":{\"supported\":[\"x\",\"y\"]}}",
    "\"error\":{}",
};

/* What an honest server answers to a method with this first letter. */
static const char *fuzz_server_honest(char method)
{
    return fuzz_server_answers[method == 's' ? 1 : method == 'i' ? 3 : method == 'l' ? 4 : 6];
}

static void fuzz_server_answer(struct fuzz_server_peer *c, uint8_t which, uint8_t how)
{
    size_t count = sizeof(fuzz_server_answers) / sizeof(fuzz_server_answers[0]);
    char line[256];
    int len;

    if (!fuzz_server.asked_count)
        return;
    which = (uint8_t)(which % fuzz_server.asked_count);
    len = snprintf(line, sizeof(line), "\n{\"id\":%llu,%s}\n",
                   (unsigned long long)fuzz_server.asked[which].id,
                   how < count ? fuzz_server_answers[how]
                               : fuzz_server_honest(fuzz_server.asked[which].method));
    fuzz_server_write(c, line, (size_t)len);
}

static void fuzz_server_lose(struct fuzz_server_peer *c, uint8_t which, uint8_t how)
{
    struct cr_transport_loss loss = {.may_have_effect = how & 1,
                                     .may_be_era = how & 2,
                                     .has_expired = how & 4,
                                     .words = "has lost it",
                                     .hint = how & 8 ? "who knows" : ""};

    if (!fuzz_server.asked_count)
        return;
    which = (uint8_t)(which % fuzz_server.asked_count);
    loss.id = fuzz_server.asked[which].id;
    loss.block = fuzz_server.asked[which].block ? &fuzz_server.asked[which].block : NULL;
    c->has_expired = c->has_expired || loss.has_expired;
    c->is_ending = c->is_ending || loss.has_expired;
    c->owner->lost(c->data, &loss);
}

static void fuzz_server_end(struct fuzz_server_peer *c, bool is_missing)
{
    c->has_ended = c->is_ending = true;
    c->is_missing = is_missing;
    c->waiting = 0;
    c->owner->ended(c->data);
}

static void fuzz_server_call(uint8_t which)
{
    struct fuzz_server_call *call = &fuzz_server.calls[which % FUZZ_SERVER_CALLS];

    if (call->waits)
        return;
    *call = (struct fuzz_server_call){.at = {.ops = &fuzz_server_ops, .len = 2}, .waits = true};
    call->at.block = (uint8_t *)strdup("{}");
    insist(call->at.block);
    call->at.args = (const char *)call->at.block;
    call->is_refused = which >= 128;
    if (cr_server_call(fuzz_server.server, &call->at, NULL) < 0)
        fuzz_server_end_call(call);
}

static void fuzz_server_cancel(uint8_t which)
{
    struct fuzz_server_call *call = &fuzz_server.calls[which % FUZZ_SERVER_CALLS];

    if (!call->waits)
        return;
    cr_server_cancel(fuzz_server.server, &call->at, "the \"fuzzer\"");
    fuzz_server_end_call(call);
}

static void fuzz_server_list(void)
{
    if (fuzz_server.waits)
        return;
    fuzz_server.waits = true;
    fuzz_server.waiter = (struct cr_server_waiter){.done = fuzz_server_done};
    cr_server_list(fuzz_server.server, &fuzz_server.waiter);
}

static void fuzz_server_be_late(struct cr_server *s)
{
    if (s->timer.when_us < 0)
        return;
    if (s->state == CR_SERVER_OFF)
        s->retry_us = 0;
    cr_loop_unset(&fuzz_server.loop, &s->timer);
    s->timer.due(&s->timer);
}

/* Events of the server. */
static void fuzz_server_its_turn(struct fuzz_server_peer *c, enum happening what, struct input *in)
{
    struct input text;
    uint8_t which;

    if (what == SERVER_WRITES) {
        text = input_text(in);
        fuzz_server_write(c, text.at, text.len);
    } else if (what == SERVER_ANSWERS) {
        which = input_byte(in);
        fuzz_server_answer(c, which, input_byte(in));
    } else if (what == SERVER_ENDS) {
        fuzz_server_end(c, input_byte(in) == 1);
    } else if (what == SERVER_READS) {
        c->is_deaf = false;
        c->waiting = 0;
        c->owner->room(c->data);
    } else if (what == REQUEST_IS_LOST) {
        which = input_byte(in);
        fuzz_server_lose(c, which, input_byte(in));
    } else if (what == SERVER_STOPS_READING) {
        c->is_deaf = true;
    } else {
        c->is_ending = true;
    }
}

/* Events of the caller, and of time. */
static void fuzz_server_our_turn(struct cr_server *s, enum happening what, struct input *in)
{
    fuzz_server.is_busy = what >= CALL_IS_MADE && what <= SERVER_IS_STOPPED && what != TIMER_IS_DUE;
    if (what == CALL_IS_MADE)
        fuzz_server_call(input_byte(in));
    else if (what == CALL_IS_CANCELLED)
        fuzz_server_cancel(input_byte(in));
    else if (what == LIST_IS_WANTED)
        fuzz_server_list();
    else if (what == TIMER_IS_DUE)
        fuzz_server_be_late(s);
    else if (what == SERVER_IS_STOPPED)
        cr_server_stop(s);
    else if (what == TIME_PASSES)
        s->list_until_us = s->listed_us = s->retry_us = 0;
    else if (what == START_FAILS)
        fuzz_server.no_start = true;
    else
        cr_loop_step(&fuzz_server.loop, 0);
    fuzz_server.is_busy = false;
}

static void fuzz_server_look(const struct cr_server *s)
{
    uint32_t waiting = 0, sent = 0;

    for (int i = 0; i < FUZZ_SERVER_CALLS; i++) {
        waiting += fuzz_server.calls[i].waits && fuzz_server.calls[i].at.queue == s->waiting;
        sent += fuzz_server.calls[i].waits && fuzz_server.calls[i].at.queue == s->sent;
    }
    insist(s->waiting->count == waiting && s->sent->count == sent);
    insist(s->waiting->bytes == 2 * waiting && fuzz_server.all.in_flight == sent);
    insist(sent <= s->at_once && sent <= fuzz_server.all.most);
    insist(!s->waiters == !fuzz_server.waits);
    insist((s->state == CR_SERVER_OFF) == !s->transport);
}

static void fuzz_server_play(struct input in)
{
    struct cr_server *s = fuzz_server.server;

    fuzz_server_call(0);
    fuzz_server_call(1);
    fuzz_server_list();
    while (in.len) {
        enum happening what = input_byte(&in) % HAPPENINGS;

        if (what >= CALL_IS_MADE && what != REQUEST_IS_LOST)
            fuzz_server_our_turn(s, what, &in);
        else if (s->transport)
            fuzz_server_its_turn(fuzz_server_peer_of(s->transport), what, &in);
        fuzz_server_look(s);
    }
    if (s->transport)
        fuzz_server_end(fuzz_server_peer_of(s->transport), false);
    cr_server_stop(s);
    for (int i = 0; i < 4; i++)
        cr_loop_step(&fuzz_server.loop, 0);
    fuzz_server_look(s);
    for (int i = 0; i < FUZZ_SERVER_CALLS; i++)
        insist(!fuzz_server.calls[i].waits);
    insist(!fuzz_server.waits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct cr_server_owner owner = {fuzz_server_listed};
    const char *const key[] = {"x", NULL};
    struct cr_endpoint endpoint = {
        .key = key, .start = fuzz_server_start, .free = fuzz_server_forget_endpoint};
    struct cr_server_spec spec = {
        .name = "x", .endpoint = &endpoint, .at_once = 3, .eras_dir = NULL};
    struct input in = {data, size};

    if (!fuzz_server.has_loop)
        insist(cr_loop_init(&fuzz_server.loop, NULL) == 0);
    fuzz_server.has_loop = true;
    fuzz_server.loop.helper.is_threadless = true;
    fuzz_server.all = (struct cr_servers){.loop = &fuzz_server.loop, .most = 4};
    fuzz_server.waits = fuzz_server.no_start = false;
    memset(fuzz_server.calls, 0, sizeof(fuzz_server.calls));
    spec.era = input_byte(&in) % 3;
    insist(cr_server_new(&fuzz_server.all, &spec, &owner, &fuzz_server, &fuzz_server.server,
                         NULL) == 0);
    fuzz_server_play(in);
    cr_server_free(fuzz_server.server);
    insist(!fuzz_server.all.first && !endpoint.key);
    return 0;
}
