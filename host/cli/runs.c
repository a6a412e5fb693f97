/* runs.c - `caprun runs`: lists recorded runs as a table or as JSON, or shows one run. */
#include "cli/runs.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/inspect.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "journal/index.h"

#define MAX_TEXT (256u << 20)
#define SHOWN 50u
#define NARROW 72u      /* columns: below this, only the columns that identify a run */
#define MAX_OUTCOME 18u /* columns; the longest outcome has as many */
#define GAP 2u
#define WHEN 19u       /* 2026-11-17 14:03:09 */
#define BRIEF_WHEN 11u /* 11-17 14:03 */

struct table {
    const struct cr_index_list *list;
    struct cr_buf *out;
    bool is_narrow, is_brief;
    size_t when, what, outcome, took;
};

static bool can_resume(const struct cr_index_run *r)
{
    return r->summary.resumable && !r->is_live;
}

static bool is_waiting(const struct cr_index_run *r)
{
    return strcmp(r->summary.outcome, "APPROVAL_REQUIRED") == 0 && can_resume(r);
}

/* --- as JSON --------------------------------------------------------------------------------- */

static void add_run_json(struct cr_buf *out, const char *dir, const struct cr_index_run *r)
{
    const struct cr_summary *s = &r->summary;
    const char *state = s->outcome[0] ? "ended" : cr_summary_state(s, r->is_live);
    char path[PATH_MAX];

    cr_store_path(dir, r->id, path);
    cr_buf_fmt(out, "{\"runId\":\"%s\"", r->id);
    cr_escape_member(out, "state", state);
    if (s->outcome[0])
        cr_escape_member(out, "outcome", s->outcome);
    if (s->problem[0]) {
        cr_escape_member(out, "message", s->problem);
    } else {
        cr_escape_member(out, "time", s->time);
        if (s->fqdn[0])
            cr_escape_member(out, "fqdn", s->fqdn);
        if (s->command[0])
            cr_escape_member(out, "command", s->command);
        if (s->subject[0])
            cr_escape_member(out, "subject", s->subject);
        cr_buf_fmt(out,
                   ",\"durationUs\":%lld,\"calls\":%lld,\"failedCalls\":%lld,"
                   "\"unknownCalls\":%lld,\"bytes\":%lld,\"cut\":%s",
                   (long long)s->duration_us, (long long)s->calls, (long long)s->failed,
                   (long long)cr_summary_unknown(&r->summary, r->is_live), (long long)s->bytes,
                   s->cut ? "true" : "false");
    }
    cr_buf_fmt(out, ",\"resumable\":%s", can_resume(r) ? "true" : "false");
    cr_escape_member(out, "path", path);
    cr_buf_str(out, "}");
}

static void write_json(const struct cr_index_list *list, const char *dir, struct cr_buf *out)
{
    cr_buf_str(out, "{\"runs\":[");
    for (size_t i = 0; i < list->count; i++) {
        cr_buf_str(out, i ? "," : "");
        add_run_json(out, dir, &list->runs[i]);
    }
    cr_buf_str(out, "]}\n");
}

/* --- as text --------------------------------------------------------------------------------- */

static void show_what(const struct cr_index_run *r, char ret[256])
{
    struct cr_buf text;

    cr_buf_init(&text, MAX_TEXT);
    cr_inspect_what(&r->summary, false, &text);
    (void)snprintf(ret, 256, "%s", cr_buf_text(&text) ? (const char *)text.data : "?");
    cr_buf_clear(&text);
}

static const char *show_state(const struct cr_index_run *r)
{
    return cr_inspect_word(cr_summary_state(&r->summary, r->is_live));
}

/* Writes the state, with a star if the run can be resumed. */
static void show_outcome(const struct cr_index_run *r, char ret[96])
{
    (void)snprintf(ret, 96, "%s%s", show_state(r), can_resume(r) ? "*" : "");
}

