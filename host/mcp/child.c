/*
 * child.c - reads and writes the pipes of a server, and stops the server step by step.
 *
 * The child has ended when its guard has ended: then the whole tree is gone, and the bytes that are
 * still in the pipes are the last ones.
 *
 * A server can write faster than its messages are handled. The rest of a chunk when the turn is
 * over stays in |chunk|, and a busy task continues with it; meanwhile standard output is not
 * watched. The bytes left at the end are read in the same way.
 */
#include "mcp/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guard/guard.h"
#include "mcp/end.h"
#include "mcp/guard_process.h"
#include "mcp/spawn.h"
#include "mcp/tail.h"

#define REPORTS_AT_ONCE 1024 /* a guard sends a few */
#define CHUNK (64u << 10)
#define TEXT_CHUNK (16u << 10) /* of standard error */
#define CHUNKS_AT_ONCE 4       /* of standard error, in one turn of the loop */
#define CHUNKS_AT_END 1024     /* more than a pipe holds; a limit, as others may still write */
#define GUARD_GRACE_MS (GUARD_PATIENCE_MS + 1000) /* the guard is killed if it takes longer */

/* The stages are entered in this order only. */
enum stage {
    RUNNING,
    STOPPING,   /* standard input is closed, or will be */
    TERMINATED, /* SIGTERM was sent */
    KILLED,     /* or the server ended by itself: only the guard has to exit */
    ENDED,
};

struct cr_child {
    struct cr_loop *loop;
    struct cr_transport_owner owner;
    void *data;
    enum stage stage;
    struct cr_guard_process guard;
    struct cr_watch control, in, out, errors; /* as in struct cr_spawned */
    struct cr_timer patience;
    struct cr_task busy;       /* continues with the chunk, or with the rest at the end */
    bool is_paused;            /* |out| is not watched: |busy| waits */
    bool has_ended_line;       /* the last line was terminated */
    int out_left, errors_left; /* chunks that may be read after the end */
    struct cr_reader reader;
    struct cr_outbox queue;
    struct guard_report last; /* the last report of the guard; |what| is 0 before the first */
    const char *killed_for;   /* why it was killed by us, or NULL */
    struct cr_tail tail;
    char why[256], command[128], cwd[128]; /* |command| and |cwd| may be truncated */
    const uint8_t *at;                     /* what is left of the chunk */
    size_t left;
    uint8_t chunk[CHUNK];
};

static void close_watch(struct cr_child *c, struct cr_watch *watch)
{
    if (watch->fd < 0)
        return;
    cr_loop_remove(c->loop, watch);
    (void)close(watch->fd);
    watch->fd = -1;
}

/* --- ending ---------------------------------------------------------------------------------- */

static void enter_stage(struct cr_child *c, enum stage stage, int64_t patience_ms)
{
    c->stage = stage;
    cr_loop_set(c->loop, &c->patience, cr_loop_now() + patience_ms * 1000);
}

/* Not close(): a process that the application has forked may hold the socket open, too. */
static void close_control(struct cr_child *c)
{
    (void)shutdown(c->control.fd, SHUT_WR);
}

static void kill_tree(struct cr_child *c, const char *reason)
{
    c->killed_for = reason;
    close_control(c);
    enter_stage(c, KILLED, GUARD_GRACE_MS);
}

static void patience_ended(struct cr_timer *timer)
{
    struct cr_child *c = cr_container(timer, struct cr_child, patience);
    const char term = GUARD_TERM;

    switch (c->stage) {
    case STOPPING:
        close_watch(c, &c->in);
        (void)send(c->control.fd, &term, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        enter_stage(c, TERMINATED, CR_CHILD_PATIENCE_MS);
        break;
    case TERMINATED:
        kill_tree(c, "it did not end by itself");
        break;
    case KILLED:
        cr_guard_process_kill(&c->guard);
        enter_stage(c, KILLED, GUARD_GRACE_MS);
        cr_guard_process_expect(&c->guard);
        break;
    case RUNNING:
    case ENDED:
        break;
    }
}

void cr_child_stop(struct cr_child *c)
{
    if (c->stage != RUNNING)
        return;
    enter_stage(c, STOPPING, CR_CHILD_PATIENCE_MS);
    if (!cr_child_waiting(c))
        close_watch(c, &c->in);
}

bool cr_child_is_ending(const struct cr_child *c)
{
    return c->stage != RUNNING;
}

/* --- writing to the server ------------------------------------------------------------------- */

size_t cr_child_waiting(const struct cr_child *c)
{
    return cr_outbox_waiting(&c->queue);
}

/* The server has stopped reading, or has ended. */
static void close_in(struct cr_child *c)
{
    close_watch(c, &c->in);
    cr_outbox_clear(&c->queue);
    cr_child_stop(c);
}

static void in_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_child *c = cr_container(watch, struct cr_child, in);

    if (!(events & (EPOLLHUP | EPOLLERR)))
        cr_outbox_write(&c->queue, c->in.fd);
    if (events & (EPOLLHUP | EPOLLERR) || c->queue.is_broken) {
        close_in(c);
        return;
    }
    if (cr_child_waiting(c))
        return;
    if (c->stage != RUNNING) {
        close_watch(c, &c->in);
        return;
    }
    cr_loop_change(c->loop, &c->in, 0);
    c->owner.room(c->data);
}

