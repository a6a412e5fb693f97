/* show.c - shows a question: a head, and the args in pages. */
#include "people/show.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/unescape.h"
#include "people/places.h"

#define BAR "  | "
#define BAR_WIDTH 4u
#define LABEL_WIDTH 10u
#define MAX_LINE 4096u
#define MAX_LABELLED (256u << 10)
#define MOST_COLUMNS 4u /* of the table, with different members */
#define NUMBER_WIDTH 7u
#define PIN_SHOWN 12u

void cr_show_rewind(struct cr_show *show, size_t columns)
{
    show->columns = columns;
    show->section = CR_SHOW_SAME_TITLE;
    show->at = 0;
    show->has_lines = show->has_cut = false;
}

void cr_show_begin(struct cr_show *show, const struct cr_inquiry *q,
                   const struct cr_inquiry_tool *tool, size_t first, size_t count, size_t columns)
{
    *show = (struct cr_show){.q = q, .tool = *tool};
    show->tool.calls += first;
    show->tool.count = count;
    cr_compare_calls(&show->tool, &show->compare);
    cr_show_rewind(show, columns);
}

/* --- the head --------------------------------------------------------------------------------- */

void cr_show_labelled(struct cr_buf *out, const char *label, const char *text, size_t columns)
{
    cr_autobuf struct cr_buf shown = CR_BUF(MAX_LABELLED);
    size_t width = columns - LABEL_WIDTH - 1;

    cr_escape_name(&shown, text, strlen(text));
    if (cr_buf_err(&shown))
        out->err = cr_buf_err(&shown);
    for (size_t at = 0; at == 0 || at < shown.len; at += width) {
        size_t n = shown.len - at < width ? shown.len - at : width;

        cr_buf_fmt(out, "  %-*s", (int)LABEL_WIDTH - 2, at ? "" : label);
        cr_buf_add(out, shown.data + at, n);
        cr_buf_str(out, "\n");
    }
}

static void show_asker(const struct cr_inquiry *q, size_t columns, struct cr_buf *out)
{
    char pin[128] = "";

    if (q->pin)
        (void)snprintf(pin, sizeof(pin), "sha256 %.*s", (int)PIN_SHOWN, q->pin);
    cr_show_labelled(out, q->capability ? "who" : "code",
                     q->capability ? q->capability
                     : q->file     ? q->file
                                   : "of no file",
                     columns);
    if (pin[0])
        cr_show_labelled(out, q->capability ? "code" : "", pin, columns);
}

/* Appends the lines of |json|, each with the bar before it. */
static void add_lines(struct cr_buf *out, const char *json, size_t len, size_t columns, size_t most)
{
    struct cr_lines lines;
    size_t mark, n = 0;

    cr_lines_begin(&lines, json, len, columns - BAR_WIDTH - 1);
    for (mark = out->len; n < most; mark = out->len, n++) {
        cr_buf_str(out, BAR);
        if (!cr_lines_next(&lines, out)) {
            out->len = mark;
            return;
        }
        cr_buf_str(out, "\n");
    }
    if (lines.at < lines.end && out->len)
        cr_buf_fmt(out, "%s… (%zu bytes more)\n", BAR, (size_t)(lines.end - lines.at));
}

/* Shows what the letters of |value| that may look like others are. */
static void add_exactly(struct cr_buf *out, const struct cr_place_in_args *place, size_t columns)
{
    cr_autobuf struct cr_buf exact = CR_BUF(MAX_LABELLED), text = CR_BUF(MAX_LABELLED);

    cr_unescape(&text, place->value + 1, place->value_len - 2);
    cr_escape_name(&exact, text.data ? (const char *)text.data : "", text.len);
    if (!cr_buf_text(&exact))
        return;
    cr_buf_str(out, "  | (not plain ASCII; exactly it is:)\n");
    for (size_t at = 0, n; at < exact.len; at += n) {
        n = columns - BAR_WIDTH - 5;
        n = exact.len - at < n ? exact.len - at : n;
        cr_buf_fmt(out, "%s    %.*s\n", BAR, (int)n, (const char *)exact.data + at);
    }
}

static void show_place(const struct cr_show *show, const struct cr_place_in_args *place,
                       struct cr_buf *out)
{
    cr_autobuf struct cr_buf member = CR_BUF(MAX_LABELLED);
    size_t most = MAX_LINE;

    if (place->key) {
        cr_buf_add(&member, place->key, place->key_len < most ? place->key_len : most);
        cr_buf_str(&member, place->key_len < most ? ": " : "…: ");
    }
    cr_buf_add(&member, place->value, place->value_len);
    if (cr_buf_err(&member))
        return;
    add_lines(out, (const char *)member.data, member.len, show->columns, 6);
    if (place->value_len < most && cr_places_is_unusual(place->value, place->value_len))
        add_exactly(out, place, show->columns);
}

