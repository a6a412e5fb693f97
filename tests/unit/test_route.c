/*
 * test_route.c - real runs call a real server, and a person must allow each call: the answer comes
 * later, or is no longer needed. Other calls do not wait for it.
 */
#include "process.h"
#include "scratch.h"
#include "tap.h"

#include <stdlib.h>

#include "base/loop.h"
#include "route/route_parts.h"
#include "run/run_parts.h"

static struct caprun_runtime *rt;
static struct caprun_run *run;

/* --- a person to ask -------------------------------------------------------------------------- */

static struct cr_pending *asked[8];
static char asked_tool[64], asked_args[64];
static size_t asked_count, forgotten;

static bool can_ask(struct cr_asker *asker, const struct cr_question *q)
{
    (void)asker;
    (void)q;
    return true;
}

static bool ask(struct cr_asker *asker, const struct cr_question *q, struct cr_pending *pending,
                struct cr_ruling *ret)
{
    (void)asker;
    ret->answer = CR_RULING_LATER;
    (void)snprintf(asked_tool, sizeof(asked_tool), "%s", q->tool);
    (void)snprintf(asked_args, sizeof(asked_args), "%.*s", (int)q->args_len, q->args);
    if (asked_count < sizeof(asked) / sizeof(asked[0]))
        asked[asked_count++] = pending;
    return true;
}

static void forget(struct cr_asker *asker, struct cr_pending *pending)
{
    (void)asker;
    forgotten += pending == asked[0];
}

static struct cr_asker person = {.can_ask = can_ask, .ask = ask, .forget = forget};

/* --- runs ------------------------------------------------------------------------------------- */

static bool put_config(void)
{
    char json[8192], here[4096];

    (void)snprintf(
        json, sizeof(json),
        "{\"mcpServers\":{\"fake\":{\"command\":\"python3\",\"args\":[\"-I\",\"-S\","
        "\"%s/tests/lib/fake_mcp.py\",\"{\\\"tools\\\":[{\\\"name\\\":\\\"a-b\\\"}]}\"]}},"
        "\"permissions\":{\"allow\":[\"fake:echo\"],\"ask\":[\"fake:a-b\"]}}",
        getcwd(here, sizeof(here)));
    return put(".caprun.json", json);
}

static bool begin(void)
{
    asked_count = forgotten = 0;
    return scratch_begin() && put_config() && caprun_new(&rt) == 0 &&
           caprun_set_worker(rt, built_program("caprun-worker")) == 0 &&
           caprun_set_config(rt, path_of(".caprun.json")) == 0;
}

static bool end(void)
{
    caprun_run_free(run);
    run = NULL;
    caprun_free(rt);
    scratch_end();
    return true;
}

static bool start(const char *code)
{
    bool ok = caprun_run_new(rt, &run) == 0 && caprun_run_set_code(run, code, strlen(code)) == 0 &&
              caprun_start(run) == 0;

    if (ok)
        cr_container(run->gate, struct cr_route, gate)->policy.asker = &person;
    return ok;
}

static bool step_before(int64_t deadline_us)
{
    (void)caprun_wait(rt, 100);
    caprun_step(rt);
    return cr_loop_now() < deadline_us;
}

#define CHECK_SOON(condition)                                                           \
    do {                                                                                \
        for (int64_t at = cr_loop_now() + 30000000; !(condition) && step_before(at);) { \
        }                                                                               \
        CHECK(condition);                                                               \
    } while (0)

static void answer(enum cr_ruling_answer what)
{
    struct cr_ruling ruling = {.answer = what, .by = "person"};

    (void)cr_err_end(&ruling.why, CAPRUN_OUTCOME_PERMISSION_DENIED, NULL, "the person said no");
    asked[0]->ruled(asked[0], &ruling);
}

static bool says(const char *part)
{
    return strstr(caprun_result_json(run, NULL), part) != NULL;
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(a_call_about_which_a_person_is_asked_is_made_when_they_allow_it)
{
    CHECK(begin() && start("return await mcp.fake.a_b({x: 1})"));
    CHECK_SOON(asked_count == 1);
    CHECK(strcmp(asked_tool, "fake:a-b") == 0 && strcmp(asked_args, "{\"x\":1}") == 0);
    CHECK(run->calls[0].sent_us == 0 && run->calls[0].clock_us == 0); /* no timeout runs */
    answer(CR_RULING_ALLOWED);
    CHECK_SOON(caprun_done(run));
    CHECK(says("\"success\":true") && says("person") && asked_count == 1 && !forgotten && end());
}

TEST(a_call_that_they_deny_is_not_made)
{
    CHECK(begin() && start("return await mcp.fake.a_b({})"));
    CHECK_SOON(asked_count == 1);
    answer(CR_RULING_DENIED);
    CHECK_SOON(caprun_done(run));
    CHECK(says("PERMISSION_DENIED") && says("the person said no") && end());
}

TEST(other_calls_do_not_wait_for_a_person)
{
    CHECK(begin() && start("mcp.fake.a_b({}); return await mcp.fake.echo({y: 2})"));
    CHECK_SOON(caprun_done(run));
    CHECK(says("\"success\":true") && asked_count == 1 && forgotten == 1 && end());
}

TEST(the_asker_is_told_when_the_answer_is_no_longer_needed)
{
    CHECK(begin() && start("return await mcp.fake.a_b({})"));
    CHECK_SOON(asked_count == 1);
    caprun_cancel(run);
    CHECK_SOON(caprun_done(run));
    CHECK(forgotten == 1 && end());
}

TEST(calls_that_wait_for_a_person_have_bounded_args)
{
    struct cr_route *route;

    CHECK(begin() && start("return await mcp.fake.a_b({})"));
    route = cr_container(run->gate, struct cr_route, gate);
    route->asked_bytes = 64u << 20;      /* other calls wait with args of this size */
    run->budgets.asked_bytes = 1u << 20; /* and of these, so much is of this run */
    CHECK_SOON(caprun_done(run));
    CHECK(says("Too many calls wait for a decision") && forgotten == 1);
    CHECK(route->asked_bytes == 64u << 20 && run->budgets.asked_bytes == 1u << 20 && end());
}

TEST(calls_of_other_runs_that_wait_for_a_person_take_no_bytes_of_this_run)
{
    struct cr_route *route;

    CHECK(begin() && start("return await mcp.fake.a_b({})"));
    route = cr_container(run->gate, struct cr_route, gate);
    route->asked_bytes = 64u << 20;
    CHECK_SOON(asked_count == 1);
    CHECK(route->asked_bytes > 64u << 20 && run->budgets.asked_bytes > 0);
    caprun_cancel(run);
    CHECK_SOON(caprun_done(run));
    CHECK(route->asked_bytes == 64u << 20 && run->budgets.asked_bytes == 0 && end());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
