/*
 * test_server.c - the life of an MCP server, with a real process: its era, its list of tools, its
 * end and restart. test_server_calls.c tests the calls.
 */
#include "own_calls.h"

#include <malloc.h>

/* --- eras ------------------------------------------------------------------------------------- */

static void look_at_era(const char *word, enum cr_era told, enum cr_era found, const char *version)
{
    struct call c = call_to("echo");

    CHECK(begin_all());
    forced = told;
    CHECK(SERVE(word) && make_call(&c) && cr_server_is_off(server));
    CHECK_SOON(c.results == 1);
    CHECK(strcmp(c.json, "{\"tool\":\"echo\",\"args\":{}}") == 0 && c.sent == 1 && c.admitted == 1);
    CHECK(cr_server_era(server) == found && strcmp(cr_server_version(server), version) == 0);
    CHECK(strcmp(cr_server_info(server), "{\"name\":\"own\"}") == 0 && !cr_server_is_off(server));
    CHECK(cr_server_tools(server)->count == COUNT(own_tools) && lists == 1);
    CHECK(strcmp(cr_server_name(server), "own") == 0 && traced("started") == 1 && end_all());
}

TEST(a_call_starts_a_server_of_either_era_and_is_answered)
{
    look_at_era("modern", CR_ERA_UNKNOWN, CR_ERA_MODERN, CR_RPC_MODERN_VERSION);
    look_at_era("modern", CR_ERA_MODERN, CR_ERA_MODERN, CR_RPC_MODERN_VERSION);
    look_at_era("legacy", CR_ERA_UNKNOWN, CR_ERA_LEGACY, "2025-06-18");
    look_at_era("legacy", CR_ERA_LEGACY, CR_ERA_LEGACY, "2025-06-18");
    look_at_era("both", CR_ERA_UNKNOWN, CR_ERA_MODERN, CR_RPC_MODERN_VERSION);
}

TEST(a_server_that_exits_on_the_first_question_is_started_again_and_remembered)
{
    static char dir[300];

    CHECK(begin_all());
    (void)snprintf(dir, sizeof(dir), "%s/eras", scratch);
    eras_dir = dir;
    forced = CR_ERA_UNKNOWN;
    CHECK(SERVE("exit-first") && get_ready());
    CHECK(traced("started") == 2 && traced("server/discover") == 1 && server->failures == 0);
    CHECK_SOON(cr_eras_recall(dir, server->endpoint->key) == CR_ERA_LEGACY);
    cr_server_free(server);
    CHECK(SERVE("exit-first") && get_ready());
    CHECK(traced("started") == 3 && traced("server/discover") == 1 && end_all());
}

TEST(an_era_that_was_remembered_wrongly_is_forgotten_or_found_out)
{
    static char dir[300];

    CHECK(begin_all());
    (void)snprintf(dir, sizeof(dir), "%s/eras", scratch);
    eras_dir = dir;
    forced = CR_ERA_UNKNOWN;
    CHECK(SERVE("modern"));
    cr_eras_remember(dir, server->endpoint->key, CR_ERA_LEGACY);
    cr_server_free(server); /* the remembered era is read when a server is created */
    CHECK(SERVE("modern") && get_ready() && cr_server_era(server) == CR_ERA_MODERN &&
          traced("started") == 1);
    CHECK_SOON(cr_eras_recall(dir, server->endpoint->key) == CR_ERA_MODERN);
    cr_server_free(server);
    CHECK(SERVE("silent=server/discover"));
    cr_eras_remember(dir, server->endpoint->key, CR_ERA_MODERN);
    cr_server_free(server);
    CHECK(SERVE("silent=server/discover"));
    {
        struct call c = call_to("echo");

        CHECK(make_call(&c));
        CHECK_SOON(traced("server/discover") == 1 + 1);
        hurry();
        CHECK_SOON(c.failures == 1);
        CHECK(said("did not answer server/discover within 60 s"));
        CHECK_SOON(cr_eras_recall(dir, server->endpoint->key) == CR_ERA_UNKNOWN);
    }
    CHECK(end_all());
}

/* --- answers that are too large --------------------------------------------------------------- */

/* Does the server fail with |words|? */
static bool fails_with(const char *word, const char *words)
{
    struct call c = call_to("echo");
    int64_t until = cr_loop_now() + patience_us();

    if (!SERVE(word) || !make_call(&c))
        return false;
    while (!is_over(&c) && cr_loop_now() < until)
        cr_loop_step(&loop, 10);
    return c.failures == 1 && said(words);
}

