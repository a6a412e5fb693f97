/*
 * encode.c - converts values to JSON text; included by engine.c, after encode_text.c.
 *
 * The specification first lists an object's keys and then reads each value, while a getter or a
 * nested `toJSON` may change the object. So the keys of a plain object are read from its first
 * shape, with a reference (the engine never changes a shape with two references). A value is read
 * from its slot only while the object still has that shape. The elements of an array are read from
 * its table only while that is long enough. All other values go through the engine's property
 * look-up.
 *
 * The objects that are being written form a stack, each with its current key. The stack gives the
 * path for error messages, and is searched to detect cycles.
 */
static int write_value(struct encoder *e, JSValueConst value);

/* --- keys and toJSON ------------------------------------------------------------------------- */

static int write_key(struct encoder *e, JSAtom key)
{
    if (__JS_AtomIsTaggedInt(key)) {
        if (put_char(e, '"') < 0 || put_index(e, __JS_AtomToUInt32(key)) < 0)
            return -1;
        return put(e, "\":", 2);
    }
    if (write_quoted(e, e->ctx->rt->atom_array[key]) < 0)
        return -1;
    return put_char(e, ':');
}

/* Returns the argument of `toJSON`: the key of the value that is being written. */
static JSValue key_of_value(const struct encoder *e)
{
    const struct level *at = e->depth ? &e->levels[e->depth - 1] : NULL;

    if (!at)
        return js_empty_string(e->ctx->rt);
    if (at->key != JS_ATOM_NULL)
        return JS_AtomToString(e->ctx, at->key);
    return JS_ToStringFree(e->ctx, js_int64(at->index));
}

static bool has_to_json(JSObject *p)
{
    JSProperty *unused;

    return find_own_property(&unused, p, JS_ATOM_toJSON) != NULL;
}

/*
 * Is the only `toJSON` of |value| on Object.prototype or Array.prototype? Then it is ignored,
 * because it would apply to every value. A `toJSON` of a class or of the value itself is used.
 */
static bool is_for_everything(JSContext *ctx, JSValueConst value)
{
    JSObject *object = JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT]);
    JSObject *array = JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_ARRAY]);
    JSObject *p;

    if (likely(!has_to_json(object) && !has_to_json(array)))
        return false;
    p = JS_VALUE_GET_OBJ(JS_IsObject(value) ? value : ctx->class_proto[JS_CLASS_BIG_INT]);
    for (; p; p = p->shape->proto) {
        if (p != object && p != array && (p->class_id == JS_CLASS_PROXY || has_to_json(p)))
            return false;
    }
    return true;
}

/* Replaces |value| with the result of its `toJSON`, if it has one. */
static int apply_to_json(struct encoder *e, JSValue *value)
{
    JSValue function, key, answer;

    if ((!JS_IsObject(*value) && !JS_IsBigInt(*value)) || is_for_everything(e->ctx, *value))
        return 0;
    function = JS_GetProperty(e->ctx, *value, JS_ATOM_toJSON);
    if (JS_IsException(function))
        return -1;
    if (!JS_IsFunction(e->ctx, function)) {
        JS_FreeValue(e->ctx, function);
        return 0;
    }
    key = key_of_value(e);
    answer = JS_Call(e->ctx, function, *value, 1, vc(&key));
    JS_FreeValue(e->ctx, key);
    JS_FreeValue(e->ctx, function);
    JS_FreeValue(e->ctx, *value);
    *value = answer;
    return JS_IsException(answer) ? -1 : 0;
}

/* Does JSON.stringify omit |value|? */
static bool is_nothing(JSContext *ctx, JSValueConst value)
{
    return JS_IsUndefined(value) || JS_IsSymbol(value) || JS_IsFunction(ctx, value);
}

static int write_member(struct encoder *e, JSAtom key, JSValueConst value, bool *first)
{
    if ((!*first && put_char(e, ',') < 0) || write_key(e, key) < 0)
        return -1;
    *first = false;
    return write_value(e, value);
}

/* Takes |value|, the value of |key|, and writes both. |first|: no comma is needed yet. */
static int write_property(struct encoder *e, JSAtom key, JSValue value, bool *first)
{
    int r = -1;

    e->levels[e->depth - 1].key = key;
    /* omitted properties never reach the maximum length, so check for a timeout here */
    if (!JS_IsException(value) && !js_poll_interrupts(e->ctx) && apply_to_json(e, &value) == 0)
        r = is_nothing(e->ctx, value) ? 0 : write_member(e, key, value, first);
    JS_FreeValue(e->ctx, value);
    return r;
}

