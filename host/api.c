/* api.c - public functions: the runtime, start and end of runs, answers to calls, results. */
#include "api.h"

#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "audit/audit.h"
#include "base/mem.h"
#include "capability/loader.h"
#include "doctor/doctor.h"
#include "journal/replay.h"
#include "run/calls.h"
#include "run/envelope.h"
#include "pool/place.h"
#include "route/route.h"

#define MAX_WORKERS 4096u
#define MAX_WAITING (1u << 20)
#define DEFAULT_WORKERS 256u
#define DEFAULT_WAITING 1024u
#define DEFAULT_WARM_EACH 8u /* for each processor */
#define DEFAULT_WARM_MOST 64u

const char *caprun_version(void)
{
    return CAPRUN_VERSION;
}

int caprun_new(struct caprun_runtime **ret)
{
    struct caprun_runtime *rt = calloc(1, sizeof(*rt));
    int r;

    if (!rt)
        return CAPRUN_E_NOMEM;
    r = cr_loop_init(&rt->loop, &rt->err);
    cr_pool_init(&rt->pool, &rt->loop);
    cr_people_init(&rt->people, &rt->loop);
    cr_http_init(&rt->capabilities.http, &rt->loop);
    if (r == 0)
        r = caprun_set_worker(rt, NULL);
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
    cr_pool_clear(&rt->pool);
    cr_route_free(rt->route);
    cr_audit_free(rt->audit);
    cr_http_clear(&rt->capabilities.http);
    cr_loop_clear(&rt->loop);
    if (rt->config)
        cr_config_clear(rt->config);
    free(rt->config);
    free(rt->cache);
    free(rt);
}

const char *caprun_error(const struct caprun_runtime *rt)
{
    return rt->err.text;
}

static int refuse_after_zygote(struct caprun_runtime *rt)
{
    if (!rt->pool.stock.zygotes_started)
        return 0;
    return cr_err_set(&rt->err, CAPRUN_E_STATE, "the pool has started already");
}

int cr_api_make_absolute(const char *path, char **ret, struct cr_err *err)
{
    char folder[PATH_MAX] = "";

    if (path[0] != '/' && !getcwd(folder, sizeof(folder)))
        return cr_err_sys(err, "find '%s'", path);
    if (asprintf(ret, "%s%s%s", folder, folder[0] ? "/" : "", path) < 0)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory");
    return 0;
}

int caprun_set_worker(struct caprun_runtime *rt, const char *path)
{
    char beside_us[PATH_MAX];
    char *copy = NULL;
    int r;

    if (refuse_after_zygote(rt) < 0)
        return CAPRUN_E_STATE;
    if (!path)
        cr_place_worker(beside_us, sizeof(beside_us));
    r = cr_api_make_absolute(path ? path : beside_us, &copy, &rt->err);
    if (r < 0)
        return r;
    free(rt->pool.stock.program);
    rt->pool.stock.program = copy;
    return 0;
}

static int set_size(struct caprun_runtime *rt, const char *what, uint32_t *size, uint32_t value,
                    uint32_t most)
{
    if (refuse_after_zygote(rt) < 0)
        return CAPRUN_E_STATE;
    if (value > most)
        return cr_err_set(&rt->err, CAPRUN_E_TOOBIG, "%u %s are too many: %u at most", value, what,
                          most);
    *size = value;
    return 0;
}

static int set_bytes(struct caprun_runtime *rt, uint64_t *size, uint64_t bytes, uint64_t most)
{
    if (refuse_after_zygote(rt) < 0)
        return CAPRUN_E_STATE;
    if (bytes > most)
        return cr_err_set(&rt->err, CAPRUN_E_TOOBIG, "a memory limit is at most %llu GiB",
                          (unsigned long long)(most >> 30));
    *size = bytes;
    return 0;
}

int caprun_set_warm(struct caprun_runtime *rt, uint32_t workers)
{
    return set_size(rt, "workers", &rt->given.warm, workers,
                    workers == CAPRUN_WARM_NONE ? workers : MAX_WORKERS);
}

int caprun_set_max_workers(struct caprun_runtime *rt, uint32_t workers)
{
    return set_size(rt, "workers", &rt->given.max_workers, workers, MAX_WORKERS);
}

int caprun_set_max_memory(struct caprun_runtime *rt, uint64_t bytes)
{
    return set_bytes(rt, &rt->given.max_memory, bytes, MAX_WORKERS * LIMIT_MAX_MEMORY_BYTES);
}

