/*
 * test_stock.c - workers that are forked ahead of demand, and their zygotes, with fakes
 * (fake_worker.h). test_losses.c tests workers and zygotes that die.
 */
#include "fake_runs.h"

#define SUCCESS CAPRUN_OUTCOME_SUCCESS

/* --- workers ------------------------------------------------------------------------------ */

TEST(the_stock_is_filled_handed_out_and_filled_again)
{
    CHECK(begin_warm(3));
    CHECK(count(CAPRUN_COUNT_WORKERS) == 3);
    run = start("says_a_word");
    CHECK(run->state == CR_RUN_STARTING || run->state == CR_RUN_RUNNING);
    CHECK_SOON(run->has_sent_frame && count(CAPRUN_COUNT_READY) == 3);
    CHECK(count(CAPRUN_COUNT_WORKERS) == 4 && count(CAPRUN_COUNT_RUNNING) == 1);
    caprun_run_free(run);
    for (int i = 0; i < 20; i++)
        CHECK(succeeds());
    CHECK_SOON(count(CAPRUN_COUNT_READY) == 3);
    CHECK(count(CAPRUN_COUNT_WORKERS) == 24 && count(CAPRUN_COUNT_ZYGOTES) == 1);
    CHECK(is_quiet() && end());
}

TEST(a_stock_that_is_larger_than_the_zygotes_queue_is_filled)
{
    CHECK(begin_warm(100));
    CHECK(count(CAPRUN_COUNT_WORKERS) == 100 && end());
}

TEST(a_run_with_other_limits_has_a_worker_of_its_own)
{
    CHECK(begin_warm(2));
    CHECK(ends("honest", 0, FAKE_READY_IN_PIECES, SUCCESS, "42"));
    CHECK(count(CAPRUN_COUNT_READY) == 2 && count(CAPRUN_COUNT_WORKERS) == 3);
    CHECK(is_quiet() && end());
}

TEST(the_stock_is_filled_again_after_there_was_no_room_for_it)
{
    struct caprun_run *other;

    CHECK(new_runtime() && caprun_set_max_workers(rt, 2) == 0 && caprun_set_warm(rt, 2) == 0);
    run = start("says_a_word");
    other = start("says_a_word");
    CHECK_SOON(run->has_sent_frame && other->has_sent_frame);
    CHECK(count(CAPRUN_COUNT_READY) == 0);
    caprun_run_free(run);
    caprun_run_free(other);
    CHECK_SOON(count(CAPRUN_COUNT_READY) == 2);
    CHECK(is_quiet() && end());
}

TEST(a_fresh_program_is_used_for_one_worker_only)
{
    CHECK(new_runtime() && caprun_set_fresh_program(rt, 1) == 0 && caprun_set_warm(rt, 2) == 0);
    for (int i = 0; i < 5; i++)
        CHECK(succeeds());
    CHECK_SOON(count(CAPRUN_COUNT_READY) == 2);
    CHECK(count(CAPRUN_COUNT_ZYGOTES) == count(CAPRUN_COUNT_WORKERS));
    CHECK(is_quiet() && end());
}

TEST(a_run_with_other_limits_gets_the_place_of_one_in_stock)
{
    CHECK(new_runtime() && caprun_set_max_workers(rt, 2) == 0 && caprun_set_warm(rt, 2) == 0 &&
          caprun_warm(rt) == 0);
    CHECK(stock->coming.count == 2); /* neither is ready yet */
    CHECK(ends("honest", 0, FAKE_READY_IN_PIECES, SUCCESS, "42"));
    CHECK_SOON(count(CAPRUN_COUNT_READY) == 2);
    CHECK(ends("honest", 0, FAKE_READY_IN_PIECES, SUCCESS, "42"));
    CHECK(is_quiet() && end());
}

/* --- zygotes ------------------------------------------------------------------------------ */

static size_t count_zygotes(void)
{
    size_t found = 0;

    for (const struct cr_zygote *z = stock->zygotes; z; z = z->next)
        found++;
    return found;
}

TEST(a_zygote_is_replaced_before_it_has_forked_too_many)
{
    CHECK(begin_warm(4));
    for (int i = 0; i < 300; i++)
        CHECK(succeeds());
    CHECK(count(CAPRUN_COUNT_ZYGOTES) == 2);
    for (const struct cr_zygote *z = stock->zygotes; z; z = z->next)
        CHECK(z->slots <= 256);
    CHECK_SOON(count_zygotes() == 1);
    CHECK(is_quiet() && end());
}

TEST(a_zygote_without_a_stock_is_replaced_too)
{
    CHECK(begin());
    for (int i = 0; i < 300; i++)
        CHECK(succeeds());
    CHECK(count(CAPRUN_COUNT_ZYGOTES) == 2);
    CHECK_SOON(count_zygotes() == 1);
    CHECK(end());
}

