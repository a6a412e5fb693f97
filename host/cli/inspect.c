/* inspect.c - prints one run as text: facts, then the calls, then what the user can do. */
#include "cli/inspect.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/units.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/offer.h"
#include "journal/record.h"
#include "journal/replay.h"
#include "journal/store.h"

#define MAX_TEXT (1u << 20)
#define LABEL 9u       /* columns */
#define MAX_LISTED 20u /* unknown calls */

int cr_inspect_init(struct cr_inspect *ret, const char *path, const char *word, struct cr_err *why)
{
    struct cr_inspect i = {.word = word};
    bool is_live;
    int r = cr_journal_read(path, -1, &i.journal, why);

    if (r < 0)
        return r;
    is_live = !i.journal.end && cr_store_is_live(AT_FDCWD, path);
    if (cr_summary_take(&i.journal, &i.summary) < 0) {
        cr_journal_clear(&i.journal);
        return cr_err_memory(why);
    }
    *ret = i;
    /* the timeline keeps a pointer to the journal, so it has to be made in place */
    if (cr_timeline_init(&ret->timeline, &ret->journal, is_live) == 0)
        return 0;
    cr_inspect_clear(ret);
    return cr_err_memory(why);
}

void cr_inspect_clear(struct cr_inspect *i)
{
    cr_timeline_clear(&i->timeline);
    cr_summary_clear(&i->summary);
    cr_journal_clear(&i->journal);
}

/* --- in words -------------------------------------------------------------------------------- */

void cr_inspect_time(const char *time, bool in_full, char ret[64])
{
    struct tm utc = {0}, local;
    time_t seconds;
    size_t len = 0;

    if (strptime(time, "%Y-%m-%dT%H:%M:%S", &utc)) {
        seconds = timegm(&utc);
        if (localtime_r(&seconds, &local))
            len = in_full ? strftime(ret, 64, "%Y-%m-%d %H:%M:%S", &local)
                          : strftime(ret, 64, "%m-%d %H:%M", &local);
    }
    if (!len)
        (void)snprintf(ret, 64, "%s", time[0] ? time : "-");
}

/* Returns the length of the first four parts of a name; the fifth is its hash. */
static size_t short_name(const char *fqdn)
{
    size_t len = strcspn(fqdn, ".");

    for (int parts = 1; parts < 4 && fqdn[len]; parts++)
        len += 1 + strcspn(fqdn + len + 1, ".");
    return len;
}

void cr_inspect_what(const struct cr_summary *s, bool in_full, struct cr_buf *out)
{
    if (s->fqdn[0])
        cr_buf_add(out, s->fqdn, in_full ? strlen(s->fqdn) : short_name(s->fqdn));
    else if (s->command[0])
        cr_buf_fmt(out, "%s%s%s", s->command, s->subject[0] ? " " : "", s->subject);
    else
        cr_buf_str(out, "-");
}

const char *cr_inspect_word(const char *state)
{
    return strcmp(state, "SUCCESS") == 0 ? "success" : state;
}

const char *cr_inspect_state(const struct cr_inspect *i)
{
    return cr_summary_state(&i->summary, i->timeline.is_live);
}

/* --- as text --------------------------------------------------------------------------------- */

