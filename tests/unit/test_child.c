/*
 * test_child.c - MCP servers as processes: what goes through their pipes, and how they end.
 * test_guard.c tests that no process of a server is left.
 */
#include "servers.h"

#include <sys/resource.h>
#include <sys/wait.h>

#define NOTE(method) "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\"}"

/* --- lines ----------------------------------------------------------------------------------- */

TEST(a_line_comes_back_from_a_server_that_repeats_it)
{
    CHECK(begin() && START("cat"));
    CHECK(send_line(NOTE("a")) && send_line(NOTE("b")));
    CHECK_SOON(seen.messages == 2);
    CHECK(strcmp(seen.said, "a b ") == 0 && strcmp(seen.last, NOTE("b")) == 0);
    CHECK(!cr_child_is_ending(child) && cr_child_waiting(child) == 0 && end());
}

TEST(a_line_of_many_megabytes_goes_there_and_back)
{
    static char line[9u << 20];
    const char begins[] = "{\"jsonrpc\":\"2.0\",\"method\":\"big\",\"params\":[\"", ends[] = "\"]}";

    memset(line, 'x', sizeof(line));
    memcpy(line, begins, sizeof(begins) - 1);
    memcpy(line + sizeof(line) - sizeof(ends), ends, sizeof(ends));
    CHECK(begin() && START("cat") && send_line(line));
    CHECK(cr_child_waiting(child) > 1u << 20 && seen.rooms == 0);
    CHECK_SOON(seen.messages == 1);
    CHECK(seen.last_len == sizeof(line) - 1 && memcmp(seen.last, line, sizeof(line)) == 0);
    CHECK(send_line(line) && send_line(NOTE("small")));
    CHECK_SOON(seen.messages == 3);
    CHECK(strcmp(seen.said, "big big small ") == 0);
    CHECK(seen.rooms == 2 && cr_child_waiting(child) == 0 && end());
}

TEST(a_queue_that_is_never_empty_does_not_grow)
{
    static char line[256u << 10];
    size_t most = 0;

    memset(line, ' ', sizeof(line));
    memcpy(line, NOTE("x"), sizeof(NOTE("x")) - 1);
    CHECK(begin() && START("cat"));
    for (int i = 0; i < 200; i++) {
        CHECK(send_bytes(line, sizeof(line)) == 0);
        CHECK_SOON(cr_child_waiting(child) < 2u << 20);
        most = cr_child_waiting(child) > most ? cr_child_waiting(child) : most;
    }
    CHECK(most > 0);
    CHECK_SOON(seen.messages == 200);
    CHECK(end());
}

TEST(no_more_is_taken_for_a_server_that_does_not_read)
{
    static char line[16u << 20];
    int taken = 0;

    memset(line, ' ', sizeof(line));
    CHECK(begin() && SCRIPT("say ready; exec sleep 100"));
    while (send_bytes(line, sizeof(line)) == 0 && taken < 10)
        taken++;
    CHECK(taken == 5 && err.code == CAPRUN_E_TOOBIG && strstr(err.text, "'sh' does not read"));
    cr_child_stop(child);
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("was killed by signal 15 (Terminated)") && end());
}

TEST(a_line_that_is_no_message_is_kept_as_noise_and_not_delivered)
{
    CHECK(begin() && SCRIPT("echo 'Listening ...'; say a; echo; echo '   '; printf half"));
    CHECK_SOON(seen.endings == 1);
    CHECK(seen.messages == 1 && last_words_are("Listening ... | half") && end());
}

TEST(a_last_line_without_an_end_is_delivered_before_the_end)
{
    CHECK(begin() && START("printf", "%s", NOTE("last")));
    CHECK_SOON(seen.endings == 1);
    CHECK(strcmp(seen.said, "last ") == 0 && !seen.after_the_end && end());
}

TEST(all_that_a_server_wrote_before_it_died_is_delivered)
{
    CHECK(begin() && SCRIPT("i=0; while [ $i -lt 500 ]; do say n$i; i=$((i+1)); done; kill -9 $$"));
    CHECK_SOON(seen.endings == 1);
    CHECK(seen.messages == 500 && strcmp(seen.last, NOTE("n499")) == 0);
    CHECK(why_is("was killed by signal 9 (Killed)") && end());
}

