/* bench_work.c - measures runs, calls and answers through the library. */
#include "cli/bench_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILL_US 30e6
#define TRIVIAL "return {ok: args.a + 1}"
#define ARGS "{\"x\":1}"
#define ANSWER "{\"y\":1}"

static const char sift[] =
    "const rows = await mcp.bench.rows({});\n"
    "const found = rows.filter((row) => row.active && row.score > 90);\n"
    "const by = {};\n"
    "for (const row of found) by[row.address.city] = (by[row.address.city] ?? 0) + 1;\n"
    "return {of: rows.length, found: found.length, by,\n"
    "  first: found.slice(0, 3).map((row) => ({id: row.id, name: row.name, email: row.email}))};\n";

double cr_bench_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

double cr_bench_quantile(double *values, size_t count, double share)
{
    qsort(values, count, sizeof(*values), by_size);
    return values[(size_t)((double)(count - 1) * share + 0.5)];
}

/* --- runs ------------------------------------------------------------------------------------ */

int cr_bench_fill(struct caprun_runtime *rt, size_t workers, struct cr_err *err)
{
    double end = cr_bench_now() + FILL_US;

    if (caprun_warm(rt) < 0)
        return cr_err_set(err, CAPRUN_E_SYS, "no worker: %s", caprun_error(rt));
    while (caprun_count(rt, CAPRUN_COUNT_READY) < workers) {
        if (cr_bench_now() > end)
            return cr_err_set(err, CAPRUN_E_STATE, "no worker gets ready: %s", caprun_error(rt));
        caprun_wait(rt, 100);
        caprun_step(rt);
    }
    return 0;
}

/* Makes a run, which is not started. */
static int new_run(struct caprun_runtime *rt, const char *code, struct caprun_run **ret,
                   struct cr_err *err)
{
    static const char args[] = "{\"a\": 1}";

    if (caprun_run_new(rt, ret) < 0)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no run: %s", caprun_error(rt));
    if (caprun_run_set_code(*ret, code, strlen(code)) == 0 &&
        caprun_run_set_args(*ret, args, sizeof(args) - 1) == 0)
        return 0;
    caprun_run_free(*ret);
    return cr_err_set(err, CAPRUN_E_NOMEM, "no run: %s", caprun_error(rt));
}

/* Takes the envelope, as an application would, and frees the run. */
static int take_envelope(struct caprun_run *run, struct cr_err *err)
{
    const char *json = caprun_result_json(run, NULL);
    int r = 0;

    if (!json || caprun_get_outcome(run) != CAPRUN_OUTCOME_SUCCESS)
        r = cr_err_set(err, CAPRUN_E_STATE, "a run failed: %.200s", json ? json : "no memory");
    caprun_run_free(run);
    return r;
}

/* Runs |run|, waits for its end, takes the envelope and frees the run. */
static int run_to_end(struct caprun_runtime *rt, struct caprun_run *run, struct cr_err *err)
{
    if (caprun_run(run) == 0)
        return take_envelope(run, err);
    caprun_run_free(run);
    return cr_err_set(err, CAPRUN_E_STATE, "a run did not start: %s", caprun_error(rt));
}

static int one_run(struct caprun_runtime *rt, const char *code, double *ret, struct cr_err *err)
{
    double start = cr_bench_now();
    struct caprun_run *run;
    int r = new_run(rt, code, &run, err);

    if (r == 0)
        r = run_to_end(rt, run, err);
    *ret = cr_bench_now() - start;
    return r;
}

int cr_bench_runs(struct caprun_runtime *rt, size_t count, bool ready, double ret[3],
                  struct cr_err *err)
{
    double *us = calloc(count, sizeof(*us));
    int r = us ? cr_bench_fill(rt, 1, err) : CAPRUN_E_NOMEM;

    if (!us)
        return cr_err_set(err, r, "no memory for %zu times", count);
    for (size_t i = 0; i < count && r == 0; i++) {
        if (ready)
            r = cr_bench_fill(rt, 1, err);
        if (r == 0)
            r = one_run(rt, TRIVIAL, &us[i], err);
    }
    ret[0] = cr_bench_quantile(us, count, 0.5);
    ret[1] = cr_bench_quantile(us, count, 0.95);
    ret[2] = cr_bench_quantile(us, count, 0.99);
    free(us);
    return r;
}

/* --- many at once ---------------------------------------------------------------------------- */

struct load {
    struct caprun_runtime *rt;
    size_t to_start, going;
    struct cr_err err; /* the first failure; after it no more runs are started */
};

static void handle_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call);

