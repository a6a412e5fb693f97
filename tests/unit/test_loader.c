/* test_loader.c - loading a capability without memory, and errors; see also loading.t. */
#include "tap.h"

#include <malloc.h>
#include <semaphore.h>

#include "capability/host.h"
#include "failing.h"
#include "run/run_parts.h"
#include "scratch.h"

#define NAME "acme.tools.text.upper"
#define LOADS 20
#define LONG 1000000 /* bytes of long code, and of long metadata */

static struct caprun_runtime *rt;

static void begin(void)
{
    char config[512];

    CHECK(scratch_begin());
    (void)snprintf(config, sizeof(config), "{\"registries\": [\"%s\"]}", scratch);
    CHECK(put(".caprun.json", config));
    CHECK(put(NAME ".0123abcd.json", "{\"fqdn\": \"" NAME ".0123abcd\", \"type\": \"js\"}"));
    CHECK(put(NAME ".0123abcd.js", "return args.n"));
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
    run->loop->disk.is_threadless = run->loop->slow.is_threadless = true;
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

/* --- a slow registry -------------------------------------------------------------------------- */

static sem_t registry_goes_on;

static void hang(struct cr_job *job)
{
    (void)job;
    while (sem_wait(&registry_goes_on) < 0)
        ;
}

static void ignore(struct cr_job *job)
{
    (void)job;
}

TEST(a_load_that_takes_long_delays_no_values_of_other_runs)
{
    static const char code[] = "return (await mcp.a.never({a: 'x'.repeat(70000)}))";
    static struct cr_job hanging = {
        .work = hang, .done = ignore, .discard = ignore, .name = "hang"};
    struct caprun_run *load = NULL, *run = NULL;

    begin();
    CHECK(caprun_set_worker(rt, built_program("caprun-worker")) == 0);
    CHECK(caprun_run_new(rt, &load) == 0 && sem_init(&registry_goes_on, 0, 0) == 0);
    cr_helper_submit(&load->loop->slow, &hanging);
    CHECK(caprun_run_load(load, NAME) == 0 && caprun_start(load) == 0);
    CHECK(caprun_run_new(rt, &run) == 0 && caprun_run_record(run, path_of("j")) == 0);
    CHECK(caprun_run_set_code(run, code, strlen(code)) == 0 && caprun_run(run) == 0);
    CHECK(strstr(get("j"), "\"argsBytes\":70008") && load->state == CR_RUN_LOADING);
    (void)sem_post(&registry_goes_on);
    while (!caprun_done(load)) {
        (void)caprun_wait(rt, 10);
        caprun_step(rt);
    }
    CHECK(caprun_get_outcome(load) == CAPRUN_OUTCOME_SUCCESS);
    caprun_run_free(load);
    caprun_run_free(run);
    end();
}

/* --- a full queue ----------------------------------------------------------------------------- */

static struct caprun_run *start_plain(const char *code, int expected)
{
    struct caprun_run *run = new_run();

    if (caprun_run_set_code(run, code, strlen(code)) < 0 || caprun_start(run) != expected)
        abort();
    return run;
}

/* One run has the only worker, and another one the only place in the queue. */
static void fill_pool(struct caprun_run *held[2])
{
    CHECK(caprun_set_worker(rt, built_program("caprun-worker")) == 0);
    CHECK(caprun_set_max_workers(rt, 1) == 0 && caprun_set_max_waiting(rt, 1) == 0);
    for (int i = 0; i < 2; i++)
        held[i] = start_plain("for (;;);", 0);
}

static void publish_long(void)
{
    static const char before[] =
        "{\"fqdn\": \"" NAME ".0123abcd\", \"type\": \"js\", \"description\": \"";
    static char code[LONG + 1], metadata[LONG + sizeof(before) + 2];

    memset(code, '/', LONG);
    memcpy(code, "return args.n\n", 14);
    memset(metadata, 'x', sizeof(metadata) - 1);
    memcpy(metadata, before, sizeof(before) - 1);
    memcpy(metadata + sizeof(metadata) - 3, "\"}", 2);
    metadata[sizeof(metadata) - 1] = '\0';
    CHECK(put(NAME ".0123abcd.js", code) && put(NAME ".0123abcd.json", metadata));
}

static struct caprun_run *start_load(int n)
{
    struct caprun_run *run = new_run();
    char args[32];
    int len = snprintf(args, sizeof(args), "{\"n\": %d}", n);

    if (caprun_run_load(run, NAME) < 0 || caprun_run_set_args(run, args, (size_t)len) < 0 ||
        caprun_start(run) < 0)
        abort();
    for (int left = 1000; left && run->state == CR_RUN_LOADING; left--) {
        (void)caprun_wait(rt, 10);
        caprun_step(rt);
    }
    return run;
}

static size_t allocated(void)
{
    struct mallinfo2 now = mallinfo2();

    return now.uordblks + now.hblkhd;
}

static bool has_timer_of(const struct cr_timer *t, const char *name)
{
    return t && (strcmp(t->name, name) == 0 || has_timer_of(t->left, name) ||
                 has_timer_of(t->right, name));
}

/* The pool wakes them: nothing is tried again meanwhile, and nothing is hashed again. */
TEST(loads_wait_in_a_full_queue_without_work_and_run_in_their_order)
{
    struct caprun_run *held[2], *loads[LOADS];

    begin();
    fill_pool(held);
    for (int i = 0; i < LOADS; i++) {
        loads[i] = start_load(i);
        CHECK(loads[i]->state == CR_RUN_WAITING);
    }
    CHECK(!has_timer_of(loads[0]->loop->timers.first, "loader"));
    caprun_run_free(start_plain("return 1", CAPRUN_E_BUSY));
    caprun_run_free(held[1]);
    caprun_run_free(held[0]);
    for (int i = 0; i < LOADS; i++) {
        char result[12];

        while (!caprun_done(loads[i]))
            caprun_step(rt);
        (void)snprintf(result, sizeof(result), "%d", i);
        CHECK(strcmp(caprun_get_result(loads[i], NULL), result) == 0);
        CHECK(i + 1 == LOADS || !caprun_done(loads[i + 1]));
        caprun_run_free(loads[i]);
    }
    caprun_run_free(start_plain("return 1", 0));
    end();
}

TEST(a_load_that_waits_keeps_its_code_once_and_no_metadata)
{
    struct caprun_run *held[2], *loads[LOADS];
    size_t before;

    begin();
    publish_long();
    fill_pool(held);
    loads[0] = start_load(0);
    before = allocated();
    for (int i = 1; i < LOADS; i++)
        loads[i] = start_load(i);
    (void)printf("# %zu bytes for each\n", (allocated() - before) / (LOADS - 1));
    for (int i = 0; i < LOADS; i++)
        CHECK(loads[i]->state == CR_RUN_WAITING);
    CHECK(allocated() < before + (LOADS - 1) * (size_t)LONG * 3 / 2);
    for (int i = 0; i < LOADS; i++)
        caprun_run_free(loads[i]);
    for (int i = 0; i < 2; i++)
        caprun_run_free(held[i]);
    end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
