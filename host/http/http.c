/*
 * http.c - runs each request as a process: starts it, reads its messages, and kills it.
 *
 *     WAITING --a process may be started--> RUNNING --answer, exit or timeout--> ENDING
 *
 * When a request is ENDING, its owner is message; the request is freed when its process is reaped.
 */
#include "http/http.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "http/fetch_wire.h"
#include "http/head.h"
#include "http/spawn.h"
#include "http/url.h"

#define SPARE_US 500000        /* time for caprun-fetch to report its own limits first */
#define READ_MOST (256u << 10) /* bytes in a turn */
#define LOOK_AGAIN_US 1000     /* until the next waitpid(), without a pidfd */
#define PROGRESS_US 50000      /* caprun-fetch reports ten times a second, unless it is hostile */

enum state { WAITING, RUNNING, ENDING };

struct cr_http_request {
    struct cr_http *http;
    struct cr_http_ask ask; /* its texts are in |texts| */
    char *texts;
    enum state state;
    struct cr_http_request *next, **at; /* in the list |waiting| or |started| */

    pid_t pid;              /* 0: reaped, or not started */
    struct cr_watch socket; /* to the process */
    struct cr_watch ended;  /* the pidfd of the process */
    struct cr_timer limit;  /* the timeout; when ENDING without a pidfd, the next waitpid() */
    struct cr_task news;    /* tells the owner about the end, in a step */
    struct cr_buf in;       /* bytes from the process that were not handled yet */
    int64_t reported_us;    /* when its progress was reported last */

    struct cr_http_answer answer;
    bool is_answered;
    struct cr_err why; /* if |is_answered| is false */
};

static void start_waiting(struct cr_http *http);

/* --- lists ------------------------------------------------------------------------------------ */

static void add_to(struct cr_http_list *list, struct cr_http_request *r)
{
    r->next = NULL;
    r->at = list->last;
    *list->last = r;
    list->last = &r->next;
}

static void take_out(struct cr_http_list *list, struct cr_http_request *r)
{
    *r->at = r->next;
    if (r->next)
        r->next->at = r->at;
    else
        list->last = r->at;
}

static struct cr_http_list *list_of(const struct cr_http_request *r)
{
    return r->state == WAITING ? &r->http->waiting : &r->http->started;
}

static void set_state(struct cr_http_request *r, enum state state)
{
    take_out(list_of(r), r);
    r->state = state;
    add_to(list_of(r), r);
}

/* --- the end ---------------------------------------------------------------------------------- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void close_watch(struct cr_http_request *r, struct cr_watch *watch)
{
    cr_loop_remove(r->http->loop, watch);
    close_fd(&watch->fd);
}

static void free_request(struct cr_http_request *r)
{
    struct cr_http *http = r->http;

    take_out(list_of(r), r);
    close_watch(r, &r->socket);
    close_watch(r, &r->ended);
    cr_loop_unset(http->loop, &r->limit);
    cr_loop_forget(http->loop, &r->news);
    cr_buf_clear(&r->in);
    if (r->is_answered)
        cr_buf_clear(&r->answer.body);
    free(r->texts);
    free(r);
}

/* Reaps the process if it has ended. Returns true if there is no process any longer. */
static bool reap_process(struct cr_http_request *r)
{
    pid_t pid = r->pid ? waitpid(r->pid, NULL, WNOHANG) : r->pid;

    if (r->pid && pid != r->pid && !(pid < 0 && errno == ECHILD))
        return false;
    if (r->pid)
        r->http->running--;
    r->pid = 0;
    return true;
}

/* The process was killed: frees the request, now or when the process has ended. */
static void free_when_reaped(struct cr_http_request *r)
{
    struct cr_http *http = r->http;

    if (reap_process(r)) {
        free_request(r);
        start_waiting(http);
    } else if (r->ended.fd < 0) {
        cr_loop_set(http->loop, &r->limit, cr_loop_now() + LOOK_AGAIN_US);
    }
}

static void process_ended(struct cr_watch *watch, uint32_t events)
{
    struct cr_http_request *r = cr_container(watch, struct cr_http_request, ended);

    (void)events;
    if (r->state == ENDING && !r->news.waits)
        free_when_reaped(r);
    else
        cr_loop_change(r->http->loop, watch, 0); /* its messages are read first */
}

/* Tells the owner, once. The request itself stays until its process is reaped. */
static void report_end(struct cr_task *task)
{
    struct cr_http_request *r = cr_container(task, struct cr_http_request, news);
    struct cr_http_ask ask = r->ask;
    struct cr_http_answer answer = r->answer;
    struct cr_err why = r->why;
    bool is_answered = r->is_answered;

    r->is_answered = false; /* the owner has the body now */
    cr_loop_change(r->http->loop, &r->ended, EPOLLIN);
    free_when_reaped(r);
    ask.done(ask.data, is_answered ? &answer : NULL, &why);
}

