/* test_http.c - URLs, response headers, and requests without memory; see also fetch.t. */
#include "process.h"
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
#include "http/url.h"

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

/* --- URLs ----------------------------------------------------------------------------------- */

TEST(urls_are_http_and_https_with_a_host)
{
    CHECK(cr_url_is_http("http://h") && cr_url_is_http("https://h/") &&
          cr_url_is_http("HTTPS://H"));
    CHECK(cr_url_is_http("http://[::1]:80/a?b#c") && cr_url_is_http("http://h/@"));
    CHECK(cr_url_is_http("http://h?@") && cr_url_is_http("http://h#@"));
    CHECK(!cr_url_is_http("") && !cr_url_is_http("h") && !cr_url_is_http("http:") &&
          !cr_url_is_http("http://") && !cr_url_is_http("https:///x") &&
          !cr_url_is_http("http://?"));
    CHECK(!cr_url_is_http("ftp://h") && !cr_url_is_http("file:///x") &&
          !cr_url_is_http("./http://h"));
    CHECK(!cr_url_is_http("http://u@h") && !cr_url_is_http("https://u:p@h/") &&
          !cr_url_is_http("http://@h"));
    CHECK(!cr_url_is_http("http://h/ ") && !cr_url_is_http("http://h/\n") &&
          !cr_url_is_http("http://h/\x7f") && !cr_url_is_http("http://h/\xc3\xa9"));
}

TEST(a_url_has_2048_bytes_at_most)
{
    char url[2050];

    memset(url, 'x', sizeof(url));
    memcpy(url, "http://h/", 9);
    url[2049] = '\0';
    CHECK(!cr_url_is_http(url));
    url[2048] = '\0';
    CHECK(cr_url_is_http(url));
}

/* --- heads ---------------------------------------------------------------------------------- */

/* Feeds |text| line by line. Returns false if a line exceeds the limit. */
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

TEST(a_field_that_looks_like_a_status_line_is_a_field)
{
    struct cr_http_head head;

    CHECK(read_head(&head, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nHTTP/1.1 404 a:b\r\n"
                           "Content-Encoding: gzip\r\n\r\n"));
    CHECK(head.status == 200 && head.codings == 2);
    CHECK(read_head(&head, "HTTP/1.1 103 X\r\nContent-Encoding: gzip\r\n\r\n"
                           "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"));
    CHECK(head.status == 200 && head.codings == 2);
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

/* Answers every connection with |text|. Never returns. */
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

/* Listens, and accepts no connection. */
static int listen_only(char ret_url[64])
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, len) < 0 || listen(listener, 64) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &len) < 0)
        return -1;
    (void)snprintf(ret_url, 64, "http://127.0.0.1:%d/x", ntohs(address.sin_port));
    return listener;
}

/* Starts a server in a new process. Returns its pid. */
static pid_t serve(const char *text, char ret_url[64])
{
    int listener = listen_only(ret_url);
    pid_t pid = listener < 0 ? -1 : fork();

    if (pid == 0)
        answer_all(listener, text);
    (void)close(listener);
    return pid;
}

/* A client, its loop, and the result of its last request. */
struct client {
    struct cr_loop loop;
    struct cr_http http;
    long status; /* 0: it failed */
    size_t length;
    enum caprun_outcome outcome;
    bool is_done;
};

static void take_end(void *data, struct cr_http_answer *answer, const struct cr_err *why)
{
    struct client *c = data;

    c->is_done = true;
    c->status = answer ? answer->status : 0;
    c->length = answer ? answer->body.len : 0;
    c->outcome = why->outcome;
    if (answer)
        cr_buf_clear(&answer->body);
}

static char words[sizeof(((struct cr_err *)0)->text)];

static void take_words(void *data, struct cr_http_answer *answer, const struct cr_err *why)
{
    (void)snprintf(words, sizeof(words), "%s", answer ? "" : why->text);
    take_end(data, answer, why);
}

