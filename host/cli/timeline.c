/*
 * timeline.c - draws the calls of a run: each time is a column of the bar, a call the range
 * between.
 *
 * The other columns are as wide as their text, within limits; the bar gets the rest. If that is too
 * little, the column of decisions is dropped, and then the methods are cut.
 */
#include "cli/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/colour.h"
#include "cli/columns.h"
#include "journal/summary.h"

#define MAX_ROWS 200u
#define MAX_METHOD 32u
#define MIN_METHOD 8u
#define MAX_BY 28u
#define MIN_BAR 20u
#define GAP 2u
#define LABEL 12u /* columns between labels of the axis, at least */
#define MAX_TEXT 4096u
#define USUAL 100u /* columns, where nothing limits them */

/* --- events ---------------------------------------------------------------------------------- */

static void note_call(struct cr_timeline_call *call, const struct cr_journal_line *line)
{
    if (line->kind == CR_JOURNAL_CALL)
        call->made = line;
    else if (line->kind != CR_JOURNAL_SEND)
        call->answer = line;
    else if (!call->sent)
        call->sent = line;
}

static void note_line(struct cr_timeline *t, const struct cr_journal_line *line)
{
    if (line->n)
        note_call(&t->calls[line->n - 1], line);
    t->wakes += line->kind == CR_JOURNAL_WAKE;
    t->logs += line->kind == CR_JOURNAL_LOG;
    t->blocked += line->kind == CR_JOURNAL_BLOCKED;
    t->resumes += line->kind == CR_JOURNAL_RESUME;
}

int cr_timeline_init(struct cr_timeline *ret, const struct cr_journal *journal, bool is_live)
{
    struct cr_timeline t = {.journal = journal, .is_live = is_live, .count = journal->calls};

    t.calls = calloc(t.count + 1, sizeof(*t.calls));
    if (!t.calls)
        return CAPRUN_E_NOMEM;
    for (size_t i = 0; i < journal->count; i++)
        note_line(&t, &journal->lines[i]);
    *ret = t;
    return 0;
}

void cr_timeline_clear(struct cr_timeline *t)
{
    free(t->calls);
    *t = (struct cr_timeline){0};
}

const char *cr_timeline_state(const struct cr_timeline *t, const struct cr_timeline_call *call)
{
    if (call->answer)
        return call->answer->kind == CR_JOURNAL_REPLY ? "done"
                                                      : cr_summary_fail_state(call->answer);
    if (t->is_live)
        return "waiting";
    return call->sent ? "in_flight_unknown" : "not_started";
}

bool cr_timeline_is_unknown(const struct cr_timeline *t, const struct cr_timeline_call *call)
{
    return strcmp(cr_timeline_state(t, call), "in_flight_unknown") == 0;
}

void cr_timeline_by(const struct cr_timeline_call *call, struct cr_buf *out)
{
    if (call->sent)
        cr_journal_text(call->sent, "by", out);
    else if (call->answer)
        cr_journal_text(call->answer, "by", out);
}

/* --- columns --------------------------------------------------------------------------------- */

struct layout {
    const struct cr_timeline *t;
    struct cr_buf *out;
    size_t rows;
    size_t number, method, bar, state, took, by;
    int64_t total_us;
};

static int64_t end_of(const struct cr_timeline *t, const struct cr_timeline_call *call)
{
    return call->answer ? call->answer->at_us : t->journal->last_at_us;
}

static void show_took(const struct layout *l, const struct cr_timeline_call *call, char ret[32])
{
    if (call->answer && !cr_timeline_is_unknown(l->t, call))
        cr_columns_duration(call->answer->at_us - call->made->at_us, ret);
    else
        (void)snprintf(ret, 32, "-");
}

static const char *show_state(const struct layout *l, const struct cr_timeline_call *call)
{
    const char *state = cr_timeline_state(l->t, call);

    if (strcmp(state, "not_started") == 0)
        return "not started";
    return cr_timeline_is_unknown(l->t, call) ? "unknown" : state;
}

/* Cuts the text to more than any column shows; show_by() too. */
static void show_method(const struct cr_timeline_call *call, char ret[256])
{
    struct cr_buf text;

    cr_buf_init(&text, MAX_TEXT);
    cr_journal_text(call->made, "method", &text);
    (void)snprintf(ret, 256, "%s", cr_buf_text(&text) ? (const char *)text.data : "?");
    cr_buf_clear(&text);
}

