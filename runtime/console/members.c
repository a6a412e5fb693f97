/* members.c - what objects of one kind have besides properties: items, entries, bytes, a result. */
#include <stdio.h>

#include "view.h"

#define BYTES_SHOWN 100u

static void put_holes(struct crw_view *v, uint64_t count)
{
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, "<");
    crw_out_number(v->out, count);
    crw_out_str(v->out, count == 1 ? " empty item>" : " empty items>");
}

static void put_left_over(struct crw_view *v, uint64_t count)
{
    if (!count || v->out->full)
        return;
    crw_layout_entry(&v->layout);
    crw_view_more(v, count, "item");
}

/* The items of an array: elements side by side, then single ones between holes. */
static void put_items(struct crw_view *v, const struct crw_thing *t, int depth)
{
    int64_t index = 0;
    unsigned shown = 0;

    for (; index < t->elements && shown < v->how.items && !v->out->full; index++, shown++) {
        JSValue item = JS_GetPropertyUint32(v->ctx, t->value, (uint32_t)index);

        crw_layout_entry(&v->layout);
        crw_view_nested(v, item, depth);
        JS_FreeValue(v->ctx, item);
    }
    for (uint32_t i = 0; i < t->name_from && shown < v->how.items && !v->out->full; i++) {
        uint32_t at = 0;

        (void)crw_peek_index(v->ctx, t->names[i].atom, &at);
        if (at > index) {
            put_holes(v, (uint64_t)(at - index));
            index = at;
            if (++shown == v->how.items)
                break;
        }
        crw_layout_entry(&v->layout);
        crw_view_own(v, t->value, t->names[i].atom, depth);
        index++;
        shown++;
    }
    if (shown < v->how.items && index < t->length && !v->out->full) {
        put_holes(v, (uint64_t)(t->length - index));
        index = t->length;
    }
    put_left_over(v, (uint64_t)(t->length - index));
}

static void put_argument_items(struct crw_view *v, const struct crw_thing *t, int depth)
{
    for (uint32_t i = 0; i < t->elements && !v->out->full; i++) {
        JSValue item = JS_GetPropertyUint32(v->ctx, t->value, i);

        crw_layout_entry(&v->layout);
        crw_out_str(v->out, "'");
        crw_out_number(v->out, i);
        crw_out_str(v->out, "': ");
        crw_view_nested(v, item, depth);
        JS_FreeValue(v->ctx, item);
    }
}

static void put_entries(struct crw_view *v, const struct crw_thing *t, int depth)
{
    struct crw_walk walk;
    uint32_t left = crw_peek_walk(t->value, &walk);
    JSValueConst key, value;

    for (unsigned n = 0; n < v->how.items && !v->out->full && crw_peek_next(&walk, &key, &value);
         n++, left--) {
        crw_layout_entry(&v->layout);
        crw_view_nested(v, key, depth);
        if (t->kind == CRW_KIND_MAP) {
            crw_out_str(v->out, " => ");
            crw_view_nested(v, value, depth);
        }
    }
    put_left_over(v, left);
}

static void put_pair(struct crw_view *v, JSValueConst key, JSValueConst value, int depth)
{
    struct crw_layout_object pair = {
        .head = v->out->len, .level = v->seen_count, .close = "]", .in_columns = true};

    crw_out_str(v->out, "[");
    pair.first = v->layout.count;
    crw_layout_entry(&v->layout);
    crw_view_nested(v, key, depth);
    crw_layout_entry(&v->layout);
    crw_view_nested(v, value, depth);
    crw_layout_close(&v->layout, &pair);
}

/* What an iterator of a Map or a Set has left. */
static void put_coming(struct crw_view *v, const struct crw_thing *t, int depth)
{
    bool of_map = t->kind == CRW_KIND_MAP_ITERATOR;
    struct crw_walk walk;
    JSValueConst key, value;
    uint64_t left = 0;

    (void)crw_peek_walk(t->value, &walk);
    for (unsigned n = 0; n < v->how.items && !v->out->full && crw_peek_next(&walk, &key, &value);
         n++) {
        crw_layout_entry(&v->layout);
        if (walk.pairs)
            put_pair(v, key, of_map ? value : key, depth);
        else
            crw_view_nested(v, of_map && walk.values ? value : key, depth);
    }
    while (!v->out->full && crw_peek_next(&walk, &key, &value)) {
        crw_view_charge(v, 1);
        left++;
    }
    put_left_over(v, left);
}

