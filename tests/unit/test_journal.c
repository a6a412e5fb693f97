/* test_journal.c - reading journals: which are accepted, and which line is wrong in the others. */
#include "tap.h"

#include "failing.h"
#include "journal/blobs.h"
#include "journal/journal.h"
#include "journals.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SIXTY_FIVE BLOB "a"
#define BLOB "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" /* of nothing */

static struct cr_journal journal;
static struct cr_err why;

static bool reads(void)
{
    cr_journal_clear(&journal);
    if (journal_put("j") && cr_journal_read(path_of("j"), -1, &journal, &why) == 0)
        return true;
    printf("# %s\n", why.text);
    return false;
}

/* Expects JOURNAL_INVALID in line |number|, with |words|, and a journal of zeros. */
static bool refuses(size_t number, const char *words)
{
    struct cr_journal untouched = {.calls = 99};
    char start[1100];

    (void)journal_put("j");
    (void)snprintf(start, sizeof(start), "%s:%zu: ", path_of("j"), number);
    if (cr_journal_read(path_of("j"), -1, &untouched, &why) < 0 && untouched.calls == 99 &&
        why.outcome == CAPRUN_OUTCOME_JOURNAL_INVALID && strstr(why.text, words) &&
        strncmp(why.text, start, strlen(start)) == 0)
        return true;
    printf("# wanted %s%s, got %d %s\n", start, words, (int)why.outcome, why.text);
    return false;
}

/* --- valid journals ------------------------------------------------------------------------- */

TEST(a_header_alone_is_a_journal_without_an_end)
{
    CHECK(scratch_begin());
    journal_begin(HEAD);
    CHECK(reads() && journal.count == 0 && !journal.end && !journal.cut && !journal.has_job);
    CHECK(strcmp(journal.head.code, "return 1") == 0 && journal.head.timeout_ms == 1000);
    CHECK(journal.head.max_calls == 10 && !journal.head.tools && !journal.head.env);
    CHECK(journal.boot_len == 1 && journal.boot[0] == 'b');
    CHECK(journal.whole_len == journal_text.len);
    CHECK(memcmp(journal.chain, journal_chain, sizeof(journal_chain)) == 0);
    cr_journal_clear(&journal);
    cr_journal_clear(&journal); /* a second call is harmless */
    scratch_end();
}

TEST(every_kind_of_line_is_known)
{
    static const struct {
        const char *line;
        enum cr_journal_kind kind;
        uint32_t n;
    } lines[] = {
        {JOB, CR_JOURNAL_JOB, 0},
        {CALL(1, 1), CR_JOURNAL_CALL, 1},
        {CALL(2, 2), CR_JOURNAL_CALL, 2},
        {SEND(3, 1, "a:b"), CR_JOURNAL_SEND, 1},
        {"{\"at\":4,\"from\":\"log\",\"line\":\"x\"", CR_JOURNAL_LOG, 0},
        {"{\"at\":5,\"to\":\"reply\",\"n\":1,\"kind\":\"tool\",\"json\":{}", CR_JOURNAL_REPLY, 1},
        {"{\"at\":5,\"to\":\"fail\",\"n\":2,\"state\":\"failed\"", CR_JOURNAL_FAIL, 2},
        {"{\"at\":6,\"to\":\"wake\"", CR_JOURNAL_WAKE, 0},
        {"{\"at\":7,\"from\":\"blocked\",\"api\":\"x\"", CR_JOURNAL_BLOCKED, 0},
        {"{\"at\":8,\"resume\":true,\"date\":5,\"boot\":\"other\"," LIMITS, CR_JOURNAL_RESUME, 0},
        {"{\"at\":9,\"from\":\"done\",\"result\":1", CR_JOURNAL_DONE, 0},
        {END(9), CR_JOURNAL_END, 0},
    };
    char outcome[64];

    CHECK(scratch_begin());
    journal_begin(HEAD);
    for (size_t i = 0; i < COUNT(lines); i++)
        journal_add(lines[i].line);
    CHECK(reads() && journal.count == COUNT(lines) && journal.calls == 2 && journal.has_job);
    for (size_t i = 0; i < COUNT(lines); i++) {
        CHECK(journal.lines[i].kind == lines[i].kind && journal.lines[i].n == lines[i].n);
        CHECK(journal.lines[i].number == i + 2);
        CHECK(journal.lines[i].len == strlen(lines[i].line));
        CHECK(memcmp(journal.lines[i].text, lines[i].line, journal.lines[i].len) == 0);
        CHECK(journal.lines[i].body == strchr(journal.lines[i].text, ',') + 1);
    }
    CHECK(journal.end == &journal.lines[COUNT(lines) - 1] && journal.last_at_us == 9);
    CHECK(journal.lines[7].date_us == 1000006); /* what Date showed, after 6 µs */
    CHECK(journal.boot_len == 5 && memcmp(journal.boot, "other", 5) == 0);
    cr_journal_outcome(&journal, outcome);
    CHECK(strcmp(outcome, "SUCCESS") == 0);
    cr_journal_clear(&journal);
    scratch_end();
}

