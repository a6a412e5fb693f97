/*
 * test_audit.c - the file of an audit (audit/file.h): its chain, several writers, repairs,
 * rotation; and what a verification finds (audit/verify.h), each kind of damage beside its harmless
 * twin.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>

#include "scratch.h"
#include "tap.h"

#include "audit/file.h"
#include "audit/line.h"
#include "audit/trail.h"
#include "audit/verify.h"
#include "base/file.h"

static struct cr_audit_file file;
static struct cr_err err;
static struct cr_audit_verdict verdict;
static char found[2000]; /* the words of the last verification */

static bool open_file(struct cr_audit_file *f)
{
    return cr_audit_file_init(f, path_of("a")) == 0;
}

/* Adds |count| lines, each in its own write. */
static int add_to(struct cr_audit_file *f, int count)
{
    for (int i = 0; i < count; i++) {
        int r = cr_audit_file_take(f, &err);

        if (r == CR_AUDIT_FILE_UNSETTLED)
            r = cr_audit_file_settle(f, &err);
        if (r != CR_AUDIT_FILE_READY)
            return r;
        cr_audit_file_add(f, "\"event\":\"test\"", 14);
        r = cr_audit_file_commit(f, true, &err);
        if (r < 0)
            return r;
    }
    return 0;
}

static bool begin(int lines)
{
    return scratch_begin() && open_file(&file) && add_to(&file, lines) == 0;
}

static bool end(void)
{
    cr_audit_file_clear(&file);
    scratch_end();
    return true;
}

static void note_problem(void *data, const char *words)
{
    size_t len = strlen(found);

    (void)data;
    (void)snprintf(found + len, sizeof(found) - len, "%s\n", words);
}

/* Returns how many problems there are; -1 if the audit cannot be read. */
static int problems(void)
{
    found[0] = '\0';
    return cr_audit_verify(path_of("a"), note_problem, NULL, &verdict, &err) == 0
               ? (int)verdict.problems
               : -1;
}

static bool has_found(const char *words)
{
    bool has = problems() > 0 && strstr(found, words) != NULL;

    if (!has)
        (void)fprintf(stderr, "# found: %s\n", found);
    return has;
}

/* Replaces line |n| of the file by |text|; NULL: removes it; "+": repeats it. */
static bool change_line(int n, const char *text)
{
    static char old[1 << 18];
    char made[1 << 16] = "";
    const char *from = get("a"), *at;
    int i = 1;

    if (!from)
        return false;
    (void)snprintf(old, sizeof(old), "%s", from);
    for (at = old; *at; i++) {
        size_t len = strcspn(at, "\n") + 1, used = strlen(made);
        const char *line = i == n && text && *text != '+' ? text : at;
        size_t line_len = line == at ? len : strlen(text);
        int times = i != n ? 1 : !text ? 0 : *text == '+' ? 2 : 1;

        for (int k = 0; k < times; k++, used += line_len)
            (void)snprintf(made + used, sizeof(made) - used, "%.*s", (int)line_len, line);
        at += len;
    }
    return put("a", made);
}

static bool append(const char *name, const char *text)
{
    int fd = open(path_of(name), O_WRONLY | O_APPEND | O_CLOEXEC);
    bool ok = fd >= 0 && cr_file_write_all(fd, text, strlen(text)) == 0;

    (void)close(fd);
    return ok;
}

/* --- the chain ------------------------------------------------------------------------------ */

TEST(each_line_has_its_number_and_the_hash_of_the_line_before)
{
    uint8_t hash[CR_HASH_BYTES];
    char digits[CR_HASH_DIGITS + 1];
    const char *text, *second;

    CHECK(begin(3));
    text = get("a");
    CHECK(text && strncmp(text, "{\"n\":1,\"event\":\"test\",\"prev\":\"00000000", 38) == 0);
    second = strchr(text, '\n') + 1;
    cr_hash_take(text, (size_t)(second - text) - 1, hash);
    cr_hash_show(hash, digits);
    CHECK(strncmp(second, "{\"n\":2,", 7) == 0 && strstr(second, digits));
    CHECK(problems() == 0 && verdict.lines == 3 && verdict.first == 1 && verdict.last == 3);
    CHECK(mode_of("a") == 0600 && mode_of("a.state") == 0600);
    CHECK(end());
}

