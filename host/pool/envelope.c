/* envelope.c - the one JSON object that says how a run ended. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "pool/run.h"

static const struct {
    const char *code;
    const char *type;
    int status;
} outcomes[] = {
#define XX(name, type, status) {#name, (type), (status)},
    CAPRUN_OUTCOME_MAP(XX)
#undef XX
};

const char *cr_outcome_code(enum caprun_outcome outcome)
{
    return outcomes[outcome].code;
}

const char *cr_outcome_type(enum caprun_outcome outcome)
{
    return outcomes[outcome].type;
}

int cr_outcome_status(enum caprun_outcome outcome)
{
    return outcomes[outcome].status;
}

static void text_field(struct cr_buf *out, const char *name, const char *text, size_t len)
{
    cr_buf_fmt(out, ",\"%s\":", name);
    cr_escape_json(out, text, len);
}

static void write_error(const struct caprun_run *run, struct cr_buf *out)
{
    const struct cr_run_error *error = &run->error;
    const char *type = error->type ? error->type : cr_outcome_type(run->outcome);

    cr_buf_fmt(out, ",\"error\":{\"type\":\"%s\",\"code\":\"%s\"", type,
               cr_outcome_code(run->outcome));
    text_field(out, "message", (const char *)error->message.data, error->message.len);
    if (error->stack.len)
        text_field(out, "stack", (const char *)error->stack.data, error->stack.len);
    if (error->tool)
        text_field(out, "toolName", error->tool, strlen(error->tool));
    if (error->hint[0])
        text_field(out, "hint", error->hint, strlen(error->hint));
    cr_buf_str(out, "}");
}

static void write_calls(const struct caprun_run *run, struct cr_buf *out)
{
    cr_buf_str(out, ",\"calls\":[");
    for (size_t i = 0; i < run->call_count; i++) {
        cr_buf_fmt(out, "%s{\"n\":%zu", i ? "," : "", i + 1);
        text_field(out, "method", run->calls[i].method, strlen(run->calls[i].method));
        cr_buf_fmt(out, ",\"state\":\"failed\",\"ms\":%.3f}", (double)run->calls[i].us / 1000);
    }
    cr_buf_str(out, "]");
}

static double between_ms(int64_t from_us, int64_t to_us)
{
    return from_us > 0 && to_us > from_us ? (double)(to_us - from_us) / 1000 : 0;
}

static void write_metrics(const struct caprun_run *run, struct cr_buf *out)
{
    int64_t ready_us = run->job_us ? run->job_us : run->ended_us;

    cr_buf_fmt(out,
               ",\"metrics\":{\"startupTimeMs\":%.3f,\"executionTimeMs\":%.3f,\"cpuTimeMs\":%.3f,"
               "\"waitTimeMs\":0,\"memoryUsedMB\":%.2f,\"rpcCalls\":%zu}",
               between_ms(run->asked_us, ready_us), between_ms(run->job_us, run->ended_us),
               run->cpu_us > 0 ? (double)run->cpu_us / 1000 : 0,
               (double)run->memory_used / LIMIT_MIB, run->call_count);
}

void cr_envelope_write(struct caprun_run *run)
{
    struct cr_buf *out = &run->envelope;
    bool success = run->outcome == CAPRUN_OUTCOME_SUCCESS;

    cr_buf_fmt(out, "{\"success\":%s", success ? "true" : "false");
    if (success) {
        cr_buf_str(out, ",\"result\":");
        cr_buf_add(out, run->result.data, run->result.len);
    } else {
        write_error(run, out);
    }
    cr_buf_str(out, ",\"logs\":[");
    cr_buf_add(out, run->logs.data, run->logs.len);
    cr_buf_str(out, "],\"blocked\":[]");
    write_calls(run, out);
    write_metrics(run, out);
    text_field(out, "runId", run->id, strlen(run->id));
    cr_buf_str(out, "}");
}
