/* test_replay.c - replay and resume of journals, with the real worker and no server. */
#include <fcntl.h>

#include "base/scan.h"
#include "failing.h"
#include "journal/replay_parts.h"
#include "journals.h"
#include "run/calls.h"
#include "recorded.h"

#define OK CAPRUN_OUTCOME_SUCCESS
#define DIFFERS CAPRUN_OUTCOME_REPLAY_DIFFERED
#define INVALID CAPRUN_OUTCOME_JOURNAL_INVALID
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct cr_err why;

static bool replays(const char *name, enum caprun_outcome outcome)
{
    return new_run(NULL) && caprun_run_replay(run, path_of(name)) == 0 && ends(outcome);
}

static bool replays_with(const char *name, const char *code, const char *words)
{
    bool ok = new_run(NULL) && caprun_run_replay(run, path_of(name)) == 0 &&
              caprun_run_set_code(run, code, strlen(code)) == 0 && ends(DIFFERS);
    const char *message = ok ? caprun_get_message(run, NULL) : NULL;

    if (message && strstr(message, words))
        return true;
    printf("# wanted %s, got %s\n", words, message ? message : "nothing");
    return false;
}

static bool refuses(const char *name, const char *words)
{
    if (new_run(NULL) && caprun_run_replay(run, path_of(name)) == CAPRUN_E_INVAL &&
        strstr(caprun_error(rt), words))
        return true;
    printf("# %s\n", caprun_error(rt));
    return false;
}

/* --- the same result ------------------------------------------------------------------------ */

TEST(a_replay_is_the_same_and_calls_no_handler)
{
    static const struct {
        const char *code;
        enum caprun_outcome outcome;
    } cases[] = {
        {"", OK},
        {"return [Math.random(), Date.now(), crypto.randomUUID()]", OK},
        {"console.log('a'); return mcp.a.echo({x: 'y'.repeat(70000)})", OK},
        {"const r = []; await Promise.all([1, 2, 3].map(async (i) => r.push(await "
         "mcp.a.echo({i}))));"
         "return r",
         OK},
        {"await new Promise((r) => setTimeout(r, 3)); return performance.now()", OK},
        {"return mcp.a.fail().catch((e) => e.message)", OK},
        {"mcp.a.never(); return 1", OK},
        {"await mcp.a.fail()", CAPRUN_OUTCOME_RPC_ERROR},
        {"try { eval('1') } catch {} throw new Error('x')", CAPRUN_OUTCOME_CODE_ERROR},
        {"return (", CAPRUN_OUTCOME_CODE_ERROR},
        {"await new Promise(() => {})", CAPRUN_OUTCOME_STALLED},
    };

    CHECK(begin());
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)unlink(path_of("j"));
        CHECK(record("j", cases[i].code, cases[i].outcome));
        asked = 0;
        CHECK(replays("j", cases[i].outcome) && replays("j", cases[i].outcome) && asked == 0);
    }
    CHECK(end());
}

TEST(a_run_that_was_ended_from_outside_is_replayed_up_to_its_end)
{
    CHECK(begin());
    CHECK(new_run("console.log('x'); mcp.a.echo(); await mcp.a.never()"));
    CHECK(caprun_run_record(run, path_of("j")) == 0 && caprun_start(run) == 0);
    while (asked < 2)
        caprun_wait(rt, 10000), caprun_step(rt);
    caprun_cancel(run);
    CHECK(replays("j", CAPRUN_OUTCOME_CANCELLED));
    CHECK(new_run("for (;;) ;") && caprun_run_set_timeout(run, 100) == 0);
    CHECK(caprun_run_record(run, path_of("k")) == 0 && ends(CAPRUN_OUTCOME_EXECUTION_TIMEOUT));
    CHECK(replays("k", CAPRUN_OUTCOME_EXECUTION_TIMEOUT));
    CHECK(end());
}

TEST(an_answer_as_deep_as_it_may_be_is_replayed)
{
    static char code[] =
        "return (await mcp.a.echo(JSON.parse('['.repeat(1000) + ']'.repeat(1000)))).length";

    CHECK(begin());
    CHECK(record("j", code, OK) && replays("j", OK));
    CHECK(end());
}

/* --- differences ------------------------------------------------------------------------------ */

