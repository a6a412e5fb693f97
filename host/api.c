/* api.c - the public functions: thin, over the pool. */
#include "caprun.h"

#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "pool/calls.h"
#include "pool/envelope.h"
#include "pool/place.h"
#include "pool/run.h"

_Static_assert(CAPRUN_MAX_CODE == LIMIT_CODE_BYTES && CAPRUN_MAX_ARGS == LIMIT_ARGS_BYTES,
               "the public numbers are the worker's");

struct caprun_runtime {
    struct cr_loop loop;
    struct cr_zygote zygote;
    bool has_zygote;
    char *worker_path;
    char missing[1024];
    struct cr_err err;
};

int caprun_new(struct caprun_runtime **ret)
{
    struct caprun_runtime *rt = calloc(1, sizeof(*rt));
    char worker[PATH_MAX];
    int r;

    if (!rt)
        return CAPRUN_E_NOMEM;
    r = cr_loop_init(&rt->loop, &rt->err);
    cr_place_worker(worker, sizeof(worker));
    if (r == 0)
        r = caprun_set_worker(rt, worker);
    if (r < 0) {
        caprun_free(rt);
        return r;
    }
    *ret = rt;
    return 0;
}

void caprun_free(struct caprun_runtime *rt)
{
    if (!rt)
        return;
    if (rt->has_zygote)
        cr_zygote_stop(&rt->zygote);
    cr_loop_clear(&rt->loop);
    free(rt->worker_path);
    free(rt);
}

const char *caprun_error(const struct caprun_runtime *rt)
{
    return rt->err.text;
}

int caprun_set_worker(struct caprun_runtime *rt, const char *path)
{
    char *copy;

    if (rt->has_zygote)
        return cr_err_set(&rt->err, CAPRUN_E_STATE, "a run has started already");
    copy = strdup(path);
    if (!copy)
        return cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory");
    free(rt->worker_path);
    rt->worker_path = copy;
    return 0;
}

const char *caprun_missing_layers(struct caprun_runtime *rt)
{
    if (!rt->has_zygote || !rt->zygote.greeted)
        return NULL;
    cr_zygote_missing(&rt->zygote, rt->missing, sizeof(rt->missing));
    return rt->missing;
}

int caprun_fd(const struct caprun_runtime *rt)
{
    return cr_loop_fd(&rt->loop);
}

void caprun_step(struct caprun_runtime *rt)
{
    cr_loop_step(&rt->loop, 0);
}

void caprun_wait(struct caprun_runtime *rt, int timeout_ms)
{
    struct pollfd fd = {.fd = caprun_fd(rt), .events = POLLIN};

    (void)poll(&fd, 1, timeout_ms);
}

/* A UUID of version 7: sorted by time, then chance. */
static int make_id(char id[37])
{
    struct timespec t;
    uint8_t b[16];
    uint64_t ms;

    if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
        return -1;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    for (int i = 0; i < 6; i++)
        b[i] = (uint8_t)(ms >> (40 - 8 * i));
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x70);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    for (int i = 0, at = 0; i < 16; i++) {
        at += snprintf(id + at, (size_t)(37 - at), "%s%02x",
                       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
    }
    return 0;
}

int caprun_run_new(struct caprun_runtime *rt, struct caprun_run **ret)
{
    struct caprun_run *run = calloc(1, sizeof(*run));

    if (!run)
        return cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory for a run");
    cr_run_init(run, rt, &rt->loop);
    cr_buf_str(&run->args, "{}");
    if (cr_buf_err(&run->args)) {
        caprun_run_free(run);
        return cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory for a run");
    }
    if (make_id(run->id) < 0) {
        caprun_run_free(run);
        return cr_err_sys(&rt->err, "getrandom");
    }
    *ret = run;
    return 0;
}

void caprun_run_free(struct caprun_run *run)
{
    if (!run)
        return;
    cr_run_clear(run);
    free(run);
}