static void end_process(struct cr_http_request *r)
{
    set_state(r, ENDING);
    cr_loop_unset(r->http->loop, &r->limit);
    close_watch(r, &r->socket);
    if (r->ended.fd >= 0)
        (void)syscall(SYS_pidfd_send_signal, r->ended.fd, SIGKILL, NULL, 0);
    else if (r->pid)
        (void)kill(r->pid, SIGKILL);
}

static void finish(struct cr_http_request *r)
{
    end_process(r);
    cr_loop_defer(r->http->loop, &r->news);
}

static void fail_request(struct cr_http_request *r, const char *words)
{
    (void)cr_err_end(&r->why, CAPRUN_OUTCOME_INTERNAL, NULL, "\"%s\" cannot be fetched: %s",
                     r->ask.url, words);
    finish(r);
}

static void time_is_over(struct cr_timer *timer)
{
    struct cr_http_request *r = cr_container(timer, struct cr_http_request, limit);
    char limit[32];

    if (r->state == ENDING) {
        free_when_reaped(r);
        return;
    }
    cr_units_show_duration(r->http->limits.total_ms, limit);
    if (r->state == WAITING)
        (void)cr_err_end(&r->why, CAPRUN_OUTCOME_REGISTRY_UNREACHABLE,
                         "other servers are too slow, or too much is fetched at once; try later",
                         "\"%s\" was not fetched: %d other requests took more than %s", r->ask.url,
                         CR_HTTP_AT_ONCE, limit);
    else
        (void)cr_err_end(&r->why, CAPRUN_OUTCOME_REGISTRY_UNREACHABLE,
                         "the server is too slow, or the network is; try again later",
                         "cannot reach \"%s\": not finished after %s", r->ask.url, limit);
    finish(r);
}

/* --- messages of the program ------------------------------------------------------------------ */

static void report_progress(struct cr_http_request *r, const struct fetch_message *message,
                            const char *text)
{
    char url[CR_URL_MAX + 1];
    int64_t now = cr_loop_now();

    if (now < r->reported_us + PROGRESS_US)
        return;
    r->reported_us = now;
    (void)snprintf(url, sizeof(url), "%.*s", (int)message->text_len, text);
    r->ask.progress(r->ask.data, url, message->got, message->total);
}

static void take_answer(struct cr_http_request *r, const struct fetch_message *message,
                        const char *extra, const char *body)
{
    struct cr_http_answer *a = &r->answer;

    *a = (struct cr_http_answer){.status = (long)message->status,
                                 .max_age_s = message->max_age_s,
                                 .no_store = message->no_store};
    (void)snprintf(a->etag, sizeof(a->etag), "%.*s", (int)message->extra_len, extra);
    cr_buf_init(&a->body, r->ask.max + 1);
    cr_buf_add(&a->body, body, (size_t)message->body_len);
    r->is_answered = !cr_buf_err(&a->body);
    if (!r->is_answered) {
        cr_buf_clear(&a->body);
        (void)cr_err_memory(&r->why);
    }
    finish(r);
}

static void take_failure(struct cr_http_request *r, const struct fetch_message *message,
                         const char *text, const char *extra)
{
    (void)cr_err_end(&r->why, (enum caprun_outcome)message->outcome, NULL, "%.*s",
                     (int)message->text_len, text);
    (void)cr_err_hint(&r->why, "%.*s", (int)message->extra_len, extra);
    finish(r);
}

/* An attack on libcurl may have taken over caprun-fetch: all that it sends is checked. */
static bool is_valid(const struct cr_http_request *r, const struct fetch_message *message)
{
    if (message->text_len >= sizeof(r->why.text) || message->extra_len >= sizeof(r->why.hint) ||
        message->body_len > r->ask.max)
        return false;
    switch (message->what) {
    case FETCH_PROGRESS:
        return r->ask.progress && message->text_len <= CR_URL_MAX && !message->body_len;
    case FETCH_ANSWER:
        return message->extra_len < sizeof(r->answer.etag) && message->max_age_s >= -1 &&
               message->max_age_s <= CR_HTTP_HEAD_FRESH_MAX &&
               (message->status == 200 || message->status == 304 || message->status == 404 ||
                message->status == 410) &&
               (message->status == 200 || !message->body_len);
    case FETCH_FAILURE:
        return !message->body_len && (message->outcome == CAPRUN_OUTCOME_REGISTRY_UNREACHABLE ||
                                      message->outcome == CAPRUN_OUTCOME_METADATA_INVALID ||
                                      message->outcome == CAPRUN_OUTCOME_INTERNAL);
    default:
        return false;
    }
}