TEST(the_first_difference_is_reported)
{
    static const char then[] = "console.log('a'); const x = await mcp.a.echo({n: 1}); return x.n";

    CHECK(begin());
    CHECK(record("j", then, OK) && replays("j", OK));
    CHECK(replays_with("j", "console.log('b')",
                       "Line 1 of the log is not what was recorded\n"
                       "recorded: a\nnow:      b"));
    CHECK(replays_with("j", "console.log('a'); const x = await mcp.a.echo({n: 2}); return x.n",
                       "Call 1 is not what was recorded\nrecorded: a:echo {\"n\":1}\n"
                       "now:      a:echo {\"n\":2}\n~ /n: 1 → 2"));
    CHECK(replays_with("j", "console.log('a'); await mcp.a.echo({n: 1}); return 5",
                       "The end is not what was recorded\nrecorded: it returned 1\n"
                       "now:      it returned 5"));
    CHECK(replays_with("j", "console.log('a'); await mcp.a.echo({n: 1}); throw new TypeError('no')",
                       "now:      it threw TypeError: no"));
    CHECK(replays_with("j", "console.log('a'); return 1", ""));
    CHECK(replays_with("j", "console.log('a'); await new Promise((r) => setTimeout(r, 1))",
                       "Call 1 is missing"));
    CHECK(replays_with("j", "console.log('a'); mcp.a.echo({n: 1}); return mcp.a.echo({n: 2})",
                       "Call 2 is new"));
    CHECK(replays_with("j", "console.log('a'); await mcp.a.echo({n: 1}); await mcp.a.never()",
                       "Call 2 is new"));
    CHECK(replays_with("j", "console.log('a'); try { eval('1') } catch {} return 1",
                       "Attempt 1 on what is denied is new"));
    CHECK(replays_with(
        "j", "console.log('a'); await mcp.a.echo({n: 1}); await new Promise(() => {})", ""));
    CHECK(end());
}

TEST(changed_code_that_does_the_same_is_the_same)
{
    static const char other[] = "// more\n\n  try { await mcp.a.fail() } catch (e) { throw e }";

    CHECK(begin());
    CHECK(record("j", "await mcp.a.fail()", CAPRUN_OUTCOME_RPC_ERROR));
    CHECK(new_run(NULL) && caprun_run_replay(run, path_of("j")) == 0);
    CHECK(caprun_run_set_code(run, other, strlen(other)) == 0 && ends(CAPRUN_OUTCOME_RPC_ERROR));
    CHECK(end());
}

/* --- forged journals ------------------------------------------------------------------------ */

#define LOG "{\"at\":1,\"from\":\"log\",\"line\":\"x\""
#define DONE(result) "{\"at\":1,\"from\":\"done\",\"result\":" result
#define FORGED HEAD_START ",\"code\":\"return mcp.a.b()\",\"args\":{}"

/* Makes a journal of |head|, the job and |lines|. */
static bool forge(const char *head, const char *const *lines)
{
    journal_begin(head);
    journal_add(JOB);
    for (; *lines; lines++)
        journal_add(*lines);
    return journal_put("j");
}

TEST(a_forged_journal_differs_or_is_refused)
{
    CHECK(begin());
    CHECK(forge(HEAD, (const char *const[]){DONE("1"), END(1), NULL}) && replays("j", OK));
    CHECK(forge(HEAD, (const char *const[]){DONE("2"), END(1), NULL}) && replays("j", DIFFERS));
    CHECK(forge(HEAD, (const char *const[]){LOG, DONE("1"), END(1), NULL}) &&
          replays("j", DIFFERS));
    CHECK(forge(HEAD, (const char *const[]){END(1), NULL}) &&
          refuses("j", "how the code has ended"));
    CHECK(forge(HEAD, (const char *const[]){CALL(1, 1), DONE("1"), END(1), NULL}));
    CHECK(replays("j", DIFFERS));
    CHECK(forge(HEAD, (const char *const[]){DONE("1"), "{\"at\":1,\"end\":\"STALLED\"", NULL}));
    CHECK(replays("j", DIFFERS));
    CHECK(forge(HEAD, (const char *const[]){DONE("1"), "{\"at\":1,\"end\":\"CANCELLED\"", NULL}));
    CHECK(replays("j", CAPRUN_OUTCOME_CANCELLED)); /* the recorded part is the same */
    CHECK(end());
}