TEST(other_ends_of_a_worker_are_known)
{
    static const char *const last[] = {"threw\",\"why\":1", "late\",\"stack\":\"\"", "full\""};
    static const enum cr_journal_kind kinds[] = {CR_JOURNAL_THREW, CR_JOURNAL_LATE,
                                                 CR_JOURNAL_FULL};
    char line[100];

    CHECK(scratch_begin());
    for (size_t i = 0; i < COUNT(last); i++) {
        journal_begin(HEAD);
        journal_add(JOB);
        (void)snprintf(line, sizeof(line), "{\"at\":1,\"from\":\"%s", last[i]);
        journal_add(line);
        journal_add("{\"at\":1,\"cut\":\"over 1 bytes\"");
        CHECK(reads() && journal.lines[1].kind == kinds[i] && journal.cut && !journal.end);
    }
    cr_journal_clear(&journal);
    scratch_end();
}

TEST(bytes_after_the_last_line_end_are_ignored)
{
    size_t whole, torn;

    CHECK(scratch_begin());
    journal_begin(HEAD);
    journal_add(JOB);
    whole = journal_text.len;
    journal_add("{\"at\":1,\"to\":\"wake\"");
    torn = journal_text.len;
    for (size_t len = whole; len < torn; len++) {
        cr_journal_clear(&journal);
        CHECK(journal_put_bytes("j", len));
        CHECK(cr_journal_read(path_of("j"), -1, &journal, &why) == 0);
        CHECK(journal.count == 1 && journal.whole_len == whole);
    }
    cr_journal_clear(&journal);
    scratch_end();
}

TEST(a_journal_is_read_from_a_descriptor_too)
{
    int fd;

    CHECK(scratch_begin());
    journal_begin(HEAD);
    CHECK(journal_put("j") && (fd = open(path_of("j"), O_RDONLY | O_CLOEXEC)) >= 0);
    CHECK(cr_journal_read("its name", fd, &journal, &why) == 0);
    CHECK(strcmp(journal.path, "its name") == 0);
    (void)close(fd);
    cr_journal_clear(&journal);
    CHECK(cr_journal_read(path_of("none"), -1, &journal, &why) < 0);
    CHECK(why.outcome == CAPRUN_OUTCOME_USAGE && strstr(why.text, "there is no journal"));
    CHECK(cr_journal_read(scratch, -1, &journal, &why) < 0 && why.outcome == CAPRUN_OUTCOME_USAGE);
    scratch_end();
}

/* --- invalid journals ----------------------------------------------------------------------- */

