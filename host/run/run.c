/* run.c - the life of a run: start, its worker, frames to it, and its end. */
#include "run/run_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/watchdog.h"
#include "run/auditing.h"
#include "run/calls.h"
#include "run/frames.h"
#include "run/keep.h"

/* Bytes in the envelope: per byte of text, more for each log line, for each call, for the rest. */
#define ESCAPED_BYTE 6u
#define LOG_LINE_MORE 64u
#define ENVELOPE_CALL 512u
#define ENVELOPE_REST (2u * LIMIT_MIB)

void cr_run_notify(struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    if (!run->on_event)
        return;
    cr_watchdog_leave();
    run->on_event(run->event_data, run, what, call);
    cr_watchdog_return();
}

static void notify_calls_done(struct caprun_run *run)
{
    uint32_t number;

    for (size_t at = 0; at + sizeof(number) <= run->calls_done.len; at += sizeof(number)) {
        memcpy(&number, run->calls_done.data + at, sizeof(number));
        cr_run_notify(run, CAPRUN_EVENT_CALL_DONE, number);
    }
    cr_buf_drop(&run->calls_done, run->calls_done.len);
}

/* In the very last event the application may free the run. */
static void send_events(struct cr_task *task)
{
    struct caprun_run *run = cr_container(task, struct caprun_run, news);

    notify_calls_done(run);
    if (run->state != CR_RUN_ENDED)
        return;
    for (size_t i = 0; run->calls_open && i < run->call_count; i++)
        if (run->calls[i].state == CR_CALL_OPEN)
            cr_run_notify(run, CAPRUN_EVENT_CALL_LOST, (uint32_t)i + 1);
    cr_loop_forget(run->loop, task);
    cr_run_notify(run, CAPRUN_EVENT_ENDED, 0);
}

void cr_run_notify_call_done(struct caprun_run *run, uint32_t number)
{
    if (!run->on_event)
        return;
    cr_buf_add(&run->calls_done, &number, sizeof(number));
    cr_loop_defer(run->loop, &run->news);
}

/* Gives the worker or the place in the queue back to the pool; or stops the loader. */
static void leave_pool(struct caprun_run *run)
{
    struct cr_worker *w = run->worker;

    if (run->state == CR_RUN_LOADING)
        run->loader->cancel(run->loader, run);

    if (w && w->closed && !w->gone) /* it may have crashed, and its report will not be read */
        cr_pool_retire_zygote(run->pool, w->zygote);
    if (run->state == CR_RUN_WAITING)
        cr_pool_dequeue(run->pool, &run->guest);
    else if (w)
        cr_pool_release(run->pool, &run->guest);
    run->worker = NULL;
    cr_worker_free(w);
}

/* The worker's own report is as good as its result, and asking the kernel takes longer. */
static uint64_t memory_used(const struct caprun_run *run)
{
    uint64_t before = run->worker->zygote->resident;

    return run->reported_memory && before ? before + run->reported_memory
                                          : cr_worker_memory(run->worker);
}

void cr_run_end(struct caprun_run *run, enum caprun_outcome outcome)
{
    bool has_started = run->state != CR_RUN_NEW && run->state != CR_RUN_LOADING;

    if (run->state == CR_RUN_ENDED)
        return;
    run->ended_us = cr_loop_now();
    if (run->worker && !run->worker->gone) {
        run->cpu_us = cr_worker_cpu_us(run->worker);
        run->memory_used = memory_used(run);
        cr_scheduling_lower_priority(run->pool, run->worker, run->reported_memory);
    }
    cr_loop_unset(run->loop, &run->timer);
    cr_keep_clear(run);
    leave_pool(run);
    run->state = CR_RUN_ENDED;
    if (run->is_replaying && has_started)
        run->player->end(run->player, run, &outcome);
    run->outcome = outcome;
    if (run->paused_us)
        run->waited_us += run->ended_us - run->paused_us;
    if (run->prompter)
        run->prompter->end(run->prompter, run);
    for (size_t i = 0; outcome != CAPRUN_OUTCOME_APPROVAL_REQUIRED && i < run->call_count; i++)
        run->calls[i].is_asked = false;
    cr_auditing_end(run);
    cr_calls_cancel(run);
    if (!run->error.message.len)
        cr_run_explain(run, outcome);
    /* a run refused before its start, or before the replay has ended, is not recorded */
    if (run->recorder && (has_started || (run->asked_us && !run->is_replaying)))
        run->recorder->end(run->recorder, run);
    if (run->on_event)
        cr_loop_defer(run->loop, &run->news);
}