TEST(an_unknown_end_is_refused)
{
    static const char *const strange[] = {"{\"at\":1,\"end\":\"WEIRD\"", "{\"at\":1,\"end\":7",
                                          "{\"at\":1,\"end\":\"\""};

    CHECK(begin());
    for (size_t i = 0; i < COUNT(strange); i++) {
        CHECK(forge(HEAD, (const char *const[]){DONE("1"), strange[i], NULL}));
        CHECK(refuses("j", ":4: "));
    }
    CHECK(end());
}

TEST(a_forged_answer_is_sent_to_the_worker_or_refused)
{
#define ANSWERED(line) (const char *const[]){CALL(1, 1), line, DONE("7"), END(1), NULL}
    CHECK(begin());
    CHECK(forge(FORGED,
                ANSWERED("{\"at\":1,\"to\":\"reply\",\"n\":1,\"kind\":\"value\",\"json\":7")));
    CHECK(replays("j", OK));
    CHECK(forge(FORGED, ANSWERED("{\"at\":1,\"to\":\"reply\",\"n\":1,\"json\":7")) &&
          refuses("j", "\"kind\" is not known"));
    CHECK(forge(FORGED, ANSWERED("{\"at\":1,\"to\":\"reply\",\"n\":1,\"kind\":\"tool\","
                                 "\"json\":{\"content\":[],\"structuredContent\":7}")));
    CHECK(replays("j", OK));
    CHECK(forge(FORGED,
                ANSWERED("{\"at\":1,\"to\":\"reply\",\"n\":1,\"kind\":\"value\",\"json\":8")));
    CHECK(replays("j", DIFFERS));
    CHECK(forge(FORGED, ANSWERED("{\"at\":1,\"to\":\"reply\",\"n\":1,\"kind\":\"tool\"")) &&
          replays("j", INVALID));
    CHECK(forge(FORGED, ANSWERED("{\"at\":1,\"to\":\"fail\",\"n\":1")) &&
          refuses("j", "\"state\" is not known"));
    CHECK(forge(FORGED, ANSWERED("{\"at\":1,\"to\":\"fail\",\"n\":1,\"state\":\"denied\"")));
    CHECK(replays("j", DIFFERS) && end());
}

/* Replays "j" with |code| and its calls in any order. */
static bool replays_calls(const char *code)
{
    if (!new_run(NULL) || cr_replay_new(run, path_of("j"), NULL, &why) < 0)
        return false;
    cr_replay_set_compare(run, CR_REPLAY_CALLS);
    return caprun_run_set_code(run, code, strlen(code)) == 0 && caprun_run(run) == 0;
}

TEST(each_call_in_another_order_is_compared_with_one_recorded_call)
{
#define ALL(args)                  \
    "for (let j = 0; j < 10; j++)" \
    "await Promise.all(Array.from({length: 50}, (_, i) => mcp.a.echo({i: " args "})))"
    CHECK(begin());
    CHECK(record("j", ALL("i % 25 + 25 * j"), OK));
    CHECK(replays_calls(ALL("24 - i % 25 + 25 * (9 - j)")));
    CHECK(caprun_get_outcome(run) == OK && cr_replay_find(run)->compared == 500);
    CHECK(replays_calls(ALL("i ? i % 25 + 25 * j : 1")));
    CHECK(caprun_get_outcome(run) == DIFFERS && cr_replay_find(run)->compared <= 500);
    CHECK(end());
}

TEST(a_journal_without_an_end_is_not_replayed)
{
    CHECK(begin());
    CHECK(forge(HEAD, (const char *const[]){DONE("1"), NULL}) && refuses("j", ":3: it ends early"));
    CHECK(forge(HEAD, (const char *const[]){"{\"at\":1,\"cut\":\"\"", NULL}) &&
          refuses("j", ":3: the recording was stopped here"));
    CHECK(put("j", "x\n") && refuses("j", "not a journal") &&
          refuses("none", "there is no journal"));
    CHECK(new_run(NULL) && caprun_run_replay(run, path_of("none")) < 0);
    CHECK(caprun_start(run) == CAPRUN_E_STATE); /* it has no code */
    CHECK(end());
}

TEST(a_run_has_one_journal)
{
    CHECK(begin());
    CHECK(record("j", "return 1", OK));
    CHECK(new_run(NULL) && caprun_run_replay(run, path_of("j")) == 0);
    CHECK(caprun_run_replay(run, path_of("j")) == CAPRUN_E_STATE);
    CHECK(caprun_run_resume(run, path_of("j")) == CAPRUN_E_STATE && ends(OK));
    CHECK(caprun_run_replay(run, path_of("j")) == CAPRUN_E_STATE);
    CHECK(end());
}

