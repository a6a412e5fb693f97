/* audit.c - the queue of lines: who waits for them, when they are written, and when that fails. */
#include "audit/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/compose.h"
#include "audit/file.h"
#include "audit/line.h"
#include "run/auditing.h"

#define MAX_WAITING (4u << 20)   /* bytes of lines that no call waits for */
#define MAX_AT_ONCE (256u << 10) /* bytes of one write */
#define MOST_UNRECORDED 16u      /* writes, before the record is renewed while calls wait */
#define FIRST_RETRY_US 300
#define LAST_RETRY_US 10000
#define AT_ONCE (128u << 10) /* args over this are hashed in turns */
#define PIECE (32u << 10)
#define END_US 2000000 /* how long the end may wait for a lock or a disk */
#define MAX_BODY (CR_AUDIT_MAX_LINE - 1024)

enum state { HASHING, QUEUED, WRITTEN, FAILED };

/* A line in the queue, or on its way there or from there. */
struct entry {
    struct cr_audit_ticket ticket; /* first: a ticket is its entry */
    struct entry *next, **at;      /* in one of the lists */
    struct list *list;
    bool is_awaited; /* the ticket is used */
    enum state state;
    int64_t until_us; /* for an awaited one */
    struct cr_hash_sum sum;
    size_t hashed;
    struct cr_buf body;
};

struct list {
    struct entry *first, **last;
};

struct cr_audit {
    struct cr_auditor auditor;
    struct cr_loop *loop;
    struct cr_audit_file *file; /* while there is |settling|, only the job uses it */
    bool has_args, is_off;
    struct list hashing, queue, done; /* |done|: awaited lines that are written, or have failed */
    size_t unawaited;                 /* bytes of lines in |queue| that no call waits for */
    unsigned since_renewed;           /* writes since the record was renewed */
    uint64_t lost;                    /* lines that did not fit into the queue */
    struct cr_task write, deliver, hash;
    struct cr_timer retry;
    int64_t pause_us;
    struct settling *settling;
    struct cr_err err; /* why lines cannot be written */
    struct cr_audit_who who;
};

/* A repair in a helper thread. */
struct settling {
    struct cr_job job;
    struct cr_audit *audit; /* the helper thread must not use it */
    struct cr_audit_file *file;
    int code;
    struct cr_err err;
};

/* --- lists ---------------------------------------------------------------------------------- */

static void put(struct list *list, struct entry *e)
{
    e->list = list;
    e->next = NULL;
    e->at = list->last;
    *list->last = e;
    list->last = &e->next;
}

static void take(struct entry *e)
{
    *e->at = e->next;
    if (e->next)
        e->next->at = e->at;
    else
        e->list->last = e->at;
}

static void free_entry(struct entry *e)
{
    cr_buf_clear(&e->body);
    free(e->ticket.tool);
    free(e);
}

static struct entry *new_entry(void)
{
    struct entry *e = calloc(1, sizeof(*e));

    if (e)
        cr_buf_init(&e->body, MAX_BODY);
    return e;
}

/* --- writing -------------------------------------------------------------------------------- */

static void free_file(struct cr_audit_file *file)
{
    cr_audit_file_clear(file);
    free(file);
}

/* An awaited line leaves the queue for good: its call is told in a later step. */
static void end_awaited(struct cr_audit *a, struct entry *e, enum state state)
{
    take(e);
    e->state = state;
    put(&a->done, e);
    cr_loop_defer(a->loop, &a->deliver);
}

static void fail_awaited(struct cr_audit *a, int64_t until_us)
{
    for (struct entry *e = a->queue.first, *next; e; e = next) {
        next = e->next;
        if (e->is_awaited && e->until_us <= until_us)
            end_awaited(a, e, FAILED);
    }
}

static void add_lost(struct cr_audit *a)
{
    cr_autobuf struct cr_buf body = CR_BUF(1024);

    cr_audit_line_begin(&body, "lost");
    cr_buf_fmt(&body, ",\"lines\":%llu", (unsigned long long)a->lost);
    cr_audit_file_add(a->file, body.data, body.len);
}

/* Adds lines up to a size. Returns the first that is left, or NULL. Does a call wait for any? */
static struct entry *add_lines(struct cr_audit *a, bool *ret_are_awaited)
{
    struct entry *e = a->queue.first;
    size_t sum = 0;

    if (a->lost)
        add_lost(a);
    for (; e && sum < MAX_AT_ONCE; e = e->next) {
        cr_audit_file_add(a->file, e->body.data, e->body.len);
        sum += e->body.len;
        *ret_are_awaited |= e->is_awaited;
    }
    return e;
}