TEST(an_impossible_line_is_refused_with_its_number)
{
    static const struct {
        const char *lines[4];
        size_t number;
        const char *words;
    } cases[] = {
        {{"{\"at\":0,\"to\":\"wake\""}, 2, "before its job"},
        {{CALL(0, 1)}, 2, "before it has a job"},
        {{"{\"at\":0,\"to\":\"job\""}, 2, "job is not valid"},
        {{"{\"at\":0,\"to\":\"job\",\"date\":-1"}, 2, "job is not valid"},
        {{JOB, "{\"at\":1,\"to\":\"wake\"", JOB}, 4, "not possible here"},
        {{JOB, CALL(1, 1), JOB}, 4, "not possible here"},
        {{JOB, CALL(1, 2)}, 3, "call 2 comes after call 0"},
        {{JOB, CALL(1, 0)}, 3, "call 0 comes after"},
        {{JOB, CALL(1, 01)}, 3, "is not JSON"},
        {{JOB, CALL(1, 9999999999)}, 3, "which call"},
        {{JOB, CALL(1, "1")}, 3, "which call"},
        {{JOB, CALL(5, 1), CALL(4, 2)}, 4, "earlier"},
        {{JOB, SEND(1, 1, "a:b")}, 3, "has not been made"},
        {{JOB, "{\"at\":1,\"send\":\"x\""}, 3, "which call was sent"},
        {{JOB, "{\"at\":1,\"to\":\"reply\",\"n\":1"}, 3, "has not been made"},
        {{JOB, CALL(1, 1), "{\"at\":1,\"to\":\"fail\",\"n\":1,\"state\":\"failed\"",
          "{\"at\":1,\"to\":\"reply\",\"n\":1"},
         5,
         "was answered"},
        {{JOB, CALL(1, 1), "{\"at\":1,\"to\":\"fail\",\"n\":1,\"state\":\"failed\"",
          SEND(1, 1, "a:b")},
         5,
         "was answered"},
        {{JOB, "{\"at\":1,\"from\":\"full\"", CALL(1, 1)}, 4, "had already ended"},
        {{JOB, "{\"at\":1,\"from\":\"full\"", "{\"at\":1,\"to\":\"wake\""}, 4, "had already ended"},
        {{END(0)}, 2, "how the code has ended"},
        {{JOB, "{\"at\":1,\"from\":\"threw\"", END(1)}, 4, "how the code has ended"},
        {{JOB, "{\"at\":1,\"from\":\"done\"", "{\"at\":1,\"end\":\"CODE_ERROR\""},
         4,
         "how the code has"},
        {{STALLED(0), STALLED(0)}, 3, "after the end"},
        {{"{\"at\":0,\"cut\":\"\"", STALLED(0)}, 3, "after the end"},
        {{JOB, "{\"at\":1,\"resume\":true,\"date\":5"}, 3, "\"boot\""},
        {{JOB, "{\"at\":1,\"resume\":true,\"date\":5,\"boot\":1"}, 3, "\"boot\""},
        {{"{\"at\":1,\"resume\":true,\"date\":5,\"boot\":\"\""}, 2, "nothing to resume"},
        {{JOB, RESUME "," LIMITS, "{\"at\":0,\"to\":\"wake\""}, 4, "earlier"},
        {{JOB, CALL(1, 1), "{\"at\":1,\"to\":\"fail\",\"n\":1,\"state\":\"lost\""},
         4,
         "\"state\" is not known"},
        {{JOB, CALL(1, 1), "{\"at\":1,\"to\":\"reply\",\"n\":1,\"kind\":\"stream\",\"json\":1"},
         4,
         "\"kind\" is not known"},
        {{JOB, CALL(1, 1),
          "{\"at\":1,\"to\":\"reply\",\"n\":1,\"kind\":\"tool\",\"json\":1,\"jsonBlob\":\"\""},
         4,
         "is there twice"},
        {{JOB, RESUME}, 3, "\"limits\" is missing"},
        {{JOB, RESUME ",\"limits\":1"}, 3, "\"limits\" is missing, or"},
        {{JOB, RESUME ",\"limits\":{}"}, 3, "\"timeoutMs\""},
        {{JOB, RESUME ",\"limits\":{\"fuel\":1}"}, 3, "\"fuel\" is not known"},
        {{JOB, "{\"at\":1,\"resume\":3,\"date\":5,\"boot\":\"b\"," LIMITS}, 3, "is not true"},
        {{JOB, CALL(1, 1), "{\"at\":1,\"send\":1,\"tool\":\"a:b\",\"decision\":\"allow\""},
         4,
         "who allowed"},
        {{JOB, CALL(1, 1), "{\"at\":1,\"send\":1,\"decision\":\"allow\",\"by\":\"x\""},
         4,
         "which tool"},
        {{JOB, CALL(1, 1), "{\"at\":1,\"send\":1,\"tool\":\"a:b\",\"by\":\"x\""}, 4, "who allowed"},
        {{JOB, CALL(1, 1),
          "{\"at\":1,\"send\":1,\"tool\":\"a:b\",\"decision\":\"deny\",\"by\":\"x\""},
         4,
         "who allowed"},
        {{"{\"at\":0"}, 2, ""},
        {{"{\"at\":0,\"x\":1"}, 2, "does not know such a line"},
        {{"{\"at\":0,\"n\":1,\"from\":\"call\""}, 2, "does not know such a line"},
        {{"{\"x\":1,\"at\":0,\"to\":\"wake\""}, 2, "begin with its time"},
        {{"{\"at\":-1,\"end\":\"SUCCESS\""}, 2, "begin with its time"},
        {{"{\"at\":1.5,\"end\":\"SUCCESS\""}, 2, "begin with its time"},
        {{"{\"at\":9999999999999999999,\"end\":\"SUCCESS\""}, 2, "begin with its time"},
        {{"{\"at\":4503599627370497,\"end\":\"SUCCESS\""}, 2, "begin with its time"},
        {{"[1"}, 2, "is not JSON"},
        {{"{\"at\":0,\"end\":\"\xff\""}, 2, "is not JSON"},
    };

    CHECK(scratch_begin());
    for (size_t i = 0; i < COUNT(cases); i++) {
        journal_begin(HEAD);
        for (size_t j = 0; j < COUNT(cases[i].lines) && cases[i].lines[j]; j++)
            journal_add(cases[i].lines[j]);
        CHECK(refuses(cases[i].number, cases[i].words));
    }
    scratch_end();
}

