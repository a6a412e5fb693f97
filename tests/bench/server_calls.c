/*
 * server_calls.c - measures a call to an MCP server: one run awaits many calls, of the trivial
 * server in the same folder. Compared, in turns, with a client in C that only sends the same line
 * to the same server and reads the answer, and with calls that this process answers itself.
 *
 *     server_calls WORKER COUNT ROUNDS SERVER
 *
 * Prints the microseconds of a round trip, as medians of the rounds: a call through caprun; the
 * client in C; a call without a server; a call through caprun in a recorded run; and the median
 * ratio of a recorded to an unrecorded round; then the last two for an audited run.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define ARGS "{\"x\":1}"
#define ANSWER "{\"y\":1}"
#define LINE                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"b\"," \
    "\"arguments\":" ARGS ",\"_meta\":{\"progressToken\":1}}}\n"

static void answer(void *data, struct caprun_run *run, uint32_t call, const char *method,
                   const char *args, size_t args_len)
{
    (void)data;
    (void)method;
    (void)args;
    (void)args_len;
    if (caprun_call_reply(run, call, ANSWER, sizeof(ANSWER) - 1) < 0)
        bench_die("caprun_call_reply", "the answer was not taken");
}

/* |journal|: the file to record the run in, or NULL. */
static double call_us(struct caprun_runtime *rt, size_t count, int own_answers, const char *journal)
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
    if (own_answers)
        caprun_run_set_handler(run, answer, NULL);
    if (journal && caprun_run_record(run, journal) < 0)
        bench_die("caprun_run_record", caprun_error(rt));
    if (caprun_run(run) < 0)
        bench_die("caprun_run", caprun_error(rt));
    bench_take(run);
    if (journal)
        (void)unlink(journal);
    return (times.at_us[1] - times.at_us[0]) / (double)count;
}

/* --- the client in C ----------------------------------------------------------------------- */

struct client {
    int in, out;
    pid_t pid;
};

static struct client start_server(const char *path)
{
    struct client c;
    int in[2], out[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0 || pipe2(out, O_CLOEXEC) < 0)
        bench_die("pipes", strerror(errno));
    c.pid = fork();
    if (c.pid < 0)
        bench_die("fork", strerror(errno));
    if (c.pid == 0) {
        if (dup2(in[1], 0) < 0 || dup2(out[1], 1) < 0)
            _exit(1);
        (void)execl(path, path, (char *)NULL);
        _exit(1);
    }
    (void)close(in[1]);
    (void)close(out[1]);
    c.in = in[0];
    c.out = out[0];
    return c;
}

static void stop_server(const struct client *c)
{
    (void)close(c->in);
    (void)close(c->out);
    (void)waitpid(c->pid, NULL, 0);
}

static double client_us(const struct client *c, size_t count)
{
    double start = bench_now_us();
    char buf[4096];

    for (size_t i = 0; i < count; i++) {
        if (send(c->in, LINE, sizeof(LINE) - 1, MSG_NOSIGNAL) != (ssize_t)sizeof(LINE) - 1 ||
            read(c->out, buf, sizeof(buf)) < 1)
            bench_die("the server", "has gone");
    }
    return (bench_now_us() - start) / (double)count;
}

/* --- the program --------------------------------------------------------------------------- */

static void configure(struct caprun_runtime *rt, const char *folder, const char *server,
                      const char *audit)
{
    char path[4096];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/caprun.json", folder);
    file = fopen(path, "w");
    if (!file)
        bench_die(path, strerror(errno));
    (void)fprintf(file,
                  "{\"mcpServers\": {\"a\": {\"command\": \"%s\"}}, "
                  "\"permissions\": {\"allow\": [\"a:*\"]}}\n",
                  server);
    (void)fclose(file);
    if ((audit && caprun_set_audit(rt, audit, 0) < 0) || caprun_set_config(rt, path) < 0)
        bench_die("caprun_set_config", caprun_error(rt));
}

static void clean_up(const char *folder)
{
    static const char *const names[] = {"caprun.json", "caprun.lock", "audit", "audit.state",
                                        "audit.1"};
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
    char *server = argc > 4 ? realpath(argv[4], NULL) : NULL;
    char folder[] = "/tmp/caprun-bench-XXXXXX";
    struct client client;
    struct caprun_runtime *rt = bench_runtime(argc, argv), *audited_rt = bench_runtime(argc, argv);
    double *call = bench_array(rounds), *bare = bench_array(rounds), *own = bench_array(rounds);
    double *recorded = bench_array(rounds), *ratio = bench_array(rounds);
    double *audited = bench_array(rounds), *audited_ratio = bench_array(rounds);
    char journal[64], audit[64];

    if (!server)
        bench_die(argv[0], "there is no such server");
    client = start_server(server);
    (void)umask(077);
    if (!mkdtemp(folder))
        bench_die("mkdtemp", strerror(errno));
    (void)snprintf(journal, sizeof(journal), "%s/journal", folder);
    (void)snprintf(audit, sizeof(audit), "%s/audit", folder);
    configure(rt, folder, server, NULL);
    configure(audited_rt, folder, server, audit);
    bench_warm(rt, 1);
    bench_warm(audited_rt, 1);
    for (size_t i = 0; i < rounds; i++) {
        call[i] = call_us(rt, count, 0, NULL);
        bench_fill(rt, 1); /* otherwise the zygote would fork during the measurement */
        recorded[i] = call_us(rt, count, 0, journal);
        ratio[i] = recorded[i] / call[i];
        bench_fill(rt, 1);
        audited[i] = call_us(audited_rt, count, 0, NULL);
        audited_ratio[i] = audited[i] / call[i];
        bench_fill(audited_rt, 1);
        bare[i] = client_us(&client, count);
        own[i] = call_us(rt, count, 1, NULL);
        bench_fill(rt, 1);
    }
    bench_sort(call, rounds);
    bench_sort(bare, rounds);
    bench_sort(own, rounds);
    bench_sort(recorded, rounds);
    bench_sort(ratio, rounds);
    bench_sort(audited, rounds);
    bench_sort(audited_ratio, rounds);
    printf("%.2f %.2f %.2f %.2f %.3f %.2f %.3f\n", call[rounds / 2], bare[rounds / 2],
           own[rounds / 2], recorded[rounds / 2], ratio[rounds / 2], audited[rounds / 2],
           audited_ratio[rounds / 2]);
    free(call);
    free(bare);
    free(own);
    free(recorded);
    free(ratio);
    free(audited);
    free(audited_ratio);
    caprun_free(rt);
    caprun_free(audited_rt);
    stop_server(&client);
    clean_up(folder);
    free(server);
    return 0;
}
