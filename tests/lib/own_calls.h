/*
 * own_calls.h - makes calls to a server that is this same program (own_server.h), and records their
 * outcomes.
 *
 *     begin_all -> SERVE -> make_call -> CHECK_SOON -> end_all
 */
#ifndef OWN_CALLS_H
#define OWN_CALLS_H

#include "mcp/eras.h"
#include "mcp/server_parts.h"
#include "mcp/stdio.h"
#include "own_server.h"
#include "servers.h"

static struct cr_servers all;
static struct cr_server *server;
static struct cr_err last; /* the last error */
static int failures;       /* number of failed calls */
static int lists;          /* how often the owner was told of a new list */
static enum cr_era forced;
static uint32_t at_once;
static const char *eras_dir;

struct call {
    struct cr_server_call at;
    const char *tool; /* NULL: the owner rejects the call */
    int admitted, queued, sent, progress, results, failures;
    int place; /* its position among the failed calls */
    char json[256];
};

static inline struct call *call_of(struct cr_server_call *at)
{
    return cr_container(at, struct call, at);
}

static inline const char *on_admit(struct cr_server_call *at, const struct cr_tools *tools)
{
    struct call *c = call_of(at);

    use_up_turn();
    c->admitted += tools->count == COUNT(own_tools);
    return c->tool;
}

static inline void on_queued(struct cr_server_call *at)
{
    use_up_turn();
    call_of(at)->queued++;
}

static inline void on_sent(struct cr_server_call *at)
{
    call_of(at)->sent++;
}

static inline void on_progress(struct cr_server_call *at, const char *json, size_t len)
{
    struct call *c = call_of(at);

    c->progress++;
    (void)snprintf(c->json, sizeof(c->json), "%.*s", (int)len, json);
}

static inline void on_result(struct cr_server_call *at, const char *json, size_t len,
                             uint8_t **block)
{
    struct call *c = call_of(at);

    (void)block;
    c->results++;
    (void)snprintf(c->json, sizeof(c->json), "%.*s", (int)len, json);
}

static inline void on_failed(struct cr_server_call *at, const struct cr_err *why)
{
    use_up_turn();
    call_of(at)->failures++;
    call_of(at)->place = ++failures;
    (void)snprintf(call_of(at)->json, sizeof(call_of(at)->json), "%.200s", why->text);
    last = *why;
}

static const struct cr_server_call_ops ops = {on_admit,    on_queued, on_sent,
                                              on_progress, on_result, on_failed};

static inline void on_listed(void *data, struct cr_server *listed)
{
    lists += data == &all && listed == server;
}

static const struct cr_server_owner owner = {on_listed};

/* --- helpers -------------------------------------------------------------------------------- */

static inline bool make(struct cr_server **ret, const char *const *words)
{
    static char self[4096];
    const char *argv[8] = {self, "serve"}, *const envp[] = {"PATH=/usr/bin:/bin", NULL};
    struct cr_server_spec spec = {
        .name = "own", .era = forced, .at_once = at_once, .eras_dir = eras_dir};

    for (int i = 2; *words; words++)
        argv[i++] = *words;
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0)
        return false;
    spec.endpoint = cr_stdio_new(&(struct cr_child_spec){guard_path, argv, envp, scratch});
    return cr_server_new(&all, &spec, &owner, &all, ret, &err) == 0;
}

static inline bool begin_all(void)
{
    all = (struct cr_servers){.loop = &loop, .most = 64};
    server = NULL;
    last = (struct cr_err){.text = ""};
    lists = failures = 0;
    forced = CR_ERA_LEGACY;
    at_once = 16;
    eras_dir = NULL;
    return begin();
}

#define SERVE(...) (make(&server, (const char *const[]){__VA_ARGS__, NULL}))

static inline bool end_all(void)
{
    bool ok = all.in_flight == 0;

    cr_server_free(server);
    server = NULL;
    return ok && !all.first && end();
}

static inline struct call call_to(const char *tool)
{
    return (struct call){.at = {.ops = &ops, .args = "{}", .len = 2}, .tool = tool};
}

static inline bool make_call(struct call *c)
{
    return cr_server_call(server, &c->at, &err) == 0;
}

/* Returns how often |word| is in the input that the server received. */
static inline int traced(const char *word)
{
    const char *at = get("trace");
    int count = 0;

    for (; at && (at = strstr(at, word)); at++)
        count++;
    return count;
}

/* Makes the timer of the server's state due now. */
static inline void hurry(void)
{
    server->retry_us = 0;
    cr_loop_set(&loop, &server->timer, cr_loop_now());
}

/* Waits until |c| has ended, with any outcome; shortens the pauses between starts. */
static inline bool is_over(const struct call *c)
{
    if (server->state == CR_SERVER_OFF && server->timer.when_us >= 0)
        hurry();
    return c->results || c->failures;
}

static inline bool get_ready(void)
{
    struct call c = call_to("echo");
    int64_t until = cr_loop_now() + patience_us();

    if (!make_call(&c))
        return false;
    while (!is_over(&c) && cr_loop_now() < until)
        cr_loop_step(&loop, 10);
    return c.results == 1 && c.failures == 0;
}

static inline bool said(const char *words)
{
    bool same = strstr(last.text, words) != NULL;

    if (!same)
        printf("# it said: %s (%s)\n", last.text, last.hint);
    return same;
}

/* Lets the loop do its pending work. */
static inline void settle(void)
{
    for (int i = 0; i < 20; i++)
        cr_loop_step(&loop, 1);
}

/* `PROGRAM serve WORD...` runs the server; otherwise the tests are run. */
static inline int own_main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "serve") == 0)
        return own_serve(argv + 2);
    return tap_main(argc, argv);
}

#endif