TEST(a_header_with_a_missing_field_is_refused)
{
    static const char *const heads[][2] = {
        {"{\"journal\":3", "version 3, and this caprun ("},
        {"{\"journal\":0", "version 0, and this caprun ("},
        {"{\"journal\":2", "\"run\""},
        {"{\"journal\":2,\"new\":1", "\"new\" is not known to this version of caprun"},
        {"{\"journal\":\"1\"", "not a journal"},
        {"{\"journals\":1", "not a journal"},
        {"{\"journal\":1", "\"run\""},
        {HEAD_START ",\"args\":{}", "\"code\""},
        {HEAD_START ",\"code\":1,\"args\":{}", "\"code\""},
        {HEAD_START ",\"code\":\"\"", "\"args\""},
        {HEAD_BEFORE_NAME ",\"code\":\"\",\"args\":{}", "\"codeName\""},
        {HEAD_BEFORE_NAME ",\"codeName\":\"\",\"code\":\"\",\"args\":{}", "\"codeName\""},
        {HEAD_BEFORE_NAME ",\"codeName\":\"a\\nb\",\"code\":\"\",\"args\":{}", "\"codeName\""},
        {HEAD_BEFORE_NAME ",\"codeName\":\"" SIXTY_FIVE "\",\"code\":\"\",\"args\":{}",
         "\"codeName\""},
        {HEAD ",\"wording\":0", "\"wording\""},
        {HEAD ",\"wording\":2", "\"wording\""},
        {HEAD ",\"wording\":\"v8\"", "\"wording\""},
        {HEAD ",\"language\":0", "\"language\""},
        {HEAD ",\"language\":3", "\"language\""},
        {HEAD ",\"argsBlob\":\"" BLOB "\"", "a value is there twice"},
        {HEAD ",\"env\":[]", "\"env\""},
        {HEAD ",\"env\":{\"A\":1}", "\"env\""},
        {HEAD ",\"envKey\":1", "\"envKey\""},
        {HEAD ",\"tools\":{}", "\"tools\""},
        {HEAD ",\"tools\":[1]", "\"tools\""},
        {HEAD ",\"origin\":1", "\"origin\""},
        {HEAD ",\"schemaBlob\":\"x\"", "\"schemaBlob\""},
        {HEAD ",\"schemaBlob\":\"" BLOB "\"", "\"schemaBytes\""},
        {HEAD ",\"schemaBlob\":\"" BLOB "\",\"schemaBytes\":0", "\"schemaBytes\""},
        {HEAD ",\"schemaBlob\":\"" BLOB "\",\"schemaBytes\":99999999", "\"schemaBytes\""},
        {"x", "not a journal"},
    };

    CHECK(scratch_begin());
    for (size_t i = 0; i < COUNT(heads); i++) {
        journal_begin(heads[i][0]);
        CHECK(refuses(1, heads[i][1]));
    }
    journal_begin(HEAD ",\"env\":{\"A\":\"\"},\"envKey\":\"k\",\"tools\":[\"a:b\"],\"origin\":{}");
    CHECK(reads() && journal.head.env && journal.head.tools && journal.head.origin);
    CHECK(journal.head.wording == WIRE_WORDING_ENGINE);
    cr_journal_clear(&journal);
    journal_begin(HEAD ",\"wording\":1");
    CHECK(reads() && journal.head.wording == WIRE_WORDING_V8);
    cr_journal_clear(&journal);
    scratch_end();
}