int caprun_set_max_waiting(struct caprun_runtime *rt, uint32_t runs)
{
    return set_size(rt, "runs", &rt->given.max_waiting, runs, MAX_WAITING);
}

int caprun_set_memory(struct caprun_runtime *rt, uint64_t bytes)
{
    return set_bytes(rt, &rt->given.memory, bytes, LIMIT_MAX_MEMORY_BYTES);
}

int caprun_set_fresh_program(struct caprun_runtime *rt, int fresh)
{
    if (refuse_after_zygote(rt) < 0)
        return CAPRUN_E_STATE;
    rt->given.fresh = fresh != 0;
    return 0;
}

int caprun_set_require_all_layers(struct caprun_runtime *rt, int on)
{
    if (refuse_after_zygote(rt) < 0)
        return CAPRUN_E_STATE;
    rt->given.sandbox.all_layers = on != 0;
    return 0;
}

int caprun_set_uid_base(struct caprun_runtime *rt, uint32_t uid)
{
    if (refuse_after_zygote(rt) < 0)
        return CAPRUN_E_STATE;
    if (uid && (uid < WIRE_UID_LEAST || uid > WIRE_UID_MOST))
        return cr_err_set(&rt->err, CAPRUN_E_INVAL,
                          "%u cannot be the first of %u uids: it has to be from %u to %u", uid,
                          WIRE_UIDS, WIRE_UID_LEAST, WIRE_UID_MOST);
    rt->given.sandbox.uid_base = uid;
    return 0;
}

static uint32_t default_warm(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (processors < 1)
        return DEFAULT_WARM_EACH;
    return processors < DEFAULT_WARM_MOST / DEFAULT_WARM_EACH
               ? (uint32_t)processors * DEFAULT_WARM_EACH
               : DEFAULT_WARM_MOST;
}

/* Sizes can be changed until the pool has started. */
static void fill_in_sizes(struct caprun_runtime *rt)
{
    const struct cr_pool_sizes *given = &rt->given;
    struct cr_pool_sizes *sizes = &rt->pool.sizes;

    if (rt->pool.stock.zygotes_started)
        return;
    *sizes = *given;
    if (!given->warm)
        sizes->warm = default_warm();
    if (given->warm == CAPRUN_WARM_NONE)
        sizes->warm = 0;
    if (!given->max_workers)
        sizes->max_workers = DEFAULT_WORKERS;
    if (!given->max_waiting)
        sizes->max_waiting = DEFAULT_WAITING;
    if (!given->memory)
        sizes->memory = LIMIT_DEFAULT_MEMORY_BYTES;
    if (!given->max_memory)
        sizes->max_memory = sizes->max_workers * LIMIT_MAX_MEMORY_BYTES;
}

int caprun_doctor(struct caprun_runtime *rt, caprun_layer_fn *report, void *data)
{
    return cr_doctor(rt, rt->pool.stock.program, &rt->given.sandbox, report, data, &rt->err);
}

const char *caprun_missing_layers(struct caprun_runtime *rt)
{
    if (!rt->pool.stock.knows_layers)
        return NULL;
    cr_zygote_missing(rt->pool.stock.layers, rt->missing, sizeof(rt->missing));
    return rt->missing;
}

uint64_t caprun_count(struct caprun_runtime *rt, enum caprun_count what)
{
    const struct cr_pool *pool = &rt->pool;

    switch ((int)what) {
    case CAPRUN_COUNT_READY:
        return pool->stock.ready.count;
    case CAPRUN_COUNT_RUNNING:
        return pool->running;
    case CAPRUN_COUNT_WAITING:
        return pool->waiting_count;
    case CAPRUN_COUNT_WORKERS:
        return pool->stock.workers_asked;
    case CAPRUN_COUNT_ZYGOTES:
        return pool->stock.zygotes_started;
    case CAPRUN_COUNT_CRASHES:
        return pool->crash_count;
    default:
        return 0;
    }
}

int caprun_fd(const struct caprun_runtime *rt)
{
    return cr_loop_fd(&rt->loop);
}

void caprun_step(struct caprun_runtime *rt)
{
    cr_loop_step(&rt->loop, 0);
}

/* Waits shortly for work, without sleeping. Returns whether there is work to do. */
static bool has_work_soon(const struct caprun_runtime *rt)
{
    return cr_scheduling_wait_in_place(&rt->pool.scheduling, caprun_fd(rt));
}

