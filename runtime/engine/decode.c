/*
 * decode.c - JSON text to values; included by engine.c, after decode_number.c and decode_string.c.
 *
 * There is no recursion: values wait on a stack until their array or object ends. Then the array or
 * object is made at once, in its full size.
 *
 * Rows of data are similar. So an object is expected to have the shape of the last object that
 * began with the same key at the same depth. While its keys match, they are only compared, in
 * place, with the keys of that shape, and at the end the shape is reused. From the first different
 * key on, the keys are listed instead: each is looked up in a small table of keys seen before, and
 * at the end the list is looked up in the engine's table of shapes.
 *
 * JSON has no cycles, so the garbage collector does not run meanwhile, and does not count the new
 * objects towards its next collection.
 */
#include "engine/decode.h"

#define SHAPES 64u /* expected shapes: as many as a word has bits */
#define KEYS 256u
#define SPILL 1024 /* after so many waiting values, they are moved into the array */

/* An array or object that has not ended. */
struct unended {
    JSShape *shape;     /* the expected shape, while all keys match; a reference; else NULL */
    JSObject *array;    /* an array too long for all of its values to wait, or NULL */
    size_t first_value; /* where its values begin on the stack of values */
    size_t first_key;   /* where its keys begin on the stack of keys, if |shape| is NULL */
    uint8_t slot;       /* where to store the shape of an object as the next expected one */
    uint8_t closes;     /* '}' or ']' */
};

struct decoder {
    JSContext *ctx;
    const uint8_t *end;
    JSValue *values;
    size_t value_count, value_cap;
    JSAtom *keys; /* each with a reference */
    size_t key_count, key_cap;
    struct unended *open;
    size_t depth, open_cap;
    /* One bit for each slot in use of the two tables below, so that they need no initialisation. */
    uint64_t has_expected, has_seen[KEYS / 64];
    JSShape *expected[SHAPES]; /* each with a reference; all their keys are plain */
    JSAtom seen[KEYS];         /* each with a reference, and plain */
};

/* --- stacks ---------------------------------------------------------------------------------- */

/* Grows |*array| by at least one element of |size| bytes. */
static no_inline void make_room(void *array, size_t *cap, size_t size)
{
    void **at = array;

    *cap = *cap ? *cap * 2 : 16;
    *at = crw_arena_realloc(NULL, *at, *cap * size);
}

static inline void push_value(struct decoder *d, JSValue value)
{
    if (unlikely(d->value_count == d->value_cap))
        make_room(&d->values, &d->value_cap, sizeof(*d->values));
    d->values[d->value_count++] = value;
}

/* Takes |key|. */
static inline void push_key(struct decoder *d, JSAtom key)
{
    if (unlikely(d->key_count == d->key_cap))
        make_room(&d->keys, &d->key_cap, sizeof(*d->keys));
    d->keys[d->key_count++] = key;
}

static void drop_keys(struct decoder *d, size_t first)
{
    while (d->key_count > first)
        JS_FreeAtom(d->ctx, d->keys[--d->key_count]);
}

/* --- keys ------------------------------------------------------------------------------------ */

/* Returns the text of a plain key, which needs no escapes in JSON, or NULL. */
static JSString *plain_key(JSContext *ctx, JSAtom key)
{
    JSString *s = __JS_AtomIsTaggedInt(key) ? NULL : ctx->rt->atom_array[key];

    if (!s || s->is_wide_char || s->kind != JS_STRING_KIND_NORMAL ||
        plain_run(str8(s), s->len) < s->len)
        return NULL;
    return s;
}

static inline bool same_bytes(const uint8_t *a, const uint8_t *b, size_t len)
{
    for (; len >= 8; a += 8, b += 8, len -= 8) {
        if (get_u64(a) != get_u64(b))
            return false;
    }
    for (; len; a++, b++, len--) {
        if (*a != *b)
            return false;
    }
    return true;
}

/* Is the plain |key| the text between the quote before |at| and the next quote? */
static inline bool is_key(const struct decoder *d, JSAtom key, const uint8_t *at)
{
    JSString *s = d->ctx->rt->atom_array[key];
    size_t len = s->len;

    return (size_t)(d->end - at) > len && at[len] == '"' &&
           same_bytes(at, (const uint8_t *)(s + 1), len);
}