/* --- additions of later versions ------------------------------------------------------------ */

#define ASKED(q, n) \
    "{\"at\":1,\"ask\":" #q ",\"calls\":[{\"n\":" #n ",\"tool\":\"a:b\",\"binding\":\"x\"}]"
#define DECIDED(q, calls, rest) "{\"at\":1,\"decide\":" #q ",\"calls\":" calls "," rest
#define HOW "\"decision\":\"allow\",\"for\":\"calls\",\"maxCalls\":0,\"by\":\"script\""

TEST(questions_and_decisions_have_to_be_possible_at_their_place)
{
    static const struct {
        const char *asked, *decided; /* the next lines after call 1 */
        size_t line;                 /* that is rejected; 0: none */
    } cases[] = {
        {ASKED(1, 1), DECIDED(1, "[1]", HOW ",\"waited\":5,\"date\":7"), 0},
        {ASKED(3, 1), ASKED(4, 1), 0},
        {ASKED(1, 2), ASKED(2, 1), 4},
        {ASKED(0, 1), ASKED(1, 1), 4},
        {"{\"at\":1,\"ask\":1,\"calls\":[]", ASKED(2, 1), 4},
        {"{\"at\":1,\"ask\":1", ASKED(2, 1), 4},
        {ASKED(2, 1), ASKED(2, 1), 5},
        {ASKED(2, 1), DECIDED(1, "[1]", HOW ",\"waited\":5,\"date\":7"), 5},
        {ASKED(1, 1), DECIDED(1, "[2]", HOW ",\"waited\":5,\"date\":7"), 5},
        {ASKED(1, 1), DECIDED(1, "[1]", HOW ",\"waited\":5"), 5},
        {ASKED(1, 1), DECIDED(1, "[1]", "\"decision\":\"allow\",\"date\":7"), 5},
        {ASKED(1, 1), DECIDED(1, "[1]", HOW ",\"date\":7,\"more\":1"), 5},
    };

    CHECK(scratch_begin());
    for (size_t i = 0; i < COUNT(cases); i++) {
        journal_begin(HEAD);
        journal_add(JOB);
        journal_add(CALL(1, 1));
        journal_add(cases[i].asked);
        journal_add(cases[i].decided);
        CHECK(cases[i].line ? refuses(cases[i].line, "") : reads() && journal.count == 4);
        cr_journal_clear(&journal);
    }
    scratch_end();
}