/* --- objects and arrays ---------------------------------------------------------------------- */

/* Are the keys of |p| exactly those of its shape, in order, and can the shape not change? */
static bool has_keys_of_shape(JSContext *ctx, const JSObject *p)
{
    const JSShapeProperty *at = get_shape_prop(p->shape);
    const JSShapeProperty *end = at + p->shape->prop_count;
    uint32_t unused;

    if (p->is_exotic || !p->shape->is_hashed)
        return false;
    for (; at < end; at++) {
        if ((at->flags & JS_PROP_TMASK) == JS_PROP_VARREF ||
            (at->atom != JS_ATOM_NULL && JS_AtomIsArrayIndex(ctx, &unused, at->atom)))
            return false;
    }
    return true;
}

static int write_by_shape(struct encoder *e, JSObject *p)
{
    JSShape *shape = js_dup_shape(p->shape);
    const JSShapeProperty *props = get_shape_prop(shape);
    bool first = true;
    int r = 0;

    for (int i = 0; i < shape->prop_count && r == 0; i++) {
        JSAtom key = props[i].atom;
        JSValue value;

        if (!(props[i].flags & JS_PROP_ENUMERABLE) || key == JS_ATOM_NULL ||
            JS_AtomGetKind(e->ctx, key) != JS_ATOM_KIND_STRING)
            continue;
        if (p->shape == shape && (props[i].flags & JS_PROP_TMASK) == JS_PROP_NORMAL)
            value = js_dup(p->prop[i].u.value);
        else
            value = JS_GetProperty(e->ctx, JS_MKPTR(JS_TAG_OBJECT, p), key);
        r = write_property(e, key, value, &first);
    }
    js_free_shape(e->ctx->rt, shape);
    return r;
}

static int write_by_names(struct encoder *e, JSObject *p)
{
    JSPropertyEnum *names;
    uint32_t count;
    bool first = true;
    int r = JS_GetOwnPropertyNamesInternal(e->ctx, &names, &count, p,
                                           JS_GPN_ENUM_ONLY | JS_GPN_STRING_MASK);

    for (uint32_t i = 0; i < count && r == 0; i++) {
        JSAtom key = names[i].atom;
        JSValue value = JS_GetProperty(e->ctx, JS_MKPTR(JS_TAG_OBJECT, p), key);

        r = write_property(e, key, value, &first);
    }
    js_free_prop_enum(e->ctx, names, count);
    return r;
}

static int write_properties(struct encoder *e, JSObject *p)
{
    int r;

    if (put_char(e, '{') < 0)
        return -1;
    r = has_keys_of_shape(e->ctx, p) ? write_by_shape(e, p) : write_by_names(e, p);
    return r < 0 ? -1 : put_char(e, '}');
}

static JSValue get_element(JSContext *ctx, JSObject *p, int64_t index)
{
    if (p->class_id == JS_CLASS_ARRAY && p->fast_array && index < p->u.array.count)
        return js_dup(p->u.array.u.values[index]);
    return JS_GetPropertyInt64(ctx, JS_MKPTR(JS_TAG_OBJECT, p), index);
}

static int write_element(struct encoder *e, JSObject *p, int64_t index)
{
    JSValue value;
    int r = -1;

    e->levels[e->depth - 1].index = index;
    value = get_element(e->ctx, p, index);
    if (!JS_IsException(value) && apply_to_json(e, &value) == 0)
        r = is_nothing(e->ctx, value) ? put(e, "null", 4) : write_value(e, value);
    JS_FreeValue(e->ctx, value);
    return r;
}

static int write_elements(struct encoder *e, JSObject *p)
{
    int64_t len;

    if (js_get_length64(e->ctx, &len, JS_MKPTR(JS_TAG_OBJECT, p)) < 0 || put_char(e, '[') < 0)
        return -1;
    for (int64_t i = 0; i < len; i++) {
        if ((i > 0 && put_char(e, ',') < 0) || write_element(e, p, i) < 0)
            return -1;
    }
    return put_char(e, ']');
}

static int enter(struct encoder *e, JSObject *p)
{
    if (js_check_stack_overflow(e->ctx->rt, 0)) {
        JS_ThrowStackOverflow(e->ctx);
        return -1;
    }
    for (size_t i = 0; i < e->depth; i++) {
        if (e->levels[i].object == p)
            return fail_encoding(e, "a cycle has no JSON", i);
    }
    if (e->depth == e->levels_cap) {
        e->levels_cap = e->levels_cap ? e->levels_cap * 2 : 16;
        e->levels = crw_arena_realloc(NULL, e->levels, e->levels_cap * sizeof(*e->levels));
    }
    e->levels[e->depth++] = (struct level){.object = p};
    return 0;
}

