/*
 * test_server_calls.c - calls to an MCP server, with a real process: answers, cancelled calls, and
 * limits on the number of calls.
 */
#include "own_calls.h"

/* --- calls ------------------------------------------------------------------------------------ */

TEST(a_call_that_is_not_admitted_is_not_sent)
{
    struct call bad = call_to(NULL), good = call_to("echo");

    CHECK(begin_all() && SERVE("legacy") && make_call(&bad) && make_call(&good));
    CHECK_SOON(good.results == 1);
    CHECK(bad.admitted == 1 && bad.sent == 0 && bad.results + bad.failures == 0);
    CHECK(traced("tools/call") == 1 && end_all());
}

TEST(progress_is_told_of_the_call_that_it_is_about)
{
    struct call c = call_to("progress"), other = call_to("hold");

    CHECK(begin_all() && SERVE("legacy") && make_call(&other) && make_call(&c));
    CHECK_SOON(c.results == 1);
    CHECK(c.progress == 2 && other.progress == 0);
    cr_server_cancel(server, &other.at, "enough");
    CHECK(end_all());
}

TEST(an_error_of_the_server_keeps_its_code_however_long_it_is)
{
    struct call c = call_to("error");

    CHECK(begin_all() && SERVE("legacy") && make_call(&c));
    CHECK_SOON(c.failures == 1);
    CHECK(said("no luck 0000") && said("(JSON-RPC error -32000 of the server \"own\")"));
    CHECK(get_ready() && traced("started") == 1 && end_all());
}

TEST(a_question_is_no_result_in_the_modern_era)
{
    struct call modern = call_to("question"), legacy = call_to("question");

    CHECK(begin_all());
    forced = CR_ERA_MODERN;
    CHECK(SERVE("modern") && make_call(&modern));
    CHECK_SOON(modern.failures == 1);
    CHECK(said("answered with \"input_required\", and not with a result"));
    cr_server_free(server);
    forced = CR_ERA_LEGACY;
    CHECK(SERVE("legacy") && make_call(&legacy));
    CHECK_SOON(legacy.results == 1);
    CHECK(end_all());
}

TEST(answers_with_unknown_ids_and_second_answers_are_ignored)
{
    struct call c = call_to("wrong");

    CHECK(begin_all() && SERVE("legacy") && make_call(&c));
    CHECK_SOON(c.results == 1);
    CHECK(get_ready() && c.results == 1 && strstr(c.json, "\"tool\":\"wrong\"") && end_all());
}

TEST(what_a_server_asks_is_answered_with_its_own_ids)
{
    struct call c = call_to("ask");

    CHECK(begin_all() && SERVE("legacy") && make_call(&c));
    CHECK_SOON(c.results == 1);
    CHECK_SOON(traced("\"id\":0,\"error\":{\"code\":-32601") == 1);
    CHECK(traced("{\"jsonrpc\":\"2.0\",\"id\":\"q-1\",\"result\":{}}") == 1);
    CHECK(traced("\"id\":-7,\"error\":{\"code\":-32601") == 1 && end_all());
}

/* --- calls that are cancelled ----------------------------------------------------------------- */

TEST(a_call_that_is_cancelled_at_once_starts_nothing)
{
    struct call c = call_to("echo");

    CHECK(begin_all() && SERVE("legacy") && make_call(&c));
    cr_server_cancel(server, &c.at, "x");
    settle();
    CHECK(cr_server_is_off(server) && traced("started") == 0 && c.failures == 0 && end_all());
}

TEST(a_server_hears_that_a_call_was_cancelled_and_may_still_answer)
{
    struct call c = call_to("hold"), release = call_to("release");

    CHECK(begin_all() && SERVE("legacy") && make_call(&c));
    CHECK_SOON(c.sent == 1);
    CHECK(all.in_flight == 1);
    cr_server_cancel(server, &c.at, "a \"reason\"\n");
    CHECK(all.in_flight == 0);
    CHECK_SOON(traced("notifications/cancelled\",\"params\":{\"requestId\":3,\"reason\":"
                      "\"a \\\"reason\\\"\\n\"}") == 1);
    CHECK(make_call(&release));
    CHECK_SOON(release.results == 1);
    CHECK(c.results == 0 && c.failures == 0 && end_all());
}

