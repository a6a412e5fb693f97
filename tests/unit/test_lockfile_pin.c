/*
 * test_lockfile_pin.c - writing caprun.lock: sorted, by one writer at a time, never partly.
 */
#include "tap.h"

#include <sys/file.h>
#include <sys/resource.h>
#include <time.h>

#include "base/file.h"
#include "base/scan.h"
#include "failing.h"
#include "lockfiles.h"

/* --- pauses, which a test may skip ---------------------------------------------------------- */

static long paused_ms = -1; /* in pauses that were skipped; -1: pauses are real */

int nanosleep(const struct timespec *time, struct timespec *rest)
{
    if (paused_ms < 0)
        return clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest);
    paused_ms += time->tv_nsec / 1000000;
    return 0;
}

/* --- one writer ----------------------------------------------------------------------------- */

TEST(the_first_pin_makes_the_file)
{
    CHECK(scratch_begin());
    (void)umask(004);
    CHECK(pin("a.b.c.d", "012", false) == 0);
    CHECK(holds(CR_LOCKFILE_NAME,
                LOCKFILE("    \"a.b.c.d\": " PIN("a.b.c.d.aaaa0", HASH(1), HASH(2)), "{}")));
    CHECK(mode_of(CR_LOCKFILE_NAME) == 0640 && count_files() == 1 && is_valid());
    scratch_end();
}

TEST(pins_are_sorted_by_name_whatever_the_order_they_come_in)
{
    CHECK(scratch_begin());
    CHECK(pin("b.b.b.b", "012", false) == 0 && pin("a.a.a.a", "345", false) == 0);
    CHECK(pin("c.c.c.c", "678", false) == 0 && pin("B.b.b.b", "987", false) == 0);
    CHECK(holds(
        CR_LOCKFILE_NAME,
        LOCKFILE("    \"B.b.b.b\": " PIN("B.b.b.b.aaaa9", HASH(8),
                                         HASH(7)) ",\n"
                                                  "    \"a.a.a.a\": " PIN(
                                                      "a.a.a.a.aaaa3", HASH(4),
                                                      HASH(5)) ",\n"
                                                               "    \"b.b.b.b\": " PIN(
                                                                   "b.b.b.b.aaaa0", HASH(1),
                                                                   HASH(2)) ",\n"
                                                                            "    \"c.c.c.c\": " PIN(
                                                                                "c.c.c.c.aaaa6",
                                                                                HASH(7), HASH(8)),
                 "{}")));
    scratch_end();
}

TEST(the_next_pin_sorts_a_file_that_was_edited)
{
    CHECK(scratch_begin());
    CHECK(
        put(CR_LOCKFILE_NAME,
            "{\"capabilities\":{\"c.c.c.c\":" PIN("c.c.c.c", HASH(1), HASH(2)) ",\"a.a.a.a\":" PIN(
                "a.a.a.a", HASH(3), HASH(4)) "},\"version\":1}"));
    CHECK(pin("b.b.b.b", "012", false) == 0);
    CHECK(holds(
        CR_LOCKFILE_NAME,
        LOCKFILE("    \"a.a.a.a\": " PIN("a.a.a.a", HASH(3),
                                         HASH(4)) ",\n"
                                                  "    \"b.b.b.b\": " PIN(
                                                      "b.b.b.b.aaaa0", HASH(1),
                                                      HASH(2)) ",\n"
                                                               "    \"c.c.c.c\": " PIN(
                                                                   "c.c.c.c", HASH(1), HASH(2)),
                 "{}")));
    scratch_end();
}

