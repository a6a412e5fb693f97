/*
 * keep.c - stores long values in a helper thread; the frame or answer with the value waits until
 * then.
 *
 * All runs share one helper, so only a few answers of a run are in its queue. The others wait here,
 * in their order.
 */
#include "run/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/calls.h"
#include "run/run_parts.h"

/* The helper stores one answer while the loop delivers another one. */
#define MOST_ANSWERS_AT_ONCE 2u

/* An answer that is being stored or will be, in the list of its run. */
struct cr_answer {
    struct cr_answer *next;
    struct caprun_run *run;
    uint32_t number;
    enum wire_reply_kind kind;
    struct cr_keeping keeping;
};

static bool is_long(const struct caprun_run *run, const void *value, size_t len, bool is_json)
{
    return run->recorder ? run->recorder->is_long(value, len, is_json)
                         : run->is_replaying && run->player->is_long(value, len, is_json);
}

static bool start_keeping(struct caprun_run *run, struct cr_keeping *k)
{
    return run->recorder ? run->recorder->keep(run->recorder, run, k)
                         : run->player->keep(run->player, run, k);
}

static void note_name(struct cr_kept *kept, const struct cr_keeping *k, const char *name)
{
    *kept = (struct cr_kept){.bytes = name ? k->bytes : NULL,
                             .len = k->len,
                             .is_stored = k->is_stored,
                             .is_json = k->is_json};
    if (name)
        (void)snprintf(kept->name, sizeof(kept->name), "%s", name);
}

/* --- frames ---------------------------------------------------------------------------------- */

/* Will the value of a frame of |type| be recorded, if it comes now? */
static bool is_of_interest(const struct caprun_run *run, unsigned type)
{
    if (type == WIRE_LOG)
        return !run->log_cut;
    return (type == WIRE_CALL || type == WIRE_DONE) && run->state == CR_RUN_RUNNING;
}

/* Returns the value of a frame that may be long, or NULL. */
static const uint8_t *find_value(const struct wire_header *header, const uint8_t *payload,
                                 size_t *ret_len)
{
    struct wire_call names;
    size_t before = 0;

    if (header->type == WIRE_CALL) {
        memcpy(&names, payload, sizeof(names));
        before = sizeof(names) + (size_t)names.namespace_len + names.action_len;
    }
    if (before > header->length)
        return NULL;
    *ret_len = header->length - before;
    return payload + before;
}

static void frame_kept(void *data, const char *name, const struct cr_err *err)
{
    struct caprun_run *run = data;

    run->incoming.job = NULL;
    note_name(&run->received_value, &run->incoming, name);
    run->repeats_frame = true;
    if (err)
        (void)cr_run_end_unrecorded(run, err);
    else
        cr_worker_resume(run->worker);
}

bool cr_keep_frame(struct caprun_run *run, const struct wire_header *header, const uint8_t *payload)
{
    bool is_json = header->type != WIRE_LOG;
    size_t len = 0;
    const uint8_t *value;

    if (run->repeats_frame || (!run->recorder && !run->is_replaying)) {
        run->repeats_frame = false;
        return false;
    }
    value = is_of_interest(run, header->type) ? find_value(header, payload, &len) : NULL;
    run->received_value.bytes = NULL;
    if (!value || !is_long(run, value, len, is_json))
        return false;
    run->incoming = (struct cr_keeping){.shared = cr_worker_share_frames(run->worker),
                                        .bytes = value,
                                        .len = len,
                                        .is_scanned = !is_json,
                                        .done = frame_kept,
                                        .data = run};
    if (run->incoming.shared && start_keeping(run, &run->incoming))
        cr_worker_pause(run->worker);
    else
        cr_worker_resume(run->worker); /* gives back the lent memory */
    return run->incoming.job != NULL;
}

/* --- answers --------------------------------------------------------------------------------- */

static void free_answer(struct cr_answer *a, struct cr_helper *helper)
{
    cr_shared_unref_large(a->keeping.shared, a->keeping.len, helper);
    free(a);
}

