/* console.c - the methods of console, and the log's limit. */
#include "console.h"

#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "bridge.h"
#include "engine.h"
#include "format.h"
#include "inspect.h"
#include "link.h"
#include "table.h"
#include "values.h"
#include "view.h"
#include "work.h"

#define INDENT_MAX 100u
#define LABELS_MAX 1000u
#define LABEL_BYTES_MAX 200u

/* A label and its value: a count, or the time at which a timer was started. */
struct tally {
    char *label;
    size_t len;
    int64_t value;
};

struct tallies {
    struct tally *list;
    size_t count;
};

static struct {
    size_t bytes, lines;
    bool ended;
    size_t groups;
    struct tallies counts, timers;
    struct crw_out out;
} console;

/* One byte more than the log may have, to detect an overflow; at least room for a label. */
static size_t text_max(void)
{
    size_t most = crw_bridge_limits()->log_bytes;

    return (most < LABEL_BYTES_MAX ? LABEL_BYTES_MAX : most) + 1;
}

/* --- the log --------------------------------------------------------------------------------- */

/* Sends a line, cut at the limit of the whole log. */
static void write_line(const char *text, size_t len)
{
    static const char spaces[INDENT_MAX + 1] =
        "                                                                                          "
        "          ";
    size_t most = crw_bridge_limits()->log_bytes;
    size_t wanted = console.groups < INDENT_MAX / 2 ? console.groups * 2 : INDENT_MAX;
    size_t indent = wanted < most ? wanted : most;
    size_t room = most - indent;
    struct wire_part parts[] = {{spaces, indent}, {text, len < room ? len : room}};
    bool cut = parts[1].len < len;

    crw_link_put(WIRE_LOG, cut, parts, 2);
    console.lines++;
    console.bytes += indent + parts[1].len;
    /* the host cuts the log at the same limits, so nothing more needs to be sent */
    console.ended = cut || console.lines >= LIMIT_LOG_LINES || console.bytes > most;
}

void crw_console_write(const char *text, size_t len)
{
    while (!console.ended) {
        const char *end = memchr(text, '\n', len);

        write_line(text, end ? (size_t)(end - text) : len);
        if (!end)
            break;
        len -= (size_t)(end - text) + 1;
        text = end + 1;
    }
    /* at once: a line must not be lost if the worker is killed right after */
    crw_link_flush();
}

/* Returns an empty buffer for the text of a method; with no room if the log has ended. */
static struct crw_out *begin(void)
{
    crw_work_begin();
    crw_out_reset(&console.out, console.ended ? 0 : text_max());
    console.out.full = console.ended;
    return &console.out;
}

static void end(void)
{
    crw_console_write(console.out.text ? console.out.text : "", console.out.len);
}

static void write_values(JSContext *ctx, int argc, JSValueConst *argv)
{
    crw_format_values(ctx, begin(), argc, argv);
    end();
}

/* --- text ------------------------------------------------------------------------------------ */

static JSValue js_log(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    size_t len;
    const char *text;

    (void)this_val;
    if (console.ended)
        return JS_UNDEFINED;
    if (argc != 1 || !JS_IsString(argv[0])) {
        write_values(ctx, argc, argv);
        return JS_UNDEFINED;
    }
    text = JS_ToCStringLen(ctx, &len, argv[0]);
    crw_values_replace_surrogates(text, len);
    crw_console_write(text, len);
    JS_FreeCString(ctx, text);
    return JS_UNDEFINED;
}

/* Appends the stack without the console method itself. */
static void put_stack(JSContext *ctx, struct crw_out *out)
{
    JSValue stack = crw_engine_running_stack(ctx);
    const char *text = JS_IsString(stack) ? JS_ToCString(ctx, stack) : NULL;
    const char *rest = text ? strchr(text, '\n') : NULL;

    if (rest)
        crw_out_str(out, rest);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, stack);
}

static JSValue js_trace(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    struct crw_out *out = begin();

    (void)this_val;
    crw_out_str(out, argc ? "Trace: " : "Trace");
    crw_format_values(ctx, out, argc, argv);
    put_stack(ctx, out);
    end();
    return JS_UNDEFINED;
}

