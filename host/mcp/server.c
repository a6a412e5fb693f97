/* server.c - starts a server when it is needed, handles its failures, and restarts or stops it. */
#include "mcp/server.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/eras.h"
#include "mcp/server_parts.h"

#define SECOND_US 1000000
#define LIST_BYTE_US 16 /* pause for each byte of a list: 17 s for 1 MiB */
#define MOST_LIST_US (60 * (int64_t)SECOND_US)
#define MOST_FAILURES 3u
#define GIVEN_UP_US (60 * (int64_t)SECOND_US)
#define IDLE_US (300 * (int64_t)SECOND_US)
#define LINE_MAX_BYTES (20u << 20) /* the args of a call, and the message around them */
#define INFO_MAX_BYTES (64u << 10)

/* --- creating and freeing --------------------------------------------------------------------- */

static int copy_spec(struct cr_server *s, const struct cr_server_spec *spec, struct cr_err *err)
{
    s->forced = spec->era;
    s->at_once = spec->at_once;
    s->name = strdup(spec->name);
    s->eras_dir = spec->eras_dir ? strdup(spec->eras_dir) : NULL;
    s->waiting = calloc(1, sizeof(*s->waiting));
    s->sent = calloc(1, sizeof(*s->sent));
    if (s->waiting)
        s->waiting->sum = &s->all->waiting_bytes;
    if (s->name && s->endpoint && (s->eras_dir || !spec->eras_dir) && s->waiting && s->sent)
        return 0;
    return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the server '%s'", spec->name);
}

static void free_endpoint(struct cr_endpoint *endpoint)
{
    if (endpoint)
        endpoint->free(endpoint);
}

static void free_transport(struct cr_server *s)
{
    if (s->transport)
        s->transport->ops->free(s->transport);
    s->transport = NULL;
}

static void timer_due(struct cr_timer *timer);
static void pump(struct cr_task *task);
static void continue_work(struct cr_task *task);

int cr_server_new(struct cr_servers *all, const struct cr_server_spec *spec,
                  const struct cr_server_owner *owner, void *data, struct cr_server **ret,
                  struct cr_err *err)
{
    struct cr_server *s = calloc(1, sizeof(*s));
    int r;

    if (!s) {
        free_endpoint(spec->endpoint);
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the server '%s'", spec->name);
    }
    s->all = all;
    s->endpoint = spec->endpoint;
    s->owner = owner;
    s->data = data;
    s->timer = (struct cr_timer){.when_us = -1, .due = timer_due, .name = "server"};
    s->pump = (struct cr_task){.run = pump, .name = "server"};
    s->busy = (struct cr_task){.run = continue_work, .name = "server"};
    cr_tools_init(&s->tools);
    cr_tools_init(&s->fresh);
    cr_buf_init(&s->line, LINE_MAX_BYTES);
    cr_buf_init(&s->info, INFO_MAX_BYTES);
    s->next = all->first;
    all->first = s;
    r = copy_spec(s, spec, err);
    if (r < 0) {
        cr_server_free(s);
        return r;
    }
    if (s->forced == CR_ERA_UNKNOWN) /* here, because it reads a file: too slow for a turn */
        s->guess = s->remembered = cr_eras_recall(s->eras_dir, s->endpoint->key);
    *ret = s;
    return 0;
}

void cr_server_free(struct cr_server *s)
{
    struct cr_server **at;

    if (!s)
        return;
    for (at = &s->all->first; *at != s;)
        at = &(*at)->next;
    *at = s->next;
    cr_loop_unset(s->all->loop, &s->timer);
    cr_loop_forget(s->all->loop, &s->pump);
    cr_loop_forget_busy(s->all->loop, &s->busy);
    cr_server_abandon_page(s);
    free_transport(s);
    cr_server_free_queues(s);
    cr_tools_clear(&s->tools);
    cr_tools_clear(&s->fresh);
    cr_buf_clear(&s->line);
    cr_buf_clear(&s->info);
    free_endpoint(s->endpoint);
    free(s->name);
    free(s->eras_dir);
    free(s);
}

bool cr_server_is_off(const struct cr_server *s)
{
    return s->state == CR_SERVER_OFF;
}

const char *cr_server_name(const struct cr_server *s)
{
    return s->name;
}

const struct cr_tools *cr_server_tools(const struct cr_server *s)
{
    return &s->tools;
}

enum cr_era cr_server_era(const struct cr_server *s)
{
    return s->era;
}

const char *cr_server_version(const struct cr_server *s)
{
    return s->version;
}

const char *cr_server_info(const struct cr_server *s)
{
    return s->info.len ? (const char *)s->info.data : "";
}

