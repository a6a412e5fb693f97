/*
 * main.c - caprun-worker: locks itself down, warms the engine, forks workers on request.
 *
 * It is started by libcaprun with an empty environment and the control socket on descriptor 3.
 */
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arena.h"
#include "bridge.h"
#include "engine.h"
#include "job.h"
#include "link.h"
#include "lockdown.h"
#include "timers.h"
#include "zygote.h"

#define WARM_BYTES (8u * LIMIT_MIB)

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

/* Code that touches what most runs touch, so that they find it warm. */
static bool warm_up(JSContext *ctx)
{
    static const char code[] = "const o = {a: [1, 2.5, 'x']}; return JSON.stringify(o).length";
    JSValue function = crw_engine_compile_body(ctx, code, sizeof(code) - 1, "cap:warm");
    JSValue promise = JS_Call(ctx, function, JS_UNDEFINED, 0, NULL);
    bool ok = JS_PromiseState(ctx, promise) == JS_PROMISE_FULFILLED;

    JS_FreeValue(ctx, function);
    JS_FreeValue(ctx, promise);
    return ok;
}

static JSContext *start_engine(JSValue *ret_mcp)
{
    uint64_t entropy;
    JSContext *ctx = NULL;

    if (getrandom(&entropy, sizeof(entropy), 0) == sizeof(entropy) &&
        crw_arena_init(WARM_BYTES, crw_link_full) == 0)
        ctx = crw_engine_new(entropy);
    if (!ctx || crw_timers_install(ctx) < 0)
        crw_lockdown_refuse(WIRE_STEP_ENGINE, 0);
    *ret_mcp = crw_bridge_install(ctx);
    if (JS_IsException(*ret_mcp) || !warm_up(ctx))
        crw_lockdown_refuse(WIRE_STEP_ENGINE, 0);
    return ctx;
}

int main(void)
{
    struct wire_control hello = {.version = WIRE_VERSION, .kind = WIRE_CONTROL_HELLO};
    JSContext *ctx;
    JSValue mcp;
    pid_t own;

    if (!is_control_socket()) {
        say_how_to_use_it();
        return 2;
    }
    crw_lockdown_zygote(hello.layers);
    ctx = start_engine(&mcp);
    own = getpid();
    crw_lockdown_zygote_filter(hello.layers);
    if (sendmsg(WIRE_FD,
                &(struct msghdr){.msg_iov = &(struct iovec){&hello, sizeof(hello)}, .msg_iovlen = 1},
                MSG_NOSIGNAL) < 0)
        crw_link_leave(WIRE_EXIT_SOCKET);
    crw_zygote_serve(own);
    crw_link_put(WIRE_READY, 0, NULL, 0);
    crw_link_flush();
    crw_job_run(ctx, mcp, hello.layers[WIRE_LAYER_VDSO_CLOCK] == 0);
}