TEST(a_call_that_waits_behind_others_can_be_cancelled)
{
    struct call c[3] = {call_to("hold"), call_to("echo"), call_to("echo")};

    CHECK(begin_all());
    at_once = 1;
    CHECK(SERVE("legacy") && make_call(&c[0]) && make_call(&c[1]) && make_call(&c[2]));
    CHECK_SOON(c[2].queued == 1);
    CHECK(c[1].queued == 1 && c[0].queued == 0 && server->waiting->count == 2);
    cr_server_cancel(server, &c[1].at, "x");
    cr_server_cancel(server, &c[0].at, "x");
    CHECK_SOON(c[2].results == 1);
    CHECK(c[2].queued == 1 && c[1].sent == 0 && traced("notifications/cancelled") == 1);
    CHECK(end_all());
}

/* --- how many at once ------------------------------------------------------------------------- */

TEST(a_server_works_on_a_limited_number_of_calls_and_the_others_hear_that_they_wait)
{
    struct call c[4] = {call_to("hold"), call_to("release"), call_to("echo"), call_to("echo")};

    CHECK(begin_all());
    at_once = 1;
    CHECK(SERVE("legacy") && make_call(&c[0]));
    CHECK_SOON(c[0].sent == 1);
    for (int i = 1; i < 4; i++)
        CHECK(make_call(&c[i]));
    settle();
    CHECK(c[1].sent + c[2].sent + c[3].sent == 0 && all.in_flight == 1);
    CHECK(c[1].queued == 1 && c[2].queued == 1 && c[3].queued == 1 && c[0].queued == 0);
    cr_server_cancel(server, &c[0].at, "x");
    CHECK_SOON(c[3].results == 1);
    CHECK(c[1].results == 1 && c[2].results == 1 && c[3].queued == 1 && end_all());
}

TEST(all_servers_together_work_on_a_limited_number_of_calls_and_each_on_a_few)
{
    struct call mine[5], theirs = call_to("echo");
    struct cr_server *other = NULL;

    CHECK(begin_all());
    all.most = 1;
    CHECK(SERVE("legacy") && make(&other, (const char *const[]){"legacy", NULL}));
    for (int i = 0; i < 5; i++) {
        mine[i] = call_to(i < 4 ? "hold" : "echo");
        CHECK(make_call(&mine[i]));
    }
    CHECK_SOON(mine[4].queued == 1);
    settle();
    CHECK(mine[3].sent == 1 && mine[4].sent == 0 && all.in_flight == 4);
    CHECK(cr_server_call(other, &theirs.at, &err) == 0);
    CHECK_SOON(theirs.results == 1);
    CHECK(theirs.queued == 0 && mine[4].sent == 0);
    cr_server_cancel(server, &mine[0].at, "x");
    CHECK_SOON(mine[4].results == 1);
    for (int i = 1; i < 4; i++)
        cr_server_cancel(server, &mine[i].at, "x");
    cr_server_free(other);
    CHECK(end_all());
}

TEST(a_limited_number_of_bytes_waits_for_a_server)
{
    static const size_t most = 64u << 20; /* the args are never read */
    struct call c[3] = {call_to("echo"), call_to("echo"), call_to("echo")};

    CHECK(begin_all() && SERVE("legacy"));
    c[0].at.len = most + 1; /* a single call may have any size */
    c[2].at.len = 1;
    CHECK(make_call(&c[0]));
    CHECK(cr_server_call(server, &c[2].at, &err) == CAPRUN_E_TOOBIG);
    CHECK(strcmp(err.text, "Too much waits for the server \"own\"") == 0);
    cr_server_cancel(server, &c[0].at, "x");
    c[0].at.len = most - 2;
    CHECK(make_call(&c[0]) && make_call(&c[1]));
    CHECK(cr_server_call(server, &c[2].at, &err) == CAPRUN_E_TOOBIG);
    cr_server_cancel(server, &c[0].at, "x");
    CHECK(make_call(&c[2]) && server->waiting->bytes == 3);
    cr_server_cancel(server, &c[1].at, "x");
    cr_server_cancel(server, &c[2].at, "x");
    CHECK(server->waiting->bytes == 0 && server->waiting->count == 0 && end_all());
}

