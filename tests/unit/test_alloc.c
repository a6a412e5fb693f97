/*
 * test_alloc.c - makes each allocation of the host fail once. Each time the host must return an
 * error, or an envelope that is JSON, and must not crash.
 *
 * The first tests use real workers; the pool tests use fakes (fake_worker.h), which can crash.
 */
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "audit/verify.h"
#include "base/scan.h"
#include "failing.h"
#include "scratch.h"
#include "fake_runs.h"

static const char code[] = "for (let i = 0; i < 50; i++) console.log('line', i);"
                           "await mcp.a.b({x: 1, '\\n': 2}).catch(() => 0);"
                           "for (let i = 0; i < 20; i++) try { eval('1') } catch {}"
                           "if (args.denied) eval('2');"
                           "await new Promise(r => setTimeout(r, 1));"
                           "if (args.fails) await mcp.c.d();"
                           "return 'x'.repeat(args.size)";

/* A tool that works, and one that does not. */
static void answer(void *data, struct caprun_run *one, uint32_t call, const char *method,
                   const char *args, size_t args_len)
{
    static const char result[] = "{\"content\":[],\"isError\":true}";

    (void)data;
    if (strcmp(method, "a:b") == 0)
        (void)caprun_call_reply(one, call, args, args_len);
    else
        (void)caprun_call_reply_tool(one, call, result, sizeof(result) - 1);
}

/* Did the run end with an error of the library, or with a valid envelope? */
static bool is_an_answer(struct caprun_run *one, int r)
{
    const char *json;
    size_t len;

    failing_stop();
    if (r < 0)
        return true;
    json = caprun_result_json(one, &len);
    return !json || cr_scan_json((const uint8_t *)json, len, CR_SCAN_PASS, NULL) == 0;
}

static bool with_handler, with_tools, with_audit;
static const char *schema = "", *env = "";

static bool answers(const char *args, long allowed)
{
    bool ok;
    int r;

    rt = NULL;
    run = NULL;
    failing_after(allowed);
    r = caprun_new(&rt);
    if (r == 0)
        r = caprun_set_worker(rt, built_program("caprun-worker"));
    if (r == 0 && with_audit)
        r = caprun_set_audit(rt, path_of("audit"), CAPRUN_AUDIT_ARGS);
    if (r == 0)
        r = caprun_set_warm(rt, CAPRUN_WARM_NONE); /* so that each run makes the same allocations */
    if (r == 0)
        r = caprun_run_new(rt, &run);
    if (r == 0)
        r = caprun_run_set_code(run, code, sizeof(code) - 1);
    if (r == 0)
        r = caprun_run_set_args(run, args, strlen(args));
    if (r == 0 && with_tools)
        r = caprun_run_set_tools(run, (const char *const[]){"a:b", "x:y"}, 2);
    if (r == 0)
        r = caprun_run_set_schema(run, schema, strlen(schema));
    if (r == 0)
        r = caprun_run_set_env(run, env, strlen(env));
    if (r == 0 && with_handler)
        caprun_run_set_handler(run, answer, NULL);
    if (r == 0)
        r = caprun_run(run);
    ok = is_an_answer(run, r);
    caprun_run_free(run);
    return end() && ok;
}

static bool answers_whatever_fails(const char *args)
{
    for (long allowed = 0; allowed < 10000; allowed++) {
        if (!answers(args, allowed)) {
            printf("# allocation %ld of a run with %s\n", allowed + 1, args);
            return false;
        }
        if (!failing_failed)
            return !failing_works() || allowed > 20; /* all allocations of a run have failed once */
    }
    return false;
}

static void note_damage(void *data, const char *words)
{
    (void)data;
    (void)fprintf(stderr, "# %s\n", words);
}

TEST(a_run_that_succeeds_survives_each_failure)
{
    CHECK(answers_whatever_fails("{\"size\": 300000}"));
}

TEST(a_run_that_throws_survives_each_failure)
{
    CHECK(answers_whatever_fails("{\"size\": 1, \"fails\": true}"));
    CHECK(answers_whatever_fails("{\"size\": 1, \"denied\": true}"));
}

TEST(a_run_whose_calls_are_answered_survives_each_failure)
{
    with_handler = true;
    CHECK(answers_whatever_fails("{\"size\": 1}"));
    CHECK(answers_whatever_fails("{\"size\": 1, \"fails\": true}"));
    with_handler = false;
}

