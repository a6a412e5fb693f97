/*
 * main.c - caprun-fetch, a program that does one GET for the host (http/fetch_wire.h).
 *
 * libcurl, and the libraries that it needs for TLS, work on untrusted data, for as long as the
 * sender likes. So they have their own process, which the host kills when the time is over. The
 * process has only the two descriptors of fetch_wire.h, and few rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fetch/fetch.h"
#include "http/fetch_wire.h"

#define MOST_FILES 64
#define MOST_MEMORY (1u << 30)
#define SPARE_CPU_S 10

/* --- fewer rights --------------------------------------------------------------------------- */

static void limit(int what, rlim_t most)
{
    struct rlimit r = {most, most};

    (void)setrlimit((__rlimit_resource_t)what, &r);
}

/* Drops what the application has left open, blocked or ignored: libcurl must not inherit that. */
static void forget_application(void)
{
    int null = open("/dev/null", O_RDWR);
    sigset_t none;

    (void)dup2(null, STDERR_FILENO);
    (void)syscall(SYS_close_range, 3u, ~0u, 0u);
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, number == SIGPIPE ? SIG_IGN : SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir("/") < 0)
        _exit(1);
}

/* When the host closes its end of the pipe, SIGIO ends this process, whatever libcurl does. */
static void end_with_host(void)
{
    (void)fcntl(FETCH_ALIVE, F_SETOWN, getpid());
    (void)fcntl(FETCH_ALIVE, F_SETFL, fcntl(FETCH_ALIVE, F_GETFL) | O_ASYNC | O_NONBLOCK);
    if (read(FETCH_ALIVE, &(char){0}, 1) == 0)
        _exit(1); /* already closed */
}

static void give_up_rights(uint32_t total_ms)
{
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, MOST_FILES);
    limit(RLIMIT_CPU, total_ms / 1000 + SPARE_CPU_S);
#ifndef __SANITIZE_ADDRESS__
    limit(RLIMIT_AS, MOST_MEMORY);
#endif
}

/* --- the two ends of the socket ------------------------------------------------------------- */

static void read_all(void *to, size_t len)
{
    uint8_t *at = to;

    while (len) {
        ssize_t n = read(FETCH_SOCKET, at, len);

        if (n == 0 || (n < 0 && errno != EINTR))
            _exit(1);
        if (n < 0)
            continue;
        at += n;
        len -= (size_t)n;
    }
}

static char *read_text(uint32_t len)
{
    char *text = calloc(1, (size_t)len + 1);

    if (!text)
        _exit(1);
    read_all(text, len);
    return text;
}

static void write_all(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    while (len) {
        ssize_t n = send(FETCH_SOCKET, at, len, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR)
            _exit(1);
        if (n < 0)
            continue;
        at += n;
        len -= (size_t)n;
    }
}

static void send_message(struct fetch_message *message, const char *text, const char *extra,
                         const void *body)
{
    message->text_len = (uint32_t)strlen(text);
    message->extra_len = (uint32_t)strlen(extra);
    write_all(message, sizeof(*message));
    write_all(text, message->text_len);
    write_all(extra, message->extra_len);
    write_all(body, (size_t)message->body_len);
}

static void progress(const char *url, uint64_t got, uint64_t total)
{
    send_message(&(struct fetch_message){.what = FETCH_PROGRESS, .got = got, .total = total}, url,
                 "", NULL);
}

static void send_end(const struct cr_http_answer *answer, const struct cr_err *why)
{
    if (answer)
        send_message(&(struct fetch_message){.what = FETCH_ANSWER,
                                             .status = answer->status,
                                             .max_age_s = answer->max_age_s,
                                             .no_store = answer->no_store,
                                             .body_len = answer->body.len},
                     "", answer->etag, answer->body.data);
    else
        send_message(&(struct fetch_message){.what = FETCH_FAILURE, .outcome = why->outcome},
                     why->text, why->hint, NULL);
}

int main(void)
{
    struct cr_http_answer answer = {0};
    struct cr_fetch_ask ask = {0};
    struct fetch_ask head;
    struct cr_err why = {0};
    int r;

    forget_application();
    end_with_host();
    read_all(&head, sizeof(head));
    give_up_rights(head.limits.total_ms);
    ask.limits = head.limits;
    ask.max = head.max;
    ask.url = read_text(head.url_len);
    ask.accept = read_text(head.accept_len);
    ask.etag = read_text(head.etag_len);
    ask.progress = head.wants_progress ? progress : NULL;
    r = cr_fetch(&ask, &answer, &why);
    send_end(r == 0 ? &answer : NULL, &why);
    _exit(0); /* no cleanup: the host has the answer, and libcurl's libraries would take long */
}