static JSValue js_assert(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    struct crw_out *out;

    (void)this_val;
    if (argc > 0 && JS_ToBool(ctx, argv[0]))
        return JS_UNDEFINED;
    out = begin();
    crw_out_str(out, argc > 1 ? "Assertion failed: " : "Assertion failed");
    if (argc > 1)
        crw_format_values(ctx, out, argc - 1, argv + 1);
    end();
    return JS_UNDEFINED;
}

/* Returns the depth of the option `{depth: n}`; null means the maximum. */
static int asked_depth(JSContext *ctx, JSValueConst options)
{
    JSAtom name = JS_NewAtom(ctx, "depth");
    JSValue value = JS_UNDEFINED;
    double depth = 2;

    options = crw_inspect_unwrap(ctx, options);
    if (JS_IsObject(options))
        (void)crw_inspect_own(ctx, options, name, &value);
    if (JS_IsNull(value))
        depth = INT16_MAX;
    else if (JS_IsNumber(value))
        (void)JS_ToFloat64(ctx, &depth, value);
    JS_FreeValue(ctx, value);
    JS_FreeAtom(ctx, name);
    return depth >= INT16_MAX ? INT16_MAX : depth >= 0 ? (int)depth : -1;
}

static JSValue js_dir(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    crw_inspect(ctx, begin(), argv[0], CRW_INSPECT_HOW(asked_depth(ctx, argv[1])));
    end();
    return JS_UNDEFINED;
}

static JSValue js_table(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    if (console.ended)
        return JS_UNDEFINED;
    if (crw_table_put(ctx, begin(), argv[0], argv[1]))
        end();
    else
        write_values(ctx, 1, argv);
    return JS_UNDEFINED;
}

/* --- groups ---------------------------------------------------------------------------------- */

static JSValue js_group(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    if (argc > 0)
        write_values(ctx, argc, argv);
    console.groups++;
    return JS_UNDEFINED;
}

static JSValue js_group_end(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)ctx;
    (void)this_val;
    (void)argc;
    (void)argv;
    console.groups -= console.groups > 0;
    return JS_UNDEFINED;
}

/* --- counts and timers ----------------------------------------------------------------------- */

/* Begins a text with the label, which is cut if it is long. */
static struct crw_out *begin_with_label(JSContext *ctx, JSValueConst label)
{
    struct crw_out *out = begin();

    out->max = LABEL_BYTES_MAX;
    if (JS_IsUndefined(label))
        crw_out_str(out, "default");
    else if (JS_IsObject(label))
        crw_inspect(ctx, out, label, CRW_INSPECT_HOW(0));
    else
        crw_view_bare(ctx, out, label);
    out->max = text_max();
    out->full = false;
    return out;
}

static struct tally *find_tally(const struct tallies *t, const struct crw_out *label)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].len == label->len &&
            (label->len == 0 || memcmp(t->list[i].label, label->text, label->len) == 0))
            return &t->list[i];
    return NULL;
}

/* Adds a label. Returns NULL if there are too many. */
static struct tally *add(struct tallies *t, const struct crw_out *label, int64_t value)
{
    struct tally *added;

    if (t->count == LABELS_MAX)
        return NULL;
    if (!t->list)
        t->list = crw_arena_malloc(NULL, LABELS_MAX * sizeof(*t->list));
    added = &t->list[t->count++];
    added->label = crw_arena_malloc(NULL, label->len + 1);
    added->len = label->len;
    added->value = value;
    memcpy(added->label, label->text ? label->text : "", label->len);
    return added;
}

static void drop(struct tallies *t, struct tally *dropped)
{
    crw_arena_free(NULL, dropped->label);
    *dropped = t->list[--t->count];
}

/* Writes a warning about the label. */
static void complain(struct crw_out *label, const char *before, const char *after)
{
    char text[LABEL_BYTES_MAX];
    size_t len = label->len;

    memcpy(text, label->text ? label->text : "", len);
    crw_out_reset(label, text_max());
    crw_out_str(label, before);
    crw_out_put(label, text, len);
    crw_out_str(label, after);
    end();
}

