/* queue.c - the queue of lines: when they are written, who waits for that, and when it fails. */
#include <stdlib.h>

#include "audit/audit_parts.h"
#include "audit/line.h"
#include "run/auditing.h"

#define MAX_AT_ONCE (256u << 10) /* bytes of one write */
#define RENEW_US 100000          /* how long the record may be behind the last line */
#define FIRST_RETRY_US 300
#define LAST_RETRY_US 10000
#define USUAL_BODY 512
#define MAX_BODY (CR_AUDIT_MAX_LINE - 1024)

/* --- lists ---------------------------------------------------------------------------------- */

void cr_audit_put(struct cr_audit_lines *list, struct cr_audit_entry *e)
{
    e->list = list;
    e->next = NULL;
    e->at = list->last;
    *list->last = e;
    list->last = &e->next;
}

void cr_audit_take(struct cr_audit_entry *e)
{
    *e->at = e->next;
    if (e->next)
        e->next->at = e->at;
    else
        e->list->last = e->at;
}

void cr_audit_free_entry(struct cr_audit_entry *e)
{
    cr_buf_clear(&e->body);
    free(e->ticket.tool);
    free(e);
}

struct cr_audit_entry *cr_audit_new_entry(void)
{
    struct cr_audit_entry *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    cr_buf_init(&e->body, MAX_BODY);
    cr_buf_grow_to(&e->body, USUAL_BODY);
    return e;
}

/* --- writing -------------------------------------------------------------------------------- */

void cr_audit_free_file(struct cr_audit_file *file)
{
    cr_audit_file_clear(file);
    free(file);
}

/* An awaited line leaves the queue for good: its call is told in a later step. */
void cr_audit_end_awaited(struct cr_audit *a, struct cr_audit_entry *e,
                          enum cr_audit_entry_state state)
{
    cr_audit_take(e);
    e->state = state;
    cr_audit_put(&a->done, e);
    cr_loop_defer(a->loop, &a->deliver);
}

static void fail_awaited(struct cr_audit *a, int64_t until_us)
{
    for (struct cr_audit_entry *e = a->queue.first, *next; e; e = next) {
        next = e->next;
        if (e->is_awaited && e->until_us <= until_us)
            cr_audit_end_awaited(a, e, CR_AUDIT_ENTRY_FAILED);
    }
}

static void add_lost(struct cr_audit *a)
{
    cr_autobuf struct cr_buf body = CR_BUF(1024);

    cr_audit_line_begin(&body, "lost");
    cr_buf_fmt(&body, ",\"lines\":%llu", (unsigned long long)a->lost);
    cr_audit_file_add(a->file, body.data, body.len);
}

/* Adds lines up to a size. Returns the first that is left, or NULL. */
static struct cr_audit_entry *add_lines(struct cr_audit *a)
{
    struct cr_audit_entry *e = a->queue.first;
    size_t sum = 0;

    if (a->lost)
        add_lost(a);
    for (; e && sum < MAX_AT_ONCE; e = e->next) {
        cr_audit_file_add(a->file, e->body.data, e->body.len);
        sum += e->body.len;
    }
    return e;
}

/* Renews the record now, or soon: that takes longer than to write a line. */
static int commit(struct cr_audit *a)
{
    bool renews = a->renews;
    int r = cr_audit_file_commit(a->file, renews, &a->err);

    if (r < 0)
        return r;
    a->renews = false;
    if (renews)
        cr_loop_unset(a->loop, &a->renewal);
    else if (a->renewal.when_us < 0)
        cr_loop_set(a->loop, &a->renewal, cr_loop_now() + RENEW_US);
    return 0;
}

/* The file is locked and in order: writes lines until the queue is empty. */
static int write_some(struct cr_audit *a)
{
    const struct cr_audit_entry *rest = add_lines(a);
    int r = commit(a);

    if (r < 0)
        return r;
    a->lost = 0;
    while (a->queue.first != rest) {
        struct cr_audit_entry *e = a->queue.first;

        /* cr_audit_take() has removed the entry of the round before, which the analyzer does not
         * see */
        if (e->is_awaited) { /* NOLINT(clang-analyzer-unix.Malloc) */
            cr_audit_end_awaited(a, e, CR_AUDIT_ENTRY_WRITTEN);
            continue;
        }
        cr_audit_take(e);
        a->unawaited -= e->body.len;
        cr_audit_free_entry(e);
    }
    return 0;
}

static void settle(struct cr_job *job)
{
    struct cr_audit_settling *s = cr_container(job, struct cr_audit_settling, job);

    s->code = cr_audit_file_settle(s->file, &s->err);
}

/* The audit is gone: its file with it. */
static void discard_settling(struct cr_job *job)
{
    struct cr_audit_settling *s = cr_container(job, struct cr_audit_settling, job);

    cr_audit_free_file(s->file);
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
bool cr_audit_is_waiting(const struct cr_audit *a)
{
    return a->settling || a->retry.when_us >= 0;
}

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
    struct cr_audit_settling *s = cr_container(job, struct cr_audit_settling, job);
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
        cr_audit_write(a);
}

/* Without memory for a job, the lines are tried again later. */
static void start_settling(struct cr_audit *a)
{
    struct cr_audit_settling *s = calloc(1, sizeof(*s));

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
void cr_audit_write(struct cr_audit *a)
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

void cr_audit_write_due(struct cr_task *task)
{
    cr_audit_write(cr_container(task, struct cr_audit, write));
}

void cr_audit_retry_due(struct cr_timer *timer)
{
    struct cr_audit *a = cr_container(timer, struct cr_audit, retry);

    (void)cr_err_set(&a->err, CAPRUN_E_SYS, "'%s' is locked by another process, or its disk hangs",
                     a->file->path);
    (void)cr_err_hint(&a->err, "lslocks shows who has locked '%.300s'", a->file->record_path);
    fail_awaited(a, cr_loop_now());
    if (a->settling && a->queue.first)
        cr_loop_set(a->loop, timer, cr_loop_now() + LAST_RETRY_US);
    else if (a->queue.first)
        cr_audit_write(a);
}

/* If lines wait, the next write renews the record. */
void cr_audit_renewal_due(struct cr_timer *timer)
{
    struct cr_audit *a = cr_container(timer, struct cr_audit, renewal);
    int r;

    a->renews = true;
    if (a->queue.first || a->settling)
        return;
    r = cr_audit_file_take(a->file, &a->err);
    if (r == CR_AUDIT_FILE_READY)
        (void)commit(a);
    else if (r == CR_AUDIT_FILE_BUSY)
        cr_loop_set(a->loop, timer, cr_loop_now() + LAST_RETRY_US);
    else
        cr_audit_file_release(a->file); /* the next line repairs it */
}

void cr_audit_deliver_due(struct cr_task *task)
{
    struct cr_audit *a = cr_container(task, struct cr_audit, deliver);
    struct cr_err err = a->err;

    while (a->done.first) {
        struct cr_audit_entry *e = a->done.first;

        if (cr_loop_turn_is_over(a->loop)) {
            cr_loop_defer(a->loop, task);
            return;
        }
        cr_auditing_written(&e->ticket, e->state == CR_AUDIT_ENTRY_WRITTEN ? NULL : &err);
    }
}
