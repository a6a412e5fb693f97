/* test_record.c - recording a run: when a journal is written, and what happens on failures. */
#include <semaphore.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/scan.h"
#include "failing.h"
#include "journal/blobs.h"
#include "journal/journal.h"
#include "journal/record.h"
#include "recorded.h"

#define OK CAPRUN_OUTCOME_SUCCESS
#define BLOB "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LONG "'x'.repeat(70000)"

static struct cr_err err;

/* --- the file ------------------------------------------------------------------------------- */

TEST(a_run_is_recorded_in_a_new_file_that_only_the_user_can_read)
{
    CHECK(begin());
    CHECK(record("j", "console.log('x'); return mcp.a.echo({a: " LONG "})", OK));
    CHECK(mode_of("j") == 0600 && mode_of("j.d") == 0700 && asked == 1);
    CHECK(strstr(get("j"), "\"end\":\"SUCCESS\"") && strstr(get("j"), "\"argsBytes\":70008"));
    CHECK(strcmp(cr_record_note(run), "") == 0);
    CHECK(end());
}

TEST(an_existing_file_is_not_changed)
{
    CHECK(begin());
    CHECK(put("j", "mine") && new_run("return 1"));
    CHECK(caprun_run_record(run, path_of("j")) == CAPRUN_E_SYS);
    CHECK(strstr(caprun_error(rt), "is there already") && holds("j", "mine"));
    CHECK(caprun_run_record(run, path_of("none/j")) == CAPRUN_E_SYS);
    CHECK(symlink("elsewhere", path_of("link")) == 0);
    CHECK(caprun_run_record(run, path_of("link")) == CAPRUN_E_SYS && mode_of("elsewhere") == 0);
    CHECK(caprun_run_record(run, path_of("k")) == 0);
    CHECK(caprun_run_record(run, path_of("l")) == CAPRUN_E_STATE && mode_of("l") == 0);
    CHECK(ends(OK) && caprun_run_record(run, path_of("m")) == CAPRUN_E_STATE);
    CHECK(end());
}

TEST(a_run_that_never_starts_leaves_no_file)
{
    CHECK(begin());
    CHECK(new_run("return 1") && caprun_run_record(run, path_of("j")) == 0 && mode_of("j") == 0600);
    caprun_run_free(run);
    run = NULL;
    CHECK(mode_of("j") == 0);
    CHECK(new_run("return 1") && caprun_run_record(run, path_of("j")) == 0);
    caprun_reject(run, CAPRUN_OUTCOME_USAGE, "no", NULL);
    caprun_run_free(run);
    run = NULL;
    CHECK(mode_of("j") == 0);
    CHECK(mkdir(path_of("j.d"), 0700) == 0 && put("j.d/" BLOB, "mine"));
    CHECK(new_run("return 1") && caprun_run_record(run, path_of("j")) == 0);
    caprun_run_free(run);
    run = NULL;
    CHECK(mode_of("j") == 0 && holds("j.d/" BLOB, "mine"));
    CHECK(unlink(path_of("j.d/" BLOB)) == 0);
    CHECK(end());
}

TEST(the_file_is_locked_as_long_as_the_run_goes_on)
{
    int fd;

    CHECK(begin());
    CHECK(new_run("await mcp.a.never(); return 1") && caprun_run_record(run, path_of("j")) == 0);
    CHECK(caprun_start(run) == 0 && (fd = open(path_of("j"), O_RDONLY | O_CLOEXEC)) >= 0);
    CHECK(cr_file_is_locked(fd));
    while (!asked)
        caprun_wait(rt, 10000), caprun_step(rt);
    CHECK(strstr(get("j"), "\"send\":1") &&
          !strstr(get("j"), "\"end\"")); /* written before the call is handled */
    caprun_cancel(run);
    CHECK(strstr(get("j"), "\"end\":\"CANCELLED\""));
    caprun_run_free(run);
    run = NULL;
    CHECK(!cr_file_is_locked(fd));
    (void)close(fd);
    CHECK(end());
}

/* --- options -------------------------------------------------------------------------------- */

static bool records(const char *code, const struct cr_record_spec *spec,
                    enum caprun_outcome outcome)
{
    return new_run(code) && cr_record_new(run, spec, &err) == 0 && ends(outcome);
}