/*
 * The frame is recorded after it was sent, so that the worker need not wait: it can have no effect
 * outside of the worker before the host reads its next frame.
 */
static void record_sent_frame(struct caprun_run *run, const struct wire_header *header,
                              const struct wire_part *parts, size_t count)
{
    struct cr_err err;

    if (run->recorder && !run->is_replaying && run->state != CR_RUN_ENDED &&
        run->recorder->frame_sent(run->recorder, run, header, parts, count, &run->sent_value,
                                  &err) < 0)
        (void)cr_run_end_unrecorded(run, &err);
}

void cr_run_send(struct caprun_run *run, struct wire_header header, const struct wire_part *parts,
                 size_t count, uint8_t **block)
{
    int r;

    header.left_ms = cr_run_left_ms(run);
    header.now_us = run->is_replaying ? run->replay_time.now_us : cr_run_now(run);
    header.date_us = run->is_replaying ? run->replay_time.date_us : run->date_us + header.now_us;
    run->frames_sent++;
    run->idle = false;
    r = cr_worker_send(run->worker, &header, parts, count, block, run->sent_value_memory,
                       header.type == WIRE_JOB); /* code and args live as long as the run */
    if (r == CAPRUN_E_TOOBIG) {
        cr_worker_fault(run->worker, "it calls, and does not read the answers");
    } else if (r < 0) {
        cr_run_set_message(run, "No memory for the messages that wait for the worker");
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
    } else {
        record_sent_frame(run, &header, parts, count);
    }
}

int cr_run_end_unrecorded(struct caprun_run *run, const struct cr_err *why)
{
    cr_run_set_message(run, "The run cannot be recorded: %s", why->text);
    cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
    return why->code;
}

bool cr_run_frame_received(struct caprun_run *run, const struct wire_header *header,
                           const uint8_t *payload)
{
    bool known = run->is_replaying && run->player->frame_received(run->player, run, header, payload,
                                                                  &run->received_value);
    struct cr_err err;

    if (run->state != CR_RUN_ENDED && !known && run->recorder &&
        run->recorder->frame_received(run->recorder, run, header, payload, &run->received_value,
                                      &err) < 0)
        (void)cr_run_end_unrecorded(run, &err);
    return run->state != CR_RUN_ENDED;
}

int64_t cr_run_wall_clock_us(void)
{
    struct timespec date;

    (void)clock_gettime(CLOCK_REALTIME, &date);
    return (int64_t)date.tv_sec * 1000000 + date.tv_nsec / 1000;
}

bool cr_run_go_live(struct caprun_run *run, int64_t now_us)
{
    struct cr_err err;

    run->is_replaying = false;
    run->job_us = cr_loop_now() - now_us;
    run->date_us = cr_run_wall_clock_us() - now_us;
    cr_run_schedule(run);
    cr_auditing_begin(run, true);
    if (run->recorder && run->recorder->resume(run->recorder, run, &err) < 0)
        (void)cr_run_end_unrecorded(run, &err);
    return run->state != CR_RUN_ENDED;
}

void cr_spec_name_code(struct cr_spec *spec, const uint8_t digest[CR_HASH_BYTES])
{
    (void)snprintf(spec->code_name, sizeof(spec->code_name), "cap:%02x%02x%02x%02x", digest[0],
                   digest[1], digest[2], digest[3]);
}

static void take_digest(struct caprun_run *run)
{
    cr_hash_take(run->spec.code.data, run->spec.code.len, run->digest);
    if (!run->spec.code_name[0])
        cr_spec_name_code(&run->spec, run->digest);
}

static void wait_for_another_worker(struct caprun_run *run, struct cr_worker *w,
                                    const struct cr_err *why);

