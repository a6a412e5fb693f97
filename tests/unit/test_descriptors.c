/*
 * test_descriptors.c - the host runs out of descriptors, at each point once. It must return an
 * error or an envelope, and must work again when there are descriptors again.
 */
#include "fake_runs.h"

#include <sys/resource.h>

#define LIMIT 64
#define RUNS 3

static struct rlimit before;
static int fillers[LIMIT];
static size_t filled;

static void use_up(int but)
{
    struct rlimit low;

    (void)getrlimit(RLIMIT_NOFILE, &before);
    low = before;
    low.rlim_cur = LIMIT;
    (void)setrlimit(RLIMIT_NOFILE, &low);
    filled = 0;
    while (filled < COUNT(fillers) && (fillers[filled] = open("/dev/null", O_CLOEXEC)) >= 0)
        filled++;
    while (filled && but-- > 0)
        (void)close(fillers[--filled]);
}

static void give_back(void)
{
    while (filled)
        (void)close(fillers[--filled]);
    (void)setrlimit(RLIMIT_NOFILE, &before);
}

static bool is_an_end(struct caprun_run *r)
{
    return finish(r) && (caprun_get_outcome(r) == CAPRUN_OUTCOME_SUCCESS ||
                         caprun_get_outcome(r) == CAPRUN_OUTCOME_INTERNAL);
}

/* Makes runs with |allowed| descriptors, then one run without that limit. */
static bool answers(int allowed)
{
    struct caprun_run *runs[RUNS];
    bool ok = true;

    use_up(allowed);
    for (size_t i = 0; i < RUNS; i++)
        runs[i] = start("honest");
    for (size_t i = 0; i < RUNS; i++) {
        ok = is_an_end(runs[i]) && ok;
        caprun_run_free(runs[i]);
    }
    give_back();
    return ok && is_quiet() && succeeds() && is_quiet();
}

/* Tries each number of descriptors. |ready| makes the runtime. */
static bool answers_with_any_number(bool (*ready)(void))
{
    int descriptors = 0;

    for (int allowed = 0; allowed < 24; allowed++) {
        bool ok = ready() && answers(allowed);

        ok = end() && ok;
        if (!allowed)
            descriptors = count_descriptors();
        if (!ok || count_descriptors() != descriptors) {
            printf("# with %d descriptors; %d are left, and %d were\n", allowed,
                   count_descriptors(), descriptors);
            return false;
        }
    }
    return true;
}

static bool begin_with_stock(void)
{
    return begin_warm(3);
}

static bool begin_with_stock_to_come(void)
{
    return new_runtime() && caprun_set_warm(rt, 3) == 0 && caprun_warm(rt) == 0;
}

static bool begin_fresh(void)
{
    return new_runtime() && caprun_set_fresh_program(rt, 1) == 0;
}

TEST(a_runtime_needs_a_few_descriptors_or_says_so)
{
    int descriptors, r = -1;

    fake_make_plan();
    descriptors = count_descriptors();
    for (int allowed = 0; allowed < 5; allowed++) {
        use_up(allowed);
        rt = NULL;
        r = caprun_new(&rt);
        give_back();
        CHECK(r == (allowed < 3 ? CAPRUN_E_SYS : 0));
        caprun_free(rt);
        rt = NULL;
        CHECK(count_descriptors() == descriptors);
    }
}

TEST(a_pool_that_has_not_begun_bears_every_lack_of_descriptors)
{
    CHECK(answers_with_any_number(new_runtime));
}

TEST(a_pool_without_a_stock_bears_every_lack_of_descriptors)
{
    CHECK(answers_with_any_number(begin));
}

TEST(a_pool_with_a_stock_bears_every_lack_of_descriptors)
{
    CHECK(answers_with_any_number(begin_with_stock));
    CHECK(answers_with_any_number(begin_with_stock_to_come));
}

TEST(a_pool_of_fresh_programs_bears_every_lack_of_descriptors)
{
    CHECK(answers_with_any_number(begin_fresh));
}

TEST(a_zygote_that_was_started_without_descriptors_is_reaped_all_the_same)
{
    for (int allowed = 2; allowed < 8; allowed++) {
        CHECK(new_runtime());
        use_up(allowed);
        run = start("honest");
        CHECK(is_an_end(run));
        give_back();
        caprun_run_free(run);
        for (struct cr_zygote *z = stock->zygotes; z; z = z->next)
            cr_stock_retire_zygote(stock, z);
        CHECK_SOON(!stock->zygotes);
        CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
        CHECK(succeeds() && end());
    }
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
