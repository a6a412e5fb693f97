/*
 * inspect.c - values to text.
 *
 * The order of things in the text, and what is left out of it, are those of Node's formatRaw: a
 * head that says what it is, then what is special to its kind, then its enumerable own properties.
 *
 * No code runs while this does, so what an object holds stays valid, and nothing but the names of
 * properties and what a descriptor gave has to be freed.
 */
#include "inspect.h"

#include <math.h>
#include <string.h>

#include "values.h"
#include "view.h"

#define TEXT_MAX ((size_t)64 << 10)
#define WORK_MAX ((size_t)4 << 20) /* properties, prototypes and entries looked at */
#define CHARACTERS_A_UNIT 64u      /* so many characters count as one of these */
#define STRING_MAX 10000u
#define BITS_MAX 16384u  /* of a bigint */
#define PROXIES_MAX 1000 /* of proxies */

static void put_value(struct crw_view *v, JSValueConst value, int depth);

static size_t work_left; /* of the call of console that is running */

void crw_inspect_begin(void)
{
    work_left = WORK_MAX;
}

bool crw_inspect_charge(size_t n)
{
    work_left = n < work_left ? work_left - n : 0;
    return work_left > 0;
}

void crw_view_charge(struct crw_view *v, size_t n)
{
    if (!crw_inspect_charge(n))
        v->out->full = true;
}

static void forget_exception(JSContext *ctx)
{
    JS_FreeValue(ctx, JS_GetException(ctx));
}

/* --- what is no object ----------------------------------------------------------------------- */

void crw_view_indented(struct crw_view *v, const char *text, size_t len)
{
    const char *end;

    while (v->layout.indent && !v->out->full && (end = memchr(text, '\n', len))) {
        size_t n = (size_t)(end - text) + 1;

        crw_out_put(v->out, text, n);
        crw_out_spaces(v->out, v->layout.indent);
        text += n;
        len -= n;
    }
    crw_out_put(v->out, text, len);
}

/* A long string of several lines is shown as several strings. */
static void put_lines_quoted(struct crw_view *v, const char *text, size_t len)
{
    const char *end;

    while (!v->out->full && (end = memchr(text, '\n', len)) && (size_t)(end - text) + 1 < len) {
        size_t n = (size_t)(end - text) + 1;

        crw_out_quoted(v->out, text, n);
        crw_out_str(v->out, " +\n");
        crw_out_spaces(v->out, v->layout.indent + 2);
        text += n;
        len -= n;
    }
    crw_out_quoted(v->out, text, len);
}

void crw_view_more(struct crw_view *v, uint64_t count, const char *what)
{
    crw_out_str(v->out, "... ");
    crw_out_number(v->out, count);
    crw_out_str(v->out, " more ");
    crw_out_str(v->out, what);
    crw_out_str(v->out, count > 1 ? "s" : "");
}

static void put_string(struct crw_view *v, JSValueConst value)
{
    uint32_t length;
    JSValue head = crw_peek_head(v->ctx, value, STRING_MAX, &length);
    size_t len;
    const char *text = JS_ToCStringLen(v->ctx, &len, head);

    crw_values_mend(text, len);
    crw_view_charge(v, length / CHARACTERS_A_UNIT);
    if (length > 16 && length + v->layout.indent + 4 > v->how.width)
        put_lines_quoted(v, text, len);
    else
        crw_out_quoted(v->out, text, len);
    if (length > STRING_MAX)
        crw_view_more(v, length - STRING_MAX, "character");
    JS_FreeCString(v->ctx, text);
    JS_FreeValue(v->ctx, head);
}

void crw_inspect_name(JSContext *ctx, struct crw_out *out, JSAtom name)
{
    size_t len;
    const char *text = JS_AtomToCStringLen(ctx, &len, name);

    crw_values_mend(text, len);
    (void)crw_inspect_charge(len / CHARACTERS_A_UNIT);
    crw_out_put(out, text, len);
    JS_FreeCString(ctx, text);
}

