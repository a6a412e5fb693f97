/*
 * approve.c - `caprun approve`, `caprun deny`: a resume whose first question is decided at the
 * terminal, or by the command line (unattended.c).
 *
 * A program that can type this command is not a person: --yes needs the user's own permission.
 */
#include "cli/approve.h"

#include <string.h>

#include "cli/resume.h"
#include "cli/terminal.h"

static bool is_approval(const struct cr_options *o)
{
    return strcmp(o->words[0], "approve") == 0;
}

int cr_approve_check(const struct cr_options *o, const struct cr_config *config, struct cr_err *why)
{
    static const char how[] = "to let programs approve, write \"approvals\": {\"scripts\": true} "
                              "into your own ~/.config/caprun/config.json";

    if (!is_approval(o))
        return 0;
    if (o->yes && !config->scripts_approve)
        return cr_err_end(why, CAPRUN_OUTCOME_PERMISSION_DENIED, how,
                          "--yes approves without a person, and your own configuration does not "
                          "permit that");
    if (!o->yes && (o->decided_count || o->for_run))
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                          "without --yes, caprun approve RUN asks at the terminal about each call",
                          "--call and --run say what --yes approves");
    if (!o->yes && (o->no_input || !cr_terminal_is_there()))
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, how,
                          "approve asks at the terminal, and there is none");
    return 0;
}

int cr_cli_approve(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
{
    return cr_cli_resume(rt, run, o);
}