TEST(unknown_critical_parts_are_rejected_and_optional_ones_ignored)
{
    static const struct {
        const char *line, *words; /* NULL: the line is ignored */
    } cases[] = {
        {"{\"at\":1,\"to\":\"wake\",\"_why\":\"x\",\"_more\":{\"to\":1}", NULL},
        {"{\"at\":1,\"_note\":\"x\",\"whatever\":1", NULL},
        {"{\"at\":1,\"_\":1", NULL},
        {"{\"at\":1,\"to\":\"wake\",\"why\":\"x\"", "\"why\" is not known to this version"},
        {"{\"at\":1,\"to\":\"wake\",\"\":1", "\"\" is not known to this version"},
        {"{\"at\":1,\"run\":1,\"to\":\"wake\"", "does not know such a line"},
        {"{\"at\":1,\"suspend\":1", "does not know such a line"},
        {"{\"at\":1,\"from\":\"log\",\"_x\":1,\"line\":\"x\"", "stands after an optional field"},
        {"{\"at\":1,\"from\":\"log\",\"line\":\"x\",\"line\":\"y\"", "is there twice"},
        {"{\"at\":1,\"from\":\"log\",\"line\":\"x\",\"at\":1", "is there twice"},
    };

    CHECK(scratch_begin());
    for (size_t i = 0; i < COUNT(cases); i++) {
        journal_begin(HEAD ",\"_kept\":[1]");
        journal_add(JOB);
        journal_add(cases[i].line);
        journal_add(STALLED(2));
        CHECK(cases[i].words ? refuses(3, cases[i].words) : reads() && journal.end);
        CHECK(cases[i].words || journal.end->number == 4);
        cr_journal_clear(&journal);
    }
    journal_begin(HEAD); /* the order of lines is checked for optional lines, too */
    journal_add(STALLED(5));
    journal_add("{\"at\":6,\"_note\":1");
    CHECK(refuses(3, "after the end"));
    scratch_end();
}

TEST(a_replay_compares_only_what_is_critical)
{
    CHECK(scratch_begin());
    journal_begin(HEAD);
    journal_add(JOB);
    journal_add("{\"at\":1,\"from\":\"log\",\"line\":\"x\",\"_more\":1,\"_most\":2");
    CHECK(reads() && journal.count == 2);
    CHECK(journal.lines[1].body_len == strlen("\"from\":\"log\",\"line\":\"x\""));
    cr_journal_clear(&journal);
    scratch_end();
}

TEST(a_journal_has_the_limits_of_its_last_resume)
{
    CHECK(scratch_begin());
    journal_begin(HEAD);
    journal_add(JOB);
    CHECK(reads() && journal.head.timeout_ms == 1000 && journal.head.max_calls == 10);
    cr_journal_clear(&journal);
    journal_add(RESUME ",\"limits\":{\"timeoutMs\":7,\"cpuMs\":1,\"rpcTimeoutMs\":1,"
                       "\"memoryBytes\":1,\"resultBytes\":1,\"logBytes\":1,\"maxCalls\":3,"
                       "\"maxConcurrentCalls\":1}");
    CHECK(reads() && journal.head.timeout_ms == 7 && journal.head.max_calls == 3);
    cr_journal_clear(&journal);
    scratch_end();
}