/* Hashes the bytes at |at|, eight or up to a quote, to a number below |slots|. */
static inline unsigned slot_of(const struct decoder *d, const uint8_t *at, size_t salt,
                               unsigned slots)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t text, quotes;

    if (d->end - at < 8)
        return 0;
    text = get_u64(at);
    quotes = text ^ ones * '"';
    quotes = (quotes - ones) & ~quotes & (ones * 0x80);
    if (quotes && !is_be())
        text &= (quotes & -quotes) - 1;
    return (unsigned)((text + salt) * 0x9e3779b97f4a7c15 >> 48) % slots;
}

static inline bool is_seen(const struct decoder *d, unsigned slot)
{
    return d->has_seen[slot / 64] >> slot % 64 & 1;
}

/* Makes a key that is not plain, or a number, or not seen yet. */
static no_inline JSAtom new_key(struct decoder *d, const uint8_t **at, unsigned slot)
{
    const uint8_t *from = *at;
    JSValue text;
    JSAtom key;

    *at = read_string(d->ctx, from, d->end, &text);
    if (!*at)
        return JS_ATOM_NULL;
    key = JS_NewAtomStr(d->ctx, JS_VALUE_GET_STRING(text));
    if (plain_key(d->ctx, key)) {
        if (is_seen(d, slot))
            JS_FreeAtom(d->ctx, d->seen[slot]);
        d->has_seen[slot / 64] |= (uint64_t)1 << slot % 64;
        d->seen[slot] = JS_DupAtom(d->ctx, key);
    }
    return key;
}

/* Reads the key after the quote before |at|, and adds it to the list of keys. */
static const uint8_t *list_key(struct decoder *d, const uint8_t *at)
{
    unsigned slot = slot_of(d, at, 0, KEYS);
    JSAtom key;

    if (is_seen(d, slot) && is_key(d, d->seen[slot], at)) {
        at += d->ctx->rt->atom_array[d->seen[slot]]->len + 1;
        push_key(d, JS_DupAtom(d->ctx, d->seen[slot]));
        return at;
    }
    key = new_key(d, &at, slot);
    if (at)
        push_key(d, key);
    return at;
}

/* --- shapes ---------------------------------------------------------------------------------- */

/* |o| does not have the expected shape: adds its keys so far to the list. */
static no_inline void list_expected(struct decoder *d, struct unended *o)
{
    const JSShapeProperty *props = get_shape_prop(o->shape);

    for (size_t i = 0; i < d->value_count - o->first_value; i++)
        push_key(d, JS_DupAtom(d->ctx, props[i].atom));
    js_free_shape(d->ctx->rt, o->shape);
    o->shape = NULL;
}

static bool has_keys(JSShape *shape, const JSAtom *keys, size_t count)
{
    const JSShapeProperty *props = get_shape_prop(shape);

    if ((size_t)shape->prop_count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (props[i].atom != keys[i] || props[i].flags != JS_PROP_C_W_E)
            return false;
    }
    return true;
}

/* Returns the shape of plain objects with these keys, or NULL. Adds no reference. */
static JSShape *find_shape(JSContext *ctx, const JSAtom *keys, size_t count)
{
    JSObject *proto = JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT]);
    uint32_t hash = shape_initial_hash(proto);
    JSShape *shape;

    for (size_t i = 0; i < count; i++)
        hash = shape_hash(shape_hash(hash, keys[i]), JS_PROP_C_W_E);
    shape = ctx->rt->shape_hash[get_shape_hash(hash, ctx->rt->shape_hash_bits)];
    while (shape && !(shape->hash == hash && shape->proto == proto && has_keys(shape, keys, count)))
        shape = shape->shape_hash_next;
    return shape;
}

static bool shape_has(JSShape *shape, JSAtom key)
{
    const JSShapeProperty *props = get_shape_prop(shape);
    intptr_t bucket = (intptr_t)hash_atom(key, shape->prop_hash_mask);
    uint32_t i = prop_hash_end(shape)[-bucket - 1];

    while (i && props[i - 1].atom != key)
        i = props[i - 1].hash_next;
    return i != 0;
}

