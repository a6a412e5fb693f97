/*
 * test_callbacks.c - the application cancels, frees and starts runs, at every stage of a run and in
 * every callback, with a pool of fakes (fake_worker.h). Nothing may be left afterwards.
 */
#include "fake_runs.h"

#define SUCCESS CAPRUN_OUTCOME_SUCCESS
#define CANCELLED CAPRUN_OUTCOME_CANCELLED

/* --- at every stage ----------------------------------------------------------------------- */

enum stage { WAITING, COMING, STARTING, RUNNING, HEARD, ENDED, STAGES };

static struct caprun_run *holder; /* takes the only place, while |run| waits */

/* A run at |stage|, in a pool that has one place. */
static bool begin_stage(enum stage stage)
{
    holder = stage == WAITING ? start("says_nothing") : NULL;
    run = new_run(stage == ENDED ? "honest" : "says_a_word", 0,
                  stage == STARTING ? FAKE_NEVER_READY : FAKE_HONEST);
    if (!start_run(run))
        return false;
    if (stage == STARTING)
        STEP_UNTIL(run->worker->pidfd >= 0)
    if (stage >= RUNNING)
        STEP_UNTIL(run->state >= CR_RUN_RUNNING)
    if (stage == HEARD)
        STEP_UNTIL(run->has_sent_frame)
    return stage != ENDED || finish(run);
}

static bool begin_with_one_place(uint32_t warm)
{
    return new_runtime() && caprun_set_max_workers(rt, 1) == 0 && caprun_set_warm(rt, warm) == 0;
}

static const uint32_t stocks[] = {CAPRUN_WARM_NONE, 1};

static void check_end_at_every_stage(void (*end_it)(struct caprun_run *run),
                                     enum caprun_outcome how)
{
    for (size_t i = 0; i < COUNT(stocks); i++) {
        CHECK(begin_with_one_place(stocks[i]));
        for (int stage = 0; stage < STAGES; stage++) {
            CHECK(begin_stage((enum stage)stage));
            end_it(run);
            CHECK(caprun_done(run));
            CHECK(caprun_get_outcome(run) == (stage == ENDED ? SUCCESS : how));
            caprun_run_free(run);
            caprun_run_free(holder);
            CHECK(is_quiet() && succeeds());
        }
        CHECK(end());
    }
}

TEST(a_run_can_be_cancelled_at_every_stage)
{
    check_end_at_every_stage(caprun_cancel, CANCELLED);
}

TEST(a_run_can_be_terminated_at_every_stage)
{
    check_end_at_every_stage(caprun_terminate, CAPRUN_OUTCOME_WORKER_TERMINATED);
}

TEST(a_run_can_be_freed_at_every_stage)
{
    for (size_t i = 0; i < COUNT(stocks); i++) {
        CHECK(begin_with_one_place(stocks[i]));
        for (int stage = 0; stage < STAGES; stage++) {
            CHECK(begin_stage((enum stage)stage));
            caprun_run_free(run);
            caprun_run_free(holder);
            CHECK(is_quiet() && succeeds());
        }
        CHECK(end());
    }
}

TEST(a_runtime_can_be_freed_with_its_run_at_every_stage)
{
    for (size_t i = 0; i < COUNT(stocks); i++) {
        for (int stage = 0; stage < STAGES; stage++) {
            CHECK(begin_with_one_place(stocks[i]));
            CHECK(begin_stage((enum stage)stage));
            caprun_run_free(run);
            caprun_run_free(holder);
            CHECK(end());
        }
    }
}

/* --- in every callback -------------------------------------------------------------------- */

static struct {
    enum caprun_event when;
    void (*act)(struct caprun_run *in); /* called at the first event |when| */
    int events[8];                      /* how often each event came */
} script;

static struct caprun_run *others[3]; /* the runs that |run|'s callbacks act on */

static void hear(void *data, struct caprun_run *r, enum caprun_event what, uint32_t call)
{
    (void)data;
    (void)call;
    if (script.events[what]++ == 0 && what == script.when)
        script.act(r);
}

static void cancel_it(struct caprun_run *in)
{
    caprun_cancel(in);
}

static void cancel_all(struct caprun_run *in)
{
    for (size_t i = 0; i < COUNT(others); i++)
        caprun_cancel(others[i]);
    caprun_cancel(in);
}

static void start_another(struct caprun_run *in)
{
    (void)in;
    others[0] = start("honest");
}

/* A callback must not step the runtime or wait for a run. */
static void step_and_wait(struct caprun_run *in)
{
    struct caprun_run *inner = new_run("honest", 0, FAKE_HONEST);

    (void)in;
    caprun_step(rt);
    if (caprun_run(inner) == CAPRUN_E_STATE)
        script.events[0]++;
    caprun_run_free(inner);
}

static const enum caprun_event moments[] = {CAPRUN_EVENT_STARTED, CAPRUN_EVENT_CALL,
                                            CAPRUN_EVENT_CALL_DONE, CAPRUN_EVENT_BLOCKED,
                                            CAPRUN_EVENT_ENDED};

/* Starts a run that causes the event |when|; |act| is called at the first one. */
static bool begin_script(enum caprun_event when, void (*act)(struct caprun_run *in))
{
    memset(&script, 0, sizeof(script));
    script.when = when;
    script.act = act;
    run = new_run(when == CAPRUN_EVENT_BLOCKED ? "attempts 3" : "call_and_throw", 0, FAKE_HONEST);
    caprun_run_set_event(run, hear, NULL);
    return caprun_start(run) == 0;
}