TEST(a_zygote_that_is_old_is_replaced_with_its_stock)
{
    struct cr_zygote *old;

    CHECK(begin_warm(3));
    run = start("says_a_word");
    CHECK_SOON(run->has_sent_frame && count(CAPRUN_COUNT_READY) == 3);
    old = stock->current;
    old->born_us -= 60000000;
    CHECK(succeeds()); /* the age is checked when a run starts */
    CHECK_SOON(stock->current && stock->current != old && count(CAPRUN_COUNT_READY) == 3);
    for (const struct cr_worker *w = stock->ready.first; w; w = w->next_in_pool)
        CHECK(w->zygote != old);
    CHECK(run->state == CR_RUN_RUNNING && old->retired);
    caprun_run_free(run);
    CHECK_SOON(count_zygotes() == 1);
    CHECK(is_quiet() && end());
}

TEST(the_stock_of_a_zygote_that_was_retired_gets_old_too)
{
    CHECK(begin_warm(3));
    stock->current->retired = true;
    stock->current->born_us -= 60000000;
    stock->current = NULL;
    CHECK(succeeds());
    CHECK_SOON(count(CAPRUN_COUNT_READY) == 3 && count_zygotes() == 1);
    CHECK(!stock->zygotes->retired && end());
}

TEST(a_layer_that_any_active_zygote_lacks_is_missing)
{
    CHECK(begin_warm(1));
    run = start("says_a_word");
    CHECK_SOON(run->has_sent_frame);
    stock->current->layers[WIRE_LAYER_USER_NS] = ENOSPC; /* pretend that the machine has changed */
    cr_pool_retire_zygote(pool, stock->current);
    CHECK_SOON(stock->current && stock->current->greeted && count_zygotes() == 2);
    stock->current->layers[WIRE_LAYER_NO_CAPS] = EPERM;
    CHECK(succeeds());
    CHECK(strstr(caprun_missing_layers(rt), "user namespace (No space left on device)"));
    CHECK(strstr(caprun_missing_layers(rt), "no capabilities"));
    caprun_run_free(run);
    CHECK_SOON(count_zygotes() == 1);
    CHECK(succeeds() && !strstr(caprun_missing_layers(rt), "user namespace"));
    CHECK(strstr(caprun_missing_layers(rt), "no capabilities") && end());
}

static bool begin_required(enum fake_birth birth, int births)
{
    if (!new_runtime() || caprun_set_require_all_layers(rt, 1) < 0)
        return false;
    fake_plan->birth = birth;
    fake_plan->births = births;
    return true;
}

TEST(a_zygote_that_lacks_a_layer_is_not_used_where_all_are_required)
{
    static const char words[] =
        "\"message\":\"the sandbox cannot be built here with all its layers: "
        "missing no new executable memory (PR_SET_MDWE) (Function not "
        "implemented)\",\"hint\":\"caprun doctor says how to get them; or "
        "\\\"sandbox\\\": {\\\"requireAllLayers\\\": false}\"";

    CHECK(begin_required(FAKE_IS_BORN, 0));
    for (int i = 0; i < 3; i++)
        CHECK(ends("honest", 0, FAKE_HONEST, CAPRUN_OUTCOME_INTERNAL, words));
    CHECK(strstr(caprun_missing_layers(rt), "PR_SET_MDWE") && is_quiet());
    CHECK(caprun_set_require_all_layers(rt, 0) == CAPRUN_E_STATE && end());

    CHECK(begin_required(FAKE_HAS_ALL_LAYERS, 1) && succeeds());
    CHECK(strcmp(caprun_missing_layers(rt), "") == 0 && end());
    CHECK(new_runtime() && succeeds() && end());
}

TEST(a_clock_is_no_layer_that_is_required)
{
    CHECK(begin_required(FAKE_LACKS_THE_CLOCK, 1) && succeeds() && end());
}

TEST(a_zygote_that_says_nothing_of_its_layers_is_not_used_where_all_are_required)
{
    CHECK(begin_required(FAKE_SAYS_NO_HELLO, 100));
    CHECK(ends("honest", 0, FAKE_HONEST, CAPRUN_OUTCOME_INTERNAL, "before it was ready"));
    fake_plan->birth = FAKE_HAS_ALL_LAYERS;
    CHECK(succeeds() && end());

    CHECK(new_runtime());
    fake_plan->birth = FAKE_SAYS_NO_HELLO;
    fake_plan->births = 1;
    CHECK(succeeds() && end());
}

/* Counts how often the descriptor becomes readable within a tenth of a second. */
static int count_steps(void)
{
    int64_t until = cr_loop_now() + 100000;
    int steps = 0;

    while (cr_loop_now() < until) {
        struct pollfd fd = {.fd = caprun_fd(rt), .events = POLLIN};

        steps += poll(&fd, 1, 10) > 0;
        caprun_step(rt);
    }
    return steps;
}

TEST(a_pool_that_has_nothing_to_do_does_nothing)
{
    CHECK(begin_warm(3));
    CHECK(count_steps() < 10 && end());
    CHECK(new_runtime() && caprun_set_fresh_program(rt, 1) == 0 && caprun_set_warm(rt, 2) == 0);
    CHECK(succeeds());
    CHECK_SOON(count(CAPRUN_COUNT_READY) == 2);
    stock->current->born_us -= 60000000;
    CHECK(succeeds());
    stock->current->born_us -= 60000000;
    CHECK(count_steps() < 30 && end());
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