TEST(tools_are_kept_and_sorted)
{
#define EMPTY TOOL(HASH_OF_NOTHING, "{}")
    CHECK(scratch_begin());
    CHECK(put(CR_LOCKFILE_NAME,
              "{\"servers\":{\"files\":{\"b\":" EMPTY ",\"\\u200b\":" EMPTY ",\"a\":" EMPTY
              "},\"none\":{},\"\":{\"\":" EMPTY "}},\"version\":1,\"capabilities\":{}}"));
    for (int i = 0; i < 3; i++)
        CHECK(pin("a.b.c.d", i & 1 ? "345" : "012", true) == 0);
    CHECK(holds(CR_LOCKFILE_NAME,
                LOCKFILE("    \"a.b.c.d\": " PIN("a.b.c.d.aaaa0", HASH(1), HASH(2)),
                         "{\n    \"\": {\n      \"\": " EMPTY "\n    },\n    \"files\": {\n"
                         "      \"a\": " EMPTY ",\n      \"b\": " EMPTY
                         ",\n      \"\\u200b\": " EMPTY "\n    }\n  }")));
    scratch_end();
}

TEST(a_pin_that_is_there_already_writes_nothing)
{
    struct stat before, after;

    CHECK(scratch_begin());
    CHECK(pin("a.b.c.d", "012", false) == 0 && put("caprun.lock.0123456789abcdef.tmp", "x"));
    CHECK(stat(path_of(CR_LOCKFILE_NAME), &before) == 0);
    CHECK(pin("a.b.c.d", "012", false) == 0 && pin("a.b.c.d", "012", true) == 0);
    CHECK(stat(path_of(CR_LOCKFILE_NAME), &after) == 0);
    CHECK(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    CHECK(count_files() == 2);
    scratch_end();
}

TEST(a_pin_that_differs_is_refused_and_with_accept_replaced)
{
    CHECK(scratch_begin());
    CHECK(pin("a.b.c.d", "012", false) == 0 && pin("b.b.c.d", "012", false) == 0);
    CHECK(pin("a.b.c.d", "312", false) < 0);
    CHECK(why.outcome == CAPRUN_OUTCOME_INTEGRITY_MISMATCH);
    CHECK(strstr(why.text, "a.b.c.d is not what caprun.lock pins: the version changed"));
    CHECK(strstr(why.hint, "caprun lock --accept a.b.c.d"));
    CHECK(pin("a.b.c.d", "345", true) == 0);
    CHECK(holds(CR_LOCKFILE_NAME,
                LOCKFILE("    \"a.b.c.d\": " PIN("a.b.c.d.aaaa3", HASH(4),
                                                 HASH(5)) ",\n"
                                                          "    \"b.b.c.d\": " PIN("b.b.c.d.aaaa0",
                                                                                  HASH(1), HASH(2)),
                         "{}")));
    scratch_end();
}

TEST(the_mode_of_the_file_is_kept)
{
    CHECK(scratch_begin());
    CHECK(pin("a.b.c.d", "012", false) == 0 && chmod(path_of(CR_LOCKFILE_NAME), 0600) == 0);
    CHECK(pin("b.b.c.d", "012", false) == 0 && mode_of(CR_LOCKFILE_NAME) == 0600);
    scratch_end();
}

TEST(what_cannot_be_read_is_not_written_over)
{
    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, ""));
    CHECK(pin("a.b.c.d", "012", true) < 0 && strstr(why.text, ":1:1: the lockfile is empty"));
    CHECK(holds(CR_LOCKFILE_NAME, "") && unlink(path_of(CR_LOCKFILE_NAME)) == 0);
    CHECK(put("target", LOCKFILE("", "{}")) && symlink("target", path_of(CR_LOCKFILE_NAME)) == 0);
    CHECK(pin("a.b.c.d", "012", true) < 0 && strstr(why.text, "is a symbolic link"));
    CHECK(holds("target", LOCKFILE("", "{}")) && count_files() == 2);
    scratch_end();
}

TEST(what_killed_writers_left_is_removed_by_the_next_pin)
{
    CHECK(scratch_begin() && put("caprun.lock.0123456789abcdef.tmp", "{") && put("other.tmp", ""));
    CHECK(pin("a.b.c.d", "012", false) == 0);
    CHECK(!get("caprun.lock.0123456789abcdef.tmp") && holds("other.tmp", ""));
    scratch_end();
}