/* Writes "7", or "7, 2 failed". */
static void show_calls(const struct cr_index_run *r, char ret[128])
{
    int64_t failed = r->summary.failed, unknown = cr_summary_unknown(&r->summary, r->is_live);
    int len = snprintf(ret, 128, "%lld", (long long)r->summary.calls);

    if (failed)
        len += snprintf(ret + len, 128 - (size_t)len, ", %lld failed", (long long)failed);
    if (unknown)
        (void)snprintf(ret + len, 128 - (size_t)len, ", %lld unknown", (long long)unknown);
}

static void widen(size_t *width, const char *text)
{
    size_t n = cr_columns_of(text);

    if (n > *width)
        *width = n;
}

/* Distributes the columns. Drops the year and the seconds before the name is cut. */
static void fit_columns(struct table *t, size_t columns, size_t calls)
{
    size_t rest = CR_INSPECT_SHORT_ID + GAP + WHEN + GAP + GAP + t->outcome;

    rest += t->is_narrow ? 0 : GAP + t->took + GAP + calls;
    t->is_brief = rest + t->what > columns;
    t->when = t->is_brief ? BRIEF_WHEN : WHEN;
    rest -= WHEN - t->when;
    if (rest + t->what > columns)
        t->what = columns > rest + CR_INSPECT_SHORT_ID ? columns - rest : CR_INSPECT_SHORT_ID;
}

static void measure(struct table *t, size_t columns)
{
    size_t calls = strlen("calls");
    char text[256];

    t->is_narrow = columns < NARROW;
    t->outcome = strlen("outcome");
    t->took = t->what = strlen("took");
    for (size_t i = 0; i < t->list->count; i++) {
        const struct cr_index_run *r = &t->list->runs[i];

        show_what(r, text);
        widen(&t->what, text);
        show_outcome(r, text);
        widen(&t->outcome, text);
        cr_columns_duration(r->summary.duration_us, text);
        widen(&t->took, text);
        show_calls(r, text);
        widen(&calls, text);
    }
    if (t->outcome > MAX_OUTCOME)
        t->outcome = MAX_OUTCOME;
    fit_columns(t, columns, calls);
}