static void put_symbol(JSContext *ctx, struct crw_out *out, JSAtom symbol)
{
    crw_out_str(out, "Symbol(");
    crw_inspect_name(ctx, out, symbol);
    crw_out_str(out, ")");
}

/* One that is so large that its digits take long, and are of no use to anybody, is only described.
 */
static void put_bigint(JSContext *ctx, struct crw_out *out, JSValueConst value, const char *suffix)
{
    size_t bits = crw_peek_bits(value);

    if (bits <= BITS_MAX && crw_inspect_charge((bits / 256) * (bits / 256))) {
        const char *text = JS_ToCString(ctx, value);

        crw_out_str(out, text);
        crw_out_str(out, suffix);
        JS_FreeCString(ctx, text);
        return;
    }
    crw_out_str(out, "<bigint of ");
    crw_out_number(out, bits);
    crw_out_str(out, " bits>");
}

void crw_inspect_bare(JSContext *ctx, struct crw_out *out, JSValueConst value)
{
    size_t len;
    const char *text;

    if (JS_IsSymbol(value)) {
        JSAtom atom = JS_ValueToAtom(ctx, value);

        put_symbol(ctx, out, atom);
        JS_FreeAtom(ctx, atom);
        return;
    }
    if (JS_IsBigInt(value)) {
        put_bigint(ctx, out, value, "");
        return;
    }
    text = JS_ToCStringLen(ctx, &len, value);
    crw_values_mend(text, len);
    crw_out_put(out, text, len);
    JS_FreeCString(ctx, text);
}

static void put_number(struct crw_view *v, JSValueConst value)
{
    double number = 0;

    (void)JS_ToFloat64(v->ctx, &number, value);
    if (number == 0)
        crw_out_str(v->out, signbit(number) ? "-0" : "0");
    else
        crw_inspect_bare(v->ctx, v->out, value);
}

static void put_primitive(struct crw_view *v, JSValueConst value)
{
    if (JS_IsString(value)) {
        put_string(v, value);
    } else if (JS_IsNumber(value)) {
        put_number(v, value);
    } else if (JS_IsBigInt(value)) {
        put_bigint(v->ctx, v->out, value, "n");
    } else {
        crw_inspect_bare(v->ctx, v->out, value);
    }
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
    for (int i = 0; JS_IsObject(value) && crw_peek_kind(ctx, value) == CRW_KIND_PROXY; i++)
        value = i < PROXIES_MAX ? crw_peek_target(value) : JS_UNDEFINED;
    return value;
}

void crw_view_nested(struct crw_view *v, JSValueConst value, int depth)
{
    v->layout.indent += 2;
    put_value(v, value, depth);
    v->layout.indent -= 2;
}

static void put_descriptor(struct crw_view *v, const JSPropertyDescriptor *d, int depth)
{
    if (!(d->flags & JS_PROP_GETSET))
        crw_view_nested(v, d->value, depth);
    else if (JS_IsUndefined(d->setter))
        crw_out_str(v->out, "[Getter]");
    else
        crw_out_str(v->out, JS_IsUndefined(d->getter) ? "[Setter]" : "[Getter/Setter]");
}

void crw_view_own(struct crw_view *v, JSValueConst object, JSAtom name, int depth)
{
    JSPropertyDescriptor d;
    int r = JS_GetOwnProperty(v->ctx, &d, object, name);

    if (r <= 0) {
        /* a module's variable that has no value yet */
        forget_exception(v->ctx);
        crw_out_str(v->out, "<uninitialized>");
        return;
    }
    put_descriptor(v, &d, depth);
    JS_FreeValue(v->ctx, d.value);
    JS_FreeValue(v->ctx, d.getter);
    JS_FreeValue(v->ctx, d.setter);
}

static bool is_word(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (i && c >= '0' && c <= '9')))
            return false;
    }
    return len > 0;
}

