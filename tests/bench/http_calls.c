/*
 * http_calls.c - measures a call to an MCP server behind HTTP on loopback: one run awaits many
 * calls of a trivial server, which is a child of this program. Compared, in turns, with libcurl's
 * easy interface, which posts the same message to the same server on a kept connection.
 *
 *     http_calls WORKER COUNT ROUNDS
 *
 * Prints the microseconds of a round trip, as medians of the rounds: a call through caprun; libcurl
 * alone; and the median of their ratios.
 */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define ARGS "{\"x\":1}"
#define MESSAGE                                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"b\"," \
    "\"arguments\":" ARGS ",\"_meta\":{\"progressToken\":1}}}"

/* --- the server ------------------------------------------------------------------------------ */

static int result_of(const char *message, char *out, size_t size)
{
    const char *result = "{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}],"
                         "\"structuredContent\":{\"y\":1}}";
    const char *id = strstr(message, "\"id\":");

    if (!id)
        return 0;
    if (strstr(message, "\"tools/list\""))
        result = "{\"tools\":[{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"}}]}";
    else if (strstr(message, "\"initialize\""))
        result = "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                 "\"serverInfo\":{\"name\":\"echo\",\"version\":\"1\"}}";
    return snprintf(out, size, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":%s}",
                    strtol(id + 5, NULL, 10), result);
}

/* Reads one request. Returns where its body begins, or NULL at the end. */
static const char *read_request(int fd, char *in, size_t size)
{
    size_t len = 0;
    ssize_t n;

    while ((n = read(fd, in + len, size - 1 - len)) > 0) {
        const char *body, *length;

        len += (size_t)n;
        in[len] = '\0';
        body = strstr(in, "\r\n\r\n");
        length = strcasestr(in, "content-length:");
        if (body && (!length || strlen(body + 4) >= strtoul(length + 15, NULL, 10)))
            return body + 4;
    }
    return NULL;
}

static void *serve(void *data)
{
    int fd = (int)(intptr_t)data, on = 1;
    char in[8192], body[2048], out[4096];
    const char *message;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    while ((message = read_request(fd, in, sizeof(in)))) {
        int len = result_of(message, body, sizeof(body));

        len = snprintf(out, sizeof(out),
                       "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
                       "\r\n%.*s",
                       len ? "200 OK" : "202 Accepted", len, len, body);
        if (write(fd, out, (size_t)len) != len)
            break;
    }
    (void)close(fd);
    return NULL;
}

static _Noreturn void accept_all(int listener)
{
    pthread_t thread;

    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

        if (fd < 0 || pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) != 0)
            _exit(1);
        (void)pthread_detach(thread);
    }
}

static pid_t start_server(char *ret_url, size_t size)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pid_t pid;

    if (listener < 0 || bind(listener, (struct sockaddr *)&at, len) < 0 ||
        listen(listener, 16) < 0 || getsockname(listener, (struct sockaddr *)&at, &len) < 0)
        bench_die("the server", strerror(errno));
    (void)snprintf(ret_url, size, "http://127.0.0.1:%d/mcp", ntohs(at.sin_port));
    pid = fork();
    if (pid < 0)
        bench_die("fork", strerror(errno));
    if (pid == 0)
        accept_all(listener);
    (void)close(listener);
    return pid;
}

/* --- libcurl alone --------------------------------------------------------------------------- */

static size_t ignore(char *bytes, size_t size, size_t count, void *data)
{
    (void)bytes;
    (void)data;
    return size * count;
}

static CURL *make_client(const char *url, struct curl_slist **ret_headers)
{
    CURL *easy = curl_easy_init();

    *ret_headers = curl_slist_append(NULL, "Content-Type: application/json");
    if (!easy || !*ret_headers)
        bench_die("libcurl", "no memory");
    (void)curl_easy_setopt(easy, CURLOPT_URL, url);
    (void)curl_easy_setopt(easy, CURLOPT_PROXY, "");
    (void)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, *ret_headers);
    (void)curl_easy_setopt(easy, CURLOPT_POSTFIELDS, MESSAGE);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
    return easy;
}

static double client_us(CURL *easy, size_t count)
{
    double start = bench_now_us();

    for (size_t i = 0; i < count; i++)
        if (curl_easy_perform(easy) != CURLE_OK)
            bench_die("the server", "has gone");
    return (bench_now_us() - start) / (double)count;
}

/* --- caprun ---------------------------------------------------------------------------------- */

static double call_us(struct caprun_runtime *rt, size_t count)
{
    struct bench_times times = {{0, 0}, 0};
    struct caprun_run *run;
    char code[256];

    (void)snprintf(code, sizeof(code),
                   "await mcp.a.b(" ARGS "); console.log(1); "
                   "for (let i = 0; i < %zu; i++) await mcp.a.b(" ARGS "); console.log(2)",
                   count);
    run = bench_run(rt, code);
    caprun_run_set_log(run, bench_note_time, &times);
    if (caprun_run(run) < 0)
        bench_die("caprun_run", caprun_error(rt));
    bench_take(run);
    return (times.at_us[1] - times.at_us[0]) / (double)count;
}

static void configure(struct caprun_runtime *rt, const char *folder, const char *url)
{
    char path[4096];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/caprun.json", folder);
    file = fopen(path, "w");
    if (!file)
        bench_die(path, strerror(errno));
    (void)fprintf(file,
                  "{\"mcpServers\": {\"a\": {\"url\": \"%s\", \"era\": \"legacy\"}}, "
                  "\"permissions\": {\"allow\": [\"a:*\"]}}\n",
                  url);
    (void)fclose(file);
    if (caprun_set_config(rt, path) < 0)
        bench_die("caprun_set_config", caprun_error(rt));
}

static void clean_up(const char *folder)
{
    static const char *const names[] = {"caprun.json", "caprun.lock"};
    char path[4096];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

int main(int argc, char **argv)
{
    size_t count = bench_number(argc, argv, 2), rounds = bench_number(argc, argv, 3);
    double *call = bench_array(rounds), *bare = bench_array(rounds), *ratio = bench_array(rounds);
    char folder[] = "/tmp/caprun-bench-XXXXXX", url[64];
    pid_t server = start_server(url, sizeof(url));
    struct caprun_runtime *rt = bench_runtime(argc, argv);
    struct curl_slist *headers;
    CURL *easy = make_client(url, &headers);

    (void)umask(077);
    if (!mkdtemp(folder))
        bench_die("mkdtemp", strerror(errno));
    configure(rt, folder, url);
    bench_warm(rt, 1);
    for (size_t i = 0; i < rounds; i++) {
        call[i] = call_us(rt, count);
        bench_fill(rt, 1); /* otherwise the zygote would fork during the measurement */
        bare[i] = client_us(easy, count);
        ratio[i] = call[i] / bare[i];
    }
    bench_sort(call, rounds);
    bench_sort(bare, rounds);
    bench_sort(ratio, rounds);
    printf("%.2f %.2f %.3f\n", call[rounds / 2], bare[rounds / 2], ratio[rounds / 2]);
    free(call);
    free(bare);
    free(ratio);
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    caprun_free(rt);
    (void)kill(server, SIGKILL);
    (void)waitpid(server, NULL, 0);
    clean_up(folder);
    return 0;
}