/* --- variables -------------------------------------------------------------------------------- */

static bool replays_env(const uint8_t *key, const char *env, enum caprun_outcome outcome)
{
    return new_run(NULL) && cr_replay_new(run, path_of("j"), key, &why) == 0 &&
           caprun_run_set_env(run, env, strlen(env)) == 0 && ends(outcome);
}

TEST(variables_must_have_the_recorded_values)
{
    uint8_t key[CR_HASH_BYTES] = {1}, other[CR_HASH_BYTES] = {2};
    struct cr_record_spec spec = {.key = key};
    char path[1100];

    CHECK(begin());
    (void)snprintf(path, sizeof(path), "%s", path_of("j"));
    spec.path = path;
    CHECK(new_run("console.log('x'); return args.env.A") &&
          caprun_run_set_env(run, "{\"A\":\"b\"}", 9) == 0);
    CHECK(cr_record_new(run, &spec, NULL) == 0 && ends(OK));
    CHECK(replays_env(key, "{\"A\":\"b\"}", OK));
    CHECK(replays_env(key, "{\"A\":\"c\"}", CAPRUN_OUTCOME_VALIDATION_ERROR));
    CHECK(replays_env(key, "", CAPRUN_OUTCOME_VALIDATION_ERROR));
    CHECK(replays_env(key, "{\"A\":\"b\",\"B\":\"\"}", CAPRUN_OUTCOME_VALIDATION_ERROR));
    CHECK(replays_env(other, "{\"A\":\"c\"}", DIFFERS)); /* hashes have another key */
    CHECK(replays_env(NULL, "{\"A\":\"b\"}", OK) && replays_env(NULL, "{\"A\":\"c\"}", DIFFERS));
    CHECK(end());
}

/* --- resuming ------------------------------------------------------------------------------- */

/* Writes the mark of a host that is killed when the journal has |len| bytes, before |at|. */
static bool set_mark(const char *at, size_t len)
{
    char rest[64];
    int fd = open(path_of("j.mark"), O_WRONLY | O_CLOEXEC), n;
    bool is_written;

    if (fd < 0)
        return errno == ENOENT; /* no call was sent */
    n = snprintf(rest, sizeof(rest), "%20zu %.32s", len, at - strlen("\"}\n") - 32);
    is_written = pwrite(fd, rest, (size_t)n, CR_RECORD_MARK) == n;
    (void)close(fd);
    return is_written;
}

/* Keeps only the first |lines| of the journal. */
static bool cut_off(const char *name, int lines)
{
    const char *text = get(name), *at = text;

    while (at && lines--)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    return at && truncate(path_of(name), at - text) == 0 && set_mark(at, (size_t)(at - text));
}

static const char three_calls[] =
    "const a = await mcp.a.echo({n: 1}); const b = await mcp.a.echo({n: 2});"
    "return [a.n, b.n, (await mcp.a.echo({n: 3})).n]";

static bool resumes(const char *name, uint32_t retry, enum caprun_outcome outcome)
{
    return new_run(NULL) && caprun_run_resume(run, path_of(name)) == 0 &&
           (retry == UINT32_MAX || caprun_run_retry(run, retry) == 0) && ends(outcome);
}

TEST(a_run_is_resumed_from_every_line_and_makes_no_call_twice)
{
    /* header, job, and for each call: call, send, reply; done, end */
    static const int calls_left[] = {3, 3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0};

    CHECK(begin());
    for (int lines = 1; lines <= 12; lines++) {
        (void)unlink(path_of("j"));
        CHECK(record("j", three_calls, OK) && cut_off("j", lines));
        asked = 0;
        CHECK(resumes("j", 0, OK)); /* all sent calls are sent again */
        CHECK(asked == calls_left[lines - 1]);
        CHECK(strcmp(caprun_get_result(run, NULL), "[1,2,3]") == 0);
        CHECK(replays("j", OK));
        CHECK(new_run(NULL) && caprun_run_resume(run, path_of("j")) == CAPRUN_E_INVAL);
        CHECK(strstr(caprun_error(rt), "has ended"));
    }
    CHECK(end());
}

