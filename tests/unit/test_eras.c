/* test_eras.c - the cache on disk that remembers which MCP era each server command speaks. */
#include "tap.h"

#include "failing.h"
#include "mcp/eras.h"
#include "scratch.h"

#define COMMAND(...) ((const char *const[]){__VA_ARGS__, NULL})

static char dir[512];

static bool begin(void)
{
    bool ok = scratch_begin();

    (void)snprintf(dir, sizeof(dir), "%s/cache/eras", scratch);
    return ok;
}

/* The name of the only file in the directory. */
static const char *only_file(void)
{
    static char name[600];
    const struct dirent *entry;
    DIR *all = opendir(dir);
    int count = 0;

    while (all && (entry = readdir(all)))
        if (entry->d_name[0] != '.') {
            (void)snprintf(name, sizeof(name), "cache/eras/%.256s", entry->d_name);
            count++;
        }
    if (all)
        (void)closedir(all);
    return count == 1 ? name : NULL;
}

TEST(an_era_is_remembered_changed_and_forgotten)
{
    CHECK(begin() && cr_eras_recall(dir, COMMAND("a", "b")) == CR_ERA_UNKNOWN);
    cr_eras_remember(dir, COMMAND("a", "b"), CR_ERA_LEGACY);
    CHECK(cr_eras_recall(dir, COMMAND("a", "b")) == CR_ERA_LEGACY && only_file());
    CHECK(mode_of(only_file()) == 0600);
    cr_eras_remember(dir, COMMAND("a", "b"), CR_ERA_MODERN);
    CHECK(cr_eras_recall(dir, COMMAND("a", "b")) == CR_ERA_MODERN && only_file());
    cr_eras_remember(dir, COMMAND("a", "b"), CR_ERA_UNKNOWN);
    CHECK(cr_eras_recall(dir, COMMAND("a", "b")) == CR_ERA_UNKNOWN && !only_file());
    cr_eras_remember(dir, COMMAND("a", "b"), CR_ERA_UNKNOWN); /* there is nothing to forget yet */
    CHECK(cr_eras_recall(dir, COMMAND("a", "b")) == CR_ERA_UNKNOWN);
    scratch_end();
}

TEST(commands_that_are_different_have_eras_of_their_own)
{
    CHECK(begin());
    cr_eras_remember(dir, COMMAND("npx", "a b"), CR_ERA_MODERN);
    cr_eras_remember(dir, COMMAND("npx", "a", "b"), CR_ERA_LEGACY);
    CHECK(cr_eras_recall(dir, COMMAND("npx", "a b")) == CR_ERA_MODERN);
    CHECK(cr_eras_recall(dir, COMMAND("npx", "a", "b")) == CR_ERA_LEGACY);
    CHECK(cr_eras_recall(dir, COMMAND("npx", "ab")) == CR_ERA_UNKNOWN);
    CHECK(cr_eras_recall(dir, COMMAND("npxa b")) == CR_ERA_UNKNOWN);
    CHECK(cr_eras_recall(dir, COMMAND("npx", "a", "b", "")) == CR_ERA_UNKNOWN);
    CHECK(cr_eras_recall(dir, COMMAND("npx")) == CR_ERA_UNKNOWN);
    scratch_end();
}

TEST(without_a_directory_nothing_is_remembered)
{
    cr_eras_remember(NULL, COMMAND("a"), CR_ERA_MODERN);
    CHECK(cr_eras_recall(NULL, COMMAND("a")) == CR_ERA_UNKNOWN);
    CHECK(cr_eras_recall("/no/such/directory", COMMAND("a")) == CR_ERA_UNKNOWN);
}

TEST(a_path_that_is_not_a_directory_remembers_nothing)
{
    CHECK(begin() && put("cache", "a file"));
    cr_eras_remember(dir, COMMAND("a"), CR_ERA_MODERN);
    CHECK(cr_eras_recall(dir, COMMAND("a")) == CR_ERA_UNKNOWN && holds("cache", "a file"));
    scratch_end();
}

