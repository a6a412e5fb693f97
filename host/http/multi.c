/* multi.c - what libcurl wants watched, and what it is told. */
#include "http/multi.h"

#include <stddef.h>
#include <stdlib.h>

/* Further transfers wait for a connection, and their time runs. */
#define MOST_OF_HOST 16L
#define MOST_CONNECTIONS 128L

struct http_socket {
    struct cr_watch watch;
    struct cr_http_multi *multi;
};

/* --- libcurl has something to tell -------------------------------------------------------- */

static void unlink_easy(struct cr_http_easy *easy)
{
    *easy->at = easy->next;
    if (easy->next)
        easy->next->at = easy->at;
    easy->at = NULL;
}

static struct cr_http_easy *find_easy(const struct cr_http_multi *multi, CURL *handle)
{
    char *easy = NULL;

    (void)multi->lib->easy_getinfo(handle, CURLINFO_PRIVATE, &easy);
    return (struct cr_http_easy *)(void *)easy;
}

/* Removing it makes libcurl forget its other messages. */
static void end_easy(struct cr_http_multi *multi, struct cr_http_easy *easy, CURLcode code)
{
    cr_http_multi_remove(multi, easy);
    easy->ended(easy, code);
}

/* Each may start and remove others, so libcurl is asked again after each. */
static void end_those_that_are_done(struct cr_http_multi *multi)
{
    int waiting;

    for (CURLMsg *m; (m = multi->lib->multi_info_read(multi->handle, &waiting));) {
        struct cr_http_easy *easy =
            m->msg == CURLMSG_DONE ? find_easy(multi, m->easy_handle) : NULL;

        if (easy)
            end_easy(multi, easy, m->data.result);
    }
}

static void close_handle(struct cr_http_multi *multi)
{
    if (multi->handle)
        (void)multi->lib->multi_cleanup(multi->handle);
    multi->handle = NULL;
    multi->has_failed = false;
    cr_loop_unset(multi->loop, &multi->timer);
}

static struct cr_http_easy *find_lost(struct cr_http_multi *multi)
{
    struct cr_http_easy *easy = multi->first;

    while (easy && !easy->is_lost)
        easy = easy->next;
    return easy;
}

/*
 * A transfer whose socket is not watched would wait for nothing; and of a libcurl that had no
 * memory, what it knows of sockets may be half made. So all transfers end, and the next begins with
 * a new handle.
 */
static void end_all(struct cr_http_multi *multi)
{
    for (struct cr_http_easy *easy = multi->first; easy; easy = easy->next) {
        (void)multi->lib->multi_remove_handle(multi->handle, easy->handle);
        easy->is_lost = true;
    }
    close_handle(multi);
    for (struct cr_http_easy *easy; (easy = find_lost(multi));)
        end_easy(multi, easy, CURLE_OUT_OF_MEMORY);
}

static void act(struct cr_http_multi *multi, curl_socket_t socket, int events)
{
    int running;
    CURLMcode code;

    cr_http_sockets_begin(multi->sockets, socket);
    code = multi->lib->multi_socket_action(multi->handle, socket, events, &running);
    cr_http_sockets_end(multi->sockets);
    if (code)
        multi->has_failed = true;
    if (multi->has_failed)
        end_all(multi);
    else
        end_those_that_are_done(multi);
}

/* --- the loop has something to tell ------------------------------------------------------- */

static void socket_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_http_multi *multi = cr_container(watch, struct http_socket, watch)->multi;
    int action = 0;

    if (events & EPOLLIN)
        action |= CURL_CSELECT_IN;
    if (events & EPOLLOUT)
        action |= CURL_CSELECT_OUT;
    if (events & (EPOLLERR | EPOLLHUP))
        action |= CURL_CSELECT_ERR;
    act(multi, watch->fd, action);
}

static void timer_due(struct cr_timer *timer)
{
    act(cr_container(timer, struct cr_http_multi, timer), CURL_SOCKET_TIMEOUT, 0);
}