TEST(the_first_answer_is_bounded_in_bytes_and_values)
{
    CHECK(begin_all());
    CHECK(fails_with("big-answer", "answered initialize with 20000"));
    cr_server_free(server);
    CHECK(fails_with("rich-answer", "gave an answer to initialize that cannot be read: the JSON "
                                    "has more than 20000 values"));
    cr_server_free(server);
    forced = CR_ERA_MODERN;
    CHECK(fails_with("big-answer", "answered server/discover with 20000"));
    cr_server_free(server);
    CHECK(fails_with("rich-answer", "more than 20000 values") && end_all());
}

TEST(an_error_that_is_too_long_is_not_looked_at)
{
    CHECK(begin_all());
    CHECK(fails_with("big-error", "refuses initialize: an error that is longer than 64 KiB "
                                  "(JSON-RPC error 0)"));
    cr_server_free(server);
    forced = CR_ERA_MODERN;
    CHECK(fails_with("big-error", "refuses server/discover: an error that is longer than 64 KiB"));
    CHECK(end_all());
}

/* Does the helper parse a page? Its job is then seen between two steps. */
static bool is_parsing(void)
{
    struct call c = call_to("echo");
    int64_t until = cr_loop_now() + patience_us();

    if (!make_call(&c))
        return false;
    while (!server->page && server->state != CR_SERVER_ENDING && cr_loop_now() < until)
        cr_loop_step(&loop, 10);
    if (c.at.queue)
        cr_server_cancel(server, &c.at, "x");
    return server->page;
}

TEST(large_pages_of_tools_are_parsed_by_the_helper)
{
    CHECK(begin_all() && SERVE("big-list") && is_parsing() && get_ready());
    CHECK(server->tools.count == COUNT(own_tools) && server->tools.page_count == 2);
    CHECK(!server->page && lists == 1);
    CHECK(server->list_until_us == server->listed_us + 120000000 && end_all());
}

TEST(a_page_that_is_not_wanted_any_more_is_abandoned)
{
    CHECK(begin_all() && SERVE("big-list") && is_parsing() && end_all());
    CHECK(begin_all() && SERVE("big-list") && is_parsing());
    cr_server_stop(server);
    CHECK(!server->page);
    CHECK_SOON(cr_server_is_off(server));
    CHECK(lists == 0 && end_all());
    CHECK(begin_all() && SERVE("big-list") && is_parsing());
    cr_server_break_off(server, "was told to");
    CHECK(!server->page);
    CHECK_SOON(cr_server_is_off(server));
    CHECK(lists == 0 && end_all());
    CHECK(begin_all() && SERVE("big-list") && is_parsing());
    cr_server_answer_is_late(server);
    CHECK(!server->page && server->state == CR_SERVER_ENDING && end_all());
}

TEST(a_page_over_the_limit_is_refused_before_it_is_copied)
{
    CHECK(begin_all() && fails_with("too-big-list", "the server's tools take more than 4 MiB"));
    cr_server_free(server);
    CHECK(SERVE("too-big-list") && !is_parsing() && server->state == CR_SERVER_ENDING);
    CHECK(end_all());
}

TEST(a_server_of_the_modern_era_may_be_late)
{
    struct call c = call_to("echo");

    CHECK(begin_all());
    forced = CR_ERA_UNKNOWN;
    CHECK(SERVE("modern", "late") && make_call(&c));
    CHECK_SOON(traced("server/discover") == 1);
    hurry();
    CHECK_SOON(c.results == 1);
    CHECK(cr_server_era(server) == CR_ERA_MODERN && traced("\"initialize\"") == 1 && end_all());
}

TEST(a_late_answer_that_offers_the_legacy_era_does_not_begin_it_again)
{
    struct call c = call_to("echo");

    CHECK(begin_all());
    forced = CR_ERA_UNKNOWN;
    CHECK(SERVE("late", "only-legacy") && make_call(&c));
    CHECK_SOON(traced("server/discover") == 1);
    hurry();
    CHECK_SOON(c.results == 1);
    CHECK(cr_server_era(server) == CR_ERA_LEGACY && traced("\"initialize\"") == 1 && end_all());
}

/* --- ends ------------------------------------------------------------------------------------- */

