/* end.c - explains the end of a server from the last report of its guard. */
#include "mcp/end.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static const char *what_of_command(int error)
{
    switch (error) {
    case ENOENT:
        return "is not there";
    case EACCES:
        return "may not be executed";
    default:
        return "cannot be executed";
    }
}

static void explain_failure(char *ret_why, size_t size, const struct cr_end *end)
{
    const char *words = strerror(end->last.value);

    switch (end->last.step) {
    case GUARD_STEP_EXEC:
        (void)snprintf(ret_why, size, "could not be started: '%s' %s (%s)", end->command,
                       what_of_command(end->last.value), words);
        break;
    case GUARD_STEP_CHDIR:
        (void)snprintf(ret_why, size,
                       "could not be started: its directory '%s' cannot be entered (%s)", end->cwd,
                       words);
        break;
    default:
        (void)snprintf(ret_why, size, "could not be started: its guard failed (%s)", words);
        break;
    }
}

static void explain_status(char *ret_why, size_t size, int status)
{
    if (WIFEXITED(status))
        (void)snprintf(ret_why, size, "exited with status %d", WEXITSTATUS(status));
    else
        (void)snprintf(ret_why, size, "was killed by signal %d (%s)", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
}

/* The guard has not told how the server ended. */
static void explain_guard(char *ret_why, size_t size, const struct cr_end *end)
{
    const char *what = end->last.what ? "was killed" : "could not be started";

    if (end->guard.si_code == CLD_KILLED || end->guard.si_code == CLD_DUMPED)
        (void)snprintf(ret_why, size, "%s: its guard was killed by signal %d (%s)", what,
                       end->guard.si_status, strsignal(end->guard.si_status));
    else
        (void)snprintf(ret_why, size, "%s: its guard ended", what);
}

void cr_end_explain(char *ret_why, size_t size, const struct cr_end *end)
{
    if (end->last.what == GUARD_FAILED)
        explain_failure(ret_why, size, end);
    else if (end->last.what == GUARD_EXITED)
        explain_status(ret_why, size, end->last.value);
    else if (end->killed_for)
        (void)snprintf(ret_why, size, "was killed, since %s", end->killed_for);
    else
        explain_guard(ret_why, size, end);
}

bool cr_end_is_missing(const struct guard_report *last)
{
    return last->what == GUARD_FAILED && last->step != GUARD_STEP_SETUP && last->value != ENOMEM &&
           last->value != EAGAIN && last->value != EMFILE && last->value != ENFILE;
}