static JSValue js_count(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    struct crw_out *out = begin_with_label(ctx, argv[0]);
    struct tally *t = find_tally(&console.counts, out);

    (void)this_val;
    (void)argc;
    if (!t)
        t = add(&console.counts, out, 0);
    if (!t) {
        complain(out, "Too many labels: '", "' is not counted");
        return JS_UNDEFINED;
    }
    crw_out_str(out, ": ");
    crw_out_number(out, (uint64_t)++t->value);
    end();
    return JS_UNDEFINED;
}

static JSValue js_count_reset(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    struct crw_out *out = begin_with_label(ctx, argv[0]);
    struct tally *t = find_tally(&console.counts, out);

    (void)this_val;
    (void)argc;
    if (t)
        drop(&console.counts, t);
    else
        complain(out, "Count for '", "' does not exist");
    return JS_UNDEFINED;
}

static JSValue js_time(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    struct crw_out *out = begin_with_label(ctx, argv[0]);

    (void)this_val;
    (void)argc;
    if (find_tally(&console.timers, out))
        complain(out, "Label '", "' already exists for console.time()");
    else if (!add(&console.timers, out, crw_bridge_now_us()))
        complain(out, "Too many labels: '", "' is not timed");
    return JS_UNDEFINED;
}

/* Appends the elapsed time in milliseconds, or in seconds from one second on. */
static void put_elapsed(struct crw_out *out, const struct tally *timer)
{
    double ms = (double)(crw_bridge_now_us() - timer->value) / 1e3;
    char text[32];

    if (ms < 1000)
        (void)snprintf(text, sizeof(text), ": %.6gms", ms);
    else
        (void)snprintf(text, sizeof(text), ": %.3fs", ms / 1e3);
    crw_out_str(out, text);
}

enum { TIME_LOG, TIME_END };

static JSValue js_time_log(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                           int what)
{
    struct crw_out *out = begin_with_label(ctx, argv[0]);
    struct tally *t = find_tally(&console.timers, out);

    (void)this_val;
    if (!t) {
        complain(out, "No such label '",
                 what == TIME_END ? "' for console.timeEnd()" : "' for console.timeLog()");
        return JS_UNDEFINED;
    }
    put_elapsed(out, t);
    if (what == TIME_END) {
        drop(&console.timers, t);
    } else if (argc > 1) {
        crw_out_str(out, " ");
        crw_format_values(ctx, out, argc - 1, argv + 1);
    }
    end();
    return JS_UNDEFINED;
}

/* --- the object ------------------------------------------------------------------------------ */

#define METHOD(name, length, function) JS_CFUNC_DEF2(name, length, function, JS_PROP_C_W_E)
#define METHOD_MAGIC(name, length, function, magic)                                   \
    {                                                                                 \
        name, JS_PROP_C_W_E, JS_DEF_CFUNC, magic,                                     \
        {                                                                             \
            .func = { length, JS_CFUNC_generic_magic, {.generic_magic = (function)} } \
        }                                                                             \
    }

static const JSCFunctionListEntry methods[] = {
    METHOD("log", 0, js_log),
    METHOD("info", 0, js_log),
    METHOD("warn", 0, js_log),
    METHOD("error", 0, js_log),
    METHOD("debug", 0, js_log),
    METHOD("dirxml", 0, js_log),
    METHOD("trace", 0, js_trace),
    METHOD("assert", 0, js_assert),
    METHOD("dir", 2, js_dir),
    METHOD("table", 2, js_table),
    METHOD("group", 0, js_group),
    METHOD("groupCollapsed", 0, js_group),
    METHOD("groupEnd", 0, js_group_end),
    METHOD("count", 1, js_count),
    METHOD("countReset", 1, js_count_reset),
    METHOD("time", 1, js_time),
    METHOD_MAGIC("timeLog", 1, js_time_log, TIME_LOG),
    METHOD_MAGIC("timeEnd", 1, js_time_log, TIME_END),
};

int crw_console_install(JSContext *ctx)
{
    static const JSCFunctionListEntry global[] = {
        JS_OBJECT_DEF("console", methods, sizeof(methods) / sizeof(methods[0]),
                      JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE),
    };
    JSValue object = JS_GetGlobalObject(ctx);
    int r = JS_SetPropertyFunctionList(ctx, object, global, 1);

    JS_FreeValue(ctx, object);
    return r;
}
