/*
 * inspect_json.c - prints one run as JSON; values that are JSON in the journal are copied as bytes.
 */
#include "base/escape.h"
#include "base/locate.h"
#include "cli/inspect.h"

static void add_member(struct cr_buf *out, const char *name, const char *json, size_t len)
{
    cr_buf_fmt(out, ",\"%s\":", name);
    cr_buf_add(out, json, len);
}

/* Appends the value |name| of |line| as it is written there. Returns false if it is missing. */
static bool add_from_line(struct cr_buf *out, const struct cr_journal_line *line, const char *name)
{
    size_t len = 0;
    const char *json = cr_locate_member(line->text, line->len, name, &len);

    if (json)
        add_member(out, name, json, len);
    return json != NULL;
}

/* The same for a value of the first line. */
static void add_from_head(const struct cr_inspect *i, struct cr_buf *out, const char *name)
{
    const struct cr_json_doc *doc = &i->journal.doc;
    const struct cJSON *value = cr_json_get(doc->root, name);

    if (value) {
        struct cr_json_place span = cr_json_place_of(doc, value);

        add_member(out, name, doc->bytes + span.at, span.len);
    }
}

static void add_call_json(const struct cr_inspect *i, size_t n, struct cr_buf *out)
{
    const struct cr_timeline_call *call = &i->timeline.calls[n];
    const struct cr_journal_line *decided = call->sent ? call->sent : call->answer;

    cr_buf_fmt(out, "%s{\"n\":%zu", n ? "," : "", n + 1);
    (void)add_from_line(out, call->made, "method");
    if (!add_from_line(out, call->made, "args") && !add_from_line(out, call->made, "argsBytes"))
        (void)add_from_line(out, call->made, "argsText");
    cr_escape_member(out, "state", cr_timeline_state(&i->timeline, call));
    if (decided)
        (void)add_from_line(out, decided, "by");
    if (call->answer && call->answer->kind == CR_JOURNAL_FAIL) {
        (void)add_from_line(out, call->answer, "code");
        (void)add_from_line(out, call->answer, "message");
    }
    cr_buf_fmt(out, ",\"madeUs\":%lld", (long long)call->made->at_us);
    if (call->sent)
        cr_buf_fmt(out, ",\"sentUs\":%lld", (long long)call->sent->at_us);
    if (call->answer)
        cr_buf_fmt(out, ",\"answeredUs\":%lld", (long long)call->answer->at_us);
    cr_buf_str(out, "}");
}

static void add_env_json(const struct cr_inspect *i, struct cr_buf *out)
{
    const struct cJSON *env = i->journal.head.env;

    cr_buf_str(out, ",\"env\":[");
    for (const struct cJSON *v = cr_json_first(env); v; v = cr_json_next(v)) {
        cr_buf_str(out, v == cr_json_first(env) ? "" : ",");
        cr_escape_json_str(out, cr_json_key(v));
    }
    cr_buf_str(out, "]");
}

static void add_resumes_json(const struct cr_inspect *i, struct cr_buf *out)
{
    const struct cr_journal *j = &i->journal;
    bool is_first = true;

    cr_buf_str(out, ",\"resumes\":[");
    for (size_t n = 0; n < j->count; n++) {
        if (j->lines[n].kind != CR_JOURNAL_RESUME)
            continue;
        cr_buf_fmt(out, "%s{\"atUs\":%lld}", is_first ? "" : ",", (long long)j->lines[n].at_us);
        is_first = false;
    }
    cr_buf_str(out, "]");
}

static void add_head_json(const struct cr_inspect *i, struct cr_buf *out)
{
    static const char *const names[] = {"time",   "origin",   "caprun", "engine", "prelude",
                                        "limits", "onDenied", "tools",  "args",   "argsBytes"};

    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
        add_from_head(i, out, names[n]);
    add_env_json(i, out);
}

static void add_end_json(const struct cr_inspect *i, struct cr_buf *out)
{
    const struct cr_journal *j = &i->journal;
    const struct cr_journal_line *end = j->end;
    const struct cr_journal_line *last = end && j->count > 1 ? end - 1 : NULL;

    if (last && last->kind == CR_JOURNAL_DONE && !add_from_line(out, last, "result"))
        (void)add_from_line(out, last, "resultBytes");
    if (end) {
        cr_escape_member(out, "outcome", i->summary.outcome);
        (void)add_from_line(out, end, "message");
        (void)add_from_line(out, end, "cpuUs");
        (void)add_from_line(out, end, "memoryBytes");
    }
    if (j->cut)
        (void)add_from_line(out, j->cut, "cut");
}

void cr_inspect_json(const struct cr_inspect *i, struct cr_buf *out)
{
    const struct cr_timeline *t = &i->timeline;

    cr_buf_fmt(out, "{\"runId\":\"%s\"", i->journal.head.run);
    cr_escape_member(out, "state", i->journal.end ? "ended" : cr_inspect_state(i));
    cr_buf_fmt(out, ",\"resumable\":%s", i->summary.resumable && !t->is_live ? "true" : "false");
    cr_escape_member(out, "path", i->journal.path);
    add_head_json(i, out);
    cr_buf_fmt(out, ",\"durationUs\":%lld,\"bytes\":%lld", (long long)i->journal.last_at_us,
               (long long)i->summary.bytes);
    add_end_json(i, out);
    cr_buf_fmt(out, ",\"logs\":%zu,\"blocked\":%zu,\"timers\":%zu", t->logs, t->blocked, t->wakes);
    add_resumes_json(i, out);
    cr_buf_str(out, ",\"calls\":[");
    for (size_t n = 0; n < t->count; n++)
        add_call_json(i, n, out);
    cr_buf_str(out, "]}\n");
}