TEST(two_writers_continue_the_chain_of_each_other)
{
    struct cr_audit_file other;

    CHECK(begin(1) && open_file(&other));
    for (int i = 0; i < 20; i++)
        CHECK(add_to(&other, 1 + i % 3) == 0 && add_to(&file, 1 + i % 2) == 0);
    CHECK(problems() == 0 && verdict.lines == 70);
    CHECK(!strstr(get("a"), "repaired"));
    cr_audit_file_clear(&other);
    CHECK(end());
}

TEST(a_locked_file_is_busy_until_the_lock_is_released)
{
    struct cr_audit_file other;

    CHECK(begin(1) && open_file(&other));
    CHECK(cr_audit_file_take(&file, &err) == CR_AUDIT_FILE_READY);
    CHECK(add_to(&other, 1) == CR_AUDIT_FILE_BUSY && add_to(&other, 1) == CR_AUDIT_FILE_BUSY);
    cr_audit_file_release(&file);
    CHECK(add_to(&other, 1) == 0 && problems() == 0 && verdict.lines == 2);
    cr_audit_file_clear(&other);
    CHECK(end());
}

TEST(an_audit_goes_on_in_the_next_process)
{
    CHECK(begin(3));
    cr_audit_file_clear(&file);
    CHECK(open_file(&file) && add_to(&file, 2) == 0);
    CHECK(problems() == 0 && verdict.lines == 5 && !strstr(get("a"), "repaired"));
    CHECK(end());
}

/* --- damage --------------------------------------------------------------------------------- */

TEST(a_changed_line_is_found_by_the_next_one)
{
    CHECK(begin(5) && problems() == 0);
    CHECK(change_line(
        3, "{\"n\":3,\"event\":\"other\",\"prev\":\"0000000000000000000000000000000000000000"
           "000000000000000000000000\"}\n"));
    CHECK(has_found("line 2 was changed") && has_found("line 3 was changed") && problems() == 2);
    CHECK(end());
}

TEST(a_changed_last_line_is_found_by_the_record)
{
    char line[400];

    CHECK(begin(5));
    (void)snprintf(line, sizeof(line), "%.399s", strstr(get("a"), "{\"n\":5"));
    memcpy(strstr(line, "test"), "nest", 4);
    CHECK(change_line(5, line));
    CHECK(has_found("line 5 was changed: the record has another hash for it") && problems() == 1);
    CHECK(end());
}

TEST(a_removed_line_is_missing)
{
    CHECK(begin(5) && change_line(2, NULL));
    CHECK(has_found("line 2 is missing") && problems() == 1 && verdict.lines == 4);
    CHECK(change_line(2, NULL) && change_line(1, NULL));
    CHECK(has_found("lines 1 to 3 are missing\n") && problems() == 1);
    CHECK(end());
}

TEST(an_inserted_line_is_found)
{
    CHECK(begin(5) && change_line(2, "+"));
    CHECK(has_found("/a' was inserted or changed: it has the number 2, and 3 is next"));
    CHECK(problems() == 1);
    CHECK(change_line(3, "{\"not\":\"ours\"}\n"));
    CHECK(has_found("line 3 of '") && has_found("it is not a line of an audit") && problems() == 1);
    CHECK(end());
}

TEST(an_audit_that_was_cut_off_is_found)
{
    CHECK(begin(5) && change_line(5, NULL));
    CHECK(has_found("line 5 is missing at the end") && problems() == 1);
    CHECK(change_line(4, "{\"n\":4,"));
    CHECK(has_found("lines 4 to 5 are missing at the end, where there is a part of a line"));
    CHECK(put("a", ""));
    CHECK(has_found("lines 1 to 5 are missing at the end"));
    CHECK(unlink(path_of("a")) == 0);
    CHECK(has_found("/a' is missing") && has_found("lines 1 to 5 are missing"));
    CHECK(end());
}