void caprun_wait(struct caprun_runtime *rt, int timeout_ms)
{
    struct pollfd fd = {.fd = caprun_fd(rt), .events = POLLIN};

    if (!has_work_soon(rt))
        (void)poll(&fd, 1, timeout_ms);
}

void caprun_wake(struct caprun_runtime *rt)
{
    cr_loop_wake(&rt->loop);
}

/* Makes a UUID of version 7: a time, so that ids sort by time, then random bits. */
static int make_id(char id[37])
{
    static const char digits[] = "0123456789abcdef";
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
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *id++ = '-';
        *id++ = digits[b[i] >> 4];
        *id++ = digits[b[i] & 0x0f];
    }
    *id = '\0';
    return 0;
}

int caprun_run_new(struct caprun_runtime *rt, struct caprun_run **ret)
{
    struct caprun_run *run = calloc(1, sizeof(*run));

    if (!run)
        return cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory for a run");
    cr_run_init(run, rt, &rt->pool);
    cr_buf_str(&run->spec.args, "{}");
    if (cr_buf_err(&run->spec.args)) {
        caprun_run_free(run);
        return cr_err_set(&rt->err, CAPRUN_E_NOMEM, "no memory for a run");
    }
    if (make_id(run->spec.id) < 0) {
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
    if (run->runtime->awaited == run)
        run->runtime->awaited = NULL;
    cr_run_clear(run);
    free(run);
}

/* The application may answer only a call that its handler has got. */
static int refuse_unless_with_handler(struct caprun_run *run, uint32_t call)
{
    if (cr_calls_is_open(run, call) && run->calls[call - 1].is_with_handler)
        return 0;
    return cr_err_set(&run->runtime->err, CAPRUN_E_STATE, "call %u waits for no answer", call);
}

int caprun_call_reply(struct caprun_run *run, uint32_t call, const char *json, size_t len)
{
    if (refuse_unless_with_handler(run, call) < 0)
        return CAPRUN_E_STATE;
    return cr_calls_reply(run, call, WIRE_REPLY_VALUE, json, len, NULL, &run->runtime->err);
}

int caprun_call_give(struct caprun_run *run, uint32_t call, char *json, size_t len)
{
    uint8_t *block = (uint8_t *)json;
    int r = refuse_unless_with_handler(run, call);

    if (r == 0)
        r = cr_calls_reply(run, call, WIRE_REPLY_VALUE, json, len, &block, &run->runtime->err);
    free(block);
    return r;
}

int caprun_call_reply_tool(struct caprun_run *run, uint32_t call, const char *json, size_t len)
{
    if (refuse_unless_with_handler(run, call) < 0)
        return CAPRUN_E_STATE;
    return cr_calls_reply(run, call, WIRE_REPLY_TOOL, json, len, NULL, &run->runtime->err);
}

int caprun_call_fail(struct caprun_run *run, uint32_t call, const char *message, size_t len)
{
    if (refuse_unless_with_handler(run, call) < 0)
        return CAPRUN_E_STATE;
    return cr_calls_fail(run, call, CAPRUN_OUTCOME_RPC_ERROR, message, len, &run->runtime->err);
}

int caprun_warm(struct caprun_runtime *rt)
{
    fill_in_sizes(rt);
    return cr_pool_warm(&rt->pool, &rt->err);
}

struct cr_gate *cr_api_gate(struct caprun_runtime *rt)
{
    return rt->route ? cr_route_gate(rt->route) : NULL;
}

/* A resumed capability is checked, and has its rules, only if it is loaded again. */
static int load_resumed(struct caprun_run *run)
{
    struct cr_pin pin;

    if (run->loader || !cr_loader_recorded(run, &pin))
        return 0;
    if (!run->runtime->config)
        return cr_err_set(&run->runtime->err, CAPRUN_E_STATE,
                          "the resumed run is one of the capability '%s', which is loaded again: "
                          "set a configuration that names its registry",
                          pin.fqdn);
    return caprun_run_load(run, pin.fqdn);
}

int caprun_start(struct caprun_run *run)
{
    struct caprun_runtime *rt = run->runtime;
    struct cr_err why;
    int r;

    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    r = load_resumed(run);
    if (r < 0)
        return r;
    if (!run->spec.code.data && !run->loader)
        return cr_err_set(&rt->err, CAPRUN_E_STATE, "the run has no code");
    fill_in_sizes(rt);
    run->gate = cr_api_gate(rt);
    run->prompter = &rt->people.prompter;
    run->auditor = cr_audit_auditor(rt->audit);
    if (run->loader) {
        cr_run_load(run);
        return 0;
    }
    if (cr_replay_check(run, &why) < 0) {
        caprun_reject(run, why.outcome, why.text, why.hint[0] ? why.hint : NULL);
        return 0;
    }
    return cr_run_start(run, &rt->err);
}

/* caprun_run() also waits for the journal to be complete. */
static bool is_being_recorded(const struct caprun_run *run)
{
    return run->recorder && run->recorder->is_busy(run->recorder);
}

int caprun_run(struct caprun_run *run)
{
    struct caprun_runtime *rt = run->runtime;
    int r;

    if (cr_loop_is_stepping(&rt->loop))
        return cr_err_set(&rt->err, CAPRUN_E_STATE,
                          "a callback can start a run, but not wait for it");
    rt->awaited = run;
    run->guest.caller_waits = true;
    r = caprun_start(run);
    while (r == 0 && rt->awaited &&
           (!caprun_done(run) || run->news.waits || is_being_recorded(run))) {
        if (run->call_count)
            (void)has_work_soon(rt);
        cr_loop_step(&rt->loop, -1);
    }
    rt->awaited = NULL;
    if (r < 0)
        run->guest.caller_waits = false;
    return r;
}

void caprun_cancel(struct caprun_run *run)
{
    cr_run_end(run, CAPRUN_OUTCOME_CANCELLED);
}

void caprun_terminate(struct caprun_run *run)
{
    if (caprun_done(run))
        return;
    cr_run_set_message(run, "The sandbox was shut down");
    cr_run_end(run, CAPRUN_OUTCOME_WORKER_TERMINATED);
}

void caprun_reject(struct caprun_run *run, enum caprun_outcome outcome, const char *message,
                   const char *hint)
{
    if (run->state != CR_RUN_NEW)
        return;
    if (outcome == CAPRUN_OUTCOME_SUCCESS)
        outcome = CAPRUN_OUTCOME_INTERNAL;
    cr_run_set_message(run, "%s", message);
    if (hint)
        cr_run_hint(run, hint);
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

static const char *get_text(struct cr_buf *buf, size_t *ret_len)
{
    const char *text = buf->len ? cr_buf_text(buf) : NULL;

    if (ret_len)
        *ret_len = text ? buf->len : 0;
    return text;
}

const char *caprun_result_json(struct caprun_run *run, size_t *ret_len)
{
    if (run->state == CR_RUN_ENDED && !run->envelope.len)
        cr_envelope_write(run);
    return get_text(&run->envelope, ret_len);
}

const char *caprun_get_result(struct caprun_run *run, size_t *ret_len)
{
    return get_text(&run->result, ret_len);
}

const char *caprun_get_message(struct caprun_run *run, size_t *ret_len)
{
    return get_text(&run->error.message, ret_len);
}

const char *caprun_get_stack(struct caprun_run *run, size_t *ret_len)
{
    return get_text(&run->error.stack, ret_len);
}

void caprun_run_set_hint(struct caprun_run *run, const char *hint)
{
    cr_run_hint(run, hint);
}

const char *caprun_get_note(const struct caprun_run *run)
{
    if (run->outcome != CAPRUN_OUTCOME_SUCCESS || run->state != CR_RUN_ENDED)
        return NULL;
    if (run->likely_mistake & WIRE_DONE_TIMER)
        return "the code returned nothing while a timer was set, which never fires: await a "
               "promise "
               "that the timer resolves";
    if (run->likely_mistake & WIRE_DONE_DROPPED)
        return "the code returned nothing, although its last statement is an expression: write "
               "return before it";
    return NULL;
}

const char *caprun_get_hint(const struct caprun_run *run)
{
    return run->error.hint;
}

const char *caprun_get_type(const struct caprun_run *run)
{
    return cr_envelope_type(run);
}

const char *caprun_get_tool(const struct caprun_run *run)
{
    return run->error.tool ? run->error.tool : "";
}

const char *caprun_get_grant(const struct caprun_run *run)
{
    return run->error.grant ? run->error.grant : "";
}

const char *caprun_get_id(const struct caprun_run *run)
{
    return run->spec.id;
}

uint64_t caprun_get_metric(const struct caprun_run *run, enum caprun_metric metric)
{
    return cr_envelope_metric(run, metric);
}

const char *caprun_outcome_name(enum caprun_outcome outcome)
{
    return cr_envelope_code(outcome);
}

int caprun_outcome_status(enum caprun_outcome outcome)
{
    return cr_envelope_status(outcome);
}
