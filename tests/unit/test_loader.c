/* test_loader.c - loading a capability without memory, and errors; see also loading.t. */
#include "tap.h"

#include "capability/host.h"
#include "failing.h"
#include "run/run_parts.h"
#include "scratch.h"

#define NAME "acme.tools.text.upper"

static struct caprun_runtime *rt;

static void begin(void)
{
    char config[512];

    CHECK(scratch_begin());
    (void)snprintf(config, sizeof(config), "{\"registries\": [\"%s\"]}", scratch);
    CHECK(put(".caprun.json", config));
    CHECK(put(NAME ".0123abcd.json", "{\"fqdn\": \"" NAME ".0123abcd\", \"type\": \"js\"}"));
    CHECK(put(NAME ".0123abcd.js", "return args.text.toUpperCase()"));
    CHECK(caprun_new(&rt) == 0);
    CHECK(caprun_set_config(rt, path_of(".caprun.json")) == 0);
}

static void end(void)
{
    caprun_free(rt);
    scratch_end();
}

/* A run whose helper works in this thread, so that the order of allocations is always the same. */
static struct caprun_run *new_run(void)
{
    struct caprun_run *run = NULL;

    if (caprun_run_new(rt, &run) < 0)
        abort();
    run->loop->disk.is_threadless = true;
    return run;
}

/* Frozen and not pinned: the run ends before it needs a worker. */
static enum caprun_outcome load_frozen(struct caprun_run *run, const char *name)
{
    if (caprun_run_load(run, name) < 0)
        return CAPRUN_OUTCOME_INTERNAL;
    if (caprun_start(run) < 0 || run->state != CR_RUN_LOADING)
        abort();
    while (!caprun_done(run))
        caprun_step(rt);
    return caprun_get_outcome(run);
}

TEST(without_memory_a_load_fails_and_the_next_works)
{
    struct caprun_run *run;
    int failed = 0;

    begin();
    CHECK(caprun_set_frozen(rt, 1) == 0);
    run = new_run();
    while (failing_more()) {
        enum caprun_outcome outcome = load_frozen(run, NAME);

        failing_stop();
        CHECK(outcome == CAPRUN_OUTCOME_INTERNAL || outcome == CAPRUN_OUTCOME_INTEGRITY_MISMATCH);
        failed += outcome == CAPRUN_OUTCOME_INTERNAL;
        caprun_run_free(run);
        run = new_run();
    }
    CHECK(!failing_works() || failed > 5);
    CHECK(load_frozen(run, NAME) == CAPRUN_OUTCOME_INTEGRITY_MISMATCH);
    CHECK(strstr(caprun_get_message(run, NULL), "is not pinned"));
    caprun_run_free(run);
    end();
}

TEST(the_last_name_that_is_set_is_loaded)
{
    struct caprun_run *run;

    begin();
    CHECK(caprun_set_frozen(rt, 1) == 0);
    run = new_run();
    CHECK(caprun_run_load(run, "acme.tools.text.nothing") == 0);
    CHECK(load_frozen(run, NAME) == CAPRUN_OUTCOME_INTEGRITY_MISMATCH);
    CHECK(caprun_run_load(run, NAME) == CAPRUN_E_STATE);
    caprun_run_free(run);
    end();
}

TEST(a_run_that_is_loading_takes_nothing_from_the_application)
{
    struct caprun_run *run;

    begin();
    run = new_run();
    CHECK(caprun_run_load(run, NAME) == 0 && caprun_start(run) == 0);
    CHECK(caprun_run_set_code(run, "return 1", 8) == CAPRUN_E_STATE);
    CHECK(caprun_start(run) == CAPRUN_E_STATE);
    caprun_cancel(run);
    CHECK(caprun_done(run) && caprun_get_outcome(run) == CAPRUN_OUTCOME_CANCELLED);
    CHECK(strcmp(caprun_get_message(run, NULL), "Cancelled") == 0);
    CHECK(caprun_get_metric(run, CAPRUN_METRIC_STARTUP_US) == 0);
    caprun_run_free(run);
    end();
}

TEST(words_of_an_end_are_not_replaced_by_those_of_its_load)
{
    struct caprun_run *run;

    begin();
    run = new_run();
    CHECK(caprun_run_load(run, NAME) == 0 && caprun_start(run) == 0);
    caprun_terminate(run);
    CHECK(caprun_get_outcome(run) == CAPRUN_OUTCOME_WORKER_TERMINATED);
    CHECK(strcmp(caprun_get_message(run, NULL), "The sandbox was shut down") == 0);
    caprun_run_free(run);
    end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