static void put_promise(struct crw_view *v, const struct crw_thing *t, int depth)
{
    JSPromiseStateEnum state = JS_PromiseState(v->ctx, t->value);
    JSValue result;

    crw_layout_entry(&v->layout);
    if (state == JS_PROMISE_PENDING) {
        crw_out_str(v->out, "<pending>");
        return;
    }
    if (state == JS_PROMISE_REJECTED)
        crw_out_str(v->out, "<rejected> ");
    result = JS_PromiseResult(v->ctx, t->value);
    crw_view_nested(v, result, depth);
    JS_FreeValue(v->ctx, result);
}

static void put_number_entry(struct crw_view *v, const char *label, uint64_t number)
{
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, label);
    crw_out_number(v->out, number);
}

static void put_buffer(struct crw_view *v, const struct crw_thing *t)
{
    size_t size = 0;
    const uint8_t *bytes = JS_GetArrayBuffer(v->ctx, &size, t->value);
    char hex[4];

    if (!bytes)
        JS_FreeValue(v->ctx, JS_GetException(v->ctx));
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, "[Uint8Contents]: <");
    for (size_t i = 0; bytes && i < size && i < BYTES_SHOWN; i++) {
        (void)snprintf(hex, sizeof(hex), i ? " %02x" : "%02x", bytes[i]);
        crw_out_str(v->out, hex);
    }
    if (size > BYTES_SHOWN) {
        crw_out_str(v->out, " ");
        crw_view_more(v, size - BYTES_SHOWN, "byte");
    }
    crw_out_str(v->out, ">");
    put_number_entry(v, "byteLength: ", size);
}

static void put_dataview(struct crw_view *v, const struct crw_thing *t, int depth)
{
    uint32_t offset, length;
    JSValueConst buffer = crw_peek_dataview(t->value, &offset, &length);

    put_number_entry(v, "byteLength: ", length);
    put_number_entry(v, "byteOffset: ", offset);
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, "buffer: ");
    crw_view_nested(v, buffer, depth);
}

static void put_unknown_items(struct crw_view *v)
{
    crw_layout_entry(&v->layout);
    crw_out_str(v->out, "<items unknown>");
}

void crw_view_members(struct crw_view *v, const struct crw_thing *t, int depth)
{
    switch (t->kind) {
    case CRW_KIND_ARRAY:
    case CRW_KIND_TYPED_ARRAY:
        put_items(v, t, depth);
        break;
    case CRW_KIND_ARGUMENTS:
        put_argument_items(v, t, depth);
        break;
    case CRW_KIND_MAP:
    case CRW_KIND_SET:
        put_entries(v, t, depth);
        break;
    case CRW_KIND_MAP_ITERATOR:
    case CRW_KIND_SET_ITERATOR:
        put_coming(v, t, depth);
        break;
    case CRW_KIND_PROMISE:
        put_promise(v, t, depth);
        break;
    case CRW_KIND_BUFFER:
        put_buffer(v, t);
        break;
    case CRW_KIND_DATAVIEW:
        put_dataview(v, t, depth);
        break;
    case CRW_KIND_WEAK:
        put_unknown_items(v);
        break;
    case CRW_KIND_OBJECT:
    case CRW_KIND_ERROR:
    case CRW_KIND_BOXED:
    case CRW_KIND_DATE:
    case CRW_KIND_MODULE:
    case CRW_KIND_FUNCTION:
    case CRW_KIND_REGEXP:
    case CRW_KIND_PROXY:
        break;
    }
}

bool crw_view_has_members(const struct crw_thing *t)
{
    switch (t->kind) {
    case CRW_KIND_ARRAY:
    case CRW_KIND_TYPED_ARRAY:
    case CRW_KIND_MAP:
    case CRW_KIND_SET:
        return t->length > 0;
    case CRW_KIND_ARGUMENTS:
        return t->elements > 0;
    case CRW_KIND_MAP_ITERATOR:
    case CRW_KIND_SET_ITERATOR:
    case CRW_KIND_PROMISE:
    case CRW_KIND_BUFFER:
    case CRW_KIND_DATAVIEW:
    case CRW_KIND_WEAK:
        return true;
    case CRW_KIND_OBJECT:
    case CRW_KIND_ERROR:
    case CRW_KIND_BOXED:
    case CRW_KIND_DATE:
    case CRW_KIND_MODULE:
    case CRW_KIND_FUNCTION:
    case CRW_KIND_REGEXP:
    case CRW_KIND_PROXY:
        break;
    }
    return false;
}