TEST(a_file_without_a_complete_line_is_not_a_journal)
{
    CHECK(scratch_begin());
    journal_begin(HEAD);
    for (size_t len = 0; len < journal_text.len; len += 31) {
        CHECK(journal_put_bytes("j", len));
        CHECK(cr_journal_read(path_of("j"), -1, &journal, &why) < 0);
        CHECK(why.outcome == CAPRUN_OUTCOME_JOURNAL_INVALID && strstr(why.text, ":1: "));
    }
    scratch_end();
}

/* --- values --------------------------------------------------------------------------------- */

static struct cr_buf out;

static bool is_out(const char *wanted)
{
    const char *got = cr_buf_text(&out);
    bool same = got && strcmp(got, wanted) == 0;

    if (!same)
        printf("# got %s, wanted %s\n", got, wanted);
    cr_buf_clear(&out);
    return same;
}

/* A journal whose line 3 is |line|. */
static const struct cr_journal_line *third(const char *line)
{
    journal_begin(HEAD);
    journal_add(JOB);
    journal_add(line);
    cr_buf_clear(&out);
    cr_buf_init(&out, 1 << 20);
    return reads() ? &journal.lines[1] : NULL;
}

TEST(values_and_texts_of_a_line_are_found)
{
    const struct cr_journal_line *line;

    CHECK(scratch_begin());
    line = third("{\"at\":1,\"from\":\"done\",\"result\":{\"x\":[1, "
                 "2]},\"_s\":\"a\\n\\u00e9\\ud83d\\ude00\"");
    CHECK(line && cr_journal_json(&journal, line, "result", &out, &why) == 0);
    CHECK(is_out("{\"x\":[1, 2]}"));
    cr_journal_text(line, "_s", &out);
    CHECK(is_out("a\n\xc3\xa9\xf0\x9f\x98\x80"));
    cr_journal_text(line, "result", &out); /* not a text */
    cr_journal_text(line, "none", &out);
    CHECK(is_out(""));
    CHECK(cr_journal_json(&journal, line, "none", &out, &why) < 0);
    CHECK(why.outcome == CAPRUN_OUTCOME_JOURNAL_INVALID &&
          strstr(why.text, ":3: it has no \"none\""));
    CHECK(cr_journal_input(&journal, "args", &out, &why) == 0 && is_out("{\"a\":[1]}"));
    CHECK(cr_journal_input(&journal, "schema", &out, &why) == 0 && is_out(""));
    cr_journal_clear(&journal);
    scratch_end();
}

/* Makes a blob of a text, for the journal "j". */
static void put_blob(struct cr_line_blob *blob, const char *text)
{
    uint8_t hash[CR_HASH_BYTES];
    struct cr_err err;

    blob->bytes = text;
    blob->len = strlen(text);
    cr_hash_take(text, blob->len, hash);
    cr_hash_show(hash, blob->name);
    (void)cr_blobs_write(path_of("j"), blob, &err);
}

static bool reads_blob(const char *name, size_t bytes)
{
    char line[300];

    (void)snprintf(line, sizeof(line),
                   "{\"at\":1,\"from\":\"done\",\"resultBlob\":\"%s\",\"resultBytes\":%zu", name,
                   bytes);
    return third(line) && cr_journal_json(&journal, &journal.lines[1], "result", &out, &why) == 0;
}

