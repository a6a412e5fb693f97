/*
 * host_work.c - fixed workloads of the host, whose instructions tests/bench/gate counts.
 *
 *     host_work WORKLOAD [FILE]
 *
 * Each workload is a function of that name. Everything runs in this one process, so that the count
 * does not depend on the scheduler: this program holds the workers' ends of the sockets, and writes
 * the frames of the workers.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scan.h"
#include "mcp/message.h"
#include "policy/policy.h"
#include "pool/kill.h"
#include "run/run_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILE_MAX (16u * LIMIT_MIB)
#define CHUNK (64u * LIMIT_KIB) /* the host reads so much at once from a server */
#define RUNS 40
#define SAYS(text) (text), sizeof(text) - 1

static struct cr_buf text; /* the contents of FILE */
static struct cr_err err;

/* --- texts ----------------------------------------------------------------------------------- */

static bool scan_pass(void)
{
    return cr_scan_json(text.data, text.len, CR_SCAN_PASS, &err) == 0;
}

static bool scan_strict(void)
{
    return cr_scan_json(text.data, text.len, CR_SCAN_STRICT, &err) == 0;
}

static bool message(void)
{
    struct cr_reader reader;
    struct cr_message m;
    int results = 0;

    cr_reader_init(&reader, FILE_MAX);
    for (size_t at = 0; at < text.len; at += CHUNK) {
        const uint8_t *bytes = text.data + at;
        size_t len = text.len - at < CHUNK ? text.len - at : CHUNK;

        while (cr_reader_next(&reader, &bytes, &len, &m))
            results += m.kind == CR_MESSAGE_RESULT;
    }
    cr_reader_clear(&reader);
    return results == 1;
}

/* --- policy ---------------------------------------------------------------------------------- */

/* The patterns of a long configuration, and as many methods of each of its servers. */
static bool policy(void)
{
    static const char *const actions[] = {"read_file", "write_file", "list_*", "*_all", "s?arch"};
    struct cr_patterns p;
    struct cr_verdict v;
    char name[64];
    int allowed = 0;

    cr_patterns_init(&p);
    for (unsigned server = 0; server < 20; server++) {
        for (size_t i = 0; i < COUNT(actions); i++) {
            (void)snprintf(name, sizeof(name), "server%u:%s", server, actions[i]);
            if (cr_patterns_add(&p, (enum cr_policy_answer)(i % 3), name, CR_PATTERNS_PROJECT,
                                &err) < 0)
                return false;
        }
    }
    for (unsigned server = 0; server < 20; server++) {
        for (size_t i = 0; i < COUNT(actions); i++) {
            (void)snprintf(name, sizeof(name), "server%u:%.4s_file", server, actions[i]);
            cr_patterns_judge(&p, name, &v);
            allowed += v.answer == CR_POLICY_ALLOW;
        }
    }
    cr_patterns_clear(&p);
    return allowed == 20;
}

/* A thousand rules with conditions, and a thousand calls, each of another rule's tool. */
static bool rules(void)
{
    static const char args[] = "{\"path\":\"out/file.txt\",\"n\":3,\"content\":\"hello\"}";
    static const char when[] = "{\"/path\":{\"glob\":\"out/*\"},\"/n\":{\"max\":5}}";
    const struct cr_rule *counted = NULL;
    struct cr_budgets budgets = {0};
    struct cr_tool_list tools = {0};
    struct cr_policy p = {0};
    struct cr_ruling ruling;
    char name[64];
    int allowed = 0;

    for (int i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof(name), "server:tool_%d", i);
        if (cr_rules_add(&p.rules, &p.patterns,
                         &(struct cr_rule_spec){
                             .tool = name, .when = when, .then = CR_POLICY_ALLOW, .max_calls = 5},
                         "/", &err) < 0)
            return false;
    }
    for (int i = 0; i < 1000; i++) {
        struct cr_question q = {.run = "", .method = name, .called = name, .tool = name};

        (void)snprintf(name, sizeof(name), "server:tool_%d", i);
        q.tools = &tools;
        q.args = args;
        q.args_len = sizeof(args) - 1;
        q.budgets = &budgets;
        q.counted = &counted;
        cr_policy_ask(&p, &q, NULL, &ruling);
        allowed += ruling.answer == CR_RULING_ALLOWED;
    }
    cr_policy_clear(&p);
    cr_budgets_clear(&budgets);
    return allowed == 1000;
}

/* --- runs ------------------------------------------------------------------------------------ */

/* Replaces pool/kill.c: there is no process to kill, and valgrind does not know the call. */
int cr_kill_process(int pidfd)
{
    (void)pidfd;
    return 0;
}

int cr_kill_check(int pidfd, struct cr_err *ret)
{
    (void)pidfd;
    (void)ret;
    return 0;
}

#define MEMORY (64u * LIMIT_MIB)
#define CPU_S (LIMIT_DEFAULT_WALL_MS / 1000 + 2)
#define SLOT_OF_NO_SAMPLE 5 /* the host does not check in /proc that this worker is locked down */

static struct caprun_runtime *rt;
static struct cr_zygote zygote; /* requests to it arrive at |requests| */
static int requests;

