/* end_message.c - sets the error message and the hint of a run that has ended. */
#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"
#include "run/hints.h"
#include "run/run_parts.h"

void cr_run_set_message(struct caprun_run *run, const char *fmt, ...)
{
    struct cr_buf *message = &run->error.message;
    uint8_t *room;
    va_list ap;
    int len;

    cr_buf_clear(message);
    va_start(ap, fmt);
    len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (len > (int)LIMIT_ERROR_MESSAGE_BYTES)
        len = LIMIT_ERROR_MESSAGE_BYTES;
    room = len > 0 ? cr_buf_room(message, (size_t)len + 1) : NULL;
    if (!room)
        return;
    va_start(ap, fmt);
    (void)vsnprintf((char *)room, (size_t)len + 1, fmt, ap);
    va_end(ap);
    message->len = (size_t)len;
}

void cr_run_hint(struct caprun_run *run, const char *text)
{
    (void)snprintf(run->error.hint, sizeof(run->error.hint), "%s", text);
}

/* "; the run of the journal had 1 GiB": tells that a lower limit, not the code, ended the run. */
static const char *show_recorded(char ret[96], const char *amount)
{
    (void)snprintf(ret, 96, "; the run of the journal had %s", amount);
    return ret;
}

static const char *show_recorded_ms(char ret[96], uint32_t ms)
{
    char amount[32];

    cr_units_show_duration(ms, amount);
    return ms ? show_recorded(ret, amount) : "";
}

static const char *show_recorded_bytes(char ret[96], uint64_t bytes)
{
    char amount[32];

    cr_units_show_size(bytes, amount);
    return bytes ? show_recorded(ret, amount) : "";
}

void cr_run_explain(struct caprun_run *run, enum caprun_outcome outcome)
{
    char amount[32], more[96], room[CR_HINTS_ROOM];
    const char *hint = cr_hints_for_outcome(outcome, room);

    if (hint)
        cr_run_hint(run, hint);
    switch ((int)outcome) {
    case CAPRUN_OUTCOME_EXECUTION_TIMEOUT:
        cr_units_show_duration(run->spec.limits.wall_ms, amount);
        cr_run_set_message(run, "Execution timeout after %s%s", amount,
                           show_recorded_ms(more, run->spec.recorded.wall_ms));
        break;
    case CAPRUN_OUTCOME_CPU_TIMEOUT:
        cr_units_show_duration(run->spec.limits.cpu_ms, amount);
        cr_run_set_message(run, "CPU time limit of %s reached%s", amount,
                           show_recorded_ms(more, run->spec.recorded.cpu_ms));
        break;
    case CAPRUN_OUTCOME_MEMORY_LIMIT:
        cr_units_show_size(run->spec.limits.memory, amount);
        cr_run_set_message(run, "Memory limit of %s reached%s", amount,
                           show_recorded_bytes(more, run->spec.recorded.memory));
        break;
    case CAPRUN_OUTCOME_OUTPUT_LIMIT:
        cr_units_show_size(run->spec.limits.most.result_bytes, amount);
        cr_run_set_message(run, "The result is over %s", amount);
        break;
    case CAPRUN_OUTCOME_CALL_LIMIT:
        cr_run_set_message(run, "More than %u call%s in one run", run->spec.limits.most.calls,
                           run->spec.limits.most.calls == 1 ? "" : "s");
        break;
    case CAPRUN_OUTCOME_STALLED:
        cr_run_set_message(run, "The code waits for something that cannot happen: "
                                "no call and no timer is pending, and it has not returned");
        break;
    case CAPRUN_OUTCOME_CANCELLED:
        cr_run_set_message(run, "Cancelled");
        break;
    default:
        break;
    }
}
