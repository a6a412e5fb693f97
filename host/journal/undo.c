/* undo.c - decides which lines of an ended run a resume takes back, and takes them back. */
#include "journal/undo.h"

#include <string.h>

#include "journal/journal.h"
#include "run/envelope.h"

static const char has_ended[] = "there is nothing to resume";

static bool has_value(const struct cr_journal_line *line, const char *key, const char *json)
{
    size_t len = 0;
    const char *value = cr_journal_member(line, key, &len);

    return value && len == strlen(json) && memcmp(value, json, len) == 0;
}

/* Has the call failed without an answer, because its server was lost or its time was over? */
static bool is_lost(const struct cr_journal_line *line)
{
    if (line->kind != CR_JOURNAL_FAIL)
        return false;
    if (has_value(line, "state", "\"unknown\""))
        return has_value(line, "_lost", "true");
    return has_value(line, "state", "\"failed\"") &&
           (has_value(line, "_lost", "true") || has_value(line, "code", "\"RPC_TIMEOUT\""));
}

static uint32_t calls_before(const struct cr_journal *j, size_t first)
{
    uint32_t after = 0;

    for (size_t i = first; i < j->count; i++)
        after += j->lines[i].kind == CR_JOURNAL_CALL;
    return j->calls - after;
}

static bool is_kept(const struct cr_journal_line *line, uint32_t calls)
{
    return line->n && line->n <= calls &&
           (line->kind == CR_JOURNAL_SEND || line->kind == CR_JOURNAL_REPLY ||
            line->kind == CR_JOURNAL_ASK || line->kind == CR_JOURNAL_DECIDE ||
            (line->kind == CR_JOURNAL_FAIL && !is_lost(line)));
}

/*
 * The run ended because call |n| was lost. Returns the line of that loss; or 0 if a call that the
 * code made later was sent, because next time the code may act differently.
 */
static size_t find_loss(const struct cr_journal *j, uint32_t n, const char **ret_why)
{
    size_t first = j->count - 1;
    uint32_t calls;

    while (first && !(j->lines[first].kind == CR_JOURNAL_FAIL && j->lines[first].n == n))
        first--;
    *ret_why = has_ended;
    if (!first || !is_lost(&j->lines[first]))
        return 0;
    calls = calls_before(j, first);
    for (size_t i = first; i < j->count; i++)
        if (j->lines[i].kind == CR_JOURNAL_RESUME || j->lines[i].kind == CR_JOURNAL_UNDO ||
            (j->lines[i].kind == CR_JOURNAL_SEND && j->lines[i].n > calls)) {
            *ret_why = "the code made other calls after one was lost";
            return 0;
        }
    return first;
}

bool cr_undo_may_end(enum caprun_outcome outcome)
{
    switch ((int)outcome) {
    case CAPRUN_OUTCOME_CANCELLED:
    case CAPRUN_OUTCOME_EXECUTION_TIMEOUT:
    case CAPRUN_OUTCOME_CPU_TIMEOUT:
    case CAPRUN_OUTCOME_MEMORY_LIMIT:
    case CAPRUN_OUTCOME_OUTPUT_LIMIT:
    case CAPRUN_OUTCOME_CALL_LIMIT:
    case CAPRUN_OUTCOME_WORKER_TERMINATED:
    case CAPRUN_OUTCOME_INTERNAL:
    case CAPRUN_OUTCOME_RPC_ERROR:
    case CAPRUN_OUTCOME_RPC_TIMEOUT:
    case CAPRUN_OUTCOME_APPROVAL_REQUIRED:
        return true;
    default:
        return false;
    }
}

size_t cr_undo_find(const struct cr_journal *j, const char **ret_why)
{
    size_t end = j->count - 1;
    const struct cr_journal_line *last = end ? &j->lines[end - 1] : NULL;
    bool is_last = last && (last->kind == CR_JOURNAL_DONE || last->kind == CR_JOURNAL_THREW ||
                            last->kind == CR_JOURNAL_LATE || last->kind == CR_JOURNAL_FULL);
    char outcome[64];
    int64_t n = 0;

    cr_journal_show_outcome(&j->lines[end], outcome);
    *ret_why = j->head.version == 1 ? "journals of version 1 are resumed only if they have no end"
                                    : has_ended;
    if (!last || j->head.version == 1 || !cr_undo_may_end(cr_envelope_outcome(outcome)))
        return 0;
    if (strncmp(outcome, "RPC_", 4) != 0)
        return is_last ? end - 1 : end;
    if (last->kind != CR_JOURNAL_THREW ||
        !cr_journal_take_number(last, "call", LIMIT_MAX_CALLS, &n) || !n)
        return 0;
    return find_loss(j, (uint32_t)n, ret_why);
}

bool cr_undo_can_resume(const struct cr_journal *j, const char **ret_why)
{
    *ret_why = "the recording was stopped";
    return !j->cut && (!j->end || cr_undo_find(j, ret_why));
}

void cr_undo_apply(struct cr_journal *j, size_t first, uint8_t *answered)
{
    uint32_t calls = calls_before(j, first);
    size_t kept = first;

    for (size_t i = first; i < j->count; i++) {
        const struct cr_journal_line *line = &j->lines[i];

        if (is_kept(line, calls))
            j->lines[kept++] = *line;
        else if (answered && line->n && line->kind != CR_JOURNAL_ASK &&
                 line->kind != CR_JOURNAL_DECIDE)
            answered[line->n] = 0;
    }
    j->count = kept;
    j->calls = calls;
    j->end = NULL;
}

bool cr_undo_may_begin(const char *text, size_t len)
{
    static const char at[] = "{\"at\":", undo[] = ",\"undo\":";
    size_t head = len < sizeof(at) - 1 ? len : sizeof(at) - 1, rest;

    if (memcmp(text, at, head) != 0)
        return false;
    text += head;
    len -= head;
    for (; len && *text >= '0' && *text <= '9'; len--)
        text++;
    rest = len < sizeof(undo) - 1 ? len : sizeof(undo) - 1;
    return memcmp(text, undo, rest) == 0;
}