TEST(a_run_can_be_cancelled_in_each_of_its_callbacks)
{
    for (size_t i = 0; i < COUNT(stocks); i++) {
        CHECK(begin_with_one_place(stocks[i]));
        for (size_t m = 0; m < COUNT(moments); m++) {
            CHECK(begin_script(moments[m], cancel_it));
            CHECK_SOON(script.events[CAPRUN_EVENT_ENDED]);
            CHECK(script.events[moments[m]] == 1);
            CHECK(moments[m] == CAPRUN_EVENT_ENDED || caprun_get_outcome(run) == CANCELLED);
            caprun_run_free(run);
            CHECK(is_quiet() && succeeds());
        }
        CHECK(end());
    }
}

TEST(others_can_be_cancelled_in_each_callback)
{
    for (size_t m = 0; m < COUNT(moments); m++) {
        CHECK(new_runtime() && caprun_set_max_workers(rt, 2) == 0 && caprun_set_warm(rt, 1) == 0);
        others[0] = start("says_nothing");
        others[1] = new_run("says_nothing", 0, FAKE_HONEST); /* these two wait */
        others[2] = new_run("says_nothing", 0, FAKE_HONEST);
        CHECK(begin_script(moments[m], cancel_all));
        CHECK(caprun_start(others[1]) == 0 && caprun_start(others[2]) == 0);
        CHECK_SOON(script.events[CAPRUN_EVENT_ENDED]);
        for (size_t i = 0; i < COUNT(others); i++) {
            CHECK(ended(others[i], CANCELLED, ""));
            caprun_run_free(others[i]);
        }
        caprun_run_free(run);
        CHECK(is_quiet() && succeeds() && end());
    }
}

TEST(others_can_be_started_in_each_callback)
{
    for (size_t i = 0; i < COUNT(stocks); i++) {
        CHECK(begin_with_one_place(stocks[i]));
        for (size_t m = 0; m < COUNT(moments); m++) {
            others[0] = NULL;
            CHECK(begin_script(moments[m], start_another));
            CHECK_SOON(script.events[CAPRUN_EVENT_ENDED] && others[0]);
            CHECK(ended(others[0], SUCCESS, "42"));
            caprun_run_free(others[0]);
            caprun_run_free(run);
            CHECK(is_quiet());
        }
        CHECK(end());
    }
}

TEST(a_callback_cannot_step_or_wait_for_a_run)
{
    CHECK(begin());
    for (size_t m = 0; m < COUNT(moments); m++) {
        CHECK(begin_script(moments[m], step_and_wait));
        CHECK_SOON(script.events[CAPRUN_EVENT_ENDED]);
        CHECK(script.events[0] == 1);
        caprun_run_free(run);
    }
    CHECK(is_quiet() && end());
}

static void free_it(struct caprun_run *in)
{
    caprun_run_free(in);
}

TEST(a_run_can_be_freed_when_it_has_ended)
{
    static const char *const codes[] = {"honest", "dies 11", "call_and_throw", "exits 1"};

    CHECK(begin_warm(2));
    for (size_t i = 0; i < COUNT(codes); i++) {
        memset(&script, 0, sizeof(script));
        script.when = CAPRUN_EVENT_ENDED;
        script.act = free_it;
        run = new_run(codes[i], 0, FAKE_HONEST);
        caprun_run_set_event(run, hear, NULL);
        CHECK(caprun_start(run) == 0);
        CHECK_SOON(script.events[CAPRUN_EVENT_ENDED] == 1);
        CHECK(is_quiet() && succeeds());
    }
    CHECK(end());
}

TEST(a_run_that_is_waited_for_has_told_its_end)
{
    CHECK(begin() && caprun_run_new(rt, &run) == 0);
    memset(&script, 0, sizeof(script));
    caprun_run_set_event(run, hear, NULL);
    CHECK(caprun_run_set_code(run, "honest", 6) == 0);
    fake_plan->early = FAKE_EXITS;
    fake_plan->forks = 1000;
    CHECK(caprun_run(run) == 0 && caprun_get_outcome(run) == CAPRUN_OUTCOME_INTERNAL);
    CHECK(script.events[CAPRUN_EVENT_ENDED] == 1);
    caprun_run_free(run);
    CHECK(end());
}

/* Answers the second call. */
static void answer_one(void *data, struct caprun_run *r, uint32_t call, const char *method,
                       const char *args, size_t args_len)
{
    (void)data;
    (void)method;
    if (call == 2)
        (void)caprun_call_reply(r, call, args, args_len);
}

TEST(a_call_that_is_open_at_the_end_is_lost)
{
    CHECK(begin());
    memset(&script, 0, sizeof(script));
    run = new_run("many_calls 3", 0, FAKE_HONEST);
    caprun_run_set_handler(run, answer_one, NULL);
    caprun_run_set_event(run, hear, NULL);
    CHECK(caprun_start(run) == 0);
    CHECK_SOON(script.events[CAPRUN_EVENT_CALL] == 3);
    CHECK(script.events[CAPRUN_EVENT_CALL_DONE] == 1);
    caprun_cancel(run);
    CHECK(script.events[CAPRUN_EVENT_ENDED] == 0);
    CHECK_SOON(script.events[CAPRUN_EVENT_ENDED]);
    CHECK(script.events[CAPRUN_EVENT_CALL_LOST] == 2);
    caprun_run_free(run);
    CHECK(end());
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