int cr_child_send(struct cr_child *c, const struct cr_outbox_part *parts, size_t count,
                  struct cr_err *err)
{
    struct cr_outbox_part line[CR_OUTBOX_PARTS];
    size_t waiting = cr_child_waiting(c);
    int r;

    if (c->stage != RUNNING || c->in.fd < 0)
        return cr_err_set(err, CAPRUN_E_STATE, "'%s' no longer accepts input", c->command);
    if (waiting >= CR_CHILD_WAITING_MAX)
        return cr_err_set(err, CAPRUN_E_TOOBIG,
                          "'%s' does not read: %zu bytes are waiting, and the limit is %u",
                          c->command, waiting, CR_CHILD_WAITING_MAX);
    memcpy(line, parts, count * sizeof(*parts));
    line[count] = (struct cr_outbox_part){.bytes = "\n", .len = 1};
    r = cr_outbox_add(&c->queue, c->in.fd, line, count + 1);
    if (r < 0) {
        if (c->queue.is_broken)
            kill_tree(c, "there was no memory for the rest of a line to it");
        return cr_err_set(err, r, "no memory for a line to '%s'", c->command);
    }
    if (c->queue.is_broken) {
        close_in(c);
        return cr_err_set(err, CAPRUN_E_STATE, "'%s' no longer reads its input", c->command);
    }
    if (!waiting && cr_child_waiting(c))
        cr_loop_change(c->loop, &c->in, EPOLLOUT);
    return 0;
}

/* --- reading from the server ----------------------------------------------------------------- */

/*
 * Passes the messages of the chunk to the owner. Returns false if the turn ended before the last.
 */
static bool take_messages(struct cr_child *c)
{
    struct cr_message message;

    while (cr_reader_next(&c->reader, &c->at, &c->left, &message)) {
        if (message.kind != CR_MESSAGE_NOISE)
            c->owner.message(c->data, &message);
        else if (message.bytes)
            cr_tail_add_line(&c->tail, message.bytes, message.len);
        if (cr_loop_turn_is_over(c->loop))
            return false;
    }
    return true;
}

void cr_child_find_types(struct cr_child *c)
{
    cr_reader_find_types(&c->reader);
}

/* May one more chunk be read? After the end, the number of chunks is limited. */
static bool count_chunk(const struct cr_child *c, int *left)
{
    return c->stage != ENDED || (*left)-- > 0;
}

/* Returns how many bytes were read, or 0 if no byte is available; closes |watch| at end of file. */
static size_t read_chunk(struct cr_child *c, struct cr_watch *watch, uint8_t *to, size_t size)
{
    ssize_t n = read(watch->fd, to, size);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        close_watch(c, watch);
    if (n > 0 && !c->last.what)
        c->last.what = GUARD_STARTED; /* output arrived before the guard's report of the start */
    return n > 0 ? (size_t)n : 0;
}

/* Returns false if the turn is over, and more bytes may be available. */
static bool read_out(struct cr_child *c)
{
    size_t n = CHUNK;

    while (take_messages(c)) {
        if (c->out.fd < 0 || n < CHUNK || !count_chunk(c, &c->out_left))
            return true;
        if (cr_loop_turn_is_over(c->loop))
            return false;
        n = read_chunk(c, &c->out, c->chunk, CHUNK);
        c->at = c->chunk;
        c->left = n;
    }
    return false;
}

/* Returns false if more bytes may be available. */
static bool read_errors(struct cr_child *c)
{
    uint8_t text[TEXT_CHUNK];
    size_t n = TEXT_CHUNK;

    for (int i = 0; i < CHUNKS_AT_ONCE; i++) {
        if (c->errors.fd < 0 || n < TEXT_CHUNK || !count_chunk(c, &c->errors_left))
            return true;
        n = read_chunk(c, &c->errors, text, TEXT_CHUNK);
        cr_tail_add(&c->tail, text, n);
    }
    return false;
}