static int write_object(struct encoder *e, JSObject *p)
{
    int is_array = js_is_array(e->ctx, JS_MKPTR(JS_TAG_OBJECT, p)), r;

    if (is_array < 0 || enter(e, p) < 0)
        return -1;
    r = is_array ? write_elements(e, p) : write_properties(e, p);
    e->depth--;
    return r;
}

/* --- any value ------------------------------------------------------------------------------- */

static bool is_well_formed(JSContext *ctx, JSValueConst text)
{
    return JS_VALUE_GET_BOOL(js_string_isWellFormed(ctx, text, 0, NULL));
}

/*
 * JSON.rawJSON has checked that |raw| is a JSON primitive, so it is written unchanged. But if it is
 * a string with a lone surrogate, raw or as an escape, it is decoded and written like any other
 * string.
 */
static no_inline int write_raw(struct encoder *e, JSValueConst raw)
{
    JSValue value = js_json_parse(e->ctx, JS_UNDEFINED, 1, &raw);
    const char *text = NULL;
    size_t len;
    int r = -1;

    if (JS_IsException(value))
        return -1;
    if (JS_IsString(value) && !(is_well_formed(e->ctx, raw) && is_well_formed(e->ctx, value)))
        r = write_value(e, value);
    else if ((text = JS_ToCStringLen(e->ctx, &len, raw)))
        r = put(e, text, len);
    JS_FreeCString(e->ctx, text);
    JS_FreeValue(e->ctx, value);
    return r;
}

/* Writes the primitive of a boxed object. Takes |primitive|. */
static int write_unboxed(struct encoder *e, JSValue primitive)
{
    int r = JS_IsException(primitive) ? -1 : write_value(e, primitive);

    JS_FreeValue(e->ctx, primitive);
    return r;
}

static int write_any_object(struct encoder *e, JSValueConst value)
{
    JSObject *p = JS_VALUE_GET_OBJ(value);

    switch (p->class_id) {
    case JS_CLASS_STRING:
        return write_unboxed(e, JS_ToString(e->ctx, value));
    case JS_CLASS_NUMBER:
        return write_unboxed(e, JS_ToNumber(e->ctx, value));
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_BIG_INT:
        return write_unboxed(e, js_dup(p->u.object_data));
    case JS_CLASS_RAWJSON:
        /* the object is frozen and has no prototype: its first property is the text */
        return write_raw(e, p->prop[0].u.value);
    default:
        return write_object(e, p);
    }
}

/* Writes |value|, after `toJSON`; it must not be a value that JSON omits. */
static int write_value(struct encoder *e, JSValueConst value)
{
    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_OBJECT:
        return write_any_object(e, value);
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
        return write_string(e, value);
    case JS_TAG_INT:
        return put_index(e, JS_VALUE_GET_INT(value));
    case JS_TAG_FLOAT64:
        return write_double(e, JS_VALUE_GET_FLOAT64(value));
    case JS_TAG_BOOL:
        return put_text(e, JS_VALUE_GET_BOOL(value) ? "true" : "false");
    case JS_TAG_NULL:
        return put(e, "null", 4);
    default:
        return fail_encoding(e, "a BigInt has no JSON", SIZE_MAX);
    }
}

static int write_root(struct encoder *e, JSValueConst value)
{
    if (JS_IsUndefined(value))
        return put_text(e, e->rules->undefined);
    if (is_nothing(e->ctx, value)) {
        JS_ThrowTypeError(e->ctx, "a %s has no JSON", JS_IsSymbol(value) ? "symbol" : "function");
        return -1;
    }
    return write_value(e, value);
}

int crw_encode_json(JSContext *ctx, JSValueConst value, const struct crw_encode_rules *rules,
                    struct crw_text *ret)
{
    struct encoder e = {.ctx = ctx, .rules = rules};
    JSValue root = js_dup(value);
    int r = apply_to_json(&e, &root) < 0 ? -1 : write_root(&e, root);

    JS_FreeValue(ctx, root);
    crw_arena_free(NULL, e.levels);
    if (r < 0 && !e.over) {
        crw_arena_free(NULL, e.bytes);
        return -1;
    }
    *ret = (struct crw_text){(char *)e.bytes, e.len};
    return e.over || e.len > rules->max;
}

void crw_encode_release(struct crw_text *text)
{
    crw_arena_free(NULL, text->bytes);
    text->bytes = NULL;
}
