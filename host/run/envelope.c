/* envelope.c - writes the envelope of a run: result or error, logs, calls and metrics. */
#include "run/envelope.h"
#include "run/run_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"

static const struct {
    const char *code;
    const char *type;
    int status;
} outcomes[] = {
#define XX(name, type, status) {#name, (type), (status)},
    CAPRUN_OUTCOME_MAP(XX)
#undef XX
};

/* Outcomes also come over FFI, where an enum may have any value. */
static size_t known_index(enum caprun_outcome outcome)
{
    return (size_t)outcome < sizeof(outcomes) / sizeof(outcomes[0])
               ? (size_t)outcome
               : (size_t)CAPRUN_OUTCOME_INTERNAL;
}

const char *cr_envelope_code(enum caprun_outcome outcome)
{
    return outcomes[known_index(outcome)].code;
}

enum caprun_outcome cr_envelope_outcome(const char *code)
{
    size_t i = 0;

    while (i < sizeof(outcomes) / sizeof(outcomes[0]) && strcmp(outcomes[i].code, code) != 0)
        i++;
    return (enum caprun_outcome)known_index((enum caprun_outcome)i);
}

int cr_envelope_status(enum caprun_outcome outcome)
{
    return outcomes[known_index(outcome)].status;
}

const char *cr_envelope_type(const struct caprun_run *run)
{
    return run->error.type ? run->error.type : outcomes[known_index(run->outcome)].type;
}

static uint64_t between(int64_t from_us, int64_t to_us)
{
    return from_us && to_us > from_us ? (uint64_t)(to_us - from_us) : 0;
}

/* Milliseconds with three decimals and a point, in every locale. */
static void ms_field(struct cr_buf *out, const char *name, uint64_t us)
{
    cr_buf_fmt(out, "\"%s\":%llu.%03llu", name, (unsigned long long)(us / 1000),
               (unsigned long long)(us % 1000));
}

static void text_field(struct cr_buf *out, const char *name, const char *text, size_t len)
{
    cr_buf_fmt(out, ",\"%s\":", name);
    cr_escape_json(out, text, len);
}

static void write_error(const struct caprun_run *run, struct cr_buf *out)
{
    const struct cr_run_error *error = &run->error;

    cr_buf_fmt(out, ",\"error\":{\"type\":\"%s\",\"code\":\"%s\"", cr_envelope_type(run),
               cr_envelope_code(run->outcome));
    text_field(out, "message", (const char *)error->message.data, error->message.len);
    if (error->stack.len)
        text_field(out, "stack", (const char *)error->stack.data, error->stack.len);
    if (error->tool)
        text_field(out, "toolName", error->tool, strlen(error->tool));
    if (error->hint[0])
        text_field(out, "hint", error->hint, strlen(error->hint));
    if (error->grant)
        cr_buf_fmt(out, ",\"grant\":%s", error->grant);
    cr_buf_str(out, "}");
}

static const char *const call_states[] = {
    [CR_CALL_OPEN] = "in_flight_unknown",
    [CR_CALL_DONE] = "done",
    [CR_CALL_FAILED] = "failed",
    [CR_CALL_DENIED] = "denied",
    [CR_CALL_UNKNOWN] = "in_flight_unknown",
};

const char *cr_envelope_call_state(const struct cr_call *call)
{
    if (call->state != CR_CALL_OPEN || call->sent_us || (call->was_sent && !call->is_asked))
        return call_states[call->state];
    return call->is_asked ? "waiting" : "not_started";
}

void cr_envelope_add_by(struct cr_buf *out, const struct cr_call *call)
{
    char both[512];

    (void)snprintf(both, sizeof(both), "%s%s", call->by, call->rule ? call->rule : "");
    cr_escape_json_str(out, both);
}

