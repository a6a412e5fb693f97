/*
 * inspect.c - formats values as text.
 *
 * The order of the parts, and what is omitted, follow Node's formatRaw: a head with the name, then
 * the contents special to the kind of object, then the enumerable own properties.
 *
 * No code of the capability runs meanwhile, so borrowed values stay valid; only property names and
 * the values of descriptors must be freed.
 */
#include "inspect.h"

#include "error.h"
#include "identity.h"
#include "members.h"
#include "url.h"
#include "view.h"

#define PROXIES_MAX 1000 /* nested proxies */

static void put_value(struct crw_view *v, JSValueConst value, int depth);

static void forget_exception(JSContext *ctx)
{
    JS_FreeValue(ctx, JS_GetException(ctx));
}

/* --- properties ------------------------------------------------------------------------------ */

int crw_inspect_own(JSContext *ctx, JSValueConst object, JSAtom name, JSValue *ret)
{
    JSPropertyDescriptor d;
    int r = JS_GetOwnProperty(ctx, &d, object, name);

    if (r < 0)
        forget_exception(ctx);
    if (r <= 0)
        return r;
    JS_FreeValue(ctx, d.getter);
    JS_FreeValue(ctx, d.setter);
    *ret = d.value;
    return d.flags & JS_PROP_GETSET ? -1 : 1;
}

JSValueConst crw_inspect_unwrap(JSContext *ctx, JSValueConst value)
{
    for (int i = 0; JS_IsObject(value) && crw_peek_kind(ctx, value) == CRW_PEEK_PROXY; i++)
        value = i < PROXIES_MAX ? crw_peek_target(value) : JS_UNDEFINED;
    return value;
}

void crw_inspect_nested(struct crw_view *v, JSValueConst value, int depth)
{
    v->layout.indent += 2;
    put_value(v, value, depth);
    v->layout.indent -= 2;
}

static void put_descriptor(struct crw_view *v, const JSPropertyDescriptor *d, int depth)
{
    if (!(d->flags & JS_PROP_GETSET))
        crw_inspect_nested(v, d->value, depth);
    else if (JS_IsUndefined(d->setter))
        crw_out_str(v->out, "[Getter]");
    else
        crw_out_str(v->out, JS_IsUndefined(d->getter) ? "[Setter]" : "[Getter/Setter]");
}

void crw_inspect_property(struct crw_view *v, JSValueConst object, JSAtom name, int depth)
{
    JSPropertyDescriptor d;
    int r = JS_GetOwnProperty(v->ctx, &d, object, name);

    if (r <= 0) {
        /* a variable of a module that is not initialised yet */
        forget_exception(v->ctx);
        crw_out_str(v->out, "<uninitialized>");
        return;
    }
    put_descriptor(v, &d, depth);
    JS_FreeValue(v->ctx, d.value);
    JS_FreeValue(v->ctx, d.getter);
    JS_FreeValue(v->ctx, d.setter);
}

static void put_property(struct crw_view *v, JSValueConst object, JSAtom name, int depth)
{
    crw_layout_entry(&v->layout);
    crw_view_key(v, name);
    crw_out_str(v->out, ": ");
    crw_inspect_property(v, object, name, depth);
}

/* Appends a property that is shown although it is not enumerable, if the object has it. */
static void put_hidden(struct crw_view *v, const struct crw_view_object *o,
                       enum crw_identity_name which, const char *label, int depth)
{
    JSAtom name = crw_identity_name(v->ctx, which);
    JSPropertyDescriptor d;
    int r = JS_GetOwnProperty(v->ctx, &d, o->value, name);

    if (r <= 0)
        return;
    if (!(d.flags & JS_PROP_ENUMERABLE)) {
        crw_layout_entry(&v->layout);
        crw_out_str(v->out, label);
        put_descriptor(v, &d, depth);
    }
    JS_FreeValue(v->ctx, d.value);
    JS_FreeValue(v->ctx, d.getter);
    JS_FreeValue(v->ctx, d.setter);
}

/* --- objects --------------------------------------------------------------------------------- */

/* Finds out what to show of |o|; its value and kind are already set. */
static void read_object(struct crw_view *v, struct crw_view_object *o)
{
    struct crw_peek_walk walk;
    uint32_t unused;

    crw_view_charge(v, 1 + crw_peek_effort(o->value));
    if (!v->out->full && crw_peek_names(v->ctx, o->value, &o->names, &o->name_count) < 0)
        forget_exception(v->ctx);
    o->elements = crw_peek_elements(o->value);
    if (o->kind == CRW_PEEK_ARRAY) {
        (void)JS_GetLength(v->ctx, o->value, &o->length);
        while (o->name_from < o->name_count &&
               crw_peek_index(v->ctx, o->names[o->name_from].atom, &unused))
            o->name_from++;
    } else if (o->kind == CRW_PEEK_TYPED_ARRAY) {
        o->length = o->elements;
    } else if (o->kind == CRW_PEEK_MAP || o->kind == CRW_PEEK_SET) {
        o->length = crw_peek_walk(o->value, &walk);
    } else if (o->kind == CRW_PEEK_URL) {
        o->length = crw_url_length(v->ctx, o->value);
    }
}

/* Should the own property |name| of |o| not be shown? The text of |o| begins at |base|. */
static bool is_left_out(struct crw_view *v, const struct crw_view_object *o, JSAtom name,
                        size_t base)
{
    if (o->kind == CRW_PEEK_ERROR)
        return crw_error_shows(v, o, name, base);
    return o->kind == CRW_PEEK_URL && o->length && crw_peek_is_symbol(v->ctx, name);
}

