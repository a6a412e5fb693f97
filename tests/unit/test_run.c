/*
 * test_run.c - the host with workers that lie (fake_worker.h), through the public functions.
 *
 * After each scene the same runtime plays an honest scene, and no descriptor may be left open.
 */
#include "fake_runs.h"
#include "run/calls.h"

/* Plays the scene |code|, then an honest scene. Afterwards no extra descriptor may be open. */
static bool plays(const char *code, uint64_t timeout_ms, enum fake_early early,
                  enum caprun_outcome outcome, const char *words)
{
    int before = count_descriptors(), after;
    bool ok = ends(code, timeout_ms, early, outcome, words) && succeeds();

    after = settled_descriptors(before);
    if (!ok || after > before)
        printf("# scene \"%s\" %d: %d descriptors before, %d after\n", code, (int)early, before,
               after);
    return ok && after <= before;
}

static bool plays_numbered(const char *scene, long number, enum caprun_outcome outcome,
                           const char *words)
{
    char code[64];

    (void)snprintf(code, sizeof(code), "%s %ld", scene, number);
    return plays(code, 0, FAKE_HONEST, outcome, words);
}

/* --- tests: frames ------------------------------------------------------------------------ */

TEST(an_honest_worker_succeeds)
{
    CHECK(begin());
    CHECK(succeeds());
    CHECK(end());
}

TEST(a_length_that_the_type_does_not_have_ends_the_worker)
{
    static const long lengths[] = {0, 1, 7, INT32_MAX, UINT32_MAX, WIRE_CALL_MAX + 1};

    CHECK(begin());
    for (size_t i = 0; i < COUNT(lengths); i++)
        CHECK(plays_numbered("call_of_length", lengths[i], BAD, "broke the protocol: type 17"));
    CHECK(plays_numbered("done_of_length", 0, BAD, "broke the protocol"));
    CHECK(plays_numbered("done_of_length", LIMIT_DEFAULT_RESULT_BYTES + 1, BAD,
                         "broke the protocol"));
    CHECK(plays_numbered("done_of_length", UINT32_MAX, BAD, "broke the protocol"));
    CHECK(plays_numbered("done_of_length", 8, CAPRUN_OUTCOME_SUCCESS, "12345678"));
    CHECK(end());
}

static uint64_t memory_after(const char *code, uint64_t timeout_ms, enum caprun_outcome outcome)
{
    struct caprun_run *r = new_run(code, timeout_ms, FAKE_HONEST);
    uint64_t used = start_run(r) && ended(r, outcome, "") ? r->memory_used : 0;

    caprun_run_free(r);
    return used;
}

static uint64_t memory_of(const char *code)
{
    return memory_after(code, 0, CAPRUN_OUTCOME_SUCCESS);
}

TEST(what_a_run_took_is_added_to_what_its_worker_had)
{
    uint64_t had, little, much;

    CHECK(new_runtime() && caprun_set_memory(rt, 64 * LIMIT_MIB) == 0);
    CHECK(memory_of("done_taking 16") > 16 * LIMIT_KIB); /* plus memory that the kernel counts */
    had = stock->current->resident;
    little = memory_of("done_taking 16");
    much = memory_of("done_taking 40960");
    CHECK(had > 0 && little > had / 2 && little < had + 8 * LIMIT_MIB);
    CHECK(much - little > 36 * LIMIT_MIB && much - little < 44 * LIMIT_MIB);
    CHECK(memory_of("done_taking 65536") > 64 * LIMIT_MIB);
    CHECK(memory_after("threw_taking 65536", 0, CAPRUN_OUTCOME_CODE_ERROR) > 64 * LIMIT_MIB);
    CHECK(plays("done_taking 65541", 0, FAKE_HONEST, BAD, "took more memory than it has"));
    CHECK(plays("threw_taking 4294967295", 0, FAKE_HONEST, BAD, "took more memory than it has"));
    CHECK(end());
}

TEST(the_memory_of_a_run_that_was_ended_comes_from_the_kernel)
{
    uint64_t silent, late;

    CHECK(new_runtime() && caprun_set_memory(rt, 4096 * (uint64_t)LIMIT_MIB) == 0);
    silent = memory_of("honest"); /* the worker reports no memory */
    late = memory_after("done_after_the_limit 4194304", 100, CAPRUN_OUTCOME_EXECUTION_TIMEOUT);
    CHECK(silent > 0 && late > 0 && late < 4096 * (uint64_t)LIMIT_MIB);
    CHECK(end());
}