static int refuse_after_start(struct caprun_run *run)
{
    if (run->state == CR_RUN_NEW)
        return 0;
    return cr_err_set(&run->runtime->err, CAPRUN_E_STATE, "the run has started already");
}

static int replace(struct caprun_run *run, struct cr_buf *buf, const char *bytes, size_t len)
{
    struct cr_buf fresh;

    cr_buf_init(&fresh, buf->max);
    cr_buf_add(&fresh, bytes, len);
    if (cr_buf_err(&fresh))
        return cr_err_set(&run->runtime->err, cr_buf_err(&fresh), "no memory");
    cr_buf_clear(buf);
    *buf = fresh;
    return 0;
}

int caprun_run_set_code(struct caprun_run *run, const char *code, size_t len)
{
    struct cr_err *err = &run->runtime->err;
    size_t valid;

    if (refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (len > LIMIT_CODE_BYTES)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the code is over %u bytes", LIMIT_CODE_BYTES);
    valid = cr_utf8_valid_prefix((const uint8_t *)code, len);
    if (valid < len)
        return cr_err_set(err, CAPRUN_E_INVAL, "the code is not UTF-8: see byte %zu", valid);
    if (memchr(code, '\0', len))
        return cr_err_set(err, CAPRUN_E_INVAL, "the code has a NUL byte in it: see byte %zu",
                          (size_t)((const char *)memchr(code, '\0', len) - code));
    return replace(run, &run->code, code, len);
}

int caprun_run_set_args(struct caprun_run *run, const char *json, size_t len)
{
    struct cr_err *err = &run->runtime->err;
    struct cr_err why;
    int r;

    if (refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (len > LIMIT_ARGS_BYTES)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the args are over %u bytes", LIMIT_ARGS_BYTES);
    r = cr_scan_json((const uint8_t *)json, len, CR_SCAN_STRICT, &why);
    if (r < 0)
        return cr_err_set(err, r, "the args are not acceptable JSON: %s", why.text);
    return replace(run, &run->args, json, len);
}

static int set_ms(struct caprun_run *run, uint32_t *limit, uint64_t ms)
{
    if (refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (ms > LIMIT_MAX_MS)
        return cr_err_set(&run->runtime->err, CAPRUN_E_TOOBIG, "a time limit is at most 24 days");
    *limit = (uint32_t)ms;
    return 0;
}

int caprun_run_set_timeout(struct caprun_run *run, uint64_t ms)
{
    return set_ms(run, &run->limits.wall_ms, ms);
}

int caprun_run_set_cpu(struct caprun_run *run, uint64_t ms)
{
    return set_ms(run, &run->limits.cpu_ms, ms);
}

int caprun_run_set_call_timeout(struct caprun_run *run, uint64_t ms)
{
    return set_ms(run, &run->limits.call_ms, ms);
}

int caprun_run_set_memory(struct caprun_run *run, uint64_t bytes)
{
    if (refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (bytes > LIMIT_MAX_MEMORY_BYTES)
        return cr_err_set(&run->runtime->err, CAPRUN_E_TOOBIG, "a memory limit is at most 16 GiB");
    run->limits.memory = bytes;
    return 0;
}

void caprun_run_set_log(struct caprun_run *run,
                        void (*log)(void *data, const char *line, size_t len), void *data)
{
    run->on_log = log;
    run->log_data = data;
}

void caprun_run_set_handler(struct caprun_run *run,
                            void (*handler)(void *data, struct caprun_run *run, uint32_t call,
                                            const char *method, const char *args, size_t args_len),
                            void *data)
{
    run->on_call = handler;
    run->call_data = data;
}

void caprun_run_set_stop_when_denied(struct caprun_run *run, int stop)
{
    run->stop_when_denied = stop != 0;
}

int caprun_call_reply(struct caprun_run *run, uint32_t call, const char *json, size_t len)
{
    return cr_calls_reply(run, call, WIRE_REPLY_VALUE, json, len, &run->runtime->err);
}

int caprun_call_reply_tool(struct caprun_run *run, uint32_t call, const char *json, size_t len)
{
    return cr_calls_reply(run, call, WIRE_REPLY_TOOL, json, len, &run->runtime->err);
}

int caprun_call_fail(struct caprun_run *run, uint32_t call, const char *message, size_t len)
{
    return cr_calls_fail(run, call, CAPRUN_OUTCOME_RPC_ERROR, message, len, &run->runtime->err);
}

static int ensure_zygote(struct caprun_runtime *rt, struct cr_err *err)
{
    int r;

    if (rt->has_zygote && !rt->zygote.dead)
        return 0;
    if (rt->has_zygote)
        cr_zygote_stop(&rt->zygote);
    r = cr_zygote_start(&rt->zygote, &rt->loop, rt->worker_path, err);
    rt->has_zygote = r == 0;
    return r;
}

int caprun_warm(struct caprun_runtime *rt)
{
    return ensure_zygote(rt, &rt->err);
}

int caprun_start(struct caprun_run *run)
{
    struct caprun_runtime *rt = run->runtime;
    struct cr_err err;

    if (run->state != CR_RUN_NEW || !run->code.data)
        return cr_err_set(&rt->err, CAPRUN_E_STATE, "the run has no code, or was started already");
    if (ensure_zygote(rt, &err) < 0)
        caprun_reject(run, CAPRUN_OUTCOME_INTERNAL, err.text,
                      "caprun-worker has to be beside caprun, or in ../libexec/caprun from there");
    else
        cr_run_start(run, &rt->zygote);
    return 0;
}

int caprun_run(struct caprun_run *run)
{
    int r;

    if (cr_loop_is_stepping(run->loop))
        return cr_err_set(&run->runtime->err, CAPRUN_E_STATE,
                          "a callback can start a run, but not wait for it");
    r = caprun_start(run);
    while (r == 0 && !caprun_done(run))
        cr_loop_step(run->loop, -1);
    return r;
}

void caprun_cancel(struct caprun_run *run)
{
    cr_run_end(run, CAPRUN_OUTCOME_CANCELLED);
}

void caprun_reject(struct caprun_run *run, enum caprun_outcome outcome, const char *message,
                   const char *hint)
{
    if (run->state != CR_RUN_NEW)
        return;
    if (outcome == CAPRUN_OUTCOME_SUCCESS)
        outcome = CAPRUN_OUTCOME_INTERNAL;
    cr_run_say(run, "%s", message);
    if (hint)
        (void)snprintf(run->error.hint, sizeof(run->error.hint), "%s", hint);
    cr_run_end(run, outcome);
}

int caprun_done(const struct caprun_run *run)
{
    return run->state == CR_RUN_ENDED;
}

enum caprun_outcome caprun_get_outcome(const struct caprun_run *run)
{
    return run->outcome;
}

static const char *text_of(struct cr_buf *buf, size_t *ret_len)
{
    const char *text = buf->len ? cr_buf_text(buf) : NULL;

    if (ret_len)
        *ret_len = text ? buf->len : 0;
    return text;
}

const char *caprun_result_json(struct caprun_run *run, size_t *ret_len)
{
    return text_of(&run->envelope, ret_len);
}

const char *caprun_get_result(struct caprun_run *run, size_t *ret_len)
{
    return text_of(&run->result, ret_len);
}

const char *caprun_get_message(struct caprun_run *run, size_t *ret_len)
{
    return text_of(&run->error.message, ret_len);
}

const char *caprun_get_stack(struct caprun_run *run, size_t *ret_len)
{
    return text_of(&run->error.stack, ret_len);
}

const char *caprun_get_hint(const struct caprun_run *run)
{
    return run->error.hint;
}

const char *caprun_get_type(const struct caprun_run *run)
{
    return cr_envelope_type(run);
}

const char *caprun_outcome_name(enum caprun_outcome outcome)
{
    return cr_envelope_code(outcome);
}

int caprun_outcome_status(enum caprun_outcome outcome)
{
    return cr_envelope_status(outcome);
}