/* Records a run that is cancelled in its fourth call. */
static bool records_cancelled(void)
{
    static const char code[] = "const a = await mcp.a.echo({n: 1}), b = await mcp.a.echo({n: 2}), "
                               "c = await mcp.a.echo({n: "
                               "3}); await mcp.a.never().catch(() => 0); return [a.n, b.n, c.n]";

    asked = 0;
    if (!new_run(code) || caprun_run_record(run, path_of("j")) < 0 || caprun_start(run) < 0)
        return false;
    while (asked < 4)
        caprun_wait(rt, 10000), caprun_step(rt);
    caprun_cancel(run);
    return caprun_get_outcome(run) == CAPRUN_OUTCOME_CANCELLED;
}

TEST(a_cancelled_run_is_resumed_from_every_line_and_makes_no_call_twice)
{
    /* 13: header, job, four calls and sends, three replies; 14 end, undo, resume, fail, done, end
     */
    CHECK(begin());
    for (int lines = 13; lines <= 18; lines++) {
        (void)unlink(path_of("j"));
        CHECK(records_cancelled() && replays("j", CAPRUN_OUTCOME_CANCELLED));
        if (lines > 14)
            CHECK(resumes("j", UINT32_MAX, OK) && replays("j", OK));
        CHECK(cut_off("j", lines));
        asked = 0;
        CHECK(resumes("j", UINT32_MAX, OK) && asked == 0);
        CHECK(strcmp(caprun_get_result(run, NULL), "[1,2,3]") == 0 && replays("j", OK));
        CHECK(new_run(NULL) && caprun_run_resume(run, path_of("j")) == CAPRUN_E_INVAL);
    }
    CHECK(end());
}

TEST(a_larger_limit_counts_only_on_request)
{
    CHECK(begin());
    CHECK(new_run("return 'x'.repeat(100)") && caprun_run_set_max_result(run, 50) == 0);
    CHECK(caprun_run_record(run, path_of("j")) == 0 && ends(CAPRUN_OUTCOME_OUTPUT_LIMIT));
    CHECK(new_run(NULL) && caprun_run_resume(run, path_of("j")) == 0);
    CHECK(caprun_run_set_max_result(run, 1000) == 0 && ends(CAPRUN_OUTCOME_USAGE));
    CHECK(new_run(NULL) && caprun_run_resume(run, path_of("j")) == 0);
    caprun_run_raise_limits(run);
    CHECK(caprun_run_set_max_result(run, 1000) == 0 && ends(OK) && replays("j", OK));
    CHECK(end());
}

TEST(an_unknown_call_is_made_again_only_on_request)
{
    CHECK(begin());
    CHECK(record("j", three_calls, OK) && cut_off("j", 4));
    asked = 0;
    CHECK(resumes("j", UINT32_MAX, CAPRUN_OUTCOME_RPC_ERROR) && asked == 0);
    CHECK(strcmp(caprun_get_call_state(run, 1), "in_flight_unknown") == 0);
    CHECK(replays("j", CAPRUN_OUTCOME_RPC_ERROR) && unlink(path_of("j")) == 0);
    CHECK(record("j", three_calls, OK) && cut_off("j", 4));
    asked = 0;
    CHECK(resumes("j", 2, CAPRUN_OUTCOME_RPC_ERROR) && asked == 0 && unlink(path_of("j")) == 0);
    CHECK(record("j", three_calls, OK) && cut_off("j", 4));
    asked = 0;
    CHECK(resumes("j", 1, OK) && asked == 3);
    CHECK(end());
}

/* --- limits ----------------------------------------------------------------------------------- */

#define ASKED(memory, ms)                                                                    \
    "{\"journal\":1,\"run\":\"01234567-89ab-7def-8123-456789abcdef\",\"time\":\"t\","        \
    "\"caprun\":\"0\",\"engine\":\"e\",\"prelude\":\"p\",\"boot\":\"b\",\"limits\":{"        \
    "\"timeoutMs\":" #ms ",\"cpuMs\":" #ms ",\"rpcTimeoutMs\":1000,\"memoryBytes\":" #memory \
    ",\"resultBytes\":33554432,\"logBytes\":1000,\"maxCalls\":10,\"maxConcurrentCalls\":4}," \
    "\"onDenied\":\"continue\",\"seed\":\"" SEED "\",\"code\":\"return 1\",\"args\":{}"
#define GIB (1ull << 30)

/* Replays or resumes "j" with these limits (0: not set); the run has to end. */
static bool runs_with(bool resume, uint64_t memory, uint64_t ms)
{
    if (!new_run(NULL) || (resume ? caprun_run_resume : caprun_run_replay)(run, path_of("j")) < 0 ||
        caprun_run_set_memory(run, memory) < 0 || caprun_run_set_timeout(run, ms) < 0 ||
        (resume && caprun_run_retry(run, 0) < 0))
        return false;
    return ends(OK);
}