/* The file can be read, but one more pin would make it too large. */
static bool is_full(void)
{
    char expected[2048];

    (void)snprintf(expected, sizeof(expected), "'%s' is full: there is no room to pin 'a.b.c.d'",
                   path_of(CR_LOCKFILE_NAME));
    return is_valid() && pin("a.b.c.d", "012", false) < 0 &&
           says(CAPRUN_OUTCOME_CONFIG_ERROR, expected, "delete it to pin what runs next") &&
           is_valid() && count_files() == 1;
}

/* A lockfile with a tool whose definition has |count| extra keys, or |count| times 8 digits. */
static bool put_tool(bool keys, int count)
{
    static char definition[17 << 20];
    char hash[CR_LOCKFILE_HASH + 1];
    FILE *file = fopen(path_of(CR_LOCKFILE_NAME), "w");
    size_t len = (size_t)sprintf(definition, "{\"\":1");

    for (int i = 0; i < count; i++)
        len += (size_t)(keys ? sprintf(definition + len, ",\"%06d\":1", i)
                             : sprintf(definition + len, "%08d", i));
    len += (size_t)sprintf(definition + len, "}");
    cr_lockfile_hash(definition, len, hash);
    if (!file)
        return false;
    (void)fprintf(file,
                  "{\"version\":1,\"capabilities\":{},\"servers\":{\"x\":{\"y\":{"
                  "\"sha256\":\"%s\",\"definition\":%s}}}}",
                  hash, definition);
    return fclose(file) == 0;
}

TEST(a_file_that_would_have_too_many_bytes_to_be_read_again_is_not_written)
{
    CHECK(scratch_begin());
    CHECK(put_tool(false, (16 << 17) - 40) && is_full());
    scratch_end();
}

TEST(a_file_that_would_have_too_many_keys_to_be_read_again_is_not_written)
{
    CHECK(scratch_begin());
    CHECK(put_tool(true, CR_SCAN_MAX_KEYS - 8) && is_full());
    scratch_end();
}

/* --- where it cannot be written ------------------------------------------------------------- */

static bool cannot_write(const char *reason, const char *hint)
{
    char expected[2048];

    (void)snprintf(expected, sizeof(expected), "cannot write '%s': %s", path_of(CR_LOCKFILE_NAME),
                   reason);
    return pin("a.b.c.d", "345", true) < 0 && says(CAPRUN_OUTCOME_CONFIG_ERROR, expected, hint);
}

static int writes_as_nobody(int number)
{
    static const char hint[] = "run in a directory of your own, or give caprun_set_config() a "
                               "file whose directory can be written";

    (void)number;
    return be_nobody() && cannot_write("Permission denied", hint) ? 0 : 1;
}

TEST(a_directory_that_cannot_be_written_is_an_error_with_advice)
{
    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, LOCKFILE("", "{}")));
    CHECK(chmod(scratch, 0555) == 0 && in_child(writes_as_nobody, 0) == 0);
    CHECK(chmod(scratch, 0) == 0 && in_child(writes_as_nobody, 0) == 0);
    CHECK(chmod(scratch, 0700) == 0 && holds(CR_LOCKFILE_NAME, LOCKFILE("", "{}")));
    scratch_end();
}

TEST(a_directory_that_is_not_there_is_an_error_to_write)
{
    CHECK(scratch_begin());
    scratch_end();
    CHECK(cannot_write("No such file or directory", ""));
}

static int writes_to_a_full_disk(int number)
{
    struct rlimit limit = {(rlim_t)number, (rlim_t)number};

    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) < 0)
        return 1;
    return cannot_write("File too large", "") ? 0 : 2;
}

TEST(a_full_disk_is_an_error_and_the_old_file_stays)
{
    static const char old[] =
        LOCKFILE("    \"a.b.c.d\": " PIN("a.b.c.d.aaaa0", HASH(1), HASH(2)), "{}");

    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, old));
    CHECK(in_child(writes_to_a_full_disk, 0) == 0);
    CHECK(in_child(writes_to_a_full_disk, 100) == 0);
    CHECK(holds(CR_LOCKFILE_NAME, old) && count_files() == 1);
    scratch_end();
}