/* --- turns ----------------------------------------------------------------------------------- */

#define MOST_TURNS 4 /* of one server in a step: control, guard, output, and one busy task */
#define SAY_MANY "i=0; while [ $i -lt 300 ]; do say n$i; i=$((i+1)); done;"

/* Steps until the server ends or |messages| came. Returns the most messages in a step, or -1. */
static int most_in_a_step(int messages)
{
    int64_t until = cr_loop_now() + patience_us();
    int most = 0;

    while (!seen.endings && seen.messages < messages) {
        int before = seen.messages;

        cr_loop_step(&loop, 10);
        most = seen.messages - before > most ? seen.messages - before : most;
        if (cr_loop_now() > until)
            return -1;
    }
    return most;
}

TEST(a_flood_of_messages_is_handled_in_many_turns)
{
    int most;

    CHECK(begin() && SCRIPT(SAY_MANY "exec sleep 100"));
    is_slow = true;
    most = most_in_a_step(300);
    CHECK(most > 0 && most <= MOST_TURNS && seen.messages == 300 && seen.endings == 0);
    CHECK(strcmp(seen.last, NOTE("n299")) == 0 && end());
}

TEST(what_is_left_at_the_end_is_handled_in_many_turns_before_the_end_is_told)
{
    int most;

    CHECK(begin() && SCRIPT(SAY_MANY "printf '%s' '" NOTE("last") "'"));
    is_slow = true;
    most = most_in_a_step(1000);
    CHECK(most > 0 && most <= MOST_TURNS && seen.endings == 1 && !seen.after_the_end);
    CHECK(seen.messages == 301 && strcmp(seen.last, NOTE("last")) == 0 && end());
}

TEST(a_batch_is_handed_out_in_many_turns)
{
    int most;

    CHECK(begin() &&
          SCRIPT("printf '['; i=0; while [ $i -lt 200 ]; do "
                 "printf '%s,' '" NOTE("a") "'; i=$((i+1)); done; "
                                            "printf '%s]\\n' '" NOTE("z") "'; exec sleep 100"));
    is_slow = true;
    most = most_in_a_step(201);
    CHECK(most > 0 && most <= MOST_TURNS && seen.messages == 201);
    CHECK(strcmp(seen.last, NOTE("z")) == 0 && end());
}

/* Steps until messages have come faster than they are handled. */
static bool has_messages_left(void)
{
    int64_t until = cr_loop_now() + patience_us();

    while (!loop.busy.first && seen.messages < 300 && cr_loop_now() < until)
        cr_loop_step(&loop, 10);
    return loop.busy.first;
}

TEST(a_server_may_be_freed_with_messages_left)
{
    CHECK(begin() && SCRIPT(SAY_MANY "exec sleep 100"));
    is_slow = true;
    CHECK(has_messages_left());
    forget_child();
    CHECK(!loop.busy.first && end());
    CHECK(begin() && SCRIPT(SAY_MANY));
    is_slow = true;
    CHECK_SOON(seen.messages > 250 && cr_child_is_ending(child));
    forget_child();
    CHECK(!loop.busy.first && seen.endings == 0 && end());
}

TEST(a_server_that_is_stopped_with_messages_left_still_delivers_them)
{
    CHECK(begin() && SCRIPT(SAY_MANY "cat >/dev/null; say bye"));
    is_slow = true;
    CHECK(most_in_a_step(5) > 0);
    cr_child_stop(child);
    CHECK_SOON(seen.endings == 1);
    CHECK(seen.messages == 301 && strcmp(seen.last, NOTE("bye")) == 0 && end());
}

TEST(the_end_of_many_megabytes_of_noise_is_kept)
{
    CHECK(begin() && SCRIPT("yes 1 | head -c 8000000; echo over; say z; exit 2"));
    CHECK_SOON(seen.endings == 1);
    CHECK(seen.messages == 1 && strcmp(last_words(10), "1 | over") == 0);
    CHECK(why_is("exited with status 2") && end());
}

