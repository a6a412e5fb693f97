/*
 * remote.c - an endpoint of a URL: its start, which opens libcurl, and its end.
 *
 * libcurl is opened by a job, because that reads files. Meanwhile messages wait.
 */
#include "mcp/remote.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/child.h"
#include "mcp/remote_parts.h"

#define NOTE_COST 4096 /* bytes that a message without an answer takes, beside its own */
#define LAST_WORDS "it sent: "

static struct cr_remote *remote_of(struct cr_transport *t)
{
    return cr_container(t, struct cr_remote, transport);
}

/* --- sending ---------------------------------------------------------------------------------- */

size_t cr_remote_waiting(struct cr_remote *c)
{
    size_t bytes = c->notes * NOTE_COST;

    for (const struct cr_exchange *x = c->first; x; x = x->next)
        bytes += x->state == CR_EXCHANGE_RUNS   ? x->left
                 : x->state != CR_EXCHANGE_DEAD ? x->bytes
                                                : 0;
    c->is_full = c->is_full || bytes;
    return bytes;
}

static size_t waiting(struct cr_transport *t)
{
    return cr_remote_waiting(remote_of(t));
}

static int send_message(struct cr_transport *t, const struct cr_transport_label *label,
                        const struct cr_outbox_part *parts, size_t count, struct cr_err *err)
{
    struct cr_remote *c = remote_of(t);
    struct cr_exchange *x;

    if (c->stage > CR_REMOTE_OPEN)
        return cr_err_set(err, CAPRUN_E_STATE, "the server no longer accepts messages");
    if (waiting(t) >= CR_CHILD_WAITING_MAX)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the server does not read");
    x = cr_exchange_new(c->loop, label, parts, count);
    if (!x)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a message to the server");
    (void)snprintf(c->version, sizeof(c->version), "%s", label->version);
    cr_remote_add(c, x);
    cr_remote_send_waiting(c);
    return 0;
}