static int remember_as_nobody(int number)
{
    (void)number;
    if (!be_nobody())
        return 2;
    cr_eras_remember(dir, COMMAND("a"), CR_ERA_MODERN);
    return cr_eras_recall(dir, COMMAND("a")) == CR_ERA_LEGACY ? 0 : 1;
}

TEST(what_cannot_be_written_stays_as_it_is)
{
    CHECK(begin());
    cr_eras_remember(dir, COMMAND("a"), CR_ERA_LEGACY);
    CHECK(chmod(scratch, 0755) == 0 && chmod(path_of("cache"), 0755) == 0 && chmod(dir, 0555) == 0);
    CHECK(chmod(path_of(only_file()), 0444) == 0);
    CHECK(in_child(remember_as_nobody, 0) == 0);
    CHECK(chmod(dir, 0755) == 0);
    scratch_end();
}

TEST(other_bytes_in_the_file_mean_nothing)
{
    static const char *const others[] = {"",
                                         "legacy",
                                         "legacy\n\n",
                                         "Legacy\n",
                                         "modern ",
                                         "modern\nlegacy\n",
                                         "legacy\nlegacy\nlegacy\n",
                                         "x"};
    static char name[700];

    CHECK(begin());
    cr_eras_remember(dir, COMMAND("a"), CR_ERA_LEGACY);
    CHECK(only_file());
    (void)snprintf(name, sizeof(name), "%s", only_file());
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        CHECK(put(name, others[i]));
        CHECK(cr_eras_recall(dir, COMMAND("a")) == CR_ERA_UNKNOWN);
    }
    CHECK(put(name, "modern\n") && cr_eras_recall(dir, COMMAND("a")) == CR_ERA_MODERN);
    scratch_end();
}

TEST(a_pipe_instead_of_the_file_is_not_waited_for)
{
    static char name[700];

    CHECK(begin());
    cr_eras_remember(dir, COMMAND("a"), CR_ERA_LEGACY);
    (void)snprintf(name, sizeof(name), "%s", only_file());
    CHECK(unlink(path_of(name)) == 0 && mkfifo(path_of(name), 0600) == 0);
    CHECK(cr_eras_recall(dir, COMMAND("a")) == CR_ERA_UNKNOWN);
    cr_eras_remember(dir, COMMAND("a"), CR_ERA_MODERN);
    CHECK(cr_eras_recall(dir, COMMAND("a")) == CR_ERA_MODERN);
    scratch_end();
}

/* The strings are freed before the helper writes. What is queued at the end is still written. */
TEST(the_helper_writes_with_strings_of_its_own_and_in_order)
{
    static const enum cr_era eras[] = {CR_ERA_LEGACY, CR_ERA_UNKNOWN, CR_ERA_MODERN};
    char command[] = "a", copy[sizeof(dir)];
    struct cr_loop loop;

    CHECK(begin() && cr_loop_init(&loop, NULL) == 0);
    for (size_t i = 0; i < sizeof(eras) / sizeof(eras[0]); i++) {
        (void)snprintf(copy, sizeof(copy), "%s", dir);
        command[0] = 'a';
        cr_eras_remember_later(&loop, copy, COMMAND(command), eras[i]);
        copy[0] = command[0] = 'x';
    }
    cr_eras_remember_later(&loop, NULL, COMMAND("a"), CR_ERA_LEGACY);
    cr_loop_clear(&loop);
    CHECK(cr_eras_recall(dir, COMMAND("a")) == CR_ERA_MODERN && only_file());
    scratch_end();
}

TEST(without_memory_nothing_is_remembered_or_recalled_wrongly)
{
    CHECK(begin());
    cr_eras_remember(dir, COMMAND("a"), CR_ERA_LEGACY);
    while (failing_more()) {
        enum cr_era era = cr_eras_recall(dir, COMMAND("a"));

        failing_stop();
        CHECK(era == CR_ERA_LEGACY || (era == CR_ERA_UNKNOWN && failing_failed));
    }
    while (failing_more()) {
        cr_eras_remember(dir, COMMAND("b"), CR_ERA_MODERN);
        failing_stop();
        CHECK(cr_eras_recall(dir, COMMAND("b")) == CR_ERA_MODERN || failing_failed);
    }
    scratch_end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