TEST(an_audit_without_its_record_is_not_verified)
{
    CHECK(begin(2) && unlink(path_of("a.state")) == 0);
    CHECK(has_found("/a.state' is missing: lines may be missing at the end"));
    CHECK(put("a.state", "{}") && has_found("/a.state' is broken"));
    CHECK(unlink(path_of("a.state")) == 0 && unlink(path_of("a")) == 0);
    CHECK(cr_audit_verify(path_of("a"), note_problem, NULL, &verdict, &err) == 1);
    CHECK(end());
}

/* --- repairs -------------------------------------------------------------------------------- */

TEST(lines_that_a_killed_writer_did_not_record_are_taken_over)
{
    char record[400];

    CHECK(begin(2));
    (void)snprintf(record, sizeof(record), "%.399s", get("a.state"));
    CHECK(add_to(&file, 3) == 0 && put("a.state", record));
    CHECK(problems() == 0 && verdict.lines == 5);
    cr_audit_file_clear(&file);
    CHECK(open_file(&file) && add_to(&file, 1) == 0);
    CHECK(problems() == 0 && verdict.lines == 6 && !strstr(get("a"), "repaired"));
    CHECK(end());
}

TEST(a_torn_line_is_removed_and_a_line_says_so)
{
    CHECK(begin(2) && append("a", "{\"n\":3,\"ev"));
    CHECK(problems() == 0 && verdict.torn == 10 && verdict.lines == 2);
    CHECK(add_to(&file, 1) == 0);
    CHECK(strstr(get("a"), "\n{\"n\":3,\"time\":\"") && strstr(get("a"), "\"event\":\"repaired\""));
    CHECK(strstr(get("a"), "\"what\":\"torn\",\"bytes\":10,\"sha256\":\""));
    CHECK(problems() == 0 && verdict.lines == 4 && verdict.torn == 0);
    CHECK(end());
}

TEST(bytes_of_somebody_else_are_not_removed)
{
    CHECK(begin(2) && append("a", "a diary"));
    CHECK(add_to(&file, 1) == 0);
    CHECK(strstr(get("a"), "\na diary\n{\"n\":3,") && strstr(get("a"), "\"what\":\"foreign\""));
    CHECK(has_found("line 3 of '") && problems() == 1);
    CHECK(end());
}

TEST(a_writer_does_not_hide_that_lines_are_gone)
{
    CHECK(begin(5) && change_line(4, NULL) && change_line(4, NULL));
    CHECK(add_to(&file, 1) == 0);
    CHECK(strstr(get("a"), "\"what\":\"shorter\"") && strstr(get("a"), "{\"n\":7,"));
    CHECK(has_found("lines 4 to 5 are missing") && problems() == 1);
    CHECK(end());
}

TEST(a_writer_does_not_hide_that_the_record_was_gone)
{
    CHECK(begin(5) && unlink(path_of("a.state")) == 0 && change_line(5, NULL));
    cr_audit_file_clear(&file);
    CHECK(open_file(&file) && add_to(&file, 1) == 0);
    CHECK(strstr(get("a"), "\"what\":\"no-record\""));
    CHECK(has_found("before line 5, the record beside the audit was missing") && problems() == 1);
    CHECK(end());
}

TEST(a_removed_file_is_noticed_by_a_writer_that_has_it_open)
{
    CHECK(begin(3) && unlink(path_of("a")) == 0);
    CHECK(add_to(&file, 1) == 0 && !get("a")); /* it was not looked at before */
    CHECK(add_to(&file, 1) == 0 && strstr(get("a"), "\"what\":\"shorter\""));
    CHECK(has_found("lines 1 to 4 are missing"));
    CHECK(end());
}