/*
 * Handles the message at |*at| and moves |*at| behind it. Returns false if no message is complete,
 * or the request has ended.
 */
static bool take_message(struct cr_http_request *r, size_t *at)
{
    struct fetch_message message;
    const char *text;
    size_t len;

    if (r->in.len - *at < sizeof(message))
        return false;
    memcpy(&message, r->in.data + *at, sizeof(message));
    if (!is_valid(r, &message)) {
        fail_request(r, "caprun-fetch has sent an invalid message");
        return false;
    }
    len = sizeof(message) + message.text_len + message.extra_len + (size_t)message.body_len;
    if (r->in.len - *at < len)
        return false;
    text = (const char *)r->in.data + *at + sizeof(message);
    *at += len;
    if (message.what == FETCH_ANSWER)
        take_answer(r, &message, text + message.text_len,
                    text + message.text_len + message.extra_len);
    else if (message.what == FETCH_FAILURE)
        take_failure(r, &message, text, text + message.text_len);
    if (message.what != FETCH_PROGRESS)
        return false;
    report_progress(r, &message, text); /* this may cancel the request */
    return r->state == RUNNING;
}

static void socket_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_http_request *r = cr_container(watch, struct cr_http_request, socket);
    uint8_t *to = cr_buf_room(&r->in, READ_MOST);
    ssize_t n = to ? recv(watch->fd, to, READ_MOST, MSG_DONTWAIT) : 0;
    size_t at = 0;

    (void)events;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0) {
        r->in.len += (size_t)n;
        while (take_message(r, &at))
            ;
        if (r->state == RUNNING)
            cr_buf_drop(&r->in, at);
    } else {
        fail_request(r, to ? "caprun-fetch has ended without an answer" : "no memory");
    }
}

/* --- the beginning ---------------------------------------------------------------------------- */

/* Moves |fd| above 0 and 1: a copy of one descriptor to these must not replace the other. */
static int move_above_theirs(int fd)
{
    int above = fd > FETCH_ALIVE ? fd : fcntl(fd, F_DUPFD_CLOEXEC, FETCH_ALIVE + 1);

    if (above != fd)
        (void)close(fd);
    return above;
}

static int open_socket(int *ret_ours, int *ret_theirs)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    *ret_ours = pair[0];
    *ret_theirs = move_above_theirs(pair[1]);
    return *ret_theirs < 0 ? -1 : 0;
}

/* All programs share one pipe. */
static int open_alive(struct cr_http *http)
{
    int pair[2];

    if (http->alive >= 0)
        return 0;
    if (pipe2(pair, O_CLOEXEC) < 0)
        return -1;
    http->alive = pair[1];
    http->their_alive = move_above_theirs(pair[0]);
    if (http->their_alive >= 0)
        return 0;
    close_fd(&http->alive);
    return -1;
}