static void start_one(struct load *load)
{
    struct caprun_run *run;

    if (load->err.code || new_run(load->rt, TRIVIAL, &run, &load->err) < 0)
        return;
    caprun_run_set_event(run, handle_event, load);
    load->to_start--;
    load->going++;
    if (caprun_start(run) == 0)
        return;
    load->going--;
    (void)cr_err_set(&load->err, CAPRUN_E_STATE, "a run did not start: %s", caprun_error(load->rt));
    caprun_run_free(run);
}

static void handle_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    struct load *load = data;
    struct cr_err err;

    (void)call;
    if (what != CAPRUN_EVENT_ENDED)
        return;
    if (take_envelope(run, &err) < 0 && !load->err.code)
        load->err = err;
    load->going--;
    if (load->to_start > 0)
        start_one(load);
}

static int run_load(struct caprun_runtime *rt, size_t count, size_t at_once, struct cr_err *err)
{
    struct load load = {.rt = rt, .to_start = count};

    while (load.to_start > 0 && load.going < at_once && !load.err.code)
        start_one(&load);
    while (load.going > 0) {
        caprun_wait(rt, -1);
        caprun_step(rt);
    }
    if (load.err.code)
        *err = load.err;
    return load.err.code;
}

int cr_bench_rate(struct caprun_runtime *rt, size_t count, size_t at_once, double *ret,
                  struct cr_err *err)
{
    int r = run_load(rt, count / 10 + 1, at_once, err); /* lets the pool adapt to the load */
    double start = cr_bench_now();

    if (r == 0)
        r = run_load(rt, count, at_once, err);
    *ret = (double)count / (cr_bench_now() - start) * 1e6;
    return r;
}

/* --- calls and answers ----------------------------------------------------------------------- */

struct tally {
    double first_us, last_us;
    size_t count;
};

static void answer_call(void *data, struct caprun_run *run, uint32_t call, const char *method,
                        const char *args, size_t args_len)
{
    struct tally *tally = data;

    (void)method;
    (void)args;
    (void)args_len;
    tally->last_us = cr_bench_now();
    if (tally->count++ == 0)
        tally->first_us = tally->last_us;
    (void)caprun_call_reply(run, call, ANSWER, sizeof(ANSWER) - 1);
}

static int run_with(struct caprun_runtime *rt, const char *code, cr_bench_handler *answer,
                    void *data, struct cr_err *err)
{
    struct caprun_run *run;
    int r = new_run(rt, code, &run, err);

    if (r < 0)
        return r;
    caprun_run_set_handler(run, answer, data);
    return run_to_end(rt, run, err);
}

int cr_bench_one_call(struct caprun_runtime *rt, cr_bench_handler *answer, void *data,
                      struct cr_err *err)
{
    return run_with(rt, "await mcp.a.b(" ARGS ")", answer, data, err);
}

int cr_bench_calls(struct caprun_runtime *rt, size_t count, double *ret, struct cr_err *err)
{
    struct tally tally = {0};
    char code[128];
    int r;

    (void)snprintf(code, sizeof(code), "for (let i = 0; i <= %zu; i++) await mcp.a.b(" ARGS ")",
                   count);
    r = run_with(rt, code, answer_call, &tally, err);
    *ret = (tally.last_us - tally.first_us) / (double)count;
    return r;
}

struct rows {
    char *text;
    size_t len;
};

static void answer_rows(void *data, struct caprun_run *run, uint32_t call, const char *method,
                        const char *args, size_t args_len)
{
    struct rows *rows = data;

    (void)method;
    (void)args;
    (void)args_len;
    (void)caprun_call_give(run, call, rows->text, rows->len);
    rows->text = NULL;
}

static int run_on_rows(struct caprun_runtime *rt, struct rows *rows, size_t *ret_len,
                       struct cr_err *err)
{
    struct caprun_run *run;
    int r = new_run(rt, sift, &run, err);

    if (r < 0)
        return r;
    caprun_run_set_handler(run, answer_rows, rows);
    if (caprun_run(run) == 0)
        (void)caprun_get_result(run, ret_len);
    return take_envelope(run, err);
}

int cr_bench_answer(struct caprun_runtime *rt, char *rows, size_t len, double *ret,
                    double *ret_result, struct cr_err *err)
{
    struct rows answer = {rows, len};
    size_t result_len = 0;
    int r = cr_bench_fill(rt, 1, err);
    double start = cr_bench_now();

    if (r == 0)
        r = run_on_rows(rt, &answer, &result_len, err);
    *ret = cr_bench_now() - start;
    *ret_result = (double)result_len;
    free(answer.text);
    return r;
}

/* --- computing ------------------------------------------------------------------------------- */

int cr_bench_script(struct caprun_runtime *rt, const struct cr_bench_script *script, double *ret,
                    struct cr_err *err)
{
    int r = cr_bench_fill(rt, 1, err);

    return r < 0 ? r : one_run(rt, script->code, ret, err);
}