/* Continues reading; if the turn ends before all is read, |busy| continues later. */
static void read_on(struct cr_child *c)
{
    bool is_over = !read_out(c);

    if (is_over != c->is_paused && c->out.fd >= 0)
        cr_loop_change(c->loop, &c->out, is_over ? 0 : EPOLLIN);
    c->is_paused = is_over;
    if (is_over)
        cr_loop_defer_busy(c->loop, &c->busy);
    else if (c->out.fd < 0)
        cr_child_stop(c);
}

static void out_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_child *c = cr_container(watch, struct cr_child, out);

    (void)events;
    if (!c->is_paused) /* the end of a pipe is reported also when it is not watched */
        read_on(c);
}

static void errors_ready(struct cr_watch *watch, uint32_t events)
{
    (void)events;
    (void)read_errors(cr_container(watch, struct cr_child, errors));
}

/* Terminates the last line, which may lack a line feed. Returns false if the turn is over. */
static bool end_last_line(struct cr_child *c)
{
    if (!c->has_ended_line) {
        c->has_ended_line = true;
        c->at = (const uint8_t *)"\n";
        c->left = 1;
    }
    return take_messages(c);
}

/* Reads the rest of the pipes after all processes have ended, then calls ended(). */
static void read_rest(struct cr_child *c)
{
    bool is_read = read_errors(c);

    if (is_read) {
        close_watch(c, &c->errors);
        is_read = read_out(c);
    }
    if (is_read) {
        close_watch(c, &c->out);
        is_read = end_last_line(c);
    }
    if (is_read)
        c->owner.ended(c->data);
    else
        cr_loop_defer_busy(c->loop, &c->busy);
}

static void continue_reading(struct cr_task *task)
{
    struct cr_child *c = cr_container(task, struct cr_child, busy);

    if (c->stage == ENDED)
        read_rest(c);
    else
        read_on(c);
}

/* --- reports of the guard -------------------------------------------------------------------- */

/*
 * Reads the reports that have come; if there are very many, the rest in a later turn. Returns false
 * at the end of the connection.
 */
static bool read_reports(struct cr_child *c)
{
    struct guard_report report;
    ssize_t n;

    for (int left = REPORTS_AT_ONCE; left; left--) {
        n = recv(c->control.fd, &report, sizeof(report), MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        /* the guard exited without reading all our bytes; its earlier reports still follow */
        if (n < 0 && errno == ECONNRESET)
            continue;
        if (n != sizeof(report))
            return false;
        c->last = report;
        if (report.what == GUARD_STARTED)
            cr_guard_process_started(&c->guard, report.value);
        if (c->stage < KILLED && report.what != GUARD_STARTED)
            enter_stage(c, KILLED, GUARD_GRACE_MS);
    }
    return true;
}

static void control_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_child *c = cr_container(watch, struct cr_child, control);

    (void)events;
    if (read_reports(c))
        return;
    close_watch(c, &c->control);
    if (c->stage < KILLED)
        enter_stage(c, KILLED, GUARD_GRACE_MS);
    cr_guard_process_expect(&c->guard);
}

static void guard_gone(struct cr_guard_process *guard)
{
    struct cr_child *c = cr_container(guard, struct cr_child, guard);

    if (c->control.fd >= 0)
        (void)read_reports(c); /* reports sent before its end */
    cr_end_explain(c->why, sizeof(c->why),
                   &(struct cr_end){.last = c->last,
                                    .guard = guard->how,
                                    .killed_for = c->killed_for,
                                    .command = c->command,
                                    .cwd = c->cwd});
    c->stage = ENDED;
    cr_loop_unset(c->loop, &c->patience);
    close_watch(c, &c->control);
    close_in(c);
    cr_loop_remove(c->loop, &c->out);
    cr_loop_remove(c->loop, &c->errors);
    cr_loop_forget_busy(c->loop, &c->busy);
    read_rest(c);
}

const char *cr_child_why(const struct cr_child *c)
{
    return c->why;
}

bool cr_child_is_missing(const struct cr_child *c)
{
    return cr_end_is_missing(&c->last);
}

void cr_child_last_words(const struct cr_child *c, const char *between, size_t max,
                         struct cr_buf *out)
{
    cr_tail_show(&c->tail, between, max, out);
}

/* --- beginning and end ----------------------------------------------------------------------- */

