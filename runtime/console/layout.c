/*
 * layout.c - breaks lines like Node.
 *
 * Entries are put on one line if they fit, no entry has a line break, and at most three levels of
 * objects would be on that line. More than six items of an array with similar widths are arranged
 * in columns that form about a square.
 */
#include "layout.h"

#include <math.h>
#include <string.h>

#include "arena.h"

#define LEVELS_ON_A_LINE 3u
#define COLUMNS_FROM 7u
#define COLUMNS_MAX 12u
#define SPARE_MAX ((size_t)1 << 20)

struct piece {
    const char *text;
    size_t len;
};

struct columns {
    size_t count;
    size_t widths[COLUMNS_MAX];
};

void crw_layout_entry(struct crw_layout *l)
{
    if (l->count == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->starts = crw_arena_realloc(NULL, l->starts, l->cap * sizeof(*l->starts));
    }
    l->starts[l->count++] = l->out->len;
}

void crw_layout_free(struct crw_layout *l)
{
    if (l->starts)
        crw_arena_free(NULL, l->starts);
    l->starts = NULL;
    l->count = l->cap = 0;
}

static struct piece entry(const struct crw_layout *l, size_t i)
{
    size_t end = i + 1 < l->count ? l->starts[i + 1] : l->out->len;

    return (struct piece){l->out->text + l->starts[i], end - l->starts[i]};
}

static size_t width(struct piece p)
{
    return crw_out_width(p.text, p.len);
}

static size_t head_end(const struct crw_layout *l, const struct crw_layout_object *o)
{
    return o->first < l->count ? l->starts[o->first] : l->out->len;
}

static bool fits_on_a_line(const struct crw_layout *l, const struct crw_layout_object *o)
{
    size_t n = l->count - o->first;
    struct piece head = {l->out->text + o->head, head_end(l, o) - o->head};
    size_t total =
        2 * n + l->indent + width(head) - o->has_base + (o->ref ? 8 + o->has_base : 0) + 10;

    if (l->level - o->level >= LEVELS_ON_A_LINE || total + n > l->width)
        return false;
    for (size_t i = o->first; i < l->count; i++) {
        total += width(entry(l, i));
        if (total > l->width)
            return false;
    }
    return !memchr(head.text, '\n', l->out->len - o->head);
}

/* Returns how many columns, each |widest| at most, form a square of |n| items, |total| wide. */
static size_t columns_for(const struct crw_layout *l, size_t n, size_t all, size_t total,
                          size_t widest)
{
    double average = (double)total / (double)all;
    double biased = fmax((double)widest - 3 - sqrt((double)widest - average), 1);
    double square = floor(sqrt(2.5 * biased * (double)n) / biased + 0.5);
    size_t most = (l->width - l->indent) / widest;

    most = most < COLUMNS_MAX ? most : COLUMNS_MAX;
    return square < (double)most ? (size_t)square : most;
}

static bool find_columns(const struct crw_layout *l, const struct crw_layout_object *o, size_t n,
                         struct columns *ret)
{
    size_t total = 0, widest = 0;

    for (size_t i = 0; i < n; i++) {
        size_t w = width(entry(l, o->first + i));

        total += w + 2;
        widest = w > widest ? w : widest;
    }
    if ((widest + 2) * 3 + l->indent >= l->width || (total <= 5 * (widest + 2) && widest > 6))
        return false;
    *ret = (struct columns){.count = columns_for(l, n, l->count - o->first, total, widest + 2)};
    if (ret->count <= 1)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t w = width(entry(l, o->first + i)) + 2, *column = &ret->widths[i % ret->count];

        *column = w > *column ? w : *column;
    }
    return true;
}

static void put_line_break(const struct crw_layout *l, struct crw_out *to, size_t more)
{
    crw_out_str(to, "\n");
    crw_out_spaces(to, l->indent + more);
}

static void put_row(const struct crw_layout *l, const struct crw_layout_object *o,
                    const struct columns *c, size_t from, size_t to, struct crw_out *out)
{
    for (size_t i = from; i < to; i++) {
        struct piece p = entry(l, o->first + i);
        size_t room = c->widths[i - from] - 2 - width(p);
        bool last = i + 1 == to;

        if (o->to_the_right)
            crw_out_spaces(out, room);
        crw_out_put(out, p.text, p.len);
        crw_out_str(out, last ? "" : ", ");
        if (!o->to_the_right && !last)
            crw_out_spaces(out, room);
    }
}

/* Puts the items in columns. A last entry that says how many are left is not an item. */
static bool put_columns(const struct crw_layout *l, const struct crw_layout_object *o,
                        struct crw_out *to)
{
    size_t all = l->count - o->first, n = all > l->items ? all - 1 : all;
    struct columns c;

    if (!o->in_columns || all < COLUMNS_FROM || !find_columns(l, o, n, &c))
        return false;
    for (size_t i = 0; i < n; i += c.count) {
        put_line_break(l, to, 2);
        put_row(l, o, &c, i, i + c.count < n ? i + c.count : n, to);
        crw_out_str(to, i + c.count < n || n < all ? "," : "");
    }
    if (n < all) {
        put_line_break(l, to, 2);
        crw_out_put(to, entry(l, l->count - 1).text, entry(l, l->count - 1).len);
    }
    put_line_break(l, to, 0);
    return true;
}

static void put_entries(const struct crw_layout *l, const struct crw_layout_object *o,
                        struct crw_out *to)
{
    bool one_line;

    if (put_columns(l, o, to))
        return;
    one_line = fits_on_a_line(l, o);
    for (size_t i = o->first; i < l->count && !to->full; i++) {
        struct piece p = entry(l, i);

        crw_out_str(to, i == o->first ? "" : ",");
        if (one_line)
            crw_out_str(to, " ");
        else
            put_line_break(l, to, 2);
        crw_out_put(to, p.text, p.len);
    }
    if (one_line)
        crw_out_str(to, o->first == l->count ? "  " : " ");
    else
        put_line_break(l, to, 0);
}

void crw_layout_close(struct crw_layout *l, const struct crw_layout_object *o)
{
    static struct crw_out spare;

    crw_out_reset(&spare, SPARE_MAX);
    if (o->ref) {
        crw_out_str(&spare, "<ref *");
        crw_out_number(&spare, o->ref);
        crw_out_str(&spare, "> ");
    }
    crw_out_put(&spare, l->out->text + o->head, head_end(l, o) - o->head);
    put_entries(l, o, &spare);
    crw_out_str(&spare, o->close);
    l->out->len = o->head;
    crw_out_put(l->out, spare.text, spare.len);
    l->count = o->first;
}
