/*
 * http.c - the client in the loop of its owner, and the thread that works for it.
 *
 * The two share no state but messages: the owner orders a start or a cancel; the thread reports
 * progress, an end, and that it has forgotten a request. A request belongs to the owner. One that
 * was cancelled is freed when the thread has forgotten it, since messages may be on their way.
 */
#include "http/http.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mailbox.h"
#include "http/fetch.h"
#include "http/url.h"

#define LOOK_US 250000 /* how often the owner looks whether the thread is kept busy */
#define MOST_BUSY_US 1000000

enum what { START, CANCEL, PROGRESS, ENDED, FORGOTTEN };

struct message {
    struct cr_mail mail;
    enum what what;
    struct cr_http_request *request;
};

struct cr_http_thread {
    pthread_t id;
    struct cr_loop loop; /* the thread's, as is the next */
    struct cr_fetcher fetcher;
    struct cr_http_sockets sockets;
    struct cr_mailbox orders, reports;
    atomic_bool ends;
    struct cr_timer look; /* the owner's */
};

struct cr_http_request {
    struct cr_http *http;
    struct cr_http_ask ask; /* its texts are in |texts| */
    char *texts;
    bool is_cancelled;
    struct cr_http_request *next, **at; /* the owner's list */
    struct message start, cancel, progress, ended, forgotten;

    struct cr_fetch *fetch;   /* the thread's; NULL: not begun yet, or over */
    atomic_bool is_told;      /* |progress| is on its way, and what it tells does not change */
    char url[CR_URL_MAX + 1]; /* what it tells */
    uint64_t got, total;
    struct cr_http_answer
        answer; /* of an end; the thread fills them, and then the owner has them */
    bool is_answered;
    struct cr_err why;
};

/* --- in the thread ---------------------------------------------------------------------------- */

static void report(struct cr_http_request *r, struct message *message)
{
    cr_mailbox_send(&r->http->thread->reports, &message->mail);
}

static void fetch_goes_on(void *data, const char *url, uint64_t got, uint64_t total)
{
    struct cr_http_request *r = data;

    if (atomic_load(&r->is_told))
        return;
    (void)snprintf(r->url, sizeof(r->url), "%s", url);
    r->got = got;
    r->total = total;
    atomic_store(&r->is_told, true);
    report(r, &r->progress);
}

static void fetch_ended(void *data, struct cr_http_answer *answer, const struct cr_err *why)
{
    struct cr_http_request *r = data;

    r->fetch = NULL;
    r->is_answered = answer != NULL;
    if (answer)
        r->answer = *answer;
    r->why = *why;
    report(r, &r->ended);
}

static void start_fetch(struct cr_http_request *r)
{
    struct cr_http_ask ask = r->ask;
    struct cr_err why;

    ask.progress = r->ask.progress ? fetch_goes_on : NULL;
    ask.done = fetch_ended;
    ask.data = r;
    r->fetch = cr_fetch_start(&r->http->thread->fetcher, &ask);
    if (r->fetch)
        return;
    (void)cr_err_memory(&why);
    fetch_ended(r, NULL, &why);
}

static void stop_fetch(struct cr_http_request *r)
{
    if (r->fetch)
        cr_fetch_cancel(r->fetch);
    r->fetch = NULL;
    report(r, &r->forgotten);
}

static void take_order(void *data, struct cr_mail *mail)
{
    struct message *m = cr_container(mail, struct message, mail);

    (void)data;
    if (m->what == START)
        start_fetch(m->request);
    else
        stop_fetch(m->request);
}

static void *work(void *data)
{
    struct cr_http_thread *t = data;

    while (!atomic_load(&t->ends))
        cr_loop_step(&t->loop, -1);
    return NULL;
}

/* --- in the loop of the owner ----------------------------------------------------------------- */

static void free_request(struct cr_http_request *r)
{
    *r->at = r->next;
    if (r->next)
        r->next->at = r->at;
    free(r->texts);
    free(r);
}

/* The owner hears of it when the request is gone, so that it may end all else. */
static void end_request(struct cr_http_request *r)
{
    struct cr_http_ask ask = r->ask;
    struct cr_http_answer answer = r->answer;
    struct cr_err why = r->why;
    bool is_answered = r->is_answered;

    free_request(r);
    ask.done(ask.data, is_answered ? &answer : NULL, &why);
}

static void tell_progress(struct cr_http_request *r)
{
    char url[CR_URL_MAX + 1];
    uint64_t got = r->got, total = r->total;

    memcpy(url, r->url, sizeof(url));
    atomic_store(&r->is_told, false);
    r->ask.progress(r->ask.data, url, got, total);
}

static void take_report(void *data, struct cr_mail *mail)
{
    struct message *m = cr_container(mail, struct message, mail);
    struct cr_http_request *r = m->request;

    (void)data;
    if (m->what == FORGOTTEN) {
        if (r->is_answered)
            cr_buf_clear(&r->answer.body);
        free_request(r);
    } else if (r->is_cancelled) {
        return; /* it is forgotten soon */
    } else if (m->what == PROGRESS) {
        tell_progress(r);
    } else {
        end_request(r);
    }
}