static void worker_ready(struct cr_worker *w)
{
    struct caprun_run *run = w->data;
    struct wire_job job = {.schema_len = (uint32_t)run->spec.schema.len,
                           .code_len = (uint32_t)run->spec.code.len,
                           .args_len = (uint32_t)run->spec.args.len,
                           .env_len = (uint32_t)run->spec.env.len,
                           .limits = run->spec.limits.most};

    if (w->zygote->is_rejected) {
        wait_for_another_worker(run, w, NULL);
        return;
    }
    run->awaits_recorder = run->recorder && !run->recorder->is_ready(run->recorder);
    if (run->awaits_recorder) {
        cr_run_schedule(run); /* allow more time */
        return;
    }
    cr_worker_limit_cpu(w, run->guest.cpu_s);
    job.name_len = (uint32_t)strlen(run->spec.code_name);
    job.wording = run->spec.wording;
    job.language = run->spec.language;
    memcpy(job.seed, run->spec.seed, sizeof(job.seed));
    run->date_us = cr_run_wall_clock_us();
    run->job_us = cr_loop_now();
    run->check_cpu_us = run->job_us + (int64_t)run->spec.limits.cpu_ms * 1000;
    run->kept_off_us = cr_scheduling_avoid_own_cpu(run->pool, &run->guest, w, run->job_us);
    run->state = CR_RUN_RUNNING;
    cr_pool_worker_is_ready(run->pool);
    cr_run_send(run, (struct wire_header){.type = WIRE_JOB},
                (struct wire_part[]){{&job, sizeof(job)},
                                     {run->spec.code_name, job.name_len},
                                     {run->spec.schema.data, run->spec.schema.len},
                                     {run->spec.code.data, run->spec.code.len},
                                     {run->spec.args.data, run->spec.args.len},
                                     {run->spec.env.data, run->spec.env.len}},
                6, NULL);
    if (run->state == CR_RUN_RUNNING)
        cr_run_schedule(run);
    if (run->state == CR_RUN_RUNNING && !run->start_notified) {
        run->start_notified = true;
        cr_run_notify(run, CAPRUN_EVENT_STARTED, 0);
    }
    if (run->state == CR_RUN_RUNNING && run->is_replaying)
        run->player->begun(run->player, run);
}

void cr_run_recorder_ready(struct caprun_run *run)
{
    if (run->state == CR_RUN_STARTING && run->awaits_recorder)
        worker_ready(run->worker);
}

/* Limits are checked first: the frame may have waited until after a limit. */
static void worker_frame(struct cr_worker *w, const struct wire_header *header,
                         const uint8_t *payload)
{
    struct caprun_run *run = w->data;

    if (!run->has_sent_frame)
        cr_pool_worker_works(run->pool);
    if (run->paused_us) {
        cr_worker_fault(w, "it goes on while it waits");
        return;
    }
    if (run->state == CR_RUN_RUNNING)
        cr_run_check_limits(run);
    if (run->state != CR_RUN_ENDED && cr_keep_frame(run, header, payload))
        return; /* the frame comes again */
    if (run->state != CR_RUN_ENDED)
        cr_frames_handle(run, header, payload);
    cr_arriving_clear(&run->arriving); /* the next frame has another text */
    run->has_sent_frame = true;
}

static void worker_part(struct cr_worker *w, const struct wire_header *header,
                        const uint8_t *payload, size_t have)
{
    struct caprun_run *run = w->data;

    if (run->state == CR_RUN_RUNNING)
        cr_frames_look(run, header, payload, have);
}

/* A worker that never read the code did not end because of it. The next worker starts afresh. */
static bool has_not_begun(const struct caprun_run *run, const struct cr_worker *w)
{
    return run->state == CR_RUN_STARTING ||
           (run->state == CR_RUN_RUNNING && cr_worker_never_began(w));
}

/* Waits for another worker. |why| is NULL if nothing has failed. */
static void wait_for_another_worker(struct caprun_run *run, struct cr_worker *w,
                                    const struct cr_err *why)
{
    run->state = CR_RUN_WAITING;
    run->awaits_recorder = false;
    run->job_us = 0;
    run->kept_off_us = 0;
    run->frames_sent = 0;
    run->woken_us = 0;
    cr_arriving_clear(&run->arriving);
    cr_loop_unset(run->loop, &run->timer);
    run->worker = NULL;
    cr_pool_requeue(run->pool, &run->guest, w, why);
    cr_worker_free(w);
}

/* The code is to blame for crashes and protocol errors, but not for a kill from outside. */
static bool is_to_blame(const struct cr_worker *w, const struct cr_err *why)
{
    return why->code == CAPRUN_E_PEER && !w->zygote->dead;
}

static void end_by_loss(struct caprun_run *run, struct cr_worker *w, const struct cr_err *why)
{
    cr_run_set_message(run, "%s", why->text);
    if (why->code == CAPRUN_E_NOMEM) {
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return;
    }
    if (is_to_blame(w, why)) {
        cr_run_hint(run, "if the code is not hostile, this is a bug of caprun: please report it");
        cr_pool_crashed(run->pool, &run->guest, w);
    }
    cr_run_end(run, CAPRUN_OUTCOME_WORKER_TERMINATED);
}

static void worker_gone(struct cr_worker *w, const struct cr_err *why)
{
    struct caprun_run *run = w->data;

    if (run->state == CR_RUN_LATE) {
        if (is_to_blame(w, why))
            cr_pool_crashed(run->pool, &run->guest, w);
        cr_run_end(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT);
    } else if (has_not_begun(run, w)) {
        wait_for_another_worker(run, w, why);
    } else {
        end_by_loss(run, w, why);
    }
}