TEST(a_limited_number_of_bytes_waits_for_all_servers_together)
{
    static const size_t most = 256u << 20;
    struct call c[2] = {call_to("echo"), call_to("echo")};

    CHECK(begin_all() && SERVE("legacy"));
    c[0].at.len = 1u << 20; /* so much may always wait for a server */
    c[1].at.len = 10;
    server->all->waiting_bytes = most; /* waiting for other servers */
    CHECK(make_call(&c[0]) && server->all->waiting_bytes == most + c[0].at.len);
    CHECK(cr_server_call(server, &c[1].at, &err) == CAPRUN_E_TOOBIG);
    CHECK(strcmp(err.text, "Too much waits for servers") == 0);
    cr_server_cancel(server, &c[0].at, "x");
    CHECK(make_call(&c[1]));
    cr_server_cancel(server, &c[1].at, "x");
    CHECK(server->all->waiting_bytes == most && end_all());
}

TEST(a_server_that_does_not_read_gets_no_more_than_it_can_hold)
{
    static char big[256u << 10];
    static struct call c[20];
    int sent = 0;
    struct call deaf = call_to("deaf");

    memset(big, ' ', sizeof(big));
    memcpy(big, "{}", 2);
    CHECK(begin_all());
    at_once = 64;
    CHECK(SERVE("legacy") && make_call(&deaf));
    CHECK_SOON(deaf.results == 1);
    for (size_t i = 0; i < COUNT(c); i++) {
        c[i] = call_to("echo");
        c[i].at.args = big;
        c[i].at.len = sizeof(big);
        CHECK(make_call(&c[i]));
    }
    settle();
    for (size_t i = 0; i < COUNT(c); i++)
        sent += c[i].sent;
    CHECK(sent > 3 && sent < 12);
    CHECK(server->transport->ops->waiting(server->transport) < 2u << 20);
    CHECK(c[COUNT(c) - 1].queued == 0);
    for (size_t i = 0; i < COUNT(c); i++)
        cr_server_cancel(server, &c[i].at, "x");
    CHECK(end_all());
}

/* --- turns ------------------------------------------------------------------------------------ */

#define MANY 60
#define MOST_TURNS 5 /* of one server in a step: descriptors, pump, and one busy task */

static struct call many[MANY];

static bool make_many(const char *tool)
{
    bool ok = true;

    for (int i = 0; i < MANY; i++) {
        many[i] = call_to(tool);
        ok = ok && make_call(&many[i]);
    }
    return ok;
}

/* The number of events of all calls. */
static int count_events(void)
{
    int count = 0;

    for (int i = 0; i < MANY; i++)
        count += many[i].admitted + many[i].queued + many[i].failures;
    return count;
}

/* Steps until |wanted| events have come. Returns the most events in one step, or -1. */
static int most_events_in_a_step(int wanted)
{
    int64_t until = cr_loop_now() + patience_us();
    int most = 0;

    for (int before = count_events(), now; before < wanted; before = now) {
        cr_loop_step(&loop, 10);
        now = count_events();
        most = now - before > most ? now - before : most;
        if (cr_loop_now() > until)
            return -1;
    }
    return most;
}

static void cancel_many(void)
{
    for (int i = 0; i < MANY; i++)
        if (!many[i].results && !many[i].failures)
            cr_server_cancel(server, &many[i].at, "x");
}

TEST(many_calls_are_admitted_in_many_turns)
{
    int most;

    CHECK(begin_all());
    at_once = MANY;
    all.most = MANY;
    CHECK(SERVE("legacy") && get_ready() && make_many("hold"));
    is_slow = true;
    most = most_events_in_a_step(MANY);
    CHECK(most > 0 && most <= MOST_TURNS && server->sent->count == MANY);
    cancel_many();
    CHECK(end_all());
}

TEST(many_calls_hear_in_many_turns_that_they_wait)
{
    int most;

    CHECK(begin_all());
    at_once = 1;
    CHECK(SERVE("legacy") && get_ready() && make_many("hold"));
    is_slow = true;
    most = most_events_in_a_step(MANY);
    CHECK(most > 0 && most <= MOST_TURNS && many[0].sent == 1 && !many[0].queued);
    for (int i = 1; i < MANY; i++)
        CHECK(many[i].queued == 1);
    cancel_many();
    CHECK(end_all());
}