static int watch_all(struct cr_child *c, const struct cr_spawned *ends, struct cr_err *err)
{
    const struct {
        struct cr_watch *watch;
        uint32_t events;
    } all[] = {{&c->control, EPOLLIN}, {&c->in, 0}, {&c->out, EPOLLIN}, {&c->errors, EPOLLIN}};
    int r = cr_guard_process_init(&c->guard, c->loop, ends->pid, ends->pidfd, guard_gone, err);

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && r == 0; i++)
        r = cr_loop_add(c->loop, all[i].watch, all[i].events, err);
    return r;
}

/* The loop cannot watch the child: kills it; its end is handled as that of any other child. */
static void end_unwatched(struct cr_child *c)
{
    cr_loop_remove(c->loop, &c->in);
    cr_loop_remove(c->loop, &c->out);
    cr_loop_remove(c->loop, &c->errors);
    cr_loop_remove(c->loop, &c->control);
    cr_guard_process_unwatch(&c->guard);
    kill_tree(c, "the kernel cannot watch more descriptors");
}

int cr_child_start(struct cr_loop *loop, const struct cr_child_spec *spec,
                   const struct cr_transport_owner *owner, void *data, struct cr_child **ret,
                   struct cr_err *err)
{
    struct cr_child *c;
    struct cr_spawned ends;
    int r;

    /* before the server starts: it could create so many processes that no thread can be created */
    if (!cr_helper_start(&loop->helper) || !cr_helper_start(&loop->disk))
        return cr_err_set(err, CAPRUN_E_SYS, "cannot create the helper threads that '%s' needs",
                          spec->argv[0]);
    c = malloc(sizeof(*c));
    if (!c)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory to start '%s'", spec->argv[0]);
    r = cr_spawn_guard(spec, &ends, err);
    if (r < 0) {
        free(c);
        return r;
    }
    c->loop = loop; /* fields are set one by one to avoid clearing the large chunk */
    c->owner = *owner;
    c->data = data;
    c->stage = RUNNING;
    c->control = (struct cr_watch){.fd = ends.control, .ready = control_ready, .name = "server"};
    c->in = (struct cr_watch){.fd = ends.in, .ready = in_ready, .name = "server"};
    c->out = (struct cr_watch){.fd = ends.out, .ready = out_ready, .name = "server"};
    c->errors = (struct cr_watch){.fd = ends.errors, .ready = errors_ready, .name = "server"};
    c->patience = (struct cr_timer){.when_us = -1, .due = patience_ended, .name = "server"};
    c->busy = (struct cr_task){.run = continue_reading, .name = "server"};
    c->is_paused = c->has_ended_line = false;
    c->out_left = c->errors_left = CHUNKS_AT_END;
    c->at = NULL;
    cr_reader_init(&c->reader, CR_CHILD_LINE_MAX);
    cr_outbox_init(&c->queue, SIZE_MAX, &c->loop->helper);
    c->left = 0;
    c->last = (struct guard_report){.what = 0};
    c->killed_for = NULL;
    cr_tail_init(&c->tail);
    c->why[0] = '\0';
    (void)snprintf(c->command, sizeof(c->command), "%s", spec->argv[0]);
    (void)snprintf(c->cwd, sizeof(c->cwd), "%s", spec->cwd);
    if (watch_all(c, &ends, err) < 0)
        end_unwatched(c);
    *ret = c;
    return 0;
}

/* Ends the guard, which ends the tree. Blocks, so it must not be called in a turn of the loop. */
static void end_guard(struct cr_child *c)
{
    struct pollfd control = {.fd = c->control.fd, .events = POLLIN};
    int64_t until = cr_loop_now() + GUARD_GRACE_MS * 1000;
    int64_t left = GUARD_GRACE_MS;

    close_control(c);
    while (left > 0 && read_reports(c)) {
        (void)poll(&control, 1, (int)left);
        left = (until - cr_loop_now()) / 1000;
    }
    if (left <= 0)
        cr_guard_process_kill(&c->guard);
    cr_guard_process_wait(&c->guard);
}

void cr_child_free(struct cr_child *c)
{
    if (!c)
        return;
    if (c->guard.pid)
        end_guard(c);
    cr_guard_process_clear(&c->guard);
    cr_loop_unset(c->loop, &c->patience);
    cr_loop_forget_busy(c->loop, &c->busy);
    close_watch(c, &c->control);
    close_watch(c, &c->in);
    close_watch(c, &c->out);
    close_watch(c, &c->errors);
    cr_reader_clear(&c->reader);
    cr_outbox_clear(&c->queue);
    free(c);
}