TEST(a_journal_only_for_failures_is_removed_after_a_success)
{
    struct cr_record_spec spec = {.only_if_failed = true};
    char path[1100];

    CHECK(begin());
    (void)snprintf(path, sizeof(path), "%s", path_of("j"));
    spec.path = path;
    CHECK(records("return " LONG, &spec, OK) && mode_of("j") == 0 && mode_of("j.d") == 0);
    CHECK(records("throw 1", &spec, CAPRUN_OUTCOME_CODE_ERROR) && mode_of("j") == 0600);
    CHECK(end());
}

TEST(a_journal_over_its_limit_is_cut_and_the_run_goes_on)
{
    struct cr_record_spec spec = {.max_bytes = 100000};
    struct cr_journal journal;
    struct cr_err why;
    char path[1100];

    CHECK(begin());
    (void)snprintf(path, sizeof(path), "%s", path_of("j"));
    spec.path = path;
    CHECK(records("for (let i = 0; i < 9; i++) await mcp.a.echo({i, x: " LONG "}); return 1", &spec,
                  OK));
    CHECK(asked == 9 && strstr(cr_record_note(run), "over 100000 bytes"));
    CHECK(cr_journal_read(path, -1, &journal, &why) == 0 && journal.cut && !journal.end);
    cr_journal_clear(&journal);
    CHECK(unlink(path) == 0 && records("return 1", &spec, OK) && !cr_record_note(run)[0]);
    CHECK(end());
}

TEST(a_value_that_would_be_over_the_limit_is_not_written)
{
    struct cr_record_spec spec = {.max_bytes = 70000};
    struct cr_journal journal;
    struct cr_err why;
    char path[1100];

    CHECK(begin());
    (void)snprintf(path, sizeof(path), "%s", path_of("j"));
    spec.path = path;
    CHECK(records("await mcp.a.echo({x: " LONG "}); return 1", &spec, OK) && asked == 1);
    CHECK(strstr(cr_record_note(run), "over 70000 bytes") && mode_of("j.d") == 0);
    CHECK(strlen(get("j")) < 70000 && !strstr(get("j"), "\"from\":\"call\""));
    CHECK(cr_journal_read(path, -1, &journal, &why) == 0 && journal.cut && journal.calls == 0);
    cr_journal_clear(&journal);
    CHECK(end());
}

/* Records |count| answers of 9 MB; returns the size of all blobs afterwards. */
static uint64_t recorded_bytes(uint64_t limit, int count)
{
    char code[200];

    (void)snprintf(code, sizeof(code),
                   "for (let i = 0; i < %d; i++) await mcp.a.echo({i, x: 'x'.repeat(9e6)});",
                   count);
    (void)cr_record_remove(path_of("j"));
    if (!new_run(code) || caprun_run_set_record_limit(run, limit) < 0 ||
        caprun_run_record(run, path_of("j")) < 0 || !ends(OK))
        return UINT64_MAX;
    return cr_blobs_size(path_of("j"));
}

TEST(a_library_records_no_more_than_its_limit)
{
    CHECK(begin());
    CHECK(new_run("return 1") && caprun_run_record(run, path_of("k")) == 0);
    CHECK(caprun_run_set_record_limit(run, (1024ull << 20) + 1) == CAPRUN_E_TOOBIG);
    CHECK(caprun_run_set_record_limit(run, 400) == 0 &&
          ends(OK)); /* also for an existing recorder */
    CHECK(strstr(get("k"), "\"cut\":\"over 400 bytes\"") && strstr(get("k"), "{\"journal\":2"));
    CHECK(caprun_run_set_record_limit(run, 1) == CAPRUN_E_STATE);
    /* args and answer are the same bytes: one file, but both count */
    CHECK(recorded_bytes(0, 9) == 4 * 9000014);
    CHECK(recorded_bytes(20 << 20, 9) == 9000014);
    CHECK(recorded_bytes(1024 << 20, 9) == 9 * 9000014);
    CHECK(end());
}

/* Limits the size of files that this process writes from now on. */
static void set_room(rlim_t bytes)
{
    struct rlimit limit;

    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    (void)setrlimit(RLIMIT_FSIZE, &limit);
}

static const char many_lines[] =
    "for (let i = 0; i < 50; i++) await mcp.a.echo({i, s: 'y'.repeat(200)});"
    "return 1";