/* --- failures --------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 2, 0)))
explain(struct cr_server *s, const char *fmt, va_list ap)
{
    struct cr_buf hint;
    size_t len;

    (void)cr_err_end(&s->why, CAPRUN_OUTCOME_RPC_ERROR, NULL, "The server \"%s\" ", s->name);
    len = strlen(s->why.text);
    (void)vsnprintf(s->why.text + len, sizeof(s->why.text) - len, fmt, ap);
    if (!s->transport)
        return;
    cr_buf_init(&hint, sizeof(s->why.hint));
    s->transport->ops->hint(s->transport, sizeof(s->why.hint) - 16, &hint);
    if (cr_buf_text(&hint))
        (void)snprintf(s->why.hint, sizeof(s->why.hint), "%s", cr_buf_text(&hint));
    cr_buf_clear(&hint);
}

static void __attribute__((format(printf, 2, 3)))
explain_words(struct cr_server *s, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    explain(s, fmt, ap);
    va_end(ap);
}

/* Counts a failure in a row: each makes the pause longer, and the fourth makes calls fail. */
static void count_failure(struct cr_server *s)
{
    int64_t now = cr_loop_now();

    s->failures++;
    s->retry_us = s->failures > MOST_FAILURES ? now + GIVEN_UP_US
                                              : now + ((int64_t)SECOND_US << (s->failures - 1));
    if (s->forced == CR_ERA_UNKNOWN && !s->knows_tools) {
        s->guess = s->remembered = CR_ERA_UNKNOWN; /* the guess may have been wrong */
        cr_eras_remember_later(s->all->loop, s->eras_dir, s->endpoint->key, CR_ERA_UNKNOWN);
    }
}

/* Unsent calls wait for the next start, unless this start failed before the tools were known. */
static void fail_server(struct cr_server *s)
{
    bool has_started = s->knows_tools;

    count_failure(s);
    cr_server_fail_queue(s, &s->sent, &s->why);
    if (!has_started || s->failures > MOST_FAILURES) {
        cr_server_fail_queue(s, &s->waiting, &s->why);
        cr_server_end_waiters(s, &s->why);
    }
}

void cr_server_break_off(struct cr_server *s, const char *fmt, ...)
{
    va_list ap;

    if (s->state == CR_SERVER_ENDING || s->state == CR_SERVER_OFF)
        return;
    va_start(ap, fmt);
    explain(s, fmt, ap);
    va_end(ap);
    cr_loop_unset(s->all->loop, &s->timer);
    cr_server_abandon_page(s);
    s->state = CR_SERVER_ENDING;
    s->transport->ops->stop(s->transport);
    fail_server(s);
}

/* --- start and end -----------------------------------------------------------------------------
 */

struct cr_buf *cr_server_new_line(struct cr_server *s)
{
    if (s->line.cap > 1u << 20 || cr_buf_err(&s->line))
        cr_buf_clear(&s->line);
    s->line.len = 0;
    return &s->line;
}

/* server/discover is a message of the modern era, whatever the server speaks. */
static struct cr_transport_label label_of(const struct cr_server *s, const char *method,
                                          uint64_t id)
{
    bool is_modern = s->era == CR_ERA_MODERN || s->state == CR_SERVER_PROBING;

    return (struct cr_transport_label){.method = method,
                                       .version = is_modern ? CR_RPC_MODERN_VERSION : s->version,
                                       .id = id,
                                       .is_modern = is_modern,
                                       .is_repeatable = true};
}

/* CAPRUN_E_STATE is not reported here: the server is ending, and its end tells the reason. */
static bool send_parts(struct cr_server *s, const struct cr_transport_label *label,
                       const struct cr_outbox_part *parts, size_t count)
{
    int r = cr_buf_err(&s->line);

    if (r == 0)
        r = s->transport->ops->send(s->transport, label, parts, count, NULL);
    if (r < 0 && r != CAPRUN_E_STATE)
        cr_server_break_off(s, "cannot be sent a message: %s",
                            r == CAPRUN_E_NOMEM ? "no memory for the message"
                                                : "it does not read, or the message is too long");
    return r == 0;
}

bool cr_server_send_line(struct cr_server *s, const char *method, uint64_t id)
{
    const struct cr_transport_label label = label_of(s, method, id);

    return send_parts(s, &label,
                      &(struct cr_outbox_part){.bytes = s->line.data, .len = s->line.len}, 1);
}

bool cr_server_send_line_with_args(struct cr_server *s, size_t args_at, const char *tool,
                                   struct cr_server_call *call)
{
    struct cr_transport_label label = label_of(s, "tools/call", call->id);
    const struct cr_outbox_part parts[] = {
        {.bytes = s->line.data, .len = args_at},
        {.bytes = call->args, .len = call->len, .block = &call->block},
        {.bytes = s->line.data + args_at, .len = s->line.len - args_at},
    };

    label.tool = tool;
    label.is_repeatable = call->is_repeatable;
    return send_parts(s, &label, parts, sizeof(parts) / sizeof(parts[0]));
}

static void transport_spoke(void *data, const struct cr_message *message)
{
    struct cr_server *s = data;

    if (s->state != CR_SERVER_ENDING)
        cr_server_take_message(s, message);
}

static void transport_lost(void *data, const struct cr_transport_loss *loss)
{
    struct cr_server *s = data;

    if (s->state != CR_SERVER_ENDING)
        cr_server_take_loss(s, loss);
}

static void transport_has_room(void *data)
{
    cr_server_wake(data);
}