static bool has_limits(uint64_t memory, uint32_t wall_ms)
{
    if (run->spec.limits.memory == memory && run->spec.limits.wall_ms == wall_ms &&
        run->spec.limits.cpu_ms == wall_ms)
        return true;
    printf("# %llu bytes, %u and %u ms\n", (unsigned long long)run->spec.limits.memory,
           run->spec.limits.wall_ms, run->spec.limits.cpu_ms);
    return false;
}

TEST(the_limits_of_a_journal_are_at_most_the_set_ones_or_the_defaults)
{
    CHECK(begin());
    CHECK(forge(ASKED(4294967296, 86400000), (const char *const[]){DONE("1"), END(1), NULL}));
    CHECK(runs_with(false, 0, 0) && has_limits(GIB / 2, 3000000));
    CHECK(run->spec.recorded.memory == 4 * GIB && run->spec.recorded.wall_ms == 86400000);
    CHECK(runs_with(false, GIB, 90000) && has_limits(GIB, 90000));
    CHECK(runs_with(false, 8 * GIB, 2000000000) && has_limits(4 * GIB, 864000000));
    CHECK(!run->spec.recorded.memory && !run->spec.recorded.wall_ms && !run->spec.recorded.cpu_ms);
    CHECK(run->spec.limits.most.result_bytes == 33554432 && run->spec.limits.call_ms == 1000);
    CHECK(forge(ASKED(4294967296, 86400000), (const char *const[]){NULL}));
    CHECK(runs_with(true, 0, 0) && has_limits(GIB / 2, 300000));
    CHECK(forge(ASKED(4294967296, 86400000), (const char *const[]){NULL}));
    CHECK(runs_with(true, 8 * GIB, 2000000000) && has_limits(4 * GIB, 86400000));
    CHECK(forge(ASKED(33554432, 1000), (const char *const[]){DONE("1"), END(1), NULL}));
    CHECK(runs_with(false, 0, 0) && has_limits(33554432, 60000));
    CHECK(runs_with(false, GIB, 0) && has_limits(33554432, 60000));
    CHECK(caprun_set_memory(rt, GIB) == CAPRUN_E_STATE && end());
}

static bool has_counts(uint32_t result, uint32_t log, uint32_t calls, uint32_t at_once)
{
    const struct wire_limits *l = &run->spec.limits.most;

    return l->result_bytes == result && l->log_bytes == log && l->calls == calls &&
           l->calls_at_once == at_once;
}

static bool set_counts(uint64_t result, uint64_t log, uint64_t calls, uint64_t at_once)
{
    return new_run(NULL) && caprun_run_replay(run, path_of("j")) == 0 &&
           caprun_run_set_max_result(run, result) == 0 && caprun_run_set_max_log(run, log) == 0 &&
           caprun_run_set_max_calls(run, calls) == 0 &&
           caprun_run_set_max_calls_at_once(run, at_once) == 0 && ends(OK);
}

TEST(a_set_limit_counts_even_if_it_is_the_default)
{
    CHECK(begin());
    CHECK(forge("{\"journal\":1,\"run\":\"01234567-89ab-7def-8123-456789abcdef\",\"time\":\"t\","
                "\"caprun\":\"0\",\"engine\":\"e\",\"prelude\":\"p\",\"boot\":\"b\",\"limits\":{"
                "\"timeoutMs\":1000,\"cpuMs\":1000,\"rpcTimeoutMs\":1000,\"memoryBytes\":33554432,"
                "\"resultBytes\":67108864,\"logBytes\":16777216,\"maxCalls\":100000,"
                "\"maxConcurrentCalls\":1024},\"onDenied\":\"continue\",\"seed\":\"" SEED
                "\",\"code\":\"return 1\",\"args\":{}",
                (const char *const[]){DONE("1"), END(1), NULL}));
    CHECK(set_counts(0, 0, 0, 0) && has_counts(67108864, 16777216, 100000, 1024));
    CHECK(set_counts(16777216, 1048576, 10000, 256) && has_counts(16777216, 1048576, 10000, 256));
    CHECK(set_counts(16777215, 1048575, 9999, 255) && has_counts(16777215, 1048575, 9999, 255));
    CHECK(new_run("return 1") && caprun_run_set_max_log(run, 5) == 0 &&
          caprun_run_set_max_log(run, 0) == 0 && ends(OK) &&
          has_counts(16777216, 1048576, 10000, 256));
    CHECK(end());
}