/* The file is locked and in order: writes lines until the queue is empty. */
static int write_some(struct cr_audit *a)
{
    bool are_awaited = false, renews;
    const struct entry *rest = add_lines(a, &are_awaited);
    int r;

    renews = !are_awaited || ++a->since_renewed == MOST_UNRECORDED;
    r = cr_audit_file_commit(a->file, renews, &a->err);
    if (r < 0)
        return r;
    if (renews)
        a->since_renewed = 0;
    a->lost = 0;
    while (a->queue.first != rest) {
        struct entry *e = a->queue.first;

        if (e->is_awaited) {
            end_awaited(a, e, WRITTEN);
            continue;
        }
        take(e);
        a->unawaited -= e->body.len;
        free_entry(e);
    }
    return 0;
}

static void settle(struct cr_job *job)
{
    struct settling *s = cr_container(job, struct settling, job);

    s->code = cr_audit_file_settle(s->file, &s->err);
}

/* The audit is gone: its file with it. */
static void discard_settling(struct cr_job *job)
{
    struct settling *s = cr_container(job, struct settling, job);

    free_file(s->file);
    free(s);
}

static void try_later(struct cr_audit *a)
{
    a->pause_us = a->pause_us ? a->pause_us * 2 : FIRST_RETRY_US;
    if (a->pause_us > LAST_RETRY_US)
        a->pause_us = LAST_RETRY_US;
    cr_loop_set(a->loop, &a->retry, cr_loop_now() + a->pause_us);
}

/* Will the queue be tried again soon? */
static bool is_waiting(const struct cr_audit *a)
{
    return a->settling || a->retry.when_us >= 0;
}

static void write_lines(struct cr_audit *a);

static void stop_waiting(struct cr_audit *a)
{
    cr_loop_unset(a->loop, &a->retry);
    a->pause_us = 0;
}

/* Without the lines of calls, the others stay in the queue. */
static void give_up(struct cr_audit *a)
{
    stop_waiting(a);
    fail_awaited(a, INT64_MAX);
}

static void settled(struct cr_job *job)
{
    struct settling *s = cr_container(job, struct settling, job);
    struct cr_audit *a = s->audit;
    int code = s->code;

    a->settling = NULL;
    cr_loop_unset(a->loop, &a->retry);
    if (code < 0)
        a->err = s->err;
    free(s);
    if (code == CR_AUDIT_FILE_READY && write_some(a) < 0)
        code = CAPRUN_E_SYS;
    if (code == CR_AUDIT_FILE_BUSY)
        try_later(a);
    else if (code < 0)
        give_up(a);
    else
        write_lines(a);
}

/* Without memory for a job, the lines are tried again later. */
static void start_settling(struct cr_audit *a)
{
    struct settling *s = calloc(1, sizeof(*s));

    if (!s) {
        cr_audit_file_release(a->file);
        try_later(a);
        return;
    }
    s->job = (struct cr_job){
        .work = settle, .done = settled, .discard = discard_settling, .name = "audit"};
    s->audit = a;
    s->file = a->file;
    a->settling = s;
    cr_helper_submit(&a->loop->disk, &s->job);
    cr_loop_set(a->loop, &a->retry, cr_loop_now() + LAST_RETRY_US); /* calls must not wait long */
}

/* Writes the queue, or arranges for it to be written. */
static void write_lines(struct cr_audit *a)
{
    int r = 0;

    cr_loop_forget(a->loop, &a->write);
    while (a->queue.first && r == CR_AUDIT_FILE_READY) {
        if (a->settling)
            return;
        r = cr_audit_file_take(a->file, &a->err);
        if (r == CR_AUDIT_FILE_READY)
            r = write_some(a);
        if (cr_loop_turn_is_over(a->loop) && r == 0 && a->queue.first) {
            cr_loop_defer(a->loop, &a->write);
            break;
        }
    }
    if (r == CR_AUDIT_FILE_UNSETTLED)
        start_settling(a);
    else if (r == CR_AUDIT_FILE_BUSY)
        try_later(a);
    else if (r < 0)
        give_up(a);
    else if (r == 0)
        stop_waiting(a);
}

static void write_due(struct cr_task *task)
{
    write_lines(cr_container(task, struct cr_audit, write));
}