/* --- as a guest of the pool ------------------------------------------------------------------ */

static void guest_refuse(struct cr_guest *guest)
{
    struct caprun_run *run = cr_container(guest, struct caprun_run, guest);

    cr_run_set_message(run, "This code is refused: it has crashed its worker %u times",
                       CR_CRASHES_ALLOWED);
    cr_run_end(run, CAPRUN_OUTCOME_WORKER_TERMINATED);
}

static void guest_take(struct cr_guest *guest, struct cr_worker *w)
{
    static const struct cr_worker_owner owner = {
        .ready = worker_ready, .frame = worker_frame, .part = worker_part, .gone = worker_gone};
    struct caprun_run *run = cr_container(guest, struct caprun_run, guest);

    run->worker = w;
    run->state = CR_RUN_STARTING;
    run->ready_by_us = cr_loop_now() + CR_RUN_START_US;
    w->owner = &owner;
    w->data = run;
    cr_worker_set_limits(w, &run->spec.limits.most);
    cr_worker_prepare(w);
    if (run->state == CR_RUN_STARTING)
        cr_run_schedule(run);
}

static void guest_fail(struct cr_guest *guest, const struct cr_err *why, const char *hint)
{
    struct caprun_run *run = cr_container(guest, struct caprun_run, guest);

    run->state = CR_RUN_NEW; /* it is not in the pool's queue any more */
    cr_run_set_message(run, "%s", why->text);
    cr_run_hint(run, hint);
    cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
}

static const struct cr_guest_ops guest_ops = {
    .take = guest_take, .refuse = guest_refuse, .fail = guest_fail};

/* --- from the start -------------------------------------------------------------------------- */

static const struct wire_limits default_limits = {LIMIT_DEFAULT_RESULT_BYTES,
                                                  LIMIT_DEFAULT_LOG_BYTES, LIMIT_DEFAULT_CALLS,
                                                  LIMIT_DEFAULT_CALLS_AT_ONCE};

/* The envelope gets room for everything that the limits allow. */
static void set_buffer_limits(struct caprun_run *run, const struct wire_limits *most)
{
    run->result.max = (size_t)most->result_bytes + 1; /* and a NUL */
    run->logs.max = (size_t)most->log_bytes + LIMIT_LOG_LINES * LOG_LINE_MORE;
    run->envelope.max = run->result.max + ESCAPED_BYTE * run->logs.max + run->blocked.max +
                        (size_t)most->calls * ENVELOPE_CALL + ENVELOPE_REST;
}

void cr_run_init(struct caprun_run *run, struct caprun_runtime *runtime, struct cr_pool *pool)
{
    *run = (struct caprun_run){.runtime = runtime,
                               .loop = pool->loop,
                               .pool = pool,
                               .timer = {.when_us = -1, .due = cr_run_timer_due, .name = "run"},
                               .news = {.run = send_events, .name = "application"}};
    run->guest = (struct cr_guest){.ops = &guest_ops, .digest = run->digest};
    run->spec.wording = WIRE_WORDING_V8;
    run->spec.language = WIRE_LANGUAGE_AUTO;
    cr_buf_init(&run->spec.code, LIMIT_CODE_BYTES);
    cr_buf_init(&run->spec.args, LIMIT_ARGS_BYTES);
    cr_buf_init(&run->spec.schema, LIMIT_SCHEMA_BYTES);
    cr_buf_init(&run->spec.env, LIMIT_ENV_BYTES);
    cr_buf_init(&run->spec.origin, LIMIT_ENV_BYTES);
    cr_buf_init(&run->blocked, LIMIT_BLOCKED * 6 * WIRE_BLOCKED_MAX);
    cr_buf_init(&run->attempts, LIMIT_BLOCKED * sizeof(struct cr_attempt));
    cr_buf_init(&run->attempt_words, LIMIT_BLOCKED * (LIMIT_DENIED_MESSAGE_BYTES + 1));
    cr_buf_init(&run->calls_done, LIMIT_MAX_CALLS * sizeof(uint32_t));
    cr_tool_list_init(&run->spec.tools);
    cr_keep_init(run);
    cr_buf_init(&run->error.message, 2 * LIMIT_ERROR_MESSAGE_BYTES);
    cr_buf_init(&run->error.stack, LIMIT_ERROR_STACK_BYTES + 1);
    set_buffer_limits(run, &default_limits);
}

static uint32_t first_set(uint32_t given, uint32_t otherwise)
{
    return given ? given : otherwise;
}