TEST(many_calls_fail_in_many_turns_and_in_their_order)
{
    int most;

    CHECK(begin_all() && SERVE("exit") && make_many("echo"));
    is_slow = true;
    most = most_events_in_a_step(MANY);
    CHECK(most > 0 && most <= MOST_TURNS && said("exited with status 7"));
    for (int i = 0; i < MANY; i++)
        CHECK(many[i].failures == 1 && many[i].place == i + 1);
    CHECK(!server->failing && end_all());
}

TEST(calls_that_were_sent_fail_in_many_turns_and_free_their_places_at_once)
{
    struct call crash = call_to("crash");
    int most;

    CHECK(begin_all());
    at_once = all.most = MANY + 1;
    CHECK(SERVE("legacy") && make_many("hold"));
    CHECK_SOON(many[MANY - 1].sent == 1);
    CHECK(make_call(&crash));
    is_slow = true;
    most = most_events_in_a_step(MANY + 2);
    CHECK(most > 0 && most <= MOST_TURNS && server->failing && all.in_flight == 0);
    CHECK(most_events_in_a_step(2 * MANY) <= MOST_TURNS);
    CHECK_SOON(crash.failures == 1);
    CHECK(said("exited with status 3") && crash.place == MANY + 1 && end_all());
}

TEST(a_call_that_is_about_to_fail_can_be_cancelled)
{
    CHECK(begin_all() && SERVE("exit") && make_many("echo"));
    is_slow = true;
    CHECK(most_events_in_a_step(3) > 0 && server->failing && many[MANY - 1].failures == 0);
    cr_server_cancel(server, &many[MANY - 1].at, "x");
    cr_server_cancel(server, &many[20].at, "x");
    CHECK(most_events_in_a_step(MANY - 2) > 0 && !many[20].failures && !many[MANY - 1].failures);
    settle();
    CHECK(count_events() == MANY - 2 && !server->failing && end_all());
}

TEST(a_server_may_be_freed_or_stopped_with_calls_that_are_about_to_fail)
{
    CHECK(begin_all() && SERVE("exit") && make_many("echo"));
    is_slow = true;
    CHECK(most_events_in_a_step(3) > 0 && server->failing);
    cancel_many();
    CHECK(end_all());
    CHECK(begin_all() && SERVE("exit") && make_many("echo"));
    is_slow = true;
    CHECK(most_events_in_a_step(3) > 0 && server->failing);
    cr_server_stop(server);
    CHECK(most_events_in_a_step(MANY) > 0 && said("exited with status 7") && end_all());
}

/* The server fails again for another reason, while calls still fail for the old reason. */
TEST(calls_fail_for_the_reason_that_was_true_when_they_failed)
{
    struct call late = call_to("echo");

    CHECK(begin_all() && SERVE("exit") && make_many("echo"));
    is_slow = true;
    CHECK(most_events_in_a_step(3) > 0 && server->failing);
    CHECK(make_call(&late));
    cr_server_stop(server);
    CHECK_SOON(late.failures == 1);
    CHECK(strstr(late.json, "has been stopped") && late.place == MANY + 1);
    for (int i = 0; i < MANY; i++)
        CHECK(strstr(many[i].json, "exited with status 7") && many[i].place == i + 1);
    CHECK(end_all());
}

/* --- a result in many chunks ------------------------------------------------------------------ */

TEST(a_question_is_no_result_however_long_it_is)
{
    struct call modern = call_to("long"), legacy = call_to("long");

    CHECK(begin_all());
    forced = CR_ERA_MODERN;
    CHECK(SERVE("modern") && make_call(&modern));
    CHECK_SOON(modern.failures == 1);
    CHECK(said("answered with \"input_required\", and not with a result"));
    cr_server_free(server);
    forced = CR_ERA_LEGACY;
    CHECK(SERVE("legacy") && make_call(&legacy));
    CHECK_SOON(legacy.results == 1);
    CHECK(end_all());
}

int main(int argc, char **argv)
{
    return own_main(argc, argv);
}