TEST(a_run_that_cannot_be_recorded_ends_unless_it_may_give_up)
{
    struct cr_record_spec spec = {.may_give_up = false};
    char path[1100];
    bool strict, lenient;

    CHECK(begin());
    (void)snprintf(path, sizeof(path), "%s", path_of("j"));
    spec.path = path;
    CHECK(records("return 1", &spec, OK) && unlink(path) == 0); /* the zygote was started */
    set_room(5000);
    strict = records(many_lines, &spec, CAPRUN_OUTCOME_INTERNAL) && asked > 0 && asked < 50;
    asked = 0;
    (void)unlink(path);
    spec.may_give_up = true;
    lenient = records(many_lines, &spec, OK) && asked == 50;
    set_room(RLIM_INFINITY);
    CHECK(strict && lenient);
    CHECK(strstr(cr_record_note(run), "not recorded any more") && mode_of("j") == 0);
    CHECK(end());
}

TEST(a_blob_that_cannot_be_written_counts_as_the_file)
{
    CHECK(begin());
    CHECK(put("j.d", "in its way") && new_run("return mcp.a.echo({a: " LONG "})"));
    CHECK(caprun_run_record(run, path_of("j")) == 0 && ends(CAPRUN_OUTCOME_INTERNAL));
    CHECK(asked == 0 && holds("j.d", "in its way"));
    CHECK(end());
}

/* |size| bytes of JSON, in the same memory each time. */
static const char *object_of(int size)
{
    static char json[70001];

    (void)snprintf(json, sizeof(json), "{\"a\":\"%0*d\"}", size - 8, 7);
    return json;
}

/* --- a disk that fails after it has taken what was written ------------------------------------ */

static int sync_errno;

/* Replaces the function of libc. */
int fdatasync(int fd)
{
    (void)fd;
    errno = sync_errno;
    return sync_errno ? -1 : 0;
}

/* Runs code that waits, until it is ended or has run for over a second after its first lines. */
static bool syncs(int number, bool may_give_up)
{
    struct cr_record_spec spec = {.may_give_up = may_give_up};
    char path[1100];

    (void)snprintf(path, sizeof(path), "%s", path_of("j"));
    spec.path = path;
    sync_errno = number;
    return new_run("await new Promise((r) => setTimeout(r, 1500)); return 1") &&
           cr_record_new(run, &spec, &err) == 0 && caprun_run(run) == 0;
}

TEST(a_failed_sync_fails_the_recording_like_a_failed_write)
{
    CHECK(begin());
    CHECK(syncs(EIO, false) && caprun_get_outcome(run) == CAPRUN_OUTCOME_INTERNAL);
    CHECK(strstr(caprun_get_message(run, NULL), "to the disk: Input/output error"));
    CHECK(!strstr(get("j"), "\"end\"") && unlink(path_of("j")) == 0);
    CHECK(syncs(EIO, true) && caprun_get_outcome(run) == OK && mode_of("j") == 0);
    CHECK(strstr(cr_record_note(run), "not recorded any more: cannot write"));
    CHECK(end());
}

TEST(a_file_that_cannot_be_synced_is_no_failure)
{
    CHECK(begin());
    CHECK(syncs(EINVAL, false) && caprun_get_outcome(run) == OK && unlink(path_of("j")) == 0);
    CHECK(syncs(0, false) && caprun_get_outcome(run) == OK && strstr(get("j"), "SUCCESS"));
    CHECK(end());
}

/* --- a disk that hangs ------------------------------------------------------------------------ */

static sem_t disk_goes_on;

static void hang(struct cr_job *job)
{
    (void)job;
    while (sem_wait(&disk_goes_on) < 0)
        ;
}

static void ignore(struct cr_job *job)
{
    (void)job;
}

static struct cr_job hanging = {.work = hang, .done = ignore, .discard = ignore, .name = "hang"};

/* Records |run| in "j" and starts it, while the disk hangs. */
static bool starts_with_hanging_disk(const char *code, const char *args)
{
    (void)sem_init(&disk_goes_on, 0, 0);
    if (!new_run(code) || caprun_run_record(run, path_of("j")) < 0 ||
        (args && caprun_run_set_args(run, args, strlen(args)) < 0))
        return false;
    cr_helper_submit(&run->loop->disk, &hanging);
    return caprun_start(run) == 0;
}