static void fill_in_limits(struct caprun_run *run)
{
    const struct wire_limits *otherwise = &default_limits;
    struct cr_run_limits *l = &run->spec.limits;

    if (!l->memory)
        l->memory = run->pool->sizes.memory;
    l->wall_ms = first_set(l->wall_ms, LIMIT_DEFAULT_WALL_MS);
    l->cpu_ms = first_set(l->cpu_ms, l->wall_ms);
    l->call_ms = first_set(l->call_ms, LIMIT_DEFAULT_CALL_MS);
    l->most = (struct wire_limits){first_set(l->most.result_bytes, otherwise->result_bytes),
                                   first_set(l->most.log_bytes, otherwise->log_bytes),
                                   first_set(l->most.calls, otherwise->calls),
                                   first_set(l->most.calls_at_once, otherwise->calls_at_once)};
    run->guest.memory = l->memory;
    run->guest.cpu_s = l->cpu_ms / 1000 + 2; /* above the host's own limit */
    set_buffer_limits(run, &l->most);
}

/* Keeps the seed across retries with other workers; no worker has used it yet. */
static bool has_seed(struct caprun_run *run)
{
    if (!run->spec.has_seed)
        run->spec.has_seed =
            getrandom(run->spec.seed, sizeof(run->spec.seed), 0) == (ssize_t)sizeof(run->spec.seed);
    return run->spec.has_seed;
}

void cr_run_set_loader(struct caprun_run *run, struct cr_loader *loader)
{
    if (run->loader)
        run->loader->free(run->loader);
    run->loader = loader;
}

void cr_run_load(struct caprun_run *run)
{
    run->state = CR_RUN_LOADING;
    run->loader->begin(run->loader, run);
}

int cr_run_start(struct caprun_run *run, struct cr_err *err)
{
    bool was_loaded = run->state == CR_RUN_LOADING;
    int r;

    fill_in_limits(run);
    r = cr_pool_admit(run->pool, &run->guest, err);
    if (r == CAPRUN_E_BUSY && !was_loaded)
        return r; /* the run has not begun, and nothing is recorded */
    take_digest(run);
    run->asked_us = cr_loop_now();
    if (!has_seed(run)) {
        cr_run_set_message(run, "The kernel gave no random numbers");
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return 0;
    }
    if (cr_pool_refuses(run->pool, &run->guest)) {
        guest_refuse(&run->guest);
        return 0;
    }
    if (run->recorder && run->recorder->begin(run->recorder, run, err) < 0) {
        (void)cr_run_end_unrecorded(run, err);
        return 0;
    }
    if (r < 0 && r != CAPRUN_E_BUSY) {
        cr_run_set_message(run, "%s", err->text);
        cr_run_end(run, CAPRUN_OUTCOME_VALIDATION_ERROR);
        return 0;
    }
    run->state = CR_RUN_WAITING;
    if (!run->is_replaying)
        cr_auditing_begin(run, false);
    cr_pool_enqueue(run->pool, &run->guest);
    return 0;
}

void cr_run_clear(struct caprun_run *run)
{
    cr_loop_forget(run->loop, &run->news);
    cr_loop_unset(run->loop, &run->timer);
    cr_keep_clear(run);
    leave_pool(run);
    if (run->state != CR_RUN_ENDED) {
        run->state = CR_RUN_ENDED; /* so that a server that fails meanwhile cannot answer it */
        run->outcome = CAPRUN_OUTCOME_CANCELLED;
        cr_auditing_end(run);
        cr_calls_cancel(run);
    }
    cr_calls_clear(run);
    if (run->prompter)
        run->prompter->forget(run->prompter, run);
    cr_run_set_loader(run, NULL);
    if (run->recorder)
        run->recorder->free(run->recorder);
    if (run->player)
        run->player->free(run->player);
    cr_arriving_clear(&run->arriving);
    cr_buf_clear(&run->spec.origin);
    free(run->error.tool);
    cr_tool_list_clear(&run->spec.tools);
    cr_budgets_clear(&run->budgets);
    cr_buf_clear(&run->spec.code);
    cr_buf_clear(&run->spec.args);
    cr_buf_clear(&run->spec.schema);
    cr_buf_clear(&run->spec.env);
    cr_buf_clear(&run->logs);
    cr_buf_clear(&run->blocked);
    cr_buf_clear(&run->calls_done);
    cr_buf_clear(&run->attempt_words);
    cr_buf_clear(&run->attempts);
    cr_buf_clear(&run->result);
    cr_buf_clear(&run->error.message);
    cr_buf_clear(&run->error.stack);
    cr_buf_clear(&run->envelope);
}