TEST(a_crash_fails_what_was_sent_and_what_waits_is_for_the_next_start)
{
    struct call c[4] = {call_to("hold"), call_to("crash"), call_to("echo"), call_to("echo")};

    CHECK(begin_all());
    at_once = 2;
    CHECK(SERVE("legacy"));
    for (int i = 0; i < 4; i++)
        CHECK(make_call(&c[i]));
    CHECK_SOON(c[0].failures == 1 && c[1].failures == 1);
    CHECK(said("The server \"own\" exited with status 3"));
    CHECK(strcmp(last.hint, "its last words: oh no") == 0);
    CHECK(c[2].failures == 0 && c[3].failures == 0 && server->failures == 1);
    CHECK(server->retry_us > cr_loop_now() && all.in_flight == 0);
    CHECK_SOON(is_over(&c[3]));
    CHECK(c[2].results == 1 && c[3].results == 1 && server->failures == 0);
    CHECK(traced("started") == 2 && lists == 2 && end_all());
}

TEST(calls_and_cancels_while_a_server_ends_do_not_hide_why_it_ended)
{
    struct call leave = call_to("leave"), hold = call_to("hold"), late = call_to("echo");

    CHECK(begin_all() && SERVE("legacy") && make_call(&hold) && make_call(&leave));
    CHECK_SOON(server->transport && server->transport->ops->is_ending(server->transport));
    CHECK(make_call(&late));
    cr_server_cancel(server, &hold.at, "x");
    CHECK(leave.failures == 0);
    cr_loop_step(&loop, 10);
    CHECK(leave.failures == 0 && late.sent == 0);
    CHECK(put("go", ""));
    CHECK_SOON(leave.failures == 1);
    CHECK(said("exited with status 6") && hold.failures == 0 && late.failures == 0);
    CHECK_SOON(is_over(&late));
    CHECK(late.results == 1 && traced("started") == 2 && end_all());
}

TEST(pauses_between_starts_grow_until_a_server_is_given_up_on)
{
    CHECK(begin_all() && SERVE("exit"));
    for (int i = 0; i < 4; i++) {
        struct call c = call_to("echo");
        int64_t before = cr_loop_now(), pause = i < 3 ? 1000000 << i : 60000000;

        if (i)
            server->retry_us += 100000000; /* so that the pause does not end before the checks */
        CHECK(make_call(&c));
        settle();
        CHECK(i == 0 || (server->timer.when_us == server->retry_us && c.failures == 0));
        if (i)
            hurry();
        CHECK_SOON(c.failures == 1);
        CHECK(said("exited with status 7") && traced("started") == i + 1);
        CHECK(server->retry_us >= before + pause && server->retry_us <= cr_loop_now() + pause);
    }
    for (int i = 0; i < 3; i++) {
        struct call c = call_to("echo");

        CHECK(make_call(&c));
        CHECK_SOON(c.failures == 1);
        CHECK(said("exited with status 7") && traced("started") == 4);
    }
    server->retry_us = 0; /* a minute later */
    {
        struct call c = call_to("echo");

        CHECK(make_call(&c));
        CHECK_SOON(c.failures == 1);
        CHECK(traced("started") == 5);
    }
    CHECK(end_all());
}

TEST(an_idle_server_is_ended_and_started_again_without_a_pause)
{
    struct call c = call_to("echo");

    CHECK(begin_all() && SERVE("legacy") && get_ready());
    settle();
    CHECK(server->timer.when_us > cr_loop_now() + 200 * (int64_t)1000000);
    hurry();
    CHECK_SOON(server->state == CR_SERVER_ENDING);
    CHECK(make_call(&c)); /* too late for this process */
    CHECK_SOON(c.results == 1);
    CHECK(traced("started") == 2 && server->failures == 0 && end_all());
}

TEST(a_server_that_works_is_not_idle)
{
    struct call hold = call_to("hold"), release = call_to("release");

    CHECK(begin_all() && SERVE("legacy") && make_call(&hold));
    CHECK_SOON(hold.sent == 1);
    settle();
    CHECK(server->timer.when_us < 0 && make_call(&release));
    CHECK_SOON(hold.results == 1 && release.results == 1);
    settle();
    CHECK(server->timer.when_us > 0 && end_all());
}