static void show_by(const struct cr_timeline_call *call, char ret[256])
{
    struct cr_buf text;

    cr_buf_init(&text, MAX_TEXT);
    cr_timeline_by(call, &text);
    (void)snprintf(ret, 256, "%s", cr_buf_text(&text) ? (const char *)text.data : "?");
    cr_buf_clear(&text);
}

static void widen(size_t *width, const char *text, size_t most)
{
    size_t n = cr_columns_of(text);

    if (n > most)
        n = most;
    if (n > *width)
        *width = n;
}

static void measure_row(struct layout *l, size_t i)
{
    const struct cr_timeline_call *call = &l->t->calls[i];
    char text[256];

    (void)snprintf(text, sizeof(text), "%zu", i + 1);
    widen(&l->number, text, 5);
    show_method(call, text);
    widen(&l->method, text, MAX_METHOD);
    widen(&l->state, show_state(l, call), 11);
    show_took(l, call, text);
    widen(&l->took, text, 16);
    show_by(call, text);
    widen(&l->by, text, MAX_BY);
}

static size_t beside_bar(const struct layout *l)
{
    return l->number + GAP + l->method + GAP + GAP + l->state + GAP + l->took +
           (l->by ? GAP + l->by : 0);
}

static void measure(struct layout *l, size_t columns)
{
    l->method = MIN_METHOD;
    l->number = 2;
    for (size_t i = 0; i < l->rows; i++)
        measure_row(l, i);
    if (beside_bar(l) + MIN_BAR > columns)
        l->by = 0;
    while (beside_bar(l) + MIN_BAR > columns && l->method > MIN_METHOD)
        l->method--;
    l->bar = beside_bar(l) + MIN_METHOD < columns ? columns - beside_bar(l) : MIN_METHOD;
}

static size_t place_of(const struct layout *l, int64_t us)
{
    size_t place = (size_t)(us * (int64_t)l->bar / l->total_us);

    return place < l->bar ? place : l->bar - 1;
}

/* --- lines ----------------------------------------------------------------------------------- */

static void begin_bar(struct layout *l, const char *number, const char *label)
{
    cr_columns_right(l->out, number, l->number);
    cr_columns_fill(l->out, GAP);
    cr_columns_left(l->out, label, l->method);
    cr_columns_fill(l->out, GAP);
}

/* Removes the blanks at the end of the row. */
static void end_row(struct layout *l)
{
    while (l->out->len && l->out->data[l->out->len - 1] == ' ')
        l->out->len--;
    cr_buf_str(l->out, "\n");
}

static void add_bar(struct layout *l, const struct cr_timeline_call *call)
{
    size_t made = place_of(l, call->made->at_us), end = place_of(l, end_of(l->t, call));
    size_t sent = call->sent ? place_of(l, call->sent->at_us) : end + 1;
    const char *under_way = cr_timeline_is_unknown(l->t, call) ? "░" : "█";

    for (size_t i = 0; i < l->bar; i++)
        cr_buf_str(l->out, i < made || i > end ? " " : i < sent ? "·" : under_way);
}