static void put_name(struct crw_view *v, JSAtom name)
{
    JSValue value = JS_AtomToValue(v->ctx, name);

    if (JS_IsSymbol(value)) {
        crw_out_str(v->out, "[");
        put_symbol(v->ctx, v->out, name);
        crw_out_str(v->out, "]");
    } else {
        size_t len;
        const char *text = JS_AtomToCStringLen(v->ctx, &len, name);

        crw_values_mend(text, len);
        if (len == 9 && memcmp(text, "__proto__", 9) == 0)
            crw_out_str(v->out, "['__proto__']");
        else if (is_word(text, len))
            crw_out_put(v->out, text, len);
        else
            crw_out_quoted(v->out, text, len);
        JS_FreeCString(v->ctx, text);
    }
    JS_FreeValue(v->ctx, value);
}

static void put_property(struct crw_view *v, JSValueConst object, JSAtom name, int depth)
{
    crw_layout_entry(&v->layout);
    put_name(v, name);
    crw_out_str(v->out, ": ");
    crw_view_own(v, object, name, depth);
}

/* A property that is not enumerable and shown nevertheless, if it is there. */
static void put_hidden(struct crw_view *v, const struct crw_thing *t, enum crw_view_name which,
                       const char *label, int depth)
{
    JSAtom name = crw_view_name(v->ctx, which);
    JSPropertyDescriptor d;
    int r = JS_GetOwnProperty(v->ctx, &d, t->value, name);

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

/* Looks at what there is to show of |t|, whose value and kind are known. */
static void look(struct crw_view *v, struct crw_thing *t)
{
    struct crw_walk walk;
    uint32_t unused;

    crw_view_charge(v, 1 + crw_peek_effort(t->value));
    if (!v->out->full && crw_peek_names(v->ctx, t->value, &t->names, &t->name_count) < 0)
        forget_exception(v->ctx);
    t->elements = crw_peek_elements(t->value);
    if (t->kind == CRW_KIND_ARRAY) {
        (void)JS_GetLength(v->ctx, t->value, &t->length);
        while (t->name_from < t->name_count &&
               crw_peek_index(v->ctx, t->names[t->name_from].atom, &unused))
            t->name_from++;
    } else if (t->kind == CRW_KIND_TYPED_ARRAY) {
        t->length = t->elements;
    } else if (t->kind == CRW_KIND_MAP || t->kind == CRW_KIND_SET) {
        t->length = crw_peek_walk(t->value, &walk);
    }
}

/* Of an error, is |name| a property whose text the base that begins at |base| has already? */
static bool is_told(struct crw_view *v, const struct crw_thing *t, JSAtom name, size_t base)
{
    JSValue value = JS_UNDEFINED;
    bool told = true;
    size_t len;
    const char *text;

    if (t->kind != CRW_KIND_ERROR || (name != crw_view_name(v->ctx, CRW_NAME_NAME) &&
                                      name != crw_view_name(v->ctx, CRW_NAME_MESSAGE) &&
                                      name != crw_view_name(v->ctx, CRW_NAME_STACK)))
        return false;
    if (crw_inspect_own(v->ctx, t->value, name, &value) > 0 && JS_IsString(value)) {
        text = JS_ToCStringLen(v->ctx, &len, value);
        told = memmem(v->out->text + base, v->out->len - base, text, len);
        JS_FreeCString(v->ctx, text);
    }
    JS_FreeValue(v->ctx, value);
    return told;
}

static void put_properties(struct crw_view *v, const struct crw_thing *t, size_t base, int depth)
{
    for (uint32_t i = t->name_from; i < t->name_count && !v->out->full; i++)
        if (!is_told(v, t, t->names[i].atom, base))
            put_property(v, t->value, t->names[i].atom, depth);
    if (t->kind == CRW_KIND_ERROR) {
        put_hidden(v, t, CRW_NAME_CAUSE, "[cause]: ", depth);
        put_hidden(v, t, CRW_NAME_ERRORS, "[errors]: ", depth);
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

/* Are all items numbers? Such columns are aligned to the right. */
static bool is_numeric(struct crw_view *v, const struct crw_thing *t)
{
    if (t->kind == CRW_KIND_TYPED_ARRAY)
        return t->name_count == 0;
    if (t->elements < t->length || t->name_count)
        return false;
    for (uint32_t i = 0; i < t->elements && i <= v->how.items; i++) {
        JSValue item = JS_GetPropertyUint32(v->ctx, t->value, i);
        bool number = JS_IsNumber(item) || JS_IsBigInt(item);

        JS_FreeValue(v->ctx, item);
        if (!number)
            return false;
    }
    return true;
}

/* The object in brackets, or without them if only its base is there. */
static void put_contents(struct crw_view *v, const struct crw_thing *t, size_t head, bool has_base,
                         int depth)
{
    bool list = t->kind == CRW_KIND_ARRAY || t->kind == CRW_KIND_TYPED_ARRAY;
    struct crw_layout_object o = {
        .head = head, .has_base = has_base, .in_columns = list, .close = list ? "]" : "}"};

    o.level = v->layout.level = v->seen_count + 1;
    v->seen[v->seen_count++] = JS_VALUE_GET_PTR(t->value);
    if (has_base)
        crw_out_str(v->out, " ");
    else
        crw_view_prefix(v, t);
    crw_out_str(v->out, list ? "[" : "{");
    o.first = v->layout.count;
    crw_view_members(v, t, depth + 1);
    put_properties(v, t, head, depth + 1);
    v->seen_count--;
    o.ref = ref_of(v, t->value);
    o.to_the_right = list && is_numeric(v, t);
    if (has_base && o.first == v->layout.count)
        v->out->len -= 2;
    else
        crw_layout_close(&v->layout, &o);
}

static void put_thing(struct crw_view *v, const struct crw_thing *t, int depth)
{
    size_t head = v->out->len;
    bool has_base = crw_view_base(v, t);
    bool list = t->kind == CRW_KIND_ARRAY || t->kind == CRW_KIND_TYPED_ARRAY;
    bool empty =
        t->name_from == t->name_count && !crw_view_has_members(t) && t->kind != CRW_KIND_ERROR;
    bool deep = depth > v->how.depth || v->seen_count > CRW_VIEW_DEPTH_MAX;

    if (v->out->full || (has_base && (empty || deep)))
        return;
    if (empty) {
        crw_view_prefix(v, t);
        crw_out_str(v->out, list ? "[]" : "{}");
    } else if (deep) {
        crw_view_placeholder(v, t);
    } else {
        put_contents(v, t, head, has_base, depth);
    }
}

static void put_object(struct crw_view *v, JSValueConst value, int depth)
{
    struct crw_thing t = {.value = crw_inspect_unwrap(v->ctx, value)};

    if (JS_IsUndefined(t.value)) {
        crw_out_str(v->out, "<Revoked Proxy>");
        return;
    }
    for (unsigned i = 0; i < v->seen_count; i++) {
        if (v->seen[i] == JS_VALUE_GET_PTR(t.value)) {
            put_circular(v, t.value);
            return;
        }
    }
    t.kind = crw_peek_kind(v->ctx, t.value);
    look(v, &t);
    crw_view_identify(v, &t);
    put_thing(v, &t, depth);
    crw_view_forget(v, &t);
    JS_FreePropertyEnum(v->ctx, t.names, t.name_count);
}

static void put_value(struct crw_view *v, JSValueConst value, int depth)
{
    if (v->out->full)
        return;
    if (JS_IsObject(value))
        put_object(v, value, depth);
    else
        put_primitive(v, value);
}

void crw_inspect(JSContext *ctx, struct crw_out *out, JSValueConst value,
                 struct crw_inspect_how how)
{
    size_t max = out->max;
    struct crw_view v = {
        .ctx = ctx, .out = out, .how = how, .layout = {.out = out, .width = how.width}};

    if (out->full)
        return;
    out->max = max - out->len > TEXT_MAX ? out->len + TEXT_MAX : max;
    put_value(&v, value, 0);
    out->max = max;
    if (out->full) {
        out->full = false;
        crw_out_str(out, " … cut");
    }
    crw_layout_free(&v.layout);
}