static void add_label(struct cr_buf *out, const char *label)
{
    size_t width = cr_columns_of(label);

    cr_buf_str(out, cr_colour_code(STDOUT_FILENO, CR_COLOUR_DIM));
    cr_columns_left(out, label, width < LABEL ? LABEL : width);
    cr_buf_fmt(out, "%s ", cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
}

static void add_fact(struct cr_buf *out, const char *label, const char *text)
{
    add_label(out, label);
    cr_escape_terminal(out, text, strlen(text));
    cr_buf_str(out, "\n");
}

/* Appends the rest of the origin: pins and sources. */
static void add_origin(const struct cr_inspect *i, struct cr_buf *out)
{
    static const char *const shown[] = {"fqdn", "command", "file", "tool"};
    const struct cJSON *origin = i->journal.head.origin;

    for (const struct cJSON *v = cr_json_first(origin); v; v = cr_json_next(v)) {
        bool is_shown = cr_json_type(v) != CR_JSON_STRING;

        for (size_t n = 0; n < sizeof(shown) / sizeof(shown[0]); n++)
            is_shown = is_shown || strcmp(cr_json_key(v), shown[n]) == 0;
        if (!is_shown)
            add_fact(out, cr_json_key(v), cr_json_text(v));
    }
}

static void add_limits(const struct cr_inspect *i, struct cr_buf *out)
{
    const struct cr_head *h = &i->journal.head;
    char wall[32], cpu[32], call[32], memory[32];

    cr_units_show_duration(h->timeout_ms, wall);
    cr_units_show_duration(h->cpu_ms, cpu);
    cr_units_show_duration(h->rpc_timeout_ms, call);
    cr_units_show_size(h->memory, memory);
    add_label(out, "limits");
    cr_buf_fmt(out, "%s, of CPU time %s, a call %s, memory %s%s\n", wall, cpu, call, memory,
               h->stop_when_denied ? "; stops when denied" : "");
}

static void add_env(const struct cr_inspect *i, struct cr_buf *out)
{
    const struct cJSON *env = i->journal.head.env;

    if (!env || !cr_json_first(env))
        return;
    add_label(out, "env");
    for (const struct cJSON *v = cr_json_first(env); v; v = cr_json_next(v)) {
        cr_buf_str(out, v == cr_json_first(env) ? "" : ", ");
        cr_escape_terminal(out, cr_json_key(v), strlen(cr_json_key(v)));
    }
    cr_buf_str(out, "\n");
}

/* Appends the args on one line, cut; --json shows all of them. */
static void add_args(const struct cr_inspect *i, size_t columns, struct cr_buf *out)
{
    const struct cr_head *h = &i->journal.head;
    struct cr_buf args;

    add_label(out, "args");
    if (h->args) {
        struct cr_json_place span = cr_json_place_of(&i->journal.doc, h->args);

        cr_buf_init(&args, MAX_TEXT);
        cr_buf_add(&args, i->journal.doc.bytes + span.at, span.len);
        if (cr_buf_text(&args))
            cr_columns_cut(out, cr_buf_text(&args), columns - LABEL - 1);
        cr_buf_clear(&args);
    } else {
        cr_buf_fmt(out, "%llu bytes", (unsigned long long)h->args_bytes);
    }
    cr_buf_str(out, "\n");
}

static void add_outcome(const struct cr_inspect *i, struct cr_buf *out)
{
    const char *state = cr_inspect_word(cr_inspect_state(i));
    enum cr_colour colour = strcmp(state, "success") == 0 ? CR_COLOUR_GOOD : CR_COLOUR_BAD;
    struct cr_buf message;

    cr_buf_init(&message, MAX_TEXT);
    if (i->journal.end)
        cr_journal_text(i->journal.end, "message", &message);
    add_label(out, "outcome");
    cr_buf_str(out, cr_colour_code(STDOUT_FILENO, colour));
    cr_escape_terminal(out, state, strlen(state));
    cr_buf_str(out, cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    if (message.len)
        cr_buf_str(out, ": ");
    cr_escape_terminal(out, (const char *)message.data, message.len);
    if (i->journal.cut)
        cr_buf_str(out, "; the recording was stopped, as the journal grew too long");
    cr_buf_str(out, "\n");
    cr_buf_clear(&message);
}

static void add_counts(const struct cr_inspect *i, struct cr_buf *out)
{
    const struct cr_timeline *t = &i->timeline;
    int64_t unknown = cr_summary_unknown(&i->summary, t->is_live);
    char size[32];

    cr_units_show_size((uint64_t)i->summary.bytes, size);
    add_label(out, "calls");
    cr_buf_fmt(out, "%zu", t->count);
    if (i->summary.failed)
        cr_buf_fmt(out, ", %lld failed", (long long)i->summary.failed);
    if (unknown)
        cr_buf_fmt(out, ", %lld unknown", (long long)unknown);
    if (t->logs)
        cr_buf_fmt(out, "; %zu line%s logged", t->logs, t->logs == 1 ? "" : "s");
    if (t->blocked)
        cr_buf_fmt(out, "; %zu time%s blocked by the sandbox", t->blocked,
                   t->blocked == 1 ? "" : "s");
    if (t->resumes)
        cr_buf_fmt(out, "; resumed %zu time%s", t->resumes, t->resumes == 1 ? "" : "s");
    cr_buf_str(out, "\n");
    add_label(out, "journal");
    cr_escape_terminal(out, i->journal.path, strlen(i->journal.path));
    cr_buf_fmt(out, ", %s\n", size);
}

/* --- what the user can do -------------------------------------------------------------------- */

/* Appends "call 3" or "calls 3, 7". Returns the number of unknown calls, shown or not. */
static size_t add_unknown(const struct cr_inspect *i, struct cr_buf *out)
{
    const struct cr_timeline *t = &i->timeline;
    size_t count = 0, shown = 0;

    for (size_t n = 0; n < t->count; n++)
        count += !t->calls[n].answer && t->calls[n].sent;
    cr_buf_str(out, count == 1 ? "call" : "calls");
    for (size_t n = 0; n < t->count && shown < MAX_LISTED; n++)
        if (!t->calls[n].answer && t->calls[n].sent)
            cr_buf_fmt(out, "%s %zu", shown++ ? "," : "", n + 1);
    if (count > shown)
        cr_buf_fmt(out, " and %zu more", count - shown);
    return count;
}

/* |limit|: the option for the limit that has ended the run, or "". */
static void add_command(const struct cr_inspect *i, const char *limit, const char *option,
                        const char *words, struct cr_buf *out)
{
    cr_buf_str(out, "  caprun resume ");
    cr_escape_terminal(out, i->word, strlen(i->word));
    cr_buf_fmt(out, "%s%s\n      %s\n", limit, option, words);
}

static const char *where_it_goes_on(const struct cr_inspect *i)
{
    if (strcmp(i->summary.outcome, "OUTPUT_LIMIT") == 0)
        return "with a larger \"resultBytes\" in \"limits\" of .caprun.json";
    if (strcmp(i->summary.outcome, "CALL_LIMIT") == 0)
        return "with a larger \"maxCalls\" in \"limits\" of .caprun.json";
    return i->journal.end ? "from where it was ended" : "from where it was interrupted";
}

static void add_advice(const struct cr_inspect *i, struct cr_buf *out)
{
    char file[CR_RECORD_MARK], limit[64];
    const char *doubt;

    if (i->timeline.is_live || !i->summary.resumable)
        return;
    cr_offer_option(&i->journal.head, i->summary.outcome, limit);
    cr_record_file(AT_FDCWD, i->journal.path, file);
    doubt = cr_replay_doubt(&i->journal, i->journal.end != NULL, file);
    cr_buf_str(out, i->journal.end ? "\nThe run can be resumed" : "\nThe run was interrupted");
    if (i->summary.open) {
        cr_buf_str(out, ", and it is not known whether ");
        cr_buf_str(out, add_unknown(i, out) == 1 ? " was carried out" : " were carried out");
    }
    if (doubt)
        cr_buf_fmt(out, ".\nThe journal may lack calls: %s", doubt);
    cr_buf_str(out, ".\nTo go on:\n");
    if (doubt || i->summary.open)
        add_command(i, limit, " --retry-unknown",
                    doubt ? "what came last may not be in the journal, and is done again"
                          : "all of them are made again",
                    out);
    else
        add_command(i, limit, "", where_it_goes_on(i), out);
    if (!doubt && i->summary.open) {
        add_command(i, limit, " --retry-call N", "call N is made again; repeatable", out);
        add_command(i, limit, " --fail-unknown", "they fail, unless their tools are idempotent",
                    out);
    }
}

static void add_when(const struct cr_inspect *i, struct cr_buf *out)
{
    char when[64], took[32];

    cr_inspect_time(i->journal.head.time, true, when);
    cr_columns_duration(i->journal.last_at_us, took);
    add_label(out, "when");
    cr_escape_terminal(out, when, strlen(when));
    if (i->journal.end)
        cr_buf_fmt(out, ", took %s\n", took);
    else
        cr_buf_fmt(out, ", last entry after %s\n", took);
}

static void add_engine(const struct cr_inspect *i, struct cr_buf *out)
{
    const struct cr_head *h = &i->journal.head;

    add_label(out, "engine");
    cr_escape_terminal(out, h->engine, strlen(h->engine));
    cr_buf_str(out, ", of caprun ");
    cr_escape_terminal(out, h->caprun, strlen(h->caprun));
    cr_buf_str(out, "\n");
}

void cr_inspect_text(const struct cr_inspect *i, size_t columns, struct cr_buf *out)
{
    struct cr_buf what;

    cr_buf_init(&what, MAX_TEXT);
    cr_inspect_what(&i->summary, true, &what);
    add_fact(out, "run", i->journal.head.run);
    add_fact(out, "what", cr_buf_text(&what) ? (const char *)what.data : "?");
    cr_buf_clear(&what);
    add_origin(i, out);
    add_when(i, out);
    add_engine(i, out);
    add_limits(i, out);
    add_env(i, out);
    add_args(i, columns, out);
    add_outcome(i, out);
    add_counts(i, out);
    cr_timeline_draw(&i->timeline, columns, out);
    add_advice(i, out);
}
