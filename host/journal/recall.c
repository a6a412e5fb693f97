/* recall.c - tells a resumed run what a person was asked and has decided before. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "journal/replay_parts.h"
#include "run/prompter.h"
#include "wire.h"

/* The last question. */
struct recall {
    struct caprun_run *run;
    struct cr_prompter *prompter;
    uint32_t question;
    struct cr_json_doc doc;      /* its calls; all zeros: none was asked yet */
    struct cr_asked_call *calls; /* room for the calls of one decision */
};

static int parse_calls(const struct cr_journal_line *line, struct cr_json_doc *ret)
{
    size_t len = 0;
    const char *json = cr_journal_member(line, "calls", &len);
    struct cr_err unused;

    return cr_json_parse(json, len, ret, &unused); /* it was read before, so memory is missing */
}

static int recall_question(struct recall *r, const struct cr_journal_line *line)
{
    int64_t question = 0;

    cr_json_clear(&r->doc);
    (void)cr_journal_take_number(line, "ask", UINT32_MAX, &question);
    r->question = (uint32_t)question;
    if (parse_calls(line, &r->doc) < 0)
        return CAPRUN_E_NOMEM;
    return r->prompter->recall_question(r->prompter, r->run, r->question);
}

static uint32_t number_of(const struct cJSON *value)
{
    uint64_t number = 0;

    if (value)
        (void)cr_json_number(value, LIMIT_MAX_CALLS, &number);
    return (uint32_t)number;
}

static const char *text_of(const struct cJSON *object, const char *key)
{
    const struct cJSON *value = cr_json_get(object, key);

    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : "";
}

/* Returns whether the last question was about call |number|, and then sets |ret|. */
static bool find_asked(const struct recall *r, uint32_t number, struct cr_asked_call *ret)
{
    const struct cJSON *v = cr_json_first(r->doc.root);

    while (v && number_of(cr_json_get(v, "n")) != number)
        v = cr_json_next(v);
    if (!v || strlen(text_of(v, "binding")) != CR_HASH_DIGITS)
        return false;
    ret->number = number;
    ret->tool = text_of(v, "tool");
    memcpy(ret->binding, text_of(v, "binding"), sizeof(ret->binding));
    return true;
}

static bool is_text(const struct cr_journal_line *line, const char *key, const char *text)
{
    size_t len = 0;
    const char *raw = cr_journal_raw_text(line, key, &len);

    return raw && len == strlen(text) && memcmp(raw, text, len) == 0;
}

/* A call that the question did not have is ignored: a decision about it would decide nothing. */
static int give_decision(struct recall *r, const struct cr_journal_line *line,
                         const struct cJSON *list, const char *by)
{
    struct cr_decision d = {.question = r->question,
                            .is_allowed = is_text(line, "decision", "allow"),
                            .for_run = is_text(line, "for", "run"),
                            .by = by,
                            .calls = r->calls};
    int64_t number = 0;

    if (cr_journal_take_number(line, "maxCalls", LIMIT_MAX_CALLS, &number))
        d.max_calls = (uint32_t)number;
    if (cr_journal_take_number(line, "waited", INT64_MAX, &number))
        cr_asked_show_waited(r->run, number);
    for (const struct cJSON *v = cr_json_first(list); v; v = cr_json_next(v))
        if (d.count < LIMIT_MAX_CALLS_AT_ONCE && find_asked(r, number_of(v), &r->calls[d.count]))
            d.count++;
    return r->prompter->recall_decision(r->prompter, r->run, &d);
}

static int recall_decision(struct recall *r, const struct cr_journal_line *line)
{
    struct cr_json_doc doc = {0};
    struct cr_buf by;
    int code = CAPRUN_E_NOMEM;

    cr_buf_init(&by, CR_LINE_INLINE);
    cr_journal_text(line, "by", &by);
    if (cr_buf_text(&by) && parse_calls(line, &doc) == 0)
        code = give_decision(r, line, doc.root, cr_buf_text(&by));
    cr_json_clear(&doc);
    cr_buf_clear(&by);
    return code;
}

static int recall_sent(struct recall *r, const struct cr_journal_line *line)
{
    struct cr_buf tool, by;
    int code = 0;

    cr_buf_init(&tool, CR_LINE_INLINE);
    cr_buf_init(&by, CR_LINE_INLINE);
    cr_journal_text(line, "tool", &tool);
    cr_journal_text(line, "by", &by);
    if (cr_buf_text(&tool) && cr_buf_text(&by))
        r->prompter->recall_sent(r->prompter, r->run, line->n, cr_buf_text(&tool),
                                 cr_buf_text(&by));
    else
        code = CAPRUN_E_NOMEM;
    cr_buf_clear(&tool);
    cr_buf_clear(&by);
    return code;
}

static int recall_line(struct recall *r, const struct cr_journal_line *line)
{
    if (line->kind == CR_JOURNAL_ASK)
        return recall_question(r, line);
    if (line->kind == CR_JOURNAL_DECIDE && r->doc.root)
        return recall_decision(r, line);
    /* only calls after a question were sent because of a decision */
    return line->kind == CR_JOURNAL_SEND && r->doc.root ? recall_sent(r, line) : 0;
}

int cr_replay_recall(struct cr_replay *p, struct caprun_run *run)
{
    struct recall r = {.run = run, .prompter = cr_asked_prompter(run)};
    int code = 0;

    if (!r.prompter)
        return 0;
    r.calls = calloc(LIMIT_MAX_CALLS_AT_ONCE, sizeof(*r.calls));
    if (!r.calls)
        return CAPRUN_E_NOMEM;
    for (size_t i = 0; i < p->journal.count && code == 0; i++)
        code = recall_line(&r, &p->journal.lines[i]);
    cr_json_clear(&r.doc);
    free(r.calls);
    return code;
}
