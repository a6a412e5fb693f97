/*
 * multi.c - watches the sockets of libcurl, and sets its timer.
 *
 * libcurl says which sockets it waits for, and when it wants to be called at the latest. A socket
 * that it closes was taken out before.
 */
#include "http/multi.h"

#include <stdlib.h>
#include <sys/socket.h>

struct cr_http_socket {
    struct cr_watch watch;
    struct cr_http_multi *multi;
    struct cr_http_socket *next, **at;
};

/* --- events ----------------------------------------------------------------------------------- */

static void report_done(struct cr_http_multi *m)
{
    const CURLMsg *message;
    int left;

    while ((message = m->lib->multi_info_read(m->curl, &left))) {
        CURLcode code = message->data.result;
        void *transfer = NULL;

        if (message->msg == CURLMSG_DONE &&
            !m->lib->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer))
            m->done(transfer, code);
    }
}

static void act(struct cr_http_multi *m, curl_socket_t socket, int events)
{
    int running;

    (void)m->lib->multi_socket_action(m->curl, socket, events, &running);
    report_done(m);
}

static void socket_ready(struct cr_watch *watch, uint32_t events)
{
    const struct cr_http_socket *s = cr_container(watch, struct cr_http_socket, watch);
    int what = 0;

    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP))
        what |= CURL_CSELECT_IN;
    if (events & EPOLLOUT)
        what |= CURL_CSELECT_OUT;
    if (events & EPOLLERR)
        what |= CURL_CSELECT_ERR;
    act(s->multi, watch->fd, what); /* may free |s| */
}

static void timer_due(struct cr_timer *timer)
{
    act(cr_container(timer, struct cr_http_multi, timer), CURL_SOCKET_TIMEOUT, 0);
}

static void act_now(struct cr_task *task)
{
    act(cr_container(task, struct cr_http_multi, now), CURL_SOCKET_TIMEOUT, 0);
}

/* --- what libcurl asks for -------------------------------------------------------------------- */

static void forget_socket(struct cr_http_socket *s)
{
    cr_loop_remove(s->multi->loop, &s->watch);
    *s->at = s->next;
    if (s->next)
        s->next->at = s->at;
    free(s);
}

static struct cr_http_socket *new_socket(struct cr_http_multi *m, curl_socket_t fd, uint32_t events)
{
    struct cr_http_socket *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->watch = (struct cr_watch){.fd = fd, .ready = socket_ready, .name = "http"};
    s->multi = m;
    if (cr_loop_add(m->loop, &s->watch, events, NULL) < 0) {
        free(s);
        return NULL;
    }
    s->next = m->sockets;
    s->at = &m->sockets;
    if (s->next)
        s->next->at = &s->next;
    m->sockets = s;
    return s;
}

/* Returning -1 makes the transfers of libcurl fail. */
static int change_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *socket)
{
    struct cr_http_multi *m = data;
    struct cr_http_socket *s = socket;
    uint32_t events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) |
                      (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (s)
            forget_socket(s);
        return 0;
    }
    if (s) {
        cr_loop_change(m->loop, &s->watch, events);
        return 0;
    }
    s = new_socket(m, fd, events);
    if (!s)
        return -1;
    (void)m->lib->multi_assign(m->curl, fd, s);
    return 0;
}

/*
 * libcurl compares in microseconds, and says milliseconds: called one too early, it would say "now"
 * again and again.
 */
static int change_timer(CURLM *curl, long ms, void *data)
{
    struct cr_http_multi *m = data;

    (void)curl;
    cr_loop_forget(m->loop, &m->now);
    if (ms > 0)
        cr_loop_set(m->loop, &m->timer, cr_loop_now() + (int64_t)ms * 1000 + 1000);
    else
        cr_loop_unset(m->loop, &m->timer);
    if (ms == 0)
        cr_loop_defer(m->loop, &m->now); /* without a timer: each call of a tool gets here */
    return 0;
}

/* No program that the host starts may inherit a connection. */
static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)data;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                  address->protocol);
}

/* --- transfers -------------------------------------------------------------------------------- */

int cr_http_multi_init(struct cr_http_multi *m, const struct cr_http_lib *lib, struct cr_loop *loop,
                       void (*done)(void *transfer, CURLcode code), struct cr_err *err)
{
    *m = (struct cr_http_multi){.lib = lib, .loop = loop, .done = done};
    m->timer = (struct cr_timer){.when_us = -1, .due = timer_due, .name = "http"};
    m->now = (struct cr_task){.run = act_now, .name = "http"};
    m->curl = lib->multi_init();
    if (!m->curl)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for connections");
    (void)lib->multi_setopt(m->curl, CURLMOPT_SOCKETFUNCTION, change_socket);
    (void)lib->multi_setopt(m->curl, CURLMOPT_SOCKETDATA, m);
    (void)lib->multi_setopt(m->curl, CURLMOPT_TIMERFUNCTION, change_timer);
    (void)lib->multi_setopt(m->curl, CURLMOPT_TIMERDATA, m);
    (void)lib->multi_setopt(m->curl, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    return 0;
}

void cr_http_multi_clear(struct cr_http_multi *m)
{
    if (!m->curl)
        return;
    (void)m->lib->multi_cleanup(m->curl);
    m->curl = NULL;
    for (struct cr_http_socket *s = m->sockets, *next; s; s = next) {
        next = s->next;
        cr_loop_remove(m->loop, &s->watch);
        free(s);
    }
    m->sockets = NULL;
    cr_loop_unset(m->loop, &m->timer);
    cr_loop_forget(m->loop, &m->now);
}

bool cr_http_multi_prepare(struct cr_http_multi *m, CURL *easy)
{
    const struct cr_http_lib *lib = m->lib;

    (void)lib->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    (void)lib->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    return cr_http_lib_set_rules(lib, easy);
}

bool cr_http_multi_add(struct cr_http_multi *m, CURL *easy)
{
    return m->lib->multi_add_handle(m->curl, easy) == CURLM_OK;
}

void cr_http_multi_remove(struct cr_http_multi *m, CURL *easy)
{
    (void)m->lib->multi_remove_handle(m->curl, easy);
}