/* Makes a shape with these keys. Returns NULL if two of the keys are equal. */
static JSShape *new_shape(JSContext *ctx, const JSAtom *keys, size_t count)
{
    JSObject *proto = JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT]);
    size_t size = count < JS_PROP_INITIAL_SIZE ? JS_PROP_INITIAL_SIZE : count;
    size_t buckets = JS_PROP_INITIAL_HASH_SIZE;
    JSShape *shape;

    while (buckets < size)
        buckets *= 2;
    shape = js_new_shape2(ctx, proto, (int)buckets, (int)size);
    for (size_t i = 0; i < count; i++) {
        if (shape_has(shape, keys[i])) {
            js_free_shape(ctx->rt, shape);
            return NULL;
        }
        add_shape_property(ctx, &shape, NULL, keys[i], JS_PROP_C_W_E);
    }
    return shape;
}

static inline bool is_expected(const struct decoder *d, unsigned slot)
{
    return d->has_expected >> slot & 1;
}

/* Expects |shape|, if its keys are plain, for the next object that begins with the same key. */
static void expect(struct decoder *d, unsigned slot, JSShape *shape)
{
    for (int i = 0; i < shape->prop_count; i++) {
        if (!plain_key(d->ctx, get_shape_prop(shape)[i].atom))
            return;
    }
    if (is_expected(d, slot))
        js_free_shape(d->ctx->rt, d->expected[slot]);
    d->has_expected |= (uint64_t)1 << slot;
    d->expected[slot] = js_dup_shape(shape);
}

/* --- arrays and objects ---------------------------------------------------------------------- */

/* js_malloc, inlined: the compiler knows the size and removes most of it. */
static inline __attribute__((always_inline)) void *alloc_inline(JSRuntime *rt, size_t size)
{
    void *p = js_arena_malloc(rt, size);

    rt->malloc_state.malloc_count++;
    rt->malloc_state.malloc_size += js_arena_usable_size(rt, p) + MALLOC_OVERHEAD;
    return p;
}

/* Makes an object whose properties are not set yet. Takes |shape|. */
static inline JSObject *new_object(JSRuntime *rt, JSShape *shape, JSClassID class_id)
{
    JSObject *p = alloc_inline(rt, sizeof(*p));

    *p = (JSObject){.class_id = (uint16_t)class_id, .extensible = true, .shape = shape};
    p->prop = alloc_inline(rt, sizeof(*p->prop) * (size_t)shape->prop_size);
    JS_REF_COUNT(p) = 1;
    add_gc_object(rt, &p->header, JS_GC_OBJ_TYPE_JS_OBJECT);
    return p;
}

/* Appends the waiting values to the array |p|. */
static void fill_array(struct decoder *d, JSObject *p, const JSValue *values, size_t count)
{
    size_t len = p->u.array.count + count;

    if (len > p->u.array.u1.size)
        expand_fast_array(d->ctx, p, (uint32_t)len);
    memcpy(p->u.array.u.values + p->u.array.count, values, count * sizeof(*values));
    p->u.array.count = (uint32_t)len;
    p->prop[0].u.value = js_int32((int32_t)len);
}

static no_inline void spill(struct decoder *d, struct unended *o)
{
    if (!o->array)
        o->array = JS_VALUE_GET_OBJ(JS_NewArray(d->ctx));
    fill_array(d, o->array, d->values + o->first_value, d->value_count - o->first_value);
    d->value_count = o->first_value;
}

static JSValue end_array(struct decoder *d, const struct unended *o)
{
    size_t count = d->value_count - o->first_value;
    JSObject *p = o->array;

    if (!p && count) {
        p = new_object(d->ctx->rt, js_dup_shape(d->ctx->array_shape), JS_CLASS_ARRAY);
        p->is_exotic = 1;
        p->fast_array = 1;
        p->prop[0].u.value = js_int32((int32_t)count);
        p->u.array.count = p->u.array.u1.size = (uint32_t)count;
        p->u.array.u.values = alloc_inline(d->ctx->rt, count * sizeof(JSValue));
        memcpy(p->u.array.u.values, d->values + o->first_value, count * sizeof(JSValue));
    } else if (!p) {
        return JS_NewArray(d->ctx);
    } else {
        fill_array(d, p, d->values + o->first_value, count);
    }
    return JS_MKPTR(JS_TAG_OBJECT, p);
}

