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

static void add_value(struct cr_buf *out, const struct cr_json_doc *doc, const struct cr_json *v)
{
    cr_diff_cut(out, doc->bytes + v->at, v->len);
}

/* One of them may be NULL: it is not there. */
static void tell(struct walk *w, const struct cr_json *then, const struct cr_json *now)
{
    struct cr_buf *out = w->out;

    if (w->count++ >= PLACES)
        return;
    cr_buf_str(out, then && now ? "~ " : then ? "- " : "+ ");
    if ((then ? then : now)->parent)
        cr_json_pointer(out, then ? then : now);
    else
        cr_buf_str(out, "(all of it)");
    cr_buf_str(out, ": ");
    if (then)
        add_value(out, w->then, then);
    if (then && now)
        cr_buf_str(out, " → ");
    if (now)
        add_value(out, w->now, now);
    cr_buf_str(out, "\n");
}

static bool is_leaf_equal(const struct cr_json *a, const struct cr_json *b)
{
    return !a->text || strcmp(a->text, b->text) == 0;
}

static bool has_enough(const struct walk *w)
{
    return w->count > PLACES || w->looked_at > LOOKED_AT;
}

static void compare(struct walk *w, const struct cr_json *then, const struct cr_json *now);

/* The member of |object| with the key of |like|; it mostly is |beside|, because keys have an order.
 */
static const struct cr_json *find(struct walk *w, const struct cr_json *object,
                                  const struct cr_json *like, const struct cr_json *beside)
{
    if (beside && strcmp(beside->key, like->key) == 0)
        return beside;
    w->looked_at += object->count;
    return cr_json_get(object, like->key);
}

static void compare_arrays(struct walk *w, const struct cr_json *then, const struct cr_json *now)
{
    const struct cr_json *a = then->first, *b = now->first;

    for (; a && b; a = a->next, b = b->next)
        compare(w, a, b);
    for (; a; a = a->next)
        tell(w, a, NULL);
    for (; b; b = b->next)
        tell(w, NULL, b);
}

static void compare_objects(struct walk *w, const struct cr_json *then, const struct cr_json *now)
{
    const struct cr_json *beside = now->first;

    for (const struct cr_json *a = then->first; a && !has_enough(w); a = a->next) {
        const struct cr_json *b = find(w, now, a, beside);

        beside = b ? b->next : beside;
        if (b)
            compare(w, a, b);
        else
            tell(w, a, NULL);
    }
    beside = then->first;
    for (const struct cr_json *b = now->first; b && !has_enough(w); b = b->next) {
        const struct cr_json *a = find(w, then, b, beside);

        beside = a ? a->next : beside;
        if (!a)
            tell(w, NULL, b);
    }
}

static void compare(struct walk *w, const struct cr_json *then, const struct cr_json *now)
{
    if (has_enough(w))
        return;
    if (then->type != now->type || !is_leaf_equal(then, now))
        tell(w, then, now);
    else if (then->type == CR_JSON_ARRAY)
        compare_arrays(w, then, now);
    else if (then->type == CR_JSON_OBJECT)
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
