/*
 * main.c - caprun-worker: locks itself down, warms the engine, forks workers on request.
 *
 * libcaprun starts it with an empty environment and the control socket on descriptor 3. Its
 * arguments, both optional: "probe" (probe.h), and the first uid that it may use if it is root.
 *
 * The cost of a worker is its pages: each page that it maps, copies or faults in, and unmaps when
 * it ends. So the engine is warmed before fork, and after fork writes to existing pages as little
 * as possible. A small run then writes to about twenty pages. The worker makes its own copies of
 * them before it reports that it is ready, so that the job does not wait for the copies.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arena.h"
#include "bridge.h"
#include "engine.h"
#include "globals.h"
#include "job.h"
#include "link.h"
#include "lockdown.h"
#include "probe.h"
#include "probe_map.h"
#include "zygote.h"

#define WARM_BYTES (8u * LIMIT_MIB)
#define WARM_BYTES_USED (168u * LIMIT_KIB) /* about the size of engine and prelude */

static bool is_control_socket(void)
{
    int type = 0;
    socklen_t len = sizeof(type);

    return getsockopt(WIRE_FD, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET;
}

static void say_how_to_use_it(void)
{
    static const char text[] = "caprun-worker: a part of caprun, not a command; see caprun(1)\n";

    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
}

/*
 * Fork copies the page table of a file mapping only if the process has a private copy of one of its
 * pages; without that a worker has a page fault for each part of its code. So this writes the
 * existing bytes to one page of the code and one page of the constants. If the kernel refuses, the
 * worker is only slower.
 */
static void keep_program_mapped(void)
{
    static const char constant[] = "constant";
    const void *const own[] = {(const void *)(uintptr_t)keep_program_mapped, constant};
    int fd = open("/proc/self/mem", O_RDWR);

    if (fd < 0)
        return;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        (void)!pwrite(fd, own[i], 1, (off_t)(uintptr_t)own[i]);
    (void)close(fd);
}

static JSContext *ctx;
static JSValue mcp;

/* Runs code that touches what most runs touch, so that it is warm for them. */
static bool warm_up(void)
{
    static const char code[] = "const o = {a: [1, 2.5, 'x']}; return JSON.stringify(o).length";
    JSValue function = crw_engine_compile_body(ctx, code, sizeof(code) - 1, "cap:warm");
    JSValue promise = JS_Call(ctx, function, JS_UNDEFINED, 0, NULL);
    bool ok = JS_PromiseState(ctx, promise) == JS_PROMISE_FULFILLED;

    JS_FreeValue(ctx, function);
    JS_FreeValue(ctx, promise);
    return ok;
}

static void start_engine(void)
{
    uint64_t entropy;

    keep_program_mapped();
    if (getrandom(&entropy, sizeof(entropy), 0) == sizeof(entropy) &&
        crw_arena_init(WARM_BYTES, crw_link_full) == 0) {
        crw_arena_prefault(WARM_BYTES_USED);
        ctx = crw_engine_new(entropy);
    }
    if (!ctx || crw_globals_install(ctx) < 0)
        crw_lockdown_refuse(WIRE_STEP_ENGINE, 0);
    mcp = crw_bridge_install(ctx);
    if (JS_IsException(mcp) || !warm_up())
        crw_lockdown_refuse(WIRE_STEP_ENGINE, 0);
    crw_engine_settle_down(ctx);
}

/* Parses the first uid, a plain decimal number. Returns 0 if |text| is not a valid one. */
static uint32_t read_uid(const char *text)
{
    uint64_t uid = 0;

    if (text[0] == '0' || strlen(text) > 10)
        return 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return 0;
        uid = uid * 10 + (uint64_t)(*text - '0');
    }
    return uid >= WIRE_UID_LEAST && uid <= WIRE_UID_MOST ? (uint32_t)uid : 0;
}

int main(int argc, char **argv)
{
    struct wire_control hello = {.kind = WIRE_CONTROL_HELLO};
    bool is_probe = argc > 1 && strcmp(argv[1], PROBE_ARGUMENT) == 0;
    int uid_at = is_probe ? 2 : 1;
    uint32_t uid_base = argc > uid_at ? read_uid(argv[uid_at]) : 0;
    pid_t host = is_probe ? getppid() : 0, own;

    if (!is_control_socket() || argc > uid_at + 1 || (argc > uid_at && !uid_base)) {
        say_how_to_use_it();
        return 2;
    }
    crw_lockdown_zygote(start_engine, uid_base, hello.layers);
    own = getpid();
    if (is_probe)
        crw_probe_layers(host);
    crw_lockdown_zygote_filter(hello.layers);
    if (wire_send_packet(WIRE_FD, &hello, -1, 0) < 0)
        crw_link_leave(WIRE_EXIT_SOCKET);
    crw_zygote_serve(own);
    crw_engine_touch_pages(ctx);
    crw_link_put(WIRE_READY, 0, NULL, 0);
    crw_link_flush();
    if (is_probe)
        crw_probe_filter();
    crw_job_run(ctx, mcp, hello.layers[WIRE_LAYER_VDSO_CLOCK] == 0);
}