/* Makes an object with equal keys: the last value wins, in the position of the first key. */
static no_inline JSValue end_object_by_keys(struct decoder *d, const struct unended *o)
{
    JSValue object = JS_NewObject(d->ctx);

    for (size_t i = o->first_key; i < d->key_count; i++)
        JS_DefinePropertyValue(d->ctx, object, d->keys[i],
                               d->values[o->first_value + i - o->first_key], JS_PROP_C_W_E);
    return object;
}

static no_inline JSShape *shape_of_list(struct decoder *d, const struct unended *o)
{
    const JSAtom *keys = d->keys + o->first_key;
    size_t count = d->key_count - o->first_key;
    JSShape *shape = find_shape(d->ctx, keys, count);

    shape = shape ? js_dup_shape(shape) : new_shape(d->ctx, keys, count);
    if (shape)
        expect(d, o->slot, shape);
    return shape;
}

static JSValue end_object(struct decoder *d, struct unended *o)
{
    size_t count = d->value_count - o->first_value;
    JSShape *shape;
    JSValue object;

    if (count == 0)
        return JS_NewObject(d->ctx);
    if (o->shape && (size_t)o->shape->prop_count != count)
        list_expected(d, o);
    shape = o->shape ? o->shape : shape_of_list(d, o);
    if (shape) {
        JSObject *p = new_object(d->ctx->rt, shape, JS_CLASS_OBJECT);

        memcpy(p->prop, d->values + o->first_value, count * sizeof(*p->prop));
        object = JS_MKPTR(JS_TAG_OBJECT, p);
    } else {
        object = end_object_by_keys(d, o);
    }
    drop_keys(d, o->first_key);
    return object;
}

/* --- the text -------------------------------------------------------------------------------- */