/* The message fits into the empty socket: the length of the URL was checked. */
static bool send_ask(const struct cr_http_request *r, int socket)
{
    const struct cr_http_ask *a = &r->ask;
    struct fetch_ask head = {.limits = r->http->limits,
                             .max = a->max,
                             .url_len = (uint32_t)strlen(a->url),
                             .accept_len = (uint32_t)strlen(a->accept),
                             .etag_len = a->etag ? (uint32_t)strlen(a->etag) : 0,
                             .wants_progress = a->progress != NULL};
    size_t len = sizeof(head) + head.url_len + head.accept_len + head.etag_len;
    cr_autobuf struct cr_buf out = CR_BUF(len);

    if (a->tries)
        head.limits.tries = a->tries;
    cr_buf_add(&out, &head, sizeof(head));
    cr_buf_add(&out, a->url, head.url_len);
    cr_buf_add(&out, a->accept, head.accept_len);
    cr_buf_add(&out, a->etag, head.etag_len);
    return !cr_buf_err(&out) &&
           send(socket, out.data, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len;
}

static int start_process(struct cr_http_request *r, struct cr_err *err)
{
    cr_autoclose int socket = -1, their_socket = -1;
    struct cr_http *http = r->http;
    int code;

    if (open_alive(http) < 0 || open_socket(&socket, &their_socket) < 0)
        return cr_err_sys(err, "make a socket");
    if (!send_ask(r, socket))
        return cr_err_memory(err);
    code = cr_http_spawn(http->program, their_socket, http->their_alive, &r->pid);
    if (code != 0) {
        r->pid = 0;
        errno = code;
        return cr_err_sys(err, "start '%s'", http->program);
    }
    http->running++;
    r->socket.fd = cr_steal_fd(&socket);
    r->ended.fd = (int)syscall(SYS_pidfd_open, r->pid, 0);
    if (r->ended.fd >= 0 && cr_loop_add(http->loop, &r->ended, EPOLLIN, err) < 0)
        close_fd(&r->ended.fd);
    return cr_loop_add(http->loop, &r->socket, EPOLLIN, err);
}

static void set_limit(struct cr_http_request *r)
{
    cr_loop_set(r->http->loop, &r->limit,
                cr_loop_now() + (int64_t)r->http->limits.total_ms * 1000 + SPARE_US);
}

/* Without free descriptors or processes, the request waits until another request has ended. */
static void start_one(struct cr_http_request *r)
{
    struct cr_err err;

    if (start_process(r, &err) == 0) {
        set_state(r, RUNNING);
        set_limit(r); /* it has waited for others */
    } else if (r->pid || !r->http->running ||
               (errno != EMFILE && errno != ENFILE && errno != EAGAIN))
        fail_request(r, err.text);
}

/*
 * Starts waiting requests, the oldest first, up to CR_HTTP_AT_ONCE. If one cannot be started, its
 * own end, in a later turn, starts the next one.
 */
static void start_waiting(struct cr_http *http)
{
    while (http->waiting.first && http->running < CR_HTTP_AT_ONCE) {
        struct cr_http_request *r = http->waiting.first;

        start_one(r);
        if (r->state != RUNNING)
            return;
    }
}

/* --- the client ------------------------------------------------------------------------------- */

void cr_http_init(struct cr_http *http, struct cr_loop *loop)
{
    *http = (struct cr_http){.limits = {.connect_ms = 5000,
                                        .stall_ms = 10000,
                                        .total_ms = 30000,
                                        .pause_ms = 250,
                                        .tries = 3},
                             .loop = loop,
                             .alive = -1,
                             .their_alive = -1};
    http->waiting.last = &http->waiting.first;
    http->started.last = &http->started.first;
}

void cr_http_clear(struct cr_http *http)
{
    struct cr_http_request *r, *next;

    for (r = http->loop ? http->waiting.first : NULL; r; r = next) {
        next = r->next;
        set_state(r, ENDING);
    }
    for (r = http->loop ? http->started.first : NULL; r; r = next) {
        next = r->next;
        end_process(r);
        while (r->pid && waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        free_request(r);
    }
    http->running = 0;
    if (http->loop) {
        close_fd(&http->alive);
        close_fd(&http->their_alive);
    }
}

/* Copies the texts of |r->ask| into one block. */
static bool copy_texts(struct cr_http_request *r)
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

static void begin_request(struct cr_http_request *r)
{
    if (!cr_url_is_http(r->ask.url)) {
        (void)cr_url_refuse(r->ask.url, &r->why);
        finish(r);
    } else if (r->http->running < CR_HTTP_AT_ONCE) {
        start_one(r);
    }
    if (r->state == WAITING)
        set_limit(r);
}

struct cr_http_request *cr_http_start(struct cr_http *http, const struct cr_http_ask *ask)
{
    struct cr_http_request *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->http = http;
    r->ask = *ask;
    if (!copy_texts(r)) {
        free(r);
        return NULL;
    }
    r->socket = (struct cr_watch){.fd = -1, .ready = socket_ready, .name = "http"};
    r->ended = (struct cr_watch){.fd = -1, .ready = process_ended, .name = "http"};
    r->limit = (struct cr_timer){.when_us = -1, .due = time_is_over, .name = "http"};
    r->news = (struct cr_task){.run = report_end, .name = "http"};
    cr_buf_init(&r->in, sizeof(struct fetch_message) + sizeof(r->why) + ask->max + READ_MOST);
    add_to(&http->waiting, r);
    begin_request(r);
    return r;
}

void cr_http_cancel(struct cr_http_request *r, struct cr_err *why)
{
    struct cr_http *http = r->http;
    bool could_not_start = r->state == ENDING; /* its end would have started the next request */

    if (why)
        (void)cr_err_end(why, CAPRUN_OUTCOME_CANCELLED, NULL, "stopped while \"%s\" was fetched",
                         r->ask.url);
    cr_loop_forget(http->loop, &r->news);
    end_process(r);
    if (!r->pid) {
        free_request(r);
        if (could_not_start)
            start_waiting(http);
    } else if (r->ended.fd >= 0) {
        cr_loop_change(http->loop, &r->ended, EPOLLIN);
    } else {
        cr_loop_set(http->loop, &r->limit, cr_loop_now() + LOOK_AGAIN_US);
    }
}