TEST(only_an_audit_or_nothing_is_continued)
{
    CHECK(scratch_begin() && put("a", "my notes\n") && open_file(&file));
    CHECK(add_to(&file, 1) == CAPRUN_E_INVAL && strstr(err.text, "is not an audit"));
    CHECK(holds("a", "my notes\n"));
    CHECK(unlink(path_of("a")) == 0 && symlink("b", path_of("a")) == 0);
    CHECK(add_to(&file, 1) == CAPRUN_E_INVAL && strstr(err.text, "is a link"));
    CHECK(unlink(path_of("a")) == 0 && mkfifo(path_of("a"), 0600) == 0);
    CHECK(add_to(&file, 1) == CAPRUN_E_INVAL && strstr(err.text, "is not a regular file"));
    CHECK(unlink(path_of("a")) == 0 && put("a", "") && chmod(path_of("a"), 0666) == 0);
    CHECK(add_to(&file, 1) == CAPRUN_E_INVAL && strstr(err.text, "can be written by others"));
    CHECK(unlink(path_of("a")) == 0 && add_to(&file, 1) == 0);
    CHECK(end());
}

/* --- no room -------------------------------------------------------------------------------- */

static int write_with_little_room(int bytes)
{
    struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};

    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) < 0)
        return 1;
    if (add_to(&file, 1000) != CAPRUN_E_SYS || !strstr(err.text, "cannot write '"))
        return 2;
    return add_to(&file, 1) == CAPRUN_E_SYS ? 0 : 3;
}

TEST(a_line_that_does_not_fit_is_not_there_at_all)
{
    CHECK(begin(2));
    CHECK(in_child(write_with_little_room, 1050) == 0);
    CHECK(problems() == 0 && verdict.torn == 0 && verdict.lines > 5 && verdict.lines < 11);
    CHECK(add_to(&file, 1) == 0 && problems() == 0);
    CHECK(end());
}

/* How many lines did the tests write, and not the audit itself? */
static int tests_in_chain(void)
{
    struct cr_audit_trail trail;
    const char *text;
    size_t len;
    int count = 0;

    if (cr_audit_trail_open(&trail, path_of("a"), &err) != 0)
        return -1;
    while (cr_audit_trail_next(&trail, &text, &len, &err) == CR_AUDIT_READ_LINE)
        count += memmem(text, len, "\"test\"", 6) != NULL;
    cr_audit_trail_close(&trail);
    return count;
}

/* --- full files ----------------------------------------------------------------------------- */

TEST(a_full_file_is_renamed_and_the_chain_goes_on)
{
    CHECK(begin(0));
    file.max_bytes = 500;
    CHECK(add_to(&file, 30) == 0);
    CHECK(get("a.1") && get("a.2") && get("a.3") && !strstr(get("a"), "repaired"));
    CHECK(problems() == 0 && tests_in_chain() == 30);
    CHECK(unlink(path_of("a.2")) == 0);
    CHECK(has_found("/a.2' is missing") && has_found("are missing\n"));
    CHECK(end());
}

TEST(a_writer_notices_that_another_one_has_begun_a_new_file)
{
    struct cr_audit_file other;

    CHECK(begin(1) && open_file(&other));
    other.max_bytes = 500;
    CHECK(add_to(&other, 9) == 0 && add_to(&file, 3) == 0 && add_to(&other, 9) == 0);
    CHECK(add_to(&file, 3) == 0 && problems() == 0 && tests_in_chain() == 25);
    CHECK(!strstr(get("a"), "repaired"));
    cr_audit_file_clear(&other);
    CHECK(end());
}

TEST(the_oldest_files_are_removed_and_a_line_says_so)
{
    CHECK(begin(0));
    file.max_bytes = 500;
    file.kept = 2;
    CHECK(add_to(&file, 60) == 0);
    CHECK(!get("a.1") && !get("a.2") && count_files() == 4);
    CHECK(problems() == 0 && verdict.first > 20 && verdict.last > 60);
    CHECK(strstr(get("a"), "\"event\":\"removed\",\"file\":"));
    CHECK(end());
}

TEST(a_writer_that_was_killed_while_it_began_a_new_file_is_no_problem)
{
    char name[1100];

    CHECK(begin(5));
    (void)snprintf(name, sizeof(name), "%s", path_of("a.1"));
    CHECK(rename(path_of("a"), name) == 0 && problems() == 0);
    cr_audit_file_clear(&file);
    CHECK(open_file(&file) && add_to(&file, 2) == 0);
    CHECK(problems() == 0 && verdict.lines == 7 && strstr(get("a"), "{\"n\":6,"));
    CHECK(end());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
