/* trace.c - prints a line for each finished call, and for progress of servers. */
#include "cli/trace.h"

#include "base/json.h"
#include "base/loop.h"

#define LEAST_US 100000 /* between two lines about progress */

static void say_done(struct cr_output *out, struct caprun_run *run, uint32_t call)
{
    uint64_t queue = caprun_get_call(run, call, CAPRUN_CALL_QUEUE_US);
    uint64_t server = caprun_get_call(run, call, CAPRUN_CALL_SERVER_US);

    cr_output_line(out,
                   "call %u %s %s: %llu.%llu ms in the queue, %llu.%llu ms in the server, "
                   "%llu bytes out, %llu bytes in",
                   call, caprun_get_call_method(run, call), caprun_get_call_state(run, call),
                   (unsigned long long)(queue / 1000), (unsigned long long)(queue % 1000 / 100),
                   (unsigned long long)(server / 1000), (unsigned long long)(server % 1000 / 100),
                   (unsigned long long)caprun_get_call(run, call, CAPRUN_CALL_ARGS_BYTES),
                   (unsigned long long)caprun_get_call(run, call, CAPRUN_CALL_ANSWER_BYTES));
    if (caprun_get_call_message(run, call)[0])
        cr_output_line(out, "call %u: %s", call, caprun_get_call_message(run, call));
    if (caprun_get_call_hint(run, call)[0])
        cr_output_line(out, "call %u: %s", call, caprun_get_call_hint(run, call));
}

static void show_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    const struct cr_trace *trace = data;

    if (what == CAPRUN_EVENT_CALL_DONE || what == CAPRUN_EVENT_CALL_LOST)
        say_done(trace->out, run, call);
}

static const char *text_of(const struct cJSON *root, const char *key)
{
    const struct cJSON *value = cr_json_get(root, key);

    return value && cr_json_text(value) ? cr_json_text(value) : NULL;
}

static void show_progress(void *data, struct caprun_run *run, uint32_t call, const char *json,
                          size_t len)
{
    struct cr_trace *trace = data;
    struct cr_json_doc doc = {0};
    const char *done, *total, *words;

    if (cr_loop_now() - trace->said_us < LEAST_US)
        return;
    trace->said_us = cr_loop_now();
    if (cr_json_parse(json, len, &doc, NULL) < 0)
        return;
    done = text_of(doc.root, "progress");
    total = text_of(doc.root, "total");
    words = text_of(doc.root, "message");
    cr_output_line(trace->out, "call %u %s: %s%s%s%s%s", call, caprun_get_call_method(run, call),
                   done ? done : "?", total ? " of " : "", total ? total : "", words ? ", " : "",
                   words ? words : "");
    cr_json_clear(&doc);
}

void cr_trace_begin(struct cr_trace *trace, struct caprun_run *run, struct cr_output *out)
{
    *trace = (struct cr_trace){.out = out};
    caprun_run_set_event(run, show_event, trace);
    caprun_run_set_progress(run, show_progress, trace);
}