TEST(stopping_fails_what_was_sent_and_what_waits_for_good)
{
    struct call c[3] = {call_to("hold"), call_to("echo"), call_to("echo")};

    CHECK(begin_all());
    at_once = 1;
    CHECK(SERVE("legacy") && make_call(&c[0]) && make_call(&c[1]));
    CHECK_SOON(c[1].queued == 1);
    cr_server_stop(server);
    CHECK(c[0].failures == 0 && !cr_server_is_off(server));
    CHECK_SOON(c[0].failures == 1 && c[1].failures == 1);
    CHECK(said("has been stopped") && cr_server_is_off(server) && make_call(&c[2]));
    CHECK_SOON(c[2].failures == 1);
    CHECK(traced("started") == 1 && traced("tools/call") == 1 && end_all());
}

TEST(stopping_ends_the_wait_for_the_next_start)
{
    struct call c[2] = {call_to("crash"), call_to("echo")};

    CHECK(begin_all());
    at_once = 1;
    CHECK(SERVE("legacy") && make_call(&c[0]) && make_call(&c[1]));
    CHECK_SOON(c[0].failures == 1 && server->timer.when_us > 0);
    cr_server_stop(server);
    CHECK_SOON(c[1].failures == 1);
    CHECK(said("has been stopped") && traced("started") == 1 && end_all());
}

/* --- lists ------------------------------------------------------------------------------------ */

static int known, unknown;

static void on_known(struct cr_server_waiter *waiter, struct cr_server *listed,
                     const struct cr_err *why)
{
    (void)waiter;
    known += listed == server && !why;
    unknown += listed == server && why;
    if (why)
        last = *why;
}

TEST(all_who_wait_for_the_list_get_it_and_the_server_is_asked_once)
{
    struct cr_server_waiter w[4] = {
        {.done = on_known}, {.done = on_known}, {.done = on_known}, {.done = on_known}};

    known = unknown = 0;
    CHECK(begin_all() && SERVE("legacy"));
    for (int i = 0; i < 3; i++)
        cr_server_list(server, &w[i]);
    CHECK(known == 0);
    CHECK_SOON(known == 3);
    cr_server_list(server, &w[3]);
    CHECK(known == 3);
    CHECK_SOON(known == 4);
    CHECK(unknown == 0 && lists == 1 && traced("tools/list") == 1 && end_all());
}

TEST(a_wait_for_the_list_of_a_server_that_does_not_start_fails_with_the_reason)
{
    struct cr_server_waiter w = {.done = on_known};

    known = unknown = 0;
    CHECK(begin_all() && SERVE("exit"));
    cr_server_list(server, &w);
    CHECK_SOON(unknown == 1);
    CHECK(said("exited with status 7") && known == 0 && end_all());
}

TEST(a_list_that_has_changed_is_requested_again_but_not_at_once)
{
    struct call changed = call_to("changed");

    CHECK(begin_all() && SERVE("legacy") && make_call(&changed));
    CHECK_SOON(changed.results == 1);
    server->listed_us = cr_loop_now();
    CHECK(server->stale && get_ready() && lists == 1);
    server->listed_us -= 2000000;
    CHECK(get_ready() && lists == 2 && traced("tools/list") == 2 && !server->stale);
    server->stale = true; /* a long list is not requested as often */
    server->list_bytes = 1u << 20;
    server->listed_us = cr_loop_now() - 2000000;
    CHECK(get_ready() && lists == 2);
    server->list_bytes = 8u << 20;
    server->listed_us = cr_loop_now() - 61000000;
    CHECK(get_ready() && lists == 3);
    server->list_until_us = 0; /* a day later */
    CHECK(get_ready() && lists == 4 && end_all());
}

TEST(a_new_list_that_fails_ends_only_the_calls_that_wait_for_it)
{
    struct call hold = call_to("hold"), release = call_to("release"), c = call_to("echo");

    CHECK(begin_all() && SERVE("bad-list") && make_call(&hold));
    CHECK_SOON(hold.sent == 1);
    server->list_until_us = 0;
    CHECK(make_call(&c));
    CHECK_SOON(c.failures == 1);
    CHECK(said("gave no new list of its tools: busy") && hold.failures == 0);
    server->list_until_us = INT64_MAX;
    server->stale = false;
    CHECK(make_call(&release));
    CHECK_SOON(hold.results == 1 && release.results == 1);
    CHECK(traced("started") == 1 && end_all());
}