static void put_properties(struct crw_view *v, const struct crw_view_object *o, size_t base,
                           int depth)
{
    for (uint32_t i = o->name_from; i < o->name_count && !v->out->full; i++)
        if (!is_left_out(v, o, o->names[i].atom, base))
            put_property(v, o->value, o->names[i].atom, depth);
    if (o->kind == CRW_PEEK_ERROR) {
        put_hidden(v, o, CRW_IDENTITY_CAUSE, "[cause]: ", depth);
        put_hidden(v, o, CRW_IDENTITY_ERRORS, "[errors]: ", depth);
    }
}

static unsigned ref_of(const struct crw_view *v, JSValueConst value)
{
    for (unsigned i = 0; i < v->ref_count; i++)
        if (v->refs[i] == JS_VALUE_GET_PTR(value))
            return i + 1;
    return 0;
}

static void put_circular(struct crw_view *v, JSValueConst value)
{
    unsigned ref = ref_of(v, value);

    if (!ref && v->ref_count < CRW_VIEW_REFS_MAX) {
        v->refs[v->ref_count++] = JS_VALUE_GET_PTR(value);
        ref = v->ref_count;
    }
    crw_out_str(v->out, "[Circular *");
    crw_out_number(v->out, ref);
    crw_out_str(v->out, "]");
}

/* Are all items numbers? Columns of numbers are aligned to the right. */
static bool is_numeric(struct crw_view *v, const struct crw_view_object *o)
{
    if (o->kind == CRW_PEEK_TYPED_ARRAY)
        return o->name_count == 0;
    if (o->elements < o->length || o->name_count)
        return false;
    for (uint32_t i = 0; i < o->elements && i <= v->how.items; i++) {
        JSValue item = JS_GetPropertyUint32(v->ctx, o->value, i);
        bool number = JS_IsNumber(item) || JS_IsBigInt(item);

        JS_FreeValue(v->ctx, item);
        if (!number)
            return false;
    }
    return true;
}

/* Appends the contents in brackets, or no brackets if the object has only a base. */
static void put_contents(struct crw_view *v, const struct crw_view_object *o, size_t head,
                         bool has_base, int depth)
{
    bool list = o->kind == CRW_PEEK_ARRAY || o->kind == CRW_PEEK_TYPED_ARRAY;
    struct crw_layout_object brackets = {
        .head = head, .has_base = has_base, .in_columns = list, .close = list ? "]" : "}"};
    size_t base_end = v->out->len;

    brackets.level = v->layout.level = v->seen_count + 1;
    v->seen[v->seen_count++] = JS_VALUE_GET_PTR(o->value);
    if (has_base)
        crw_out_str(v->out, " ");
    else
        crw_identity_prefix(v, o);
    crw_out_str(v->out, list ? "[" : "{");
    brackets.first = v->layout.count;
    crw_members_put(v, o, depth + 1);
    put_properties(v, o, head, depth + 1);
    v->seen_count--;
    brackets.ref = ref_of(v, o->value);
    brackets.to_the_right = list && is_numeric(v, o);
    if (has_base && brackets.first == v->layout.count)
        v->out->len = base_end;
    else
        crw_layout_close(&v->layout, &brackets);
}

static void put_identified(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    size_t head = v->out->len;
    bool has_base = crw_identity_base(v, o);
    bool list = o->kind == CRW_PEEK_ARRAY || o->kind == CRW_PEEK_TYPED_ARRAY;
    bool empty = o->name_from == o->name_count && !crw_members_any(o) && o->kind != CRW_PEEK_ERROR;
    bool deep = depth > v->how.depth || v->seen_count > CRW_VIEW_DEPTH_MAX;

    if (v->out->full || (has_base && (empty || deep)))
        return;
    if (empty) {
        crw_identity_prefix(v, o);
        crw_out_str(v->out, list ? "[]" : "{}");
    } else if (deep) {
        crw_identity_placeholder(v, o);
    } else {
        put_contents(v, o, head, has_base, depth);
    }
}

static void put_object(struct crw_view *v, JSValueConst value, int depth)
{
    struct crw_view_object o = {.value = crw_inspect_unwrap(v->ctx, value)};

    if (JS_IsUndefined(o.value)) {
        crw_out_str(v->out, "<Revoked Proxy>");
        return;
    }
    for (unsigned i = 0; i < v->seen_count; i++) {
        if (v->seen[i] == JS_VALUE_GET_PTR(o.value)) {
            put_circular(v, o.value);
            return;
        }
    }
    o.kind = crw_peek_kind(v->ctx, o.value);
    read_object(v, &o);
    crw_identity_find(v, &o);
    put_identified(v, &o, depth);
    crw_identity_forget(v, &o);
    JS_FreePropertyEnum(v->ctx, o.names, o.name_count);
}

static void put_value(struct crw_view *v, JSValueConst value, int depth)
{
    if (v->out->full)
        return;
    if (JS_IsObject(value))
        put_object(v, value, depth);
    else
        crw_view_plain(v, value);
}

void crw_inspect(JSContext *ctx, struct crw_out *out, JSValueConst value,
                 struct crw_inspect_how how)
{
    struct crw_view v = {
        .ctx = ctx,
        .out = out,
        .how = how,
        .layout = {.out = out, .width = how.width, .items = how.items},
    };
    size_t begun;

    if (out->full)
        return;
    begun = crw_out_begin_value(out);
    put_value(&v, value, 0);
    crw_out_end_value(out, begun);
    crw_layout_free(&v.layout);
}
