/* compose.c - composes the lines about a run and its calls. */
#include "audit/compose.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/line.h"
#include "base/escape.h"
#include "base/nest.h"
#include "run/calls.h"
#include "run/envelope.h"
#include "run/run.h"

#define CODE_WITHOUT_NAME "exec"
#define MAX_WHO 4096

static void add_hash(struct cr_buf *out, const char *name, const uint8_t hash[CR_HASH_BYTES])
{
    char digits[CR_HASH_DIGITS + 1];

    cr_hash_show(hash, digits);
    cr_buf_str(out, ",\"");
    cr_buf_str(out, name);
    cr_buf_str(out, "\":\"");
    cr_buf_add(out, digits, CR_HASH_DIGITS);
    cr_buf_str(out, "\"");
}

static void add_number(struct cr_buf *out, const char *name, uint64_t number)
{
    cr_buf_str(out, ",\"");
    cr_buf_str(out, name);
    cr_buf_str(out, "\":");
    cr_buf_number(out, number);
}

/* A line that a verification could not parse would look like damage. */
static bool fits(const char *json, size_t len)
{
    return len <= CR_AUDIT_MAX_ARGS && cr_nest_fits(json, len);
}

/* Native code in a worker can put line ends between values. */
static void add_json(struct cr_buf *out, const char *name, const char *json, size_t len)
{
    size_t start;

    cr_buf_str(out, ",\"");
    cr_buf_str(out, name);
    cr_buf_str(out, "\":");
    start = out->len;
    cr_buf_add(out, json, len);
    for (size_t i = start; i < out->len; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
}

static void add_ms(struct cr_buf *out, uint64_t us)
{
    char part[8];

    (void)snprintf(part, sizeof(part), ".%03u", (unsigned)(us % 1000));
    add_number(out, "ms", us / 1000);
    cr_buf_str(out, part);
}

void cr_audit_who_init(struct cr_audit_who *who)
{
    who->run[0] = '\0';
    cr_buf_init(&who->text, MAX_WHO);
}

void cr_audit_who_clear(struct cr_audit_who *who)
{
    cr_buf_clear(&who->text);
}

/* Who it is: the run, its capability, and the hash of the code. */
static void add_who(struct cr_buf *out, struct cr_audit_who *who, struct caprun_run *run)
{
    const struct cr_spec *spec = cr_run_spec(run);

    if (strcmp(who->run, spec->id) != 0) {
        cr_buf_clear(&who->text);
        memcpy(who->run, spec->id, sizeof(who->run));
        cr_escape_member(&who->text, "run", spec->id);
        cr_escape_member(&who->text, "capability",
                         spec->caller[0] ? spec->caller : CODE_WITHOUT_NAME);
        add_hash(&who->text, "pin", cr_run_digest(run));
    }
    if (cr_buf_err(&who->text)) {
        who->run[0] = '\0';
        out->err = CAPRUN_E_NOMEM;
    }
    cr_buf_add(out, who->text.data, who->text.len);
}

static void add_decision(struct cr_buf *out, const struct cr_call *call)
{
    if (!call->by)
        return;
    cr_buf_str(out, call->state == CR_CALL_DENIED ? ",\"decision\":\"deny\",\"by\":"
                                                  : ",\"decision\":\"allow\",\"by\":");
    cr_envelope_add_by(out, call);
}

void cr_audit_compose_begin(struct cr_buf *out, struct cr_audit_who *who, struct caprun_run *run,
                            const char *event)
{
    const struct cr_spec *spec = cr_run_spec(run);

    cr_audit_line_begin(out, event);
    add_who(out, who, run);
    if (spec->origin.len > 2 && fits((const char *)spec->origin.data, spec->origin.len))
        add_json(out, "origin", (const char *)spec->origin.data, spec->origin.len);
    cr_buf_fmt(out, ",\"pid\":%d", (int)getpid());
}

void cr_audit_compose_end(struct cr_buf *out, struct cr_audit_who *who, struct caprun_run *run)
{
    struct cr_run_view v = cr_run_look(run);

    cr_audit_line_begin(out, "end");
    add_who(out, who, run);
    cr_escape_member(out, "outcome",
                     v.outcome == CAPRUN_OUTCOME_SUCCESS ? "success" : cr_envelope_code(v.outcome));
    cr_buf_fmt(out, ",\"calls\":%zu", v.call_count);
}

void cr_audit_compose_call(struct cr_buf *out, struct cr_audit_who *who,
                           const struct cr_audit_ticket *ticket, const uint8_t hash[CR_HASH_BYTES],
                           bool has_args)
{
    cr_audit_line_begin(out, "call");
    add_who(out, who, ticket->run);
    add_number(out, "call", ticket->number);
    cr_escape_member(out, "tool", ticket->tool);
    add_hash(out, "argsSha256", hash);
    if (has_args && fits(ticket->args, ticket->args_len))
        add_json(out, "args", ticket->args, ticket->args_len);
    else if (has_args)
        add_number(out, "argsBytes", ticket->args_len);
    add_decision(out, cr_calls_at(ticket->run, ticket->number));
}

void cr_audit_compose_result(struct cr_buf *out, struct cr_audit_who *who, struct caprun_run *run,
                             uint32_t number, bool is_known)
{
    const struct cr_call *call = cr_calls_at(run, number);
    bool has_failed = call->state != CR_CALL_OPEN && call->state != CR_CALL_DONE;

    cr_audit_line_begin(out, is_known || call->state == CR_CALL_UNKNOWN ? "result" : "refused");
    add_who(out, who, run);
    add_number(out, "call", number);
    cr_escape_member(out, "tool", call->audited_tool ? call->audited_tool : call->method);
    add_decision(out, call);
    cr_escape_member(out, "outcome", cr_envelope_call_state(call));
    if (has_failed)
        cr_escape_member(out, "code", cr_envelope_code(call->outcome));
    add_ms(out,
           call->state == CR_CALL_OPEN ? (uint64_t)(cr_loop_now() - call->started_us) : call->us);
}