static void take_out(struct caprun_run *run, const struct cr_answer *a)
{
    struct cr_answer **at = &run->answers.first;

    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    if (!*at)
        run->answers.last = at;
    run->answers.at_work--;
    run->answers.bytes -= a->keeping.len;
    run->calls[a->number - 1].is_answered = false;
}

/* Answers the call, and frees |a|. Returns false if the run has ended. */
static bool end_answer(struct cr_answer *a, const char *name, const struct cr_err *err)
{
    struct caprun_run *run = a->run;
    struct cr_helper *helper = &run->loop->helper; /* the application may free the run below */
    bool goes_on = !err;

    take_out(run, a);
    if (err) {
        (void)cr_run_end_unrecorded(run, err);
    } else if (cr_calls_is_open(run, a->number)) {
        note_name(&run->sent_value, &a->keeping, name);
        run->sent_value_memory = a->keeping.shared;
        cr_calls_deliver(run, a->number, a->kind, a->keeping.bytes, a->keeping.len, NULL);
        run->sent_value_memory = NULL;
        run->sent_value.bytes = NULL;
        goes_on = run->state == CR_RUN_RUNNING;
        if (goes_on)
            cr_run_schedule(run);
    }
    free_answer(a, helper);
    return goes_on;
}

/* An answer that is not stored, because the journal is full, does not wait. */
static void store_next_answers(struct caprun_run *run)
{
    struct cr_answer *a;
    bool goes_on = true;

    while (goes_on && run->answers.at_work < MOST_ANSWERS_AT_ONCE && (a = run->answers.next)) {
        run->answers.next = a->next;
        run->answers.at_work++;
        goes_on = start_keeping(run, &a->keeping) || end_answer(a, NULL, NULL);
    }
}

static void answer_kept(void *data, const char *name, const struct cr_err *err)
{
    struct cr_answer *a = data;
    struct caprun_run *run = a->run;

    if (end_answer(a, name, err))
        store_next_answers(run);
}

/* The frame to the worker shares this memory, so the answer is in memory only once. */
static struct cr_answer *new_answer(const char *json, size_t len, uint8_t **block)
{
    struct cr_answer *a = calloc(1, sizeof(*a));

    if (a)
        a->keeping.shared = block && *block ? cr_shared_take(block) : cr_shared_copy(json, len);
    if (!a || a->keeping.shared)
        return a;
    free(a);
    return NULL;
}

bool cr_keep_answer(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                    const char *json, size_t len, uint8_t **block)
{
    bool is_copy = !block || !*block;
    struct cr_answer *a;

    if (!run->recorder || run->is_replaying || !is_long(run, json, len, true))
        return false;
    a = new_answer(json, len, block);
    if (!a)
        return false; /* without memory for the job, it is stored in the loop's thread */
    a->run = run;
    a->number = number;
    a->kind = kind;
    a->keeping.bytes = is_copy ? (const char *)a->keeping.shared->block : json;
    a->keeping.len = len;
    a->keeping.is_scanned = true;
    a->keeping.done = answer_kept;
    a->keeping.data = a;
    *run->answers.last = a;
    run->answers.last = &a->next;
    if (!run->answers.next)
        run->answers.next = a;
    run->answers.bytes += len;
    run->calls[number - 1].is_answered = true;
    cr_calls_stop_clock(run, number);
    store_next_answers(run);
    return true;
}

void cr_keep_init(struct caprun_run *run)
{
    run->answers = (struct cr_answers){.last = &run->answers.first};
}

void cr_keep_clear(struct caprun_run *run)
{
    struct cr_answer *a;

    cr_helper_abandon(&run->loop->disk, run->incoming.job);
    run->incoming.job = NULL;
    while ((a = run->answers.first)) {
        run->answers.first = a->next;
        cr_helper_abandon(&run->loop->disk, a->keeping.job);
        free_answer(a, &run->loop->helper);
    }
    cr_keep_init(run);
}