static void step_once(void)
{
    (void)caprun_wait(rt, 10000);
    caprun_step(rt);
}

static bool ends_meanwhile(void)
{
    struct caprun_run *other;
    bool ok = caprun_run_new(rt, &other) == 0 && caprun_run_set_code(other, "return 1", 8) == 0 &&
              caprun_run_record(other, path_of("other")) == 0 && caprun_run(other) == 0 &&
              caprun_get_outcome(other) == OK;

    caprun_run_free(other);
    return ok && unlink(path_of("other")) == 0;
}

static bool goes_on(enum caprun_outcome outcome)
{
    (void)sem_post(&disk_goes_on);
    while (!caprun_done(run))
        step_once();
    return caprun_get_outcome(run) == outcome;
}

static bool is_replayed(enum caprun_outcome outcome)
{
    return new_run(NULL) && caprun_run_replay(run, path_of("j")) == 0 && ends(outcome);
}

TEST(a_disk_that_hangs_delays_long_values_and_nothing_else)
{
    CHECK(begin());
    CHECK(starts_with_hanging_disk("return (await mcp.a.echo({a: " LONG "})).a.length", NULL));
    while (!run->incoming.job)
        step_once();
    CHECK(ends_meanwhile());
    CHECK(asked == 0 &&
          !strstr(get("j"), "\"from\":\"call\"")); /* a line is written before its effect */
    CHECK(goes_on(OK) && asked == 1 && strcmp(caprun_get_result(run, NULL), "70000") == 0);
    CHECK(is_replayed(OK) && end());
}

TEST(an_answer_waits_for_the_disk_too)
{
    CHECK(begin());
    CHECK(starts_with_hanging_disk("return (await mcp.a.never()).length", NULL));
    while (!asked)
        step_once();
    CHECK(caprun_call_reply(run, 1, object_of(70000), 70000) == 0 && run->answers.first);
    CHECK(caprun_call_reply(run, 1, "1", 1) == CAPRUN_E_STATE);
    CHECK(ends_meanwhile() && !strstr(get("j"), "\"reply\""));
    CHECK(goes_on(OK) && strstr(get("j"), "\"jsonBytes\":70000"));
    CHECK(is_replayed(OK) && end());
}

/* Returns how many jobs wait for the disk. */
static int count_jobs(struct cr_helper *disk)
{
    int count = 0;

    (void)pthread_mutex_lock(&disk->mutex);
    for (int class = 0; class < CR_HELPER_CLASSES; class ++)
        for (const struct cr_job *job = disk->todo[class].first; job; job = job->next)
            count++;
    (void)pthread_mutex_unlock(&disk->mutex);
    return count;
}

#define ANSWERS 10

/* So the long answers of another run do not wait for all of these. */
TEST(of_many_long_answers_of_a_run_few_wait_for_the_disk_and_all_come_in_order)
{
    CHECK(begin());
    CHECK(starts_with_hanging_disk("const order = [], one = async () => order.push("
                                   "JSON.stringify(await mcp.a.never()).length);"
                                   "await Promise.all(Array.from({length: 10}, one));"
                                   "return order.map((n) => 70000 - n).join()",
                                   NULL));
    while (asked < ANSWERS)
        step_once();
    for (int i = 0; i < ANSWERS; i++)
        CHECK(caprun_call_reply(run, (uint32_t)i + 1, object_of(70000 - i), 70000 - (size_t)i) ==
              0);
    CHECK(count_jobs(&run->loop->disk) <= 2);
    CHECK(goes_on(OK) && strcmp(caprun_get_result(run, NULL), "\"0,1,2,3,4,5,6,7,8,9\"") == 0);
    CHECK(is_replayed(OK) && end());
}

TEST(long_answers_that_wait_go_on_when_the_journal_is_full)
{
    CHECK(begin());
    CHECK(starts_with_hanging_disk(
        "return (await Promise.all(Array.from({length: 10}, mcp.a.never))).length", NULL));
    cr_record_limit(run, 200000);
    while (asked < ANSWERS)
        step_once();
    for (uint32_t i = 1; i <= ANSWERS; i++)
        CHECK(caprun_call_reply(run, i, object_of(70000), 70000) == 0);
    CHECK(goes_on(OK) && strcmp(caprun_get_result(run, NULL), "10") == 0);
    CHECK(strstr(get("j"), "\"cut\""));
    CHECK(end());
}

