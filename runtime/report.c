/* report.c - keeps a short list of rejected promises, and formats it and the causes of errors. */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "console/console.h"
#include "console/inspect.h"
#include "console/work.h"
#include "run_limits.h"
#include "values.h"

/* More than a person reads, and few enough for a fast linear search. */
#define KEPT 32

static struct {
    JSValue promise, reason;
} rejected[KEPT];
static unsigned count;

static void forget(JSContext *ctx, unsigned i)
{
    JS_FreeValue(ctx, rejected[i].promise);
    JS_FreeValue(ctx, rejected[i].reason);
    count--;
    memmove(&rejected[i], &rejected[i + 1], (count - i) * sizeof(rejected[0]));
}

static void on_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool is_handled,
                         void *opaque)
{
    (void)opaque;
    if (!is_handled && count < KEPT) {
        rejected[count].promise = JS_DupValue(ctx, promise);
        rejected[count++].reason = JS_DupValue(ctx, reason);
        return;
    }
    for (unsigned i = 0; is_handled && i < count; i++) {
        if (JS_VALUE_GET_PTR(rejected[i].promise) == JS_VALUE_GET_PTR(promise)) {
            forget(ctx, i);
            return;
        }
    }
}

void crw_report_install(JSContext *ctx)
{
    JS_SetHostPromiseRejectionTracker(JS_GetRuntime(ctx), on_rejection, NULL);
}

static void write_rejection(JSContext *ctx, JSValueConst reason)
{
    struct crw_out out = {.max = LIMIT_ERROR_MESSAGE_BYTES};

    crw_work_begin();
    crw_out_str(&out, "[unhandled] ");
    crw_inspect(ctx, &out, reason, CRW_INSPECT_HOW(2));
    crw_console_write(out.text, out.len);
    crw_out_reset(&out, 0);
}

void crw_report_leftovers(JSContext *ctx, JSValueConst result)
{
    unsigned waiting = JS_IsUndefined(result) ? crw_bridge_waiting() : 0;
    char line[128];

    for (unsigned i = 0; i < count; i++)
        write_rejection(ctx, rejected[i].reason);
    if (!waiting)
        return;
    (void)snprintf(line, sizeof(line),
                   "[unfinished] the code returned while %u call%s waited for %s: await it",
                   waiting, waiting == 1 ? "" : "s", waiting == 1 ? "its answer" : "their answers");
    crw_console_write(line, strlen(line));
}

/* --- causes ------------------------------------------------------------------------------- */

static void append_part(JSContext *ctx, struct crw_out *out, const char *before, JSValueConst part)
{
    crw_out_str(out, out->len ? "\n    " : "    ");
    crw_out_str(out, before);
    crw_inspect(ctx, out, part, CRW_INSPECT_HOW(2));
}

void crw_report_causes(JSContext *ctx, struct crw_out *out, JSValueConst error)
{
    JSValue cause = crw_values_own(ctx, error, "cause");
    JSValue errors = crw_values_own(ctx, error, "errors");

    crw_work_begin();
    if (!JS_IsUndefined(cause))
        append_part(ctx, out, "caused by: ", cause);
    if (JS_IsArray(errors))
        append_part(ctx, out, "all of: ", errors);
    JS_FreeValue(ctx, cause);
    JS_FreeValue(ctx, errors);
}