static inline const uint8_t *skip_blanks(const uint8_t *at)
{
    while (unlikely(*at <= ' ') && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/* Reads a key and its colon, up to its value. */
static inline const uint8_t *read_key(struct decoder *d, const uint8_t *at)
{
    struct unended *o = &d->open[d->depth - 1];
    size_t i = d->value_count - o->first_value;

    if (*at++ != '"')
        return NULL;
    if (o->shape && i < (size_t)o->shape->prop_count &&
        is_key(d, get_shape_prop(o->shape)[i].atom, at)) {
        at += d->ctx->rt->atom_array[get_shape_prop(o->shape)[i].atom]->len + 1;
    } else {
        if (o->shape)
            list_expected(d, o);
        at = list_key(d, at);
        if (!at)
            return NULL;
    }
    at = skip_blanks(at);
    return *at == ':' ? skip_blanks(at + 1) : NULL;
}

/* Opens the array or object at |at|. Returns where its contents or its end begins. */
static inline const uint8_t *open_value(struct decoder *d, const uint8_t *at)
{
    if (unlikely(d->depth == d->open_cap))
        make_room(&d->open, &d->open_cap, sizeof(*d->open));
    d->open[d->depth++] = (struct unended){
        .first_value = d->value_count, .first_key = d->key_count, .closes = *at == '{' ? '}' : ']'};
    return skip_blanks(at + 1);
}

/* Called after the opening bracket, unless it is empty: moves to the first value. */
static inline const uint8_t *first_value(struct decoder *d, const uint8_t *at)
{
    struct unended *o = &d->open[d->depth - 1];

    if (o->closes == ']')
        return at;
    o->slot = (uint8_t)slot_of(d, at + 1, d->depth << 56, SHAPES);
    if (is_expected(d, o->slot)) /* add a reference: a nested object may replace this entry */
        o->shape = js_dup_shape(d->expected[o->slot]);
    return read_key(d, at);
}

static inline const uint8_t *read_word(const uint8_t *at, const char *word, JSValue value,
                                       JSValue *ret)
{
    size_t len = strlen(word);

    *ret = value;
    return strncmp((const char *)at, word, len) == 0 ? at + len : NULL;
}

static inline const uint8_t *read_scalar(struct decoder *d, const uint8_t *at)
{
    JSValue value;

    switch (*at) {
    case '"':
        at = read_string(d->ctx, at + 1, d->end, &value);
        break;
    case 't':
        at = read_word(at, "true", JS_TRUE, &value);
        break;
    case 'f':
        at = read_word(at, "false", JS_FALSE, &value);
        break;
    case 'n':
        at = read_word(at, "null", JS_NULL, &value);
        break;
    default:
        at = read_number(at, d->end, &value);
        break;
    }
    if (likely(at))
        push_value(d, value);
    return at;
}

static void close_value(struct decoder *d)
{
    struct unended *o = &d->open[d->depth - 1];
    JSValue value = o->closes == '}' ? end_object(d, o) : end_array(d, o);

    d->depth--;
    d->value_count = o->first_value;
    push_value(d, value);
}

/* Called after a comma: moves to the next value of the open array or object. */
static inline const uint8_t *next_value(struct decoder *d, const uint8_t *at)
{
    struct unended *o = &d->open[d->depth - 1];

    at = skip_blanks(at);
    if (o->closes == '}')
        return read_key(d, at);
    if (unlikely(d->value_count - o->first_value == SPILL))
        spill(d, o);
    return at;
}

/* Reads the value at |at|, and pushes it on the stack. Returns the text after it, or NULL. */
static const uint8_t *read_value(struct decoder *d, const uint8_t *at)
{
    for (;;) {
        if (*at == '{' || *at == '[') {
            if (unlikely(d->depth == CRW_DECODE_DEPTH))
                return NULL;
            at = open_value(d, at);
            if (*at != d->open[d->depth - 1].closes) {
                at = first_value(d, at);
                if (!at)
                    return NULL;
                continue;
            }
        } else {
            at = read_scalar(d, at);
            if (!at)
                return NULL;
        }
        for (;;) {
            if (d->depth == 0)
                return at;
            at = skip_blanks(at);
            if (*at == ',')
                break;
            if (*at++ != d->open[d->depth - 1].closes)
                return NULL;
            close_value(d);
        }
        at = next_value(d, at + 1);
        if (!at)
            return NULL;
    }
}

static void free_unfinished(struct decoder *d)
{
    while (d->value_count)
        JS_FreeValue(d->ctx, d->values[--d->value_count]);
    for (size_t i = 0; i < d->depth; i++) {
        js_free_shape_null(d->ctx->rt, d->open[i].shape);
        if (d->open[i].array)
            JS_FreeValue(d->ctx, JS_MKPTR(JS_TAG_OBJECT, d->open[i].array));
    }
    drop_keys(d, 0);
}

static void clear(struct decoder *d)
{
    for (; d->has_expected; d->has_expected &= d->has_expected - 1)
        js_free_shape(d->ctx->rt, d->expected[ctz64(d->has_expected)]);
    for (unsigned i = 0; i < KEYS / 64; i++) {
        for (; d->has_seen[i]; d->has_seen[i] &= d->has_seen[i] - 1)
            JS_FreeAtom(d->ctx, d->seen[i * 64 + (unsigned)ctz64(d->has_seen[i])]);
    }
    crw_arena_free(NULL, d->values);
    crw_arena_free(NULL, d->keys);
    crw_arena_free(NULL, d->open);
}

/*
 * Does not count the new objects towards the next collection, but only once after each collection:
 * otherwise code that decodes and makes cycles from the values would never be collected.
 */
static void postpone_gc(JSRuntime *rt)
{
    static size_t postponed_to;

    if (rt->malloc_state.malloc_size <= rt->malloc_gc_threshold ||
        rt->malloc_gc_threshold == postponed_to)
        return;
    rt->malloc_gc_threshold = rt->malloc_state.malloc_size + rt->malloc_state.malloc_size / 2;
    postponed_to = rt->malloc_gc_threshold;
}

JSValue crw_decode_json(JSContext *ctx, const char *json, size_t len)
{
    struct decoder d;
    JSRuntime *rt = ctx->rt;
    size_t threshold;
    const uint8_t *at;
    JSValue value = JS_EXCEPTION;

    if (len > JS_STRING_LEN_MAX) /* the engine counts the bytes of a string in an int */
        return JS_EXCEPTION;
    memset(&d, 0, offsetof(struct decoder, expected));
    d.ctx = ctx;
    d.end = (const uint8_t *)json + len;
    js_trigger_gc(rt, 0);
    threshold = rt->malloc_gc_threshold;
    rt->malloc_gc_threshold = SIZE_MAX;
    at = read_value(&d, skip_blanks((const uint8_t *)json));
    if (at && skip_blanks(at) == d.end)
        value = d.values[--d.value_count];
    free_unfinished(&d);
    clear(&d);
    rt->malloc_gc_threshold = threshold;
    postpone_gc(rt);
    return value;
}
