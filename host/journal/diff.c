/* diff.c - a walk over two trees at once. */
#include "journal/diff.h"

#include <string.h>

#include "base/json.h"

#define SHOWN 300 /* bytes of a value */
#define PLACES 20
#define LOOKED_AT 200000u /* members, in search of keys that are in another order */

struct walk {
    struct cr_buf *out;
    const struct cr_json_doc *then, *now;
    size_t count;
    size_t looked_at;
};

/* Not in the middle of a character. */
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

/* One of them may be NULL: it is not there. */
static void tell(struct walk *w, const struct cJSON *then, const struct cJSON *now)
{
    struct cr_buf *out = w->out;

    if (w->count++ >= PLACES)
        return;
    cr_buf_str(out, then && now ? "~ " : then ? "- " : "+ ");
    if (then == w->then->root)
        cr_buf_str(out, "(all of it)");
    else
        cr_json_pointer(out, then ? w->then : w->now, then ? then : now);
    cr_buf_str(out, ": ");
    if (then)
        add_value(out, w->then, then);
    if (then && now)
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

static void compare(struct walk *w, const struct cJSON *then, const struct cJSON *now);

/* The member of |object| with the key of |like|; it mostly is |beside|, because keys have an order.
 */
static const struct cJSON *find_member(struct walk *w, const struct cJSON *object,
                                       const struct cJSON *like, const struct cJSON *beside)
{
    if (beside && strcmp(cr_json_key(beside), cr_json_key(like)) == 0)
        return beside;
    w->looked_at += cr_json_count(object);
    return cr_json_get(object, cr_json_key(like));
}

static void compare_arrays(struct walk *w, const struct cJSON *then, const struct cJSON *now)
{
    const struct cJSON *a = cr_json_first(then), *b = cr_json_first(now);

    for (; a && b; a = cr_json_next(a), b = cr_json_next(b))
        compare(w, a, b);
    for (; a; a = cr_json_next(a))
        tell(w, a, NULL);
    for (; b; b = cr_json_next(b))
        tell(w, NULL, b);
}

static void compare_objects(struct walk *w, const struct cJSON *then, const struct cJSON *now)
{
    const struct cJSON *beside = cr_json_first(now);

    for (const struct cJSON *a = cr_json_first(then); a && !has_enough(w); a = cr_json_next(a)) {
        const struct cJSON *b = find_member(w, now, a, beside);

        beside = b ? cr_json_next(b) : beside;
        if (b)
            compare(w, a, b);
        else
            tell(w, a, NULL);
    }
    beside = cr_json_first(then);
    for (const struct cJSON *b = cr_json_first(now); b && !has_enough(w); b = cr_json_next(b)) {
        const struct cJSON *a = find_member(w, then, b, beside);

        beside = a ? cr_json_next(a) : beside;
        if (!a)
            tell(w, NULL, b);
    }
}

static void compare(struct walk *w, const struct cJSON *then, const struct cJSON *now)
{
    if (has_enough(w))
        return;
    if (cr_json_type(then) != cr_json_type(now) || !is_leaf_equal(then, now))
        tell(w, then, now);
    else if (cr_json_type(then) == CR_JSON_ARRAY)
        compare_arrays(w, then, now);
    else if (cr_json_type(then) == CR_JSON_OBJECT)
        compare_objects(w, then, now);
}

void cr_diff_json(struct cr_buf *out, const char *then, size_t then_len, const char *now,
                  size_t now_len)
{
    struct cr_json_doc a = {0}, b = {0};
    struct walk w = {.out = out, .then = &a, .now = &b};

    if (cr_json_parse(then, then_len, &a, NULL) == 0 && cr_json_parse(now, now_len, &b, NULL) == 0)
        compare(&w, a.root, b.root);
    if (has_enough(&w))
        cr_buf_str(out, "… and perhaps more\n");
    cr_json_clear(&a);
    cr_json_clear(&b);
}