static void retry_due(struct cr_timer *timer)
{
    struct cr_audit *a = cr_container(timer, struct cr_audit, retry);

    (void)cr_err_set(&a->err, CAPRUN_E_SYS, "'%s' is locked by another process, or its disk hangs",
                     a->file->path);
    (void)cr_err_hint(&a->err, "lslocks shows who has locked '%.300s'", a->file->record_path);
    fail_awaited(a, cr_loop_now());
    if (a->settling && a->queue.first)
        cr_loop_set(a->loop, timer, cr_loop_now() + LAST_RETRY_US);
    else if (a->queue.first)
        write_lines(a);
}

static void deliver_due(struct cr_task *task)
{
    struct cr_audit *a = cr_container(task, struct cr_audit, deliver);
    struct cr_err err = a->err;

    while (a->done.first) {
        struct entry *e = a->done.first;

        if (cr_loop_turn_is_over(a->loop)) {
            cr_loop_defer(a->loop, task);
            return;
        }
        cr_auditing_written(&e->ticket, e->state == WRITTEN ? NULL : &err);
    }
}

/* --- lines ---------------------------------------------------------------------------------- */

/* Adds a line that nobody waits for; it is written at the end of the step. Frees |e|, or keeps it.
 */
static void add_unawaited(struct cr_audit *a, struct entry *e)
{
    if (!e || cr_buf_err(&e->body) || a->unawaited + e->body.len > MAX_WAITING) {
        a->lost++;
        if (e)
            free_entry(e);
        return;
    }
    e->state = QUEUED;
    a->unawaited += e->body.len;
    put(&a->queue, e);
    cr_loop_defer(a->loop, &a->write);
}

/* Composes the line of a call, whose args have been hashed. Returns false without memory. */
static bool enqueue_call(struct cr_audit *a, struct entry *e)
{
    uint8_t hash[CR_HASH_BYTES];
    struct cr_audit_ticket *t = &e->ticket;

    cr_hash_end(&e->sum, hash);
    cr_audit_compose_call(&e->body, &a->who, t, hash, a->has_args);
    if (cr_buf_err(&e->body))
        return false;
    e->state = QUEUED;
    put(&a->queue, e);
    return true;
}

/* Hashes long args, a piece at a time. */
static void hash_due(struct cr_task *task)
{
    struct cr_audit *a = cr_container(task, struct cr_audit, hash);
    struct entry *e;

    while ((e = a->hashing.first)) {
        size_t rest = e->ticket.args_len - e->hashed, len = rest < PIECE ? rest : PIECE;

        cr_hash_add(&e->sum, e->ticket.args + e->hashed, len);
        e->hashed += len;
        if (e->hashed == e->ticket.args_len) {
            take(e);
            if (enqueue_call(a, e)) {
                write_lines(a);
            } else {
                (void)cr_err_memory(&a->err);
                put(&a->queue, e);
                end_awaited(a, e, FAILED);
            }
        }
        if (cr_loop_turn_is_over(a->loop))
            break;
    }
    if (a->hashing.first)
        cr_loop_defer_busy(a->loop, task);
}

/* --- the auditor ---------------------------------------------------------------------------- */

static struct cr_audit *audit_of(struct cr_auditor *auditor)
{
    return cr_container(auditor, struct cr_audit, auditor);
}

static void begin(struct cr_auditor *auditor, struct caprun_run *run, bool is_resumed)
{
    struct cr_audit *a = audit_of(auditor);
    struct entry *e = new_entry();

    if (e)
        cr_audit_compose_begin(&e->body, &a->who, run,
                               a->is_off    ? "off"
                               : is_resumed ? "resume"
                                            : "run");
    add_unawaited(a, e);
}

static struct entry *new_call(struct caprun_run *run, uint32_t number, const char *tool,
                              const char *args, size_t len)
{
    struct entry *e = new_entry();

    if (!e)
        return NULL;
    e->is_awaited = true;
    e->until_us = cr_loop_now() + CR_AUDIT_WAIT_US;
    e->ticket = (struct cr_audit_ticket){
        .run = run, .number = number, .tool = strdup(tool), .args = args, .args_len = len};
    cr_hash_begin(&e->sum);
    if (e->ticket.tool)
        return e;
    free_entry(e);
    return NULL;
}

/* Returns what before() has to, for a line that may be written already. */
static int answer(struct cr_audit *a, struct entry *e, struct cr_audit_ticket **ret_ticket,
                  struct cr_err *err)
{
    enum state state = e->state;

    if (state == HASHING || state == QUEUED) {
        *ret_ticket = &e->ticket;
        return CR_AUDITOR_LATER;
    }
    take(e);
    free_entry(e);
    if (state == WRITTEN)
        return 0;
    *err = a->err;
    return err->code;
}