static void write_calls(const struct caprun_run *run, struct cr_buf *out)
{
    cr_buf_str(out, ",\"calls\":[");
    for (size_t i = 0; i < run->call_count; i++) {
        cr_buf_fmt(out, "%s{\"n\":%zu", i ? "," : "", i + 1);
        text_field(out, "method", run->calls[i].method, strlen(run->calls[i].method));
        cr_buf_fmt(out, ",\"state\":\"%s\",", cr_envelope_call_state(&run->calls[i]));
        if (run->calls[i].by) {
            cr_buf_fmt(out, "\"decision\":\"%s\",\"by\":",
                       run->calls[i].state == CR_CALL_DENIED ? "deny" : "allow");
            cr_envelope_add_by(out, &run->calls[i]);
            cr_buf_str(out, ",");
        }
        ms_field(out, "ms",
                 run->calls[i].state == CR_CALL_OPEN
                     ? between(run->calls[i].started_us, run->ended_us)
                     : run->calls[i].us);
        cr_buf_str(out, "}");
    }
    cr_buf_str(out, "]");
}

uint64_t cr_envelope_metric(const struct caprun_run *run, enum caprun_metric metric)
{
    switch ((int)metric) {
    case CAPRUN_METRIC_STARTUP_US:
        return between(run->asked_us, run->job_us ? run->job_us : run->ended_us);
    case CAPRUN_METRIC_EXECUTION_US:
        return between(run->job_us, run->paused_us ? run->paused_us : run->ended_us);
    case CAPRUN_METRIC_CPU_US:
        return run->cpu_us > 0 ? (uint64_t)run->cpu_us : 0;
    case CAPRUN_METRIC_MEMORY_BYTES:
        return run->memory_used;
    case CAPRUN_METRIC_CALLS:
        return run->call_count;
    case CAPRUN_METRIC_WAIT_US:
        return (uint64_t)run->waited_us;
    default:
        return 0;
    }
}

static void write_metrics(const struct caprun_run *run, struct cr_buf *out)
{
    uint64_t hundredths = cr_envelope_metric(run, CAPRUN_METRIC_MEMORY_BYTES) * 100 / LIMIT_MIB;

    cr_buf_str(out, ",\"metrics\":{");
    ms_field(out, "startupTimeMs", cr_envelope_metric(run, CAPRUN_METRIC_STARTUP_US));
    cr_buf_str(out, ",");
    ms_field(out, "executionTimeMs", cr_envelope_metric(run, CAPRUN_METRIC_EXECUTION_US));
    cr_buf_str(out, ",");
    ms_field(out, "cpuTimeMs", cr_envelope_metric(run, CAPRUN_METRIC_CPU_US));
    cr_buf_str(out, ",");
    ms_field(out, "waitTimeMs", cr_envelope_metric(run, CAPRUN_METRIC_WAIT_US));
    cr_buf_fmt(out, ",\"memoryUsedMB\":%llu.%02llu,\"rpcCalls\":%zu}",
               (unsigned long long)(hundredths / 100), (unsigned long long)(hundredths % 100),
               run->call_count);
}

/* Lines are escaped here and not when they arrive: the loop has no time to escape megabytes. */
static void write_logs(const struct caprun_run *run, struct cr_buf *out)
{
    uint32_t len;

    cr_buf_str(out, ",\"logs\":[");
    for (size_t at = 0; at < run->logs.len; at += len) {
        if (at > 0)
            cr_buf_str(out, ",");
        memcpy(&len, run->logs.data + at, sizeof(len));
        at += sizeof(len);
        cr_escape_json(out, (const char *)run->logs.data + at, len);
    }
    cr_buf_str(out, "]");
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
    write_logs(run, out);
    cr_buf_str(out, ",\"blocked\":[");
    cr_buf_add(out, run->blocked.data, run->blocked.len);
    cr_buf_str(out, "]");
    write_calls(run, out);
    write_metrics(run, out);
    if (run->spec.by_environment)
        cr_buf_str(out, ",\"trust\":\"environment\"");
    text_field(out, "runId", run->spec.id, strlen(run->spec.id));
    cr_buf_str(out, "}");
    if (cr_buf_err(out))
        return;
    cr_buf_clear(&run->logs);
    cr_buf_clear(&run->blocked);
}