static void add_state(struct table *t, const struct cr_index_run *r)
{
    const char *state = show_state(r);
    enum cr_colour colour = strcmp(state, "success") == 0   ? CR_COLOUR_GOOD
                            : strcmp(state, "running") == 0 ? CR_COLOUR_DIM
                                                            : CR_COLOUR_BAD;
    char text[96];

    cr_buf_str(t->out, cr_colour_code(STDOUT_FILENO, colour));
    show_outcome(r, text);
    cr_columns_left(t->out, text, t->outcome);
    cr_buf_str(t->out, cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
}

static void add_row(struct table *t, const struct cr_index_run *r)
{
    char text[256];

    cr_buf_fmt(t->out, "%s  ", r->id + CR_STORE_ID - CR_INSPECT_SHORT_ID);
    cr_inspect_time(r->summary.time, !t->is_brief, text);
    cr_columns_left(t->out, text, t->when);
    cr_columns_fill(t->out, GAP);
    show_what(r, text);
    cr_columns_left(t->out, text, t->what);
    cr_columns_fill(t->out, GAP);
    add_state(t, r);
    if (!t->is_narrow && !r->summary.problem[0]) {
        cr_columns_fill(t->out, GAP);
        cr_columns_duration(r->summary.duration_us, text);
        cr_columns_right(t->out, text, t->took);
        show_calls(r, text);
        cr_buf_fmt(t->out, "  %s", text);
    }
    cr_buf_str(t->out, "\n");
}

static void add_titles(struct table *t)
{
    cr_buf_str(t->out, cr_colour_code(STDOUT_FILENO, CR_COLOUR_DIM));
    cr_columns_left(t->out, "run", CR_INSPECT_SHORT_ID + GAP);
    cr_columns_left(t->out, "when", t->when + GAP);
    cr_columns_left(t->out, "what", t->what + GAP);
    cr_columns_left(t->out, "outcome", t->is_narrow ? 7 : t->outcome);
    if (!t->is_narrow) {
        cr_columns_right(t->out, "took", GAP + t->took);
        cr_buf_str(t->out, "  calls");
    }
    cr_buf_fmt(t->out, "%s\n", cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
}

/* On a terminal the newest run comes last, next to the prompt; elsewhere first, as in JSON. */
static void write_text(const struct cr_index_list *list, struct cr_buf *out)
{
    struct table t = {.list = list, .out = out};
    bool is_terminal = isatty(STDOUT_FILENO);
    cr_autobuf struct cr_buf rest = CR_BUF(256);
    size_t waiting = 0;

    if (list->total > list->count)
        cr_buf_fmt(&rest, "and %zu %s; caprun runs --json has them all\n",
                   list->total - list->count, is_terminal ? "older" : "more");
    measure(&t, cr_columns_available(STDOUT_FILENO));
    add_titles(&t);
    if (is_terminal)
        cr_buf_add(out, rest.data, rest.len);
    for (size_t i = 0; i < list->count; i++)
        add_row(&t, &list->runs[is_terminal ? list->count - 1 - i : i]);
    if (!is_terminal)
        cr_buf_add(out, rest.data, rest.len);
    for (size_t i = 0; i < list->count; i++)
        waiting += is_waiting(&list->runs[i]);
    for (size_t i = 0; i < list->count && waiting < list->count; i++)
        if (can_resume(&list->runs[i])) {
            cr_buf_str(out, "* caprun resume RUN goes on with it\n");
            break;
        }
    if (waiting)
        cr_buf_str(out, "* caprun approve RUN, or caprun deny RUN, decides what a run waits for\n");
}

/* --- the command ----------------------------------------------------------------------------- */

static int print_output(const struct cr_buf *out, bool json)
{
    if ((json ? cr_output_json(out) : cr_output_text(out)) < 0)
        return caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    return 0;
}

/* Removes all runs from the list that do not wait for a person. */
static void keep_waiting(struct cr_index_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (is_waiting(&list->runs[i]))
            list->runs[kept++] = list->runs[i];
        else
            cr_summary_clear(&list->runs[i].summary);
    }
    list->count = list->total = kept;
}

static int list_runs(const char *dir, const struct cr_options *o, struct cr_err *why)
{
    struct cr_index_list list;
    struct cr_buf out;
    struct cr_err err;
    int r = cr_index_list(dir, o->json || o->waiting ? SIZE_MAX : SHOWN, &list, &err);

    if (r == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    if (r < 0)
        return cr_err_end(why, CAPRUN_OUTCOME_INTERNAL, NULL, "%s", err.text);
    if (list.note.code && o->verbose)
        cr_output_note("%s", list.note.text);
    if (o->waiting)
        keep_waiting(&list);
    cr_buf_init(&out, MAX_TEXT);
    if (o->json)
        write_json(&list, dir, &out);
    else if (list.count)
        write_text(&list, &out);
    else if (o->waiting && !o->quiet)
        cr_output_note("no run waits for a person");
    else if (!o->quiet)
        cr_output_note("nothing was recorded yet; a run is, unless \"record\" in .caprun.json says "
                       "otherwise: caprun FQDN, or caprun exec FILE");
    r = print_output(&out, o->json);
    cr_buf_clear(&out);
    cr_index_clear(&list);
    return r;
}

static int show_run(const char *dir, const char *word, bool json, struct cr_err *why)
{
    struct cr_inspect i;
    struct cr_buf out;
    char path[PATH_MAX];
    int status;

    if (cr_store_find(dir, word, path, why) < 0 || cr_inspect_init(&i, path, word, why) < 0)
        return CAPRUN_E_INVAL;
    cr_buf_init(&out, MAX_TEXT);
    if (json)
        cr_inspect_json(&i, &out);
    else
        cr_inspect_text(&i, cr_columns_available(STDOUT_FILENO), &out);
    status = print_output(&out, json);
    cr_buf_clear(&out);
    cr_inspect_clear(&i);
    return status;
}

/* --- removing -------------------------------------------------------------------------------- */

struct named {
    char id[CR_STORE_ID + 1]; /* "": the end of the list */
};

static int refuse_removal(const char *what, struct cr_err *why)
{
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                      "caprun runs --rm RUN..., or --rm --older 7d, or --rm --all", "%s", what);
}

static int check_removal(const struct cr_options *o, struct cr_err *why)
{
    int kinds = (o->word_count > 1) + (o->older_s > 0) + o->all;

    if (!o->remove && (o->older_s || o->all))
        return refuse_removal("--older and --all say what is removed, and need --rm", why);
    if (!o->remove && o->word_count > 2)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun runs [RUN]", "one word too many: '%s'",
                          o->words[2]);
    if (o->remove && kinds != 1)
        return refuse_removal(kinds ? "--rm takes either runs, --older or --all"
                                    : "--rm does not say what is to be removed",
                              why);
    return 0;
}

