/*
 * undecided.c - before a resume: lists the calls that were under way when the run was interrupted,
 * and asks whether to make them again or to let them fail. Both can be wrong, so caprun does not
 * choose.
 */
#include "cli/undecided.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/output.h"
#include "journal/journal.h"
#include "journal/replay.h"

#define MAX_LISTED 20u
#define MAX_ARGS 100u /* bytes that are shown */
#define MAX_TEXT (64u << 20)

static bool is_retried(const struct cr_options *o, uint32_t number)
{
    bool is = o->retry_unknown;

    for (int i = 0; i < o->retry_count; i++)
        is = is || o->retry_calls[i] == number;
    return is;
}

/* --- options that do not fit ----------------------------------------------------------------- */

static const char *why_not_retried(const struct caprun_run *run, uint32_t number)
{
    struct cr_replay_lines lines;

    if (number > cr_replay_journal(run)->calls)
        return "it has not been made";
    lines = cr_replay_lines_of(run, number);
    if (lines.answer)
        return "it was answered";
    return lines.sent ? NULL : "it was not sent yet, and will be sent";
}

static int check_options(struct caprun_run *run, const struct cr_options *o, struct cr_err *why)
{
    if (o->retry_unknown && o->fail_unknown)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                          "--retry-call N makes some of the calls again, and --fail-unknown lets "
                          "the others fail",
                          "--retry-unknown and --fail-unknown cannot both be given");
    for (int i = 0; i < o->retry_count; i++) {
        const char *reason = why_not_retried(run, o->retry_calls[i]);

        if (reason)
            return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun runs RUN shows the unknown calls",
                              "--retry-call: call %u is not unknown: %s", o->retry_calls[i],
                              reason);
    }
    return 0;
}

/* --- the list -------------------------------------------------------------------------------- */

static void show_when(const struct cr_journal_line *line, char ret[64])
{
    time_t seconds = (time_t)(line->date_us / 1000000);
    struct tm local;

    if (!localtime_r(&seconds, &local) || !strftime(ret, 64, "%Y-%m-%d %H:%M:%S", &local))
        (void)snprintf(ret, 64, "at an unknown time");
}

/* Appends the beginning of the args; NULL: they are in a file of their own. */
static void add_args(struct cr_buf *out, const char *args, size_t len)
{
    size_t shown = len;

    if (!args) {
        cr_buf_str(out, "(long args)");
        return;
    }
    if (len > MAX_ARGS)
        shown = cr_utf8_valid_prefix((const uint8_t *)args, MAX_ARGS);
    cr_buf_add(out, args, shown);
    if (shown < len)
        cr_buf_fmt(out, "… (%zu bytes)", len);
}

static void list_call(const struct caprun_run *run, uint32_t number)
{
    const struct cr_replay_lines lines = cr_replay_lines_of(run, number);
    cr_autobuf struct cr_buf text = CR_BUF(MAX_TEXT);
    size_t len = 0;
    const char *args = cr_journal_member(lines.made, "args", &len);
    char when[64];

    cr_journal_text(lines.sent, "tool", &text);
    if (!text.len) /* an old journal, without the exact tool */
        cr_journal_text(lines.made, "method", &text);
    cr_buf_str(&text, " ");
    add_args(&text, args, len);
    show_when(lines.sent, when);
    cr_output_note("call %u, sent %s: %s", number, when,
                   cr_buf_text(&text) ? cr_buf_text(&text) : "?");
}

/* Adds ", 3" to |ret| as long as there is room. */
static void add_number(char ret[160], uint32_t number)
{
    size_t len = strlen(ret);

    if (len < 140)
        (void)snprintf(ret + len, 160 - len, "%s%u", len ? ", " : "", number);
    else if (ret[len - 1] != '.')
        (void)snprintf(ret + len, 160 - len, ", ...");
}

static bool has_more_options(const struct cr_options *o)
{
    return o->timeout_ms || o->cpu_ms || o->rpc_timeout_ms || o->memory || o->permission_count ||
           o->config || o->registry_count;
}

int cr_undecided_check(struct caprun_run *run, const struct cr_options *o, struct cr_err *why)
{
    uint32_t calls = cr_replay_journal(run)->calls, left = 0;
    char numbers[160] = "";

    if (check_options(run, o, why) < 0)
        return CAPRUN_E_INVAL;
    for (uint32_t n = 1; n <= calls && !o->fail_unknown; n++) {
        if (!caprun_run_is_unknown(run, n) || is_retried(o, n))
            continue;
        if (left++ < MAX_LISTED)
            list_call(run, n);
        add_number(numbers, n);
    }
    if (!left)
        return 0;
    if (left > MAX_LISTED)
        cr_output_note("and %u more; caprun runs RUN --json has them all", left - MAX_LISTED);
    cr_replay_show_calls(run);
    (void)cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL,
                     "it is not known whether %s %s %s carried out, so the run was not "
                     "resumed, and nothing has changed",
                     left == 1 ? "call" : "calls", numbers, left == 1 ? "was" : "were");
    return cr_err_hint(why,
                       "look whether %s, then type one of these%s: it makes all of them again, "
                       "only call N (repeatable), or lets the others fail:\n"
                       "caprun resume %.80s --retry-unknown\n"
                       "caprun resume %.80s --retry-call %s\n"
                       "caprun resume %.80s --fail-unknown",
                       left == 1 ? "it was" : "they were",
                       has_more_options(o) ? ", with your other options" : "", o->words[1],
                       o->words[1], left == 1 ? numbers : "N", o->words[1]);
}
