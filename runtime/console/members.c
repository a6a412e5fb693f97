/* members.c - shows the contents of an object besides its properties: items, entries, bytes. */
#include "members.h"

#include <stdio.h>

#include "url.h"

static void put_holes(struct crw_view *v, uint64_t count)
{
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, "<");
    crw_out_number(v->out, count);
    crw_out_str(v->out, count == 1 ? " empty item>" : " empty items>");
}

void crw_members_left(struct crw_view *v, uint64_t count)
{
    if (!count || v->out->full)
        return;
    crw_layout_entry(&v->layout);
    crw_view_more(v, count, "item");
}

/* Appends the items of an array: elements without holes, then items between holes. */
static void put_items(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    int64_t index = 0;
    unsigned shown = 0;

    for (; index < o->elements && shown < v->how.items && !v->out->full; index++, shown++) {
        JSValue item = JS_GetPropertyUint32(v->ctx, o->value, (uint32_t)index);

        crw_layout_entry(&v->layout);
        crw_inspect_nested(v, item, depth);
        JS_FreeValue(v->ctx, item);
    }
    for (uint32_t i = 0; i < o->name_from && shown < v->how.items && !v->out->full; i++) {
        uint32_t at = 0;

        (void)crw_peek_index(v->ctx, o->names[i].atom, &at);
        if (at > index) {
            put_holes(v, (uint64_t)(at - index));
            index = at;
            if (++shown == v->how.items)
                break;
        }
        crw_layout_entry(&v->layout);
        crw_inspect_property(v, o->value, o->names[i].atom, depth);
        index++;
        shown++;
    }
    if (shown < v->how.items && index < o->length && !v->out->full) {
        put_holes(v, (uint64_t)(o->length - index));
        index = o->length;
    }
    crw_members_left(v, (uint64_t)(o->length - index));
}

static void put_argument_items(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    for (uint32_t i = 0; i < o->elements && !v->out->full; i++) {
        JSValue item = JS_GetPropertyUint32(v->ctx, o->value, i);

        crw_layout_entry(&v->layout);
        crw_out_str(v->out, "'");
        crw_out_number(v->out, i);
        crw_out_str(v->out, "': ");
        crw_inspect_nested(v, item, depth);
        JS_FreeValue(v->ctx, item);
    }
}

static void put_entries(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    struct crw_peek_walk walk;
    uint32_t left = crw_peek_walk(o->value, &walk);
    JSValueConst key, value;

    for (unsigned n = 0; n < v->how.items && !v->out->full && crw_peek_next(&walk, &key, &value);
         n++, left--) {
        crw_layout_entry(&v->layout);
        crw_inspect_nested(v, key, depth);
        if (o->kind == CRW_PEEK_MAP) {
            crw_out_str(v->out, " => ");
            crw_inspect_nested(v, value, depth);
        }
    }
    crw_members_left(v, left);
}

static void put_pair(struct crw_view *v, JSValueConst key, JSValueConst value, int depth)
{
    struct crw_layout_object pair = {
        .head = v->out->len, .level = v->seen_count, .close = "]", .in_columns = true};

    crw_out_str(v->out, "[");
    pair.first = v->layout.count;
    crw_layout_entry(&v->layout);
    crw_inspect_nested(v, key, depth);
    crw_layout_entry(&v->layout);
    crw_inspect_nested(v, value, depth);
    crw_layout_close(&v->layout, &pair);
}

/* Appends the entries that an iterator of a Map or a Set has not returned yet. */
static void put_coming(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    bool of_map = o->kind == CRW_PEEK_MAP_ITERATOR;
    struct crw_peek_walk walk;
    JSValueConst key, value;
    uint64_t left = 0;

    (void)crw_peek_walk(o->value, &walk);
    for (unsigned n = 0; n < v->how.items && !v->out->full && crw_peek_next(&walk, &key, &value);
         n++) {
        crw_layout_entry(&v->layout);
        if (walk.pairs)
            put_pair(v, key, of_map ? value : key, depth);
        else
            crw_inspect_nested(v, of_map && walk.values ? value : key, depth);
    }
    while (!v->out->full && crw_peek_next(&walk, &key, &value)) {
        crw_view_charge(v, 1);
        left++;
    }
    crw_members_left(v, left);
}

