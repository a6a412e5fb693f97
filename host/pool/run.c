/* run.c - from a worker that is ready to one outcome, and the limits on the way. */
#include "pool/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <nettle/sha2.h>

#include "base/units.h"
#include "pool/calls.h"
#include "pool/envelope.h"
#include "pool/frames.h"

#define START_US 10000000 /* a worker that is not ready by then never will be */
/* How long a worker that ran too long may take to say where it was. */
#define STACK_GRACE_US 30000
#define CPU_CHECK_LEAST_US 2000

int64_t cr_run_now(const struct caprun_run *run)
{
    return cr_loop_now() - run->job_us;
}

static int64_t wall_us(const struct caprun_run *run)
{
    return (int64_t)run->limits.wall_ms * 1000;
}

void cr_run_say(struct caprun_run *run, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    cr_buf_clear(&run->error.message);
    cr_buf_str(&run->error.message, text);
}

void cr_run_hint(struct caprun_run *run, const char *text)
{
    (void)snprintf(run->error.hint, sizeof(run->error.hint), "%s", text);
}

/* Words for the limits, where the worker had none. */
static void explain(struct caprun_run *run, enum caprun_outcome outcome)
{
    char amount[32];

    switch ((int)outcome) {
    case CAPRUN_OUTCOME_EXECUTION_TIMEOUT:
        cr_units_show_duration(run->limits.wall_ms, amount);
        cr_run_say(run, "Execution timeout after %s", amount);
        cr_run_hint(run, "raise it with --timeout");
        break;
    case CAPRUN_OUTCOME_CPU_TIMEOUT:
        cr_units_show_duration(run->limits.cpu_ms, amount);
        cr_run_say(run, "CPU time limit of %s reached", amount);
        cr_run_hint(run, "raise it with --cpu");
        break;
    case CAPRUN_OUTCOME_MEMORY_LIMIT:
        cr_units_show_size(run->limits.memory, amount);
        cr_run_say(run, "Memory limit of %s reached", amount);
        cr_run_hint(run, "raise it with --memory, or keep less at a time");
        break;
    case CAPRUN_OUTCOME_OUTPUT_LIMIT:
        cr_units_show_size(LIMIT_RESULT_BYTES, amount);
        cr_run_say(run, "The result is over %s", amount);
        cr_run_hint(run, "return less: a summary, or a part");
        break;
    case CAPRUN_OUTCOME_CALL_LIMIT:
        cr_run_say(run, "More than %u calls in one run", LIMIT_CALLS);
        break;
    case CAPRUN_OUTCOME_STALLED:
        cr_run_say(run, "The code waits for something that cannot happen: "
                        "no call and no timer is pending, and it has not returned");
        cr_run_hint(run, "look for a promise that nothing resolves");
        break;
    case CAPRUN_OUTCOME_CANCELLED:
        cr_run_say(run, "Cancelled");
        break;
    default:
        break;
    }
}

void cr_run_end(struct caprun_run *run, enum caprun_outcome outcome)
{
    if (run->state == CR_RUN_ENDED)
        return;
    run->state = CR_RUN_ENDED;
    run->outcome = outcome;
    run->ended_us = cr_loop_now();
    if (run->worker.zygote) {
        run->cpu_us = cr_worker_cpu_us(&run->worker);
        run->memory_used = cr_worker_memory(&run->worker);
    }
    cr_loop_unset(run->loop, &run->timer);
    cr_worker_clear(&run->worker);
    if (!run->error.message.len)
        explain(run, outcome);
    cr_envelope_write(run);
}

static uint32_t left_ms(const struct caprun_run *run)
{
    int64_t left = wall_us(run) - cr_run_now(run);

    return left > 0 ? (uint32_t)((left + 999) / 1000) : 1;
}

void cr_run_send(struct caprun_run *run, struct wire_header header, const struct wire_part *parts,
                 size_t count)
{
    header.left_ms = left_ms(run);
    header.now_us = cr_run_now(run);
    header.date_us = run->date_us + header.now_us;
    run->frames_sent++;
    run->idle = false;
    if (cr_worker_send(&run->worker, &header, parts, count) < 0) {
        cr_run_say(run, "No memory for the messages that wait for the worker");
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
    }
}

