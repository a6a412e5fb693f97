/*
 * call.c - a run of one line. So a call from here passes the same checks, has the same limits and
 * gives the same envelope as one from a capability.
 */
#include "cli/call.h"

#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/pattern.h"
#include "cli/exec.h"
#include "cli/launch.h"

#define MAX_CODE 1024u

int cr_call_write(struct caprun_run *run, const char *method)
{
    size_t len = strcspn(method, ":");
    struct cr_buf code;
    int r;

    cr_buf_init(&code, MAX_CODE);
    cr_buf_str(&code, "return mcp[");
    cr_escape_json(&code, method, len);
    cr_buf_str(&code, "][");
    cr_escape_json_str(&code, method[len] ? method + len + 1 : "");
    cr_buf_str(&code, "](args)");
    r = cr_buf_err(&code);
    if (r == 0)
        r = caprun_run_set_code(run, (const char *)code.data, code.len);
    cr_buf_clear(&code);
    return r;
}

int cr_cli_call(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
{
    const char *method = o->words[1];
    struct cr_recording_origin origin = {.command = "call", .tool = method};
    struct cr_recording recording;

    if (!strchr(method, ':') || !cr_pattern_is(method) || strpbrk(method, "*?")) {
        caprun_reject(
            run, CAPRUN_OUTCOME_USAGE,
            "call needs the name of a tool with its server, NS:ACTION, of letters, digits, "
            "_ - . and /; what else is in a tool's name is a _ here",
            "caprun tools lists them; caprun call filesystem:read_file '{\"path\": \"x\"}'");
        return 0;
    }
    if (cr_exec_configure(rt, run, o, &recording) < 0)
        return 0;
    if (cr_call_write(run, method) < 0) {
        caprun_reject(run, CAPRUN_OUTCOME_USAGE, caprun_error(rt), NULL);
        return 0;
    }
    (void)caprun_warm(rt); /* while the args are read */
    if (cr_launch_args(rt, run, o->words[2]) < 0)
        return 0;
    return cr_launch_recorded(rt, run, &recording, &origin);
}