static void find_places(const struct cr_show *show, struct cr_places *ret)
{
    *ret = (struct cr_places){0};
    for (size_t i = 0; i < show->compare.count; i++) {
        const struct cr_compare_part *part = &show->compare.parts[i];
        const char *from = part->key ? part->key : part->value;

        if (!part->differs)
            cr_places_find(ret, from, (size_t)(part->value + part->value_len - from));
    }
}

static bool has_unusual(const struct cr_places *places)
{
    for (size_t i = 0; i < places->shown_count; i++)
        if (cr_places_is_unusual(places->shown[i].value, places->shown[i].value_len))
            return true;
    return false;
}

/* Do |rows| lines show all? */
static bool fits(const struct cr_show *show, size_t rows)
{
    struct cr_show trial = *show;
    cr_autobuf struct cr_buf out = CR_BUF(MAX_LABELLED);

    cr_show_rewind(&trial, show->columns);
    (void)cr_show_page(&trial, rows, &out);
    return trial.section == CR_SHOW_END && !cr_buf_err(&out);
}

void cr_show_head(const struct cr_show *show, size_t rows, struct cr_buf *out)
{
    struct cr_places places;

    show_asker(show->q, show->columns, out);
    cr_show_labelled(out, "tool", show->tool.name, show->columns);
    if (show->tool.server)
        cr_show_labelled(out, "server", show->tool.server, show->columns);
    if (show->tool.cwd)
        cr_show_labelled(out, "in", show->tool.cwd, show->columns);
    if (show->tool.because)
        cr_show_labelled(out, "why", show->tool.because, show->columns);
    find_places(show, &places);
    if (!places.count || (fits(show, rows) && !has_unusual(&places)))
        return;
    cr_buf_str(out, "  paths and URLs in the args:\n");
    for (size_t i = 0; i < places.shown_count; i++)
        show_place(show, &places.shown[i], out);
    if (places.count > places.shown_count)
        cr_buf_fmt(out, "  and %zu more, below\n", places.count - places.shown_count);
}

/* --- the table -------------------------------------------------------------------------------- */

/* Appends the beginning of |json| on one line of |width| columns. Returns false if it is cut. */
static bool add_cell(struct cr_buf *out, const char *json, size_t len, size_t width)
{
    cr_autobuf struct cr_buf shown = CR_BUF(MAX_LABELLED);
    size_t before = out->len, n = len < 4 * width ? len : 4 * width, used;

    cr_escape_name(&shown, json, n); /* one column a byte; a backslash is shown as two */
    used = shown.len < width ? shown.len : width - 2;
    cr_buf_add(out, shown.data, used);
    if (used < shown.len || n < len) {
        cr_buf_str(out, "…");
        used++;
    }
    for (; used < width; used++)
        cr_buf_str(out, " ");
    if (cr_buf_err(&shown))
        out->len = before;
    return n == len && shown.len < width;
}

/* Appends a line of the table: of |call|, or if it is NULL its head. */
static void add_row(struct cr_show *show, const struct cr_inquiry_call *call, struct cr_buf *out)
{
    const struct cr_compare *c = &show->compare;
    size_t shown = c->differing < MOST_COLUMNS ? c->differing : MOST_COLUMNS, n = 0, len;
    size_t width = (show->columns - BAR_WIDTH - 1 - NUMBER_WIDTH) / shown;

    if (call)
        cr_buf_fmt(out, "%s%-*u", BAR, (int)NUMBER_WIDTH, call->number);
    else
        cr_buf_fmt(out, "%s%-*s", BAR, (int)NUMBER_WIDTH, "call");
    for (size_t i = 0; i < c->count && n < shown; i++) {
        const struct cr_compare_part *part = &c->parts[i];
        const char *text = part->key;

        len = part->key_len;
        if (!part->differs)
            continue;
        n++;
        if (call)
            text = cr_compare_value(c, call, i, &len);
        if (text && !add_cell(out, text, len, width))
            show->has_cut = true;
    }
    show->has_cut = show->has_cut || n < c->differing;
    while (out->len && out->data[out->len - 1] == ' ')
        out->len--;
}

/* --- pages ------------------------------------------------------------------------------------ */

static void go_to(struct cr_show *show, enum cr_show_section section)
{
    show->section = section;
    show->at = 0;
    show->has_lines = false;
}