static bool open_zygote(void)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return false;
    zygote = (struct cr_zygote){.greeted = true, .tested = true};
    zygote.control.fd = pair[0];
    requests = pair[1];
    return true;
}

static void put_in_stock(struct cr_worker *w)
{
    struct cr_stock *stock = w->data;

    *stock->ready.last = w;
    stock->ready.last = &w->next_in_pool;
    stock->ready.count++;
    stock->workers++;
}

static bool put(int worker, enum wire_type type, uint32_t id, const void *payload, size_t len)
{
    struct wire_header header = {.length = (uint32_t)len, .type = (uint16_t)type, .id = id};

    return write(worker, &header, sizeof(header)) == sizeof(header) &&
           write(worker, payload, len) == (ssize_t)len;
}

/* Reads what the host has written to |worker|. */
static bool take(int worker)
{
    static uint8_t said[CHUNK];

    return recv(worker, said, sizeof(said), MSG_DONTWAIT) > (ssize_t)sizeof(struct wire_header);
}

/* Adds a ready worker to the stock. Returns its end of the socket, or -1. */
static int fork_worker(struct cr_stock *stock)
{
    static const struct cr_worker_owner owner = {.forked = put_in_stock};
    struct wire_control packet;
    struct cr_worker *w;
    int end = -1;

    if (cr_worker_new(&zygote, MEMORY, CPU_S, &owner, stock, &w, &err) < 0 ||
        wire_receive_packet(requests, &packet, &end, 0) != 1 || end < 0)
        return -1;
    w->slot = SLOT_OF_NO_SAMPLE;
    cr_worker_forked(w, eventfd(0, EFD_CLOEXEC), 0);
    (void)put(end, WIRE_READY, 0, NULL, 0);
    return end;
}

static void answer(void *data, struct caprun_run *run, uint32_t call, const char *method,
                   const char *args, size_t args_len)
{
    (void)data;
    (void)method;
    (void)args;
    (void)args_len;
    (void)caprun_call_reply_tool(
        run, call, SAYS("{\"content\":[{\"type\":\"text\",\"text\":\"twelve lamps\"}]}"));
}

/* Plays a run: a job, a log line, a call and its answer, a result. */
static bool converse(struct caprun_run *run, int worker)
{
    static const struct wire_idle idle = {-1};
    static const struct wire_call sizes = {5, 4};
    static const char words[] = "filesread{\"path\":\"/lamps.txt\"}";
    uint8_t call[sizeof(sizes) + sizeof(words) - 1];

    memcpy(call, &sizes, sizeof(sizes));
    memcpy(call + sizeof(sizes), words, sizeof(words) - 1);
    caprun_step(rt);
    if (!take(worker) || !put(worker, WIRE_LOG, 0, SAYS("counting \"lamps\"")) ||
        !put(worker, WIRE_CALL, 1, call, sizeof(call)) ||
        !put(worker, WIRE_IDLE, 1, &idle, sizeof(idle)))
        return false;
    caprun_step(rt);
    if (!take(worker) || !put(worker, WIRE_DONE, 0, SAYS("{\"lamps\":12}")))
        return false;
    caprun_step(rt);
    return caprun_done(run);
}

static bool one_run(void)
{
    static const char code[] = "console.log('counting \"lamps\"');\n"
                               "return {lamps: await mcp.files.read({path: args.path})};\n";
    struct caprun_run *run = NULL;
    int worker = -1;
    size_t len;
    bool ok;

    ok = caprun_run_new(rt, &run) == 0 && caprun_run_set_code(run, SAYS(code)) == 0 &&
         caprun_run_set_args(run, SAYS("{\"path\":\"/lamps.txt\"}")) == 0 &&
         caprun_run_set_memory(run, MEMORY) == 0;
    if (ok) {
        caprun_run_set_handler(run, answer, NULL);
        zygote.loop = run->loop;
        run->loop->turn_us = INT32_MAX;       /* no turn ends early, even on a slow machine */
        run->pool->scheduling.started_us = 0; /* long ago, even on a fast machine */
        worker = fork_worker(&run->pool->stock);
    }
    ok = worker >= 0 && caprun_start(run) == 0 && converse(run, worker) &&
         caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS && caprun_result_json(run, &len);
    caprun_run_free(run);
    (void)close(worker);
    return ok;
}

static bool runs(void)
{
    bool ok = caprun_new(&rt) == 0 && caprun_set_warm(rt, CAPRUN_WARM_NONE) == 0 && open_zygote();

    for (int i = 0; ok && i < RUNS; i++)
        ok = one_run();
    caprun_free(rt);
    return ok;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bool (*work)(void);
    } workloads[] = {
        {"scan_pass", scan_pass}, {"scan_strict", scan_strict},
        {"message", message},     {"policy", policy},
        {"rules", rules},         {"runs", runs},
    };

    cr_buf_init(&text, FILE_MAX);
    if (argc > 2 && cr_file_read(AT_FDCWD, argv[2], &text, NULL, &err) != 0)
        return 2;
    for (size_t i = 0; i < COUNT(workloads); i++)
        if (argc > 1 && strcmp(workloads[i].name, argv[1]) == 0)
            return workloads[i].work() ? 0 : 1;
    return 2;
}
