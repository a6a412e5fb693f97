/* test_store.c - the directory of journals: finding journals, deleting old ones, and its key. */
#include "tap.h"

#include <limits.h>
#include <time.h>

#include "base/file.h"
#include "failing.h"
#include "journal/store.h"
#include "scratch.h"

#define ID(last) "01234567-89ab-7def-8123-4567890000" last
#define DAY (24 * 3600)

static struct cr_err why;
static struct cr_err err;
static char path[PATH_MAX], dir[1024];

static bool begin(void)
{
    if (!scratch_begin())
        return false;
    (void)snprintf(dir, sizeof(dir), "%s", path_of("state"));
    return cr_store_make(dir, &err) == 0;
}

/* A journal of |bytes| that is |days| old. */
static bool keep(const char *id, size_t bytes, int days)
{
    struct timespec when[2] = {{.tv_sec = time(NULL) - days * DAY},
                               {.tv_sec = time(NULL) - days * DAY}};
    int fd;
    bool ok;

    cr_store_path(dir, id, path);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ok = fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && futimens(fd, when) == 0;
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

static bool is_there(const char *id)
{
    cr_store_path(dir, id, path);
    return access(path, F_OK) == 0;
}

static bool finds(const char *word, const char *id)
{
    char wanted[PATH_MAX];

    cr_store_path(dir, id, wanted);
    return cr_store_find(dir, word, path, &why) == 0 && strcmp(path, wanted) == 0;
}

static bool refuses(const char *word, const char *words)
{
    if (cr_store_find(dir, word, path, &why) < 0 && why.outcome == CAPRUN_OUTCOME_USAGE &&
        strstr(why.text, words))
        return true;
    printf("# %s: %s\n", word, why.text);
    return false;
}

/* --- making --------------------------------------------------------------------------------- */

TEST(the_directory_is_made_for_this_user_alone)
{
    CHECK(begin());
    CHECK(mode_of("state") == 0700 && mode_of("state/runs") == 0700);
    CHECK(cr_store_make(dir, &err) == 0); /* it may exist already */
    scratch_end();
}

TEST(a_directory_that_others_can_write_is_not_used)
{
    CHECK(begin());
    CHECK(chmod(path_of("state/runs"), 0777) == 0);
    CHECK(cr_store_make(dir, &err) == CAPRUN_E_SYS && strstr(err.text, "state/runs"));
    CHECK(chmod(path_of("state/runs"), 0755) == 0 && cr_store_make(dir, &err) == 0);
    CHECK(put("file", "") && cr_store_make(path_of("file"), &err) == CAPRUN_E_SYS);
    scratch_end();
}

/* --- finding -------------------------------------------------------------------------------- */

TEST(a_run_is_found_by_its_id_or_by_the_first_or_last_digits)
{
    CHECK(begin());
    CHECK(keep(ID("01"), 1, 0) && keep(ID("02"), 1, 0));
    CHECK(finds(ID("01"), ID("01")) && finds("0001", ID("01")) && finds("0002", ID("02")));
    CHECK(refuses("0123", "2 runs; write more of it") && refuses("000", "no run"));
    CHECK(refuses("ff", "no run 'ff'") && refuses("", "not the id") &&
          refuses("xyz", "not the id"));
    CHECK(refuses(ID("01") "0", "not the id"));
    CHECK(unlink(path_of("state/runs/" ID("02") ".jsonl")) == 0 && finds("0123", ID("01")));
    scratch_end();
}

TEST(a_word_with_a_slash_or_a_dot_is_a_path)
{
    CHECK(begin());
    CHECK(cr_store_find(dir, "./x", path, &why) == 0 && strcmp(path, "./x") == 0);
    CHECK(cr_store_find(dir, "x.jsonl", path, &why) == 0 && strcmp(path, "x.jsonl") == 0);
    CHECK(cr_store_find("", "/a", path, &why) == 0 && strcmp(path, "/a") == 0);
    scratch_end();
    CHECK(refuses("01", "no run")); /* the directory does not exist any more */
}

TEST(its_own_files_are_known_by_their_path)
{
    CHECK(begin());
    cr_store_path(dir, ID("01"), path);
    CHECK(cr_store_has(dir, path) && !cr_store_has("/elsewhere", path));
    CHECK(!cr_store_has(dir, ID("01") ".jsonl") && !cr_store_has(dir, "/x/" ID("01") ".jsonl"));
    (void)snprintf(path, sizeof(path), "%s/runs/%s", dir, "other.jsonl");
    CHECK(!cr_store_has(dir, path));
    (void)snprintf(path, sizeof(path), "%s/runs/../runs/" ID("01") ".jsonl", dir);
    CHECK(!cr_store_has(dir, path));
    scratch_end();
}

static void count_one(void *data, int where, const char *name)
{
    (void)where;
    if (strlen(name) == CR_STORE_ID + 6)
        (*(int *)data)++;
}

TEST(only_journals_are_listed)
{
    int found = 0;

    CHECK(begin());
    CHECK(keep(ID("01"), 1, 0) && keep(ID("02"), 1, 0) && put("state/runs/note.txt", "") &&
          put("state/runs/" ID("0x") ".jsonl", "") && put("state/runs/" ID("03") ".json", "") &&
          mkdir(path_of("state/runs/" ID("01") ".jsonl.d"), 0700) == 0);
    CHECK(cr_store_list(dir, count_one, &found, &err) == 0 && found == 2);
    CHECK(cr_store_list(path_of("none"), count_one, &found, &err) == 0 && found == 2);
    scratch_end();
}

/* --- sweeping ------------------------------------------------------------------------------- */

TEST(what_is_old_is_swept_away_with_its_blobs)
{
    CHECK(begin());
    CHECK(keep(ID("01"), 1, 5) && keep(ID("02"), 1, 3) && keep(ID("03"), 1, 0));
    CHECK(mkdir(path_of("state/runs/" ID("01") ".jsonl.d"), 0700) == 0);
    CHECK(put(
        "state/runs/" ID("01") ".jsonl.d/"
                               "0000000000000000000000000000000000000000000000000000000000000000",
        "x"));
    CHECK(put("state/runs/old.txt", ""));
    cr_store_sweep(dir, 4, 1 << 20, 100);
    CHECK(!is_there(ID("01")) && is_there(ID("02")) && is_there(ID("03")));
    CHECK(mode_of("state/runs/" ID("01") ".jsonl.d") == 0 && holds("state/runs/old.txt", ""));
    scratch_end();
}

TEST(the_oldest_go_until_the_rest_fits)
{
    CHECK(begin());
    CHECK(keep(ID("01"), 400, 3) && keep(ID("02"), 400, 2) && keep(ID("03"), 400, 1));
    cr_store_sweep(dir, 30, 1200, 100);
    CHECK(is_there(ID("01")) && is_there(ID("02")) && is_there(ID("03")));
    cr_store_sweep(dir, 30, 1199, 100);
    CHECK(!is_there(ID("01")) && is_there(ID("02")) && is_there(ID("03")));
    cr_store_sweep(dir, 30, 1199, 1);
    CHECK(!is_there(ID("02")) && is_there(ID("03")));
    cr_store_sweep(dir, 30, 0, 100);
    CHECK(!is_there(ID("03")));
    cr_store_sweep(dir, 30, 0, 100); /* with an empty directory, and without one */
    cr_store_sweep("/none", 30, 0, 100);
    scratch_end();
}

TEST(the_journal_of_a_live_run_is_never_removed)
{
    int fd, where;

    CHECK(begin());
    CHECK(keep(ID("01"), 400, 90) && keep(ID("02"), 400, 90) && is_there(ID("01")));
    fd = open(path, O_RDWR | O_CLOEXEC);
    where = open(path_of("state/runs"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(fd >= 0 && where >= 0 && cr_file_lock(fd) == 0);
    CHECK(cr_store_is_live(where, ID("01") ".jsonl") &&
          !cr_store_is_live(where, ID("02") ".jsonl"));
    CHECK(!cr_store_is_live(where, ID("03") ".jsonl"));
    cr_store_sweep(dir, 1, 0, 0);
    CHECK(is_there(ID("01")) && !is_there(ID("02")));
    (void)close(fd);
    CHECK(!cr_store_is_live(where, ID("01") ".jsonl"));
    (void)close(where);
    cr_store_sweep(dir, 1, 0, 0);
    CHECK(!is_there(ID("01")));
    scratch_end();
}

/* --- the key -------------------------------------------------------------------------------- */

TEST(a_key_is_made_once_and_is_this_users_alone)
{
    uint8_t one[CR_HASH_BYTES] = {0}, two[CR_HASH_BYTES], zeros[CR_HASH_BYTES] = {0};

    CHECK(begin());
    CHECK(cr_store_look_up_key(dir, one, &err) == 1 && mode_of("state/key") == 0);
    CHECK(cr_store_key(dir, one, &err) == 0 && mode_of("state/key") == 0600);
    CHECK(memcmp(one, zeros, sizeof(one)) != 0);
    CHECK(cr_store_key(dir, two, &err) == 0 && memcmp(one, two, sizeof(one)) == 0);
    CHECK(cr_store_look_up_key(dir, two, &err) == 0 && memcmp(one, two, sizeof(one)) == 0);
    (void)snprintf(scratch + strlen(scratch), sizeof(scratch) - strlen(scratch), "/state");
    CHECK(count_files() == 2); /* the key and the directory of runs; no temporary file */
    scratch[strlen(scratch) - 6] = '\0';
    scratch_end();
}

TEST(a_damaged_key_is_an_error_and_stays)
{
    uint8_t key[CR_HASH_BYTES];

    CHECK(begin());
    CHECK(put("state/key", "short") && cr_store_key(dir, key, &err) < 0 && err.text[0]);
    CHECK(put("state/key", "much longer than the thirty-two bytes of a key"));
    CHECK(cr_store_key(dir, key, &err) < 0 && cr_store_look_up_key(dir, key, &err) < 0);
    CHECK(holds("state/key", "much longer than the thirty-two bytes of a key"));
    scratch_end();
}

static int make_key(int number)
{
    uint8_t key[CR_HASH_BYTES];
    char name[32];
    int fd;

    (void)snprintf(name, sizeof(name), "key%d", number);
    fd = open(path_of(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return cr_store_key(dir, key, &err) == 0 && write(fd, key, sizeof(key)) == CR_HASH_BYTES ? 0
                                                                                             : 1;
}

TEST(processes_that_make_a_key_at_once_have_the_same)
{
    char first[CR_HASH_BYTES + 1], name[32];
    pid_t pids[16];

    CHECK(begin());
    for (int i = 0; i < 16; i++)
        pids[i] = start_child(make_key, i);
    for (int i = 0; i < 16; i++)
        CHECK(end_of(pids[i]) == 0);
    memcpy(first, get("state/key"), CR_HASH_BYTES);
    for (int i = 0; i < 16; i++) {
        (void)snprintf(name, sizeof(name), "key%d", i);
        CHECK(memcmp(get(name), first, CR_HASH_BYTES) == 0);
    }
    scratch_end();
}

TEST(a_path_that_is_too_long_is_an_error)
{
    static char deep[PATH_MAX];
    uint8_t key[CR_HASH_BYTES];

    memset(deep, 'x', sizeof(deep) - 1);
    deep[0] = '/';
    CHECK(cr_store_make(deep, &err) < 0 && cr_store_key(deep, key, &err) < 0);
    CHECK(cr_store_list(deep, count_one, NULL, &err) < 0);
    cr_store_sweep(deep, 1, 0, 0);
}

TEST(each_allocation_that_fails_is_an_error_or_does_not_matter)
{
    uint8_t key[CR_HASH_BYTES];

    CHECK(begin());
    CHECK(keep(ID("01"), 400, 9) && keep(ID("02"), 400, 0) && cr_store_key(dir, key, &err) == 0);
    while (failing_more()) {
        int made = cr_store_make(dir, &err), found = cr_store_find(dir, "02", path, &why);
        int looked = cr_store_look_up_key(dir, key, &err);

        cr_store_sweep(dir, 1, 1000, 10);
        failing_stop();
        CHECK(made <= 0 && found <= 0 && looked <= 0 && is_there(ID("02")));
    }
    scratch_end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