/* --- last words ------------------------------------------------------------------------------ */

TEST(standard_error_is_kept_escaped_and_is_no_message)
{
    CHECK(begin() && SCRIPT("printf '\\033[31mred\\r\\n\\n\\377 say \"hi\"\\n' >&2; exit 3"));
    CHECK_SOON(seen.endings == 1);
    CHECK(seen.messages == 0 && last_words_are("\\u001b[31mred | \\xff say \"hi\""));
    CHECK(why_is("exited with status 3") && end());
}

TEST(only_the_last_part_of_long_standard_error_is_kept)
{
    CHECK(begin() && SCRIPT("i=0; while [ $i -lt 9999 ]; do echo line $i; i=$((i+1)); done >&2"));
    CHECK_SOON(seen.endings == 1);
    CHECK(strcmp(last_words(21), "line 9997 | line 9998") == 0);
    CHECK(strcmp(last_words(20), "line 9998") == 0);
    CHECK(strcmp(last_words(9), "line 9998") == 0);
    CHECK(strcmp(last_words(4), "9998") == 0 && strcmp(last_words(0), "") == 0);
    CHECK(strncmp(last_words(4096), "line ", 5) == 0 && strlen(last_words(4096)) > 4000);
    CHECK(end());
}

TEST(standard_error_that_is_cut_begins_with_a_whole_character)
{
    CHECK(begin() && SCRIPT("printf 'aäöü' >&2"));
    CHECK_SOON(seen.endings == 1);
    CHECK(last_words_are("aäöü") && strcmp(last_words(5), "öü") == 0 && end());
}

/* --- what cannot be started ------------------------------------------------------------------ */