/* --- libcurl wants something -------------------------------------------------------------- */

static struct http_socket *watch_socket(struct cr_http_multi *multi, curl_socket_t fd,
                                        uint32_t events)
{
    struct http_socket *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->watch = (struct cr_watch){.fd = fd, .ready = socket_ready, .name = "http"};
    s->multi = multi;
    if (cr_loop_add(multi->loop, &s->watch, events, NULL) == 0 &&
        !multi->lib->multi_assign(multi->handle, fd, s))
        return s;
    cr_loop_remove(multi->loop, &s->watch);
    free(s);
    return NULL;
}

/*
 * An error returned from here would make the multi useless for ever, so that the transfers are
 * ended instead.
 */
static int want_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *of_socket)
{
    struct cr_http_multi *multi = data;
    struct http_socket *s = of_socket;
    uint32_t events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) |
                      (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (s)
            cr_loop_remove(multi->loop, &s->watch);
        free(s);
    } else if (s) {
        cr_loop_change(multi->loop, &s->watch, events);
    } else if (!watch_socket(multi, fd, events)) {
        multi->has_failed = true;
    }
    return 0;
}

static int want_timer(CURLM *handle, long timeout_ms, void *data)
{
    struct cr_http_multi *multi = data;

    (void)handle;
    if (timeout_ms < 0)
        cr_loop_unset(multi->loop, &multi->timer);
    else
        cr_loop_set(multi->loop, &multi->timer, cr_loop_now() + timeout_ms * (int64_t)1000);
    return 0;
}

/* -------------------------------------------------------------------------------------------- */

static bool open_handle(struct cr_http_multi *multi)
{
    const struct cr_http_lib *lib = multi->lib;

    multi->handle = lib->multi_init();
    if (!multi->handle)
        return false;
    (void)lib->multi_setopt(multi->handle, CURLMOPT_SOCKETFUNCTION, want_socket);
    (void)lib->multi_setopt(multi->handle, CURLMOPT_SOCKETDATA, multi);
    (void)lib->multi_setopt(multi->handle, CURLMOPT_TIMERFUNCTION, want_timer);
    (void)lib->multi_setopt(multi->handle, CURLMOPT_TIMERDATA, multi);
    (void)lib->multi_setopt(multi->handle, CURLMOPT_MAX_HOST_CONNECTIONS, MOST_OF_HOST);
    (void)lib->multi_setopt(multi->handle, CURLMOPT_MAX_TOTAL_CONNECTIONS, MOST_CONNECTIONS);
    return true;
}

struct cr_http_multi *cr_http_multi_new(struct cr_loop *loop, const struct cr_http_lib *lib,
                                        struct cr_http_sockets *sockets)
{
    struct cr_http_multi *multi = calloc(1, sizeof(*multi));

    if (!multi)
        return NULL;
    multi->loop = loop;
    multi->lib = lib;
    multi->sockets = sockets;
    multi->timer = (struct cr_timer){.when_us = -1, .due = timer_due, .name = "http"};
    return multi;
}

void cr_http_multi_free(struct cr_http_multi *multi)
{
    if (multi)
        close_handle(multi);
    free(multi);
}

bool cr_http_multi_add(struct cr_http_multi *multi, struct cr_http_easy *easy)
{
    if (!multi->handle && !open_handle(multi))
        return false;
    if (multi->lib->easy_setopt(easy->handle, CURLOPT_PRIVATE, easy) ||
        multi->lib->multi_add_handle(multi->handle, easy->handle))
        return false;
    easy->is_lost = false;
    easy->next = multi->first;
    easy->at = &multi->first;
    if (easy->next)
        easy->next->at = &easy->next;
    multi->first = easy;
    return true;
}

void cr_http_multi_remove(struct cr_http_multi *multi, struct cr_http_easy *easy)
{
    if (!easy->at)
        return;
    unlink_easy(easy);
    if (!easy->is_lost)
        (void)multi->lib->multi_remove_handle(multi->handle, easy->handle);
}