TEST(a_run_that_ends_while_many_long_answers_wait_forgets_them)
{
    CHECK(begin());
    CHECK(
        starts_with_hanging_disk("await Promise.all(Array.from({length: 10}, mcp.a.never))", NULL));
    while (asked < ANSWERS)
        step_once();
    for (uint32_t i = 1; i <= ANSWERS; i++)
        CHECK(caprun_call_reply(run, i, object_of(70000), 70000) == 0);
    caprun_cancel(run);
    CHECK(!run->answers.first && !run->answers.next && count_jobs(&run->loop->disk) == 0);
    CHECK(goes_on(CAPRUN_OUTCOME_CANCELLED) && is_replayed(CAPRUN_OUTCOME_CANCELLED) && end());
}

TEST(a_run_that_ends_while_a_value_waits_has_its_end_in_the_journal)
{
    CHECK(begin());
    CHECK(starts_with_hanging_disk("await mcp.a.echo({a: " LONG "})", NULL));
    while (!run->incoming.job)
        step_once();
    caprun_cancel(run);
    CHECK(strstr(get("j"), "\"end\":\"CANCELLED\"") && asked == 0);
    CHECK(goes_on(CAPRUN_OUTCOME_CANCELLED) && is_replayed(CAPRUN_OUTCOME_CANCELLED) && end());
}

TEST(a_run_that_is_freed_before_its_first_line_is_written_leaves_a_whole_journal)
{
    int fd;

    CHECK(begin());
    CHECK(starts_with_hanging_disk("return args.a.length", object_of(70000)));
    while (!run->awaits_recorder)
        step_once();
    CHECK(ends_meanwhile() && (fd = open(path_of("j"), O_RDONLY | O_CLOEXEC)) >= 0);
    caprun_cancel(run);
    CHECK(strcmp(get("j"), "") == 0);
    caprun_run_free(run);
    run = NULL;
    CHECK(cr_file_is_locked(fd));
    (void)sem_post(&disk_goes_on);
    caprun_free(rt); /* waits for all writes */
    rt = NULL;
    CHECK(!cr_file_is_locked(fd) && close(fd) == 0);
    CHECK(strstr(get("j"), "\"argsBytes\":70000") && strstr(get("j"), "\"end\":\"CANCELLED\""));
    scratch_end();
}

static bool has_timer_of(const struct cr_timer *t, const char *name)
{
    return t && (strcmp(t->name, name) == 0 || has_timer_of(t->left, name) ||
                 has_timer_of(t->right, name));
}

/* The recorder exists until its first line is written, and then removes its sources of the loop. */
TEST(a_run_that_is_freed_at_once_leaves_nothing_in_the_loop)
{
    const struct cr_loop *loop;

    CHECK(begin());
    CHECK(starts_with_hanging_disk("return args.a.length", object_of(70000)));
    loop = run->loop;
    caprun_run_free(run);
    run = NULL;
    (void)sem_post(&disk_goes_on);
    while (!strstr(get("j"), "\"argsBytes\":70000"))
        caprun_step(rt);
    caprun_step(rt);
    CHECK(!has_timer_of(loop->timers.first, "recorder"));
    CHECK(end());
}

#define HELD 3

TEST(a_run_that_is_refused_because_the_queue_is_full_is_not_recorded)
{
    struct caprun_run *held[HELD];

    CHECK(begin() && caprun_set_max_workers(rt, 1) == 0 && caprun_set_max_waiting(rt, 1) == 0);
    for (size_t i = 0; i < HELD; i++) {
        CHECK(new_run("for (;;);") && (i < 2 || caprun_run_record(run, path_of("j")) == 0));
        CHECK(caprun_start(run) == (i < 2 ? 0 : CAPRUN_E_BUSY));
        held[i] = run;
        run = NULL;
    }
    for (size_t i = 0; i < HELD; i++)
        caprun_run_free(held[i]);
    CHECK(access(path_of("j"), F_OK) < 0);
    CHECK(end());
}

/* --- the header ------------------------------------------------------------------------------- */