static struct cr_http_ask ask_for(struct client *c, const char *url)
{
    return (struct cr_http_ask){
        .url = url, .accept = "*/*", .etag = "\"e\"", .max = 10, .done = take_end, .data = c};
}

/* Returns true if an answer of two bytes came. */
static bool get(struct client *c, const char *url)
{
    struct cr_http_ask ask = ask_for(c, url);

    c->is_done = false;
    c->status = 0;
    c->outcome = CAPRUN_OUTCOME_INTERNAL;
    if (!cr_http_start(&c->http, &ask))
        return false;
    while (!c->is_done)
        cr_loop_step(&c->loop, -1);
    return c->status == 200 && c->length == 2;
}

static void begin_client(struct client *c)
{
    CHECK(cr_loop_init(&c->loop, NULL) == 0);
    c->loop.disk.is_threadless = true; /* so that the same allocation fails each time */
    cr_http_init(&c->http, &c->loop);
    (void)snprintf(c->http.program, sizeof(c->http.program), "%s", built_program("caprun-fetch"));
    c->http.limits.tries = 1;
}

static void end_client(struct client *c)
{
    cr_http_clear(&c->http);
    cr_loop_clear(&c->loop);
}

TEST(without_memory_a_fetch_fails_and_the_next_works)
{
    static struct client c;
    char url[64];
    pid_t pid = serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", url);
    int failed = 0;

    CHECK(pid > 0);
    begin_client(&c);
    CHECK(get(&c, url));
    while (failing_more()) {
        bool good = get(&c, url);

        failing_stop();
        failed += !good;
        CHECK(good || c.outcome == CAPRUN_OUTCOME_INTERNAL ||
              c.outcome == CAPRUN_OUTCOME_REGISTRY_UNREACHABLE);
    }
    CHECK(!failing_works() || failed > 5);
    CHECK(get(&c, url));
    end_client(&c);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

/* --- side by side --------------------------------------------------------------------------- */

TEST(requests_run_side_by_side_and_one_that_is_cancelled_says_nothing)
{
    static struct client c, others[2];
    struct cr_http_request *silent;
    struct cr_err why;
    char url[64], nowhere[64];
    int listener = listen_only(nowhere);
    pid_t pid = serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", url);
    struct cr_http_ask asks[3] = {ask_for(&c, nowhere), ask_for(&others[0], url),
                                  ask_for(&others[1], url)};

    CHECK(pid > 0 && listener >= 0);
    begin_client(&c);
    silent = cr_http_start(&c.http, &asks[0]);
    CHECK(silent && cr_http_start(&c.http, &asks[1]) && cr_http_start(&c.http, &asks[2]));
    while (!others[0].is_done || !others[1].is_done)
        cr_loop_step(&c.loop, -1);
    CHECK(others[0].length == 2 && others[1].length == 2 && !c.is_done);
    cr_http_cancel(silent, &why);
    CHECK(why.outcome == CAPRUN_OUTCOME_CANCELLED && strstr(why.text, nowhere));
    CHECK(get(&c, url));
    end_client(&c);
    (void)close(listener);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

TEST(a_request_is_cancelled_before_it_began)
{
    static struct client c;
    struct cr_http_ask ask = ask_for(&c, "http://127.0.0.1:1/");

    begin_client(&c);
    cr_http_cancel(cr_http_start(&c.http, &ask), NULL);
    cr_loop_step(&c.loop, 0);
    CHECK(!c.is_done);
    end_client(&c);
}

/* The watchdog looks at the turns: to fail all of them in one took 85 ms, and to pass over those
 * that end for each that began was quadratic. */
TEST(many_requests_that_cannot_begin_end_one_by_one)
{
    static struct client all[2000], c;
    struct cr_http_ask ask;
    size_t done = 0;

    begin_client(&c);
    (void)snprintf(c.http.program, sizeof(c.http.program), "/nowhere/caprun-fetch");
    for (size_t i = 0; i < COUNT(all); i++) {
        all[i] = (struct client){.is_done = false};
        ask = ask_for(&all[i], "http://127.0.0.1:1/");
        CHECK(cr_http_start(&c.http, &ask));
    }
    for (int steps = 0; done < COUNT(all) && steps < 100000; steps++) {
        cr_loop_step(&c.loop, 0);
        for (; done < COUNT(all) && all[done].is_done; done++)
            CHECK(all[done].outcome == CAPRUN_OUTCOME_INTERNAL);
    }
    CHECK(done == COUNT(all) && !c.http.running && !c.http.waiting.first && !c.http.started.first);
    end_client(&c);
}

static struct {
    struct client client;
    struct cr_http_request *request;
    bool is_cancelled;
} chain[3 * CR_HTTP_AT_ONCE];

/* The next request has failed by now, and was not told: cancels it. */
static void take_end_and_cancel_next(void *data, struct cr_http_answer *answer,
                                     const struct cr_err *why)
{
    size_t next = 0;

    take_end(data, answer, why);
    while (&chain[next++].client != data)
        ;
    if (next < COUNT(chain) && next > CR_HTTP_AT_ONCE) {
        cr_http_cancel(chain[next].request, NULL);
        chain[next].is_cancelled = true;
    }
}

TEST(a_request_that_could_not_begin_and_is_cancelled_lets_the_next_begin)
{
    static struct client c;
    struct cr_http_ask ask;
    char url[64];
    int listener = listen_only(url);
    size_t done = 0, cancelled = 0;

    begin_client(&c);
    for (size_t i = 0; i < COUNT(chain); i++) {
        ask = ask_for(&chain[i].client, url);
        ask.done = take_end_and_cancel_next;
        chain[i].request = cr_http_start(&c.http, &ask);
        CHECK(chain[i].request);
    }
    /* the waiting ones cannot begin */
    (void)snprintf(c.http.program, sizeof(c.http.program), "/nowhere/caprun-fetch");
    cr_http_cancel(chain[0].request, NULL);
    for (int i = 0; i < 200 && c.http.waiting.first; i++)
        cr_loop_step(&c.loop, 10);
    for (size_t i = CR_HTTP_AT_ONCE; i < COUNT(chain); i++) {
        done += chain[i].client.is_done;
        cancelled += chain[i].is_cancelled;
        CHECK(chain[i].client.is_done != chain[i].is_cancelled);
    }
    CHECK(done == cancelled && done == CR_HTTP_AT_ONCE && !c.http.waiting.first);
    for (size_t i = 1; i < CR_HTTP_AT_ONCE; i++)
        cr_http_cancel(chain[i].request, NULL);
    end_client(&c);
    (void)close(listener);
}

TEST(a_request_that_has_waited_too_long_blames_the_others)
{
    static struct client all[6 * CR_HTTP_AT_ONCE], last;
    static struct client c;
    char url[64];
    int listener = listen_only(url);
    struct cr_http_ask ask;

    begin_client(&c);
    c.http.limits.total_ms = 300;
    for (size_t i = 0; i < COUNT(all); i++) {
        all[i] = (struct client){.is_done = false};
        ask = ask_for(&all[i], url);
        CHECK(cr_http_start(&c.http, &ask));
    }
    CHECK(c.http.running == CR_HTTP_AT_ONCE);
    ask = ask_for(&last, url);
    ask.done = take_words;
    CHECK(cr_http_start(&c.http, &ask) && c.http.waiting.first);
    while (!last.is_done)
        cr_loop_step(&c.loop, -1);
    CHECK(last.outcome == CAPRUN_OUTCOME_REGISTRY_UNREACHABLE);
    CHECK(strstr(words, "was not fetched: 32 other requests took more than 300 ms"));
    end_client(&c);
    (void)close(listener);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
