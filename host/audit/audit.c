/* audit.c - composes the lines about runs and their calls, and hashes args; queue.c writes them. */
#include "audit/audit.h"

#include <stdlib.h>
#include <string.h>

#include "audit/audit_parts.h"
#include "audit/line.h"

#define MAX_WAITING (4u << 20) /* bytes of lines that no call waits for */
#define AT_ONCE (128u << 10)   /* args over this are hashed in turns */
#define PIECE (32u << 10)
#define END_US 2000000 /* how long the end may wait for a lock or a disk */
#define END_STEP_MS 10

/* --- lines ---------------------------------------------------------------------------------- */

/* Adds a line that nobody waits for; it is written at the end of the step. Frees |e|, or keeps it.
 */
static void add_unawaited(struct cr_audit *a, struct cr_audit_entry *e)
{
    if (!e || cr_buf_err(&e->body) || a->unawaited + e->body.len > MAX_WAITING) {
        a->lost++;
        if (e)
            cr_audit_free_entry(e);
        return;
    }
    e->state = CR_AUDIT_ENTRY_QUEUED;
    a->unawaited += e->body.len;
    cr_audit_put(&a->queue, e);
    cr_loop_defer(a->loop, &a->write);
}

/* Composes the line of a call, whose args have been hashed. Returns false without memory. */
static bool enqueue_call(struct cr_audit *a, struct cr_audit_entry *e)
{
    uint8_t hash[CR_HASH_BYTES];
    struct cr_audit_ticket *t = &e->ticket;

    cr_hash_end(&e->sum, hash);
    cr_audit_compose_call(&e->body, &a->who, t, hash, a->has_args);
    if (cr_buf_err(&e->body))
        return false;
    e->state = CR_AUDIT_ENTRY_QUEUED;
    cr_audit_put(&a->queue, e);
    return true;
}