#define BUSY ".caprun.lock.busy"

TEST(a_lock_that_is_held_for_ten_seconds_is_an_error_that_says_so)
{
    int fd;

    CHECK(scratch_begin());
    fd = open(path_of(BUSY), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(cr_file_lock(fd) == 0);
    paused_ms = 0;
    CHECK(cannot_write("other processes have held the lock on it for 10 s",
                       "lslocks shows which; wait for them, or end them"));
    CHECK(paused_ms == 10000 && count_files() == 1);
    paused_ms = -1;
    (void)close(fd);
    CHECK(pin("a.b.c.d", "012", false) == 0);
    CHECK(count_files() == 1); /* only the lockfile: the temporary file is gone */
    scratch_end();
}

/* Any process that may read a directory may lock it. */
TEST(a_lock_on_the_directory_stops_no_writer)
{
    int dir;

    CHECK(scratch_begin());
    dir = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(flock(dir, LOCK_EX) == 0);
    paused_ms = 0;
    CHECK(pin("a.b.c.d", "012", false) == 0 && paused_ms == 0);
    paused_ms = -1;
    (void)close(dir);
    scratch_end();
}

TEST(what_others_can_open_is_not_locked)
{
    static const char not_ours[] = "'" BUSY "' beside it is not a file of this user alone";

    CHECK(scratch_begin() && put(BUSY, "") && chmod(path_of(BUSY), 0644) == 0);
    CHECK(cannot_write(not_ours, "remove it"));
    CHECK(unlink(path_of(BUSY)) == 0 && symlink("elsewhere", path_of(BUSY)) == 0);
    CHECK(cannot_write(not_ours, "remove it"));
    CHECK(unlink(path_of(BUSY)) == 0 && mkdir(path_of(BUSY), 0700) == 0);
    CHECK(cannot_write(not_ours, "remove it"));
    CHECK(rmdir(path_of(BUSY)) == 0 && put(BUSY, "") && chmod(path_of(BUSY), 0600) == 0);
    CHECK(pin("a.b.c.d", "012", false) == 0 && count_files() == 1);
    scratch_end();
}

TEST(every_allocation_may_fail_and_then_nothing_has_changed)
{
    CHECK(scratch_begin() && pin("b.b.c.d", "012", false) == 0);
    while (failing_more()) {
        int r = pin("a.b.c.d", "345", false);

        failing_stop();
        CHECK(r == (failing_failed && r < 0 ? CAPRUN_E_NOMEM : 0));
        CHECK(r == 0 || why.outcome == CAPRUN_OUTCOME_INTERNAL);
        CHECK(r == 0 ||
              holds(CR_LOCKFILE_NAME,
                    LOCKFILE("    \"b.b.c.d\": " PIN("b.b.c.d.aaaa0", HASH(1), HASH(2)), "{}")));
        if (r == 0)
            CHECK(is_valid() && unlink(path_of(CR_LOCKFILE_NAME)) == 0 &&
                  pin("b.b.c.d", "012", false) == 0);
    }
    scratch_end();
}

TEST(every_allocation_of_a_refusal_may_fail)
{
    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, "{\"version\":1,\"\\u001b\":1}"));
    while (failing_more()) {
        int r = pin("a.b.c.d", "345", false);

        failing_stop();
        CHECK(r == (failing_failed ? CAPRUN_E_NOMEM : CAPRUN_E_INVAL));
    }
    CHECK(!FAILING || strstr(why.text, "unknown key '\\u001b'"));
    scratch_end();
}

/* --- many writers --------------------------------------------------------------------------- */

#define MANY 200
#define SAME 50
#define KILLS 200

/* Lets all children start together: each waits for a byte of |gate|. */
static int gate[2];

static void wait_for_the_others(void)
{
    char byte;

    (void)close(gate[1]);
    (void)!read(gate[0], &byte, 1);
}