static void add_row(struct layout *l, size_t i)
{
    const struct cr_timeline_call *call = &l->t->calls[i];
    const char *state = show_state(l, call);
    enum cr_colour colour = strcmp(state, "done") == 0      ? CR_COLOUR_GOOD
                            : strcmp(state, "waiting") == 0 ? CR_COLOUR_DIM
                                                            : CR_COLOUR_BAD;
    char number[32], text[256];

    (void)snprintf(number, sizeof(number), "%zu", i + 1);
    show_method(call, text);
    begin_bar(l, number, text);
    add_bar(l, call);
    cr_columns_fill(l->out, GAP);
    cr_buf_str(l->out, cr_colour_code(STDOUT_FILENO, colour));
    cr_columns_left(l->out, state, l->state);
    cr_buf_str(l->out, cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    cr_columns_fill(l->out, GAP);
    show_took(l, call, text);
    cr_columns_right(l->out, text, l->took);
    if (l->by) {
        cr_columns_fill(l->out, GAP);
        show_by(call, text);
        cr_columns_left(l->out, text, l->by);
    }
    end_row(l);
}

/* --- the axis -------------------------------------------------------------------------------- */

/* Returns the time between two labels. */
static int64_t step_of(const struct layout *l)
{
    static const int64_t round[] = {1,   2,   5,    10,   20,   30,    60,    120,  300,
                                    600, 900, 1800, 3600, 7200, 21600, 43200, 86400};
    int64_t least = l->total_us * LABEL / (int64_t)l->bar + 1;

    for (int64_t unit = 1; unit < 1000000; unit *= 10)
        for (size_t i = 0; i < 3; i++)
            if (round[i] * unit >= least)
                return round[i] * unit;
    for (size_t i = 0; i < sizeof(round) / sizeof(round[0]); i++)
        if (round[i] * 1000000 >= least)
            return round[i] * 1000000;
    return least;
}

/* Appends the labels, and sets |marks| at their places. */
static void add_labels(struct layout *l, bool marks[CR_COLUMNS_MOST])
{
    int64_t step = step_of(l);
    size_t at = 0, width, last;
    char end[32], text[32];

    cr_columns_duration(l->total_us, end);
    width = cr_columns_of(end);
    last = l->bar > width ? l->bar - width : 0;
    begin_bar(l, "", "");
    for (int64_t us = 0; us < l->total_us; us += step) {
        size_t place = place_of(l, us);

        if (us)
            cr_columns_duration(us, text);
        else
            (void)snprintf(text, sizeof(text), "0");
        if (place < at || place + cr_columns_of(text) + GAP > last)
            break;
        cr_columns_fill(l->out, place - at);
        cr_buf_str(l->out, text);
        at = place + cr_columns_of(text);
        marks[place] = true;
    }
    cr_columns_fill(l->out, last - at);
    cr_buf_fmt(l->out, "%s\n", end);
}

static void find_places(const struct layout *l, enum cr_journal_kind kind,
                        bool ret[CR_COLUMNS_MOST])
{
    const struct cr_journal *j = l->t->journal;

    for (size_t i = 0; i < j->count; i++)
        if (j->lines[i].kind == kind)
            ret[place_of(l, j->lines[i].at_us)] = true;
}

static void add_axis(struct layout *l)
{
    bool marks[CR_COLUMNS_MOST] = {false}, resumes[CR_COLUMNS_MOST] = {false};

    add_labels(l, marks);
    find_places(l, CR_JOURNAL_RESUME, resumes);
    begin_bar(l, "", "");
    for (size_t i = 0; i < l->bar; i++)
        cr_buf_str(l->out, resumes[i]        ? "▲"
                           : i == 0          ? "├"
                           : i == l->bar - 1 ? "┤"
                           : marks[i]        ? "┬"
                                             : "─");
    cr_buf_str(l->out, "\n");
}

static void add_timers(struct layout *l)
{
    bool wakes[CR_COLUMNS_MOST] = {false};

    if (!l->t->wakes)
        return;
    find_places(l, CR_JOURNAL_WAKE, wakes);
    begin_bar(l, "", "timers");
    for (size_t i = 0; i < l->bar; i++)
        cr_buf_str(l->out, wakes[i] ? "╵" : " ");
    end_row(l);
}

static void add_legend(struct layout *l)
{
    bool has_unknown = false;

    for (size_t i = 0; i < l->rows; i++)
        has_unknown = has_unknown || cr_timeline_is_unknown(l->t, &l->t->calls[i]);
    cr_columns_fill(l->out, l->number + GAP);
    cr_buf_fmt(l->out, "%s%s%s%s%s%s\n", cr_colour_code(STDOUT_FILENO, CR_COLOUR_DIM),
               l->rows ? "· waits  █ under way" : "", has_unknown ? "  ░ unknown" : "",
               l->t->wakes ? "  ╵ timer" : "", l->t->resumes ? "  ▲ resumed" : "",
               cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
}

void cr_timeline_draw(const struct cr_timeline *t, size_t columns, struct cr_buf *out)
{
    struct layout l = {.t = t, .out = out};

    if (!t->count && !t->wakes && !t->resumes)
        return;
    cr_buf_str(out, "\n");
    l.rows = t->count < MAX_ROWS ? t->count : MAX_ROWS;
    l.total_us = t->journal->last_at_us > 0 ? t->journal->last_at_us : 1;
    measure(&l, columns < CR_COLUMNS_ALL ? columns : USUAL);
    add_axis(&l);
    for (size_t i = 0; i < l.rows; i++)
        add_row(&l, i);
    add_timers(&l);
    add_legend(&l);
    if (t->count > l.rows)
        cr_buf_fmt(out, "%zu more calls are not shown; --json has them all\n", t->count - l.rows);
}