static int before(struct cr_auditor *auditor, struct caprun_run *run, uint32_t number,
                  const char *tool, const char *args, size_t len,
                  struct cr_audit_ticket **ret_ticket, struct cr_err *err)
{
    struct cr_audit *a = audit_of(auditor);
    struct entry *e = a->is_off ? NULL : new_call(run, number, tool, args, len);

    if (a->is_off)
        return 0;
    if (!e)
        return cr_err_memory(err);
    if (len > AT_ONCE) {
        put(&a->hashing, e);
        cr_loop_defer_busy(a->loop, &a->hash);
        return answer(a, e, ret_ticket, err);
    }
    cr_hash_add(&e->sum, args, len);
    if (!enqueue_call(a, e)) {
        free_entry(e);
        return cr_err_memory(err);
    }
    if (!is_waiting(a))
        write_lines(a);
    return answer(a, e, ret_ticket, err);
}

static void forget(struct cr_auditor *auditor, struct cr_audit_ticket *ticket)
{
    struct entry *e = cr_container(ticket, struct entry, ticket);

    (void)auditor;
    take(e);
    free_entry(e);
}

static void after(struct cr_auditor *auditor, struct caprun_run *run, uint32_t number,
                  bool is_known)
{
    struct cr_audit *a = audit_of(auditor);
    struct entry *e;

    if (a->is_off)
        return;
    e = new_entry();
    if (e)
        cr_audit_compose_result(&e->body, &a->who, run, number, is_known);
    add_unawaited(a, e);
}

static void end(struct cr_auditor *auditor, struct caprun_run *run)
{
    struct cr_audit *a = audit_of(auditor);
    struct entry *e;

    if (a->is_off)
        return;
    e = new_entry();
    if (e)
        cr_audit_compose_end(&e->body, &a->who, run);
    add_unawaited(a, e);
}

/* --- from the beginning to the end ---------------------------------------------------------- */

static void init_list(struct list *list)
{
    list->last = &list->first;
}

int cr_audit_new(struct cr_loop *loop, const struct cr_audit_spec *spec, struct cr_audit **ret,
                 struct cr_err *err)
{
    struct cr_audit *a = calloc(1, sizeof(*a));

    if (a)
        a->file = malloc(sizeof(*a->file));
    if (!a || !a->file || cr_audit_file_init(a->file, spec->path) < 0) {
        if (a && a->file)
            free_file(a->file);
        free(a);
        return cr_err_memory(err);
    }
    a->auditor = (struct cr_auditor){
        .begin = begin, .before = before, .forget = forget, .after = after, .end = end};
    a->loop = loop;
    a->has_args = spec->has_args;
    a->is_off = spec->is_off;
    a->write = (struct cr_task){.run = write_due, .name = "audit"};
    a->deliver = (struct cr_task){.run = deliver_due, .name = "audit"};
    a->hash = (struct cr_task){.run = hash_due, .name = "audit"};
    a->retry = (struct cr_timer){.when_us = -1, .due = retry_due, .name = "audit"};
    cr_audit_who_init(&a->who);
    init_list(&a->hashing);
    init_list(&a->queue);
    init_list(&a->done);
    if (cr_audit_file_settle(a->file, &a->err) == CR_AUDIT_FILE_READY)
        (void)cr_audit_file_commit(a->file, true, &a->err); /* what was repaired */
    *ret = a;
    return 0;
}

/* Waits for the lock or the helper thread, for a while. */
static void write_the_rest(struct cr_audit *a)
{
    int64_t until_us = cr_loop_now() + END_US;

    write_lines(a);
    while ((a->settling || (a->queue.first && is_waiting(a))) && cr_loop_now() < until_us)
        cr_loop_step(a->loop, (int)(LAST_RETRY_US / 1000));
}

void cr_audit_free(struct cr_audit *a)
{
    struct entry *e;

    if (!a)
        return;
    write_the_rest(a);
    cr_loop_forget(a->loop, &a->write);
    cr_loop_forget(a->loop, &a->deliver);
    cr_loop_forget_busy(a->loop, &a->hash);
    cr_loop_unset(a->loop, &a->retry);
    while ((e = a->queue.first)) {
        take(e);
        free_entry(e);
    }
    if (a->settling)
        cr_helper_abandon(&a->loop->disk, &a->settling->job);
    else
        free_file(a->file);
    cr_audit_who_clear(&a->who);
    free(a);
}

struct cr_auditor *cr_audit_auditor(struct cr_audit *a)
{
    return a ? &a->auditor : NULL;
}