TEST(a_server_without_a_new_list_is_ended_when_it_is_idle)
{
    struct call c = call_to("echo");

    CHECK(begin_all() && SERVE("bad-list") && get_ready());
    server->list_until_us = 0;
    CHECK(make_call(&c));
    CHECK_SOON(c.failures == 1);
    settle();
    CHECK(server->timer.when_us > 0 && end_all());
}

TEST(a_list_that_comes_too_late_does_nothing)
{
    struct call c = call_to("echo"), late = call_to("echo");

    CHECK(begin_all() && SERVE("legacy") && get_ready());
    server->list_until_us = 0;
    CHECK(make_call(&c));
    CHECK_SOON(server->state == CR_SERVER_LISTING);
    cr_server_answer_is_late(server);
    CHECK(c.failures == 1 && said("no answer to tools/list after 60 s"));
    server->list_until_us = INT64_MAX;
    server->stale = false;
    CHECK(make_call(&late));
    CHECK_SOON(late.results + late.failures);
    CHECK(late.results == 1 && traced("started") == 1 && end_all());
}

/* --- freeing ---------------------------------------------------------------------------------- */

static void free_in(const char *word, enum cr_server_state state, bool stop)
{
    struct call c = call_to("hold");

    CHECK(begin_all());
    forced = strcmp(word, "silent=server/discover") == 0 ? CR_ERA_UNKNOWN : CR_ERA_LEGACY;
    CHECK(SERVE(word, "stay") && make_call(&c));
    CHECK_SOON(c.sent == 1 || c.failures == 1 || (server->state == state && traced("started")));
    if (stop)
        cr_server_stop(server);
    CHECK(server->state == state);
    if (!c.failures)
        cr_server_cancel(server, &c.at, "x");
    CHECK(server->state == state && end_all());
}

TEST(a_server_can_be_freed_in_every_state)
{
    free_in("silent=server/discover", CR_SERVER_PROBING, false);
    free_in("silent=initialize", CR_SERVER_INITIALIZING, false);
    free_in("silent=tools/list", CR_SERVER_LISTING, false);
    free_in("legacy", CR_SERVER_READY, false);
    free_in("legacy", CR_SERVER_ENDING, true);
    free_in("exit", CR_SERVER_OFF, false);
    cr_server_free(NULL);
}

/* --- no memory -------------------------------------------------------------------------------- */

/* Starts a server, lists its tools, calls one, ends. Returns false if a step went wrong. */
static bool live(bool *ret_failed)
{
    static struct cr_server_waiter w;
    static struct call c;
    int64_t until = cr_loop_now() + patience_us();
    bool ok;

    w = (struct cr_server_waiter){.done = on_known};
    c = call_to("echo");
    known = unknown = 0;
    *ret_failed = true;
    if (!SERVE("both"))
        return err.code == CAPRUN_E_NOMEM;
    cr_server_list(server, &w);
    if (!make_call(&c))
        return false;
    while ((!is_over(&c) || known + unknown == 0) && cr_loop_now() < until)
        cr_loop_step(&loop, 10);
    *ret_failed = c.failures || unknown;
    ok = c.results + c.failures == 1 && known + unknown == 1 && (!*ret_failed || last.text[0]);
    if (!ok)
        printf("# %d results, %d failures, %d known, %d unknown, state %d: %s\n", c.results,
               c.failures, known, unknown, (int)server->state, last.text);
    failing_stop();
    cr_server_free(server);
    server = NULL;
    return ok;
}

TEST(without_memory_a_life_ends_with_an_error_and_leaves_nothing)
{
    int rounds = 0, failed = 0;
    bool did_fail;
    size_t before;

    CHECK(begin_all());
    forced = CR_ERA_UNKNOWN;
    CHECK(live(&did_fail) && !did_fail);
    before = mallinfo2().uordblks;
    while (failing_more()) {
        bool ok = live(&did_fail);

        failing_stop();
        rounds++;
        failed += did_fail;
        if (!ok || all.first || mallinfo2().uordblks != before)
            printf("# round %d: %zu bytes more\n", rounds, mallinfo2().uordblks - before);
        CHECK(ok && !all.first && all.in_flight == 0);
        CHECK(mallinfo2().uordblks == before);
    }
    CHECK((rounds > 15 && failed > 10) || !failing_works());
    printf("# %d rounds, %d failed\n", rounds, failed);
    CHECK(end_all());
}

int main(int argc, char **argv)
{
    if (failing_works())
        own_count_exactly(argv);
    return own_main(argc, argv);
}
