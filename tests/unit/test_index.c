/* test_index.c - lists of runs: from journals, from the index, and with a damaged index. */
#include "tap.h"

#include <errno.h>

#include "failing.h"
#include "base/file.h"
#include "journal/index.h"
#include "journal/line.h"
#include "journal/sqlite_lib.h"
#include "scratch.h"

#define ID(n) "01a1e753-276d-7ecb-9ff8-00000000000" #n
#define RETURNED "{\"at\":90,\"from\":\"done\",\"result\":1"
#define ENDED "{\"at\":90,\"end\":\"SUCCESS\",\"calls\":0,\"cpuUs\":1,\"memoryBytes\":1"
#define SPOILT "{\"at\":90,\"end\":\"STALLED\",\"calls\":0,\"cpuUs\":1,\"memoryBytes\":1"
#define SEED "0000000000000000000000000000000000000000" /* half of it */
#define JOB "{\"at\":0,\"to\":\"job\",\"date\":5"

static struct cr_index_list list;
static struct cr_err err;

/* --- journals ------------------------------------------------------------------------------- */

static void add_line(struct cr_buf *text, uint8_t chain[CR_HASH_BYTES], const char *line)
{
    size_t start = text->len;

    cr_buf_str(text, line);
    cr_line_seal(text, start, chain);
}

/* Makes a journal of |id| with a job and |lines|, ended by NULL. */
static bool put_journal(const char *id, const char *const *lines)
{
    uint8_t chain[CR_HASH_BYTES] = {0};
    char head[2048], name[64];
    struct cr_buf text;
    bool ok;

    (void)snprintf(head, sizeof(head),
                   "{\"journal\":1,\"run\":\"%s\",\"time\":\"2026-11-17T02:25:48.911Z\","
                   "\"caprun\":\"0\",\"engine\":\"e\",\"prelude\":\"p\",\"boot\":\"b\","
                   "\"origin\":{\"command\":\"exec\",\"file\":\"a.js\"},\"limits\":{"
                   "\"timeoutMs\":1,\"cpuMs\":1,\"rpcTimeoutMs\":1,\"memoryBytes\":1,"
                   "\"resultBytes\":1,\"logBytes\":1,\"maxCalls\":1,\"maxConcurrentCalls\":1},"
                   "\"onDenied\":\"stop\",\"seed\":\"" SEED SEED "\",\"code\":\"\",\"args\":{}",
                   id);
    cr_buf_init(&text, 1u << 20);
    add_line(&text, chain, head);
    add_line(&text, chain, JOB);
    for (; *lines; lines++)
        add_line(&text, chain, *lines);
    (void)snprintf(name, sizeof(name), "runs/%s.jsonl", id);
    ok = cr_buf_text(&text) && put(name, (const char *)text.data);
    cr_buf_clear(&text);
    return ok;
}

static bool begin(void)
{
    return scratch_begin() && mkdir(path_of("runs"), 0700) == 0;
}

static bool put_ended(const char *id)
{
    return put_journal(id, (const char *const[]){RETURNED, ENDED, NULL});
}

/* Sets the time of the file of |id| to |ns| after 1970. */
static bool set_time(const char *id, long ns)
{
    struct timespec times[2] = {{1, ns}, {1, ns}};
    char path[PATH_MAX];

    cr_store_path(scratch, id, path);
    return utimensat(AT_FDCWD, path, times, 0) == 0;
}

static bool lists(size_t most)
{
    cr_index_clear(&list);
    if (cr_index_list(scratch, most, &list, &err) == 0)
        return true;
    printf("# %s\n", err.text);
    return false;
}

static bool lists_with_index(size_t most)
{
    bool ok = lists(most);

    if (list.note.code)
        printf("# %s\n", list.note.text);
    return ok && !list.note.code;
}

/* The state of the run at |place| of the list. */
static const char *state(size_t place)
{
    return cr_summary_state(&list.runs[place].summary, list.runs[place].is_live);
}

static void end(void)
{
    cr_index_clear(&list);
    scratch_end();
}

