/* trace.c - prints lines about calls, and keeps the open calls for the line on the terminal. */
#include "cli/trace.h"

#include <string.h>

#include "base/json.h"
#include "base/loop.h"

#define LEAST_US 100000 /* between two lines about progress */
#define PATIENCE_US 1000000
#define MAX_NOTE 16384
#define MAX_LINE (64u << 10)

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

/* --- open calls ------------------------------------------------------------------------------ */

static void add_call(struct cr_trace *t, uint32_t call)
{
    if (t->open_count == CR_TRACE_CALLS)
        return;
    t->open[t->open_count].number = call;
    t->open[t->open_count].began_us = cr_loop_now();
    cr_buf_init(&t->open[t->open_count++].progress, MAX_NOTE);
}

static size_t find_call(const struct cr_trace *t, uint32_t call)
{
    size_t i = 0;

    while (i < t->open_count && t->open[i].number != call)
        i++;
    return i;
}

static void remove_call(struct cr_trace *t, uint32_t call)
{
    size_t i = find_call(t, call);

    if (i == t->open_count)
        return;
    cr_buf_clear(&t->open[i].progress);
    memmove(&t->open[i], &t->open[i + 1], (--t->open_count - i) * sizeof(t->open[0]));
    /* otherwise the line about the next call replaces it soon */
    if (i == 0 && (!t->open_count || cr_loop_now() - t->open[0].began_us < PATIENCE_US))
        cr_progress_end(&t->progress);
}

static void show_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    struct cr_trace *trace = data;

    if (trace->progress.wanted && what == CAPRUN_EVENT_CALL)
        add_call(trace, call);
    if (what != CAPRUN_EVENT_CALL_DONE && what != CAPRUN_EVENT_CALL_LOST)
        return;
    remove_call(trace, call);
    if (trace->is_verbose)
        say_done(trace->out, run, call);
}

/* --- what servers report --------------------------------------------------------------------- */

static const char *text_of(const struct cJSON *root, const char *key)
{
    const struct cJSON *value = cr_json_get(root, key);

    return value && cr_json_text(value) ? cr_json_text(value) : NULL;
}

/* Appends "3 of 10, words", what there is of it, after |lead|. */
static void add_progress(struct cr_buf *out, const char *lead, const char *json, size_t len)
{
    struct cr_json_doc doc = {0};
    const char *done, *total, *words;

    if (!len || cr_json_parse(json, len, &doc, NULL) < 0)
        return;
    done = text_of(doc.root, "progress");
    total = text_of(doc.root, "total");
    words = text_of(doc.root, "message");
    cr_buf_fmt(out, "%s%s%s%s%s%s", lead, done ? done : "?", total ? " of " : "",
               total ? total : "", words ? ", " : "", words ? words : "");
    cr_json_clear(&doc);
}

static void say_progress(struct cr_trace *trace, struct caprun_run *run, uint32_t call,
                         const char *json, size_t len)
{
    cr_autobuf struct cr_buf text = CR_BUF(MAX_LINE);

    if (cr_loop_now() - trace->said_us < LEAST_US)
        return;
    trace->said_us = cr_loop_now();
    add_progress(&text, ": ", json, len);
    if (text.len && cr_buf_text(&text))
        cr_output_line(trace->out, "call %u %s%s", call, caprun_get_call_method(run, call),
                       cr_buf_text(&text));
}

static void show_progress(void *data, struct caprun_run *run, uint32_t call, const char *json,
                          size_t len)
{
    struct cr_trace *trace = data;
    size_t i = find_call(trace, call);

    if (i < trace->open_count) {
        cr_buf_clear(&trace->open[i].progress);
        cr_buf_init(&trace->open[i].progress, MAX_NOTE);
        if (len <= MAX_NOTE)
            cr_buf_add(&trace->open[i].progress, json, len);
    }
    if (trace->is_verbose)
        say_progress(trace, run, call, json, len);
}

/* --- the line on the terminal ---------------------------------------------------------------- */

void cr_trace_draw(struct cr_trace *t, struct caprun_run *run)
{
    cr_autobuf struct cr_buf text = CR_BUF(MAX_LINE);
    size_t others = t->open_count - 1;

    /* a log line that is partly written has to be completed first */
    if (!t->open_count || t->out->waiting.len)
        return;
    t->progress.began_us = t->open[0].began_us;
    if (!cr_progress_is_due(&t->progress, PATIENCE_US))
        return;
    cr_buf_fmt(&text, "caprun: %s, %lld s", caprun_get_call_method(run, t->open[0].number),
               (long long)((cr_loop_now() - t->open[0].began_us) / 1000000));
    if (others)
        cr_buf_fmt(&text, ", and %zu other%s", others, others == 1 ? "" : "s");
    add_progress(&text, ": ", (const char *)t->open[0].progress.data, t->open[0].progress.len);
    if (cr_buf_text(&text))
        cr_output_status(cr_buf_text(&text));
}

int cr_trace_wait_ms(const struct cr_trace *t)
{
    int64_t left_us;

    if (!t->open_count)
        return -1;
    left_us = t->open[0].began_us + PATIENCE_US - cr_loop_now();
    return left_us > 0 ? (int)(left_us / 1000) + 1 : CR_PROGRESS_MS + 1;
}

/* --- beginning and end ----------------------------------------------------------------------- */

void cr_trace_begin(struct cr_trace *trace, struct caprun_run *run, struct cr_output *out,
                    const struct cr_options *o)
{
    trace->out = out;
    trace->said_us = 0;
    trace->open_count = 0;
    trace->is_verbose = o->verbose;
    cr_progress_init(&trace->progress, o->quiet || o->json);
    if (!o->verbose && !trace->progress.wanted)
        return;
    caprun_run_set_event(run, show_event, trace);
    caprun_run_set_progress(run, show_progress, trace);
}

void cr_trace_end(struct cr_trace *trace)
{
    while (trace->open_count)
        remove_call(trace, trace->open[0].number);
    cr_progress_end(&trace->progress);
}