/* A server that sends without end has libcurl for itself. */
static void look_at_thread(struct cr_timer *timer)
{
    struct cr_http_thread *t = cr_container(timer, struct cr_http_thread, look);
    struct cr_loop *loop = t->reports.loop;

    cr_http_sockets_shut(&t->sockets, MOST_BUSY_US);
    if (*(struct cr_http_request **)t->reports.data)
        cr_loop_set(loop, timer, cr_loop_now() + LOOK_US);
}

/* --- the thread begins and ends --------------------------------------------------------------- */

/* The new thread inherits the mask: a signal of the application must not be handled there. */
static bool start_thread(struct cr_http_thread *t)
{
    sigset_t all, before;
    bool ok;

    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    ok = pthread_create(&t->id, NULL, work, t) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

static void free_thread(struct cr_http_thread *t)
{
    cr_mailbox_clear(&t->orders);
    cr_mailbox_clear(&t->reports);
    cr_loop_clear(&t->loop);
    cr_http_sockets_clear(&t->sockets);
    free(t);
}

static struct cr_http_thread *new_thread(struct cr_http *http)
{
    struct cr_http_thread *t = calloc(1, sizeof(*t));

    if (!t)
        return NULL;
    cr_http_sockets_init(&t->sockets);
    t->look = (struct cr_timer){.when_us = -1, .due = look_at_thread, .name = "http"};
    if (cr_loop_init(&t->loop, NULL) < 0 ||
        cr_mailbox_init(&t->orders, &t->loop, take_order, NULL, NULL) < 0 ||
        cr_mailbox_init(&t->reports, http->loop, take_report, &http->requests, NULL) < 0) {
        free_thread(t);
        return NULL;
    }
    t->loop.is_beside = true;
    t->fetcher =
        (struct cr_fetcher){.limits = http->limits, .loop = &t->loop, .sockets = &t->sockets};
    if (start_thread(t))
        return t;
    free_thread(t);
    return NULL;
}

void cr_http_init(struct cr_http *http, struct cr_loop *loop)
{
    *http = (struct cr_http){.limits = {.connect_ms = 5000,
                                        .stall_ms = 10000,
                                        .total_ms = 30000,
                                        .pause_ms = 250,
                                        .tries = 3},
                             .loop = loop};
}

/* What was cancelled, and the thread has not forgotten yet. */
static void forget_requests(struct cr_http *http)
{
    while (http->requests) {
        struct cr_http_request *r = http->requests, *next = r->next;

        if (r->fetch)
            cr_fetch_cancel(r->fetch);
        if (r->is_answered)
            cr_buf_clear(&r->answer.body);
        free_request(r);
        http->requests = next; /* free_request() did this; the analyser cannot see it */
    }
}

void cr_http_clear(struct cr_http *http)
{
    struct cr_http_thread *t = http->thread;

    if (!t)
        return;
    cr_loop_unset(http->loop, &t->look);
    atomic_store(&t->ends, true);
    cr_http_sockets_shut(&t->sockets, 0);
    cr_loop_wake(&t->loop);
    (void)pthread_join(t->id, NULL);
    forget_requests(http);
    cr_fetcher_clear(&t->fetcher);
    free_thread(t);
    http->thread = NULL;
}

/* --- requests --------------------------------------------------------------------------------- */

/* Copies the texts of |r->ask| behind each other. */
static bool own_texts(struct cr_http_request *r)
{
    const char **all[] = {&r->ask.url, &r->ask.accept, &r->ask.etag};
    size_t len = 0;
    char *at;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        len += *all[i] ? strlen(*all[i]) + 1 : 0;
    r->texts = at = malloc(len + 1);
    for (size_t i = 0; at && i < sizeof(all) / sizeof(all[0]); i++) {
        if (!*all[i])
            continue;
        len = strlen(*all[i]) + 1;
        *all[i] = memcpy(at, *all[i], len);
        at += len;
    }
    return r->texts != NULL;
}

static void address(struct cr_http_request *r, struct message *m, enum what what)
{
    m->what = what;
    m->request = r;
}

struct cr_http_request *cr_http_start(struct cr_http *http, const struct cr_http_ask *ask)
{
    struct cr_http_request *r = calloc(1, sizeof(*r));

    if (!http->thread)
        http->thread = new_thread(http);
    if (!r || !http->thread) {
        free(r);
        return NULL;
    }
    r->http = http;
    r->ask = *ask;
    if (!own_texts(r)) {
        free(r);
        return NULL;
    }
    address(r, &r->start, START);
    address(r, &r->cancel, CANCEL);
    address(r, &r->progress, PROGRESS);
    address(r, &r->ended, ENDED);
    address(r, &r->forgotten, FORGOTTEN);
    r->next = http->requests;
    r->at = &http->requests;
    if (r->next)
        r->next->at = &r->next;
    http->requests = r;
    if (http->thread->look.when_us < 0)
        cr_loop_set(http->loop, &http->thread->look, cr_loop_now() + LOOK_US);
    cr_mailbox_send(&http->thread->orders, &r->start.mail);
    return r;
}

void cr_http_cancel(struct cr_http_request *r, struct cr_err *why)
{
    if (why)
        (void)cr_err_end(why, CAPRUN_OUTCOME_CANCELLED, NULL, "stopped while \"%s\" was fetched",
                         r->ask.url);
    r->is_cancelled = true;
    cr_mailbox_send(&r->http->thread->orders, &r->cancel.mail);
}