/* Adds an id, unless it is in the list. */
static void add_id(struct named *ids, const char *name)
{
    while (ids->id[0] && strncmp(ids->id, name, CR_STORE_ID) != 0)
        ids++;
    (void)snprintf(ids->id, sizeof(ids->id), "%s", name);
}

/* All names are checked before the first run is removed. */
static int find_runs(const char *dir, const struct cr_options *o, struct named *ids,
                     struct cr_err *why)
{
    char path[PATH_MAX];

    for (int i = 1; i < o->word_count; i++) {
        if (cr_store_find(dir, o->words[i], path, why) < 0)
            return CAPRUN_E_INVAL;
        if (!cr_store_has(dir, path))
            return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                              "remove the file, and the directory FILE.d beside it",
                              "'%s' is not a run in the state directory", o->words[i]);
        add_id(ids, strrchr(path, '/') + 1);
    }
    return 0;
}

static int remove_named(const char *dir, const struct named *ids, size_t *ret_removed,
                        struct cr_err *why)
{
    struct cr_err err;

    for (; ids->id[0]; ids++) {
        int r = cr_store_remove(dir, ids->id, &err);

        if (r == 1)
            return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "wait for its end: caprun runs shows it",
                              "the run '%s' goes on, and is kept", ids->id);
        if (r < 0)
            return cr_err_end(why, CAPRUN_OUTCOME_INTERNAL, NULL, "%s", err.text);
        ++*ret_removed;
    }
    return 0;
}

static int report_removal(const struct cr_options *o, size_t removed, size_t kept)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_TEXT);

    if (o->json) {
        cr_buf_fmt(&out, "{\"removed\":%zu,\"kept\":%zu}\n", removed, kept);
        return print_output(&out, true);
    }
    if (!o->quiet)
        cr_output_note("removed %zu %s", removed, removed == 1 ? "run" : "runs");
    if (kept && !o->quiet)
        cr_output_note("kept %zu that go on, or cannot be removed", kept);
    return 0;
}

static int remove_runs(const char *dir, const struct cr_options *o, struct cr_err *why)
{
    struct named ids[CR_OPTIONS_WORDS] = {0};
    size_t removed = 0, kept = 0;
    int r = find_runs(dir, o, ids, why);

    if (r == 0 && o->word_count > 1)
        r = remove_named(dir, ids, &removed, why);
    else if (r == 0)
        removed = cr_store_remove_older(dir, (int64_t)o->older_s, &kept);
    return r < 0 ? r : report_removal(o, removed, kept);
}

/* --- the words ------------------------------------------------------------------------------- */

static bool is_path(const char *word)
{
    return word && strpbrk(word, "/.");
}

int cr_cli_runs(struct caprun_run *run, const struct cr_options *o)
{
    const char *word = o->words[1];
    struct cr_err why;
    char dir[PATH_MAX];
    int r;

    cr_settings_state_dir(dir);
    if (check_removal(o, &why) < 0)
        return cr_launch_reject(run, &why);
    if (!dir[0] && !is_path(word))
        r = cr_err_end(&why, CAPRUN_OUTCOME_USAGE, "set HOME, or write the path of a journal",
                       "there is no directory of runs: neither XDG_STATE_HOME nor HOME is an "
                       "absolute path");
    else if (o->remove)
        r = remove_runs(dir, o, &why);
    else if (word)
        r = show_run(dir, word, o->json, &why);
    else
        r = list_runs(dir, o, &why);
    return r < 0 ? cr_launch_reject(run, &why) : r;
}