TEST(a_missing_or_changed_blob_is_refused)
{
    struct cr_line_blob good, bad;
    char file[1200];

    CHECK(scratch_begin());
    put_blob(&good, "{\"long\":1}");
    put_blob(&bad, "{\"long\":");
    CHECK(reads_blob(good.name, good.len) && is_out("{\"long\":1}"));
    CHECK(!reads_blob(good.name, good.len + 1) &&
          strstr(why.text, "was changed: its length or hash"));
    CHECK(!reads_blob(bad.name, bad.len) && why.outcome == CAPRUN_OUTCOME_JOURNAL_INVALID);
    CHECK(!reads_blob(BLOB, 1) && strstr(why.text, "is not there") && strstr(why.text, ":3: "));
    CHECK(!reads_blob("../../../../../../../../../../../../../../../../../../etc/passwd", 1));
    CHECK(!reads_blob("x", 1) && !reads_blob(good.name, (size_t)1 << 40));
    CHECK(cr_blobs_size(path_of("j")) == good.len + bad.len);
    (void)snprintf(file, sizeof(file), "%s.d/%s", path_of("j"), good.name);
    CHECK(unlink(file) == 0 && symlink("/etc/passwd", file) == 0);
    CHECK(!reads_blob(good.name, good.len));
    cr_blobs_remove(path_of("j"));
    CHECK(mode_of("j.d") == 0);
    cr_journal_clear(&journal);
    cr_buf_clear(&out);
    scratch_end();
}

/* --- without memory ------------------------------------------------------------------------- */

TEST(each_allocation_that_fails_is_an_error_of_ours)
{
    bool failed = false;

    CHECK(scratch_begin());
    journal_begin(HEAD ",\"env\":{\"A\":\"x\"},\"tools\":[\"a:b\"]");
    journal_add(JOB);
    for (int i = 1; i <= 100; i++) {
        char line[100];

        (void)snprintf(line, sizeof(line), CALL(1, % d), i);
        journal_add(line);
    }
    journal_add(STALLED(2));
    CHECK(journal_put("j"));
    while (failing_more()) {
        int r = cr_journal_read(path_of("j"), -1, &journal, &why);

        failing_stop();
        CHECK(r == 0 || why.outcome == CAPRUN_OUTCOME_INTERNAL);
        failed = failed || r < 0;
        cr_journal_clear(&journal);
    }
    CHECK(failed == FAILING || !failing_works());
    CHECK(reads() && journal.calls == 100);
    cr_journal_clear(&journal);
    cr_buf_clear(&journal_text);
    scratch_end();
}

/* --- a first line that is too long ---------------------------------------------------------- */

/* Makes a header with |count| values more than HEAD, each with the text |each|. */
static bool put_long_header(size_t count, const char *each)
{
    cr_buf_clear(&journal_text);
    cr_buf_init(&journal_text, 64u << 20);
    memset(journal_chain, 0, sizeof(journal_chain));
    cr_buf_str(&journal_text, HEAD ",\"_more\":[0");
    while (count--)
        cr_buf_str(&journal_text, each);
    cr_buf_str(&journal_text, "]");
    cr_line_seal(&journal_text, 0, journal_chain);
    return journal_put("j");
}

static bool refuses_header(const char *words)
{
    return cr_journal_read(path_of("j"), -1, &journal, &why) < 0 &&
           why.outcome == CAPRUN_OUTCOME_JOURNAL_INVALID && strstr(why.text, words);
}

TEST(a_first_line_that_no_run_can_have_costs_little)
{
    long before;

    CHECK(scratch_begin());
    CHECK(put_long_header(12u << 20, ",0")); /* once 24 MiB needed 986 MB of memory */
    before = peak_kib();
    CHECK(refuses_header("is over 12 MiB"));
    CHECK(put_long_header(6000000, ",0") && refuses_header("has too many values"));
    CHECK(peak_kib() - before < 120 * 1024 || !FAILING); /* a sanitizer needs more memory */
    CHECK(put_long_header(120000, ",0") && cr_journal_read(path_of("j"), -1, &journal, &why) == 0);
    cr_journal_clear(&journal);
    CHECK(put_long_header(100000,
                          ",\"a string of a hundred bytes, with [commas, and] {such}, which "
                          "are no values ................\"") &&
          cr_journal_read(path_of("j"), -1, &journal, &why) == 0);
    cr_journal_clear(&journal);
    scratch_end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