/* Runs |sql| on the index; returns the first number of its result, or -1. */
static int64_t query_index(const char *sql)
{
    struct cr_sqlite_lib lib;
    sqlite3_stmt *s = NULL;
    sqlite3 *db = NULL;
    int64_t value = -1;

    if (cr_sqlite_lib_init(&lib, NULL) < 0)
        return -1;
    if (lib.open_v2(path_of("index.db"), &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        lib.prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && lib.step(s) == SQLITE_ROW)
        value = lib.column_int64(s, 0);
    (void)lib.finalize(s);
    (void)lib.close(db);
    return value;
}

/* --- lists ---------------------------------------------------------------------------------- */

TEST(without_recordings_there_are_no_runs_and_no_index)
{
    CHECK(scratch_begin());
    CHECK(lists_with_index(5) && list.count == 0 && list.total == 0);
    CHECK(mkdir(path_of("runs"), 0700) == 0);
    CHECK(lists_with_index(5) && list.count == 0);
    CHECK(access(path_of("index.db"), F_OK) < 0);
    end();
}

TEST(the_latest_runs_come_first_and_at_most_as_many_as_requested)
{
    CHECK(begin() && put_ended(ID(2)) && put_ended(ID(3)) && put_ended(ID(1)));
    CHECK(lists_with_index(2) && list.count == 2 && list.total == 3);
    CHECK(strcmp(list.runs[0].id, ID(3)) == 0 && strcmp(list.runs[1].id, ID(2)) == 0);
    CHECK(query_index("SELECT count(*) FROM runs") == 2);
    CHECK(lists_with_index(SIZE_MAX) && list.count == 3);
    CHECK(strcmp(list.runs[2].id, ID(1)) == 0);
    CHECK(query_index("SELECT count(*) FROM runs") == 3);
    end();
}

TEST(a_summary_counts_calls_by_their_outcome)
{
    static const char *const lines[] = {
        "{\"at\":10,\"from\":\"call\",\"n\":1,\"method\":\"a:b\",\"args\":{}",
        "{\"at\":11,\"from\":\"call\",\"n\":2,\"method\":\"a:b\",\"args\":{}",
        "{\"at\":12,\"from\":\"call\",\"n\":3,\"method\":\"a:b\",\"args\":{}",
        "{\"at\":13,\"from\":\"call\",\"n\":4,\"method\":\"a:b\",\"args\":{}",
        "{\"at\":14,\"from\":\"call\",\"n\":5,\"method\":\"a:b\",\"args\":{}",
        "{\"at\":15,\"from\":\"call\",\"n\":6,\"method\":\"a:b\",\"args\":{}",
        "{\"at\":20,\"send\":1",
        "{\"at\":21,\"send\":2",
        "{\"at\":22,\"send\":3",
        "{\"at\":23,\"send\":5",
        "{\"at\":23,\"send\":5",
        "{\"at\":30,\"to\":\"reply\",\"n\":1,\"kind\":\"value\",\"json\":1",
        "{\"at\":31,\"to\":\"fail\",\"n\":2,\"state\":\"failed\",\"code\":\"C\",\"message\":\"\"",
        "{\"at\":32,\"to\":\"fail\",\"n\":3,\"state\":\"unknown\",\"code\":\"C\",\"message\":\"\"",
        "{\"at\":33,\"to\":\"fail\",\"n\":4,\"state\":\"denied\",\"code\":\"C\",\"message\":\"\"",
        NULL};
    const struct cr_summary *s;

    CHECK(begin() && put_journal(ID(1), lines));
    for (int i = 0; i < 2; i++) { /* from the journal, then from the index */
        CHECK(lists_with_index(1));
        s = &list.runs[0].summary;
        CHECK(s->calls == 6 && s->failed == 2 && s->unknown == 1 && s->open == 1);
        CHECK(s->duration_us == 33 && !s->cut && s->bytes == list.runs[0].size);
        CHECK(strcmp(s->time, "2026-11-17T02:25:48.911Z") == 0 && strcmp(s->fqdn, "") == 0);
        CHECK(strcmp(s->command, "exec") == 0 && strcmp(s->subject, "a.js") == 0);
        CHECK(strcmp(state(0), "interrupted") == 0);
        CHECK(cr_summary_unknown(s, false) == 2 && cr_summary_unknown(s, true) == 1);
    }
    end();
}

TEST(a_journal_that_cannot_be_read_says_why)
{
    CHECK(begin() && put_ended(ID(1)) && put("runs/" ID(2) ".jsonl", "garbage\n"));
    for (int i = 0; i < 2; i++) {
        CHECK(lists_with_index(5) && list.count == 2);
        CHECK(strcmp(state(0), "unreadable") == 0 && strcmp(state(1), "SUCCESS") == 0);
        CHECK(strstr(list.runs[0].summary.problem, ID(2) ".jsonl:1: "));
    }
    end();
}

TEST(whether_a_run_is_live_is_never_cached)
{
    int fd;

    CHECK(begin() && put_journal(ID(1), (const char *const[]){NULL}));
    CHECK(lists_with_index(1) && strcmp(state(0), "interrupted") == 0);
    fd = open(path_of("runs/" ID(1) ".jsonl"), O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0 && cr_file_lock(fd) == 0);
    CHECK(lists_with_index(1) && strcmp(state(0), "running") == 0);
    (void)close(fd);
    CHECK(lists_with_index(1) && strcmp(state(0), "interrupted") == 0);
    end();
}

/* --- the index ------------------------------------------------------------------------------ */

TEST(only_a_journal_whose_file_has_changed_is_read_again)
{
    CHECK(begin() && put_ended(ID(1)) && set_time(ID(1), 100));
    CHECK(lists_with_index(1) && strcmp(state(0), "SUCCESS") == 0);
    CHECK(mode_of("index.db") == 0600);
    CHECK(put_journal(ID(1), (const char *const[]){RETURNED, SPOILT, NULL}) &&
          set_time(ID(1), 100));
    CHECK(lists_with_index(1) && strcmp(state(0), "SUCCESS") == 0);
    CHECK(set_time(ID(1), 101));
    CHECK(lists_with_index(1) && strcmp(state(0), "STALLED") == 0);
    CHECK(put_journal(ID(1), (const char *const[]){NULL}) && set_time(ID(1), 101));
    CHECK(lists_with_index(1) && strcmp(state(0), "interrupted") == 0);
    end();
}

TEST(a_removed_journal_is_removed_from_the_index)
{
    CHECK(begin() && put_ended(ID(1)) && put_ended(ID(2)) && lists_with_index(5));
    CHECK(query_index("SELECT count(*) FROM runs") == 2);
    CHECK(unlink(path_of("runs/" ID(2) ".jsonl")) == 0);
    CHECK(lists_with_index(5) && list.count == 1 && strcmp(list.runs[0].id, ID(1)) == 0);
    CHECK(query_index("SELECT count(*) FROM runs") == 1);
    end();
}

/* Returns whether the file is replaced by a working index. */
static bool is_rebuilt(void)
{
    return lists_with_index(5) && list.count == 1 && strcmp(state(0), "SUCCESS") == 0 &&
           query_index("SELECT count(*) FROM runs") == 1;
}

TEST(an_index_that_is_not_a_database_is_rebuilt)
{
    CHECK(begin() && put_ended(ID(1)));
    CHECK(put("index.db", "this is no database, though it is long enough to be looked at") &&
          is_rebuilt());
    CHECK(put("index.db", "") && is_rebuilt());
    end();
}

TEST(an_index_of_another_version_is_rebuilt)
{
    CHECK(begin() && put_ended(ID(1)) && lists_with_index(5));
    (void)query_index("PRAGMA user_version = 99");
    CHECK(query_index("PRAGMA user_version") == 99);
    CHECK(is_rebuilt() && query_index("PRAGMA user_version") == 2);
    (void)query_index("ALTER TABLE runs RENAME COLUMN calls TO others");
    CHECK(is_rebuilt());
    (void)query_index("DROP TABLE runs");
    CHECK(is_rebuilt());
    end();
}

/* Damages all pages after the first one, which have the rows. */
TEST(a_damaged_index_does_no_harm_and_is_rebuilt)
{
    char garbage[4096];
    int fd;

    CHECK(begin() && put_ended(ID(1)) && lists_with_index(5));
    memset(garbage, 'x', sizeof(garbage));
    fd = open(path_of("index.db"), O_WRONLY | O_CLOEXEC);
    CHECK(fd >= 0 && pwrite(fd, garbage, sizeof(garbage), 4096) == (ssize_t)sizeof(garbage));
    (void)close(fd);
    CHECK(lists(5) && list.note.code == CAPRUN_E_SYS);
    CHECK(list.count == 1 && strcmp(state(0), "SUCCESS") == 0);
    CHECK(is_rebuilt());
    end();
}

TEST(without_a_possible_index_journals_are_read)
{
    CHECK(begin() && put_ended(ID(1)) && mkdir(path_of("index.db"), 0700) == 0);
    CHECK(lists(5) && list.note.code == CAPRUN_E_SYS);
    CHECK(strstr(list.note.text, "index.db"));
    CHECK(list.count == 1 && strcmp(state(0), "SUCCESS") == 0);
    CHECK(rmdir(path_of("index.db")) == 0 && is_rebuilt());
    end();
}

TEST(an_index_that_other_users_can_write_is_not_used)
{
    CHECK(begin() && put_ended(ID(1)) && lists_with_index(5));
    CHECK(chmod(path_of("index.db"), 0622) == 0);
    CHECK(lists(5) && list.note.code && strstr(list.note.text, "by others") && list.count == 1);
    CHECK(chmod(path_of("index.db"), 0600) == 0 && is_rebuilt());
    end();
}

static int list_as_nobody(int number)
{
    (void)number;
    return be_nobody() && lists(5) && list.note.code && list.count == 1 &&
                   strcmp(state(0), "SUCCESS") == 0
               ? 0
               : 1;
}

TEST(in_a_directory_that_cannot_be_written_journals_are_read)
{
    CHECK(begin() && put_ended(ID(1)));
    CHECK(chmod(path_of("runs"), 0755) == 0 && chmod(scratch, 0555) == 0);
    CHECK(in_child(list_as_nobody, 0) == 0);
    CHECK(access(path_of("index.db"), F_OK) < 0);
    CHECK(chmod(scratch, 0755) == 0);
    end();
}

static int list_again_and_again(int number)
{
    for (int i = 0; i < 20; i++) {
        if (number == 0 && !set_time(ID(1), i))
            return 1;
        if (!lists_with_index(5) || list.count != 2 || strcmp(state(1), "SUCCESS") != 0)
            return 1;
    }
    return 0;
}

TEST(several_processes_can_use_the_index_at_once)
{
    pid_t pids[8];

    CHECK(begin() && put_ended(ID(1)) && put_ended(ID(2)));
    for (int i = 0; i < 8; i++)
        pids[i] = start_child(list_again_and_again, i);
    for (int i = 0; i < 8; i++)
        CHECK(end_of(pids[i]) == 0);
    CHECK(lists_with_index(5) && list.count == 2);
    end();
}

/* A failure is either reported, or the list is complete without the index. */
static bool is_right_without_memory(bool has_index)
{
    while (failing_more()) {
        int r = cr_index_list(scratch, 5, &list, &err);

        failing_stop();
        if (r < 0 && r != CAPRUN_E_NOMEM && r != CAPRUN_E_SYS)
            return false;
        if (r == 0 && (list.count != 2 || strcmp(state(0), "unreadable") != 0 ||
                       strcmp(state(1), "SUCCESS") != 0))
            return false;
        if (has_index && !lists(5))
            return false;
        if (!has_index)
            (void)unlink(path_of("index.db"));
        cr_index_clear(&list);
    }
    return true;
}

TEST(every_allocation_can_fail)
{
    CHECK(begin() && put_ended(ID(1)) && put("runs/" ID(2) ".jsonl", "garbage\n"));
    CHECK(is_right_without_memory(false));
    CHECK(is_right_without_memory(true));
    end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
