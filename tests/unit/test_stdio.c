/* test_stdio.c - MCP servers over stdio: copying the command, starting it, its error messages. */
#include "mcp/stdio.h"

#include "servers.h"

static struct cr_endpoint *endpoint;
static struct cr_transport *transport;

/* Makes an endpoint from strings that are overwritten afterwards. */
static bool make(const char *command, const char *script)
{
    char words[3][256], lock[1100], guard[4096], cwd[] = "/";
    const char *const argv[] = {words[0], words[1], words[2], NULL};
    const char *const envp[] = {"PATH=/usr/local/bin:/usr/bin:/bin", lock, NULL};

    (void)snprintf(words[0], sizeof(words[0]), "%s", command);
    (void)snprintf(words[1], sizeof(words[1]), "-c");
    (void)snprintf(words[2], sizeof(words[2]), "%s%s", SAY LOCK, script);
    (void)snprintf(lock, sizeof(lock), "LOCK=%s", path_of("lock"));
    (void)snprintf(guard, sizeof(guard), "%s", guard_path);
    endpoint = cr_stdio_new(&(struct cr_child_spec){guard, argv, envp, cwd});
    memset(words, 'x', sizeof(words));
    memset(lock, 'x', sizeof(lock));
    memset(guard, 'x', sizeof(guard));
    memset(cwd, 'x', sizeof(cwd));
    return endpoint;
}

static bool run(void)
{
    return endpoint->start(endpoint, &loop, &watcher, NULL, &transport, &err) == 0;
}

static void forget_transport(void)
{
    transport->ops->free(transport);
    transport = NULL;
}

static bool end_both(void)
{
    forget_transport();
    endpoint->free(endpoint);
    return end();
}

/* The hint of |transport|, in a static buffer. */
static const char *hint(size_t max)
{
    static char text[1024];
    struct cr_buf out;

    cr_buf_init(&out, sizeof(text));
    cr_buf_str(&out, "hint: ");
    transport->ops->hint(transport, max, &out);
    (void)snprintf(text, sizeof(text), "%.*s", (int)out.len, (const char *)out.data);
    cr_buf_clear(&out);
    return text;
}

TEST(a_command_is_copied_and_can_be_started_again_and_again)
{
    CHECK(begin() && make("sh", "say hello; pwd >&2; read x; exit 3"));
    for (int i = 1; i <= 3; i++) {
        CHECK(run());
        CHECK_SOON(seen.messages == i);
        CHECK(!transport->ops->is_ending(transport));
        CHECK(transport->ops->send(transport, &(struct cr_transport_label){.version = ""},
                                   &(struct cr_outbox_part){.bytes = "{}", .len = 2}, 1,
                                   &err) == 0);
        CHECK(!transport->ops->drop(transport, 1) && !transport->ops->has_expired(transport));
        CHECK_SOON(seen.endings == i);
        CHECK(strcmp(transport->ops->why(transport), "exited with status 3") == 0);
        CHECK(strcmp(hint(100), "hint: its last words: /") == 0);
        CHECK(transport->ops->is_ending(transport) && !transport->ops->is_missing(transport));
        if (i < 3)
            forget_transport();
    }
    CHECK(strcmp(seen.said, "hello hello hello ") == 0 && end_both());
}

TEST(the_key_is_the_command_with_its_arguments)
{
    CHECK(begin() && make("sh", "true"));
    CHECK(strcmp(endpoint->key[0], "sh") == 0 && strcmp(endpoint->key[1], "-c") == 0);
    CHECK(strcmp(endpoint->key[2], SAY LOCK "true") == 0 && !endpoint->key[3]);
    endpoint->free(endpoint);
    CHECK(end());
}

TEST(the_path_of_a_command_that_is_missing_is_in_the_hint_alone)
{
    CHECK(begin() && make("/no/such/thing", "") && run());
    CHECK_SOON(seen.endings == 1);
    CHECK(transport->ops->is_missing(transport));
    CHECK(strcmp(transport->ops->why(transport), "could not be started") == 0);
    CHECK(strcmp(hint(100), "hint: '/no/such/thing' is not there (No such file or directory)") ==
          0);
    CHECK(strcmp(hint(3), "hint: '/n") == 0 && end_both());
}

TEST(a_hint_has_the_last_words_if_there_are_any_and_no_more_than_may_be)
{
    CHECK(begin() && make("sh", "exit 1") && run());
    CHECK_SOON(seen.endings == 1);
    CHECK(strcmp(hint(100), "hint: ") == 0);
    CHECK(end_both() && begin() && make("sh", "printf 'one\\ntwo\\n' >&2") && run());
    CHECK_SOON(seen.endings == 1);
    CHECK(strcmp(hint(100), "hint: its last words: one | two") == 0);
    CHECK(strcmp(hint(16 + 4), "hint: its last words: two") == 0);
    CHECK(strcmp(hint(16), "hint: ") == 0 && strcmp(hint(2), "hint: ") == 0 && end_both());
}

TEST(what_is_stopped_ends_in_the_orderly_way)
{
    CHECK(begin() && make("sh", "say hello; read x; say bye; exit 0") && run());
    CHECK_SOON(seen.messages == 1);
    CHECK(transport->ops->waiting(transport) == 0);
    transport->ops->stop(transport);
    CHECK(transport->ops->is_ending(transport) && seen.endings == 0);
    CHECK_SOON(seen.endings == 1);
    CHECK(strcmp(seen.said, "hello bye ") == 0 && end_both());
}

TEST(without_memory_there_is_no_endpoint_or_no_start)
{
    int failed = 0, not_made = 0;

    CHECK(begin());
    while (failing_more()) {
        bool is_made = make("sh", "true"), is_started = is_made && run();

        failing_stop();
        not_made += !is_made;
        failed += is_made && !is_started;
        CHECK(!is_made || is_started || err.code == CAPRUN_E_NOMEM);
        if (is_started)
            forget_transport();
        if (is_made)
            endpoint->free(endpoint);
    }
    CHECK(((not_made == 5 && failed >= 3) || !failing_works()) && end());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
