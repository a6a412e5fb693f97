/* diff.c - compares two JSON trees and prints their differences. */
#include "journal/diff.h"

#include <string.h>

#include "base/json.h"

#define SHOWN 300 /* bytes of a value */
#define PLACES 20
#define LOOKED_AT 200000u /* members searched for keys that are in another order */

struct walk {
    struct cr_buf *out;
    const struct cr_json_doc *recorded, *now;
    size_t count;
    size_t looked_at;
};

/* Does not cut inside a UTF-8 character. */
void cr_diff_cut(struct cr_buf *out, const char *text, size_t len)
{
    size_t shown = len <= SHOWN ? len : SHOWN;

    while (shown < len && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80)
        shown--;
    cr_buf_add(out, text, shown);
    if (shown < len)
        cr_buf_fmt(out, "… (%zu bytes)", len);
}

static void add_value(struct cr_buf *out, const struct cr_json_doc *doc, const struct cJSON *v)
{
    struct cr_json_place span = cr_json_place_of(doc, v);

    cr_diff_cut(out, doc->bytes + span.at, span.len);
}

/* One value may be NULL: it is missing. */
static void add_difference(struct walk *w, const struct cJSON *recorded, const struct cJSON *now)
{
    struct cr_buf *out = w->out;

    if (w->count++ >= PLACES)
        return;
    cr_buf_str(out, recorded && now ? "~ " : recorded ? "- " : "+ ");
    if (recorded == w->recorded->root)
        cr_buf_str(out, "(all of it)");
    else
        cr_json_pointer(out, recorded ? w->recorded : w->now, recorded ? recorded : now);
    cr_buf_str(out, ": ");
    if (recorded)
        add_value(out, w->recorded, recorded);
    if (recorded && now)
        cr_buf_str(out, " → ");
    if (now)
        add_value(out, w->now, now);
    cr_buf_str(out, "\n");
}

static bool is_leaf_equal(const struct cJSON *a, const struct cJSON *b)
{
    return !cr_json_text(a) || strcmp(cr_json_text(a), cr_json_text(b)) == 0;
}

static bool has_enough(const struct walk *w)
{
    return w->count > PLACES || w->looked_at > LOOKED_AT;
}

static void compare_values(struct walk *w, const struct cJSON *recorded, const struct cJSON *now);

/*
 * Returns the member of |object| with the key of |like|, or NULL. Tries |beside| first, because
 * both objects mostly have the same order of keys.
 */
static const struct cJSON *find_member(struct walk *w, const struct cJSON *object,
                                       const struct cJSON *like, const struct cJSON *beside)
{
    if (beside && strcmp(cr_json_key(beside), cr_json_key(like)) == 0)
        return beside;
    w->looked_at += cr_json_count(object);
    return cr_json_get(object, cr_json_key(like));
}

static void compare_arrays(struct walk *w, const struct cJSON *recorded, const struct cJSON *now)
{
    const struct cJSON *a = cr_json_first(recorded), *b = cr_json_first(now);

    for (; a && b; a = cr_json_next(a), b = cr_json_next(b))
        compare_values(w, a, b);
    for (; a; a = cr_json_next(a))
        add_difference(w, a, NULL);
    for (; b; b = cr_json_next(b))
        add_difference(w, NULL, b);
}

static void compare_objects(struct walk *w, const struct cJSON *recorded, const struct cJSON *now)
{
    const struct cJSON *beside = cr_json_first(now);

    for (const struct cJSON *a = cr_json_first(recorded); a && !has_enough(w);
         a = cr_json_next(a)) {
        const struct cJSON *b = find_member(w, now, a, beside);

        beside = b ? cr_json_next(b) : beside;
        if (b)
            compare_values(w, a, b);
        else
            add_difference(w, a, NULL);
    }
    beside = cr_json_first(recorded);
    for (const struct cJSON *b = cr_json_first(now); b && !has_enough(w); b = cr_json_next(b)) {
        const struct cJSON *a = find_member(w, recorded, b, beside);

        beside = a ? cr_json_next(a) : beside;
        if (!a)
            add_difference(w, NULL, b);
    }
}

static void compare_values(struct walk *w, const struct cJSON *recorded, const struct cJSON *now)
{
    if (has_enough(w))
        return;
    if (cr_json_type(recorded) != cr_json_type(now) || !is_leaf_equal(recorded, now))
        add_difference(w, recorded, now);
    else if (cr_json_type(recorded) == CR_JSON_ARRAY)
        compare_arrays(w, recorded, now);
    else if (cr_json_type(recorded) == CR_JSON_OBJECT)
        compare_objects(w, recorded, now);
}

void cr_diff_json(struct cr_buf *out, const char *recorded, size_t recorded_len, const char *now,
                  size_t now_len)
{
    struct cr_json_doc a = {0}, b = {0};
    struct walk w = {.out = out, .recorded = &a, .now = &b};

    if (cr_json_parse(recorded, recorded_len, &a, NULL) == 0 &&
        cr_json_parse(now, now_len, &b, NULL) == 0)
        compare_values(&w, a.root, b.root);
    if (has_enough(&w))
        cr_buf_str(out, "… and perhaps more\n");
    cr_json_clear(&a);
    cr_json_clear(&b);
}