/* --- what is idempotent ----------------------------------------------------------------------- */

static char judged[64];

static void *answer_call(struct cr_gate *gate, const struct cr_gate_call *call)
{
    (void)gate;
    asked++;
    (void)cr_calls_reply(call->run, call->number, WIRE_REPLY_VALUE, call->args, call->args_len,
                         NULL, NULL);
    return NULL;
}

static bool has_exact_name(struct cr_gate *gate, const char *tool)
{
    (void)gate;
    (void)snprintf(judged, sizeof(judged), "%s", tool);
    return strcmp(tool, "a:exact") == 0;
}

static struct cr_gate gate = {.take = answer_call, .is_idempotent = has_exact_name};

/*
 * Resumes a run of which a call a:b was sent, with the "send" lines |first| and |second| (may be
 * NULL), in a journal of |version|.
 */
static bool goes_on_after(unsigned version, const char *first, const char *second,
                          enum caprun_outcome outcome)
{
    char head[1000], resume[400], boot[64];

    cr_record_boot(boot);
    (void)snprintf(resume, sizeof(resume),
                   "{\"at\":3,\"resume\":true,\"date\":1,\"boot\":\"%s\"," LIMITS, boot);
    (void)snprintf(head, sizeof(head), "%s",
                   HEAD_START ",\"code\":\"return mcp.a.b({})\",\"args\":{}");
    head[strlen("{\"journal\":")] = (char)('0' + version);
    journal_begin(head);
    journal_add(JOB);
    journal_add(CALL(1, 1));
    journal_add(first);
    journal_add(resume);
    if (second)
        journal_add(second);
    asked = 0;
    judged[0] = '\0';
    if (!journal_put("j") || !new_run(NULL) || caprun_run_resume(run, path_of("j")) < 0)
        return false;
    run->on_call = NULL;
    if (caprun_start(run) < 0)
        return false;
    run->gate = &gate; /* replaces the gate of the runtime */
    while (!caprun_done(run))
        caprun_wait(rt, 10000), caprun_step(rt);
    return caprun_get_outcome(run) == outcome;
}

TEST(a_call_is_idempotent_by_the_exact_name_in_its_send_line)
{
#define SENT(more) "{\"at\":3,\"send\":1" more
#define TOOL(name) SENT(",\"tool\":\"" name "\"")
    static const struct {
        const char *first, *second, *judged;
        int asked;
        unsigned version;
    } cases[] = {
        {SEND(3, 1, "a:exact"), NULL, "a:exact", 1, 2},
        {SEND(3, 1, "a:exact"), SEND(3, 1, "a:exact"), "a:exact", 1, 2},
        {SEND(3, 1, "a:b"), NULL, "a:b", 0, 2},
        {SEND(3, 1, ""), NULL, "", 0, 2},
        {SEND(3, 1, "a:b"), SEND(3, 1, "a:exact"), "", 0, 2},
        {SENT(",\"tool\":1,\"decision\":\"allow\",\"by\":\"\""), NULL, "", 0, 2},
        /* the application's handler gets the name that the code used */
        {TOOL("a:exact") ",\"decision\":\"allow\",\"by\":\"application\"", NULL, "", 0, 2},
        {TOOL("a:exact"), NULL, "a:exact", 1, 1},
        {TOOL("a:exact") ",\"by\":\"rule:*\"", TOOL("a:exact"), "a:exact", 1, 1},
        {TOOL("a:b"), NULL, "a:b", 0, 1},
        {SENT(""), NULL, "", 0, 1},
        {SENT(",\"by\":\"rule:*\""), NULL, "", 0, 1},
        {SENT(",\"tool\":1"), NULL, "", 0, 1},
        {TOOL(""), NULL, "", 0, 1},
        {TOOL("a:b"), TOOL("a:exact"), "", 0, 1},
        {SENT(""), TOOL("a:exact"), "", 0, 1},
        {TOOL("a:exact"), SENT(""), "", 0, 1},
    };

    CHECK(begin());
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK(goes_on_after(cases[i].version, cases[i].first, cases[i].second,
                            cases[i].asked ? OK : CAPRUN_OUTCOME_RPC_ERROR));
        CHECK(asked == cases[i].asked && strcmp(judged, cases[i].judged) == 0);
    }
    CHECK(end());
}