/* Each call that the handler got has its line, whatever has failed. */
TEST(an_audited_run_survives_each_failure)
{
    struct cr_audit_verdict verdict;
    struct cr_err err;

    CHECK(scratch_begin());
    with_handler = with_audit = true;
    CHECK(answers_whatever_fails("{\"size\": 1, \"fails\": true}"));
    with_handler = with_audit = false;
    CHECK(cr_audit_verify(path_of("audit"), note_damage, NULL, &verdict, &err) == 0);
    CHECK(verdict.problems == 0 && verdict.lines > 100 && verdict.torn == 0);
    scratch_end();
}

TEST(a_run_whose_calls_are_denied_survives_each_failure)
{
    with_handler = with_tools = true;
    CHECK(answers_whatever_fails("{\"size\": 1, \"fails\": true}"));
    with_handler = with_tools = false;
}

TEST(a_run_with_a_schema_and_an_env_survives_each_failure)
{
    schema = "{\"properties\": {\"size\": {\"type\": \"number\"}}}";
    env = "{\"A\": \"b\"}";
    CHECK(answers_whatever_fails("{\"size\": 1}"));
    CHECK(answers_whatever_fails("{\"size\": \"1\"}"));
    schema = "{\"type\": 1}";
    CHECK(answers_whatever_fails("{}"));
    schema = env = "";
}

/* --- a pool ------------------------------------------------------------------------------- */

#define RUNS 4 /* at once; two of them wait */

static int told[RUNS]; /* how often each run reported its end */

static void hear(void *data, struct caprun_run *r, enum caprun_event what, uint32_t call)
{
    (void)r;
    (void)call;
    if (what == CAPRUN_EVENT_ENDED)
        (*(int *)data)++;
}

/* Returns NULL if there was no memory to start it. */
static struct caprun_run *start_heard(const char *scene, int *heard)
{
    struct caprun_run *made = NULL;

    *heard = 0;
    if (caprun_run_new(rt, &made) < 0)
        return NULL;
    caprun_run_set_event(made, hear, heard);
    if (caprun_run_set_code(made, scene, strlen(scene)) == 0 && caprun_start(made) == 0)
        return made;
    caprun_run_free(made);
    return NULL;
}

/* Once the stock is full, lets |allowed| allocations succeed. Afterwards the pool must recover. */
static bool pool_answers(const char *scene, uint32_t warm, long allowed)
{
    struct caprun_run *runs[RUNS];
    bool ok = new_runtime() && caprun_set_max_workers(rt, warm + 2) == 0 &&
              caprun_set_warm(rt, warm ? warm : CAPRUN_WARM_NONE) == 0 && succeeds();

    STEP_UNTIL(stock->ready.count == warm && !stock->zygotes->program)
    failing_after(allowed);
    for (size_t i = 0; i < RUNS; i++)
        runs[i] = start_heard(scene, &told[i]);
    for (size_t i = 0; i < RUNS; i++) {
        STEP_UNTIL(!runs[i] || told[i])
        ok = ok && (!runs[i] || (caprun_done(runs[i]) && told[i] == 1));
    }
    for (size_t i = 0; i < RUNS; i++) {
        ok = ok && (!runs[i] || is_an_answer(runs[i], 0));
        caprun_run_free(runs[i]);
    }
    failing_stop();
    ok = ok && succeeds();
    STEP_UNTIL(stock->ready.count == warm)
    return ok && is_quiet() && stock->ready.count == warm && end();
}

/* The number of allocations depends on timing: end after two passes without a failure. */
static bool pool_answers_whatever_fails(const char *scene, uint32_t warm)
{
    int unfailed = 0;

    for (long allowed = 0; allowed < 10000; allowed++) {
        if (!pool_answers(scene, warm, allowed)) {
            printf("# allocation %ld of \"%s\" with %u workers in stock\n", allowed + 1, scene,
                   warm);
            return false;
        }
        unfailed = failing_failed ? 0 : unfailed + 1;
        if (unfailed == 3)
            return !failing_works() || allowed > 20;
    }
    return false;
}

TEST(runs_that_wait_for_a_worker_survive_each_failure)
{
    CHECK(pool_answers_whatever_fails("honest", 0));
    CHECK(pool_answers_whatever_fails("call_and_throw", 0));
}

TEST(runs_of_a_pool_with_a_stock_survive_each_failure)
{
    CHECK(pool_answers_whatever_fails("honest", 2));
    CHECK(pool_answers_whatever_fails("attempts 2", 2));
}

TEST(runs_that_crash_survive_each_failure)
{
    CHECK(pool_answers_whatever_fails("dies 11", 0));
    CHECK(pool_answers_whatever_fails("dies 11", 2));
    CHECK(pool_answers_whatever_fails("type 99", 2));
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
