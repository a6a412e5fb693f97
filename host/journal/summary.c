/* summary.c - sums up a journal in one pass over its lines. */
#include "journal/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/locate.h"
#include "base/utf8.h"
#include "journal/blobs.h"
#include "journal/undo.h"

#define MAX_TEXT 2048u
#define MAX_OUTCOME 63u

/* Copies at most MAX_TEXT bytes of |text|, whole characters; NULL if there is no memory. */
static char *copy_text(const char *text)
{
    size_t len = strlen(text);

    if (len > MAX_TEXT)
        len = cr_utf8_valid_prefix((const uint8_t *)text, MAX_TEXT);
    return strndup(text, len);
}

static const char *origin_text(const struct cr_journal *j, const char *name)
{
    const struct cJSON *value = cr_json_get(j->head.origin, name);

    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : "";
}

/* Copies the outcome, which has no escapes; "?", not "", if the journal has an odd end. */
static char *copy_outcome(const struct cr_journal *j)
{
    size_t len = 0;
    const char *text = j->end ? cr_locate_member(j->end->text, j->end->len, "end", &len) : NULL;

    if (!j->end)
        return strdup("");
    if (!text || len <= 2 || text[0] != '"')
        return strdup("?");
    return strndup(text + 1, len - 2 < MAX_OUTCOME ? len - 2 : MAX_OUTCOME);
}

static bool has_text(const struct cr_journal_line *line, const char *name, const char *quoted)
{
    size_t len = 0;
    const char *text = cr_locate_member(line->text, line->len, name, &len);

    return text && len == strlen(quoted) && memcmp(text, quoted, len) == 0;
}

const char *cr_summary_fail_state(const struct cr_journal_line *fail)
{
    if (has_text(fail, "state", "\"denied\""))
        return "denied";
    return has_text(fail, "state", "\"unknown\"") ? "in_flight_unknown" : "failed";
}

/* Returns 0 or CAPRUN_E_NOMEM. */
static int count_calls(const struct cr_journal *j, struct cr_summary *s)
{
    bool *is_open = calloc((size_t)j->calls + 1, sizeof(*is_open));

    if (!is_open)
        return CAPRUN_E_NOMEM;
    for (size_t i = 0; i < j->count; i++) {
        const struct cr_journal_line *line = &j->lines[i];

        if (line->kind == CR_JOURNAL_SEND) {
            s->open += !is_open[line->n];
            is_open[line->n] = true;
        } else if (line->kind == CR_JOURNAL_REPLY || line->kind == CR_JOURNAL_FAIL) {
            s->open -= is_open[line->n];
            is_open[line->n] = false;
        }
        if (line->kind == CR_JOURNAL_FAIL) {
            bool is_unknown = cr_summary_fail_state(line)[0] == 'i';

            s->unknown += is_unknown;
            s->failed += !is_unknown;
        }
    }
    s->calls = j->calls;
    free(is_open);
    return 0;
}

static int fill_summary(const struct cr_journal *j, struct cr_summary *s)
{
    const char *unused;
    const char *file = origin_text(j, "file"), *tool = origin_text(j, "tool");

    s->time = copy_text(j->head.time);
    s->fqdn = copy_text(origin_text(j, "fqdn"));
    s->command = copy_text(origin_text(j, "command"));
    s->subject = copy_text(file[0] ? file : tool);
    s->outcome = copy_outcome(j);
    s->problem = copy_text("");
    s->bytes = (int64_t)(j->text.len + cr_blobs_size(j->path));
    s->duration_us = j->last_at_us;
    s->cut = j->cut != NULL;
    s->resumable = cr_undo_can_resume(j, &unused);
    return count_calls(j, s);
}

static int return_summary(struct cr_summary *s, struct cr_summary *ret)
{
    if (!cr_summary_is_whole(s)) {
        cr_summary_clear(s);
        return CAPRUN_E_NOMEM;
    }
    *ret = *s;
    return 0;
}

int cr_summary_take(const struct cr_journal *journal, struct cr_summary *ret)
{
    struct cr_summary s = {0};

    if (fill_summary(journal, &s) < 0) {
        cr_summary_clear(&s);
        return CAPRUN_E_NOMEM;
    }
    return return_summary(&s, ret);
}

int cr_summary_take_unreadable(const struct cr_err *why, struct cr_summary *ret)
{
    struct cr_summary s = {
        .time = copy_text(""),
        .fqdn = copy_text(""),
        .command = copy_text(""),
        .subject = copy_text(""),
        .outcome = copy_text(""),
        .problem = copy_text(why->text[0] ? why->text : "it cannot be read"),
    };

    return return_summary(&s, ret);
}

bool cr_summary_is_whole(const struct cr_summary *s)
{
#define XX(name) &&s->name
    return true CR_SUMMARY_TEXTS(XX);
#undef XX
}

void cr_summary_clear(struct cr_summary *s)
{
#define XX(name) free(s->name);
    CR_SUMMARY_TEXTS(XX)
#undef XX
    *s = (struct cr_summary){0};
}

const char *cr_summary_state(const struct cr_summary *s, bool is_live)
{
    if (s->outcome[0])
        return s->outcome;
    if (is_live)
        return "running"; /* also if the journal is still empty */
    if (s->problem[0])
        return "unreadable";
    return s->cut ? "cut" : "interrupted";
}

int64_t cr_summary_unknown(const struct cr_summary *s, bool is_live)
{
    return s->unknown + (is_live ? 0 : s->open);
}