TEST(after_a_restart_of_the_machine_a_run_is_resumed_only_on_request)
{
    CHECK(begin());
    CHECK(forge(HEAD, (const char *const[]){NULL}));
    CHECK(resumes("j", UINT32_MAX, CAPRUN_OUTCOME_USAGE) &&
          strstr(caprun_get_message(run, NULL), "restarted"));
    CHECK(resumes("j", 1, CAPRUN_OUTCOME_USAGE));
    CHECK(resumes("j", 0, OK));
    CHECK(end());
}

TEST(a_journal_of_a_run_that_goes_on_is_not_resumed)
{
    struct caprun_run *going = NULL;

    CHECK(begin());
    CHECK(new_run("await mcp.a.never()") && caprun_run_record(run, path_of("j")) == 0);
    CHECK(caprun_start(run) == 0);
    while (!asked)
        caprun_wait(rt, 10000), caprun_step(rt);
    CHECK(caprun_run_new(rt, &going) == 0 &&
          caprun_run_resume(going, path_of("j")) == CAPRUN_E_INVAL);
    CHECK(strstr(caprun_error(rt), "goes on"));
    caprun_run_free(going);
    CHECK(chmod(path_of("j"), 0666) == 0 && end());
    CHECK(begin());
    CHECK(record("j", three_calls, OK) && cut_off("j", 4) && chmod(path_of("j"), 0666) == 0);
    CHECK(new_run(NULL) && caprun_run_resume(run, path_of("j")) == CAPRUN_E_INVAL);
    CHECK(symlink("j", path_of("link")) == 0 && chmod(path_of("j"), 0600) == 0);
    CHECK(caprun_run_resume(run, path_of("link")) == CAPRUN_E_INVAL);
    CHECK(caprun_run_resume(run, path_of("j")) == 0);
    CHECK(end());
}

/* --- without memory --------------------------------------------------------------------------- */

TEST(each_allocation_of_a_new_replay_that_fails_is_an_error_of_ours)
{
    bool failed = false;

    CHECK(begin());
    CHECK(record("j", three_calls, OK));
    while (failing_more()) {
        int r = caprun_run_new(rt, &run) == 0 ? cr_replay_new(run, path_of("j"), NULL, &why) : 1;

        failing_stop();
        CHECK(r >= 0 || why.outcome == CAPRUN_OUTCOME_INTERNAL);
        failed = failed || r < 0;
        caprun_run_free(run);
        run = NULL;
    }
    CHECK(failed == FAILING || !failing_works());
    CHECK(replays("j", OK) && end());
}

static bool is_no_lie(enum caprun_outcome outcome, bool resume)
{
    return outcome == OK || outcome == CAPRUN_OUTCOME_INTERNAL ||
           outcome == CAPRUN_OUTCOME_WORKER_TERMINATED ||
           (resume && (outcome == CAPRUN_OUTCOME_USAGE || outcome == CAPRUN_OUTCOME_RPC_ERROR));
}

/* Replays or resumes with one failing allocation: the run must end with the right message. */
static bool survives(bool resume, long allowed)
{
    size_t len = 0;
    const char *json = NULL;
    bool ok =
        begin() && record("j", three_calls, OK) && (!resume || cut_off("j", 5)) && new_run(NULL);

    failing_after(allowed);
    if (ok && (resume ? caprun_run_resume : caprun_run_replay)(run, path_of("j")) == 0 &&
        caprun_run(run) == 0) {
        failing_stop();
        json = caprun_result_json(run, &len);
        ok = is_no_lie(caprun_get_outcome(run), resume);
    }
    failing_stop();
    if (!ok)
        printf("# allocation %ld: %.300s\n", allowed + 1, json ? json : "");
    ok = ok && (!json || cr_scan_json((const uint8_t *)json, len, CR_SCAN_PASS, NULL) == 0);
    return end() && ok;
}

TEST(a_replay_survives_each_failed_allocation)
{
    long allowed = 0;

    do {
        CHECK(survives(false, allowed));
    } while (failing_failed && allowed++ < 10000);
    CHECK(allowed > 20 || !failing_works());
}

TEST(a_resumed_run_survives_each_failed_allocation)
{
    long allowed = 0;

    do {
        CHECK(survives(true, allowed));
    } while (failing_failed && allowed++ < 10000);
    CHECK(allowed > 20 || !failing_works());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