/* Hashes long args, a piece at a time. */
static void hash_due(struct cr_task *task)
{
    struct cr_audit *a = cr_container(task, struct cr_audit, hash);
    struct cr_audit_entry *e;

    while ((e = a->hashing.first)) {
        size_t rest = e->ticket.args_len - e->hashed, len = rest < PIECE ? rest : PIECE;

        cr_hash_add(&e->sum, e->ticket.args + e->hashed, len);
        e->hashed += len;
        if (e->hashed == e->ticket.args_len) {
            cr_audit_take(e);
            if (enqueue_call(a, e)) {
                cr_audit_write(a);
            } else {
                (void)cr_err_memory(&a->err);
                cr_audit_put(&a->queue, e);
                cr_audit_end_awaited(a, e, CR_AUDIT_ENTRY_FAILED);
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
    struct cr_audit_entry *e = cr_audit_new_entry();

    if (e)
        cr_audit_compose_begin(&e->body, &a->who, run,
                               a->is_off    ? "off"
                               : is_resumed ? "resume"
                                            : "run");
    add_unawaited(a, e);
}

static struct cr_audit_entry *new_call(struct caprun_run *run, uint32_t number, const char *tool,
                                       const char *args, size_t len)
{
    struct cr_audit_entry *e = cr_audit_new_entry();

    if (!e)
        return NULL;
    e->is_awaited = true;
    e->until_us = cr_loop_now() + CR_AUDIT_WAIT_US;
    e->ticket = (struct cr_audit_ticket){
        .run = run, .number = number, .tool = strdup(tool), .args = args, .args_len = len};
    cr_hash_begin(&e->sum);
    if (e->ticket.tool)
        return e;
    cr_audit_free_entry(e);
    return NULL;
}

/* Returns what before() has to, for a line that may be written already. */
static int answer(struct cr_audit *a, struct cr_audit_entry *e, struct cr_audit_ticket **ret_ticket,
                  struct cr_err *err)
{
    enum cr_audit_entry_state state = e->state;

    if (state == CR_AUDIT_ENTRY_HASHING || state == CR_AUDIT_ENTRY_QUEUED) {
        *ret_ticket = &e->ticket;
        return CR_AUDITOR_LATER;
    }
    cr_audit_take(e);
    cr_audit_free_entry(e);
    if (state == CR_AUDIT_ENTRY_WRITTEN)
        return 0;
    *err = a->err;
    return err->code;
}

static int before(struct cr_auditor *auditor, struct caprun_run *run, uint32_t number,
                  const char *tool, const char *args, size_t len,
                  struct cr_audit_ticket **ret_ticket, struct cr_err *err)
{
    struct cr_audit *a = audit_of(auditor);
    struct cr_audit_entry *e = a->is_off ? NULL : new_call(run, number, tool, args, len);

    if (a->is_off)
        return 0;
    if (!e)
        return cr_err_memory(err);
    if (len > AT_ONCE) {
        cr_audit_put(&a->hashing, e);
        cr_loop_defer_busy(a->loop, &a->hash);
        return answer(a, e, ret_ticket, err);
    }
    cr_hash_add(&e->sum, args, len);
    if (!enqueue_call(a, e)) {
        cr_audit_free_entry(e);
        return cr_err_memory(err);
    }
    if (!cr_audit_is_waiting(a))
        cr_audit_write(a);
    return answer(a, e, ret_ticket, err);
}

static void forget(struct cr_auditor *auditor, struct cr_audit_ticket *ticket)
{
    struct cr_audit_entry *e = cr_container(ticket, struct cr_audit_entry, ticket);

    (void)auditor;
    cr_audit_take(e);
    cr_audit_free_entry(e);
}

static void after(struct cr_auditor *auditor, struct caprun_run *run, uint32_t number,
                  bool is_known)
{
    struct cr_audit *a = audit_of(auditor);
    struct cr_audit_entry *e;

    if (a->is_off)
        return;
    e = cr_audit_new_entry();
    if (e)
        cr_audit_compose_result(&e->body, &a->who, run, number, is_known);
    add_unawaited(a, e);
}

static void end(struct cr_auditor *auditor, struct caprun_run *run)
{
    struct cr_audit *a = audit_of(auditor);
    struct cr_audit_entry *e;

    if (a->is_off)
        return;
    a->renews = true;
    e = cr_audit_new_entry();
    if (e)
        cr_audit_compose_end(&e->body, &a->who, run);
    add_unawaited(a, e);
}

/* --- from the beginning to the end ---------------------------------------------------------- */

static void init_list(struct cr_audit_lines *list)
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
            cr_audit_free_file(a->file);
        free(a);
        return cr_err_memory(err);
    }
    a->auditor = (struct cr_auditor){
        .begin = begin, .before = before, .forget = forget, .after = after, .end = end};
    a->loop = loop;
    a->has_args = spec->has_args;
    a->is_off = spec->is_off;
    a->write = (struct cr_task){.run = cr_audit_write_due, .name = "audit"};
    a->deliver = (struct cr_task){.run = cr_audit_deliver_due, .name = "audit"};
    a->hash = (struct cr_task){.run = hash_due, .name = "audit"};
    a->retry = (struct cr_timer){.when_us = -1, .due = cr_audit_retry_due, .name = "audit"};
    a->renewal = (struct cr_timer){.when_us = -1, .due = cr_audit_renewal_due, .name = "audit"};
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

    cr_audit_write(a);
    while ((a->settling || (a->queue.first && cr_audit_is_waiting(a))) && cr_loop_now() < until_us)
        cr_loop_step(a->loop, END_STEP_MS);
    if (a->renewal.when_us >= 0)
        cr_audit_renewal_due(&a->renewal);
}

void cr_audit_free(struct cr_audit *a)
{
    struct cr_audit_entry *e;

    if (!a)
        return;
    write_the_rest(a);
    cr_loop_forget(a->loop, &a->write);
    cr_loop_forget(a->loop, &a->deliver);
    cr_loop_forget_busy(a->loop, &a->hash);
    cr_loop_unset(a->loop, &a->retry);
    cr_loop_unset(a->loop, &a->renewal);
    while ((e = a->queue.first)) {
        cr_audit_take(e);
        cr_audit_free_entry(e);
    }
    if (a->settling)
        cr_helper_abandon(&a->loop->disk, &a->settling->job);
    else
        cr_audit_free_file(a->file);
    cr_audit_who_clear(&a->who);
    free(a);
}

struct cr_auditor *cr_audit_auditor(struct cr_audit *a)
{
    return a ? &a->auditor : NULL;
}