/* Appends the next line of |json|. Returns false at its end. */
static bool add_line(struct cr_show *show, const char *json, size_t len, struct cr_buf *out)
{
    size_t mark = out->len;

    if (!show->has_lines) {
        cr_lines_begin(&show->lines, json, len, show->columns - BAR_WIDTH - 1);
        show->has_lines = true;
    }
    cr_buf_str(out, BAR);
    if (cr_lines_next(&show->lines, out))
        return true;
    out->len = mark;
    show->has_lines = false;
    show->at++;
    return false;
}

/* Appends a line of the members that are the same in all calls. Returns false after them. */
static bool add_same(struct cr_show *show, struct cr_buf *out)
{
    const struct cr_compare *c = &show->compare;

    if (!c->differing && show->at == 0) /* the whole args, also if they are {} */
        return add_line(show, show->tool.calls[0].args, show->tool.calls[0].len, out);
    while (c->differing && show->at < c->count) {
        const struct cr_compare_part *part = &c->parts[show->at];
        const char *from = part->key ? part->key : part->value;

        if (part->differs)
            show->at++;
        else if (add_line(show, from, (size_t)(part->value + part->value_len - from), out))
            return true;
    }
    return false;
}

static void add_same_title(const struct cr_show *show, struct cr_buf *out)
{
    const struct cr_compare *c = &show->compare;

    if (show->tool.count == 1)
        cr_buf_str(out, "  args:");
    else if (!c->differing)
        cr_buf_fmt(out, "  args, the same in all %zu calls:", show->tool.count);
    else if (c->differing < c->count)
        cr_buf_fmt(out, "  the same in all %zu calls:", show->tool.count);
}

/* Appends what is next, without a line feed; perhaps nothing. */
static void add_next(struct cr_show *show, struct cr_buf *out)
{
    const struct cr_inquiry_call *call = &show->tool.calls[show->at];

    switch (show->section) {
    case CR_SHOW_SAME_TITLE:
        add_same_title(show, out);
        go_to(show, CR_SHOW_SAME);
        break;
    case CR_SHOW_SAME:
        if (!add_same(show, out))
            go_to(show, show->compare.differing ? CR_SHOW_TABLE_TITLE : CR_SHOW_END);
        break;
    case CR_SHOW_TABLE_TITLE:
        if (show->at++ == 0) {
            cr_buf_str(out, "  different:");
        } else {
            add_row(show, NULL, out);
            go_to(show, CR_SHOW_TABLE);
        }
        break;
    case CR_SHOW_TABLE:
        add_row(show, call, out);
        if (++show->at == show->tool.count)
            go_to(show, show->has_cut ? CR_SHOW_CALL_TITLE : CR_SHOW_END);
        break;
    case CR_SHOW_CALL_TITLE:
        cr_buf_fmt(out, "  call %u in full:", call->number);
        show->section = CR_SHOW_CALL;
        break;
    case CR_SHOW_CALL:
        if (!add_line(show, call->args, call->len, out)) {
            if (show->at == show->tool.count)
                go_to(show, CR_SHOW_END);
            else
                show->section = CR_SHOW_CALL_TITLE;
        }
        break;
    case CR_SHOW_END:
        break;
    }
}

size_t cr_show_page(struct cr_show *show, size_t rows, struct cr_buf *out)
{
    size_t n = 0, before;

    while (n < rows && show->section != CR_SHOW_END && !cr_buf_err(out)) {
        before = out->len;
        add_next(show, out);
        if (out->len == before)
            continue;
        cr_buf_str(out, "\n");
        n++;
    }
    /* sections without lines are not a page */
    while (show->section == CR_SHOW_SAME && show->has_lines && show->lines.at == show->lines.end)
        add_next(show, out);
    return n;
}

bool cr_show_rest(const struct cr_show *show, struct cr_buf *out)
{
    size_t left;

    if (show->section == CR_SHOW_END)
        return false;
    if (show->section == CR_SHOW_TABLE) {
        cr_buf_fmt(out, "%zu more calls", show->tool.count - show->at);
    } else if (show->section >= CR_SHOW_CALL_TITLE) {
        cr_buf_fmt(out, "%zu calls in full", show->tool.count - show->at);
    } else if (show->has_lines) {
        left = (size_t)(show->lines.end - show->lines.at);
        if (left >> 20 >= 10)
            cr_buf_fmt(out, "%zu MiB", left >> 20);
        else if (left >> 10 >= 10)
            cr_buf_fmt(out, "%zu KiB", left >> 10);
        else
            cr_buf_fmt(out, "%zu bytes", left);
    } else {
        cr_buf_str(out, "more");
    }
    return true;
}
