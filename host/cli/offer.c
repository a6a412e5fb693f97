/* offer.c - says how to go on with a run that was cancelled, reached a limit, or lost a server. */
#include "cli/offer.h"

#include <stdio.h>
#include <string.h>

#include "cli/launch.h"
#include "journal/journal.h"
#include "journal/undo.h"

#define MIB (1024u * 1024u)

/* A duration as --timeout takes it, twice as long as |ms|. */
static void double_ms(const char *option, uint64_t ms, char ret[64])
{
    ms *= 2;
    if (ms % 60000 == 0)
        (void)snprintf(ret, 64, " %s %llum", option, (unsigned long long)ms / 60000);
    else if (ms % 1000 == 0)
        (void)snprintf(ret, 64, " %s %llus", option, (unsigned long long)ms / 1000);
    else
        (void)snprintf(ret, 64, " %s %llums", option, (unsigned long long)ms);
}

void cr_offer_option(const struct cr_head *h, const char *outcome, char ret[64])
{
    ret[0] = '\0';
    if (strcmp(outcome, "EXECUTION_TIMEOUT") == 0)
        double_ms("--timeout", h->timeout_ms, ret);
    else if (strcmp(outcome, "CPU_TIMEOUT") == 0)
        double_ms("--cpu", h->cpu_ms, ret);
    else if (strcmp(outcome, "MEMORY_LIMIT") == 0)
        (void)snprintf(ret, 64, " --memory %llum",
                       (unsigned long long)(2 * h->memory + MIB - 1) / MIB);
}

static bool has_unknown_calls(const struct caprun_run *run)
{
    uint64_t calls = caprun_get_metric(run, CAPRUN_METRIC_CALLS);

    for (uint32_t n = 1; n <= calls; n++)
        if (strcmp(caprun_get_call_state(run, n), "in_flight_unknown") == 0)
            return true;
    return false;
}

static void add_to_hint(struct caprun_run *run, const struct cr_journal *j, const char *word,
                        const struct cr_options *o)
{
    enum caprun_outcome outcome = caprun_get_outcome(run);
    bool is_set_in_file =
        outcome == CAPRUN_OUTCOME_OUTPUT_LIMIT || outcome == CAPRUN_OUTCOME_CALL_LIMIT;
    const char *hint = caprun_get_hint(run);
    char option[64], both[1024];

    if (outcome == CAPRUN_OUTCOME_APPROVAL_REQUIRED) {
        (void)snprintf(both, sizeof(both),
                       "decide, and go on: caprun approve %.120s\nor: caprun deny "
                       "%.120s%s",
                       word, word,
                       o->permission_count ? "\nadd the same --allow, --ask and --deny" : "");
        caprun_run_set_hint(run, both);
        return;
    }

    cr_offer_option(&j->head, caprun_outcome_name(outcome), option);
    (void)snprintf(
        both, sizeof(both), "%.200s%s%s caprun resume %.120s%s%s%s", hint, hint[0] ? "\n" : "",
        is_set_in_file ? "after that, to go on with this run:" : "to go on with this run:", word,
        option,
        o->permission_count || o->allow_declared
            ? "\nadd the same --allow, --allow-declared, --ask and --deny"
            : "",
        has_unknown_calls(run) ? "\nadd --retry-unknown or --fail-unknown: calls were under way"
                               : "");
    caprun_run_set_hint(run, both);
}

void cr_offer_resume_of(struct caprun_run *run, const char *path, const char *word,
                        const struct cr_options *o)
{
    enum caprun_outcome outcome = caprun_get_outcome(run);
    struct cr_journal j = {0};
    const char *unused;
    struct cr_err why;

    if (!cr_undo_may_end(outcome) || cr_journal_read(path, -1, &j, &why) < 0)
        return;
    if (cr_undo_can_resume(&j, &unused))
        add_to_hint(run, &j, word, o);
    cr_journal_clear(&j);
}

void cr_offer_resume(struct caprun_run *run, const struct cr_recording *recording,
                     const struct cr_options *o)
{
    char word[PATH_MAX + 2];

    if (!recording->path[0])
        return;
    /* a path without a slash or a dot would be taken for an id */
    (void)snprintf(word, sizeof(word), "%s%s", strpbrk(recording->path, "/.") ? "" : "./",
                   recording->path);
    cr_offer_resume_of(run, recording->path, recording->is_in_store ? caprun_get_id(run) : word, o);
}