/* Under valgrind a writer may wait longer than the ten seconds that are allowed: retry. */
static int pins_its_own(int number)
{
    char name[64];

    wait_for_the_others();
    (void)snprintf(name, sizeof(name), "a.b.c.n%d", number);
    for (int tries = 0; tries < 6; tries++) {
        if (pin(name, "012", false) == 0)
            return 0;
        if (!strstr(why.text, "have held the lock"))
            break;
    }
    printf("# %s\n", why.text);
    return 1;
}

/* Starts |count| children at once. Returns how many exited with |status|. */
static int count_ends(int (*what)(int number), int count, int status)
{
    pid_t pids[MANY];
    int ends = 0;

    if (pipe(gate) < 0)
        return -1;
    for (int i = 0; i < count; i++)
        pids[i] = start_child(what, i);
    (void)close(gate[0]);
    (void)close(gate[1]);
    for (int i = 0; i < count; i++)
        ends += end_of(pids[i]) == status;
    return ends;
}

TEST(two_hundred_writers_of_different_pins_lose_none)
{
    struct cr_lockfile lock;
    struct cr_pin found;
    char name[64];

    CHECK(scratch_begin());
    CHECK(count_ends(pins_its_own, MANY, 0) == MANY);
    CHECK(cr_lockfile_read(scratch, &lock, &why) == 0);
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof(name), "a.b.c.n%d", i);
        CHECK(cr_lockfile_find(&lock, name, &found) && strcmp(found.code, HASH(1)) == 0);
    }
    CHECK(count_files() == 1);
    cr_lockfile_clear(&lock);
    scratch_end();
}

/* Returns 0: pinned the even hash; 1: pinned the odd hash; 2: was refused; 3: another error. */
static int pins_one_of_two(int number)
{
    wait_for_the_others();
    if (pin("a.b.c.d", number & 1 ? "012" : "032", false) == 0)
        return number & 1;
    return why.outcome == CAPRUN_OUTCOME_INTEGRITY_MISMATCH ? 2 : 3;
}

TEST(of_two_hashes_pinned_by_fifty_writers_one_wins_and_the_others_are_refused)
{
    pid_t pids[SAME];
    int ends[4] = {0};
    bool odd;

    CHECK(scratch_begin() && pipe(gate) == 0);
    for (int i = 0; i < SAME; i++)
        pids[i] = start_child(pins_one_of_two, i);
    (void)close(gate[0]);
    (void)close(gate[1]);
    for (int i = 0; i < SAME; i++)
        ends[end_of(pids[i]) & 3]++;
    odd = strstr(get(CR_LOCKFILE_NAME), "\"code\": \"" HASH(1)) != NULL;
    CHECK(ends[odd] == SAME / 2 && ends[!odd] == 0 && ends[2] == SAME / 2 && ends[3] == 0);
    CHECK(is_valid() && count_files() == 1);
    scratch_end();
}

static int pins_for_ever(int number)
{
    for (unsigned i = 0;; i++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "a.b.c.n%d", number);
        if (pin(name, i & 1 ? "012" : "345", true) < 0)
            return 1;
    }
}

/* Sleeps for a random time of up to 4 ms. */
static void pause_a_moment(unsigned *chance)
{
    struct timespec time = {0};

    *chance = *chance * 1103515245u + 12345u;
    time.tv_nsec = (long)(*chance >> 10) % 4000000;
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

TEST(a_writer_killed_at_any_moment_leaves_a_whole_file_and_no_lock)
{
    unsigned chance = (unsigned)getpid();
    int leftovers = 0;

    CHECK(scratch_begin() && pin("z.z.z.z", "012", false) == 0);
    for (int i = 0; i < KILLS; i++) {
        pid_t pid = start_child(pins_for_ever, i);

        pause_a_moment(&chance);
        CHECK(kill(pid, SIGKILL) == 0 && end_of(pid) == -1);
        CHECK(is_valid() && strstr(get(CR_LOCKFILE_NAME), "z.z.z.z.aaaa0"));
        leftovers += count_files() > 1;
    }
    printf("# of %d writers %d left something behind\n", KILLS, leftovers);
    CHECK(pin("y.y.y.y", "012", false) == 0 && is_valid() && count_files() == 1);
    scratch_end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