TEST(a_command_that_is_not_there_is_named)
{
    CHECK(begin() && START("caprun-no-such-command", "x"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("could not be started: 'caprun-no-such-command' is not there (No such file or "
                 "directory)"));
    CHECK(cr_child_is_missing(child) && cr_child_is_ending(child));
    CHECK(!send_line("{}") && err.code == CAPRUN_E_STATE && end());
}

TEST(a_directory_that_is_not_there_is_named)
{
    CHECK(begin());
    work_in = "/no/such/directory";
    CHECK(START("cat"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("could not be started: its directory '/no/such/directory' cannot be entered (No "
                 "such file or directory)"));
    CHECK(cr_child_is_missing(child) && end());
}

TEST(a_file_that_may_not_be_executed_is_named)
{
    CHECK(begin() && put("plain", "#!/bin/sh\n"));
    work_in = scratch;
    CHECK(START("./plain"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("could not be started: './plain' may not be executed (Permission denied)"));
    CHECK(cr_child_is_missing(child) && end());
}

TEST(a_guard_that_is_not_there_is_an_error_at_once)
{
    CHECK(begin());
    guard_path = "/nowhere/caprun-guard";
    CHECK(!START("cat") && !child && err.code == CAPRUN_E_SYS);
    CHECK(strstr(err.text, "start '/nowhere/caprun-guard': No such file") && end());
}

TEST(a_guard_that_is_another_program_is_an_end)
{
    CHECK(begin());
    guard_path = "/bin/true";
    CHECK(START("cat"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("could not be started: its guard ended") && !cr_child_is_missing(child) && end());
}

/* --- how a server ends ----------------------------------------------------------------------- */

TEST(a_server_that_exits_ends_with_its_status)
{
    CHECK(begin() && SCRIPT("exit 0"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("exited with status 0") && !cr_child_is_missing(child) && end());
    CHECK(begin() && SCRIPT("kill -SEGV $$"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("was killed by signal 11 (Segmentation fault)") && end());
}

static int64_t started_us;

static bool stop_after(const char *word)
{
    int64_t until = cr_loop_now() + patience_us();

    while (!strstr(seen.said, word) && cr_loop_now() < until)
        cr_loop_step(&loop, 10);
    started_us = cr_loop_now();
    cr_child_stop(child);
    cr_child_stop(child);
    return strstr(seen.said, word) && cr_child_is_ending(child) && seen.endings == 0;
}

static int64_t took_ms(void)
{
    return (cr_loop_now() - started_us) / 1000;
}

TEST(stopping_closes_the_input_of_a_server_and_what_it_then_says_is_heard)
{
    CHECK(begin() && SCRIPT("say ready; cat >/dev/null; say bye; exit 4") && stop_after("ready"));
    CHECK(!send_line("{}") && err.code == CAPRUN_E_STATE);
    CHECK_SOON(seen.endings == 1);
    CHECK(strcmp(seen.said, "ready bye ") == 0 && why_is("exited with status 4"));
    CHECK(took_ms() < CR_CHILD_PATIENCE_MS && end());
}

TEST(a_server_that_writes_to_its_input_still_finds_its_end)
{
    CHECK(begin() && SCRIPT("(echo x >&0) 2>/dev/null; say ready; cat >/dev/null && exit 8"));
    CHECK(stop_after("ready"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("exited with status 8") && end());
}

TEST(what_waits_is_written_before_the_input_is_closed)
{
    static char line[2u << 20];

    memset(line, ' ', sizeof(line));
    CHECK(begin() && SCRIPT("say ready; exit $(wc -c | cut -c 1-2)"));
    CHECK(send_bytes(line, sizeof(line)) == 0 && cr_child_waiting(child) > 0);
    CHECK(stop_after("ready"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("exited with status 20") && seen.rooms == 0 && end()); /* of 2097153 bytes */
}

TEST(a_server_that_ignores_the_end_of_its_input_gets_a_signal)
{
    CHECK(begin() &&
          SCRIPT("trap 'say term; exit 5' TERM; say ready; while :; do sleep 0.05; done"));
    CHECK(stop_after("ready"));
    CHECK_SOON(seen.endings == 1);
    CHECK(strcmp(seen.said, "ready term ") == 0 && why_is("exited with status 5"));
    CHECK(took_ms() >= CR_CHILD_PATIENCE_MS && end());
}

TEST(a_server_that_ignores_the_signal_is_killed)
{
    CHECK(begin() && SCRIPT("trap '' TERM; say ready; while :; do sleep 0.05; done"));
    CHECK(stop_after("ready"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("was killed, since it did not end by itself"));
    CHECK(took_ms() >= 2 * CR_CHILD_PATIENCE_MS && took_ms() < 4 * CR_CHILD_PATIENCE_MS && end());
}

TEST(a_server_that_closes_its_output_is_stopped)
{
    CHECK(begin() && SCRIPT("say ready; exec >&-; cat >/dev/null; exit 6"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("exited with status 6") && end());
}

TEST(a_server_that_closes_its_input_is_stopped)
{
    CHECK(begin() && SCRIPT("say ready; exec <&-; exec sleep 100"));
    CHECK_SOON(seen.endings == 1);
    CHECK(why_is("was killed by signal 15 (Terminated)") && end());
}

TEST(a_broken_pipe_is_no_signal_for_the_host)
{
    CHECK(begin() && SCRIPT("exec <&-; say ready; exec sleep 100"));
    (void)signal(SIGPIPE, SIG_DFL);
    for (int64_t until = cr_loop_now() + patience_us(); send_line("{}") && cr_loop_now() < until;)
        (void)usleep(1000);
    CHECK(err.code == CAPRUN_E_STATE && strstr(err.text, "'sh' no longer reads its input"));
    CHECK(cr_child_is_ending(child) && end());
}

TEST(freeing_a_server_kills_it_at_once)
{
    CHECK(begin() && SCRIPT("trap '' TERM; say ready; sleep 100 & sleep 100"));
    CHECK_SOON(strstr(seen.said, "ready"));
    CHECK(!nobody_is_left());
    started_us = cr_loop_now();
    forget_child();
    CHECK(nobody_is_left() && took_ms() < CR_CHILD_PATIENCE_MS && seen.endings == 0 && end());
}

static void free_it(void *data)
{
    on_ended(data);
    forget_child();
}

TEST(a_server_may_be_freed_at_its_end)
{
    static const struct cr_transport_owner owner = {
        .message = on_message, .room = on_room, .ended = free_it};
    const struct cr_child_spec spec = {NULL, (const char *const[]){"/bin/true", NULL},
                                       (const char *const[]){NULL}, "/"};
    struct cr_child_spec with_guard = spec;

    CHECK(begin());
    with_guard.guard = guard_path;
    CHECK(cr_child_start(&loop, &with_guard, &owner, NULL, &child, &err) == 0);
    CHECK_SOON(seen.endings == 1);
    CHECK(!child && end());
}

/* --- what a server finds --------------------------------------------------------------------- */

TEST(the_environment_is_exactly_what_was_given)
{
    const char *const given[] = {"PATH=/bin:/usr/bin", "A=b c", "EMPTY=", NULL};

    CHECK(begin());
    environment = given;
    CHECK(START("env"));
    CHECK_SOON(seen.endings == 1);
    CHECK(last_words_are("PATH=/bin:/usr/bin | A=b c | EMPTY=") && end());
}

TEST(the_command_is_searched_in_the_path_of_its_environment)
{
    const char *const none[] = {"PATH=/nowhere", NULL};

    CHECK(begin());
    environment = none;
    CHECK(START("cat"));
    CHECK_SOON(seen.endings == 1);
    CHECK(cr_child_is_missing(child) && end());
}

TEST(the_loader_of_the_server_is_steered_but_not_that_of_its_guard)
{
    const char *const given[] = {"LD_PRELOAD=/no/such.so", NULL};
    const char *found;

    CHECK(begin());
    environment = given;
    CHECK(START("/bin/true"));
    CHECK_SOON(seen.endings == 1);
    found = strstr(last_words(4096), "/no/such.so");
    CHECK(found && !strstr(found + 1, "/no/such.so") && end());
}

TEST(it_runs_in_its_directory_and_in_a_group_of_its_own)
{
    CHECK(begin());
    work_in = scratch;
    CHECK(START("sh", "-c", "pwd; [ $(ps -o pgid= -p $$) = $$ ] && echo leads"));
    CHECK_SOON(seen.endings == 1);
    CHECK(strstr(last_words(4096), " | leads"));
    CHECK(strncmp(last_words(4096), scratch, strlen(scratch)) == 0 && end());
}

TEST(it_has_three_descriptors)
{
    int others = dup2(STDERR_FILENO, 50); /* stays open across exec */

    CHECK(begin() && START("sh", "-c", "ls /proc/$$/fd; readlink /proc/$$/fd/[012]"));
    CHECK_SOON(seen.endings == 1);
    (void)close(others);
    CHECK(strncmp(last_words(4096), "0 | 1 | 2 | socket:", 19) == 0);
    CHECK(strstr(last_words(4096), "] | pipe:") && !strstr(last_words(4096), "3 |") && end());
}

static int start_without_descriptors(int number)
{
    (void)number;
    if (!begin())
        return 1;
    for (int fd = 0; fd <= 3; fd++)
        if (fd != loop.epoll_fd && fd != loop.clock.fd && fd != loop.bell.fd)
            (void)close(fd);
    if (!START("cat") || !send_line(NOTE("a")))
        return 2;
    for (int64_t until = cr_loop_now() + patience_us(); cr_loop_now() < until && !seen.messages;)
        cr_loop_step(&loop, 10);
    return seen.messages == 1 && end() ? 0 : 3;
}

TEST(an_application_may_have_closed_its_own_descriptors)
{
    CHECK(in_child(start_without_descriptors, 0) == 0);
}

static int start_with_odd_signals(int number)
{
    sigset_t all;

    (void)number;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    for (int i = 1; i < SIGRTMAX; i++)
        (void)signal(i, SIG_IGN); /* SIGCHLD as well: no process reaps its children */
    if (!begin() || !START("sed", "-n", "/^Sig[BIC]/p", "/proc/self/status"))
        return 1;
    for (int64_t until = cr_loop_now() + patience_us(); cr_loop_now() < until && !seen.endings;)
        cr_loop_step(&loop, 10);
    if (!last_words_are("SigBlk:\t0000000000000000 | SigIgn:\t0000000000000000 | "
                        "SigCgt:\t0000000000000000"))
        return 2;
    return why_is("exited with status 0") && end() ? 0 : 3;
}

TEST(its_signals_are_as_at_a_login_whatever_those_of_the_application_are)
{
    CHECK(in_child(start_with_odd_signals, 0) == 0);
}

/* --- no descriptors, no memory --------------------------------------------------------------- */

TEST(two_hundred_servers_leave_no_descriptors)
{
    int before;

    CHECK(begin());
    before = count_descriptors();
    for (int i = 1; i <= 200; i++) {
        seen.endings = 0;
        CHECK(i % 3 ? START("true") : START("caprun-no-such-command"));
        if (i % 2)
            CHECK_SOON(seen.endings == 1);
        forget_child();
    }
    CHECK(count_descriptors() == before && end());
}

/* Each limit allows one descriptor more than the last, until a server starts. */
TEST(without_descriptors_nothing_starts_and_nothing_is_left)
{
    struct rlimit old, low;
    int before, lowest, failed = 0;
    bool started = false;

    CHECK(begin() && getrlimit(RLIMIT_NOFILE, &old) == 0);
    before = count_descriptors();
    lowest = dup(STDERR_FILENO);
    (void)close(lowest);
    for (int left = 0; left < 100 && !started; left++) {
        low = old;
        low.rlim_cur = (rlim_t)lowest + (rlim_t)left;
        CHECK(setrlimit(RLIMIT_NOFILE, &low) == 0);
        started = START("true");
        CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
        failed += !started;
        CHECK(started || (err.code == CAPRUN_E_SYS && strstr(err.text, "Too many open files")));
        forget_child();
        CHECK(count_descriptors() == before);
    }
    CHECK(started && failed >= 8 && end());
}

TEST(without_memory_nothing_starts_and_nothing_is_left)
{
    int before, failed = 0;

    CHECK(begin());
    before = count_descriptors();
    while (failing_more()) {
        bool ok = START("true");

        failing_stop();
        failed += !ok;
        CHECK(ok || err.code == CAPRUN_E_NOMEM);
        forget_child();
        CHECK(count_descriptors() == before);
    }
    CHECK((failed >= 2 || !failing_works()) && end());
}

/* The threads must exist first: the server could use up the user's process limit. */
TEST(a_server_is_started_only_if_there_are_helpers_for_what_it_says)
{
    CHECK(begin());
    loop.disk.is_threadless = true;
    CHECK(!START("cat") && err.code == CAPRUN_E_SYS && strstr(err.text, "helper threads"));
    loop.disk.is_threadless = false;
    CHECK(START("cat") && loop.helper.has_thread && loop.disk.has_thread && end());
}

TEST(a_line_for_which_there_is_no_memory_is_not_sent_by_half)
{
    static char line[4u << 20];
    bool works = failing_works();

    memset(line, ' ', sizeof(line));
    CHECK(begin() && SCRIPT("say ready; exec sleep 100"));
    CHECK(send_bytes(line, sizeof(line)) == 0);
    failing_after(0);
    CHECK((send_bytes(line, sizeof(line)) == CAPRUN_E_NOMEM) == works);
    failing_stop();
    /* the first line still waits, so no part of the second was sent */
    CHECK(!cr_child_is_ending(child));
    forget_child();
    CHECK(SCRIPT("say ready; exec sleep 100"));
    failing_after(0);
    CHECK((send_bytes(line, sizeof(line)) == CAPRUN_E_NOMEM) == works);
    failing_stop();
    CHECK(cr_child_is_ending(child) == works);
    if (works) {
        CHECK_SOON(seen.endings == 1);
        CHECK(why_is("was killed, since there was no memory for the rest of a line to it"));
    }
    CHECK(end());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