static void put_promise(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    JSPromiseStateEnum state = JS_PromiseState(v->ctx, o->value);
    JSValue result;

    crw_layout_entry(&v->layout);
    if (state == JS_PROMISE_PENDING) {
        crw_out_str(v->out, "<pending>");
        return;
    }
    if (state == JS_PROMISE_REJECTED)
        crw_out_str(v->out, "<rejected> ");
    result = JS_PromiseResult(v->ctx, o->value);
    crw_inspect_nested(v, result, depth);
    JS_FreeValue(v->ctx, result);
}

static void put_number_entry(struct crw_view *v, const char *label, uint64_t number)
{
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, label);
    crw_out_number(v->out, number);
}

static void put_buffer(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    size_t size = 0;
    const uint8_t *bytes = JS_GetArrayBuffer(v->ctx, &size, o->value);
    size_t shown;
    char hex[4];

    (void)depth;
    if (!bytes)
        JS_FreeValue(v->ctx, JS_GetException(v->ctx));
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, "[Uint8Contents]: <");
    shown = size < v->how.items ? size : v->how.items;
    for (size_t i = 0; bytes && i < shown; i++) {
        (void)snprintf(hex, sizeof(hex), i ? " %02x" : "%02x", bytes[i]);
        crw_out_str(v->out, hex);
    }
    if (size > shown) {
        crw_out_str(v->out, " ");
        crw_view_more(v, size - shown, "byte");
    }
    crw_out_str(v->out, ">");
    put_number_entry(v, "byteLength: ", size);
}

static void put_dataview(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    uint32_t offset, length;
    JSValueConst buffer = crw_peek_dataview(o->value, &offset, &length);

    put_number_entry(v, "byteLength: ", length);
    put_number_entry(v, "byteOffset: ", offset);
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, "buffer: ");
    crw_inspect_nested(v, buffer, depth);
}

static void put_unknown_items(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    (void)o;
    (void)depth;
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, "<items unknown>");
}

/* --- by kind --------------------------------------------------------------------------------- */

enum when { NEVER, ALWAYS, IF_LENGTH, IF_ELEMENTS };

static const struct {
    enum when any;
    void (*put)(struct crw_view *v, const struct crw_view_object *o, int depth);
} kinds[CRW_PEEK_KINDS] = {
    [CRW_PEEK_ARRAY] = {IF_LENGTH, put_items},
    [CRW_PEEK_TYPED_ARRAY] = {IF_LENGTH, put_items},
    [CRW_PEEK_ARGUMENTS] = {IF_ELEMENTS, put_argument_items},
    [CRW_PEEK_MAP] = {IF_LENGTH, put_entries},
    [CRW_PEEK_SET] = {IF_LENGTH, put_entries},
    [CRW_PEEK_MAP_ITERATOR] = {ALWAYS, put_coming},
    [CRW_PEEK_SET_ITERATOR] = {ALWAYS, put_coming},
    [CRW_PEEK_PROMISE] = {ALWAYS, put_promise},
    [CRW_PEEK_BUFFER] = {ALWAYS, put_buffer},
    [CRW_PEEK_DATAVIEW] = {ALWAYS, put_dataview},
    [CRW_PEEK_WEAK] = {ALWAYS, put_unknown_items},
    [CRW_PEEK_URL] = {IF_LENGTH, crw_url_put},
};

bool crw_members_any(const struct crw_view_object *o)
{
    switch (kinds[o->kind].any) {
    case ALWAYS:
        return true;
    case IF_LENGTH:
        return o->length > 0;
    case IF_ELEMENTS:
        return o->elements > 0;
    case NEVER:
        break;
    }
    return false;
}

void crw_members_put(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    if (crw_members_any(o))
        kinds[o->kind].put(v, o, depth);
}
