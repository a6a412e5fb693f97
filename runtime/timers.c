/* timers.c - timers in a binary heap, sorted by (due, order). */
#include "timers.h"

#include "arena.h"
#include "bridge.h"
#include "deny.h"
#include "job.h"

#define MAX_DELAY_MS 2147483647.0
#define MAX_ARGS 100 /* the engine's bound functions hold 255 values */

struct timer {
    int64_t due_us;
    uint64_t order;   /* counts up whenever a timer is set or re-armed */
    int64_t every_us; /* 0: once */
    uint32_t id;
    JSValue function; /* to be called without arguments */
};

static struct timer *heap;
static size_t count, cap;
static uint64_t next_order;
static uint32_t next_id = 1;
static int64_t wake_us = -1;
static uint64_t wake_order; /* timers set before the wake-up have a lower order */

static bool before(const struct timer *a, const struct timer *b)
{
    return a->due_us != b->due_us ? a->due_us < b->due_us : a->order < b->order;
}

static void swap(size_t i, size_t j)
{
    struct timer kept = heap[i];

    heap[i] = heap[j];
    heap[j] = kept;
}

static void sift_up(size_t i)
{
    while (i && before(&heap[i], &heap[(i - 1) / 2])) {
        swap(i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
}

static void sift_down(size_t i)
{
    for (;;) {
        size_t least = i;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (before(&heap[child], &heap[least]))
                least = child;
        if (least == i)
            return;
        swap(i, least);
        i = least;
    }
}

static void push(struct timer t)
{
    if (count == cap) {
        cap = cap ? cap * 2 : 8;
        heap = crw_arena_realloc(NULL, heap, cap * sizeof(*heap));
    }
    t.order = next_order++;
    heap[count] = t;
    sift_up(count++);
}

static struct timer take(size_t i)
{
    struct timer t = heap[i];

    heap[i] = heap[--count];
    if (i < count) {
        sift_down(i);
        sift_up(i);
    }
    return t;
}

static JSValue call_with_args(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                              int given, JSValueConst *data)
{
    (void)this_val;
    (void)argc;
    (void)argv;
    return JS_Call(ctx, data[0], JS_UNDEFINED, given, data + 1);
}

static JSValue set_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                         int repeats)
{
    struct timer t = {0};
    double ms = 0;

    (void)this_val;
    if (JS_IsString(argv[0])) {
        crw_deny(ctx, repeats ? "setInterval" : "setTimeout", "eval", NULL, "use a function");
        return JS_EXCEPTION;
    }
    if (!JS_IsFunction(ctx, argv[0]))
        return JS_ThrowTypeError(ctx, "the first argument is not a function");
    if (argc - 2 > MAX_ARGS)
        return JS_ThrowRangeError(ctx, "more than %d arguments for a timer's function", MAX_ARGS);
    if (JS_ToFloat64(ctx, &ms, argv[1]) < 0)
        return JS_EXCEPTION;
    t.id = next_id++;
    if (!(ms > (repeats ? 1 : 0)))
        ms = repeats ? 1 : 0;
    if (ms > MAX_DELAY_MS)
        ms = MAX_DELAY_MS;
    t.due_us = crw_bridge_now_us() + (int64_t)(ms * 1000);
    t.every_us = repeats ? (int64_t)(ms * 1000) : 0;
    if (argc <= 2) {
        t.function = JS_DupValue(ctx, argv[0]);
    } else {
        JSValueConst second = argv[1];

        argv[1] = argv[0];
        t.function = JS_NewCFunctionData(ctx, call_with_args, 0, argc - 2, argc - 1, argv + 1);
        argv[1] = second;
    }
    push(t);
    return JS_NewUint32(ctx, t.id);
}

static JSValue clear_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    uint32_t id;

    (void)this_val;
    (void)argc;
    if (!JS_IsNumber(argv[0]) || JS_ToUint32(ctx, &id, argv[0]) < 0)
        return JS_UNDEFINED;
    for (size_t i = 0; i < count; i++) {
        if (heap[i].id == id) {
            JS_FreeValue(ctx, take(i).function);
            break;
        }
    }
    return JS_UNDEFINED;
}

void crw_timers_wake(int64_t now_us)
{
    wake_us = now_us;
    wake_order = next_order;
}

/* May the top timer run? It is the earliest due, and of these the one set first. */
static bool top_may_run(void)
{
    return count && heap[0].due_us <= wake_us && heap[0].order < wake_order;
}

bool crw_timers_run_one(JSContext *ctx)
{
    struct timer t;
    JSValue ret;

    if (!top_may_run())
        return false;
    t = take(0);
    if (t.every_us) {
        struct timer again = t;

        again.due_us = wake_us + t.every_us;
        again.function = JS_DupValue(ctx, t.function);
        push(again);
    }
    ret = JS_Call(ctx, t.function, JS_UNDEFINED, 0, NULL);
    JS_FreeValue(ctx, t.function);
    if (JS_IsException(ret))
        crw_job_uncaught(ctx);
    JS_FreeValue(ctx, ret);
    return true;
}

int64_t crw_timers_next(void)
{
    return count ? heap[0].due_us : -1;
}

int crw_timers_install(JSContext *ctx)
{
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_MAGIC_DEF("setTimeout", 2, set_timer, 0),
        JS_CFUNC_MAGIC_DEF("setInterval", 2, set_timer, 1),
        JS_CFUNC_DEF("clearTimeout", 1, clear_timer),
        JS_CFUNC_DEF("clearInterval", 1, clear_timer),
    };
    JSValue global = JS_GetGlobalObject(ctx);
    int r = JS_SetPropertyFunctionList(ctx, global, functions,
                                       (int)(sizeof(functions) / sizeof(functions[0])));

    JS_FreeValue(ctx, global);
    return r;
}