TEST(variables_have_keyed_hashes_or_no_hashes)
{
    uint8_t key[CR_HASH_BYTES] = {7};
    char hash[CR_HASH_DIGITS + 1], other[CR_HASH_DIGITS + 1], path[1100];
    struct cr_record_spec spec = {.key = key};

    CHECK(begin());
    (void)snprintf(path, sizeof(path), "%s", path_of("j"));
    spec.path = path;
    CHECK(new_run("return args.env.A.length") &&
          caprun_run_set_env(run, "{\"A\":\"hush-hush\"}", 17) == 0);
    CHECK(cr_record_new(run, &spec, &err) == 0 && ends(OK));
    cr_record_env_hash(key, "A", "hush-hush", hash);
    CHECK(strstr(get("j"), hash) && strstr(get("j"), "\"envKey\"") &&
          !strstr(get("j"), "hush-hush"));
    cr_record_env_hash(key, "Ah", "ush-hush", other);
    CHECK(strcmp(hash, other) != 0);
    key[0] = 8;
    cr_record_env_hash(key, "A", "hush-hush", other);
    CHECK(strcmp(hash, other) != 0);
    CHECK(unlink(path) == 0 && new_run("return 1") &&
          caprun_run_set_env(run, "{\"A\":\"hush-hush\"}", 17) == 0);
    CHECK(caprun_run_record(run, path) == 0 && ends(OK));
    CHECK(strstr(get("j"), "\"env\":{\"A\":\"\"}") && !strstr(get("j"), "envKey"));
    CHECK(end());
}

/* --- without memory --------------------------------------------------------------------------- */

TEST(each_allocation_of_a_new_recorder_that_fails_is_an_error_and_leaves_no_recorder)
{
    bool failed = false;

    CHECK(begin());
    CHECK(new_run("return 1"));
    while (failing_more()) {
        int r = caprun_run_record(run, path_of("j"));

        failing_stop();
        CHECK(r == 0 || (r == CAPRUN_E_NOMEM && !run->recorder));
        failed = failed || r < 0;
        (void)unlink(path_of("j")); /* an empty file may remain */
    }
    CHECK(failed == FAILING || !failing_works());
    CHECK(new_run("return 1") && caprun_run_record(run, path_of("j")) == 0 && ends(OK));
    CHECK(end());
}

/* Records a run with one failing allocation: it must end, with a message. */
static bool survives(long allowed)
{
    size_t len = 0;
    const char *json = NULL;
    bool ok = begin();

    failing_after(allowed);
    if (ok &&
        new_run("for (let i = 0; i < 9; i++) console.log(await mcp.a.echo({i}));"
                "return (await mcp.a.echo({x: " LONG "})).x") &&
        caprun_run_record(run, path_of("j")) == 0 && caprun_run(run) == 0) {
        failing_stop();
        json = caprun_result_json(run, &len);
    }
    failing_stop();
    ok = ok && (!json || cr_scan_json((const uint8_t *)json, len, CR_SCAN_PASS, NULL) == 0);
    return end() && ok;
}

TEST(a_recorded_run_survives_each_failed_allocation)
{
    long allowed = 0;

    do {
        bool ok = survives(allowed);

        if (!ok)
            printf("# allocation %ld\n", allowed + 1);
        CHECK(ok && (failing_failed || allowed > 20 || !failing_works()));
    } while (failing_failed && allowed++ < 10000);
    CHECK(allowed < 10000);
}

TEST(a_long_origin_is_in_the_header_and_long_args_and_a_long_schema_are_blobs)
{
    CHECK(begin());
    CHECK(new_run("return args.a.length"));
    CHECK(caprun_run_set_origin(run, object_of((32 << 10) + 1), (32 << 10) + 1) == CAPRUN_E_TOOBIG);
    CHECK(caprun_run_set_origin(run, object_of(32 << 10), 32 << 10) == 0);
    CHECK(caprun_run_set_schema(run, object_of(66000), 66000) == 0);
    CHECK(caprun_run_set_args(run, object_of(70000), 70000) == 0);
    CHECK(caprun_run_record(run, path_of("j")) == 0 && ends(OK));
    CHECK(strstr(get("j"), "\"origin\":{") && strstr(get("j"), "\"schemaBytes\":66000") &&
          strstr(get("j"), "\"argsBytes\":70000"));
    CHECK(new_run(NULL) && caprun_run_replay(run, path_of("j")) == 0 && ends(OK));
    CHECK(end());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