TEST(an_unknown_frame_type_or_the_hosts_or_a_second_one_ends_the_worker)
{
    static const long types[] = {0, 2, 19, 99, UINT16_MAX, WIRE_JOB, WIRE_WAKE, 25, WIRE_FAIL};

    CHECK(begin());
    for (size_t i = 0; i < COUNT(types); i++)
        CHECK(plays_numbered("type", types[i], BAD, "broke the protocol: type"));
    CHECK(plays_numbered("type", WIRE_READY, BAD, "READY came twice"));
    for (long i = 0; i < 4; i++)
        CHECK(plays_numbered("reserved_field", i, BAD, "broke the protocol"));
    CHECK(plays_numbered("reserved_field", 4, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(end());
}

TEST(a_frame_that_is_cut_off_is_never_believed)
{
    CHECK(begin());
    for (long i = 0; i < 132; i += i < 40 ? 1 : 13)
        CHECK(plays_numbered("cut_frame", i, BAD, "left with status 0"));
    CHECK(end());
}

TEST(frames_may_come_split_at_every_byte)
{
    uint8_t bytes[STREAM_MAX];
    long len = (long)stream(bytes);

    CHECK(begin());
    for (long i = 0; i < len; i++)
        CHECK(plays_numbered("split_stream", i, CAPRUN_OUTCOME_SUCCESS,
                             "\"result\":42,\"logs\":[\"first\",\"\"]"));
    CHECK(plays("stream_by_bytes", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS,
                "\"result\":42,\"logs\":[\"first\",\"\"]"));
    CHECK(end());
}

/* --- tests: calls ------------------------------------------------------------------------- */

TEST(a_call_that_is_thrown_on_ends_with_the_hosts_own_words)
{
    CHECK(begin());
    CHECK(plays("call_and_throw", 0, FAKE_HONEST, CAPRUN_OUTCOME_RPC_ERROR,
                "\"message\":\"No target for files:read"));
    CHECK(plays("call_and_throw 1", 0, FAKE_HONEST, CAPRUN_OUTCOME_RPC_ERROR,
                "\"message\":\"The args of files:read are refused"));
    CHECK(end());
}

TEST(a_call_that_makes_no_sense_ends_the_worker)
{
    CHECK(begin());
    CHECK(plays_numbered("first_call_id", 0, BAD, "an invalid CALL frame"));
    CHECK(plays_numbered("first_call_id", 2, BAD, "an invalid CALL frame"));
    CHECK(plays_numbered("first_call_id", UINT32_MAX, BAD, "an invalid CALL frame"));
    CHECK(plays("call_id_again", 0, FAKE_HONEST, BAD, "an invalid CALL frame"));
    for (long i = 0; i < CALL_NAMES; i++)
        CHECK(plays_numbered("call_name", i, BAD, "an invalid CALL frame"));
    for (long i = 0; i < CALL_LENGTHS; i++)
        CHECK(plays_numbered("call_lengths", i, BAD, "an invalid CALL frame"));
    CHECK(plays_numbered("long_call_name", 0, BAD, "an invalid CALL frame"));
    CHECK(plays_numbered("long_call_name", 1, BAD, "an invalid CALL frame"));
    CHECK(end());
}

TEST(a_worker_that_calls_and_never_reads_meets_a_limit)
{
    CHECK(begin());
    CHECK(plays("many_calls 10001", 0, FAKE_HONEST, CAPRUN_OUTCOME_CALL_LIMIT, "10000 calls"));
    CHECK(plays("many_calls 10000", 500, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT, ""));
    CHECK(end());
}

/* Never answers. */
static void keeps_quiet(void *data, struct caprun_run *r, uint32_t call, const char *method,
                        const char *args, size_t args_len)
{
    (void)data;
    (void)r;
    (void)call;
    (void)method;
    (void)args;
    (void)args_len;
}

TEST(no_more_calls_wait_for_an_answer_than_may)
{
    CHECK(begin());
    handler = keeps_quiet;
    CHECK(plays("many_calls 256", 300, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT,
                "\"n\":256,\"method\":\"files:read\",\"state\":\"in_flight_unknown\""));
    CHECK(plays("many_calls 257", 0, FAKE_HONEST, BAD, "an invalid CALL frame"));
    CHECK(plays("first_call_id 10001", 0, FAKE_HONEST, CAPRUN_OUTCOME_CALL_LIMIT, "10000 calls"));
    CHECK(plays("calls_and_a_throw 3", 0, FAKE_HONEST, BAD, "an invalid THREW frame"));
    handler = NULL;
    CHECK(end());
}

/* Four of the longest answers, and then the longest failures. */
static void says_much(void *data, struct caprun_run *r, uint32_t call, const char *method,
                      const char *args, size_t args_len)
{
    static char text[LIMIT_ANSWER_BYTES];

    (void)data;
    (void)method;
    (void)args;
    (void)args_len;
    if (!text[0])
        memset(text, '1', sizeof(text));
    if (call <= 4)
        CHECK(caprun_call_reply(r, call, text, sizeof(text)) == 0);
    else
        (void)caprun_call_fail(r, call, text, LIMIT_ERROR_MESSAGE_BYTES);
}

TEST(a_worker_that_calls_without_reading_has_broken_the_protocol)
{
    CHECK(begin());
    handler = says_much;
    CHECK(plays("many_calls_and_done 260", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(plays("many_calls 300", 0, FAKE_HONEST, BAD, "does not read"));
    handler = NULL;
    CHECK(end());
}

/* --- tests: the run's own limits ---------------------------------------------------------- */

/* Plays |code| with limits set for this run, then an honest scene. */
static bool plays_within(struct wire_limits most, const char *code, enum caprun_outcome outcome,
                         const char *words)
{
    uint64_t timeout_ms = outcome == CAPRUN_OUTCOME_EXECUTION_TIMEOUT ? 300 : 0;
    struct caprun_run *r = new_run(code, timeout_ms, FAKE_HONEST);
    bool ok = r && caprun_run_set_max_result(r, most.result_bytes) == 0 &&
              caprun_run_set_max_log(r, most.log_bytes) == 0 &&
              caprun_run_set_max_calls(r, most.calls) == 0 &&
              caprun_run_set_max_calls_at_once(r, most.calls_at_once) == 0 &&
              caprun_start(r) == 0 && ended(r, outcome, words);

    caprun_run_free(r);
    return ok && succeeds();
}

TEST(a_worker_that_ignores_the_run_s_own_limits_meets_them)
{
    const enum caprun_outcome success = CAPRUN_OUTCOME_SUCCESS,
                              late = CAPRUN_OUTCOME_EXECUTION_TIMEOUT;
    const struct wire_limits few = {8, 2, 5, 3}, least = {1, 1, 1, 1};

    CHECK(begin());
    CHECK(plays_within(few, "done_of_length 8", success, "12345678"));
    CHECK(plays_within(few, "done_of_length 9", BAD, "type 21 (DONE) with 9 bytes"));
    CHECK(plays_within(least, "done_of_length 2", BAD, "type 21 (DONE) with 2 bytes"));
    CHECK(plays_within(few, "log_lines 2", success, "[\"x\",\"x\"],\"bl"));
    CHECK(plays_within(few, "log_lines 3", success,
                       "[\"x\",\"x\",\"[log cut here: it may have 10,000 lines, and 2 bytes]\"]"));
    CHECK(plays_within(few, "log_bytes", BAD, "type 18 (LOG) with 1048576 bytes"));
    CHECK(plays_within(few, "many_calls 5", late, "\"n\":5,"));
    CHECK(plays_within(few, "many_calls 6", CAPRUN_OUTCOME_CALL_LIMIT, "More than 5 calls in one"));
    CHECK(plays_within(few, "first_call_id 7", BAD, "an invalid CALL frame"));
    CHECK(
        plays_within(least, "many_calls 2", CAPRUN_OUTCOME_CALL_LIMIT, "More than 1 call in one"));
    CHECK(plays_within(few, "threw 4", CAPRUN_OUTCOME_OUTPUT_LIMIT, "The result is over 8 bytes"));
    handler = keeps_quiet;
    CHECK(plays_within(few, "many_calls 3", late, "\"n\":3,"));
    CHECK(plays_within(few, "many_calls 4", BAD, "an invalid CALL frame"));
    handler = NULL;
    CHECK(end());
}

TEST(the_run_s_own_limits_may_be_higher_than_the_usual_ones)
{
    const struct wire_limits many = {LIMIT_MAX_RESULT_BYTES, LIMIT_MAX_LOG_BYTES, LIMIT_MAX_CALLS,
                                     LIMIT_MAX_CALLS_AT_ONCE};

    CHECK(begin());
    CHECK(plays_within(many, "log_bytes 2", CAPRUN_OUTCOME_SUCCESS, "\"x\",\"x\"],\"blocked"));
    CHECK(plays_within(many, "done_of_length 67108865", BAD, "type 21 (DONE) with 67108865 bytes"));
    CHECK(plays_within(many, "many_calls_and_done 10001", CAPRUN_OUTCOME_SUCCESS, "\"n\":10001,"));
    handler = keeps_quiet;
    CHECK(plays_within(many, "many_calls 1024", CAPRUN_OUTCOME_EXECUTION_TIMEOUT, "\"n\":1024,"));
    CHECK(plays_within(many, "many_calls 1025", BAD, "an invalid CALL frame"));
    handler = NULL;
    CHECK(end());
}

static int asked;

static void counts(void *data, struct caprun_run *r, uint32_t call, const char *method,
                   const char *args, size_t args_len)
{
    (void)data;
    (void)method;
    (void)args;
    (void)args_len;
    asked++;
    CHECK(caprun_call_reply(r, call, "1", 1) == 0);
}

/* Plays |scene| with a list of |n| tools. */
static bool plays_with_tools(const char *scene, const char *const *names, size_t n,
                             enum caprun_outcome outcome, const char *words)
{
    struct caprun_run *r = new_run(scene, 0, FAKE_HONEST);
    bool ok = r && caprun_run_set_tools(r, names, n) == 0 && caprun_start(r) == 0 &&
              ended(r, outcome, words);

    caprun_run_free(r);
    return ok;
}

TEST(a_call_that_is_not_in_the_list_of_tools_is_denied_without_asking)
{
    static const char *const others[] = {"files:reads", "files:rea", "file:read", "Files:read",
                                         "x:y"};
    static const char *const right[] = {"x:y", "files:read"};
    static const char denied[] =
        "\"calls\":[{\"n\":1,\"method\":\"files:read\",\"state\":\"denied\","
        "\"decision\":\"deny\",\"by\":\"rule:tools\",";

    CHECK(begin());
    handler = counts;
    asked = 0;
    CHECK(plays_with_tools("call_and_throw", NULL, 0, CAPRUN_OUTCOME_PERMISSION_DENIED, denied));
    CHECK(plays_with_tools(
        "call_and_throw", NULL, 0, CAPRUN_OUTCOME_PERMISSION_DENIED,
        "\"message\":\"files:read is not in the capability's list of tools, which is empty; its "
        "author has to add it to \\\"tools\\\" in the metadata\",\"toolName\":\"files:read\""));
    CHECK(plays_with_tools("call_and_throw", others, COUNT(others),
                           CAPRUN_OUTCOME_PERMISSION_DENIED,
                           "list of tools (\\\"files:reads\\\", \\\"files:rea\\\", "
                           "\\\"file:read\\\" and 2 more); its author"));
    /* the args of a denied call are not scanned; here they are not even JSON */
    CHECK(plays_with_tools("call_and_throw 1", NULL, 0, CAPRUN_OUTCOME_PERMISSION_DENIED, denied));
    CHECK(plays_with_tools("call_and_throw 1", right, 2, CAPRUN_OUTCOME_RPC_ERROR,
                           "The args of files:read are refused"));
    CHECK(plays_with_tools("many_calls_and_done 300", NULL, 0, CAPRUN_OUTCOME_SUCCESS, denied));
    CHECK(asked == 0);
    CHECK(plays_with_tools("many_calls_and_done 1", right, 2, CAPRUN_OUTCOME_SUCCESS,
                           "\"state\":\"done\",\"decision\":\"allow\",\"by\":\"application\""));
    CHECK(asked == 1);
    handler = NULL;
    CHECK(plays_with_tools("call_and_throw", right, 2, CAPRUN_OUTCOME_RPC_ERROR, "No target for"));
    CHECK(end());
}

/* --- tests: the gate ------------------------------------------------------------------------ */

static void *fails(struct cr_gate *gate, const struct cr_gate_call *call)
{
    (void)gate;
    asked++;
    (void)cr_calls_fail(call->run, call->number, CAPRUN_OUTCOME_RPC_ERROR, "it passed", 9, NULL);
    return NULL;
}

static bool plays_at_gate(const char *scene, const char *words)
{
    struct cr_gate gate = {.take = fails};
    struct caprun_run *r = new_run(scene, 0, FAKE_HONEST);
    bool ok = start_run(r);

    r->gate = &gate; /* the run has no gate yet */
    ok = ok && ended(r, CAPRUN_OUTCOME_RPC_ERROR, words);
    caprun_run_free(r);
    return ok;
}

TEST(args_with_line_breaks_do_not_pass_the_gate)
{
    CHECK(begin());
    asked = 0;
    CHECK(plays_at_gate("call_and_throw 2", "The args have line breaks between their values"));
    CHECK(plays_at_gate("call_and_throw 3", "The args have line breaks between their values"));
    CHECK(plays_at_gate("call_and_throw 4", "The args of files:read are refused"));
    CHECK(asked == 0);
    CHECK(plays_at_gate("call_and_throw 0", "it passed"));
    CHECK(asked == 1);
    CHECK(end());
}

/* --- tests: attempts ---------------------------------------------------------------------- */

TEST(attempts_are_listed_and_logged)
{
    CHECK(begin());
    CHECK(plays("attempts 2", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS,
                "\"logs\":[\"[blocked] fetch: no; use mcp\",\"[blocked] fetch: no; use mcp\"],"
                "\"blocked\":[{\"api\":\"fetch\",\"access\":\"net\",\"target\":\"evil.example\"},"
                "{\"api\":\"fetch\",\"access\":\"net\"}],"));
    CHECK(plays("attempts 1000", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(plays("attempt_and_throw 1", 0, FAKE_HONEST, CAPRUN_OUTCOME_PERMISSION_DENIED,
                "\"message\":\"no; use mcp\",\"hint\":\"use mcp\""));
    CHECK(plays("attempt_and_throw 0", 0, FAKE_HONEST, BAD, "an invalid THREW frame"));
    CHECK(end());
}

TEST(an_attempt_that_makes_no_sense_ends_the_worker)
{
    CHECK(begin());
    for (long i = 0; i < ATTEMPT_LENGTHS; i++)
        CHECK(plays_numbered("attempt_lengths", i, BAD, "an invalid BLOCKED frame"));
    for (long i = 0; i < 4; i++) {
        CHECK(plays_numbered("attempt_of_long_part", i, CAPRUN_OUTCOME_SUCCESS, "42"));
        CHECK(plays_numbered("attempt_of_long_part", i + 4, BAD, "an invalid BLOCKED frame"));
    }
    CHECK(plays("attempt_with_nul", 0, FAKE_HONEST, BAD, "an invalid BLOCKED frame"));
    CHECK(plays_numbered("attempt_of_number", 0, BAD, "an invalid BLOCKED frame"));
    CHECK(plays_numbered("attempt_of_number", 2, BAD, "an invalid BLOCKED frame"));
    CHECK(plays_numbered("attempts", 1001, BAD, "an invalid BLOCKED frame"));
    CHECK(end());
}

/* --- tests: waiting ----------------------------------------------------------------------- */

TEST(a_worker_may_not_claim_to_have_read_what_was_not_sent)
{
    CHECK(begin());
    CHECK(plays("idle_beyond", 0, FAKE_HONEST, BAD, "frames that were not sent"));
    CHECK(plays("idle_before", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(plays_numbered("idle_again", 0, BAD, "it says again that it has nothing to do"));
    CHECK(plays_numbered("idle_again", 1, BAD, "it says again that it has nothing to do"));
    CHECK(end());
}

TEST(a_wait_without_a_timer_is_a_stall)
{
    CHECK(begin());
    CHECK(plays("idle_without_timer", 0, FAKE_HONEST, CAPRUN_OUTCOME_STALLED, "cannot happen"));
    CHECK(plays("idle_without_timer 1", 0, FAKE_HONEST, CAPRUN_OUTCOME_STALLED, "cannot happen"));
    CHECK(end());
}

TEST(a_worker_is_woken_when_its_time_has_come_or_has_passed)
{
    CHECK(begin());
    CHECK(plays("idle_in_the_past", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(plays("idle_a_while", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(end());
}

TEST(a_wait_until_the_end_of_time_does_not_outlast_the_limit)
{
    CHECK(begin());
    CHECK(plays("idle_for_ever", 100, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT, "100 ms"));
    CHECK(plays("idle_for_ever 1", 100, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT, "100 ms"));
    CHECK(plays("idle_for_ever 1000000000000", 100, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT,
                "100 ms"));
    CHECK(end());
}

TEST(only_the_hosts_clock_says_when_the_time_is_over)
{
    CHECK(begin());
    CHECK(plays("late_early", 0, FAKE_HONEST, BAD, "time is over, and it is not"));
    CHECK(plays("says_nothing", 100, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT, "100 ms"));
    CHECK(plays("late_in_time", 100, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT,
                "\"stack\":\"    at loop\""));
    CHECK(plays("done_after_the_limit", 100, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT, ""));
    CHECK(plays("gone_after_the_limit", 100, FAKE_HONEST, CAPRUN_OUTCOME_EXECUTION_TIMEOUT, ""));
    CHECK(end());
}

TEST(a_result_after_the_cpu_limit_is_not_believed)
{
    static const struct timespec while_it_computes = {.tv_nsec = 200000000};

    CHECK(begin());
    for (int enough = 0; enough < 2; enough++) {
        run = new_run("computes 60", 0, FAKE_HONEST);
        CHECK(run && caprun_run_set_cpu(run, enough ? 60000 : 30) == 0 && caprun_start(run) == 0);
        CHECK(reach(run, CR_RUN_RUNNING));
        (void)nanosleep(&while_it_computes, NULL); /* the application is busy elsewhere */
        CHECK(ended(run, enough ? CAPRUN_OUTCOME_SUCCESS : CAPRUN_OUTCOME_CPU_TIMEOUT, ""));
        caprun_run_free(run);
    }
    CHECK(end());
}

/* --- tests: ends -------------------------------------------------------------------------- */

TEST(a_result_is_json_or_the_worker_has_lied)
{
    CHECK(begin());
    for (long i = 0; i < BAD_RESULTS; i++)
        CHECK(plays_numbered("done", i, BAD, "its result is not JSON"));
    CHECK(plays("done_with_equal_keys", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "\"a\":2"));
    CHECK(plays("done_of_depth 1000", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "[[]]"));
    CHECK(plays("done_of_depth 2000", 0, FAKE_HONEST, CAPRUN_OUTCOME_CODE_ERROR, "levels deep"));
    CHECK(end());
}

TEST(the_first_end_is_the_only_one)
{
    CHECK(begin());
    CHECK(plays("done_twice", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "\"result\":42,"));
    CHECK(plays("says_done_and_exits", 0, FAKE_HONEST, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(end());
}

TEST(what_was_thrown_says_why)
{
    CHECK(begin());
    CHECK(plays_numbered("threw", WIRE_WHY_THREW, CAPRUN_OUTCOME_CODE_ERROR,
                         "\"TypeError: x is not a function\",\"stack\":\"    at f\""));
    CHECK(plays_numbered("threw", WIRE_WHY_SYNTAX, CAPRUN_OUTCOME_CODE_ERROR, "\"SyntaxError\""));
    CHECK(plays_numbered("threw", WIRE_WHY_NOT_JSON, CAPRUN_OUTCOME_CODE_ERROR, "is not JSON: "));
    CHECK(plays_numbered("threw", WIRE_WHY_TOO_LONG, CAPRUN_OUTCOME_OUTPUT_LIMIT, "is over"));
    CHECK(plays("full", 0, FAKE_HONEST, CAPRUN_OUTCOME_MEMORY_LIMIT, "512 MiB"));
    CHECK(end());
}

/* The scene "threw" with |why|, of a run that has a schema or an env. */
static bool checks(uint32_t why, const char *schema, const char *env, enum caprun_outcome outcome,
                   const char *words)
{
    char code[64];
    struct caprun_run *r;
    bool ok;

    (void)snprintf(code, sizeof(code), "threw %u", why);
    r = new_run(code, 0, FAKE_HONEST);
    ok = r && caprun_run_set_schema(r, schema, strlen(schema)) == 0 &&
         caprun_run_set_env(r, env, strlen(env)) == 0 && caprun_start(r) == 0 &&
         ended(r, outcome, words) && !caprun_get_stack(r, NULL);
    caprun_run_free(r);
    return ok;
}

TEST(only_a_run_with_a_schema_or_an_env_ends_by_a_check)
{
    CHECK(begin());
    CHECK(checks(WIRE_WHY_ARGS, "{}", "", CAPRUN_OUTCOME_VALIDATION_ERROR,
                 "parametersSchema:\\nx is not a function\",\"hint\":\"change the args;"));
    CHECK(checks(WIRE_WHY_SCHEMA, "{}", "{}", CAPRUN_OUTCOME_METADATA_INVALID,
                 "is broken:\\nx is not a function\",\"hint\":\"tell the"));
    CHECK(checks(WIRE_WHY_ARGS, "", "{}", CAPRUN_OUTCOME_VALIDATION_ERROR, "granted variables:"));
    CHECK(checks(WIRE_WHY_SCHEMA, "", "{}", BAD, "an invalid THREW frame"));
    CHECK(checks(WIRE_WHY_SCHEMA + 1, "{}", "{}", BAD, "an invalid THREW frame"));
    CHECK(succeeds());
    CHECK(end());
}

TEST(an_error_that_makes_no_sense_ends_the_worker)
{
    CHECK(begin());
    for (long i = 0; i < THREW_LENGTHS; i++)
        CHECK(plays_numbered("threw_lengths", i, BAD, "an invalid THREW frame"));
    for (long i = 0; i < 3; i++) {
        CHECK(plays_numbered("threw_long_part", i, CAPRUN_OUTCOME_CODE_ERROR, "xxx"));
        CHECK(plays_numbered("threw_long_part", i + 3, BAD, "an invalid THREW frame"));
    }
    CHECK(plays("call_and_syntax", 0, FAKE_HONEST, BAD, "an invalid THREW frame"));
    CHECK(plays_numbered("threw", 0, BAD, "an invalid THREW frame"));
    CHECK(plays_numbered("threw", WIRE_WHY_ARGS, BAD, "an invalid THREW frame"));
    CHECK(plays_numbered("threw", WIRE_WHY_SCHEMA, BAD, "an invalid THREW frame"));
    CHECK(plays_numbered("threw", 99, BAD, "an invalid THREW frame"));
    CHECK(end());
}

TEST(a_log_is_cut_at_its_limit_and_the_run_goes_on)
{
    CHECK(begin());
    CHECK(plays_numbered("log_lines", LIMIT_LOG_LINES - 1, CAPRUN_OUTCOME_SUCCESS, "\"x\"],\"bl"));
    CHECK(plays_numbered("log_lines", LIMIT_LOG_LINES, CAPRUN_OUTCOME_SUCCESS, "log cut here"));
    CHECK(plays_numbered("log_lines", LIMIT_LOG_LINES + 1, BAD, "log lines after the end"));
    CHECK(plays_numbered("log_bytes", 0, CAPRUN_OUTCOME_SUCCESS, "\"result\":42"));
    CHECK(plays_numbered("log_bytes", 1, CAPRUN_OUTCOME_SUCCESS, "log cut here"));
    CHECK(plays_numbered("log_bytes", 2, CAPRUN_OUTCOME_SUCCESS, "log cut here"));
    CHECK(plays_numbered("log_bytes_twice", 0, CAPRUN_OUTCOME_SUCCESS, "log cut here"));
    CHECK(plays_numbered("log_bytes_twice", 1, BAD, "log lines after the end"));
    CHECK(end());
}

TEST(a_worker_that_goes_is_missed_and_its_status_is_told)
{
    static const long statuses[] = {0, 1, 9, 10, 11, 12, 13, 14, 15, 99, 255};
    static const long signals[] = {SIGSEGV, SIGSYS, SIGXCPU, SIGABRT, SIGTERM, SIGPIPE};
    char words[64];

    CHECK(begin());
    for (size_t i = 0; i < COUNT(statuses); i++) {
        (void)snprintf(words, sizeof(words), "left with status %ld:", statuses[i]);
        CHECK(plays_numbered("exits", statuses[i], BAD, words));
    }
    for (size_t i = 0; i < COUNT(signals); i++) {
        (void)snprintf(words, sizeof(words), "killed by signal %ld,", signals[i]);
        CHECK(plays_numbered("dies", signals[i], BAD, words));
    }
    CHECK(plays_numbered("dies", SIGKILL, BAD, "killed from outside"));
    CHECK(plays("closes", 0, FAKE_HONEST, BAD, "closed its socket"));
    CHECK(plays("closes 1", 0, FAKE_HONEST, BAD, "closed its socket"));
    CHECK(end());
}

/* --- tests: before there is a job --------------------------------------------------------- */

TEST(a_worker_that_begins_badly_gets_no_job)
{
    CHECK(begin());
    CHECK(plays("honest", 0, FAKE_EXITS, CAPRUN_OUTCOME_INTERNAL, "could not lock itself down"));
    CHECK(plays("honest", 0, FAKE_CLOSES, CAPRUN_OUTCOME_INTERNAL, "closed its socket"));
    CHECK(plays("honest", 0, FAKE_LOGS_FIRST, CAPRUN_OUTCOME_INTERNAL,
                "the first frame was not READY"));
    CHECK(plays("honest", 0, FAKE_READY_WITH_PAYLOAD, CAPRUN_OUTCOME_INTERNAL,
                "broke the protocol: type 16"));
    CHECK(plays("honest", 0, FAKE_READY_IN_PIECES, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(end());
}

TEST(a_worker_that_is_not_locked_down_gets_no_job)
{
    CHECK(begin());
    CHECK(plays("honest", 0, FAKE_NO_FILTER, CAPRUN_OUTCOME_INTERNAL, "lacks 'Seccomp"));
    CHECK(plays("honest", 0, FAKE_DESCRIPTOR_MORE, CAPRUN_OUTCOME_INTERNAL, "descriptor 7 open"));
    /* only root may load a filter without NoNewPrivs */
    if (geteuid() == 0)
        CHECK(plays("honest", 0, FAKE_NEW_PRIVILEGES, CAPRUN_OUTCOME_INTERNAL, "'NoNewPrivs"));
    CHECK(end());
}

TEST(a_zygote_that_fails_is_replaced)
{
    static const struct {
        enum fake_early early;
        const char *words;
    } bad[] = {
        {FAKE_FORK_FAILS, "fork a worker"},         {FAKE_REFUSES, "load the system call filter: "},
        {FAKE_OTHER_VERSION, "another version"},    {FAKE_SHORT_PACKET, "another version"},
        {FAKE_UNKNOWN_KIND, "a packet of kind 77"}, {FAKE_ZYGOTE_DIES, "the zygote"},
    };

    CHECK(begin());
    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK(plays("honest", 0, bad[i].early, CAPRUN_OUTCOME_INTERNAL, bad[i].words));
    CHECK(plays("honest", 0, FAKE_WRONG_SLOT, CAPRUN_OUTCOME_SUCCESS, "42"));
    CHECK(plays("honest", 0, FAKE_EXITED_BEFORE_FORKED, CAPRUN_OUTCOME_INTERNAL,
                "left with status 13"));
    CHECK(end());
}

TEST(a_program_that_is_no_worker_runs_nothing)
{
    static const char *const paths[] = {"/nowhere/caprun-worker", "/bin/true", "/"};

    for (size_t i = 0; i < COUNT(paths); i++) {
        CHECK(new_runtime() && caprun_set_worker(rt, paths[i]) == 0);
        run = new_run("honest", 0, FAKE_HONEST);
        CHECK(run && caprun_run(run) == 0);
        CHECK(caprun_get_outcome(run) == CAPRUN_OUTCOME_INTERNAL);
        caprun_run_free(run);
        CHECK(end());
    }
}

TEST(missing_layers_are_known_as_soon_as_the_zygote_has_spoken)
{
    CHECK(new_runtime());
    CHECK(!caprun_missing_layers(rt));
    CHECK(succeeds());
    CHECK(strstr(caprun_missing_layers(rt), "PR_SET_MDWE"));
    CHECK(!strstr(caprun_missing_layers(rt), "Landlock"));
    CHECK(end());
}

/* --- tests: the caller -------------------------------------------------------------------- */

static const enum cr_run_state stages[] = {CR_RUN_STARTING, CR_RUN_RUNNING, CR_RUN_LATE};

/* A run in the |stage|. */
static bool begin_stage(enum cr_run_state stage)
{
    run = new_run("says_nothing", stage == CR_RUN_LATE ? 50 : 0, FAKE_HONEST);
    return run && caprun_start(run) == 0 && reach(run, stage);
}

TEST(a_run_can_be_cancelled_at_every_stage)
{
    CHECK(begin());
    for (size_t i = 0; i < COUNT(stages); i++) {
        CHECK(begin_stage(stages[i]));
        caprun_cancel(run);
        CHECK(ended(run, CAPRUN_OUTCOME_CANCELLED, "Cancelled"));
        caprun_cancel(run);
        CHECK(ended(run, CAPRUN_OUTCOME_CANCELLED, "Cancelled"));
        caprun_run_free(run);
        CHECK(succeeds());
    }
    CHECK(end());
}

TEST(a_run_that_waits_for_its_worker_can_be_cancelled)
{
    CHECK(begin());
    run = new_run("honest", 0, FAKE_NEVER_READY);
    CHECK(run && caprun_start(run) == 0);
    for (int i = 0; i < 20; i++) {
        caprun_wait(rt, 1);
        caprun_step(rt);
    }
    CHECK(run->state == CR_RUN_STARTING);
    caprun_cancel(run);
    CHECK(ended(run, CAPRUN_OUTCOME_CANCELLED, "Cancelled"));
    caprun_run_free(run);
    CHECK(succeeds());
    CHECK(end());
}

TEST(cancelling_before_the_start_and_after_the_end_is_harmless)
{
    CHECK(begin());
    run = new_run("honest", 0, FAKE_HONEST);
    caprun_cancel(run);
    CHECK(caprun_done(run) && caprun_get_outcome(run) == CAPRUN_OUTCOME_CANCELLED);
    CHECK(caprun_start(run) == CAPRUN_E_STATE);
    caprun_run_free(run);
    run = new_run("honest", 0, FAKE_HONEST);
    CHECK(caprun_run(run) == 0);
    caprun_cancel(run);
    CHECK(caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS);
    caprun_run_free(run);
    CHECK(end());
}

TEST(a_run_can_be_freed_at_every_stage)
{
    int before;

    CHECK(begin());
    before = count_descriptors();
    for (size_t i = 0; i < COUNT(stages); i++) {
        CHECK(begin_stage(stages[i]));
        caprun_run_free(run);
        CHECK(succeeds());
        CHECK(count_descriptors() == before);
    }
    caprun_run_free(NULL);
    CHECK(end());
}

static void cancel_from_log(void *data, const char *line, size_t len)
{
    (void)line;
    (void)len;
    caprun_cancel(*(struct caprun_run **)data);
}

TEST(a_run_can_be_cancelled_from_its_log)
{
    CHECK(begin());
    run = new_run("log_lines 100", 0, FAKE_HONEST);
    caprun_run_set_log(run, cancel_from_log, &run);
    CHECK(caprun_start(run) == 0 && ended(run, CAPRUN_OUTCOME_CANCELLED, "\"logs\":[\"x\"]"));
    caprun_run_free(run);
    CHECK(end());
}

TEST(nothing_can_be_set_after_the_start)
{
    CHECK(begin() && begin_stage(CR_RUN_RUNNING));
    CHECK(caprun_run_set_code(run, "1", 1) == CAPRUN_E_STATE);
    CHECK(caprun_run_set_args(run, "{}", 2) == CAPRUN_E_STATE);
    CHECK(caprun_run_set_timeout(run, 1) == CAPRUN_E_STATE);
    CHECK(caprun_run_set_cpu(run, 1) == CAPRUN_E_STATE);
    CHECK(caprun_run_set_call_timeout(run, 1) == CAPRUN_E_STATE);
    CHECK(caprun_run_set_memory(run, 1) == CAPRUN_E_STATE);
    CHECK(caprun_set_worker(rt, "/bin/true") == CAPRUN_E_STATE);
    CHECK(caprun_start(run) == CAPRUN_E_STATE && caprun_run(run) == CAPRUN_E_STATE);
    caprun_reject(run, CAPRUN_OUTCOME_USAGE, "too late", NULL);
    CHECK(!caprun_done(run));
    caprun_run_free(run);
    CHECK(caprun_run_new(rt, &run) == 0 && caprun_start(run) == CAPRUN_E_STATE);
    caprun_run_free(run);
    CHECK(end());
}

TEST(there_is_no_envelope_before_the_end)
{
    size_t len = 1;

    CHECK(begin() && begin_stage(CR_RUN_RUNNING));
    CHECK(!caprun_result_json(run, &len) && len == 0);
    caprun_cancel(run);
    CHECK(caprun_result_json(run, &len) && len > 0);
    caprun_run_free(run);
    CHECK(end());
}

TEST(two_runs_at_once_do_not_disturb_each_other)
{
    static const char *const bad[] = {"honest", "exits 12", "type 99", "dies 9", "call_name 0"};
    struct caprun_run *other;

    CHECK(begin());
    for (size_t i = 0; i < COUNT(bad); i++) {
        run = new_run("idle_a_while", 0, FAKE_HONEST);
        other = new_run(bad[i], 0, FAKE_HONEST);
        CHECK(caprun_start(run) == 0 && caprun_start(other) == 0);
        CHECK(ended(other, i ? BAD : CAPRUN_OUTCOME_SUCCESS, ""));
        CHECK(ended(run, CAPRUN_OUTCOME_SUCCESS, "42"));
        caprun_run_free(other);
        caprun_run_free(run);
    }
    CHECK(end());
}

TEST(the_end_of_the_zygote_ends_every_run)
{
    struct caprun_run *other;

    CHECK(begin());
    run = start("says_a_word");
    CHECK_SOON(run->has_sent_frame);
    other = new_run("honest", 0, FAKE_ZYGOTE_DIES);
    CHECK(caprun_start(other) == 0);
    CHECK(ended(other, CAPRUN_OUTCOME_INTERNAL, "the zygote"));
    CHECK(ended(run, CAPRUN_OUTCOME_WORKER_TERMINATED, "the zygote"));
    caprun_run_free(other);
    caprun_run_free(run);
    CHECK(end());
}

TEST(a_runtime_that_ran_nothing_can_be_freed)
{
    CHECK(new_runtime() && end());
    CHECK(new_runtime() && caprun_warm(rt) == 0 && end());
    caprun_free(NULL);
}

int main(int argc, char **argv)
{
    if (fake_is_wanted())
        fake_main();
    return tap_main(argc, argv);
}