/* A server of the legacy era may exit on the first request, because it does not know it. */
static bool exited_on_first_request(const struct cr_server *s)
{
    return s->state == CR_SERVER_PROBING && s->forced == CR_ERA_UNKNOWN && !s->legacy_failed &&
           !s->transport->ops->is_missing(s->transport);
}

static void transport_ended(void *data)
{
    struct cr_server *s = data;
    bool was_ending = s->state == CR_SERVER_ENDING;
    bool is_new = exited_on_first_request(s);
    bool again = is_new || (s->transport->ops->has_expired(s->transport) && s->knows_tools);

    if (is_new)
        s->guess = CR_ERA_LEGACY;
    else if (!was_ending)
        explain_words(s, "%s", s->transport->ops->why(s->transport));
    free_transport(s);
    cr_server_abandon_page(s);
    s->state = CR_SERVER_OFF;
    cr_loop_unset(s->all->loop, &s->timer);
    if (!again && !was_ending)
        fail_server(s);
    cr_server_fail_queue(s, &s->sent, &s->why); /* not empty if the server was stopped */
    s->knows_tools = false;
    cr_server_wake(s);
}

static const struct cr_transport_owner transport_owner = {.message = transport_spoke,
                                                          .room = transport_has_room,
                                                          .lost = transport_lost,
                                                          .ended = transport_ended};

static void start(struct cr_server *s)
{
    struct cr_endpoint *at = s->endpoint;
    struct cr_err err;

    s->knows_tools = s->stale = s->legacy_failed = false;
    s->era = CR_ERA_UNKNOWN;
    s->version[0] = '\0';
    cr_buf_clear(&s->info);
    if (at->start(at, s->all->loop, &transport_owner, s, &s->transport, &err) < 0) {
        explain_words(s, "could not be started");
        (void)snprintf(s->why.hint, sizeof(s->why.hint), "%.500s", err.text);
        fail_server(s);
        return;
    }
    if (s->forced != CR_ERA_UNKNOWN)
        s->guess = s->forced;
    cr_server_greet(s);
}

void cr_server_stop(struct cr_server *s)
{
    s->stopped = true;
    explain_words(s, "has been stopped");
    cr_loop_unset(s->all->loop, &s->timer);
    cr_server_abandon_page(s);
    cr_server_wake(s);
    if (s->transport) {
        s->state = CR_SERVER_ENDING;
        s->transport->ops->stop(s->transport);
    }
}

/* --- waiting calls and listings ----------------------------------------------------------------
 */

static bool is_wanted(const struct cr_server *s)
{
    return s->waiting->count || s->waiters;
}

/* The server is off, and a call or listing waits for it. */
static void start_or_fail(struct cr_server *s)
{
    int64_t now = cr_loop_now();

    if (s->stopped || (s->failures > MOST_FAILURES && now < s->retry_us)) {
        cr_server_fail_queue(s, &s->waiting, &s->why);
        cr_server_end_waiters(s, &s->why);
    } else if (now < s->retry_us) {
        cr_loop_set(s->all->loop, &s->timer, s->retry_us);
    } else {
        start(s);
    }
}

/*
 * A server that keeps reporting changes of its tools is asked for them at most once a second, and
 * less often if the list is long: parsing and comparing a long list takes long.
 */
static bool is_list_old(const struct cr_server *s)
{
    int64_t now = cr_loop_now(), pause = SECOND_US + (int64_t)s->list_bytes * LIST_BYTE_US;

    if (pause > MOST_LIST_US)
        pause = MOST_LIST_US;
    return now > s->list_until_us || (s->stale && now > s->listed_us + pause);
}

static void serve(struct cr_server *s)
{
    if (is_wanted(s) && is_list_old(s)) {
        cr_server_ask_for_tools(s);
        return;
    }
    cr_server_end_waiters(s, NULL);
    cr_server_send_calls(s);
    if (s->state != CR_SERVER_READY)
        return;
    if (s->waiting->count || s->sent->count)
        cr_loop_unset(s->all->loop, &s->timer);
    else
        cr_loop_set(s->all->loop, &s->timer, cr_loop_now() + IDLE_US);
}

static void pump(struct cr_task *task)
{
    struct cr_server *s = cr_container(task, struct cr_server, pump);

    if (s->state == CR_SERVER_READY && !s->transport->ops->is_ending(s->transport))
        serve(s);
    else if (s->state == CR_SERVER_OFF && is_wanted(s))
        start_or_fail(s);
}

static void continue_work(struct cr_task *task)
{
    struct cr_server *s = cr_container(task, struct cr_server, busy);

    cr_server_end_failing(s);
    if (!s->failing)
        pump(&s->pump);
}

void cr_server_wake(struct cr_server *s)
{
    cr_loop_defer(s->all->loop, &s->pump);
}

static void timer_due(struct cr_timer *timer)
{
    struct cr_server *s = cr_container(timer, struct cr_server, timer);

    if (s->state == CR_SERVER_OFF) {
        cr_server_wake(s);
    } else if (s->state == CR_SERVER_READY) {
        s->state = CR_SERVER_ENDING; /* idle for too long */
        s->transport->ops->stop(s->transport);
    } else {
        cr_server_answer_is_late(s);
    }
}