static bool drop(struct cr_transport *t, uint64_t id)
{
    struct cr_remote *c = remote_of(t);
    bool was_sent = false;

    for (struct cr_exchange *x = c->first; x; x = x->next) {
        if (x->id != id || x->state == CR_EXCHANGE_DEAD)
            continue;
        was_sent = was_sent || (x->state == CR_EXCHANGE_RUNS && !x->is_modern);
        cr_remote_kill(c, x);
    }
    return !was_sent;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Drops all exchanges, or only those with an answer. */
static void drop_exchanges(struct cr_remote *c, bool all)
{
    for (struct cr_exchange *x = c->first; x; x = x->next)
        if (all || x->id)
            cr_remote_kill(c, x);
}

void cr_remote_end(struct cr_remote *c)
{
    drop_exchanges(c, true);
    c->stage = CR_REMOTE_ENDING;
    cr_loop_unset(c->loop, &c->patience);
    cr_loop_defer_busy(c->loop, &c->busy);
}

static void stop(struct cr_transport *t)
{
    struct cr_remote *c = remote_of(t);
    struct cr_exchange *x;

    if (c->stage > CR_REMOTE_OPEN)
        return;
    if (c->stage == CR_REMOTE_OPENING) {
        cr_remote_end(c);
        return;
    }
    c->stage = CR_REMOTE_STOPPING;
    drop_exchanges(c, false);
    x = c->session[0] && !c->has_expired ? cr_exchange_new_delete(c->loop, c->version) : NULL;
    if (x)
        cr_remote_add(c, x);
    cr_remote_send_waiting(c);
    cr_loop_set(c->loop, &c->patience, cr_loop_now() + CR_REMOTE_PATIENCE_MS * 1000);
    cr_loop_defer_busy(c->loop, &c->busy);
}

static bool is_ending(struct cr_transport *t)
{
    return remote_of(t)->stage > CR_REMOTE_OPEN || remote_of(t)->has_expired;
}

static void patience_ended(struct cr_timer *timer)
{
    cr_remote_end(cr_container(timer, struct cr_remote, patience));
}

static bool has_expired(struct cr_transport *t)
{
    return remote_of(t)->has_expired;
}

static const char *why(struct cr_transport *t)
{
    return remote_of(t)->why;
}

static bool is_missing(struct cr_transport *t)
{
    return remote_of(t)->is_missing;
}

static void hint(struct cr_transport *t, size_t max, struct cr_buf *out)
{
    const struct cr_remote *c = remote_of(t);
    size_t before = out->len, prefix = strlen(LAST_WORDS);

    if (c->hint[0]) {
        cr_buf_fmt(out, "%.*s", (int)max, c->hint);
        return;
    }
    if (max < prefix)
        return;
    cr_buf_add(out, LAST_WORDS, prefix);
    cr_tail_show(&c->tail, " | ", max - prefix, out);
    if (out->len == before + prefix)
        out->len = before;
}

/* --- opening libcurl -------------------------------------------------------------------------- */

struct cr_remote_opening {
    struct cr_job job;
    struct cr_remote *connection;
    char *ca_file;
    bool uses_ca_folder;
    const struct cr_http_lib *lib;
    struct cr_err err;
};

/* Is a name like "5ad8a5d6.0" in the folder? */
static bool has_hashes(const char *folder)
{
    DIR *dir = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    bool found = false;

    while (dir && !found && (entry = readdir(dir)))
        found =
            strspn(entry->d_name, "0123456789abcdef") == 8 && strcmp(entry->d_name + 8, ".0") == 0;
    if (dir)
        (void)closedir(dir);
    return found;
}

/*
 * Runs in the helper thread. To read a file with all authorities of the system takes up to 40 ms,
 * and libcurl would do it in the loop. OpenSSL can look for one authority in a folder instead.
 */
static void open_library(struct cr_job *job)
{
    struct cr_remote_opening *o = cr_container(job, struct cr_remote_opening, job);
    const curl_version_info_data *info;

    o->lib = cr_http_lib_open(&o->err);
    if (!o->lib)
        return;
    info = o->lib->version_info(CURLVERSION_NOW);
    o->uses_ca_folder = info && info->age >= CURLVERSION_SEVENTH && info->ssl_version &&
                        strncmp(info->ssl_version, "OpenSSL", 7) == 0 && has_hashes(info->capath);
    if (o->ca_file && access(o->ca_file, R_OK) < 0) {
        (void)cr_err_sys(&o->err, "\"caFile\" '%s' cannot be read", o->ca_file);
        o->lib = NULL;
    }
}

static void free_opening(struct cr_job *job)
{
    struct cr_remote_opening *o = cr_container(job, struct cr_remote_opening, job);

    free(o->ca_file);
    free(o);
}

static void library_opened(struct cr_job *job)
{
    struct cr_remote_opening *o = cr_container(job, struct cr_remote_opening, job);
    struct cr_remote *c = o->connection;

    c->opening = NULL;
    if (c->stage == CR_REMOTE_OPENING && o->lib &&
        cr_http_multi_init(&c->multi, o->lib, c->loop, cr_remote_transfer_done, &o->err) == 0) {
        c->stage = CR_REMOTE_OPEN;
        c->endpoint->site.uses_ca_folder = o->uses_ca_folder;
        cr_remote_send_waiting(c);
    } else if (c->stage == CR_REMOTE_OPENING) {
        (void)snprintf(c->why, sizeof(c->why), "could not be started");
        (void)snprintf(c->hint, sizeof(c->hint), "%.255s%s%.200s", o->err.text,
                       o->err.hint[0] ? "; " : "", o->err.hint);
        c->is_missing = true;
        cr_remote_end(c);
    }
    free_opening(job);
}

static bool open_later(struct cr_remote *c)
{
    struct cr_remote_opening *o = calloc(1, sizeof(*o));
    const char *file = c->endpoint->site.ca_file;

    if (!o)
        return false;
    o->ca_file = file ? strdup(file) : NULL;
    if (file && !o->ca_file) {
        free(o);
        return false;
    }
    o->job = (struct cr_job){
        .work = open_library, .done = library_opened, .discard = free_opening, .name = "libcurl"};
    o->connection = c;
    c->opening = o;
    cr_helper_submit(&c->loop->disk, &o->job);
    return true;
}

/* --- a connection ----------------------------------------------------------------------------- */

static void free_connection(struct cr_transport *t)
{
    struct cr_remote *c = remote_of(t);

    if (c->opening)
        cr_helper_abandon(&c->loop->disk, &c->opening->job);
    cr_remote_free_exchanges(c);
    cr_http_multi_clear(&c->multi);
    cr_loop_unset(c->loop, &c->patience);
    cr_loop_forget_busy(c->loop, &c->busy);
    free(c);
}

/* Nothing to do: each exchange of the modern era finds the types. */
static void find_types(struct cr_transport *t)
{
    (void)t;
}

static const struct cr_transport_ops ops = {.send = send_message,
                                            .drop = drop,
                                            .waiting = waiting,
                                            .find_types = find_types,
                                            .stop = stop,
                                            .is_ending = is_ending,
                                            .why = why,
                                            .is_missing = is_missing,
                                            .has_expired = has_expired,
                                            .hint = hint,
                                            .free = free_connection};

static int start(struct cr_endpoint *endpoint, struct cr_loop *loop,
                 const struct cr_transport_owner *owner, void *data, struct cr_transport **ret,
                 struct cr_err *err)
{
    struct cr_remote *c = calloc(1, sizeof(*c));

    if (!c)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a connection");
    c->transport.ops = &ops;
    c->loop = loop;
    c->owner = *owner;
    c->data = data;
    c->endpoint = cr_container(endpoint, struct cr_remote_endpoint, endpoint);
    c->last = &c->first;
    c->busy = (struct cr_task){.run = cr_remote_work, .name = "http"};
    c->patience = (struct cr_timer){.when_us = -1, .due = patience_ended, .name = "http"};
    cr_tail_init(&c->tail);
    if (!open_later(c)) {
        free(c);
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a connection");
    }
    *ret = &c->transport;
    return 0;
}

/* --- an endpoint ------------------------------------------------------------------------------ */

static void free_remote(struct cr_remote_endpoint *e)
{
    for (char **line = e->site.headers; line && *line; line++)
        free(*line);
    free(e->site.headers);
    free(e->site.url);
    free(e->site.ca_file);
    free(e->site.proxy);
    free(e->key[1]);
    free(e);
}

static void free_endpoint(struct cr_endpoint *endpoint)
{
    free_remote(cr_container(endpoint, struct cr_remote_endpoint, endpoint));
}

/* Returns false if there is no memory. |from| may be NULL. */
static bool copy_text(const char *from, char **ret)
{
    *ret = from ? strdup(from) : NULL;
    return *ret || !from;
}

static bool copy_headers(char *const *from, char ***ret)
{
    size_t count = 0;

    while (from[count])
        count++;
    *ret = calloc(count + 1, sizeof(**ret));
    for (size_t i = 0; *ret && i < count; i++)
        if (!copy_text(from[i], &(*ret)[i]))
            return false;
    return *ret;
}

struct cr_endpoint *cr_remote_new(const struct cr_remote_spec *spec)
{
    static char kind[] = "url";
    struct cr_remote_endpoint *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    if (copy_text(spec->url, &e->site.url) && copy_text(spec->url, &e->key[1]) &&
        copy_text(spec->ca_file, &e->site.ca_file) && copy_text(spec->proxy, &e->site.proxy) &&
        copy_headers(spec->headers, &e->site.headers)) {
        e->key[0] = kind;
        e->endpoint = (struct cr_endpoint){
            .key = (const char *const *)e->key, .start = start, .free = free_endpoint};
        return (struct cr_endpoint *)e; /* gcc's analyzer thinks that a member leaks */
    }
    free_remote(e);
    return NULL;
}
