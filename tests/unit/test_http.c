/* test_http.c - URLs and heads, and a fetch without memory; the rest is in integration/fetch.t. */
#include "tap.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing.h"
#include "http/http.h"
#include "http/head.h"

/* --- URLs ----------------------------------------------------------------------------------- */

TEST(urls_are_http_and_https_with_a_host)
{
    CHECK(cr_http_is_url("http://h") && cr_http_is_url("https://h/") &&
          cr_http_is_url("HTTPS://H"));
    CHECK(cr_http_is_url("http://[::1]:80/a?b#c") && cr_http_is_url("http://h/@"));
    CHECK(cr_http_is_url("http://h?@") && cr_http_is_url("http://h#@"));
    CHECK(!cr_http_is_url("") && !cr_http_is_url("h") && !cr_http_is_url("http:") &&
          !cr_http_is_url("http://") && !cr_http_is_url("https:///x") &&
          !cr_http_is_url("http://?"));
    CHECK(!cr_http_is_url("ftp://h") && !cr_http_is_url("file:///x") &&
          !cr_http_is_url("./http://h"));
    CHECK(!cr_http_is_url("http://u@h") && !cr_http_is_url("https://u:p@h/") &&
          !cr_http_is_url("http://@h"));
    CHECK(!cr_http_is_url("http://h/ ") && !cr_http_is_url("http://h/\n") &&
          !cr_http_is_url("http://h/\x7f") && !cr_http_is_url("http://h/\xc3\xa9"));
}

TEST(a_url_has_2048_bytes_at_most)
{
    char url[2050];

    memset(url, 'x', sizeof(url));
    memcpy(url, "http://h/", 9);
    url[2049] = '\0';
    CHECK(!cr_http_is_url(url));
    url[2048] = '\0';
    CHECK(cr_http_is_url(url));
}

/* --- heads ---------------------------------------------------------------------------------- */

/* Reads |text| line by line. Returns false when a line is too much. */
static bool read_head(struct cr_http_head *head, const char *text)
{
    cr_http_head_init(head);
    while (*text) {
        size_t len = strcspn(text, "\n") + 1;

        if (!cr_http_head_line(head, text, len))
            return false;
        text += len;
    }
    return true;
}

TEST(a_head_ends_at_the_empty_line)
{
    struct cr_http_head head;

    CHECK(read_head(&head, "HTTP/1.1 200 OK\r\nETag: \"a\"\r\n"));
    CHECK(head.status == 200 && !head.done && strcmp(head.etag, "\"a\"") == 0);
    CHECK(cr_http_head_line(&head, "\r\n", 2) && head.done);
    CHECK(cr_http_head_line(&head, "ETag: \"b\"\r\n", 11) && strcmp(head.etag, "\"a\"") == 0);
    CHECK(cr_http_head_line(&head, "HTTP/1.1 500 X\r\n", 16) && head.status == 200);
}

TEST(an_informational_head_is_forgotten)
{
    struct cr_http_head head;

    CHECK(read_head(&head, "HTTP/1.1 103 X\r\nETag: \"a\"\r\nCache-Control: no-store\r\n\r\n"));
    CHECK(head.status == 103 && !head.done);
    CHECK(cr_http_head_line(&head, "HTTP/2 404 \r\n", 13));
    CHECK(head.status == 404 && !head.etag[0] && !head.no_store && !head.done);
}

TEST(a_status_line_that_is_none_has_no_status)
{
    static const char *const bad[] = {"HTTP/1.1\r\n",     "HTTP/1.1 \r\n",    "HTTP/1.1 20\r\n",
                                      "HTTP/1.1 abc\r\n", "HTTP/1.1 -20\r\n", "HTTP/\r\n"};
    struct cr_http_head head;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(read_head(&head, bad[i]));
        CHECK(head.status <= 0);
        CHECK(cr_http_head_line(&head, "\r\n", 2) && !head.done);
    }
    CHECK(read_head(&head, "HTTP/2 200\r\n\r\n") && head.status == 200 && head.done);
}

TEST(lines_that_are_no_headers_are_passed_over)
{
    struct cr_http_head head;

    CHECK(read_head(&head, "HTTP/1.1 200 OK\r\nETag\r\n: x\r\nETa: x\r\nETagg: x\r\n:\r\n"
                           "Cache-Control:,,=,max-age,max-age=\r\nRetry-After: Tue\r\n\r\n"));
    CHECK(head.done && !head.etag[0] && head.max_age_s == 0 && head.retry_after_s == -1);
}

TEST(a_head_of_64_kib_is_taken_and_a_byte_more_is_not)
{
    static char line[CR_HTTP_HEAD_MAX + 1];
    struct cr_http_head head;

    memset(line, 'x', sizeof(line));
    cr_http_head_init(&head);
    CHECK(cr_http_head_line(&head, line, CR_HTTP_HEAD_MAX));
    CHECK(!cr_http_head_line(&head, line, 1));
    cr_http_head_init(&head);
    CHECK(!cr_http_head_line(&head, line, sizeof(line)));
}

/* --- no memory ------------------------------------------------------------------------------ */

/* Answers every connection with |text|, until the test ends. */
static void answer_all(int listener, const char *text)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int connection; (connection = accept(listener, NULL, NULL)) >= 0;) {
        char asked[4096];

        (void)!read(connection, asked, sizeof(asked));
        (void)!write(connection, text, strlen(text));
        (void)close(connection);
    }
    _exit(1);
}

/* A server in a process of its own. Returns its pid. */
static pid_t serve(const char *text, char ret_url[64])
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pid_t pid;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, len) < 0 || listen(listener, 64) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &len) < 0)
        return -1;
    (void)snprintf(ret_url, 64, "http://127.0.0.1:%d/x", ntohs(address.sin_port));
    pid = fork();
    if (pid == 0)
        answer_all(listener, text);
    (void)close(listener);
    return pid;
}

TEST(without_memory_a_fetch_fails_and_the_next_works)
{
    struct cr_http_answer answer;
    struct cr_problem why;
    struct cr_http http;
    char url[64];
    pid_t pid = serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", url);
    int failed = 0;

    CHECK(pid > 0);
    cr_http_init(&http);
    http.tries = 1;
    CHECK(cr_http_get(&http, url, "*/*", "\"e\"", 10, &answer, &why) == 0);
    cr_buf_clear(&answer.body);
    while (failing_more()) {
        int r = cr_http_get(&http, url, "*/*", "\"e\"", 10, &answer, &why);

        failing_stop();
        CHECK(r != 0 || answer.body.len == 2);
        if (r == 0)
            cr_buf_clear(&answer.body);
        failed += r != 0;
        CHECK(r == 0 || why.outcome == CAPRUN_OUTCOME_INTERNAL ||
              why.outcome == CAPRUN_OUTCOME_REGISTRY_UNREACHABLE);
    }
    CHECK(!failing_works() || failed > 5);
    CHECK(cr_http_get(&http, url, "*/*", NULL, 10, &answer, &why) == 0 && answer.body.len == 2);
    cr_buf_clear(&answer.body);
    cr_http_clear(&http);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