/* Code is called by what it is: stack traces say cap:1a2b3c4d, and no path of the host. */
static void code_name(const struct caprun_run *run, char name[16])
{
    struct sha256_ctx ctx;
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_init(&ctx);
    sha256_update(&ctx, run->code.len, run->code.data);
    sha256_digest(&ctx, sizeof(digest), digest);
    (void)snprintf(name, 16, "cap:%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3]);
}

static void worker_ready(struct cr_worker *w)
{
    struct caprun_run *run = cr_container(w, struct caprun_run, worker);
    struct wire_job job = {.code_len = (uint32_t)run->code.len,
                           .args_len = (uint32_t)run->args.len};
    struct timespec date;
    char name[16];

    code_name(run, name);
    job.name_len = (uint32_t)strlen(name);
    if (getrandom(job.seed, sizeof(job.seed), 0) != (ssize_t)sizeof(job.seed)) {
        cr_run_say(run, "The kernel gave no random numbers");
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return;
    }
    (void)clock_gettime(CLOCK_REALTIME, &date);
    run->date_us = (int64_t)date.tv_sec * 1000000 + date.tv_nsec / 1000;
    run->job_us = cr_loop_now();
    run->check_cpu_us = run->job_us + (int64_t)run->limits.cpu_ms * 1000;
    run->state = CR_RUN_RUNNING;
    cr_run_send(run, (struct wire_header){.type = WIRE_JOB},
                (struct wire_part[]){{&job, sizeof(job)},
                                     {name, job.name_len},
                                     {run->code.data, run->code.len},
                                     {run->args.data, run->args.len}},
                4);
    if (run->state == CR_RUN_RUNNING)
        cr_run_schedule(run);
}

static void reach_wall_limit(struct caprun_run *run);

/* The limit comes first: frames may have been waiting for longer than it. */
static void worker_frame(struct cr_worker *w, const struct wire_header *header,
                         const uint8_t *payload)
{
    struct caprun_run *run = cr_container(w, struct caprun_run, worker);

    if (run->state == CR_RUN_RUNNING && cr_run_now(run) >= wall_us(run))
        reach_wall_limit(run);
    if (run->state != CR_RUN_ENDED)
        cr_frames_handle(run, header, payload);
}

static void worker_gone(struct cr_worker *w, const struct cr_err *why)
{
    struct caprun_run *run = cr_container(w, struct caprun_run, worker);

    if (run->state == CR_RUN_LATE) {
        cr_run_end(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT);
        return;
    }
    cr_run_say(run, "%s", why->text);
    /* a worker that never got the code has not died of it */
    if (why->code != CAPRUN_E_PEER || run->state == CR_RUN_STARTING) {
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return;
    }
    cr_run_hint(run, "if the code is not hostile, this is a bug of caprun: please report it");
    cr_run_end(run, CAPRUN_OUTCOME_WORKER_TERMINATED);
}

void cr_run_schedule(struct caprun_run *run)
{
    int64_t next = run->job_us + wall_us(run);

    if (run->state == CR_RUN_LATE)
        next = run->late_us;
    if (run->state == CR_RUN_STARTING)
        next = run->asked_us + START_US;
    if (run->state == CR_RUN_RUNNING && run->check_cpu_us < next)
        next = run->check_cpu_us;
    if (run->state == CR_RUN_RUNNING && cr_calls_next(run) < next)
        next = cr_calls_next(run);
    if (run->state == CR_RUN_RUNNING && run->idle && run->wake_us >= 0 &&
        run->job_us + run->wake_us < next)
        next = run->job_us + run->wake_us;
    cr_loop_set(run->loop, &run->timer, next);
}

static void reach_wall_limit(struct caprun_run *run)
{
    if (run->idle) {
        cr_run_end(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT);
        return;
    }
    run->state = CR_RUN_LATE;
    run->late_us = cr_loop_now() + STACK_GRACE_US;
    cr_run_schedule(run);
}

/* The worker cannot have used more CPU time than has passed, so the next look is after the rest. */
static void check_cpu(struct caprun_run *run)
{
    int64_t left = (int64_t)run->limits.cpu_ms * 1000 - cr_worker_cpu_us(&run->worker);

    if (left <= 0) {
        cr_run_end(run, CAPRUN_OUTCOME_CPU_TIMEOUT);
        return;
    }
    run->check_cpu_us = cr_loop_now() + (left > CPU_CHECK_LEAST_US ? left : CPU_CHECK_LEAST_US);
    cr_run_schedule(run);
}

static void timer_due(struct cr_timer *timer)
{
    struct caprun_run *run = cr_container(timer, struct caprun_run, timer);
    int64_t now = cr_loop_now();

    if (run->state == CR_RUN_STARTING) {
        cr_run_say(run, "The worker was not ready after %d s", START_US / 1000000);
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
    } else if (run->state == CR_RUN_LATE) {
        cr_run_end(run, CAPRUN_OUTCOME_EXECUTION_TIMEOUT);
    } else if (now >= run->job_us + wall_us(run)) {
        reach_wall_limit(run);
    } else if (now >= run->check_cpu_us) {
        check_cpu(run);
    } else if (now >= cr_calls_next(run)) {
        cr_calls_expire(run);
        if (run->state == CR_RUN_RUNNING)
            cr_run_schedule(run);
    } else if (run->idle && run->wake_us >= 0 && cr_run_now(run) >= run->wake_us) {
        cr_run_send(run, (struct wire_header){.type = WIRE_WAKE}, NULL, 0);
        if (run->state == CR_RUN_RUNNING)
            cr_run_schedule(run);
    } else {
        cr_run_schedule(run);
    }
}

void cr_run_init(struct caprun_run *run, struct caprun_runtime *runtime, struct cr_loop *loop)
{
    *run = (struct caprun_run){.runtime = runtime, .loop = loop, .timer = {.when_us = -1}};
    cr_buf_init(&run->code, LIMIT_CODE_BYTES);
    cr_buf_init(&run->args, LIMIT_ARGS_BYTES);
    cr_buf_init(&run->logs, 8 * LIMIT_LOG_BYTES);
    cr_buf_init(&run->blocked, LIMIT_BLOCKED * 6 * WIRE_BLOCKED_MAX);
    cr_buf_init(&run->attempts, LIMIT_BLOCKED * sizeof(struct cr_attempt));
    cr_buf_init(&run->attempt_words, LIMIT_BLOCKED * (LIMIT_DENIED_MESSAGE_BYTES + 1));
    cr_buf_init(&run->result, LIMIT_RESULT_BYTES + 1); /* and a NUL */
    cr_buf_init(&run->error.message, 2 * LIMIT_ERROR_MESSAGE_BYTES);
    cr_buf_init(&run->error.stack, LIMIT_ERROR_STACK_BYTES + 1);
    cr_buf_init(&run->envelope, 64 * LIMIT_MIB);
}

static uint32_t default_ms(uint32_t given, uint32_t otherwise)
{
    return given ? given : otherwise;
}

void cr_run_start(struct caprun_run *run, struct cr_zygote *z)
{
    static const struct cr_worker_owner owner = {worker_ready, worker_frame, worker_gone};
    struct cr_err err;
    int r;

    if (!run->limits.memory)
        run->limits.memory = LIMIT_DEFAULT_MEMORY_BYTES;
    run->limits.wall_ms = default_ms(run->limits.wall_ms, LIMIT_DEFAULT_WALL_MS);
    run->limits.cpu_ms = default_ms(run->limits.cpu_ms, run->limits.wall_ms);
    run->limits.call_ms = default_ms(run->limits.call_ms, LIMIT_DEFAULT_CALL_MS);
    run->state = CR_RUN_STARTING;
    run->asked_us = cr_loop_now();
    run->timer = (struct cr_timer){.when_us = -1, .due = timer_due};
    /* the backstop is a whole second above what the host itself enforces */
    r = cr_worker_start(&run->worker, z, &owner, run->limits.memory, run->limits.cpu_ms / 1000 + 2,
                        &err);
    if (r < 0) {
        cr_run_say(run, "%s", err.text);
        cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
        return;
    }
    cr_run_schedule(run);
}

void cr_run_clear(struct caprun_run *run)
{
    cr_loop_unset(run->loop, &run->timer);
    cr_worker_clear(&run->worker);
    cr_calls_clear(run);
    free(run->error.tool);
    cr_buf_clear(&run->code);
    cr_buf_clear(&run->args);
    cr_buf_clear(&run->logs);
    cr_buf_clear(&run->blocked);
    cr_buf_clear(&run->attempt_words);
    cr_buf_clear(&run->attempts);
    cr_buf_clear(&run->result);
    cr_buf_clear(&run->error.message);
    cr_buf_clear(&run->error.stack);
    cr_buf_clear(&run->envelope);
}
