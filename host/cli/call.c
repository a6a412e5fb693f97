/*
 * call.c - `caprun call`: runs one line of code that makes the call. So the call passes the same
 * checks, has the same limits and gives the same envelope as a call of a capability.
 */
#include "cli/call.h"

#include <string.h>

#include "base/pattern.h"
#include "capability/give.h"
#include "cli/exec.h"
#include "cli/launch.h"

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
    if (cr_give_call(run, method) < 0) {
        caprun_reject(run, CAPRUN_OUTCOME_USAGE, caprun_error(rt), NULL);
        return 0;
    }
    (void)caprun_warm(rt); /* while the args are read */
    if (cr_launch_args(rt, run, o->words[2]) < 0)
        return 0;
    return cr_launch_recorded(rt, run, &recording, &origin, o);
}
